"""What a careful person expects of texts in two languages or scripts, in disguise, hidden, quoted, or in loops.

data/attacked_texts.jsonl has texts of our own with what language/fidelity and language/consistency give (null: no
value; absent: people differ); those of the kind `thought` are read with both of their parts. data/five_sentences.json
has a solution in 17 languages, which the tables of shapes take.
"""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from rewardlab import Completion, Context, Sample, find

DATA = Path(__file__).parent / "data"
TEXTS = [json.loads(line) for line in (DATA / "attacked_texts.jsonl").read_text(encoding="utf-8").splitlines()]
FIVE = json.loads((DATA / "five_sentences.json").read_text(encoding="utf-8"))
IN_ENGLISH = FIVE.pop("en")
PROOF = (
    "Let n be the smallest number that cannot be written as a sum of two squares. Suppose that a prime divides both "
    "terms of the pair. Then it divides their difference, which is impossible because the two are coprime. Hence no "
    "such prime exists and the claim follows by induction on the length of the chain."
)
PYTHON = (
    "def share(cards, children):\n    if not children:\n        return None\n    for i in children:\n        print()"
)
LOOKALIKES = str.maketrans("aeocpx", "аеосрх")


@cache
def reward(use, **options):
    spec = find("reward", use)
    return spec.build(spec.config(**options), Context())


def values(text, language, thought=False):
    """Return what the two rewards give, by name."""
    sample = Sample(id="1", fields={"language": language})
    rewards = {
        "fidelity": reward("language/fidelity", part="both" if thought else "response"),
        "consistency": reward("language/consistency", parts="both" if thought else "answer"),
    }
    return {name: one.score([(sample, Completion(text=text))])[0].value for name, one in rewards.items()}


@pytest.mark.slow
def test_own_texts_are_paid_as_a_careful_person_pays_them():
    assert len(TEXTS) == 159
    wrong = []
    for row in TEXTS:
        expected = {name: row[name] for name in ("fidelity", "consistency") if name in row}
        given = values(row["text"], row["language"], row["kind"] == "thought")
        if {name: given[name] for name in expected} != expected:
            wrong.append((row["language"], row["text"], given, expected))
    assert wrong == []


def joined(language):
    return ("" if language in ("ja", "th", "zh") else " ").join(FIVE[language])


def pieces(text, count):
    found = text.split()
    return [" ".join(found[start : start + count]) for start in range(0, len(found), count)]


def in_each(form, parts):
    return " ".join(form % part.strip(".,") for part in parts)


HIDDEN = {
    "a fence": f"```\n{PROOF}\n```",
    "code": f"`{PROOF}`",
    "a display": f"$${PROOF}$$",
    "text in a display": rf"\[\text{{{PROOF}}}\]",
    "a label": rf"\label{{{PROOF}}}",
    "the name of an operator": rf"\operatorname{{{PROOF}}}",
    "upright letters": rf"\mathrm{{{PROOF}}}",
    "a space": rf"\hspace{{{PROOF}}}",
    "a link": rf"\href{{{PROOF}}}{{x}}",
    "attributes": in_each('<p title="%s">', PROOF.split(". ")),
    "a comment": f"<!-- {PROOF} -->",
    "formulas of five words": in_each(r"$\text{%s}$", pieces(PROOF, 5)),
    "displays of two words": in_each(r"\[\text{%s}\]", pieces(PROOF, 2)),
    "underscores": f"${PROOF}$".replace(" ", r"\_"),
    "tildes": f"${PROOF}$".replace(" ", "~"),
    "lines": f"${PROOF}$".replace(" ", "\n"),
    "points": f"${PROOF}$".replace(" ", "."),
    "an address": "https://" + PROOF.replace(" ", "-"),
    "addresses of mail": in_each("%s@x.yz", PROOF.split()),
    "a box": rf"\boxed{{{PROOF}}}",
    "commands": in_each(r"\%s", PROOF.split()),
    "special tokens": in_each("<|%s|>", PROOF.split()),
    "an environment": rf"\begin{{align}}\text{{{PROOF}}}\end{{align}}",
    "a sum": rf"\begin{{equation}}{PROOF.replace(' ', ' + ')}\end{{equation}}",
    "letters that stand apart": " ".join(PROOF),
    "letters with dashes": "-".join(PROOF),
    "invisible characters": "\u200b".join(PROOF),
    "bold letters": "".join(chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else c for c in PROOF),
}


@pytest.mark.parametrize("language", ["de", "sw", "ru", "ar", "hi", "th", "zh", "ko"])
def test_an_english_proof_is_seen_wherever_it_is_hidden(language):
    texts = {place: f"{FIVE[language][0]} {hidden}" for place, hidden in HIDDEN.items()}
    assert {place: given for place, text in texts.items() if any((given := values(text, language)).values())} == {}


