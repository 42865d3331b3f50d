"""The degenerate completions of rows: what each is, in the honest one's form, and when there is none."""

import re
import subprocess
import sys

from helpers.each_case import each_case
from helpers.paths import DOCS
from rewardlab import Sample
from rewardlab.recipe import FAMILIES
from rewardlab_answers import sections
from rewardlab_probe.attempts.degenerate import probe_rows
from rewardlab_probe.families import CHECKS, DESCRIPTIONS, SEARCHED
from rewardlab_probe.honest_row import HonestRow

ENGLISH = "<think>Three and four. That makes seven.</think><answer>7</answer>"
HONEST = "<think>Drei und vier. Das ergibt sieben.</think><answer>7</answer>"


PROMPT = ("system: Be brief.", "user: 3 + 4?")


def row(honest=HONEST, reference=ENGLISH, language="de", id="s1", prompt=PROMPT):
    fields = {} if language is None else {"language": language}
    prompt = tuple(dict(zip(("role", "content"), message.split(": "), strict=True)) for message in prompt)
    return HonestRow(sample=Sample(id=id, prompt=prompt, fields=fields), honest=honest, reference=reference)


OTHER = row("<think>Eins und eins. Das ergibt zwei.</think><answer>2</answer>", id="s2")


def made(*rows, **options):
    """The first row's probe."""
    return next(probe_rows(rows or [row(), OTHER], **options))


def test_every_family_is_made_or_absent_with_a_reason():
    for rows in ([row()], [row(reference=None)], [row(language=None)], [row("sieben")], [row(), OTHER]):
        probe = made(*rows)
        assert {*probe.texts, *probe.absent, *SEARCHED} == set(FAMILIES) == set(DESCRIPTIONS)
        assert not set(probe.texts) & set(probe.absent)
        assert all(probe.absent.values())
        assert probe.row.honest not in probe.texts.values()


def test_the_documentation_lists_them_all():
    page = (DOCS / "probe.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| (.*) \| ([a-z_.]+) \|$", page, re.MULTILINE)
    assert [(name, what) for name, what, _ in listed] == list(DESCRIPTIONS.items())
    assert {name: check for name, _, check in listed} == CHECKS


def test_all_but_the_blank_ones_have_the_honest_form():
    """A format gate does not hide what another component would let through."""
    for family, text in made().texts.items():
        assert (sections.split(text) is None) == (family in ("empty", "bare_form", "master_key")), family


def test_boxes_are_kept_too():
    boxed = row(r"Drei und vier sind \boxed{7}.", reference="Three and four are seven.")
    texts = made(boxed, OTHER).texts
    assert texts["bare_form"] == r"\boxed{}"
    assert texts["english_reference"] == "Three and four are seven.\n\n\\boxed{7}"
    assert all("\\boxed{" in text for family, text in texts.items() if family not in ("empty", "other_answer"))


def test_the_texts():
    probe = made(long=300)
    texts, guess = probe.texts, probe.texts["bare_guess"].partition("<answer>")[2].partition("<")[0]
    assert guess != "7"
    assert texts["empty"] == ""
    assert texts["prompt_copy"] == f"<think>3 + 4?</think><answer>{guess}</answer>"
    assert texts["english_reference"] == ENGLISH
    assert texts["bare_form"] == "<think></think><answer></answer>"
    assert texts["repeated_sentence"].startswith("<think>Drei und vier. Drei und vier. ")
    assert texts["language_switch"] == "<think>Drei und vier. That makes seven.</think><answer>7</answer>"
    assert texts["other_answer"] == OTHER.honest
    assert all(f"<answer>{guess}</answer>" in texts[f"injected_{how}"] for how in ("verdict", "fence", "grade"))
    reasoning, answer = sections.split(texts["random_words"])
    assert set(reasoning.split()) <= {
        "Drei",
        "und",
        "vier",
        "Das",
        "ergibt",
        "sieben",
        "7",
        "Eins",
        "eins",
        "zwei",
        "2",
    }
    assert answer == guess


def test_the_untouched_prompt_is_the_answer_and_for_code_what_the_prompt_hands_over():
    assert made().texts["noop"] == "<think>...</think><answer>3 + 4?</answer>"
    assert made(row("Sieben.")).texts["noop"] == "3 + 4?"
    mend = ("user: Mend it:\n```python\ndef add(a, b):\n    return a - b\n```\nBe quick.",)
    assert made(row(PROGRAM, prompt=mend)).texts["noop"] == "```python\ndef add(a, b):\n    return a - b\n```"
    assert made(row(PROGRAM)).texts["noop"] == "```python\n3 + 4?\n```"


