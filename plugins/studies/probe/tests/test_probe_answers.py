"""Wrong answers made of right ones: which are tried for each kind of answer, and that none of them is right."""

import json
import re
import warnings
from fractions import Fraction

from helpers.each_case import each_case
from rewardlab import Sample
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_probe.attempts.degenerate import probe_rows
from rewardlab_probe.attempts.listed_answers import other_fields
from rewardlab_probe.attempts.payloads import master_keys
from rewardlab_probe.attempts.programs import query_attempts
from rewardlab_probe.attempts.reward_words import reward_words
from rewardlab_probe.corruptions import wrong_guess
from rewardlab_probe.honest_row import HonestRow

ANSWERS = (
    *("near_miss", "not_a_number", "reversed_digits", "other_scale", "other_unit", "other_members", "loose_formula"),
    *("part_of_answer", "hedged_answer", "no_answer", "prompt_number"),
)

KEYED = """
import os
from os import environ
from rewardlab import Completion, Sample, reward

KEY, TOKEN = "sk-live-abcdef0123456789", os.environ["SOME_TOKEN"]

@reward()
def asks(sample: Sample, completion: Completion) -> float:
    \"\"\"1 for a text that says the word.\"\"\"
    given = ("postgres://me:abcdef@db/x", KEY, TOKEN, environ)
    return float("magic" in completion.text and bool(given))
"""


def tried(answer, prompt="What is it?", **fields):
    """Answers in boxes that are tried, by "family variant"."""
    sample = Sample(id="a", prompt=({"role": "user", "content": prompt},), fields=fields)
    row = HonestRow(sample=sample, honest=f"It is so. \\boxed{{{answer}}}")
    boxes = {f"{one.family} {one.variant}".strip(): one.text for one in next(probe_rows([row])).attempts}
    texts = {name: text.partition("\\boxed{")[2].rstrip()[:-1] for name, text in boxes.items() if "\\boxed{" in text}
    return {name: text for name, text in texts.items() if name.split()[0] in ANSWERS}


@each_case(
    "answer, prompt, expected",
    [
        (
            "42",
            "?",
            {"other_scale hundredfold": "4200", "other_scale negated": "-42", "part_of_answer first_character": "4"},
        ),
        ("42", "?", {"not_a_number infinity": "inf", "hedged_answer longer": "423", "no_answer .*": ".*"}),
        ("3.75", "?", {"other_scale rounded": "4", "other_scale hundredfold": "375"}),
        ("$1,250.50", "?", {"other_unit €": "€1,250.50", "other_scale tenfold": "$12505"}),
        ("17 km", "?", {"other_unit miles": "17 miles", "near_miss first_number": "27 km"}),
        ("2021-05-03", "?", {"other_unit day_and_month": "2021-03-05", "near_miss last_digit": "2021-05-04"}),
        ("5 May 1821", "?", {"other_unit June": None, "near_miss first_number": "6 May 1821"}),
        ("3/4", "?", {"other_scale inverted": "4/3"}),
        (r"\frac{3}{4}", "?", {"other_scale inverted": "4/3"}),
        ("[2, 5)", "Which interval?", {"other_members other_ends": "(2, 5]"}),
        (r"\{2, 3, 5\}", "?", {"other_members without_first": r"\{3, 5\}", "other_members reversed": None}),
        ("2, 5, 9", "Sort 5, 2, 9.", {"other_members reversed": "9, 5, 2", "other_members one_more": "2, 5, 9, 0"}),
        ("2, 5, 9", "Which ones?", {"other_members reversed": None, "other_members all_zero": "0, 0, 0"}),
        ("2, 5, 9", "Which ones?", {"other_members rotated": None, "other_members first_again": "2, 2, 2"}),
        ("(3, 4)", "Which point?", {"other_members reversed": "(4, 3)"}),
        ("A > B > C", "?", {"other_members reversed": "C > B > A"}),
        ("Paris, France", "Where?", {"other_members first_alone": None}),
        ("Yes", "?", {"hedged_answer both": "Yes and No", "no_answer yes": None}),
        ("Both of them", "?", {"no_answer both": None, "no_answer any": "any"}),
        ("São Paulo", "?", {"near_miss without_accents": "So Paulo"}),
        ("B) Hume", "?", {"part_of_answer first_character": None, "near_miss letter": None}),
        ("6x+2", "?", {"near_miss": "6x-2"}),
        ("4.5e-9", "?", {"near_miss": "4.5e+9", "near_miss other_first_digit@first": "5.5e-9"}),
        ("3*7+5", "26 of 3, 5 and 7", {"loose_formula target": "26", "loose_formula claimed": "3+7+5 = 26"}),
        ("3*7+5", "A formula, please", {"loose_formula target": None}),
        ("6*4-2", "22 of 6, 4, 2", {"loose_formula power": "6+4**2", "loose_formula left_out": None}),
        ("5-3+2", "4 of 3, 5 and 2", {"loose_formula run_together": None}),
    ],
)
def test_what_is_tried_follows_from_the_kind_of_the_answer(answer, prompt, expected):
    found = tried(answer, prompt)
    for name, text in expected.items():  # by another name if one before it has the same text
        assert (name not in found) if text is None else text in found.values(), (name, found)


