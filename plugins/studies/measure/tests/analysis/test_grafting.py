"""Right and wrong reasoning with right and wrong answers: SP3F's table 3 from scored rollouts."""

import json

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_answers import last_box
from rewardlab_measure.judge_agreement.grafting import TABLE, cut, graft

GOOD = r"Four and three make seven: $\boxed{7}$. Done."
POOR = r"Four times three is twelve: $\boxed{12}$."


def test_the_three_pairs():
    assert TABLE == ("right+right > wrong+wrong", "right+right > wrong+right", "right+wrong > wrong+wrong")
    assert graft("1", [GOOD], [POOR]) == [
        (GOOD, POOR),
        (GOOD, r"Four times three is twelve: $\boxed{7}$."),
        (r"Four and three make seven: $\boxed{12}$. Done.", POOR),
    ]


@each_case(
    "text, parts",
    [
        (r"a \boxed{7} b", (r"a \boxed{", "7", "} b")),
        (r"\boxed{1} then \boxed {\frac{1}{2}}", (r"\boxed{1} then \boxed {", r"\frac{1}{2}", "}")),
        (r"\boxed{7} or \boxed{7}, and \boxed{open", (r"\boxed{7} or \boxed{", "7", r"}, and \boxed{open")),
        (r"\boxed{\boxed{7}}", (r"\boxed{\boxed{", "7", "}}")),
        (r"\boxed{}", (r"\boxed{", "", "}")),
    ],
)
def test_a_response_is_cut_at_its_last_box(text, parts):
    found = cut(text)
    assert (found.reasoning, found.answer, found.rest) == parts


@each_case("text", ["", "7", r"\boxed{7", r"\boxed 7"])
def test_without_a_box_there_is_nothing_to_cut(text):
    assert cut(text) is None
    assert graft("1", [GOOD], [text]) is None


PIECES = [r"\boxed{", "{", "}", r"\{", r"\}", "\\", "boxed{", "x", " ", r"\boxed {"]
latex = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
with_box = st.builds("{}\\boxed{{{}}}{}".format, latex, latex, latex)


@given(latex | with_box)
def test_what_is_cut_is_what_a_reader_of_boxes_reads(text):
    parts = cut(text)
    assert (parts and parts.answer) == last_box(text)
    assert parts is None or parts.reasoning + parts.answer + parts.rest == text


@given(with_box, with_box)
def test_a_box_holds_whatever_another_box_held(one, other):
    ours, theirs = cut(one), cut(other)
    if ours is not None and theirs is not None:
        assert last_box(ours.with_answer(theirs.answer)) == theirs.answer


def test_answers_must_differ():
    assert graft("1", [GOOD], [r"By luck: \boxed{ 7 }"]) is None
    assert graft("1", [], [POOR]) is None
    assert graft("1", [r"So \boxed{7}"], [r"So \boxed{8}"]) is None  # the reasoning must differ, too


def test_which_two_are_taken_follows_from_the_id_alone():
    right = [rf"{word}: \boxed{{7}}" for word in ("one", "two", "three", "no box")]
    wrong = [rf"{word}: \boxed{{8}}" for word in ("four", "five", "six")]
    taken = {graft(str(number), right, wrong)[0] for number in range(60)}
    assert len(taken) == 12
    assert all(graft("a", right, wrong) == graft("a", right[::-1], wrong[::-1]) for _ in range(3))


# --- the command ---


@pytest.fixture
def files(write):
    """A recipe that scores answers and asks a judge with and without the reference; its rows, not yet scored."""

    def preference(**options):
        return {"use": "pairwise/win_rate", "with": {"judge": "main", **options}, "max_missing": 1.0}

    recipe = {
        "version": 1,
        "judges": {"main": {"use": "pairwise/overlap"}},
        "dataset": {"use": "data/jsonl", "with": {"path": "unused.jsonl"}, "fields": {"reference": "solution"}},
        "reward": {
            "components": {"right": {"use": "math/accuracy"}, "informed": preference(privileged="reference")},
            "total": "right",
            "correctness": "right",
        },
    }
    write("r.yaml", json.dumps(recipe))
    rows = [
        {"id": "a", "language": "de", "prompt": "4 + 3?", "answer": "7", "solution": GOOD, "completions": [POOR, GOOD]},
        {"id": "b", "language": "sw", "prompt": "4 + 4?", "answer": "8", "solution": "8", "completions": [POOR, GOOD]},
        {"id": "c", "prompt": "?", "answer": "7", "solution": "7", "completions": [GOOD, "I do not know."]},
        {"prompt": "5 + 7?", "kind": "sum", "answer": "12", "solution": POOR, "completions": [GOOD, POOR, "12"]},
    ]
    write("rows.jsonl", rows)
    return recipe, rows


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_from_scored_rollouts_to_table_3(files, main, tmp_path):
    assert main("score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl")[0] == 0
    code, out, err = main("judge", "r.yaml", "rows.jsonl", "--graft", "scored.jsonl", "-o", "pairs.jsonl")
    assert (code, out, err) == (0, "6 pairs from 2 of 4 rows: pairs.jsonl\n", "")
    pairs = lines(tmp_path / "pairs.jsonl")
    assert [row["kind"] for row in pairs] == [*TABLE, *TABLE]
    assert [row["id"] for row in pairs[:3]] == ["a/1", "a/2", "a/3"]
    assert [(row["chosen"], row["rejected"]) for row in pairs[:3]] == graft("a", [GOOD], [POOR])
    assert [(row["chosen"], row["rejected"]) for row in pairs[3:]] == graft("d", [POOR], [GOOD])
    assert pairs[0].keys() == {"id", "language", "prompt", "answer", "solution", "chosen", "rejected", "kind"}

    code, out, err = main("judge", "r.yaml", "pairs.jsonl", "--json")
    assert (code, err) == (0, "")
    table = json.loads(out)["components"]["informed"]
    assert {kind: m["rows"] for kind, m in table["kind"].items()} == dict.fromkeys(TABLE, 2)
    assert table["kind"][TABLE[0]]["accuracy"] == 1.0  # the reference is the right response itself
    assert table["language"]["de"]["pairs"] == 3


