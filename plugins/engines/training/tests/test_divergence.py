"""What counts as a diverged training: series of numbers as engines log them, and the watch that tells of them."""

import json
import math
import random
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab.errors import JobError
from rewardlab.recipe.loading import load
from rewardlab.recipe.training_stages import Divergence
from rewardlab_training.alarms.alarm_file import FILE, alarm_sentences
from rewardlab_training.alarms.alarm_kinds import AlarmDetector
from rewardlab_training.alarms.alarm_settings import AlarmSettings
from rewardlab_training.alarms.alarm_watch import AlarmWatch
from rewardlab_training.check import check_recipe

RECORDED = sorted((Path(__file__).parent / "recorded_steps").glob("*.jsonl"))
RECIPE = {
    "version": 1,
    "model": {"use": "tiny"},
    "dataset": {"use": "toy/counting"},
    "reward": {"components": {"letters": {"use": "toy/letters"}}, "total": "letters"},
    "stages": [{"use": "rl", "algorithm": "grpo", "steps": 9}],
    "backend": {"use": "trl"},
}


def signs(series, low=0.0, **settings):
    """Return (step, kind, number) of each sign in a series of numbers, from step 1 on."""
    detector = AlarmDetector(AlarmSettings(divergence=Divergence(**settings), low=low, batch_size=8))
    return [(s.step, s.alarm.kind, s.number) for step, row in enumerate(series, 1) for s in detector.add(step, row)]


def of(name, values):
    return [{name: value} for value in values]


def rewards(totals, stds):
    return [{"reward/total": total, "group/std": std} for total, std in zip(totals, stds, strict=True)]


NOISE = random.Random(0)
RISING = [0.1 + 0.02 * n + NOISE.gauss(0, 0.03) for n in range(30)]
FINE = {
    "a loss that falls": of("loss", [9 * 0.9**n for n in range(60)]),
    "a slow drift to thirty times as much": of("kl", [0.2 * 1.06**n for n in range(60)]),
    "a spike of two steps": of("loss", [2, 2.1, 1.9, 2, 2.2, 2, 60, 55, 2, 2]),
    "a spike in the warm-up": of("loss", [5, 80, 70, 6, 5, 4, 4]),
    "losses next to 0, and one that is not": of("loss", [0, 1e-9, -1e-9, 2e-8, 0.3, 0.4, 0.9, 0.5]),
    "a large negative loss": of("loss", [-0.1, -30, -30, -30, -30]),
    "a KL divergence that grows from 0": of("kl", [0, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.6, 0.9]),
    "one that grows quickly at the beginning": of("kl", [0, 0.42, 1.3, 1.7, 2.6, 3.1, 3.7, 3.9]),
    "no values": of("kl", [None] * 20),
    "a reward that rises": rewards(RISING, [0.4] * 30),
    "one that is constant from the start": rewards([0.5] * 40, [0.0] * 40),
    "one that is 0 from the start": rewards([0.0] * 40, [0.0] * 40),
    "one that is all solved in the end": rewards([*RISING, *[1.0] * 30], [*[0.4] * 30, *[0.0] * 30]),
    "prompts that are solved or not, all alike": rewards([*RISING, *[0.95, 0.85] * 15], [*[0.4] * 30, *[0.0] * 30]),
    "a rare reward that stays away": rewards([0, 0.125, 0, 0, 0.06, *[0] * 30], [0, 0.33, 0, 0, 0.2, *[0] * 30]),
    "a fall to harder prompts": rewards([*RISING, *[0.3] * 30], [0.4] * 60),
    "a reward that is missing": rewards([math.nan] * 20, [0.0] * 20),
    "nine flat steps": rewards([*RISING, *[0.0] * 9, 0.5], [*[0.4] * 30, *[0.0] * 9, 0.4]),
}


class TestWhatIsFine:
    @each_case("series", FINE.values())
    def test_says_nothing(self, series):
        assert signs(series) == []

    def test_noise_without_a_known_least_says_nothing(self):
        noise = random.Random(1)
        for _ in range(20):
            assert signs(rewards([noise.gauss(0, 1) for _ in range(300)], [1.0] * 300), low=None) == []

    @each_case("path", RECORDED)
    def test_the_runs_that_come_with_rewardlab_say_nothing(self, path):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(rows) >= 3
        for low in (0.0, None):
            detector = AlarmDetector(AlarmSettings(low=low, batch_size=8))
            assert [sign for row in rows for sign in detector.add(row["step"], row)] == []

    def test_there_are_such_runs(self):
        assert len(RECORDED) >= 3