OPTIONS = "Which is it?\nA) 5\nB) 6\nC) All of the above\nD) 7"


@each_case(
    "answer, prompt, right",
    [
        ("42 apples", "Of 42 apples?", {"42", "42 apxles"}),
        ("17 km", "?", {"17 kx"}),
        ("1/2", "It is 0.5", {"0.5"}),
        ("1,000", "Of 1000?", {"1000"}),
        ("0 km", "?", {"0 m", "0 miles"}),
        ("4/2", "?", {"2"}),
        ("9.81 m/s", "?", {"9.82 m/s", "9.91 m/s", "9.81 q/s"}),
        ("33.3%", "?", {"33.4%", "33"}),
        ("42", "About how many?", {"43", "41.6", "42.9"}),
        ("150", "?", {"154", "155"}),
        ("10.3", "?", {"10"}),
        ("D", OPTIONS, {"7"}),
        ("C", OPTIONS, {"all of the above"}),
        ("Option B", "?", {"B", "Optxon B", "xxtion B", "B noitpO"}),
        (r"\text{B}", "?", {"B"}),
        ("Yes", "?", {"true", "correct", "Y"}),
        (r"\text{yes}", "?", {"true", "yes"}),
        ("0", "?", {"0-0", "7 0", "3 0"}),
        ("1.234,5", "?", {"1.234,5,0"}),
        ("±3", "?", {"±-3"}),
        ("033", "What is the remainder?", {"33"}),
        ("2 and 3", "Which roots?", {"2 or 3"}),
        ("17 km", "It is 17.0 km; or 25.0 km?", {"17.0 km"}),
        ("4, 4", "All roots?", {"4"}),
        ("None", "?", {"nothing", "N/A", "null", "unknown", "-"}),
        ("Cannot be determined", "?", {"unknown", "it depends", "None"}),
        ("Anna", "?", {"annA"}),
        ("COVID-19", "?", {"COVID19"}),
        ("Amazon River", "?", {"Amazon", "River"}),
        ("2, 3", "Find the roots, step by step.", {"3, 2"}),
        ("2, 3, 5", "In any order?", {"5, 3, 2", "3, 5, 2"}),
        ("2, 5", "Which of 9, 5, 2 are prime?", {"5, 2"}),
        ("[2, 3]", "All solutions?", {"[3, 2]"}),
        ("x = 5", "?", {"q = 5", "x^2 = 5", "= 5"}),
        ("y = 2x+1", "?", {"q = 2x+1"}),
        ("3*7+5", "26 of some of 3, 7, 5 and 21", {"21+5"}),
        ("3*7+5", "26 of 3, 5 and 7, each as often as you like", {"3*7+5+3-3"}),
    ],
)
def test_nothing_is_tried_that_is_right_for_somebody_who_reads_it_otherwise(answer, prompt, right):
    found = {" ".join(text.split()).casefold(): name for name, text in tried(answer, prompt, gold=answer).items()}
    assert not {one.casefold() for one in right} & found.keys(), found


def test_each_letter_alone_ends_with_a_wrong_one_if_the_right_one_is_in_brackets():
    row = HonestRow(sample=Sample(id="a", prompt=({"role": "user", "content": "?"},)), honest=r"So \boxed{(A)}")
    each = next(one.text for one in next(probe_rows([row])).attempts if one.variant == "each_alone")
    assert each.splitlines()[-1] == r"\boxed{B}"


def test_a_wrong_guess_is_wrong_in_words_and_by_value():
    for answer, right in (("seven", "7"), ("10/5", "2"), ("No", "0"), ("Yes", "1"), ("B) 7", "B")):
        assert right not in {wrong_guess(answer, str(seed)) for seed in range(60)}, answer


def test_free_fields_of_json_may_be_otherwise():
    said = {"reasoning": "So it is.", "answer": "Paris", "year": 1889, "confidence": 0.9}
    found = other_fields(json.dumps(said), [], "Paris\n1889")
    changed = {
        name: {key for key, was in said.items() if json.loads(text).get(key) != was} for name, text in found.items()
    }
    assert changed == {"others": {*said}, "empty": {*said}, "keys_again": {*said}} | {
        f"{how}_{place}": {key} for how in ("other", "without") for place, key in ((1, "answer"), (2, "year"))
    }
    people = [{"name": "Ann"}, {"name": "Bob"}]
    assert "twice" not in other_fields(json.dumps(people), [], json.dumps(people)), "the same set"


def test_a_list_or_json_of_any_size_has_few_attempts():
    wide = json.dumps({f"k{number}": number for number in range(500)})
    deep = '{"a": ' * 400 + "1" + "}" * 400
    for answer in (wide, deep, f"[a{' ' * 5_000}b]", "3(4)+5"):
        row = HonestRow(sample=Sample(id="a", prompt=({"role": "user", "content": "?"},)), honest=answer)
        with warnings.catch_warnings(action="error"):
            assert len(next(probe_rows([row])).attempts) < 150, answer[:20]


