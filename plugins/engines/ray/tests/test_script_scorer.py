"""The actor that scores for a script of an engine's own, which has no job of ours around it."""

import asyncio
import json
import re

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Sample
from rewardlab.errors import JobError, UserError
from rewardlab.scoring import OtherMemberError
from rewardlab.scoring.host import REMEMBERED
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


def test_of_two_scripts_with_one_folder_the_second_is_refused_until_the_first_has_ended(tmp_path, capsys):
    (tmp_path / "reward.yaml").write_text(RECIPE)
    folder = tmp_path / "rewardlab"
    times = {"completion_timeout": 60, "scoring_timeout": 60, "on_partial": "fail"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=folder, **times)
    sample = Sample(id="g", prompt=({"role": "user", "content": "?"},))

    async def script():
        scorer = ScriptScorer(settings, nobody_validates)
        try:
            problem = (
                f"reward.reward_kwargs.ledger={folder}: another script is writing the ledger here; give each a folder"
            )
            with pytest.raises(UserError, match=re.escape(problem)):
                ScriptScorer(settings, nobody_validates)
            await scorer.member("g", 0, 1, (1, 1), sample, Completion(text="one"))
        finally:
            await scorer.close()

    for _ in range(2):
        asyncio.run(asyncio.wait_for(script(), 60))
    attempts = [json.loads(line)["attempt"] for line in (folder / "ledger.jsonl").read_text().splitlines()]
    assert attempts == [0, 1]
    assert capsys.readouterr().out.count("another script is writing the ledger here") == 2


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


@pytest.mark.slow
def test_a_member_that_comes_after_a_thousand_other_groups_is_no_second_group(tmp_path):
    (tmp_path / "reward.yaml").write_text(RECIPE)
    times = {"completion_timeout": 0.5, "scoring_timeout": 60, "on_partial": "score"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=tmp_path / "rewardlab", **times)
    sample = Sample(id="g", prompt=({"role": "user", "content": "?"},))

    async def whole():
        scorer = ScriptScorer(settings, nobody_validates)

        async def member(uid, index, size):
            return await scorer.member(uid, index, 1, (size, size), sample, Completion(text="one", token_count=1))

        try:
            await member("g", 0, 2)
            with pytest.raises(OtherMemberError, match="completion 1 came after the others had been scored"):
                await member("g", 1, 2)
            await asyncio.gather(*(member(f"other {number}", 0, 1) for number in range(REMEMBERED)))
            for index in (0, 1):
                with pytest.raises(OtherMemberError, match=f"completion {index} of g came long after the others"):
                    await member("g", index, 2)
            return await member("another", 0, 1)
        finally:
            await scorer.close()

    assert asyncio.run(asyncio.wait_for(whole(), 120)).value == 2.0, "the job goes on"
    ledger = (tmp_path / "rewardlab" / "ledger.jsonl").read_text()
    assert len(ledger.splitlines()) == REMEMBERED + 2


def test_a_group_sampler_of_the_recipe_exchanges_no_rewards(tmp_path):
    """A script's groups are what it sampled: nothing is chosen of them, and each member gets its own reward."""
    sampler = "sampler: {use: curriculum/balanced, with: {reasoning: short, answer: short}}\n"
    (tmp_path / "reward.yaml").write_text(RECIPE + sampler)
    times = {"completion_timeout": 60, "scoring_timeout": 60, "on_partial": "fail"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=tmp_path / "rewardlab", **times)
    texts = ["one two three four", "one", "one two", "one two three", "uno"]

    async def whole():
        scorer, sample = ScriptScorer(settings, nobody_validates), Sample(id="g", prompt=())
        members = (
            scorer.member("g", index, 1, (len(texts), 1), sample, Completion(text=text, token_count=1))
            for index, text in enumerate(texts)
        )
        try:
            return [reward.logs["reward/short"] for reward in await asyncio.gather(*members)]
        finally:
            await scorer.close()

    assert asyncio.run(asyncio.wait_for(whole(), 60)) == [0.25, 1.0, 0.5, pytest.approx(1 / 3), 1.0]


TEACHING = """
version: 1
reward:
  components:
    short: {use: toy/brevity, with: {words: 2}}
    letters: {use: toy/letters}
    faulty: {use: toy/faulty, with: {how: fail}, on_missing: zero_advantage, max_missing: 1}
  total: short + letters + faulty
  correctness: short
  teach: {flat: drop}
"""


def test_a_failed_outcome_beside_the_total_ends_no_validation(tmp_path):
    recipe = TEACHING.replace("zero_advantage", "fail").replace("letters + faulty", "0 * letters")
    recipe = recipe.replace("correctness: short", "correctness: faulty")
    (tmp_path / "reward.yaml").write_text(recipe)
    times = {"completion_timeout": 60, "scoring_timeout": 60, "on_partial": "fail"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=tmp_path / "rewardlab", **times)

    def validation():
        async def holds(uid):
            return uid == "measured"

        return holds

    async def whole():
        scorer, sample = ScriptScorer(settings, validation), Sample(id="g", prompt=({"role": "user", "content": "?"},))
        try:
            measured = await scorer.member("measured", 0, 1, (1, 1), sample, Completion(text="BAD", token_count=1))
            with pytest.raises(JobError, match="component 'faulty'"):
                await scorer.member("trained", 0, 1, (1, 1), sample, Completion(text="BAD", token_count=1))
            return measured.value
        finally:
            await scorer.close()

    assert asyncio.run(asyncio.wait_for(whole(), 60)) == 1.0


@each_case(
    "texts, validates, values, taught",
    [
        (("a", "b"), False, [2.5, 2.5], False),
        (("a", "b1"), False, [2.25, 2.25], False),
        (("a", "b BAD"), False, [0.0], False),
        (("a", "b BAD"), True, [2.5], False),
        (("a", "b 1 2 3"), False, [2.5, pytest.approx(8 / 7)], True),
    ],
)
def test_the_only_one_that_is_there_of_a_group_that_is_left_out_trains_nothing(
    tmp_path, texts, validates, values, taught
):
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
    rows = [json.loads(line) for line in (tmp_path / "rewardlab" / "ledger.jsonl").read_text().splitlines()]
    assert rows[-1]["trained"] == ("unknown" if taught else "no")


def test_failures_of_an_outcome_beside_the_total_count_in_the_training_alone(tmp_path):
    outcome = "right: {use: toy/faulty, with: {how: fail}, on_missing: 0}"
    recipe = RECIPE.replace("total: short + longest", "total: short\n  teach: {flat: drop, by: right}")
    (tmp_path / "reward.yaml").write_text(recipe.replace("longest: {use: toy/longest}", outcome))
    times = {"completion_timeout": 60, "scoring_timeout": 60, "on_partial": "fail"}
    settings = ScriptSettings(recipe=tmp_path / "reward.yaml", folder=tmp_path / "rewardlab", **times)
    sample = Sample(id="g", prompt=({"role": "user", "content": "?"},))

    def validation():
        async def holds(uid):
            return uid.startswith("v")

        return holds

    async def whole():
        scorer = ScriptScorer(settings, validation)
        try:
            for number in range(60):
                reward = await scorer.member(f"v{number}", 0, 1, (1, 1), sample, Completion(text="BAD"))
                assert reward.value == 1.0
            with pytest.raises(JobError, match=r"'right' \(toy/faulty\) has no value for 50 of the last 50"):
                for number in range(60):
                    await scorer.member(f"t{number}", 0, 1, (1, 1), sample, Completion(text="BAD"))
        finally:
            await scorer.close()

    asyncio.run(asyncio.wait_for(whole(), 60))
