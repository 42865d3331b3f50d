"""`rewardlab compare`: two rewards and rows in, what they would teach differently out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.each_case import each_case

SCRIPTED = r"""
from rewardlab import Ask, Config, JudgeSpec, Reply, RewardSpec, Score, hookimpl

class Judge(Config):
    name: str = "one"
    down: str = "DOWN"

class Asks(Config):
    judge: str

class Column(Config):
    column: str = "a"
    absent: str = "fail"

class Answers:
    "grows with the length of the text; a file counts what it is asked"
    def __init__(self, options): self.options = options
    async def ask(self, ask):
        text = ask.messages[0]["content"]
        with open("asked.txt", "a") as file: file.write(f"{self.options.name} {text!r}\n")
        if self.options.down in text:
            return Reply(error="it is down")
        return Reply(text=str(len(text)), prompt_tokens=7, completion_tokens=3)

class Grade:
    def __init__(self, judge): self.judge = judge
    async def score(self, stream):
        texts = [c.text for c in (await stream.group()).completions]
        replies = [await self.judge.ask(Ask(messages=({"role": "user", "content": text},))) for text in texts]
        return [Score(error=r.error) if r.error else Score(value=min(1, int(r.text) / 100)) for r in replies]

class FromRow:
    "what the row says, in the column of its name: a number each, null where it goes wrong"
    def __init__(self, options): self.options = options
    async def score(self, stream):
        values = stream.sample.fields[self.options.column]
        none = Score(error="no such text") if self.options.absent == "fail" else Score(info={"reason": "not for me"})
        return [none if value is None else Score(value=value) for value in values]

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="grade", summary="length", config=Asks, judges=("judge",), runs="async", scope="group",
                       build=lambda o, c: Grade(c.judges[o.judge])),
            RewardSpec(name="row", summary="of the row", config=Column, requires=lambda o: (o.column,), scope="group",
                       range=(-100, 100), runs="async", build=lambda o, c: FromRow(o),
                       abstains=lambda o, s: "not today" if s.fields.get("silent") else None)]

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name=name, summary="answers", config=Judge, most_tokens=lambda o: 3, local=name == "near",
                      build=lambda o, c: Answers(o)) for name in ("far", "near")]
"""


@pytest.fixture(autouse=True)
def scripted(offer):
    offer("scripted", SCRIPTED)


@pytest.fixture
def recipe(write):
    """Write a recipe of components: `recipe("a.yaml", "2 * x", x={...})`."""

    def file(name, total=None, judges=None, normalize=(), more=None, **components):
        reward = {"components": components, "total": total or " + ".join(components), "normalize": list(normalize)}
        return write(name, json.dumps({"version": 1, "judges": judges or {}, "reward": reward} | (more or {})))

    return file


@pytest.fixture
def of_rows(recipe, write):
    """a.yaml and b.yaml, which give what the rows' columns `a` and `b` say; `of_rows([([1, 2], [2, 1])])` the rows."""

    def files(groups, **more):
        recipe("a.yaml", x={"use": "scripted/row"} | more)
        recipe("b.yaml", x={"use": "scripted/row", "with": {"column": "b"}} | more)
        write("rows.jsonl", [row(number, a, b) for number, (a, b) in enumerate(groups)])

    return files


