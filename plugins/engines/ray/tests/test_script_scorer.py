"""The actor that scores for a script of an engine's own, which has no job of ours around it."""

import asyncio
import json

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Sample
from rewardlab.errors import JobError
from rewardlab_ray.scoring.script_scorer import ScriptScorer, ScriptSettings

RECIPE = """
version: 1
reward:
  components:
    short: {use: toy/brevity, with: {words: 1}}
    longest: {use: toy/longest}
  total: short + longest
"""
SIZES = 3, 1  # of groups of the training, and of the validation
pytestmark = pytest.mark.usefixtures("toy")


def nobody_validates():
    async def holds(uid):
        return False

    return holds


def test_a_reward_that_blocks_its_thread_ends_the_job_with_that_reason(tmp_path, monkeypatch):
    monkeypatch.setattr("rewardlab.scoring.host.OVERDUE", 0.1)
    recipe = RECIPE.replace("toy/brevity, with: {words: 1}", "toy/faulty, with: {how: hang, seconds: 3}")
    (tmp_path / "reward.yaml").write_text(recipe)
    times = {"completion_timeout": 60, "scoring_timeout": 0.1, "on_partial": "fail"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=tmp_path / "rewardlab", **times)
    sample = Sample(id="g", prompt=({"role": "user", "content": "?"},))

    async def whole():
        scorer = ScriptScorer(settings, nobody_validates)
        try:
            for uid in ("g", "after"):
                with pytest.raises(JobError, match=r"no scores within 0.2 s: a reward blocks its thread"):
                    await scorer.member(uid, 0, 1, (1, 1), sample, Completion(text="BAD"))
        finally:
            await scorer.close()

    asyncio.run(asyncio.wait_for(whole(), 60))


def test_a_script_goes_on_behind_the_attempt_that_a_kill_has_cut_off(tmp_path):
    (tmp_path / "reward.yaml").write_text(RECIPE)
    ledger = tmp_path / "rewardlab" / "ledger.jsonl"
    ledger.parent.mkdir()
    ledger.write_text('{"attempt": 3, "stage": 0, "group": 7}\n{"attempt": 3, "stage": 0, "gro')
    times = {"completion_timeout": 60, "scoring_timeout": 60, "on_partial": "fail"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=ledger.parent, **times)
    sample = Sample(id="g", prompt=({"role": "user", "content": "?"},))

    async def whole():
        scorer = ScriptScorer(settings, nobody_validates)
        try:
            await scorer.member("g", 0, 1, (1, 1), sample, Completion(text="one"))
        finally:
            await scorer.close()

    asyncio.run(asyncio.wait_for(whole(), 60))
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert [(line["attempt"], line["group"]) for line in lines] == [(3, 7), (4, 0)]


def test_those_that_are_there_are_a_group_of_their_own_if_the_script_says_so(tmp_path):
    (tmp_path / "reward.yaml").write_text(RECIPE)
    times = {"completion_timeout": 0.5, "scoring_timeout": 60, "on_partial": "score"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=tmp_path / "rewardlab", **times)
    sample = Sample(id="g", prompt=({"role": "user", "content": "?"},))

    async def whole():
        scorer = ScriptScorer(settings, nobody_validates)
        texts = {0: "one", 2: "one two"}
        members = (
            scorer.member("g", index, 1, SIZES, sample, Completion(text=text, token_count=1))
            for index, text in texts.items()
        )
        try:
            return await asyncio.gather(*members)
        finally:
            await scorer.close()

    rewards = asyncio.run(asyncio.wait_for(whole(), 60))
    rows = [json.loads(line) for line in (tmp_path / "rewardlab" / "ledger.jsonl").read_text().splitlines()]
    assert [(row["completion"], row["shaped"]) for row in rows] == [("one", 1.0), ("one two", 1.5)]
    assert [reward.value for reward in rewards] == [1.0, 1.5]


TEACHING = """
version: 1
reward:
  components:
    short: {use: toy/brevity, with: {words: 2}}
    faulty: {use: toy/faulty, with: {how: fail}, on_missing: zero_advantage, max_missing: 1}
  total: short + faulty
  correctness: short
  teach: {flat: drop}
"""


@each_case(
    "texts, validates, values",
    [
        (("a", "b"), False, [1.5, 1.5]),
        (("a", "b BAD"), False, [0.0]),
        (("a", "b BAD"), True, [1.5]),
        (("a", "b 1 2 3"), False, [1.5, 1.0]),
    ],
)
def test_the_only_one_that_is_there_of_a_group_that_is_left_out_trains_nothing(tmp_path, texts, validates, values):
    """Its engine takes no mean off it, as it does off several that are equal."""
    (tmp_path / "reward.yaml").write_text(TEACHING)
    times = {"completion_timeout": 60, "scoring_timeout": 60, "on_partial": "fail"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=tmp_path / "rewardlab", **times)

    def validation():
        async def holds(uid):
            return validates

        return holds

    async def whole():
        scorer, sample = ScriptScorer(settings, validation), Sample(id="g", prompt=({"role": "user", "content": "?"},))
        members = (
            scorer.member("g", index, 1, (2, 2), sample, Completion(text=text, token_count=1))
            for index, text in enumerate(texts)
        )
        try:
            return await asyncio.gather(*members, return_exceptions=True)
        finally:
            await scorer.close()

    found = asyncio.run(asyncio.wait_for(whole(), 60))
    assert [one.value for one in found if not isinstance(one, JobError)] == values