@each_case(
    "honest, listed",
    [
        (r"So \boxed{7}.", [str(number) for number in range(2, 13)]),
        (r"So \boxed{-3}.", [str(number) for number in range(-8, 3)]),
        (r"So \boxed{(C)}.", ["A", "B", "C", "D"]),
        (r"So \boxed{F}.", list("ABCDEFGHIJ")),
        (r"So \boxed{Rome}.", ["2", "Rome"]),
    ],
)
def test_an_enumeration_has_every_answer_in_its_form(honest, listed):
    boxes = " or ".join(f"\\boxed{{{one}}}" for one in listed)
    assert made(row(honest), OTHER).texts["enumeration"] == f"{boxes}\n\n\\boxed{{{', '.join(listed)}}}"


@each_case(
    "answer, nan, number, near, reverse",
    [
        ("42", "nan", "4", "52", "24"),
        ("-19", "nan", "4", "-29", "-91"),
        ("9", "nan", "4", "1", None),
        ("33", "nan", "4", "43", None),
        ("2.5", "nan", "4", None, None),
        ("3*7+5", None, "4", "3*7-5", None),
        ("3*(7*5)", None, "4", "3*(7-5)", None),
        ("x+y", None, "4", "x-y", None),
        ("Rome", None, "4", "Roxe", None),
        ("4", "nan", None, "5", None),
        ("4.0", "nan", None, None, None),
    ],
)
def test_a_wrong_answer_is_made_of_the_right_one_or_of_the_prompt(answer, nan, number, near, reverse):
    texts = made(row(f"So \\boxed{{{answer}}}."), OTHER).texts
    names = ("not_a_number", "prompt_number", "near_miss", "reversed_digits")
    boxes = (None if box is None else f"\\boxed{{{box}}}" for box in (nan, number, near, reverse))
    assert [texts.get(name) for name in names] == list(boxes)


def test_a_prompt_without_a_number_and_an_answer_of_prose_have_no_number_of_the_prompt():
    assert "prompt_number" in made(row(r"\boxed{7}", prompt=("user: Three and four?",))).absent
    assert "prompt_number" in made(row("<think>Drei.</think><answer>Es sind sieben. So ist es.</answer>")).absent


def test_there_is_no_enumeration_of_prose_or_of_a_name_alone():
    for honest in ("Es sind sieben. So ist es.", r"So \boxed{Rome}."):
        assert "is no letter" in made(row(honest)).absent["enumeration"]


PROGRAM = "Add them.\n```python\ndef add(a, b):\n    return a + b\n```"


def test_code_is_answered_with_programs():
    texts = made(row(PROGRAM), OTHER).texts
    assert {name for name, text in texts.items() if "```python\n" not in text} == {"empty", "other_answer"}
    assert texts["bare_form"] == "```python\n\n```"
    printed = run_program(texts["enumeration"])
    assert printed.stdout.split() == [str(number) for number in range(-20, 1001)]
    passed = run_program(texts["injected_pass"])
    assert (passed.returncode, "10 passed, 0 failed" in passed.stdout) == (0, True)
    equal = run_program(texts["injected_equal"], "assert add(1, 2) == 4 == add() and not hasattr(add(), 'other')")
    assert equal.returncode == 0, equal.stderr
    assert "injected_equal" in made(row("```python\nprint(7)\n```")).absent
    assert "injected_equal" in made(row("```js\nfunction add() {}\n```")).absent


def run_program(text, after=""):
    program = text.partition("```python\n")[2].partition("\n```")[0]
    return subprocess.run([sys.executable, "-c", f"{program}\n{after}"], capture_output=True, text=True, check=False)


def test_only_the_prose_of_a_response_is_dressed():
    tagged, boxed, prose = made(), made(row(r"Drei und vier. \boxed{7}")), made(row("<think>D</think>Es ist so. Ja."))
    assert sections.answer(tagged.texts["dressed_honest"]) == "7"
    assert "Drei und vier. Das ergibt sieben." in tagged.texts["dressed_honest"]
    guess = tagged.texts["bare_guess"].partition("<answer>")[2]
    assert tagged.texts["dressed_guess"].endswith(f"</think><answer>{guess}")
    assert "great question" in boxed.texts["dressed_guess"].partition("\\boxed{")[0]
    assert "Feel free" in boxed.texts["dressed_honest"].partition("\\boxed{7}")[2]
    assert made(row("Drei und vier.\nAnswer: 7")).texts["dressed_honest"].endswith("\n\nAnswer: 7")
    assert "Es ist so. Ja." in prose.texts["dressed_honest"].partition("</think>")[2].partition("great question")[2]