@pytest.fixture
def compare(main):
    """`compare()` compares a.yaml and b.yaml on rows.jsonl: what --json prints."""

    def run(*arguments, files=("a.yaml", "b.yaml", "rows.jsonl")):
        code, out, err = main("compare", *files, *arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def row(number, a, b, **columns):
    texts = [f"text {index} of {number}" for index in range(len(a))]
    return {"id": f"r{number}", "prompt": f"question {number}", "completions": texts, "a": a, "b": b} | columns


def grading(**settings):
    return {
        "judges": {"main": {"use": "scripted/far"} | settings},
        "g": {"use": "scripted/grade", "with": {"judge": "main"}},
    }


def asked(tmp_path):
    return (tmp_path / "asked.txt").read_text().splitlines()


# --- what is found ---


def test_what_two_recipes_would_teach_differently(of_rows, compare):
    of_rows(
        [([1, 2, 3], [2, 4, 6]), ([1, 2, 3], [3, 2, 1]), ([1, 1, 1], [1, 2, 3]), ([5, 5, 5], [2, 2, 2]), ([1], [2])]
    )
    whole = compare()["slices"]["all"]
    assert whole["groups"] == 5
    assert whole["completions"] == 13
    assert whole["left_out"] == {"one completion": 1}
    assert whole["zero_variance"] == {"a": 1, "b": 0, "both": 1}
    assert whole["correlated"] == 2
    assert whole["pearson"] == {"mean": 0.0, "p5": -0.9, "p25": -0.5, "p50": 0.0, "p75": 0.5, "p95": pytest.approx(0.9)}
    assert whole["flips"] == {"completions": 2, "of": 6, "share": pytest.approx(1 / 3)}
    assert whole["best_changes"] == {"groups": 1, "of": 2, "share": 0.5}
    # standard deviations of 1, 2, 3: sqrt(2/3) = s. A: s s 0 0; B: 2s s s 0
    assert whole["std"]["ratio"] == pytest.approx(2)


def test_a_recipe_is_wholly_like_itself(of_rows, compare):
    of_rows([([0.1, 0.7, 0.3], [0, 0, 0]), ([3, 1, 2], [0, 0, 0])])
    found = compare(files=("a.yaml", "a.yaml", "rows.jsonl"))
    assert found["slices"]["all"]["pearson"]["p5"] == 1.0
    assert found["slices"]["all"]["flips"]["completions"] == 0
    assert found["most_different"] == []


def test_one_recipe_under_another_option_of_one_side(of_rows, compare):
    of_rows([([1, 2, 3], [3, 1, 2])])
    found = compare(
        "b:reward.components.x.with.column=b", "b:reward.total=-x", files=("a.yaml", "a.yaml", "rows.jsonl")
    )
    assert (found["a"]["total"], found["b"]["total"]) == ("x", "-x")
    assert found["b"]["overrides"] == ["reward.components.x.with.column=b", "reward.total=-x"]
    assert found["slices"]["all"]["pearson"]["mean"] == pytest.approx(0.5)
    both = compare("reward.total=-x", files=("a.yaml", "a.yaml", "rows.jsonl"))
    assert (both["a"]["total"], both["b"]["total"]) == ("-x", "-x")


def test_an_outcome_that_fails_beside_the_total_ends_no_comparison(toy, recipe, write, compare):
    """Nobody trains on what is compared, so that nothing is decided."""
    outcome = {"use": "toy/faulty", "with": {"how": "fail"}}
    for name in ("a.yaml", "b.yaml"):
        file = recipe(name, "x", x={"use": "scripted/row"}, y=outcome)
        text = json.loads(file.read_text())
        text["reward"]["teach"] = {"flat": "drop", "by": "y"}
        file.write_text(json.dumps(text))
    write("rows.jsonl", [{**row(0, [1, 2], [2, 1]), "completions": ["BAD", "good"]}])
    assert compare()["slices"]["all"]["groups"] == 1


def test_each_recipe_reads_the_rows_in_its_own_way(of_rows, compare):
    of_rows([([1, 2, 3], [3, 2, 1])])
    renamed = "b:dataset={use: data/jsonl, with: {path: rows.jsonl}, fields: {a: b}}"
    (case,) = compare(renamed, files=("a.yaml", "a.yaml", "rows.jsonl"))["most_different"]
    assert (case["a"]["total"], case["b"]["total"]) == ([1, 2, 3], [3, 2, 1])


def test_shaped_rewards_are_compared_and_not_totals(of_rows, compare):
    of_rows([([1, 2, 6], [1, 2, 6])])
    found = compare("b:reward.normalize=[normalize/std]")
    assert found["slices"]["all"]["pearson"]["mean"] == pytest.approx(1.0)
    assert found["slices"]["all"]["std"]["b"] == pytest.approx(1.0, abs=1e-5)


def test_no_question_is_asked_once_a_truth_is_decided(recipe, write, compare, tmp_path):
    """Longer texts are better to the judge, and right; the row's column says the opposite."""
    recipe("a.yaml", **{"x": {"use": "scripted/row"}})
    recipe("b.yaml", judges=(graded := grading())["judges"], g=graded["g"])
    texts = [["long " * (2 + number), "short"] for number in range(50)]
    rows = [row(n, [0, 1], [0, 0], gold=[True, False]) | {"completions": pair} for n, pair in enumerate(texts)]
    write("rows.jsonl", rows)
    truth = compare("--truth", "gold", "--sequential")["truth"]
    assert (truth["verdict"], truth["rows"], truth["of"]) == ("B teaches more", 10, 50)
    assert len({line for line in asked(tmp_path) if "long" in line}) == 10


def test_a_component_beside_the_total_is_a_truth(recipe, write, compare):
    gold = {"use": "scripted/row", "with": {"column": "gold"}}
    recipe("a.yaml", "x", x={"use": "scripted/row"}, right=gold)
    recipe("b.yaml", x={"use": "scripted/row", "with": {"column": "b"}})
    write("rows.jsonl", [row(n, [0, 1, 2], [2, 1, 0], gold=[0, None, 2]) for n in range(5)])
    truth = compare("--truth", "right")["truth"]
    gain = truth["slices"]["all"]["gain"]
    assert (truth["verdict"], gain) == ("A teaches more", {"a": 1.0, "b": -1.0, "at_most": 1.0})


def test_by_a_field_each_value_has_a_line(of_rows, write, compare):
    of_rows([])
    rows = [row(1, [1, 2], [1, 2], language="de"), row(2, [1, 2], [2, 1], language="en"), row(3, [1, 2], [2, 1])]
    write("rows.jsonl", rows)
    slices = compare("--by", "language")["slices"]
    assert {name: tally["pearson"]["mean"] for name, tally in slices.items()} == {
        "all": pytest.approx(-1 / 3),
        "language de": 1.0,
        "language en": -1.0,
    }
    write("rows.jsonl", [rows[2] | {"topic": "z"}, rows[1], rows[0] | {"topic": "y"}])
    in_order = ["all", "language de", "language en", "topic y", "topic z"]
    assert list(compare("--by", "language", "--by", "topic")["slices"]) == in_order


def test_a_value_of_a_field_is_one_short_label(of_rows, write, main):
    of_rows([])
    write("rows.jsonl", [row(1, [1, 2], [1, 2], topic="first\n\x1b[31m" + "very " * 40 + "long")])
    _, out, _ = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "--by", "topic")
    [label] = [line[:40] for line in out.splitlines() if line.startswith("topic")]
    assert label == "topic first \N{REPLACEMENT CHARACTER}[31mve...ery very very long"


