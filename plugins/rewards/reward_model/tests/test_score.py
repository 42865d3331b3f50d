"""reward_model/score with a stand-in for the model: what is sent to it, and what becomes of its answers."""

import asyncio
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample, find
from rewardlab.errors import UserError
from rewardlab_reward_model.score import sigmoid

SPEC = find("reward", "reward_model/score")
SAMPLE = Sample(id="s", prompt=({"role": "system", "content": "Be short."}, {"role": "user", "content": "2 + 2?"}))


class Worker:
    """A stand-in for the model's process, which gives each answer of `says`, or the number in the response."""

    def __init__(self, says=None):
        self.says, self.asked, self.opened = says, [], []

    def open(self, file, settings):
        self.opened.append((Path(file).name, settings))
        return self

    async def ask(self, questions):
        self.asked += questions
        return [self.says or {"score": float(q["response"].split()[-1]), "cut": 0} for q in questions]


def score(worker, *texts, **options):
    reward = SPEC.build(SPEC.config(model="org/model", **options), Context(workers=worker))
    return asyncio.run(reward.score([(SAMPLE, Completion(text=text)) for text in texts]))


def test_the_value_is_the_sigmoid_of_the_score():
    found = score(Worker(), "0", "2", "-3")
    assert [one.value for one in found] == pytest.approx([0.5, 1 / (1 + math.exp(-2)), 1 / (1 + math.exp(3))])
    assert [one.info for one in found] == [{"raw": 0.0}, {"raw": 2.0}, {"raw": -3.0}]


def test_a_center_and_a_scale_move_and_stretch_it():
    assert score(Worker(), "12", "17", center=12, scale=5)[0].value == 0.5
    assert score(Worker(), "17", center=12, scale=5)[0].value == pytest.approx(1 / (1 + math.exp(-1)))


@each_case("x", [-1e6, -745.0, 0.0, 745.0, 1e6])
def test_no_score_is_too_large(x):
    assert 0.0 <= sigmoid(x) <= 1.0


def test_the_model_reads_the_prompt_and_the_response_after_the_thoughts():
    worker = Worker()
    score(worker, "<think>it is 4</think>\n\n4 ")
    assert worker.asked == [{"prompt": [dict(message) for message in SAMPLE.prompt], "response": "4"}]
    score(worker, "<think>it is 4</think> 4", read="all")
    assert worker.asked[1]["response"] == "<think>it is 4</think> 4"


def test_a_blank_response_is_not_read():
    worker = Worker()
    *blank, five = score(worker, "<think>hm</think>  ", "\u200b\ufe0f", "<think>4, or", "5")
    assert [(found.value, found.info) for found in blank] == [(0.0, {"empty": True})] * 3
    assert five.info == {"raw": 5.0}
    assert len(worker.asked) == 1


def test_of_a_label_the_probability():
    [found] = score(Worker({"probability": 0.25, "cut": 3}), "x", label="good")
    assert (found.value, found.info) == (0.25, {"cut": 3})


def test_what_the_model_could_not_score_is_a_failure():
    [found] = score(Worker({"error": "the model's output is not finite"}), "x")
    assert (found.value, found.error) == (None, "the model's output is not finite")


def test_components_that_read_the_same_model_alike_share_its_process():
    worker = Worker()
    score(worker, "1", center=1.0)
    score(worker, "1", scale=3.0, read="all")
    assert worker.opened[0] == worker.opened[1]
    assert worker.opened[0][0] == "model_worker.py"


def test_a_path_without_a_model_is_told_at_once(tmp_path):
    for model in ("./nowhere", str(tmp_path / "nowhere"), "runs/rm/checkpoint-3"):
        with pytest.raises(UserError, match="no folder"):
            SPEC.build(SPEC.config(model=model), Context(workers=Worker()))
    with pytest.raises(UserError, match=r"no config\.json"):
        SPEC.build(SPEC.config(model=str(tmp_path)), Context(workers=Worker()))


@each_case("wrong", [{}, {"model": ""}, {"model": "a", "scale": 0}, {"model": "a", "read": "answer"}])
def test_options_are_checked(wrong):
    with pytest.raises(ValidationError):
        SPEC.config(**wrong)


def test_the_readme_names_every_option():
    readme = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    assert set(SPEC.config.model_fields) <= set(re.findall(r"`(\w+)[:`]", readme))


@pytest.mark.slow
def test_importing_the_plugin_imports_no_model_library():
    code = "import sys, rewardlab_reward_model; print(*({'torch', 'transformers'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == []
