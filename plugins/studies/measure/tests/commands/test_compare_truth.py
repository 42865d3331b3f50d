"""`rewardlab compare --truth`: which of two rewards teaches more of what somebody wants, from the command line."""

import json
from random import Random

import pytest
from helpers.each_case import each_case


def scores(path, name, rows):
    """Write a file as `score` does: rows of (totals, truth), the truth as a component."""
    lines = []
    for number, (totals, truth) in enumerate(rows):
        entries = {
            part: {"value": list(values), "error": [None] * len(totals), "info": [{}] * len(totals)}
            for part, values in (("right", truth), ("own", totals))
        }
        lines.append({"id": f"r{number}", "total": list(totals), "shaped": list(totals), "components": entries})
    (path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def drawn(count, noise, seed, truths=None):
    """Return rows whose totals are the truth with noise."""
    draw, truth_draw = Random(f"{seed}/{noise}"), Random("truth")
    rows = []
    for number in range(count):
        truth = [float(truth_draw.random() < 0.5) for _ in range(4)] if truths is None else truths[number]
        rows.append(([value + draw.gauss(0, noise) for value in truth], truth))
    return rows


@pytest.fixture
def files(tmp_path):
    """a.jsonl, whose reward knows little of the truth, and b.jsonl, whose reward knows it well."""
    scores(tmp_path, "a.jsonl", drawn(200, 2.0, 1))
    scores(tmp_path, "b.jsonl", drawn(200, 0.2, 1))
    return tmp_path


@pytest.fixture
def compared(main):
    def run(*arguments):
        code, out, err = main("compare", *arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)["truth"]

    return run


@pytest.mark.slow
def test_the_reward_that_knows_more_teaches_more(files, compared, main):
    truth = compared("a.jsonl", "b.jsonl", "--truth", "right", "--detect", "0.02")
    assert truth["verdict"] == "B teaches more"
    gains, difference = truth["slices"]["all"]["gain"], truth["slices"]["all"]["difference"]
    assert gains["a"] < gains["b"] < gains["at_most"]
    assert 0 < difference["low"] < gains["b"] - gains["a"] < difference["high"]
    assert truth["power"]["0.8"]["prompts_needed"] < truth["power"]["0.9"]["prompts_needed"]
    assert (truth["rows"], truth["of"], truth["level"]) == (200, 200, 0.95)
    assert compared("b.jsonl", "a.jsonl", "--truth", "right")["verdict"] == "A teaches more"
    _, out, _ = main("compare", "a.jsonl", "b.jsonl", "--truth", "right", "--detect", "0.02")
    assert "B teaches more of right than A" in out
    assert "prompts to see 0.02: " in out


def test_without_a_truth_nothing_is_said_of_one(files, main):
    code, out, _ = main("compare", "a.jsonl", "b.jsonl", "--json")
    assert (code, json.loads(out)["truth"]) == (0, None)


def test_it_stops_once_it_is_decided(files, compared, main):
    truth = compared("a.jsonl", "b.jsonl", "--truth", "right", "--sequential", "-o", "groups.jsonl")
    assert truth["verdict"] == "B teaches more"
    assert truth["rows"] < 200
    assert truth["rows"] % 40 == 0
    groups = [json.loads(line) for line in (files / "groups.jsonl").read_text().splitlines()]
    assert len(groups) == truth["rows"]
    mean = sum(group["gain"]["b"] for group in groups) / len(groups)
    assert mean == pytest.approx(truth["slices"]["all"]["gain"]["b"])
    _, out, _ = main("compare", "a.jsonl", "b.jsonl", "--truth", "right", "--sequential")
    assert f"decided after {truth['rows']} of 200 rows" in out


def test_the_first_look_names_its_level(tmp_path, main):
    draw = Random("first")
    truths = [[0.0, draw.random(), 1.0] for _ in range(50)]
    scores(tmp_path, "a.jsonl", [([1.0, 0.5, 0.0], truth) for truth in truths])
    scores(tmp_path, "b.jsonl", [([0.0, 0.5, 1.0], truth) for truth in truths])
    _, out, _ = main("compare", "a.jsonl", "b.jsonl", "--truth", "right", "--sequential")
    assert "B teaches more of right than A (decided after 10 of 50 rows" in out
    assert "99.9995% interval" in out


def test_it_also_stops_because_no_difference_is_large(tmp_path, compared):
    scores(tmp_path, "a.jsonl", drawn(200, 0.2, 1))
    scores(tmp_path, "b.jsonl", drawn(200, 0.2, 2))
    truth = compared("a.jsonl", "b.jsonl", "--truth", "right", "--sequential", "--detect", "0.4")
    assert (truth["verdict"], truth["rows"] < 200) == ("no difference that large", True)


def test_a_file_that_does_not_decide_is_read_to_its_end(files, compared):
    truth = compared("a.jsonl", "a.jsonl", "--truth", "right", "--sequential")
    assert (truth["verdict"], truth["rows"]) == ("equal", 200)


def rows_file(path, columns, texts=2):
    lines = [
        {"id": f"r{number}", "prompt": f"question {number}", "completions": ["x"] * texts, **column}
        for number, column in enumerate(columns)
    ]
    (path / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_column_of_the_rows_is_a_truth_and_problems_count_as_one(tmp_path, compared):
    truths = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    scores(tmp_path, "a.jsonl", drawn(4, 1.0, 1, truths))
    scores(tmp_path, "b.jsonl", drawn(4, 0.1, 2, truths))
    columns = [{"gold": [bool(v) for v in t], "problem": f"p{n // 2}"} for n, t in enumerate(truths)]
    rows_file(tmp_path, [column | {"language": "sw"} for column in columns])
    truth = compared("a.jsonl", "b.jsonl", "rows.jsonl", "--truth", "gold", "--by", "language")
    whole = truth["slices"]["all"]
    assert (whole["groups"], whole["truth_differs"], whole["clusters"]) == (4, 3, 2)
    assert truth["slices"]["language sw"] == whole


def test_groups_of_one_are_left_out(tmp_path, compared):
    for name, seed in (("a.jsonl", 1), ("b.jsonl", 2)):
        scores(tmp_path, name, drawn(3, 0.5, seed, [[1.0], [1.0, 0.0], [0.0, 1.0, 1.0]]))
    whole = compared("a.jsonl", "b.jsonl", "--truth", "right")["slices"]["all"]
    assert (whole["groups"], whole["left_out"]) == (2, 1)


def test_a_component_that_never_differs_is_said_to_tell_nothing(tmp_path, compared):
    for name, seed in (("a.jsonl", 1), ("b.jsonl", 2)):
        scores(tmp_path, name, drawn(3, 0.5, seed, [[1.0, 1.0]] * 3))
    assert compared("a.jsonl", "b.jsonl", "--truth", "right")["verdict"] == "truth never differs"


def test_truths_that_are_not_known_are_counted_and_are_no_answer(tmp_path, compared, main):
    for name, seed in (("a.jsonl", 1), ("b.jsonl", 2)):
        truths = [[1.0, 0.0, None], [0.0, 1.0, None], [None, None, 1.0]]
        scores(tmp_path, name, [([0.1 * seed, 0.5, 0.3], truth) for truth in truths])
    truth = compared("a.jsonl", "b.jsonl", "--truth", "right")
    assert (truth["unknown"], truth["slices"]["all"]["left_out"]) == (4, 1)
    _, out, _ = main("compare", "a.jsonl", "b.jsonl", "--truth", "right")
    assert "4 completions without right count nowhere" in out
    for name in ("a.jsonl", "b.jsonl"):
        scores(tmp_path, name, [([0.1, 0.5], [None, None])] * 3)
    assert compared("a.jsonl", "b.jsonl", "--truth", "right")["verdict"] == "too few prompts"


def test_without_the_rows_it_says_that_each_prompt_counts_by_itself(tmp_path, main):
    for name, seed in (("a.jsonl", 1), ("b.jsonl", 2)):
        scores(tmp_path, name, drawn(4, 1.0, seed, [[0.0, 1.0, 1.0]] * 4))
    rows_file(tmp_path, [{"problem": "one"}] * 4, texts=3)
    note = "each prompt counts by itself; name the file of rows"
    _, alone, _ = main("compare", "a.jsonl", "b.jsonl", "--truth", "right")
    _, of_rows, _ = main("compare", "a.jsonl", "b.jsonl", "rows.jsonl", "--truth", "right")
    assert (note in alone, note in of_rows) == (True, False)
    assert "no answer: how much prompts differ takes two at the least, of different problems" in of_rows


@each_case(
    "arguments, message",
    [
        (["--detect", "0.1"], "--detect and --sequential need --truth NAME"),
        (["--sequential"], "--detect and --sequential need --truth NAME"),
        (["--truth", "right", "--detect", "0"], "is not a number from 1e-09 on"),
        (["--truth", "right", "--detect", "1e-200"], "is not a number from 1e-09 on"),
        (["--truth", "right", "--detect=-0.1"], "is not a number from 1e-09 on"),
        (["--truth", "right", "--detect", "nan"], "detect"),
        (["--truth", "gold"], "no such component; A has right, own; B has right, own; a column of the rows needs"),
        (["--truth", "b:gold"], "no such component; B has right, own"),
    ],
)
def test_bad_questions(files, main, arguments, message):
    code, out, err = main("compare", "a.jsonl", "b.jsonl", *arguments)
    assert (code, out) == (2, "")
    assert message in err


@each_case(
    "column, message",
    [
        ({}, "has no column 'gold', the truth; neither A nor B has a component of this name"),
        (
            {"gold": [1]},
            "gold: the truth must be a list with a number (or true, false, null) for each of 2 completions",
        ),
        ({"gold": ["a", "b"]}, "gold: the truth must be a list"),
        ({"gold": 1}, "gold: the truth must be a list"),
        ({"gold": [0, 10**400]}, "gold: the truth must be a list"),
        ({"gold": [1, 1]}, "--truth gold: in no row do two completions differ in it, so no reward can teach it"),
    ],
)
def test_bad_columns(tmp_path, main, column, message):
    for name in ("a.jsonl", "b.jsonl"):
        scores(tmp_path, name, drawn(2, 0.5, 1, [[0.0, 1.0]] * 2))
    rows_file(tmp_path, [column] * 2)
    code, out, err = main("compare", "a.jsonl", "b.jsonl", "rows.jsonl", "--truth", "gold")
    assert (code, out) == (2, "")
    assert message in err


def test_two_truths_of_one_name_must_be_told_apart(tmp_path, main, compared):
    scores(tmp_path, "a.jsonl", drawn(2, 0.5, 1, [[0.0, 1.0], [1.0, 0.0]]))
    scores(tmp_path, "b.jsonl", drawn(2, 0.5, 1, [[0.0, 1.0], [0.0, 1.0]]))
    code, _, err = main("compare", "a.jsonl", "b.jsonl", "--truth", "right")
    assert code == 1
    assert "row 'r1': A and B give another right, which is the truth; say whose it is: --truth a:right" in err
    assert compared("a.jsonl", "b.jsonl", "--truth", "b:right")["name"] == "b:right"