def test_a_field_that_no_row_has_is_told(of_rows, main):
    of_rows([([1, 2], [2, 1])])
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "--by", "languge")
    assert (code, err) == (0, "warning: --by languge: no row has this field\n")


def test_rows_are_taken_evenly_over_the_file(of_rows, compare, tmp_path):
    of_rows([([1, 2], [1, 2])] * 10)
    assert compare("--limit", "4", "-o", "out.jsonl")["slices"]["all"]["groups"] == 4
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == ["r0", "r3", "r5", "r8"]


def test_each_group_has_a_line_in_the_output(of_rows, compare, tmp_path):
    of_rows([([1, 2], [2, 1]), ([1, 1], [1, 2])])
    compare("-o", "out.jsonl")
    first, second = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert first == {
        "id": "r0",
        "completions": 2,
        "compared": 2,
        "left_out": None,
        "pearson": -1.0,
        "spearman": -1.0,
        "distance": 2.0,
        "flips": 2,
        "best_changes": True,
        "zero_variance": None,
        "std": {"a": 0.5, "b": 0.5},
    }
    assert (second["zero_variance"], second["pearson"], second["distance"]) == ("a", None, 1.0)
    assert second["std"] == {"a": 0.0, "b": 0.5}


def test_an_output_that_another_process_makes_meanwhile_is_left_alone(of_rows, main, write, monkeypatch):
    """Two that are started at the same time both see no file at first."""
    of_rows([([1, 2], [2, 1])])
    write("out.jsonl", "theirs\n")
    monkeypatch.setattr("rewardlab_measure.compare.job.refuse_output", lambda path: None)
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert (code, err.splitlines()[-1]) == (2, "error: out.jsonl: exists already; give -o another name")
    assert Path("out.jsonl").read_text() == "theirs\n"


def test_an_output_that_exists_is_left_alone(of_rows, main, write):
    of_rows([([1, 2], [2, 1])])
    write("out.jsonl", "mine\n")
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert (code, err) == (2, "error: out.jsonl: exists already; give -o another name\n")


# --- the groups that differ most ---


def test_the_ten_that_differ_most_the_furthest_apart_first(of_rows, compare):
    alike, turned = ([1, 2, 3, 4], [1, 2, 3, 4]), ([1, 2], [2, 1])
    of_rows([alike, *[turned] * 9, ([1, 2, 3], [3, 2, 1]), ([1, 2], [3, 3]), turned])
    found = compare()["most_different"]
    assert [case["id"] for case in found] == ["r10", *(f"r{number}" for number in range(1, 10))]
    assert [case["distance"] for case in found] == pytest.approx([2.0] * 10)
    assert found[0]["texts"] == ["text 0 of 10", "text 1 of 10", "text 2 of 10"]
    assert found[0]["flipped"] == [0, 2]
    assert found[0]["a"]["total"] == [1, 2, 3]
    assert found[0]["b"]["components"]["x"]["value"] == [3, 2, 1]
    assert found[0]["prompt"] == [{"role": "user", "content": "question 10"}]


def test_a_group_is_shown_side_by_side_within_the_width_of_a_terminal(of_rows, recipe, main, write):
    names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    recipe("a.yaml", **{name: {"use": "scripted/row"} for name in names})
    recipe("b.yaml", alpha={"use": "scripted/row"}, beta={"use": "scripted/row", "with": {"column": "b"}})
    text = "first line\n\x1b[31mred " + "very " * 60 + "long 中文" * 30 + " \\boxed{7}"
    write("rows.jsonl", [row(1, [1, 2], [9, 1]) | {"completions": [text, "short"]}])
    code, out, _ = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert code == 0
    shown = out[out.index("1. 'r1'") :]
    assert "\x1b" not in shown
    assert "\\boxed{7}" in shown
    assert "first line" in shown
    titles = [line.split() for line in shown.splitlines() if line.strip().startswith("#")]
    titles = " ".join(word for line in titles for word in line if word != "#")
    assert titles.startswith("flip A total B total A shaped B shaped alpha A beta B beta A gamma")
    assert titles.endswith("A theta text")
    assert max(map(len, shown.splitlines())) <= 110


def test_a_terminal_with_fewer_columns_is_kept_within(of_rows, main, write, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    of_rows([])
    write("rows.jsonl", [row(1, [1, 2], [9, 1]) | {"prompt": "why " * 60, "completions": ["so " * 60, "short"]}])
    _, out, _ = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    shown = out[out.index("1. 'r1'") :].splitlines()
    assert shown[:2] == ["1. 'r1' (rows.jsonl:1):", "   pearson -1.000, spearman -1.000, distance 2.000, 2 of 2 flip"]
    assert 76 < max(map(len, shown)) <= 80


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ([([1, 2], [2, 1])] * 2 + [([1, 2], [1, 2])], "2 of 3 groups differ by more than rounding"),
        ([([1, 2], [2, 1])] * 11, "the 10 of 11 groups that differ most"),
        ([([1, 2], [1, 2])], "no group differs by more than rounding"),
        ([([1], [2])], "nothing is compared: no group has two completions with a total on both sides"),
    ],
)
def test_how_many_groups_differ_is_told(of_rows, main, groups, told):
    of_rows(groups)
    assert told in main("compare", "a.yaml", "b.yaml", "rows.jsonl")[1].splitlines()


