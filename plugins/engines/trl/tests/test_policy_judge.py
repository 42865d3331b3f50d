"""The judge `policy/self`: the model in training answers, with its current weights or those of the stage's start."""

import asyncio
import json

import pytest
from rewardlab import Ask
from rewardlab_trl.models import load_model
from rewardlab_trl.policy_judge_spec import PolicyOptions

pytestmark = pytest.mark.slow  # imports torch and transformers

QUESTIONS = ["How much is 3 + 1?", "4 ?", "How much is 13 + 11, and how much is it not?"]
RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
judges:
  now: {use: policy/self, with: {max_tokens: 4, temperature: 1}}
  before: {use: policy/self, with: {max_tokens: 4, weights: start}}
reward:
  components:
    liked: {use: toy/prefer, with: {judge: now}}
    once: {use: toy/prefer, with: {judge: before}}
    letters: {use: toy/letters}
  total: liked + once + letters
stages:
  - {use: rl, dataset: {use: toy/counting, with: {rows: 16}}, algorithm: dr_grpo, group_size: 4, batch_size: 4,
     steps: 3, max_new_tokens: 8, learning_rate: 1.0e-3, save_every: 1,
     eval: {dataset: {use: toy/counting, with: {rows: 4}}}}
"""


@pytest.fixture
def answers(model_folder):
    from rewardlab_trl.policy_judge import PolicyAnswers

    folder = str(model_folder("qwen2"))
    answers = PolicyAnswers(load_model(folder, "cpu"), seed=0, bf16=False, start=lambda: load_model(folder, "cpu"))
    yield answers
    answers.close()


def replies(judge, questions=QUESTIONS, **params):
    """The judge's replies to questions that are asked at once."""

    async def ask():
        asks = [Ask(messages=({"role": "user", "content": text},), params=params) for text in questions]
        return await asyncio.gather(*map(judge.ask, asks))

    return asyncio.run(ask())


def test_questions_at_once_get_what_each_gets_alone(answers):
    judge = answers.judge(PolicyOptions(max_tokens=6))
    together = replies(judge)
    assert together == [reply for question in QUESTIONS for reply in replies(judge, [question])]
    assert [reply.error for reply in together] == [None] * 3
    assert all(0 < reply.completion_tokens <= 6 < reply.prompt_tokens for reply in together)


def test_what_is_sampled_is_the_same_in_another_run(answers):
    hot = answers.judge(PolicyOptions(max_tokens=6, temperature=2))
    assert replies(hot) == replies(hot)
    assert replies(hot) != replies(answers.judge(PolicyOptions(max_tokens=6)))


def test_training_changes_the_current_answers_and_not_those_of_the_start(answers):
    import torch

    now, start = (answers.judge(PolicyOptions(max_tokens=8, weights=weights)) for weights in ("current", "start"))
    before = replies(now)
    assert replies(start) == before
    torch.manual_seed(0)
    with torch.no_grad():
        for weights in answers.policy.model.parameters():
            weights.copy_(torch.randn_like(weights))
    assert replies(now) != before
    assert replies(start) == before


@pytest.mark.parametrize(
    ("params", "question", "error"),
    [
        ({"seed": 3}, "4 ?", "policy/self takes no seed; it takes temperature, top_p, max_tokens, thinking"),
        ({"max_tokens": 4}, "4 " * 200, "do not fit into the model's 128"),
        ({"thinking": True}, "4 ?", None),
    ],
)
def test_what_cannot_be_answered_is_an_error_and_no_text(answers, params, question, error):
    (reply,) = replies(answers.judge(PolicyOptions(max_tokens=6)), [question], **params)
    assert (error is None) == (reply.error is None)
    assert error is None or (error in reply.error and reply.text == "")


def test_an_rl_stage_is_judged_by_its_own_policy(command, tmp_path):
    (tmp_path / "r.yaml").write_text(RECIPE)
    code, out, err = command(tmp_path, "run", "r.yaml")
    assert code == 0, out + err
    run = tmp_path / out.split("run directory: ")[1].splitlines()[0]
    rows = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    scores = [row["components"][name] for row in rows for name in ("liked", "once")]
    assert len(scores) >= 3 * 16 * 2
    assert {score["error"] for score in scores} == {None}
    assert list((run / "judges").glob("*.answers.jsonl")) == [], "answers of weights that change are not kept"
    usage = json.loads((run / "judges" / "now.usage.json").read_text())
    assert usage["calls"] > 0
