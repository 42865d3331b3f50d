"""The policy as a judge of its own group, and a group sampler that asks it for more: with real rollout engines."""

import json
import os
import re
from math import cos, pi

import pytest
from rewardlab_testing.backend_laws.ledger import read_groups

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.nightly, pytest.mark.openrlhf]

STEPS, PROMPTS, SIZE, CAP = 3, 4, 4, 12
STOP, PASSES, RATE, LEAST = ".", 2, 1.0e-4, 2.0e-5


@pytest.fixture(scope="module")
def sampled(jobs, model, toy_path, tmp_path_factory):
    """A job in which every completion is judged by the policy, and groups grow until they are balanced."""
    path = os.pathsep.join([str(jobs.ENGINE), str(toy_path)])
    return jobs.run(
        tmp_path_factory.mktemp("sampled"),
        jobs.HERE / "recipes" / "short.yaml",
        f"model={model}",
        "stages.0.algorithm=dr_grpo",
        "stages.0.kl={coef: 0.02, in: loss, estimator: k3}",
        f"stages.0.steps={STEPS}",
        f"stages.0.batch_size={PROMPTS}",
        f"stages.0.group_size={SIZE}",
        "stages.0.top_p=0.95",
        "stages.0.top_k=40",
        f"stages.0.stop=['{STOP}']",
        f"stages.0.epochs_per_batch={PASSES}",
        "stages.0.schedule=cosine",
        f"stages.0.learning_rate={RATE}",
        f"stages.0.min_learning_rate={LEAST}",
        "judges.policy={use: policy/self, with: {max_tokens: 12, temperature: 0.7}}",
        "reward.components.liked={use: toy/prefer, with: {judge: policy}}",
        "reward.components.short={use: toy/brevity, with: {words: 12}}",
        "reward.components.letters={use: toy/letters}",  # nearly always differ in a group
        "reward.total=preference + accuracy + liked + short + letters",
        "curriculum={use: curriculum/file_order}",
        f"sampler={{use: curriculum/balanced, with: {{reasoning: format, answer: accuracy, cap: {CAP}}}}}",
        "backend.engine.context=512",
        name="sampled",
        env={"PYTHONPATH": path},
    ).succeeded()


def test_the_policy_is_asked_about_every_completion(sampled):
    rows = sampled.ledger(trained="yes")
    assert len(rows) == STEPS * PROMPTS * SIZE
    unchosen = sampled.ledger(trained="no")
    assert {(row["phase"], row["total"], row["shaped"]) for row in unchosen} == {("training", None, None)}
    assert {row["id"] for row in unchosen} <= {row["id"] for row in rows}
    assert len(unchosen) <= STEPS * PROMPTS * (CAP - SIZE)
    alone = ("accuracy", "format", "short", "letters")
    assert {tuple(row["components"]) for row in unchosen} == {alone}, "none of the group's"
    assert all(row["components"]["liked"]["error"] is None for row in rows)
    assert all(row["components"]["liked"]["value"] in (0.0, 1.0) for row in rows)


def test_a_stop_string_ends_a_completion_and_rewards_read_it(sampled):
    texts = [row["completion"] for row in sampled.ledger(trained="yes")]
    assert any(STOP in text for text in texts)
    assert all(STOP not in text.rstrip()[:-2] for text in texts), "nothing is sampled after the token that ends it"


def test_the_rate_falls_to_its_minimum_over_the_updates_of_both_passes(sampled):
    log = (sampled.directory / "logs" / "0-rl.log").read_text(encoding="utf-8")
    rates = [float(rate) for rate in re.findall(r"'actor_lr': ([\d.e-]+)", log)]
    updates = STEPS * PASSES
    least = [LEAST + (RATE - LEAST) * (1 + cos(pi * PASSES * step / updates)) / 2 for step in range(1, STEPS + 1)]
    assert rates == pytest.approx(least, rel=1e-3)


def test_the_policy_moves_away_from_the_reference_in_the_loss_with_its_first_lesson(sampled):
    """That is, by the ledger, a group whose totals differ. Of its step, which has two updates, nothing is claimed."""
    groups = read_groups(sampled.directory)
    lessons = [group.step for group in groups if group.trained and len({row["total"] for row in group.rows}) > 1]
    first = min(lessons, default=STEPS + 1)
    log = (sampled.directory / "logs" / "0-rl.log").read_text(encoding="utf-8")
    kl = [float(value) for value in re.findall(r"'kl': ([\d.e-]+)", log)]
    assert len(kl) == STEPS
    assert kl[: first - 1] == [0.0] * (first - 1)
    assert all(value > 0 for value in kl[first:])


def test_what_it_was_asked_is_counted_and_its_answers_are_not_kept(sampled):
    usage = [json.loads(line) for line in (sampled.directory / "usage.jsonl").read_text().splitlines()]
    assert {row["judge"] for row in usage} == {"policy"}
    assert sum(row["calls"] for row in usage) + sum(row["reused"] for row in usage) >= STEPS * PROMPTS * SIZE
    assert not list((sampled.directory / "judges").glob("*.answers.jsonl"))