def test_the_table_has_the_measures_and_below_it_what_was_left_out(of_rows, main):
    policies = {"on_missing": "zero_advantage", "max_missing": 1}
    last = ([1, 2, 3, 3], [None, 4, None, 9])
    of_rows([([1, 2, 3], [2, 7, 4]), ([1, 1], [1, 2]), ([1, None], [1, 2]), last], **policies)
    _, out, _ = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "b:reward.total=2*x")
    assert out.splitlines()[:9] == [
        "A  a.yaml  (total: x)",
        "B  b.yaml reward.total=2*x  (total: 2*x)",
        "",
        "     groups  compared  pearson  spearman  flips  best changes   zero variance  std B/A",
        "all       4         2    0.699     0.750  20.0%         50.0%  A 1 B 0 both 0    7.679",
        "pearson: p5 0.427, p25 0.548, p50 0.699, p75 0.849, p95 0.970",
        "spearman: p5 0.525, p25 0.625, p50 0.750, p75 0.875, p95 0.975",
        "1 group left out: missing totals",
        "completions without a total, which are not compared: A 1, B 2",
    ]


def test_where_nothing_correlates_there_are_no_quantiles(of_rows, main):
    of_rows([([1, 1], [1, 2])])
    _, out, _ = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert "all       1         0        -         -      -             -  A 1 B 0 both 0        -" in out
    assert "pearson: p5" not in out


def test_the_cost_of_each_side_is_told_and_what_was_paid_for_both(recipe, write, main):
    """B gives no price: that is another judge."""
    for name, settings in (("a.yaml", {"price": {"prompt": 1000, "completion": 2000}}), ("b.yaml", {})):
        asking = grading(**settings)
        asking["g"] |= {"on_missing": 0.0, "max_missing": 0.9}
        recipe(name, **asking)
    write("rows.jsonl", [row(1, [0, 0], [0, 0]), row(2, [0, 0], [0, 0]) | {"completions": ["DOWN", "up"]}])
    _, out, _ = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    told = [line for line in out.splitlines() if line.startswith(("cost", "paid"))]
    assert [line.rpartition(";")[0] or line for line in told] == [
        "cost of A: main 4 questions, 30 tokens, $0.0390, 1 without an answer",
        "cost of B: main 4 questions, 30 tokens, 1 without an answer",
        "paid for both, judge A main: 4 calls, 30 tokens, $0.0390, 1 question without an answer",
        "paid for both, judge B main: 4 calls, 30 tokens, 1 question without an answer",
    ]
    _, out, _ = main("compare", "a.yaml", "a.yaml", "rows.jsonl", "b:reward.total=1-g")
    assert "cost of B: main 4 questions, 30 tokens, $0.0390, 1 without an answer; " in out


# --- what is missing ---


def test_completions_without_a_total_are_left_out_and_counted(of_rows, compare):
    policies = {"on_missing": "zero_advantage", "max_missing": 1}
    of_rows([([1, None, 3], [2, 9, 1]), ([1, None], [1, 2])], **policies)
    found = compare()
    whole = found["slices"]["all"]
    assert whole["without_total"] == {"a": 2, "b": 0}
    assert whole["left_out"] == {"missing totals": 1}
    assert whole["pearson"]["mean"] == -1.0
    # A: -1 and 1; B's mean is 4, over all three: -2 and -3
    assert whole["flips"] == {"completions": 1, "of": 2, "share": 0.5}
    (case,) = found["most_different"]
    assert case["a"]["components"]["x"]["error"] == [None, "no such text", None]


def test_a_failure_ends_it_where_the_recipe_says_so(of_rows, main):
    of_rows([([1, 2], [1, 2]), ([1, 2], [1, None])])
    code, out, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "--limit", "9")
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "error: B: component 'x' (scripted/row) failed on sample 'r1' (rows.jsonl:2), completion 1: no such text",
        "error: 1 of 2 groups were compared",
    ]


def test_an_output_that_was_begun_is_named(of_rows, main, tmp_path):
    of_rows([([1, 2], [1, 2]), ([1, 2], [1, None])])
    _, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert err.splitlines()[1:] == [
        "error: 1 of 2 groups were compared",
        "error: their measures are in out.jsonl; give -o another name to start again",
    ]
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 1


def test_too_many_failures_end_it(of_rows, main):
    of_rows([([1, 2], [None, None])], on_missing=0)
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert code == 1
    assert "component 'x' (scripted/row) has no value for any of 2 completions" in err
    of_rows([([1] * 65, [None] * 40 + [1] * 25)], on_missing=0)
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert code == 1
    assert "error: B: component 'x' (scripted/row) has no value for 40 of the last 65 completions" in err


# --- rows and arguments that are wrong ---


