"""The best of a stage's checkpoints: what its figure is, which is chosen, and what is asked of a recipe."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab.errors import JobError, UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.evaluation import Validation
from rewardlab.recipe.loading import load
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.types import Completion, Group, Sample, Score
from rewardlab_training import RunDirectory, StageJob, best_checkpoint
from rewardlab_training.check import check_recipe
from rewardlab_training.checkpoint_choice import checkpoint_score

RECIPE = """
version: 1
model: {use: tiny}
dataset: {use: data/jsonl, with: {path: rows.jsonl}, holdout: 0.5}
reward:
  components: {letters: {use: toy/letters}, short: {use: toy/brevity}}
  total: short
stages:
  - {use: sft, steps: 6, save_every: 2, keep: best, validation: {component: letters}}
backend: {use: trl}
"""


def scored(*values, raw=None, gold=None):
    """Groups of one completion with these values; `raw` and `gold` are as many."""
    return [
        ScoredGroup(
            sample=Sample(id=str(at), prompt=(), fields={} if gold is None else {"score": gold[at]}),
            completions=[Completion(text="")],
            components={"c": [Score(error="?") if v is None else Score(value=v, info={"raw": raw and raw[at]})]},
            totals=[None],
            shaped=[],
        )
        for at, v in enumerate(values)
    ]


class TestTheFigure:
    @each_case(
        "options, groups, value",
        [
            ({}, scored(0.0, 0.5, 1.0), 0.5),
            ({"max_missing": 0.5}, scored(0.0, None), 0.0),
            ({"max_missing": 0.2}, scored(1.0, None), None),
            ({}, scored(None), None),
            ({"metric": "kendall_tau"}, scored(0, 0, 0, raw=[1, "2", 3.0], gold=[1, 5, "7"]), 1.0),
            ({"metric": "kendall_tau"}, scored(0, 0, 0, raw=["3", "2", "1"], gold=[1, 5, 7]), -1.0),
            ({"metric": "kendall_tau"}, scored(0, 0, raw=["3", "3"], gold=[1, 5]), None),
        ],
    )
    def test_is_of_the_answers_with_a_score(self, options, groups, value):
        found = checkpoint_score(Validation(component="c", **options), 4, groups)
        assert found.value == value
        assert found.missing == sum(group.components["c"][0].value is None for group in groups)

    def test_needs_a_scale_for_a_rank_correlation(self):
        groups = scored(1, 1, raw=["Assistant A", "Tie"], gold=[1, 2])
        with pytest.raises(
            UserError, match="c read 'Assistant A', which is not a number; `metric: kendall_tau` is for"
        ):
            checkpoint_score(Validation(component="c", metric="kendall_tau"), 1, groups)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": number, "prompt": f"{number}?", "response": "x"}) for number in range(9)]
    Path("rows.jsonl").write_text("\n".join(lines))


@pytest.fixture
def choose(toy, rows, tmp_path, write):
    """choose(answers): the step of the checkpoint that is chosen, what was said, and which were sampled."""

    def run(answers, text=RECIPE):
        plan = make_plan(load(write("r.yaml", text)), purpose="run")
        said, sampled = [], []

        def sample(checkpoint, samples):
            sampled.append(int(checkpoint.name))
            return [Group(sample=one, completions=(Completion(text=answers[int(checkpoint.name)]),)) for one in samples]

        (tmp_path / "run").mkdir(exist_ok=True)
        with (
            closing(RunDirectory(path=tmp_path / "run")) as directory,
            closing(StageJob(plan=plan, run=directory, index=0, say=said.append)) as job,
        ):
            found = best_checkpoint(job, {step: tmp_path / str(step) for step in answers}, sample)
        return int(found.name), said, sampled

    return run


class TestTheChoice:
    def test_is_the_best_and_of_equals_the_earlier(self, choose):
        chosen, said, sampled = choose({6: "a1", 2: "1", 4: "b2"})
        assert (chosen, sampled) == (4, [2, 4, 6])
        assert said == [
            "step 2: mean of letters 0.0000",
            "step 4: mean of letters 0.5000",
            "step 6: mean of letters 0.5000",
            "keeps the checkpoint of step 4, the best of 3",
        ]

    def test_measures_nothing_twice(self, choose, tmp_path):
        choose({2: "a", 4: "1"})
        (tmp_path / "run" / "validation" / "0-sft-4.json").unlink()
        assert choose({2: "1", 4: "1"}) == (2, choose({2: "a", 4: "1"})[1], [4])

    def test_of_none_that_has_a_figure_ends_the_stage(self, choose, tmp_path):
        for step in (2, 4):
            path = tmp_path / "run" / "validation" / f"0-sft-{step}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"step": step, "value": None, "answers": 3, "missing": 2}))
        with pytest.raises(JobError, match="no checkpoint can be chosen by letters"):
            choose({2: "a", 4: "a"})

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            (", holdout: 0.5", "", "no row of data/jsonl is held out to choose a checkpoint by"),
            ("component: letters", "component: letters, metric: kendall_tau", "field 'score' holds None, which is no"),
        ],
    )
    def test_needs_rows_that_decide(self, choose, old, new, told):
        with pytest.raises(UserError, match=told):
            choose({2: "a"}, RECIPE.replace(old, new))


class TestCheck:
    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ("save_every: 2, ", "", "chooses among checkpoints; say how often there is one"),
            ("keep: best, ", "", "`keep: best` and `validation` go together"),
            (", validation: {component: letters}", "", "`keep: best` and `validation` go together"),
            ("component: letters", "component: leters", "no component 'leters'; did you mean 'letters'"),
            ("use: trl", "use: openrlhf, gpus_per_node: 1, address: ray://a:1", "the checkpoints are on the cluster"),
            (
                "use: sft, steps: 6, save",
                "use: rl, algorithm: dr_grpo, steps: 6, save",
                "stages.0.keep: is for sft and dpo; of an rl stage keep several",
            ),
            ("use: trl", "use: toy", "stages.0.keep: toy hands on the last checkpoint"),
        ],
    )
    def test_names_what_is_missing(self, toy, rows, write, old, new, told):
        text = RECIPE.replace(old, new)
        text = text.replace("use: trl", "use: openrlhf, gpus_per_node: 1") if "use: rl" in text else text
        with pytest.raises(UserError) as error:
            check_recipe(load(write("r.yaml", text)))
        assert told in str(error.value)

    def test_a_stage_that_scores_needs_a_reward(self, toy, rows, write):
        start, end = RECIPE.index("reward:"), RECIPE.index("stages:")
        with pytest.raises(UserError, match="`validation` needs a reward"):
            check_recipe(load(write("r.yaml", RECIPE[:start] + RECIPE[end:])))
