"""`rewardlab score`: rows in, a line of scores a row out; what it refuses, and what it says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import TESTS
from rewardlab.cli import main

PLUGIN = TESTS / "score_plugin"
LENGTH = {"length": {"use": "cases/length"}}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working folder; the plugin `cases` is installed."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_recipe(components=LENGTH, total="length", name="r.yaml", **more):
    reward = {"components": components, "total": total}
    Path(name).write_text(json.dumps({"version": 1, "reward": reward | more.pop("reward", {})} | more))  # JSON is YAML


def write_rows(*rows, name="rows.jsonl"):
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def row(row_id=None, completions=("abc",), **fields):
    return (
        {"prompt": "How long?", "completions": list(completions)} | fields | ({} if row_id is None else {"id": row_id})
    )


def score(*arguments):
    return main(["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", *arguments])


def scores(name="out.jsonl"):
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def nothing_is_written():
    return not list(Path().glob("out*"))


# --- what comes out ---


def test_a_line_a_row_in_the_rows_order():
    write_recipe(LENGTH | {"obey": {"use": "cases/obey"}}, "length + 2 * obey")
    write_rows(row("b", ["ab", "ä" * 200]), row("a", ["abcd"]))
    assert score() == 0
    first, second = Path("out.jsonl").read_text().splitlines()
    assert first == (
        '{"id": "b", "total": [1.02, 2.0], "shaped": [1.02, 2.0], "components": {'
        '"length": {"value": [0.02, 1.0], "error": [null, null], "info": [{"length": 2}, {"length": 200}]}, '
        '"obey": {"value": [0.5, 0.5], "error": [null, null], "info": [{}, {}]}}}'
    )
    assert json.loads(second)["id"] == "a"
    assert json.loads(second)["total"] == [1.04]


def test_hundreds_of_rows_of_any_group_size_keep_their_order():
    write_recipe({"thread": {"use": "cases/thread"}}, "thread")
    rows = [row(number, ["x" * (number % 90)] * (1 + number % 5)) for number in range(600)]
    write_rows(*rows)
    assert score() == 0
    assert [(s["id"], s["total"]) for s in scores()] == [
        (number, [number % 90 / 100] * (1 + number % 5)) for number in range(600)
    ]


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes():
    write_recipe({"worker": {"use": "cases/worker"}} | LENGTH, "worker + length")
    write_rows(*(row(number, ["x" * number, "y"]) for number in range(40)))
    assert score() == 0
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "again.jsonl"]) == 0
    assert Path("out.jsonl").read_bytes() == Path("again.jsonl").read_bytes()


def test_an_id_stays_as_it_was_given_and_a_missing_one_is_made_of_the_prompt():
    write_recipe()
    write_rows(row(7), row("7a"), row(), row(), row(prompt="Another?"), row())
    assert score() == 0
    ids = [s["id"] for s in scores()]
    assert ids[:2] == [7, "7a"]
    made, numbers = zip(*(made.split("-") for made in ids[2:]), strict=True)
    assert numbers == ("0", "1", "0", "2")
    assert made[0] == made[1] == made[3] != made[2]
    assert len(made[0]) == 64


def test_the_recipes_fields_apply_to_rows_id_and_completions_too():
    fields = {"id": "uid", "prompt": "question", "completions": "answers", "answer": "solution"}
    dataset = {"use": "data/jsonl", "with": {"path": "train.jsonl"}, "fields": fields}
    write_recipe({"answered": {"use": "cases/answered"}}, "answered", dataset=dataset)
    theirs = {"uid": 3, "id": "not this", "question": "?", "answers": ["ab"], "solution": "4"}
    ours = {"id": "mine", "prompt": "?", "completions": ["abc"], "answer": "4"}
    write_rows(theirs, ours)
    assert score() == 0
    assert [(s["id"], s["total"]) for s in scores()] == [(3, [0.02]), ("mine", [0.03])]


def test_completions_may_have_counts_which_normalizers_may_need():
    write_recipe(reward={"normalize": ["cases/shorter"]})
    write_rows(row(1, [{"text": "x" * 50, "token_count": 5, "truncated": True}, {"text": "x", "token_count": 1}]))
    assert score() == 0
    assert scores()[0]["total"] == [0.5, 0.01]
    assert scores()[0]["shaped"] == [0.1, 0.01]


@pytest.mark.slow
def test_a_completion_may_be_huge():
    write_recipe(LENGTH | {"worker": {"use": "cases/worker"}}, "length + worker")
    write_rows(*(row(number, ["x" * 5_000_000]) for number in range(2)))
    assert score() == 0
    assert [s["components"]["worker"]["info"] for s in scores()] == [[{"length": 5_000_000}]] * 2


def test_letters_stand_as_they_are_and_halves_of_one_as_escapes():
    write_recipe({"obey": {"use": "cases/obey"}}, "obey")
    write_rows(row("আট\u2028", ["half a letter"]))
    assert score() == 0
    text = Path("out.jsonl").read_bytes().decode("utf-8")
    assert text.startswith('{"id": "আট\u2028"')
    assert json.loads(text)["components"]["obey"]["info"] == [{"half \udc00": "\ud83d"}]


# --- missing, abstaining, failing ---


def test_a_failure_is_null_with_its_error_and_the_policy_shows_in_the_total_alone():
    obey = {"use": "cases/obey", "on_missing": "group_mean", "max_missing": 1}
    write_recipe(LENGTH | {"obey": obey}, "obey")
    write_rows(row(1, ["raise", "x", "two", "nan"]))
    assert score() == 0
    assert scores()[0]["total"] == [0.5] * 4
    obeyed = scores()[0]["components"]["obey"]
    assert obeyed["value"] == [None, 0.5, None, None]
    assert obeyed["error"][1] is None
    for error, said in zip(obeyed["error"], ("no such luck", None, "[0, 1]", "not finite"), strict=True):
        assert said is None or said in error


def test_zero_advantage_leaves_the_total_null():
    obey = {"use": "cases/obey", "on_missing": "zero_advantage", "max_missing": 1}
    write_recipe(LENGTH | {"obey": obey}, "obey + length")
    write_rows(row(1, ["raise", "x" * 10, "x" * 30]))
    assert score() == 0
    assert scores()[0]["total"] == [None, 0.6, 0.8]
    assert scores()[0]["shaped"] == [pytest.approx(0.7), 0.6, 0.8]


def test_a_failure_ends_the_job_by_default_and_what_was_written_stays(capsys):
    write_recipe({"obey": {"use": "cases/obey", "with": {"unless": "mended"}}}, "obey")
    rows = [row(f"r{number}") for number in range(5)]
    write_rows(*rows, row("bad", ["x", "raise"]), row("after"))
    assert score() == 1
    assert [s["id"] for s in scores()] == ["r0", "r1", "r2", "r3", "r4"]
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(
        "error: component 'obey' (cases/obey) failed on sample 'bad' (rows.jsonl:6), completion 1: "
        "RuntimeError: no such luck"
    )
    assert second == (
        "error: 5 of 7 rows are in out.jsonl; to go on: rewardlab score r.yaml rows.jsonl -o out.jsonl --resume"
    )
    Path("mended").touch()
    assert score("--resume") == 0
    assert [s["id"] for s in scores()] == ["r0", "r1", "r2", "r3", "r4", "bad", "after"]


def test_too_many_failures_end_the_job(capsys):
    write_recipe({"obey": {"use": "cases/obey", "on_missing": 0.0, "max_missing": 0.1}}, "obey")
    write_rows(*(row(number, ["raise" if number >= 40 else "x"]) for number in range(100)))
    assert score() == 1
    assert [s["id"] for s in scores()] == list(range(50))  # 40 good ones, and failures up to the 50th score
    error = capsys.readouterr().err
    assert (
        "component 'obey' (cases/obey) has no value for 10 of the last 50 completions "
        "(20.0%; max_missing is 10.0%)" in error
    )
    assert "--resume" in error


def test_a_component_outside_the_total_may_fail_and_abstain():
    write_recipe(LENGTH | {"obey": {"use": "cases/obey"}, "spoken": {"use": "cases/spoken"}}, "length")
    write_rows(*(row(number, ["raise"], language="sw") for number in range(60)))
    assert score() == 0
    assert scores()[0]["total"] == [0.05]
    assert scores()[0]["components"]["spoken"]["value"] == [None]


def test_languages_that_will_abstain_are_told_before_anything_is_scored(capsys):
    write_recipe(LENGTH | {"spoken": {"use": "cases/spoken"}}, "length + spoken")
    languages = ["de", "sw", "en", "bn", "sw"]
    write_rows(*(row(number, language=language) for number, language in enumerate(languages)))
    assert score() == 2
    assert nothing_is_written()
    error = capsys.readouterr().err
    assert "error: rows.jsonl:2: spoken (cases/spoken) will abstain: language 'sw' is not known" in error
    assert "reward.components.spoken: will abstain on 3 rows: language 'sw' is not known (2); language 'bn' is" in error
    assert score("reward.components.spoken.on_abstain=0.25") == 0
    assert [s["total"] for s in scores()] == [[1.03], [0.28], [1.03], [0.28], [0.28]]


def test_so_are_those_of_the_outcome_by_which_groups_are_left_out(capsys):
    teach = {"teach": {"flat": "drop", "by": "spoken"}}
    write_recipe(LENGTH | {"spoken": {"use": "cases/spoken"}}, "length", reward=teach)
    write_rows(row(1, language="de"), row(2, language="sw"))
    assert score() == 2
    assert nothing_is_written()
    assert "reward.components.spoken: will abstain on 1 row: language 'sw' is not known (1)" in capsys.readouterr().err
    assert score("reward.components.spoken.on_abstain=0") == 0


def test_a_fault_in_abstains_names_its_component(capsys):
    write_recipe({"spoken": {"use": "cases/spoken"}}, "spoken")
    write_rows(row(1, language="??"))
    assert score() == 1
    assert "component 'spoken' (cases/spoken) on rows.jsonl:1: abstains: KeyError" in capsys.readouterr().err
    assert nothing_is_written()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("infinite info", "info['raw'] is not a JSON value: Out of range float"),
        ("odd info", "info['raw'] is not a JSON value: Object of type set"),
        ("deep info", "info['raw'] is not a JSON value: maximum recursion depth"),
        ("odd error", "no text"),
    ],
)
def test_what_json_cannot_hold_is_a_failure_of_the_plugin(text, complaint, capsys):
    write_recipe(LENGTH | {"obey": {"use": "cases/obey", "on_missing": 0.0, "max_missing": 1}}, "length + obey")
    write_rows(row("fine"), row("s", ["x", text]))
    assert score("-o", "lenient.jsonl") == 0
    obey = scores("lenient.jsonl")[1]["components"]["obey"]
    assert obey["value"] == [0.5, None]
    assert obey["info"] == [{}, {}]
    assert complaint in obey["error"][1]
    capsys.readouterr()
    assert score("reward.components.obey.on_missing=fail") == 1
    error = capsys.readouterr().err
    assert "component 'obey' (cases/obey) failed on sample 's' (rows.jsonl:2), completion 1: " in error
    assert complaint in error
    assert [s["id"] for s in scores()] == ["fine"]


def test_no_secret_is_written(monkeypatch, capsys):
    monkeypatch.setenv("TEST_JUDGE_KEY", "sk-hush-hush")
    monkeypatch.setenv("TEST_JUDGE_SALT", "pepper")
    judges = {"j": {"use": "cases/leaky", "with": {"key_env": "TEST_JUDGE_KEY"}}}
    asks = {"use": "cases/asks", "with": {"judge": "j"}, "on_missing": 0.0, "max_missing": 1}
    length = {"use": "cases/length", "with": {"log": "${oc.env:TEST_JUDGE_SALT}"}}
    write_recipe({"asks": asks, "length": length}, "asks + length", judges=judges)
    write_rows(row(1))
    assert score() == 0
    assert scores()[0]["components"]["asks"]["error"] == ["401: the key *** is not known"]
    assert score("-o", "failed.jsonl", "reward.components.asks.on_missing=fail") == 1
    written = [path.read_text() for path in Path().rglob("*") if path.is_file()]
    said = "".join([*written, *capsys.readouterr()])
    assert "401: the key *** is not known" in said
    assert "hush" not in said
    assert "pepper" not in said


# --- what it says ---


def test_the_last_line_says_how_many_how_well_and_where(capsys):
    spoken = {"use": "cases/spoken", "on_abstain": 1.0}
    obey = {"use": "cases/obey", "on_missing": "zero_advantage", "max_missing": 1}
    write_recipe({"spoken": spoken, "obey": obey}, "spoken + obey")
    write_rows(row(1, ["x", "raise"], language="de"), row(2, ["x"], language="sw"))
    assert score("--json") == 0
    out, err = capsys.readouterr()
    [error] = json.loads(Path("out.jsonl").read_text().splitlines()[0])["components"]["obey"]["error"][1:]
    assert err.splitlines() == [
        "spoken  mean 1, failed 0, abstained 1, reason 1",
        "obey    mean 0.5, failed 1, abstained 0",
        f"        failed 1: {error}",
        "2 rows, 3 completions, mean total 1.5 (1 without a total): out.jsonl",
    ]
    assert json.loads(out) == {
        "rows": 2,
        "completions": 3,
        "total": {"mean": 1.5, "missing": 1, "partial": 0},
        "components": {
            "spoken": {"mean": 1.0, "failed": 0, "abstained": 1, "counted_info": {"reason": 1}},
            "obey": {"mean": 0.5, "failed": 1, "abstained": 0, "failures": {error: 1}},
        },
        "findings": [],
        "output": "out.jsonl",
    }


def test_a_reason_for_nothing_is_told_below_its_component(capsys):
    write_recipe({"boxed": {"use": "format/boxed"}}, "boxed")
    write_rows(row(1, ["24", "25"]), row(2, ["\\boxed{24}"]))
    assert score("--json") == 0
    out, err = capsys.readouterr()
    assert err.splitlines()[:2] == ["boxed  mean 0.3333, failed 0, abstained 0", "       zero 2: no closed box"]
    assert json.loads(out)["components"]["boxed"]["nothing"] == ["zero 2: no closed box"]


def test_without_a_value_there_is_no_mean(capsys):
    write_recipe({"obey": {"use": "cases/obey", "on_missing": "zero_advantage", "max_missing": 1}}, "obey")
    write_rows(row(1, ["raise"]))
    assert score("--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["total"] == {"mean": None, "missing": 1, "partial": 0}
    assert "mean total none (1 without a total)" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["seed=3", "r.yaml", "rows.jsonl", "-o", "out.jsonl"],
        ["r.yaml", "-o", "out.jsonl", "rows.jsonl", "seed=3"],
        ["r.yaml", "seed=3", "--output", "out.jsonl", "./a=b/rows.jsonl"],
        ["-o", "out.jsonl", "r.yaml", "seed=3", "rows.jsonl", "reward.total=length+1"],
    ],
)
def test_overrides_stand_where_they_like(arguments):
    write_recipe()
    Path("a=b").mkdir()
    write_rows(row(1))
    write_rows(row(1), name="a=b/rows.jsonl")
    assert main(["score", *arguments]) == 0
    assert scores()[0]["total"] == [1.03 if "reward.total=length+1" in arguments else 0.03]


# --- bad input ---

FINE = json.dumps(row("fine"))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "rows.jsonl:2: the JSON is cut off"),
        ("[1]", "rows.jsonl:2: this looks like a JSON array"),
        ('{"prompt": "?", "completions": ["x"], "y": NaN}', "rows.jsonl:2: NaN is not a JSON number"),
        ('{"id": 1, "completions": ["x"]}', "rows.jsonl:2: no prompt"),
        ('{"id": 1, "prompt": "?"}', "rows.jsonl:2: no completions"),
        ('{"id": 1, "prompt": "?", "completions": []}', "rows.jsonl:2: completions is an empty list"),
        (
            '{"id": 1, "prompt": "?", "completions": "x"}',
            "rows.jsonl:2: completions must be a list, not a text",
        ),
        ('{"id": 1, "prompt": "?", "completions": [1]}', "rows.jsonl:2: completions[0] must be a text"),
        (
            '{"id": 1.5, "prompt": "?", "completions": ["x"]}',
            "rows.jsonl:2: id must be a text or a whole number",
        ),
        (
            '{"id": "fine", "prompt": "?", "completions": ["x"]}',
            "rows.jsonl:2: the id 'fine' is already used by rows.jsonl:1",
        ),
    ],
)
def test_a_bad_row_is_told_before_anything_is_scored(line, complaint, capsys):
    write_recipe(LENGTH)
    write_rows(FINE, line)
    assert score() == 2
    assert f"error: {complaint}" in capsys.readouterr().err
    assert nothing_is_written()


def test_the_same_id_as_a_number_and_as_a_text_is_the_same_id(capsys):
    write_recipe()
    write_rows(row(7), row("7"))
    assert score() == 2
    assert "rows.jsonl:2: the id '7' is already used by rows.jsonl:1" in capsys.readouterr().err


@pytest.mark.parametrize("given", [{}, {"answer": None}])
def test_a_field_that_a_component_needs_must_be_there(given, capsys):
    write_recipe({"answered": {"use": "cases/answered"}, "also": {"use": "cases/answered"}}, "also")
    write_rows(row(1, answer=0), row(2, **given))
    assert score() == 2
    needed = "rows.jsonl:2: field 'answer' is needed by answered (cases/answered), also (cases/answered), but "
    found = "it is null" if given else "the row has none"
    assert needed + found in capsys.readouterr().err
    assert nothing_is_written()


def test_a_count_that_a_normalizer_needs_must_be_there(capsys):
    write_recipe(reward={"normalize": ["cases/shorter"]})
    write_rows(row(1, [{"text": "x", "token_count": 1}, "x"]))
    assert score() == 2
    assert "rows.jsonl:1: completions[1].token_count is needed by cases/shorter" in capsys.readouterr().err


def test_one_cause_of_many_bad_rows_is_told_once(capsys):
    write_recipe()
    write_rows(FINE, *["{"] * 25)
    assert score() == 2
    cause, count = capsys.readouterr().err.splitlines()
    assert cause.startswith("error: rows.jsonl:2: the JSON is cut off at column 2; ")
    assert cause.endswith(" (25 rows, this is the first)")
    assert count == "error: rows.jsonl: 25 bad rows; fix them, or leave them out with --skip-bad"


def test_skip_bad_lists_and_counts_bad_rows_and_scores_the_others(capsys):
    write_recipe()
    write_rows(*["{"] * 22, row("b"), row("a"), row("b"))
    assert score("--skip-bad") == 0
    assert [s["id"] for s in scores()] == ["b", "a"]
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[2] for line in lines if line.startswith("warning: rows.jsonl:")] == [
        "1",
        "25",
        " 23 bad rows left out",
    ]
    assert "warning: rows.jsonl: 23 bad rows left out" in lines


@pytest.mark.parametrize("rows", [[], [""], ["{", "}"]])
def test_without_a_good_row_there_is_nothing_to_do(rows, capsys):
    write_recipe()
    write_rows(*rows)
    assert score("--skip-bad") == 2
    expected = "no row is left to score" if "{" in rows else "it has no rows"
    assert f"error: rows.jsonl: {expected}" in capsys.readouterr().err
    assert nothing_is_written()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["r.yaml", "-o", "out.jsonl"],
            "RECIPE and ROWS.jsonl are needed, in this order; found r.yaml",
        ),
        (["r.yaml", "rows.jsonl", "x", "-o", "o"], "it takes RECIPE and ROWS.jsonl and no more"),
        (["no.yaml", "rows.jsonl", "-o", "out.jsonl"], "no.yaml: no such file"),
        (["r.yaml", "no.jsonl", "-o", "out.jsonl"], "no.jsonl: no such file"),
        (["r.yaml", ".", "-o", "out.jsonl"], "out.jsonl: this is in the folder of the rows"),
        (["r.yaml", "rows.jsonl", "-o", "no/out.jsonl"], "no/out.jsonl: there is no folder no"),
        (["r.yaml", "rows.jsonl", "-o", "."], "this is a folder; name a file"),
        (["r.yaml", "rows.jsonl", "-o", "rows.jsonl"], "rows.jsonl: exists already"),
        (
            ["r.yaml", "rows.jsonl", "-o", "rows.jsonl", "--resume"],
            "there is no rows.jsonl.state that says what made",
        ),
        (
            ["r.yaml", "/dev/null", "-o", "out.jsonl"],
            "rows are read twice, so they must be a regular file",
        ),
        (["r.yaml", "rows.jsonl", "reward.total=size", "-o", "out.jsonl"], "no component 'size'"),
        (["r.yaml", "rows.jsonl"], "name the output: -o OUT.jsonl for a new file"),
    ],
)
def test_what_cannot_work_is_refused(arguments, complaint, capsys):
    write_recipe()
    write_rows(row(1))
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert main(["score", *arguments]) == 2
    assert complaint in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_reward_that_cannot_be_built_leaves_nothing_behind(capsys):
    write_recipe({"asks": {"use": "cases/asks", "with": {"judge": "j"}}}, "asks",
                 judges={"j": {"use": "cases/leaky", "with": {"key_env": "NO_SUCH_VARIABLE"}}})  # fmt: skip
    write_rows(row(1))
    assert score() == 1
    [line] = capsys.readouterr().err.splitlines()  # with nothing to go on with
    assert line.startswith("error: judge 'j' (cases/leaky) could not be built: KeyError: 'NO_SUCH_VARIABLE' (")
    assert "score_cases.py:" in line
    assert nothing_is_written()


# --- between pipes ---


def piped(*arguments, rows="", program=("-m", "rewardlab")):
    return subprocess.run(
        [sys.executable, *program, "score", "r.yaml", *arguments],
        input=rows,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": str(PLUGIN)},
    )


def test_what_a_reward_prints_is_not_among_the_scores(capsys, monkeypatch):
    import score_cases

    monkeypatch.setattr(score_cases.Length, "_one", lambda *_: print("a reward talks") or score_cases.Score(value=0.5))
    write_recipe()
    write_rows(row("b", ["ab"]))
    for arguments in (["-o", "-"], ["-o", "out.jsonl", "--json"]):
        assert main(["score", "r.yaml", "rows.jsonl", *arguments]) == 0
        out, err = capsys.readouterr()
        [line] = out.splitlines()
        json.loads(line)
        assert "a reward talks" in err.splitlines()


@pytest.mark.slow
def test_standard_input_is_scored_to_standard_output():
    write_recipe()
    write_rows(row("b", ["ab"]), row("a", ["abcd"]))
    assert score() == 0
    done = piped("-", rows=Path("rows.jsonl").read_text())
    assert (done.returncode, done.stdout) == (0, Path("out.jsonl").read_text()), done.stderr
    assert done.stderr.splitlines()[-1] == "2 rows, 2 completions, mean total 0.03"
    assert piped("rows.jsonl", "-o", "-").stdout == done.stdout


@pytest.mark.slow
def test_a_bad_row_of_a_stream_ends_it_or_is_left_out():
    write_recipe()
    lines = [json.dumps(row("a")), "no", json.dumps(row("b"))]
    done = piped("-", rows="\n".join(lines))
    assert (done.returncode, [json.loads(line)["id"] for line in done.stdout.splitlines()]) == (2, ["a"])
    assert "error: /dev/stdin:2: not JSON" in done.stderr
    assert "error: /dev/stdin: scored before it: 1 row" in done.stderr
    done = piped("-", "--skip-bad", rows="\n".join(lines))
    assert (done.returncode, [json.loads(line)["id"] for line in done.stdout.splitlines()]) == (0, ["a", "b"])
    assert "warning: /dev/stdin:2: not JSON" in done.stderr
    assert piped("-", rows="").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-", "-o", "out.jsonl"], "leave out -o, or redirect it with >"),
        (["-", "--resume"], "--resume needs files: rows that are one, and -o FILE"),
        (["-", "--shard", "1/2"], "--shard needs files: rows that are one, and -o FILE"),
    ],
)
def test_what_a_stream_has_not_is_told(capsys, arguments, told):
    write_recipe()
    assert main(["score", "r.yaml", *arguments]) == 2
    assert told in capsys.readouterr().err