def test_rows_are_checked_for_both_before_anything_is_asked(recipe, write, main, tmp_path):
    recipe("a.yaml", **grading())
    recipe("b.yaml", x={"use": "scripted/row", "with": {"column": "b"}})
    good = row(1, [1, 2], [1, 2])
    write("rows.jsonl", [good, {"id": 2, "prompt": "?", "completions": ["x"]}, {"id": 3, "completions": []}, good])
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert code == 2
    first, second, third, last = err.splitlines()
    assert first.startswith("error: rows.jsonl:2: field 'b' is needed by x (scripted/row), but the row has none")
    assert second.startswith("error: rows.jsonl:3: no prompt: ")
    assert third == "error: rows.jsonl:4: the id 'r1' is already used by rows.jsonl:1"
    assert last == "error: rows.jsonl: 3 bad rows; fix them, or leave them out with --skip-bad"
    assert not (tmp_path / "asked.txt").exists()
    code, out, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "--skip-bad", "--json")
    assert code == 0
    assert json.loads(out)["slices"]["all"]["groups"] == 1
    assert err.splitlines()[-1] == "warning: rows.jsonl: 3 bad rows left out"
    write("rows.jsonl", [{"id": 2, "prompt": "?", "completions": ["x"]}])
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "--skip-bad")
    assert (code, err.splitlines()[-1]) == (2, "error: rows.jsonl: no row is left to compare")


def test_what_is_wrong_for_one_side_says_for_which(of_rows, write, main):
    of_rows([])
    write("rows.jsonl", [{"id": 1, "prompt": "?", "completions": ["x"]}])
    _, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    for_a, for_b = err.splitlines()[0].split(" (A); ")
    assert for_a.startswith("error: rows.jsonl:1: field 'a' is needed by x (scripted/row)")
    assert for_b.startswith("field 'b' is needed by x (scripted/row)")
    assert for_b.endswith(" (B)")


def test_rows_are_read_twice_and_must_be_a_file(of_rows, main):
    of_rows([])
    told = (2, "", "error: /dev/null: rows are read twice, so they must be a regular file\n")
    assert main("compare", "a.yaml", "b.yaml", "/dev/null") == told


def test_a_row_that_a_component_will_abstain_on_is_bad_and_says_what_to_do(of_rows, write, main):
    of_rows([])
    write("rows.jsonl", [row(1, [1, 2], [2, 1], silent=True), row(2, [1, 2], [2, 1])])
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert code == 2
    assert "rows.jsonl:1: x (scripted/row) will abstain: not today" in err
    assert "a.yaml:1: reward.components.x: will abstain on 1 row: not today (1); set on_abstain to a number" in err
    assert "b.yaml:1: reward.components.x: will abstain" in err


def test_columns_that_the_recipes_read_otherwise_must_not_be_other_completions(of_rows, write, main):
    of_rows([])
    write("rows.jsonl", [row(1, [1, 2], [2, 1], others=["x", "y"])])
    dataset = "b:dataset={use: data/jsonl, with: {path: rows.jsonl}, fields: {completions: others}}"
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", dataset)
    assert code == 2
    told = "rows.jsonl:1: A reads its completions from the column 'completions', B from 'others', as their"
    assert (
        f"{told} `dataset: fields:` say; let both read the same one, such as b:dataset.fields.completions=completions"
        in err
    )


def test_columns_that_the_recipes_read_otherwise_must_not_be_another_row(of_rows, write, main):
    of_rows([])
    write("rows.jsonl", [row(1, [1, 2], [2, 1], other="else")])
    dataset = "b:dataset={{use: data/jsonl, with: {{path: rows.jsonl}}, fields: {{{}: other}}}}"
    _, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", dataset.format("id"))
    assert "rows.jsonl:1: A reads its id from the column 'id', B from 'other', as" in err
    assert "such as b:dataset.fields.id=id" in err
    assert main("compare", "a.yaml", "b.yaml", "rows.jsonl", dataset.format("prompt"))[0] == 0
    write("rows.jsonl", [{key: value for key, value in row(1, [1, 2], [2, 1], other="else").items() if key != "id"}])
    _, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", dataset.format("prompt"))
    assert "rows.jsonl:1: A and B read another prompt in it, so it needs an id" in err


def test_mistakes_in_both_recipes_are_told_at_once(of_rows, main):
    of_rows([([1, 2], [2, 1])])
    code, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl", "a:reward.total=z", "b:reward.totl=x")
    assert code == 2
    assert "override 'reward.total=z': reward.total: no component 'z'" in err
    assert "reward.totl" in err


def test_of_one_recipe_under_two_options_it_says_whose_mistake_it_is(of_rows, main):
    of_rows([([1, 2], [2, 1])])
    code, _, err = main("compare", "a.yaml", "a.yaml", "rows.jsonl", "b:reward.total=z", "reward.totl=x")
    assert code == 2
    assert [line.partition(": reward")[0] for line in err.splitlines()] == [
        "error: override 'reward.totl=x'",
        "error: B: override 'reward.total=z'",
    ]


IDLE = "scored before; leave the override out"


