"""The toy backend, an engine against the public kit: what it refuses, what it describes, and that it learns."""

import json
import os
import sys

import pytest
from helpers.each_case import each_case
from rewardlab_training import Policy

RECIPE = """
    version: 1
    name: toy
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
    reward:
      components: {brevity: {use: toy/brevity, with: {words: 2}}}
      total: brevity
    stages:
      - {use: rl, algorithm: grpo, group_size: 8, batch_size: 4, steps: 60, learning_rate: 1.0e-2, eval: {samples: 8}}
      - {use: eval, samples: 8, benchmark: end}
    backend: {use: toy}
"""
BREVITY = [1, 1, 2 / 8, 2 / 15]
"""of the four answers: 1, 2, 8 and 15 words where 2 are allowed"""


def test_the_recipe_itself_is_fine(problems):
    assert problems() == {}


@each_case(
    "override, path, what",
    [
        ("stages.0.algorithm=ppo", "stages.0.algorithm", "the backend toy has no ppo; use dr_grpo or grpo"),
        ("stages.0.group_size=1", "stages.0.group_size", "use 2 or more"),
        ("stages.0.kl={coef: 0.1}", "stages.0.kl", "means nothing to the toy backend"),
        ("stages.1.max_new_tokens=8", "stages.1.max_new_tokens", "means nothing to the toy backend"),
        ("stages.1={use: sft}", "stages.1", "the backend toy runs data, rl and eval stages, not sft"),
        ("stages.1.benchmark=../end", "stages.1.benchmark", "cannot be part of a file's name"),
        ("stages.0.loss=cispo", "stages.0.loss", "the backend toy has no cispo"),
        ("stages.0.entropy_coef=0.1", "stages.0.entropy_coef", "the backend toy has no entropy_coef"),
        ("stages.0.dual_clip=3", "stages.0.dual_clip", "the backend toy has no dual_clip"),
        ("stages.0.arguments={a: 1}", "stages.0.arguments", "the backend toy has no arguments"),
        ("stages.0.eval.top_k=null", "stages.0.eval.top_k", "the backend toy has no eval.top_k"),
        ("stages.1.min_p=0.1", "stages.1.min_p", "the backend toy has no min_p"),
        ("model=.", "model", "holds no policy.json"),
        ("backend.answers=[a, b, a]", "backend.answers", "'a' appears twice"),
        ("backend.answers=[a]", "backend.answers", "at least 2 items"),
        ("backend.answer=[a, b]", "backend.answer", "did you mean 'answers'?"),
    ],
)
def test_what_it_cannot_do_is_refused_with_its_place(problems, override, path, what):
    found = problems(override)
    assert list(found) == [path]
    assert what in found[path]


def test_an_engine_may_warn_of_a_recipe_that_it_can_run(main, write, monkeypatch, toy):
    from toy_rewards.engine.backend import ToyBackend

    found = [(("name",), "is short")]
    monkeypatch.setattr(ToyBackend, "warnings", lambda self, plan: found, raising=False)
    write("r.yaml", RECIPE)
    for command in (["check"], ["run", "--dry-run"]):
        code, _, err = main(*command, "r.yaml")
        assert (code, err.endswith(": name: is short\n")) == (0, True)
    code, _, err = main("check", "r.yaml", "stages.0.algorithm=ppo")
    assert code == 2
    assert "is short" not in err


@pytest.mark.parametrize("absent", ["capabilities", "load_policy"])
def test_an_engine_that_lacks_a_part_of_the_interface_is_named(main, write, monkeypatch, toy, absent):
    from toy_rewards.engine.backend import ToyBackend

    monkeypatch.delattr(ToyBackend, absent)
    write("r.yaml", RECIPE)
    code, _, err = main("check", "r.yaml")
    assert code == 1
    assert err.endswith(f"backend toy could not be built: `build` gave ToyBackend without `{absent}`\n")


def test_a_policy_that_cannot_be_saved_fails_before_it_trains():
    class Unsaved(Policy):
        def train(self, training):
            pass

    with pytest.raises(TypeError, match="save"):
        Unsaved()


def test_it_describes_its_stages_and_writes_nothing(main, write, tmp_path):
    write("r.yaml", RECIPE)
    code, out, _ = main("run", "r.yaml", "--dry-run")
    assert code == 0
    assert "backend toy, in this process: a policy over 4 answers; seed 0\n" in out
    assert "  policy gradient on toy/counting: 60 steps of 4 prompts; logits move by 10 x gradient\n" in out
    assert "stage 1: eval\n  8 completions a prompt of toy/counting" in out
    assert [path.name for path in tmp_path.iterdir()] == ["r.yaml"]


def test_it_learns_what_the_reward_pays_for(main, write, tmp_path):
    write("r.yaml", RECIPE)
    code, _, err = main("run", "r.yaml")
    assert code == 0, err
    (run,) = (tmp_path / "runs").iterdir()
    before, after, end = (_mean(run, name) for name in ("0-rl-before", "0-rl-after", "1-eval-end"))
    assert before == pytest.approx(sum(BREVITY) / 4, abs=0.2)
    assert after > 0.9
    assert end > 0.9
    policy = json.loads((run / "models" / "0-rl" / "policy.json").read_text())
    assert policy["step"] == 60
    assert len((run / "logs" / "0-rl.jsonl").read_text().splitlines()) == 60
    assert '"timing/scoring": [' in (run / "report.html").read_text(encoding="utf-8"), "a part of a step's seconds"


def test_a_reader_that_goes_away_ends_it_in_so_many_words(main, write, monkeypatch):
    write("r.yaml", RECIPE)
    read, wrote = os.pipe()
    os.close(read)
    with open(wrote, "w") as unread:
        monkeypatch.setattr(sys, "stdout", unread)
        code, _, err = main("run", "r.yaml")
    assert code == 1
    assert "error: nothing reads this output any more\n" in err
    assert "continue with: rewardlab run r.yaml --resume runs/toy-" in err


def test_it_is_evaluated_on_several_sets_and_before_the_first_step_where_the_recipe_wants_it(main, write, tmp_path):
    sets = "{ours: null, others: {use: toy/counting, with: {rows: 3}}}"
    write("r.yaml", RECIPE.replace("eval: {samples: 8}", f"eval_before: false, eval: {{samples: 8, sets: {sets}}}"))
    code, _, err = main("run", "r.yaml", "stages.0.steps=1", "stages.1.sets=" + sets, "stages.1.by=[]")
    assert code == 0, err
    (run,) = (tmp_path / "runs").iterdir()
    assert not list((run / "evaluation").glob("*before*"))
    slices = json.loads((run / "evaluation" / "1-eval-end.json").read_text())["slices"]
    prompts = {part["name"]: part["prompts"] for part in slices}
    assert set(prompts) == {"all", "eval_set ours", "eval_set others"}
    assert (prompts["eval_set others"], prompts["all"]) == (3, 3 + prompts["eval_set ours"])
    rows = [json.loads(line) for line in (run / "evaluation" / "1-eval-end.rows.jsonl").read_text().splitlines()]
    assert {(row["eval_set"], row["id"].split("/")[0]) for row in rows} == {("ours", "ours"), ("others", "others")}


def _mean(run, name):
    return json.loads((run / "evaluation" / f"{name}.json").read_text())["slices"][0]["means"]["total"]
