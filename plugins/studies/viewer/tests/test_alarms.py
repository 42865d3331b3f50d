"""The alarms of a run on its page, and what `report --fail-on` makes of them: of runs that nobody watched, too."""

import json
import shutil

import pytest
from rewardlab.cli import main

RECIPE = """
version: 1
model: {use: tiny}
reward:
  components: {right: {use: math/accuracy}, judge: {use: math/accuracy}, form: {use: math/accuracy}}
  total: right + judge + form
  correctness: right
stages: [{use: rl, algorithm: grpo, batch_size: 4, group_size: 4}]
"""
DEAD = "stage 0-rl has a dead component: judge has told no two completions of a prompt apart for 10 steps, at 0.5"
SATURATED = (
    "stage 0-rl has a saturated component: form has told no two completions of a prompt apart for 10 steps, at 1"
)


@pytest.fixture
def run(tmp_path):
    """A run of a version that had no alarms: a judge that says the same of all from step 16 on, a format at its top."""
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "recipe.resolved.yaml").write_text(RECIPE)
    lines = [line for step in range(1, 31) for group in range(4) for line in _group(step, 4 * step + group)]
    (tmp_path / "ledger.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def _dies(step, right):
    return {"right": right, "judge": 0.5 if step > 15 else right, "form": 1.0 if step > 15 else right}


def _hacks(step, right):
    """A judge that rises where right falls, beside a format that rises by itself."""
    late = step > 15
    return {
        "right": right * (not late or step % 5 == 0),
        "judge": 1 - right if late else right,
        "form": 1.0 if late else right,
    }


def _group(step, group, score=_dies):
    for index in range(4):
        values = score(step, float((group + index) % 4 == 0))
        yield {
            "version": 2, "attempt": 0, "stage": 0, "step": step, "group": group, "index": index, "trained": "yes",
            "phase": "training", "id": str(group), "prompt": "p", "fields": {}, "completion": "c", "tokens": 9,
            "truncated": False, "total": sum(values.values()), "shaped": 0.0,
            "components": {name: {"value": value, "error": None, "info": {}} for name, value in values.items()},
        }  # fmt: skip


def page(run):
    return (run / "report.html").read_text()


def test_the_page_names_component_and_step(run):
    assert main(["report", str(run)]) == 0
    assert f"{DEAD}, after 100% of groups at step 25; " in page(run)
    assert SATURATED not in page(run)  # a recipe ignores it unless it says otherwise


@pytest.mark.parametrize(
    ("names", "code"), [("any", 1), ("dead", 1), ("length,dead", 1), ("length", 0), ("saturated", 1), ("", 0)]
)
def test_the_exit_code_says_whether_a_named_alarm_went_off(run, names, code, capsys):
    assert main(["report", str(run), "--fail-on", names]) == code
    assert ("alarm " in capsys.readouterr().out) is bool(code)


def test_what_the_recipe_ignores_is_none_of_any(run):
    (run / "recipe.resolved.yaml").write_text(RECIPE + "alarms: {ignore: [dead, saturated]}\n")
    assert main(["report", str(run), "--fail-on", "any"]) == 0
    assert DEAD not in page(run)
    (run / "recipe.resolved.yaml").write_text(RECIPE + "alarms: {ignore: []}\n")
    assert main(["report", str(run), "--fail-on", "any"]) == 1
    assert SATURATED in page(run)


def test_json_has_alarm_component_and_step(run, capsys):
    assert main(["report", str(run), "--fail-on", "any", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    [alarm] = said["alarms"]
    assert (said["ok"], alarm["name"], alarm["component"], alarm["step"]) == (False, "dead", "judge", 25)


def test_a_component_that_rises_beside_a_hack_is_not_named(run, capsys):
    """What the correctness of each completion is decides, which the ledger has."""
    lines = [line for step in range(1, 31) for group in range(4) for line in _group(step, 4 * step + group, _hacks)]
    (run / "ledger.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    main(["report", str(run), "--json"])
    found = json.loads(capsys.readouterr().out)["alarms"]
    assert {one["component"] for one in found if one["name"] == "reward_hacking"} == {"total", "judge"}


@pytest.mark.parametrize("file", ["alarms.jsonl", "divergence.jsonl"])
def test_what_went_off_while_it_ran_is_there_once(run, file):
    rows = [
        {"stage": "0-rl", "step": 22, "kind": "dead", "number": "varied/judge", "component": "judge", "text": "live"},
        {"stage": "0-rl", "step": 9, "kind": "far above", "number": "kl", "text": "kl is 9"},
    ]
    (run / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows) + '{"torn')
    assert main(["report", str(run), "--fail-on", "divergence"]) == 1
    assert page(run).index("stage 0-rl has diverged: kl is 9 at step 9") < page(run).index("component: live at step 22")
    assert DEAD not in page(run)


def test_of_several_runs_each_alarm_says_which(run, capsys):
    shutil.copytree(run, run / "again")
    assert main(["report", str(run), str(run / "again"), "-o", str(run / "both.html"), "--fail-on", "dead"]) == 1
    assert [line.split(": ")[:2] for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["alarm dead", str(run)],
        ["alarm dead", str(run / "again")],
    ]


def test_a_scored_file_has_no_alarms_to_fail_on(tmp_path, capsys):
    (tmp_path / "scored.jsonl").write_text("{}\n")
    assert main(["report", str(tmp_path / "scored.jsonl"), "--fail-on", "any"]) == 2
    assert "--fail-on asks for the alarms of a run, and a file has none" in capsys.readouterr().err


def test_an_alarm_that_is_none_gets_the_nearest(run, capsys):
    assert main(["report", str(run), "--fail-on", "ded"]) == 2
    assert "--fail-on: no alarm 'ded'; did you mean 'dead'?" in capsys.readouterr().err


def test_a_recipe_that_is_not_known_any_more_shows_what_went_off(run):
    (run / "recipe.resolved.yaml").write_text("version: 1\nfuture: {key: 1}\n")
    row = {"stage": "10-rl", "step": 9, "kind": "far above", "number": "kl", "text": "kl is 9"}
    rows = [row, {**row, "stage": "2-rl"}]
    (run / "alarms.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert main(["report", str(run)]) == 0
    assert page(run).index("2-rl has diverged: kl is 9") < page(run).index("10-rl has diverged")