@each_case(
    "arguments, told",
    [
        (["a.yaml", "k=1"], "A and B and [ROWS.jsonl] are needed, in this order; found a.yaml"),
        (["a.yaml", "s.jsonl"], "rows are needed to score by a.yaml; name a file of them after A and B"),
        (
            ["a.yaml", "b.yaml", "r.jsonl", "B:seed=1"],
            "override 'B:seed=1': an override of one side begins with a: or b:; did you mean b:seed=1?",
        ),
        (
            ["a.yaml", "b.yaml", "r.jsonl", "c:seed=1"],
            "override 'c:seed=1': an override of one side begins with a: or b:",
        ),
        (["s.jsonl", "s.jsonl", "seed=1"], f"override 'seed=1': for A (s.jsonl) and B (s.jsonl), {IDLE}"),
        (["s.jsonl", "a.yaml", "r.jsonl", "a:seed=1"], f"override 'a:seed=1': for A (s.jsonl), {IDLE}"),
    ],
)
def test_files_and_overrides_that_do_not_fit_are_told(main, arguments, told):
    assert main("compare", *arguments) == (2, "", f"error: {told}\n")


# --- scored files ---


@pytest.fixture
def scores(of_rows, main):
    """a.jsonl and b.jsonl: what `score` writes for rows.jsonl."""
    of_rows([([1, 2, 3], [3, 1, 2]), ([1, 2], [1, 2])])
    for name in "ab":
        assert main("score", f"{name}.yaml", "rows.jsonl", "-o", f"{name}.jsonl")[0] == 0


@pytest.mark.parametrize(
    "files",
    [
        ("a.jsonl", "b.yaml", "rows.jsonl"),
        ("a.yaml", "b.jsonl", "rows.jsonl"),
        ("a.jsonl", "b.jsonl", "rows.jsonl"),
    ],
)
def test_a_scored_file_stands_for_its_recipe(scores, compare, files):
    recipes, found = compare(), compare(files=files)
    assert found["slices"] == recipes["slices"]
    assert found["most_different"] == recipes["most_different"]
    for letter, file in zip("ab", files, strict=False):
        assert (found[letter]["cost"] is None) == file.endswith(".jsonl")


def test_two_scored_files_need_no_rows(scores, compare, write, main, tmp_path):
    lines = (tmp_path / "b.jsonl").read_text().splitlines(keepends=True)
    write("b.jsonl", "".join(lines[::-1]))  # found by id, wherever they stand
    found = compare(files=("a.jsonl", "b.jsonl"))
    assert found["slices"] == compare()["slices"]
    (case,) = found["most_different"]
    assert (case["id"], case["texts"], case["source"]) == ("r0", [], "a.jsonl:1")
    _, out, _ = main("compare", "a.jsonl", "b.jsonl")
    assert out.splitlines()[:2] == ["A  a.jsonl  (scored before: x)", "B  b.jsonl  (scored before: x)"]


def test_an_override_of_both_is_for_the_side_that_is_scored_now(scores, compare):
    found = compare("reward.total=-x", files=("a.jsonl", "b.yaml", "rows.jsonl"))
    assert (found["a"]["overrides"], found["b"]["total"]) == ([], "-x")


def test_of_two_scored_files_as_many_rows_are_compared_as_are_asked_for(scores, compare, main):
    assert compare("--limit", "1", files=("a.jsonl", "b.jsonl"))["slices"]["all"]["groups"] == 1
    assert compare("--limit", "9", files=("a.jsonl", "b.jsonl"))["slices"]["all"]["groups"] == 2
    told = "error: --by splits by a field of the rows; name the file of rows after A and B\n"
    assert main("compare", "a.jsonl", "b.jsonl", "--by", "language") == (2, "", told)


def test_numbers_stay_numbers_where_a_recipe_scores(of_rows, write, compare):
    of_rows([])
    write("rows.jsonl", [row(1, [1, 2], [2, 1]) | {"id": 7}])
    assert compare()["most_different"][0]["id"] == 7


def test_ids_stay_what_they_are(write, compare, tmp_path):
    for name, values in (("a.jsonl", [1, 2]), ("b.jsonl", [2, 1])):
        write(name, [{"id": 7, "total": values, "shaped": values, "components": {}}])
    found = compare("-o", "out.jsonl", files=("a.jsonl", "b.jsonl"))
    assert found["most_different"][0]["id"] == 7
    assert json.loads((tmp_path / "out.jsonl").read_text())["id"] == 7


def test_scores_of_other_rows_are_refused_with_the_first_mismatches(scores, write, main, tmp_path):
    first, _ = (tmp_path / "b.jsonl").read_text().splitlines()
    write("b.jsonl", first.replace('"r0"', '"other"') + "\n" + first.replace('"r0"', '"r1"') + "\n")
    assert main("compare", "a.jsonl", "b.jsonl")[2].splitlines() == [
        "error: a.jsonl:2: has scores for 2 completions, b.jsonl:2 for 3",
        "error: a.jsonl:1: b.jsonl has no row with the id 'r0'",
        "error: b.jsonl:1: a.jsonl has no row with the id 'other'",
        "error: a.jsonl and b.jsonl: 3 bad rows; fix them, or leave them out with --skip-bad",
    ]
    code, _, err = main("compare", "a.yaml", "b.jsonl", "rows.jsonl")
    assert code == 2
    assert err.splitlines()[:2] == [
        "error: rows.jsonl:1: b.jsonl has no scores for the id 'r0'",
        "error: rows.jsonl:2: has 2 completions, b.jsonl:2 has scores for 3",
    ]


