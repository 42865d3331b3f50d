"""What two recipes declare alike: a component scores for both, a process with a model answers both."""

import json
from collections import Counter

import pytest

COUNTING = r"""
import os
from pathlib import Path
from rewardlab import Config, RewardSpec, Score, hookimpl

class Options(Config):
    unit: float = 100.0

class Length:
    def __init__(self, options): self.unit = options.unit
    def score(self, items):
        with open("scored.txt", "a") as file: file.writelines(f"{completion.text}\n" for _, completion in items)
        return [Score(value=min(1.0, len(completion.text) / self.unit)) for _, completion in items]

class Modelled(Length):
    def __init__(self, options, context):
        super().__init__(options)
        self.model = context.workers.open(Path(__file__).with_name("model.py"), {})
    async def score(self, items):
        await self.model.ask([completion.text for _, completion in items])
        return Length.score(self, items)

@hookimpl
def rewardlab_rewards():
    same = dict(summary="the text's length", config=Options)
    return [RewardSpec(name="length", scope="completion", build=lambda o, c: Length(o), **same),
            RewardSpec(name="modelled", scope="batch", runs="async", build=Modelled, **same)]
"""
MODEL = """
class Model:
    def answer(self, questions): return questions

def build(settings, context):
    with open(PATH, "a") as file: file.write("a model was loaded\\n")
    return Model()
"""
ROWS = [{"id": f"r{k}", "prompt": "?", "completions": [f"{k}", f"{k} and more"], "word": "w"} for k in range(40)]
ONCE, TWICE = ({text: times for row in ROWS for text in row["completions"]} for times in (1, 2))


@pytest.fixture
def compare(offer, write, main, tmp_path):
    """`compare("b:reward.total=-x")`: how often each text was scored; the correlation."""
    write("scored.txt", "")
    write("rows.jsonl", ROWS)
    (offer("counting", COUNTING) / "model.py").write_text(MODEL.replace("PATH", repr(str(tmp_path / "loaded.txt"))))

    def run(*overrides, use="counting/length", **more):
        components = {"x": {"use": use}, **more}
        write("r.yaml", json.dumps({"version": 1, "reward": {"components": components, "total": "x"}}))
        code, out, err = main("compare", "r.yaml", "r.yaml", "rows.jsonl", *overrides, "--json")
        assert code == 0
        assert all(line.startswith("warning: override 'reward.components.x.threads") for line in err.splitlines())
        pearson = json.loads(out)["slices"]["all"]["pearson"]["mean"]
        return Counter((tmp_path / "scored.txt").read_text().splitlines()), pearson

    return run


@pytest.mark.parametrize(
    ("overrides", "pearson"),
    [
        ([], 1.0),
        (["b:reward.total=-x"], -1.0),
        (["b:reward.components.x.on_missing=0"], 1.0),
        (["b:reward.components={other: {use: counting/length}}", "b:reward.total=-other"], -1.0),
    ],
)
def test_a_component_of_both_scores_each_completion_once(compare, overrides, pearson):
    assert compare(*overrides) == (ONCE, pytest.approx(pearson))


@pytest.mark.parametrize(
    "override",
    [
        "b:reward.components.x.with.unit=50",
        "b:seed=1",
        "b:reward.components.x.threads=2",
        "b:dataset={use: data/jsonl, with: {path: rows.jsonl}, fields: {sound: word}}",
    ],
)
def test_what_might_score_otherwise_scores_by_itself(compare, override):
    assert compare(override) == (TWICE, pytest.approx(1.0))


def test_of_several_alike_each_is_one_of_the_other_side(compare):
    again = {"use": "counting/length"}
    assert compare(y=again) == (TWICE, pytest.approx(1.0))  # x of both, and y of both


@pytest.mark.slow
def test_a_model_that_both_use_is_loaded_once_though_they_score_by_themselves(compare, tmp_path):
    assert compare("b:reward.components.x.with.unit=50", use="counting/modelled")[0] == TWICE
    assert len((tmp_path / "loaded.txt").read_text().splitlines()) == 1