def scored(rows, *values, name="right"):
    return [
        {
            "id": row["id"],
            "total": column,
            "shaped": [0.0] * len(column),
            "components": {name: {"value": column, "error": [None] * len(column), "info": [{}] * len(column)}},
        }
        for row, column in zip(rows, values, strict=False)
    ]


def test_what_is_neither_right_nor_wrong_is_not_taken(files, main, write, tmp_path):
    _, rows = files
    write("rows.jsonl", rows[:2])
    write("scored.jsonl", scored(rows, [0.5, 1], [None, 1]))
    code, out, err = main("judge", "r.yaml", "rows.jsonl", "--graft", "scored.jsonl", "-o", "pairs.jsonl")
    assert (code, out) == (2, "")
    told = "no row has a right and a wrong completion, both boxed, with other reasoning and another answer"
    assert err == f"error: rows.jsonl: {told}\n"
    assert not (tmp_path / "pairs.jsonl").exists()


def test_rows_without_scores_are_counted(files, main, write):
    _, rows = files
    write("rows.jsonl", rows[:2])
    write("scored.jsonl", scored(rows, [0, 1]))
    arguments = ["r.yaml", "rows.jsonl", "--graft", "scored.jsonl", "-o", "pairs.jsonl", "--json"]
    code, out, err = main("judge", *arguments)
    assert (code, json.loads(out)) == (0, {"rows": 2, "grafted": 1, "pairs": 3, "output": "pairs.jsonl"})
    assert "warning: scored.jsonl: no scores for 1 of 2 rows" in err


@pytest.mark.parametrize(
    ("change", "more", "says"),
    [
        ({}, [], "rows.jsonl:1: has 2 completions, but scored.jsonl has 1 scores for its id"),
        ({}, ["--correctness", "rigth"], "scored.jsonl:1: no component 'rigth'; did you mean 'right'?"),
        ({"correctness": None}, [], "set reward.correctness, or give --correctness NAME"),
    ],
)
def test_mistakes(files, main, write, change, more, says):
    recipe, rows = files
    write("r.yaml", json.dumps(recipe | {"reward": recipe["reward"] | change}))
    write("scored.jsonl", scored(rows, [1]))
    graft_it = ["judge", "r.yaml", "rows.jsonl", "--graft", "scored.jsonl", *more]
    code, out, err = main(*graft_it, "-o", "pairs.jsonl")
    assert (code, out) == (2, "")
    assert says in err


def test_pairs_need_a_file_to_go_to(files, main, write):
    write("scored.jsonl", [{"total": [1]}])
    graft_it = ["judge", "r.yaml", "rows.jsonl", "--graft", "scored.jsonl"]
    assert main(*graft_it) == (2, "", "error: --graft writes pairs; name a new file with -o\n")
    code, _, err = main(*graft_it, "-o", "pairs.jsonl")
    assert (code, err) == (2, "error: scored.jsonl:1: this is not a line that `rewardlab score` wrote: no id\n")


def test_a_bad_row_stops_it_or_is_left_out(files, main, write):
    _, rows = files
    write("rows.jsonl", [rows[0], {"id": "x", "prompt": "?"}])
    write("scored.jsonl", scored(rows, [0, 1]))
    graft_it = ["judge", "r.yaml", "rows.jsonl", "--graft", "scored.jsonl", "-o", "pairs.jsonl"]
    code, _, err = main(*graft_it)
    assert code == 2
    assert "rows.jsonl:2: no completions" in err
    code, _, err = main(*graft_it, "--skip-bad")
    assert code == 0
    assert err.startswith("warning: rows.jsonl:2: no completions")