def test_scores_of_more_rows_than_there_are_are_refused(scores, write, main):
    write("rows.jsonl", [row(0, [1, 2, 3], [3, 1, 2])])
    code, _, err = main("compare", "a.yaml", "b.jsonl", "rows.jsonl")
    assert code == 2
    assert err.startswith("error: b.jsonl:2: rows.jsonl has no row with the id 'r1'\n")
    assert main("compare", "a.yaml", "b.jsonl", "rows.jsonl", "--skip-bad")[0] == 0
    write("rows.jsonl", [row(0, [1, 2, 3], [3, 1, 2]), {"id": "r1", "prompt": "?"}])  # which may be why
    bad, last = main("compare", "a.yaml", "b.jsonl", "rows.jsonl")[2].splitlines()
    assert bad.startswith("error: rows.jsonl:2: no completions")
    assert last.startswith("error: rows.jsonl: 1 bad row")


def test_a_file_that_score_did_not_write_is_refused(of_rows, write, main):
    of_rows([([1, 2], [2, 1])])
    write("a.jsonl", [{"id": 1, "total": [1, 2], "shaped": [1], "components": {}}])
    code, _, err = main("compare", "rows.jsonl", "a.jsonl")
    assert code == 2
    assert err.splitlines() == [
        "error: rows.jsonl:1: this is not a line that `rewardlab score` wrote: total must be a list, not null",
        "error: rows.jsonl: 1 bad row; name a file that `rewardlab score` wrote to its end",
        "error: a.jsonl:1: this is not a line that `rewardlab score` wrote: shaped has 1 entries for 2 totals",
        "error: a.jsonl: 1 bad row; name a file that `rewardlab score` wrote to its end",
    ]


# --- judges ---


def test_a_question_that_both_ask_is_paid_once(recipe, write, compare, tmp_path):
    price = {"price": {"prompt": 1000, "completion": 2000}}
    recipe("a.yaml", **grading(**price))
    twice = grading(**price)
    twice["judges"] = {"other": twice["judges"]["main"]}  # named otherwise
    twice["g"]["with"]["judge"] = "other"
    recipe("b.yaml", "1 - g", **twice)
    write("rows.jsonl", [row(number, [0, 0], [0, 0]) for number in range(20)])
    found = compare()
    assert len(asked(tmp_path)) == 40
    cost = {"questions": 40, "unanswered": 0, "tokens": 400, "usd": pytest.approx(40 * (7 * 1e-3 + 3 * 2e-3))}
    assert found["a"]["cost"]["judges"] == {"main": cost}
    assert found["b"]["cost"]["judges"] == {"other": cost}
    assert min(found[letter]["cost"]["measured_seconds"] for letter in "ab") > 0
    ((name, paid),) = found["paid"].items()
    assert name == "A main = B other"
    assert (paid["calls"], paid["reused"], paid["prompt_tokens"] + paid["completion_tokens"]) == (40, 40, 400)


def test_rows_far_apart_share_no_answers_but_by_a_cassette(recipe, write, compare, tmp_path, monkeypatch):
    monkeypatch.setattr("rewardlab.scoring.row_window.MAX_ROWS", 2)
    recipe("a.yaml", **grading())
    alike = {"completions": ["the same", "texts"]}
    write("rows.jsonl", [row(number, [0, 0], [0, 0]) | (alike if number in (0, 19) else {}) for number in range(20)])
    files = ("a.yaml", "a.yaml", "rows.jsonl")
    compare(files=files)
    assert len(asked(tmp_path)) == 40
    (tmp_path / "asked.txt").unlink()
    compare("judges.main.cassette.path=tape.jsonl", files=files)
    assert len(asked(tmp_path)) == 38


def test_judges_that_are_set_otherwise_ask_for_themselves_and_that_is_told(recipe, write, main, tmp_path):
    recipe("a.yaml", **grading())
    write("rows.jsonl", [row(1, [0, 0], [0, 0])])
    code, _, err = main("compare", "a.yaml", "a.yaml", "rows.jsonl", "b:judges.main.concurrency=7")
    assert code == 0
    assert err == (
        "note: judge 'main' of B is 'main' of A but for concurrency; each asks for itself, "
        "and what both ask is paid twice\n"
    )
    assert len(asked(tmp_path)) == 4


def test_a_judge_that_is_not_asked_costs_nothing_and_is_not_told(recipe, write, compare):
    one, far = grading(), {"use": "scripted/far"}
    recipe("a.yaml", **one | {"judges": one["judges"] | {"idle": far | {"concurrency": 3}}})
    write("rows.jsonl", [row(1, [0, 0], [0, 0])])
    found = compare(files=("a.yaml", "a.yaml", "rows.jsonl"))
    assert list(found["a"]["cost"]["judges"]) == ["main"]


def test_a_local_judge_is_each_recipes_own_and_costs_nothing(recipe, write, compare):
    recipe("a.yaml", **grading() | {"judges": {"main": {"use": "scripted/near"}}})
    write("rows.jsonl", [row(1, [0, 0], [0, 0])])
    found = compare(files=("a.yaml", "a.yaml", "rows.jsonl"))
    assert (found["a"]["cost"]["judges"], found["paid"]) == ({}, {})


