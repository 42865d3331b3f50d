"""What verl's trainer and its losses get, step by step, against formulas that are computed here, apart."""

import json
import math
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest
from helpers.recorded_groups import recorded_groups

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.nightly, pytest.mark.verl]  # in CI are test_equal_rewards.py and test_advantages.py

RECIPE = """
version: 1
seed: 1
model: MODEL
dataset: {use: toy/counting, with: {rows: 12}}
reward:
  components:
    letters: {use: toy/letters}
    longest: {use: toy/longest}
    faulty: {use: toy/faulty, with: {how: fail, when: " "}, on_missing: zero_advantage, max_missing: 1}
  total: letters + 0.1 * longest + faulty
stages:
  - {use: rl, algorithm: ALGORITHM, group_size: 4, batch_size: 4, micro_batch_size: 8, steps: 3, max_new_tokens: 8,
     learning_rate: 1.0e-3, save_every: 2}
backend: {use: verl, gpus_per_node: 1, precision: fp32, engine: ENGINE}
"""
WEIGHTS = {"letters": 1, "longest": 0.1, "faulty": 1}
COEF, LAMBDA, GAMMA, EPSILON = 0.05, 0.9, 0.99, 1e-4
CLOSE, CLOSE_BF16 = 3e-6, 0.02  # of numbers around 1
LOST_ONE = {"barrier": {"on_partial": "score"}}
KL_IN_LOSS, KL_IN_REWARD = (f"stages.0.kl={{coef: {COEF}, in: {place}}}" for place in ("loss", "reward"))


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of a job: what verl's trainer trained on, its groups in the ledger, and the numbers of verl's losses."""

    batch: list[dict]
    ledger: list[list[dict]]
    numbers: dict
    weights: Path

    @property
    def totals(self):
        return [[row["total"] for row in group] for group in self.ledger]

    @property
    def scored(self):
        return sum(total is not None for total in chain(*self.totals))

    @property
    def kl(self):
        """log p - log q at each token: the estimate k1."""
        return [minus(row["old_log_probs"], row["ref_log_prob"]) for row in self.batch]

    def has(self, close=CLOSE, **wanted):
        """Assert that tensors of the batch are these, each (completions, tokens)."""
        for name, rows in wanted.items():
            for row, values in zip(self.batch, rows, strict=True):
                assert row[name] == pytest.approx(values, abs=close), (name, row)

    def told(self, **wanted):
        """Assert that these are numbers of verl's actor."""
        for name, value in wanted.items():
            assert self.numbers[f"actor/{name}"] == pytest.approx(value, abs=CLOSE), name

    def on_each_token(self, values):
        return [[value] * len(row["advantages"]) for value, row in zip(values, self.batch, strict=True)]


