"""The official readers give what the published code gives: on its cases, and on others of the same kind."""

import json
import math
from pathlib import Path

from helpers.each_case import each_case
from rewardlab_rubric.replies.official import read_mr3, read_r3

DATA = Path(__file__).parent / "data"


def cases(name):
    return [json.loads(line) for line in (DATA / name).open(encoding="utf-8")]


def same(found, expected):
    if expected == "NaN":
        return isinstance(found, float) and math.isnan(found)
    return found == expected and type(found) is type(expected)


R3 = cases("r3_parse_cases.jsonl")
MR3 = [case for case in cases("mr3_parse_cases.jsonl") if case["fn"] == "extract_score"]
MR3 = [case for case in MR3 if case["input"]["reward_model"] == "r3"]


@each_case("case", R3)
def test_r3_cases(case):
    assert same(read_r3(case["input"]).raw, case["expected"])


@each_case("case", MR3)
def test_mr3_cases(case):
    assert same(read_mr3(case["input"]["text"]).raw, case["expected"])


def test_there_are_cases():
    assert (len(R3), len(MR3)) == (16, 13)


@each_case(
    "text, raw",
    [
        ('<think>so far score: 2, but</think>{"explanation": "x", "score": "5"}', 2),  # thoughts are read, too
        ('{"score": 4.7}', 4),
        ('{"score": "4.7"}', 4),
        ('{"score": 10}', 10),  # no range
        ('{"score": 0}', 0),
        ('{"score": "4/5"}', None),
        ('{"score": "-1"}', None),
        ('{"score": -1}', None),
        ('{"score": false}', "false"),
        ('{"score": "True"}', "True"),
        ("{'score': 'Response 1'}", None),
        ('{"score": Response 1 is better}', "Response 1"),
        ('{"score": "Response 2"}', "Response 2"),
        (r'{"score": \"4\"}', None),
        ('{"score": "5', None),
        ('underscore: "3"', 3),  # any text that ends in score
        ('"score"\n:\n"3"', 3),
        ("", None),
        ('{"score": ' + "9" * 5000 + "}", None),
    ],
)
def test_r3_reads_as_the_published_regex_does(text, raw):
    assert same(read_r3(text).raw, raw)


@each_case(
    "text, raw",
    [
        ('<think>score: 2</think>{"explanation": "x", "score": "5"}', "5"),  # thoughts apart
        ('<think>a</think>{"score": 1}</think>{"score": 2}', "1"),  # split at the first; no JSON, so the regex
        ('{"score": true}', True),
        ('{"score": 4.7}', 4.7),
        ('{"score": 9}', 9),
        ('{"score": NaN}', "NaN"),
        ('{"score": null}', None),
        ('{"score": 1, "score": 2}', 2),
        ('[{"score": 3}]', None),
        ('"score: 3"', None),
        ('```json\n{"score": "Assistant B"}\n```', "Assistant B"),
        ("{'explanation': 'x', 'score': 'Assistant A'}", "Assistant A"),
        ("score: Assistant A", "Assistant"),
        ("final_score: 3", "3"),
        ("score: 4.9}", "4"),
        ('Score: "A"', None),
        ('{"explanation": "it says score: "1"", "score": "2"}', "1"),
        ("score: inf", "inf"),
        ("score: ,", None),
        ("[" * 5000, None),
        ("", None),
    ],
)
def test_mr3_reads_as_the_published_code_does(text, raw):
    assert same(read_mr3(text).raw, raw)


def test_the_explanation_and_the_place_of_the_score_are_kept():
    text = '<think>score: 1</think>\n{"explanation": "no score: \\"9\\"", "score": "5"}'
    reading = read_mr3(text)
    assert (reading.explanation, text[reading.start :]) == ('no score: "9"', '5"}')
    assert read_r3(text).start == text.index("1")