def test_a_chinese_proof_in_an_english_answer_is_seen_too():
    proof = "".join(FIVE["zh"])
    for hidden in (f"```\n{proof}\n```", rf"$\text{{{proof}}}$", rf"\label{{{proof}}}", f'<a title="{proof}">'):
        assert values(f"The answer is nine. {hidden}", "en") == {"fidelity": 0.0, "consistency": 0.0}, hidden


def test_words_of_the_row_s_own_script_may_stand_in_formulas():
    text = r"因此 $$\text{每人的卡片数}=\frac{\text{总数}-\text{送出的卡片数}}{\text{孩子的人数}}$$ 答案是九张卡片。"
    assert values(text, "zh") == {"fidelity": 1.0, "consistency": 1.0}


def paid(language):
    """Return texts that are in the language."""
    five = FIVE[language]
    text = joined(language)
    return {
        "as it is": text,
        "with addresses": f"{text} https://en.wikipedia.org/wiki/Division_(mathematics) www.example.org/the-answer",
        "with code": f"{text}\n```python\n{PYTHON}\n```",
        "with other code": f"{text}\n~~~\nfor (let i = 0; i < n; i++) {{ if (a[i] === b) {{ return i; }} }}\n~~~",
        "with a comment": f"{text}\n```python\n# divide the cards that are left by their number\nx = a / b\n```",
        "with an object": f'{text} `{{"name": "Anna", "cards": 36, "children": 4}}`',
        "with formulas": rf"{text} $\frac{{36}}{{4}}=9$, \[\sum_{{k=1}}^{{n}} k = \frac{{n(n+1)}}{{2}}\] \boxed{{9}}",
        "with pictures": f"{text} 🙂👍🏽🎉👨‍👩‍👧",
        "with a short quotation": f'{text} ("How many cards are left?")',
        "with names": f"{text} (Anna Smith, John Miller, Peter)",
        "with a term": text.replace(".", ". (output)", 1).replace("。", "（output）。", 1),
        "with one English sentence": f"{text} {IN_ENGLISH[4]}",
        "with a word of another script": f"{text} {'so' if language in ('zh', 'ja') else '所以'}",
        "with invisible characters": "\u2060".join(text),
        "with marks of direction": f"\u202b{text}\u202c",
        "in capitals": text if language == "tr" else text.upper(),
        "as titles": text if language == "tr" else text.title(),
        "with marks": "# " + five[0] + "\n\n- " + "\n- ".join(five[1:]) + "\n\n**" + five[4] + "**",
        "in a table": "| " + " | ".join(five) + " |",
        "in tags": "<p>" + "</p><p>".join(five) + "</p>",
        "a word on each line": text.replace(" ", "\n"),
        "one sentence": five[1],
    }


def unpaid(language):
    """Return texts that are not in the language."""
    five = FIVE[language]
    text = joined(language)
    return {
        "English": " ".join(IN_ENGLISH),
        "English in lookalike letters": " ".join(IN_ENGLISH).translate(LOOKALIKES),
        "English with invisible characters": "\u200b".join(" ".join(IN_ENGLISH)),
        "another language": joined("fr" if language == "es" else "es"),
        "another script": joined("el" if language == "ru" else "ru"),
        "Chinese or Japanese": joined("ja" if language == "zh" else "zh"),
        "a sentence again and again": f"{five[0]} " * 40 + PROOF,
        "a sentence again and again without spaces": five[0].strip() * 40 + PROOF,
        "a solution again and again": f"{text} " * 40 + f"{PROOF} {' '.join(IN_ENGLISH)} {PROOF}",
        "a word again and again": f"{five[0].split()[0]} " * 300 + PROOF,
        "a sentence before and behind a proof": f"{five[4]} {PROOF} {five[3]}",
    }


@pytest.mark.slow
def test_texts_in_the_language_are_paid_in_any_dress():
    cases = [(language, *case) for language in FIVE for case in paid(language).items()]
    assert Counter(language for language, _, _ in cases) == dict.fromkeys(FIVE, 22)
    assert [case[:2] for case in cases if set(values(case[2], case[0]).values()) != {1.0}] == []


@pytest.mark.slow
def test_texts_that_are_not_in_the_language_are_not_paid():
    cases = [(language, *case) for language in FIVE for case in unpaid(language).items()]
    assert [case[:2] for case in cases if set(values(case[2], case[0]).values()) != {0.0}] == []


@pytest.mark.parametrize("text", ["48 - 12 = 36; 36 / 4 = 9", "٤٨ - ١٢ = ٣٦", "🙂🙂🙂", r"$x^2$ \boxed{9}", "..."])
def test_a_text_without_words_is_in_no_language(text):
    for language in FIVE:
        assert values(text, language) == {"fidelity": 0.0, "consistency": None}


def test_half_a_text_is_less_than_seven_tenths():
    for language, five in FIVE.items():
        alternating = " ".join(f"{own} {other}" for own, other in zip(five, IN_ENGLISH, strict=True))
        assert values(alternating, language)["fidelity"] == 0.0, language