class TestWhatHasDiverged:
    @pytest.mark.parametrize("name", ["loss", "grad_norm", "kl"])
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_no_number(self, name, value):
        assert signs(of(name, [1.0, value, value])) == [(2, "not finite", name)]

    @pytest.mark.parametrize("name", ["loss", "kl"])
    def test_an_explosion_that_lasts_is_told_once_at_its_third_step(self, name):
        assert signs(of(name, [0.1] * 20 + [50.0] * 200)) == [(23, "far above", name)]

    @pytest.mark.parametrize(("name", "values"), [("loss", [5, 80, 300, 250, 200]), ("kl", [0, 3.8, 4.1, 3.8, 4.5])])
    def test_one_in_the_first_steps(self, name, values):
        assert signs(of(name, values)) == [(4, "far above", name)]

    def test_a_reward_that_falls_to_its_least(self):
        assert signs(rewards([*RISING, *[0.01] * 12], [*[0.4] * 30, *[0.1] * 12])) == [
            (40, "collapsed", "reward/total")
        ]

    def test_an_early_one(self):
        assert signs(rewards([0.4, *[0.0] * 12], [0.45, *[0.0] * 12])) == [(11, "collapsed", "reward/total")]

    def test_groups_that_are_flat_below_the_best(self):
        assert signs(rewards([*RISING, *[0.3] * 12], [*[0.4] * 30, *[0.0] * 12])) == [(40, "collapsed", "reward/total")]

    def test_a_fall_without_a_known_least_must_be_clearer(self):
        little, much = ([*RISING, *[low] * 12] for low in (0.05, -2))
        stds = [*[0.4] * 30, *[0.1] * 12]
        assert signs(rewards(little, stds), low=None) == []
        assert signs(rewards(much, stds), low=None) == [(40, "collapsed", "reward/total")]

    @each_case(
        "settings, step",
        [({"lasting": 1}, 21), ({"times": 600.0}, None), ({"least": 60.0}, None), ({"lasting": 5}, 25)],
    )
    def test_the_settings_decide(self, settings, step):
        found = signs(of("kl", [0.1] * 20 + [50.0] * 20), **settings)
        assert found == ([] if step is None else [(step, "far above", "kl")])


@pytest.fixture
def plan(toy):
    return lambda **stage: check_recipe(load(RECIPE | {"stages": [RECIPE["stages"][0] | stage]}), purpose="run")


@pytest.fixture
def watch(plan, tmp_path):
    """Make a watch over the stage: (it, what it says)."""

    def make(*history, attempt=0, **stage):
        said = []
        return AlarmWatch(plan(**stage), tmp_path, 0, attempt, said.append, history), said

    return make


KL = [(step, {"kl": 0.1 if step < 5 else 70.0, "loss": 0.0, "rewards": [1]}) for step in range(1, 9)]
TOLD = "stage 0-rl has diverged: kl is 70, far above its usual 0.1 for 3 steps at step 7"


class TestTheWatch:
    def test_tells_and_writes(self, watch, tmp_path):
        it, said = watch()
        for step, numbers in KL:
            it.take(step, numbers)
        assert [line.partition(";")[0] for line in said] == [f"warning: {TOLD}"]
        (row,) = map(json.loads, (tmp_path / FILE).read_text().splitlines())
        assert {name: row[name] for name in ("attempt", "stage", "step", "kind", "value", "usual")} == {
            "attempt": 0, "stage": "0-rl", "step": 7, "kind": "far above", "value": 70.0, "usual": 0.1
        }  # fmt: skip
        assert alarm_sentences(tmp_path) == [TOLD]
        assert alarm_sentences(tmp_path, ["1-rl"]) == []

    def test_ends_the_stage_where_it_should(self, watch):
        it, _ = watch(on_divergence="stop")
        with pytest.raises(JobError, match=r"0-rl has diverged: kl is 70.* at step 7"):
            for step, numbers in KL:
                it.take(step, numbers)

    @pytest.mark.parametrize("name", ["loss", "grad_norm"])
    def test_ends_it_always_where_no_model_is_left(self, watch, tmp_path, name):
        with pytest.raises(JobError, match=f"{name} is nan at step 1"):
            watch()[0].take(1, {name: math.nan})
        assert json.loads((tmp_path / FILE).read_text())["value"] is None

    def test_of_a_kl_divergence_that_is_infinite_only_tells(self, watch):
        it, said = watch()
        it.take(1, {"kl": math.inf})
        assert "kl is inf" in said[0]

    @pytest.mark.parametrize(("resumed_at", "found"), [(7, [TOLD]), (8, [TOLD]), (2, [TOLD])])
    def test_goes_on_with_its_history_after_a_resume(self, watch, tmp_path, resumed_at, found):
        """Whether it had told before the resume or not, there is one line in the end."""
        first, _ = watch()
        for step, numbers in KL:
            first.take(step, numbers)
        again, _ = watch(*KL, attempt=1)
        for step, numbers in KL[resumed_at - 1 :]:
            again.take(step, numbers)
        assert alarm_sentences(tmp_path) == found

    def test_takes_back_what_steps_said_that_are_trained_otherwise_now(self, watch, tmp_path):
        first, _ = watch()
        for step, numbers in KL:
            first.take(step, numbers)
        first.take(5, {"kl": 0.1})  # a restart from a checkpoint
        for step in (6, 7, 8):
            first.take(step, {"kl": 0.1})
        assert alarm_sentences(tmp_path) == []

    def test_knows_the_least_total(self, watch):
        it, said = watch()
        for step in range(1, 40):
            it.take(step, rewards([0.6 if step < 20 else 0.0], [0.3 if step < 20 else 0.0])[0])
        assert len(said) == 1


def test_the_settings_of_the_watch_may_change_between_attempts(plan):
    from rewardlab.plan.fingerprint import decisive

    one, other = (decisive(plan(on_divergence=how, divergence={"times": 20})) for how in ("tell", "stop"))
    assert one == other == decisive(plan())
    assert one != decisive(plan(learning_rate=1e-4))