def test_judges_that_are_nearly_alike_are_told_by_their_names(recipe, write, main):
    recipe("a.yaml", **grading())
    other = grading(concurrency=7)
    recipe("b.yaml", judges={"other": other["judges"]["main"]}, g=other["g"] | {"with": {"judge": "other"}})
    write("rows.jsonl", [row(1, [0, 0], [0, 0])])
    _, _, err = main("compare", "a.yaml", "b.yaml", "rows.jsonl")
    assert err.startswith("note: judge 'other' of B is 'main' of A but for concurrency; ")


def test_another_judge_is_asked_by_its_own_recipe(recipe, write, main, tmp_path):
    recipe("a.yaml", **grading())
    write("rows.jsonl", [row(1, [0, 0], [0, 0])])
    code, _, err = main("compare", "a.yaml", "a.yaml", "rows.jsonl", "b:judges.main.with.name=two")
    assert (code, err) == (0, "")
    assert sorted(line.split()[0] for line in asked(tmp_path)) == ["one", "one", "two", "two"]


def test_a_judge_without_answers_ends_it_and_says_where_the_paid_ones_are(recipe, write, main):
    recipe("a.yaml", **grading(cassette={"path": "tape.jsonl"}))
    write("rows.jsonl", [row(1, [0, 0], [0, 0]), row(2, [0], [0]) | {"completions": ["DOWN"]}])
    code, out, err = main("compare", "a.yaml", "a.yaml", "rows.jsonl")
    assert (code, out) == (1, "")
    failed, done, kept = err.splitlines()
    assert failed.startswith(
        "error: A: component 'g' (scripted/grade) failed on sample 'r2' (rows.jsonl:2), completion 0"
    )
    assert failed.endswith(": it is down")
    assert done == "error: 1 of 2 groups were compared"
    assert kept == "error: answers that were paid for are in tape.jsonl; the same command asks only for the others"


def test_answers_that_are_kept_nowhere_are_told_and_judges_that_were_not_asked_are_not(recipe, write, main):
    idle = {"use": "scripted/far", "cassette": {"path": "idle.jsonl"}}
    one = grading()
    recipe("a.yaml", **one | {"judges": one["judges"] | {"idle": idle}})
    write("rows.jsonl", [row(1, [0, 0], [0, 0]), row(2, [0], [0]) | {"completions": ["DOWN"]}])
    _, _, err = main("compare", "a.yaml", "a.yaml", "rows.jsonl")
    lost = "answers of A main, B main are kept nowhere; set `cassette: {path: FILE}` on the judge to keep them"
    assert err.splitlines()[2:] == [f"error: {lost}"]


def test_a_budget_that_is_used_up_is_named(recipe, write, main):
    recipe("a.yaml", **grading(cassette={"path": "tape.jsonl"}, concurrency=1), normalize=["normalize/std"])
    write("rows.jsonl", [row(number, [0] * 4, [0] * 4) for number in range(40)])
    code, _, err = main("compare", "a.yaml", "a.yaml", "rows.jsonl", "judges.main.budget.tokens=500")
    assert code == 1
    told, done, kept = err.splitlines()
    assert told.startswith("error: judge 'main'")
    assert "budget" in told
    assert done.endswith(" of 40 groups were compared")
    assert "tape.jsonl" in kept


# --- size ---


PEAK = """
import sys
from rewardlab.cli import main
code = main(sys.argv[1:])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
sys.exit(code)
"""


@pytest.mark.nightly
def test_memory_does_not_grow_with_the_rows(write, toy_environment, tmp_path):
    reward = {"components": {"short": {"use": "toy/brevity", "with": {"words": 2}}}, "total": "short"}
    write("r.yaml", json.dumps({"version": 1, "reward": reward}))
    row = {"prompt": "?", "completions": ["a word " * words for words in range(1, 5)], "pad": "x" * 4000}
    compared = ["compare", "r.yaml", "r.yaml", "rows.jsonl", "b:reward.total=-short"]
    peaks = []
    for count in (2_000, 8_000):  # both fill the windows of rows
        write("rows.jsonl", [{"id": number} | row for number in range(count)])
        command = [sys.executable, "-c", PEAK, *compared]
        done = subprocess.run(command, cwd=tmp_path, env=toy_environment, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.split()[-1]) / 1024)
    assert peaks[1] - peaks[0] < 5, f"peak memory in MB: {peaks}; there are 23 MB more of rows"


def test_what_is_paid_for_in_vain_and_which_licence_is_not_asked_for_are_said_of_both_sides_once(main, write):
    write(
        "r.yaml",
        """
version: 1
judges:
  main:
    use: openai/chat
    with: {model: m, base_url: "http://127.0.0.1:9/v1", temperature: 0}
    require: {labels: labels.jsonl, min_accuracy: 0.8}
reward:
  components: {wins: {use: pairwise/win_rate, with: {judge: main}, repeats: 3}}
  total: wins
""",
    )
    code, _, err = main("compare", "r.yaml", "r.yaml", "no rows")
    assert code == 2
    repeats, licence, problem = err.splitlines()
    assert "reward.components.wins: judges.main has temperature 0 and no seed: 3 repeats will most likely" in repeats
    assert licence.endswith(
        "judges.main.require: is not asked for here; `rewardlab check` says how this licence stands"
    )
    assert "no rows" in problem