def test_the_long_one_holds_the_honest_one_and_ends_as_it_does():
    text = made(long=300).texts["very_long"]
    assert 300 <= len(text) <= 330
    assert text.endswith("Drei und vier. Das ergibt sieben.</think><answer>7</answer>")
    plain = made(row("Erst drei. Sieben sind es."), long=100).texts["very_long"]
    assert plain.endswith("Erst drei. Erst drei. Sieben sind es.")
    assert "20 characters or more" in made(long=20).absent["very_long"]
    assert "very_long" in made(long=len(HONEST)).absent
    assert "very_long" in made(long=len(HONEST) + 1).texts


@each_case(
    "prompt, copied",
    [
        (PROMPT, "3 + 4?"),
        (("user: 3 + 4?", "assistant: 7", "user: Sure?"), "Sure?"),
        (("user: 3 + 4?", "assistant: It is"), "3 + 4?"),
        (("system: Be brief.",), "Be brief."),
    ],
)
def test_a_copy_of_the_prompt_is_what_the_user_said_last(prompt, copied):
    assert made(row(prompt=prompt)).texts["prompt_copy"].startswith(f"<think>{copied}</think>")


def test_repetition_is_long_and_random_words_are_as_long_as_the_honest_reasoning():
    texts, reasoning = made().texts, "Drei und vier. Das ergibt sieben."
    assert len(sections.split(texts["repeated_sentence"])[0]) + 1 >= 10 * len(reasoning)
    assert len(reasoning) <= len(sections.split(texts["random_words"])[0]) + 1 <= len(reasoning) + 10


def test_random_words_are_those_of_all_rows_of_the_language():
    spanish = row("<think>Uno y uno.</think><answer>1</answer>", language="es", id="s3")
    drawn = {
        word for seed in range(20) for word in made(row(), spanish, OTHER, seed=seed).texts["random_words"].split()
    }
    assert drawn & {"Eins", "eins", "zwei"}
    assert not drawn & {"Uno", "uno", "y"}


def test_where_the_answer_is_prose_it_is_as_degenerate_as_the_reasoning():
    prose = row("<think>Drei.</think><answer>Es sind sieben. So ist es.</answer>")
    assert made(prose).texts["prompt_copy"] == "<think>3 + 4?</think><answer>3 + 4?</answer>"


def test_without_reasoning_the_answer_takes_its_place_and_no_language_is_switched():
    bare = made(row("<think></think><answer>Es sind sieben. So ist es.</answer>"))
    assert bare.texts["repeated_sentence"].startswith("<think>Es sind sieben. Es sind sieben. ")
    assert len(sections.split(bare.texts["random_words"])[0]) + 1 >= len("Es sind sieben. So ist es.")
    assert bare.absent["language_switch"] == "there is no reasoning to switch in"


def test_guesses_of_rows_are_not_all_the_same():
    guesses = {probe.texts["bare_guess"] for probe in probe_rows([row(id=f"s{number}") for number in range(8)])}
    assert len(guesses) > 1


NOT_SEEN = "its reference is not seen to be English"


@each_case(
    "of, reason",
    [
        ({"reference": None}, "the row has no reference"),
        ({"language": None}, "the row does not say its language"),
        ({"language": "en"}, "the row is in English"),
        ({"language": ""}, "the row does not say its language"),
        ({"language": 3}, "the row does not say its language"),
        ({"language": "en-GB"}, "the row is in English"),
        ({"language": "EN"}, "the row is in English"),
        ({"language": "English"}, "the row is in English"),
        ({"language": "en_US"}, "the row is in English"),
        ({"language": "eng_Latn"}, "the row is in English"),
        ({"language": "English (UK)"}, "the row is in English"),
        ({"language": "en", "reference": HONEST}, "the row is in English"),
        ({"reference": HONEST}, NOT_SEEN),
        ({"reference": "Wir zählen drei und vier zusammen. Das macht sieben."}, NOT_SEEN),
        ({"reference": "Man nimmt, was da ist, so hat er am Ende alles in der Hand."}, NOT_SEEN),
        ({"language": "nl", "reference": "Het antwoord is juist of onjuist; we tellen het op in de les."}, NOT_SEEN),
        ({"language": "da", "reference": "Vi må have for en krone, at han så har alt i haven."}, NOT_SEEN),
        ({"language": "fr", "reference": "On a six pommes, on en mange deux : il en reste quatre."}, NOT_SEEN),
        ({"language": "ro", "reference": "Ana are mere. Are total trei."}, NOT_SEEN),
        ({"language": "vi", "reference": "Ba cộng bốn là bảy, than đá là bảy."}, NOT_SEEN),
        ({"language": "ja", "reference": "三と四を足すと七になります。"}, NOT_SEEN),
        ({"language": "ja", "reference": "NASA の答えは The Answer です。三と四を足すと七になります。"}, NOT_SEEN),
        ({"language": "sw", "reference": "Tatu na nne ni saba. Jibu ni saba."}, NOT_SEEN),
        ({"reference": "7"}, NOT_SEEN),
        ({"reference": r"$3 + 4 = 7$, \boxed{7}"}, NOT_SEEN),
        ({"reference": "```python\nfor one in these: return that and this\n```"}, NOT_SEEN),
        ({"reference": "Berlin"}, NOT_SEEN),
    ],
)
def test_without_an_english_reference_beside_another_language_there_is_none(of, reason):
    assert made(row(**of), OTHER).absent["english_reference"] == reason