@pytest.fixture
def steps(jobs, model_folder, toy_path, tmp_path):
    """Run the recipe with overrides and settings of the engine, and return its steps.

    With on_partial: score a completion of the first step is lost.
    """

    def run(algorithm, *overrides, **engine):
        text = RECIPE.replace("MODEL", str(model_folder("llama"))).replace("ALGORITHM", algorithm)
        path, told = tmp_path / "recipe.yaml", tmp_path / "received.jsonl"
        path.write_text(text.replace("ENGINE", json.dumps({**jobs.ON_CPU, **engine})))
        env = {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
        if "barrier" in engine:
            env["REWARDLAB_CPU_ENGINE_RAISE"] = "?"
        run = jobs.run(tmp_path, path, *overrides, env=env, paths=[toy_path]).succeeded().directory
        groups = recorded_groups(run)
        numbers = jobs.read_lines(run / "logs" / "0-rl.steps-0.jsonl")
        return [
            Step(
                batch=batch,
                ledger=[groups[name] for name in dict.fromkeys(row["group"] for row in batch)],
                numbers=line["data"],
                weights=run / "checkpoints" / "0-rl" / f"global_step_{line['step'] - 1}",
            )
            for batch, line in zip(jobs.batches(told), numbers, strict=True)
        ]

    return run


def taught(found):
    """Return of each step whether a group before it had totals that differ: from then on the weights are others."""
    lessons = [any(len({*group} - {None}) > 1 for group in step.totals) for step in found]
    return [any(lessons[:at]) for at in range(len(found))]


def minus(some, others):
    return [a - b for a, b in zip(some, others, strict=True)]


def mean(values):
    return math.fsum(values) / len(values)


def root_mean_square(values, count):
    return math.sqrt(math.fsum(value**2 for value in values) / max(1, count))


def centred(values):
    """Return the values less the mean of those that are there, and 0 for one that is not."""
    there = [value for value in values if value is not None]
    return [0.0 if value is None else value - mean(there) for value in values]


def over_spread(values, count):
    """Return centred values over their standard deviation, with `count` degrees of freedom."""
    return [value / (root_mean_square(values, count) + EPSILON) for value in values]


def standard(values):
    """Return the values, some of which may be missing, as GRPO's advantages."""
    return over_spread(centred(values), sum(value is not None for value in values) - 1)


def others_as_baseline(values):
    """Return RLOO's advantages."""
    count = sum(value is not None for value in values)
    return [value * count / max(1, count - 1) for value in centred(values)]


def by_component(group):
    """Return GDPO's sums of a group, before they are whitened over the step."""
    voting = [row["total"] is not None for row in group]
    parts = []
    for name, weight in WEIGHTS.items():
        values = [row["components"][name]["value"] if votes else None for row, votes in zip(group, voting, strict=True)]
        parts.append([weight * value for value in standard(values)])
    return [math.fsum(of) for of in zip(*parts, strict=True)]


def to_go(values):
    """Return at each token the sum of the values from it on."""
    return [math.fsum(values[at:]) for at in range(len(values))]


def generalized(rewards, values):
    """Return the advantages of Schulman et al. 2016, before they are whitened."""
    found, following = [], 0.0
    for at in reversed(range(len(rewards))):
        after = values[at + 1] if at + 1 < len(values) else 0.0
        following = rewards[at] + GAMMA * after - values[at] + GAMMA * LAMBDA * following
        found.insert(0, following)
    return found


def is_bf16(value):
    import torch

    return float(torch.tensor(value).bfloat16()) == value


def log_probabilities(step):
    """Return the log-probabilities of a step's tokens by the weights of the checkpoint before it."""
    import torch
    from rewardlab_verl.job.merged_shards import write_model
    from transformers import AutoModelForCausalLM

    folder = step.weights / "whole"
    write_model(step.weights / "actor", folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    found = []
    for row in step.batch:
        logits = before_each_token(model, row).log_softmax(-1)
        found.append([float(one[token]) for one, token in zip(logits, row["responses"], strict=True)])
    return found


def critics_values(step):
    """Return the values of a step's tokens by the weights of the critic's checkpoint before it."""
    import torch
    from transformers import AutoConfig, AutoModelForTokenClassification

    folder = step.weights / "critic"
    config = AutoConfig.from_pretrained(folder / "huggingface", attn_implementation="eager")
    model = AutoModelForTokenClassification.from_config(config, dtype=torch.float32)
    written = torch.load(folder / "model_world_size_1_rank_0.pt", weights_only=False)
    model.load_state_dict({name: value.to_local() for name, value in written.items()})
    return [before_each_token(model.eval(), row).squeeze(-1).tolist() for row in step.batch]


def before_each_token(model, row):
    """Return what a model says at the place before each token of a completion."""
    import torch

    with torch.no_grad():
        logits = model(torch.tensor([row["prompts"] + row["responses"]])).logits[0]
    return logits[len(row["prompts"]) - 1 : -1]


def test_whitened_over_those_that_have_a_vote_with_a_penalty_in_the_loss(steps):
    """The group that lost a completion is among them; and what is computed in fp32 is not rounded to bf16."""
    found = steps("reinforce_baseline", KL_IN_LOSS, **LOST_ONE)
    assert [len(step.batch) for step in found] == [15, 16, 16]
    for step in found:
        values = [value for group in step.totals for value in centred(group)]
        step.has(advantages=step.on_each_token(over_spread(values, step.scored)))
        loss = -mean([*chain(*(row["advantages"] for row in step.batch))])
        penalty = mean([math.exp(-k1) + k1 - 1 for k1 in chain(*step.kl)])
        step.told(pg_loss=loss, kl_loss=penalty, kl_coef=COEF, loss=loss + COEF * penalty)
    assert [step.numbers["actor/kl_loss"] > 1e-6 for step in found] == taught(found)
    told = [value for step in found for row in step.batch for value in row["old_log_probs"]]
    assert sum(map(is_bf16, told)) < len(told) / 100
    found[2].has(old_log_probs=log_probabilities(found[2]))


def test_ppos_values_returns_and_advantages_with_a_penalty_in_the_reward(steps):
    """FlashAttention, without which verl loads no critic and which has no fp32, is one of the stand-ins (README.md)."""
    critic = f"stages.0.critic={{lambda: {LAMBDA}, gamma: {GAMMA}}}"
    others = "reward.components.faulty.on_missing=0.25", "backend.precision=bf16"
    found = steps("ppo", KL_IN_REWARD, critic, *others, attention="flash_attention_2")
    for step in found:
        kl, values = step.kl, [row["values"] for row in step.batch]
        scores = [[0.0] * (len(of) - 1) + [total] for of, total in zip(values, chain(*step.totals), strict=True)]
        rewards = [minus(of, [COEF * k for k in ks]) for of, ks in zip(scores, kl, strict=True)]
        advantages = [generalized(*of) for of in zip(rewards, values, strict=True)]
        returns = [minus(some, [-value for value in of]) for some, of in zip(advantages, values, strict=True)]
        tokens = [*chain(*advantages)]
        spread = root_mean_square(centred(tokens), len(tokens) - 1)
        whitened = [[(value - mean(tokens)) / spread for value in of] for of in advantages]
        step.has(token_level_scores=scores)
        step.has(CLOSE_BF16, token_level_rewards=rewards, returns=returns, advantages=whitened)
        step.told(reward_kl_penalty=mean([mean(of) for of in kl]), reward_kl_penalty_coeff=COEF)
        apart = mean([value**2 for pair in zip(values, returns, strict=True) for value in minus(*pair)])
        assert step.numbers["critic/vf_loss"] == pytest.approx(apart / 2, rel=CLOSE_BF16)
    assert [abs(step.numbers["actor/reward_kl_penalty"]) > 1e-6 for step in found] == [False, True, True]
    found[2].has(CLOSE_BF16, values=critics_values(found[2]))


def test_gdpos_whitening_counts_the_group_that_lost_one(steps):
    for step in steps("dr_grpo", "reward.normalize=[normalize/gdpo]", KL_IN_LOSS, **LOST_ONE):
        values = [value for group in step.ledger for value in by_component(group)]
        step.has(advantages=step.on_each_token(over_spread(values, step.scored - 1)))


@pytest.mark.parametrize(
    ("algorithm", "formula"), [("grpo", standard), ("dr_grpo", centred), ("rloo", others_as_baseline)]
)
def test_a_penalty_in_the_reward_counts_for_the_tokens_before_it(steps, algorithm, formula):
    found = steps(algorithm, KL_IN_REWARD, **LOST_ONE)
    for step in found:
        values = [value for group in step.totals for value in formula(group)]
        penalties = [[COEF * value for value in to_go(of)] for of in step.kl]
        step.has(advantages=[minus(*of) for of in zip(step.on_each_token(values), penalties, strict=True)])
    assert [any(abs(k) > 1e-6 for k in chain(*step.kl)) for step in found] == taught(found)


def test_a_penalty_in_the_loss_of_several_updates(steps):
    """The first of a step's updates begins at its old log-probabilities, the second does not."""
    found = steps("grpo", f"stages.0.kl={{coef: {COEF}, estimator: k2}}", "stages.0.updates_per_batch=2")
    for step in found:
        step.has(advantages=step.on_each_token([value for group in step.totals for value in standard(group)]))
    assert all(step.numbers["actor/kl_loss"] > 0 for step, moved in zip(found, taught(found), strict=True) if moved)
    assert found[0].kl == [[0.0] * len(of) for of in found[0].kl]


def test_cispo_weighs_log_probabilities_and_entropy_is_rewarded(steps):
    """In a step of one update every weight is 1."""
    stage = "stages.0.preset=cispo", "stages.0.updates_per_batch=1", f"stages.0.entropy_coef={COEF}"
    for step in steps("grpo", *stage):
        pairs = [zip(row["advantages"], row["old_log_probs"], strict=True) for row in step.batch]
        loss = -mean([advantage * log_prob for advantage, log_prob in chain(*pairs)])
        step.told(pg_loss=loss, loss=loss - COEF * step.numbers["actor/entropy"])


def test_gspo_averages_whole_completions(steps):
    for step in steps("grpo", "stages.0.preset=gspo", "stages.0.updates_per_batch=1"):
        step.told(pg_loss=-mean([mean(row["advantages"]) for row in step.batch]))