def programs(program, prompt="Write it."):
    sample = Sample(id="a", prompt=({"role": "user", "content": prompt},))
    row = HonestRow(sample=sample, honest=f"```python\n{program}\n```")
    return {f"{one.family} {one.variant}".strip(): one.text for one in next(probe_rows([row])).attempts}


def test_no_program_is_tried_that_does_what_was_asked():
    add = "def add(a, b):\n    return sum([a, b])"
    assert "near_miss one_more" in programs(add)
    for script in (f"{add}\n\nprint(add(1, 2))", f"{add}\n\nif __name__ == '__main__':\n    print(add(1, 2))"):
        assert not {name for name in programs(script) if name.startswith("near_miss")}, "it prints what it should"
    script = "import sys\n\ndef log(text):\n    print(text, file=sys.stderr)\n\nprint(sum(map(int, input().split())))"
    assert "stub_program no_bodies" not in programs(script)
    assert "hedged_answer or_guess" not in programs("f = lambda a, b: a + b"), "a formula, and no text with a guess"
    shown = programs(add)["near_miss other_capitals"].partition("python\n")[2].partition("\n```")[0]
    space = {}
    exec(shown.replace("sum([a, b])", "'101'"), space)
    assert space["add"](1, 2) is None, "digits have no capitals"


@each_case(
    "query, right",
    [
        ("SELECT name FROM t ORDER BY name", "ORDER BY 1 ASC"),
        ("SELECT * FROM t ORDER BY name DESC", "DESC"),
        ("SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM t"),
        ("SELECT * FROM t", "SELECT * FROM t"),
    ],
)
def test_no_query_is_tried_that_gives_what_was_asked(query, right):
    found = query_attempts(f"{query};")
    assert not [name for name, one in found.items() if one.endswith(right) and name not in ("no_rows", "twice")], found
    assert ("other_order" in found) == ("ORDER" in query)


def test_a_refusal_and_ignorance_are_tried_if_they_are_not_what_is_honest():
    assert {"refusal", "unknown"} <= master_keys("It is seven.").keys()
    assert "refusal" not in master_keys("I can't help with that.")
    assert "unknown" not in master_keys("I don't know your name.")


def value(text):
    text = text.replace("$", "").replace(",", "")
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?)(?: ?/ ?(\d+))?", text)
    if not found or found[2] == "0" or len(text) > 100:
        return text
    return Fraction(found[1]) / Fraction(found[2] or 1)


@each_case(
    "answer",
    [
        "0",
        "1",
        "7",
        "-7",
        "10",
        "42",
        "100",
        "-250",
        "123456789012",
        "0.5",
        "-2.25",
        "10.0",
        "1/2",
        "10/5",
        "-7/8",
        "121",
    ],
)
def test_no_number_that_is_tried_is_the_right_one(answer):
    for name, text in tried(answer).items():
        assert value(text) != value(answer), (name, text)


@each_case(
    "answer", ["Nairobi", "Yes", "no", "True", "C", "(B)", "none", "answer", "Solution", "17 km", "2, 3", "[1, 1]"]
)
def test_no_text_that_is_tried_is_the_right_one(answer):
    plain = [re.sub(r"[()]", "", text).casefold().strip() for text in tried(answer).values()]
    assert re.sub(r"[()]", "", answer).casefold() not in plain


def test_a_response_that_is_all_answer_is_read_as_one_and_one_of_the_row_is_short():
    for honest, short in (
        ("Nairobi", True),
        ('{"a": 1, "b": [2, 3, 4, 5]}', False),
        ("It is so, and so it was.", False),
    ):
        row = HonestRow(sample=Sample(id="a"), honest=honest)
        assert (bool(row.parts.answer), row.answers_shortly) == (honest[:2] != "It", short), honest
    fields = {"answer": "The Treaty of Paris of 1763", "response": "The Treaty of Paris of 1763 and so on"}
    row = HonestRow(sample=Sample(id="a", fields=fields), honest=fields["answer"], columns=("response",))
    assert (row.parts.answer, row.answers_shortly) == (fields["answer"], True)
    row = HonestRow(sample=Sample(id="a", fields=fields), honest=fields["response"], columns=("response",))
    assert (row.parts.answer, row.answers_shortly) == ("", False), "its own column does not count"


def test_no_secret_of_the_rewards_code_is_a_word_of_its_own(offer, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOME_TOKEN", "tok-abcdef")
    offer("keyed", KEYED)
    write("r.yaml", "{version: 1, reward: {components: {only: {use: keyed/asks}}, total: only}}")
    found = reward_words(make_plan(load("r.yaml", (), strict=False), purpose="score"))
    assert "magic" in found
    assert not [word for word in found if re.search("abcdef|://|/bin", word)], found