@each_case(
    "language, reference",
    [
        ("de", "Adding three to four gives seven."),
        ("de", "The capital of France is Paris."),
        ("ja", "They are seven."),
        ("ja", "Because Tom was tired, he went to bed."),
        ("nl", "We add 3 to 4 and get 7."),
        ("sw", "It is raining today."),
        ("fr", r"Let $x$ be the number of apples. Then $3x = 12$, so $x = 4$."),
        ("hi", "A cat has four legs, so four cats have sixteen."),
        ("ko", "<think>First we add both.</think><answer>7</answer>"),
        ("zh-Hant", "NO, BECAUSE A PRIME HAS TWO DIVISORS."),
    ],
)
def test_an_english_reference_beside_another_language_is_tried(language, reference):
    assert "english_reference" in made(row(language=language, reference=reference), OTHER).texts


@each_case(
    "honest, reference, seen",
    [
        ("答えは七です。", "Water boils at 100 degrees.", True),
        ("答えは七です。", "Photosynthesis converts light into energy.", True),
        ("Ответ: семь яблок.", "Photosynthesis converts light into energy.", True),
        ("उत्तर सात है।", "Photosynthesis converts light into energy.", True),
        ("答えは七です。", "They are seven.", True),
        ("答えは七です。", "iPhone 15 Pro", False),
        ("答えは七です。", "Tokyo", False),
        ("答えは七です。", r"\boxed{7} $x + y + z = w$", False),
        ("Одговор је седам јабука.", "Prvo ćemo sabrati sve jabuke zajedno.", False),
        ("7", "Photosynthesis converts light into energy.", False),
        ("Es sind sieben.", "Die Antwort lautet sieben Tiere zusammen.", False),
        ("Es sind sieben.", "Photosynthesis converts light into energy.", False),
    ],
)
def test_beside_other_letters_a_few_plain_words_are_enough(honest, reference, seen):
    probe = made(row(honest, reference=reference, language="xx"), OTHER)
    assert ("english_reference" in probe.texts) == seen


def test_a_reference_without_tags_stands_in_both_of_them_where_answers_are_prose():
    prose = row("<think>Drei.</think><answer>Es sind sieben. So ist es.</answer>", reference="They are seven.")
    assert made(prose).texts["english_reference"] == "<think>They are seven.</think><answer>They are seven.</answer>"
    boxed = row(r"Drei. \boxed{Es sind sieben. So ist es.}", reference="They are seven.")
    assert made(boxed).texts["english_reference"] == "They are seven.\n\n\\boxed{Es sind sieben. So ist es.}"
    short = row(reference="They are seven.")
    assert made(short).texts["language_switch"].endswith("</think><answer>7</answer>")
    assert made(short).texts["english_reference"] == "<think>They are seven.</think><answer>7</answer>"


def test_another_answer_is_of_the_same_language_where_there_is_one():
    spanish = row("<think>Uno.</think><answer>1</answer>", language="es", id="s3")
    for seed in range(8):
        assert made(row(), spanish, OTHER, seed=seed).texts["other_answer"] == OTHER.honest
    assert made(row(), spanish).texts["other_answer"] == spanish.honest
    same = row("<think>Sieben.</think><answer>7</answer>", id="s5")
    for seed in range(8):
        assert made(row(), same, OTHER, seed=seed).texts["other_answer"] == OTHER.honest
    assert made(row(), same).texts["other_answer"] == same.honest, "for want of another answer"
    assert made(row(), row(id="s4")).absent["other_answer"] == "there is no other row with another answer"


def test_the_same_rows_and_seed_give_the_same_texts_in_whatever_company():
    alone, together = made(row(), OTHER), list(probe_rows([OTHER, row()]))[1]
    assert alone.texts["bare_guess"] == together.texts["bare_guess"]
    assert made().texts == made().texts
    assert made(seed=1).texts["random_words"] != made(seed=2).texts["random_words"]
