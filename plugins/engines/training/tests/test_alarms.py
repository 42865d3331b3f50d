"""What alarms find in the numbers of steps, how rarely they are wrong, and what a recipe makes of them."""

import json
import math

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Sample, Score, ScoredGroup
from rewardlab.errors import JobError, UserError
from rewardlab.recipe.alarms import ALARM_NAMES, AlarmLevels
from rewardlab.recipe.loading import load
from rewardlab_training import RunDirectory, metrics_of_step
from rewardlab_training.alarms.alarm_file import FILE, OLD_FILE, alarm_sentences, rows_of
from rewardlab_training.alarms.alarm_kinds import ALARMS, AlarmDetector
from rewardlab_training.alarms.alarm_settings import AlarmSettings, settings_of
from rewardlab_training.alarms.alarm_watch import AlarmWatch
from rewardlab_training.check import check_recipe

SETTINGS = AlarmSettings(low=0.0, high=2.0, tops={"a": 1.0}, correctness="right", batch_size=8)
STEPS = 40


def signs(rows, settings=SETTINGS, first=1):
    """Return (step, alarm, component) of each sign in the numbers of steps."""
    detector = AlarmDetector(settings)
    found = [sign for step, row in enumerate(rows, first) for sign in detector.add(step, row)]
    return [(sign.step, sign.alarm.name, sign.component) for sign in found]


def wave(step):
    """A noise that is the same each time: numbers of real steps always differ."""
    return 0.02 * math.sin(11 * step * step)


def steps(**series):
    """Numbers of steps, each a function of the step; `a__b` is the number a/b."""
    return [{name.replace("__", "/"): of(step) for name, of in series.items()} for step in range(1, STEPS + 1)]


def after(step, then, now):
    return lambda at: (then if at <= step else now) + wave(at)


class TestTheRates:
    """At a reduced size; `benchmarks/alarms.py` prints all of it."""

    @pytest.mark.slow
    def test_of_sound_trainings_at_most_one_in_twenty_says_anything(self, module_of):
        crying, said = module_of("../benchmarks/alarms.py").false_alarms(40)
        assert crying <= 2, said

    @pytest.mark.slow
    def test_what_goes_wrong_is_named_within_ten_steps(self, module_of):
        drawn = module_of("../benchmarks/alarms.py")
        late = {wrong: [one.delay for one in drawn.found(wrong, 4)] for wrong in drawn.WRONG}
        found = [delay is not None and delay <= drawn.SOON for delays in late.values() for delay in delays]
        assert sum(found) >= 0.9 * len(found), late

    def test_every_alarm_is_measured(self, module_of):
        drawn = module_of("../benchmarks/alarms.py")
        assert {*drawn.WRONG.values(), *drawn.QUIET} == {*ALARM_NAMES} == {alarm.name for alarm in ALARMS}


class TestWhatIsWrong:
    def test_names_component_and_step(self):
        rows = steps(
            reward__a=after(20, 0.3, 0.7), reward__right=after(20, 0.6, 0.3), agreement__a=after(20, 0.4, -0.2),
            reward__b=after(20, 0.5, 0.5),
        )  # fmt: skip
        ((step, alarm, component),) = signs(rows)
        assert (alarm, component) == ("reward_hacking", "a")
        assert 21 < step <= 30

    def test_a_component_is_dead_below_its_top_and_saturated_there(self):
        varied = {"varied__a": lambda at: 0.5 if at <= 20 else 0.0}
        assert signs(steps(**varied, reward__a=lambda at: 0.5)) == [(30, "dead", "a")]
        assert signs(steps(**varied, reward__a=lambda at: 0.5 if at <= 20 else 1.0)) == [(30, "saturated", "a")]

    def test_one_that_guards_and_never_told_anything_apart_is_neither(self):
        assert signs(steps(varied__a=lambda at: 0.0, reward__a=lambda at: 0.0)) == []

    def test_flat_groups_are_fine_once_all_is_solved(self):
        flat = {"reward/groups_without_variance": 0.95}
        assert signs([flat | {"reward/total": 0.4}] * STEPS) == [(10, "flat_groups", None)]
        assert signs([flat | {"reward/total": 1.95}] * STEPS) == []
        unknown = AlarmSettings(batch_size=8)
        assert (
            signs(
                [{"reward/total": 0.1, "reward/groups_without_variance": 0.5}] * 5
                + [flat | {"reward/total": 1.95}] * STEPS,
                unknown,
            )
            == []
        )

    def test_a_step_of_few_groups_counts_for_less(self):
        rows = [{"reward/groups_without_variance": 1.0, "reward/total": 0.4}] * STEPS
        assert signs(rows, AlarmSettings(low=0.0, high=2.0, batch_size=2)) == [(20, "flat_groups", None)]

    def test_groups_of_one_completion_are_never_flat(self):
        rows = [{"reward/groups_without_variance": 1.0, "reward/total": 0.4}] * STEPS
        assert signs(rows, AlarmSettings(grouped=False)) == []

    def test_length_that_pays(self):
        grown = {"length__mean": lambda at: 100 * (1 + max(0, at - 20) / 8) + 20 * wave(at)}
        ((_, alarm, component),) = signs(steps(**grown, length__total=lambda at: 0.4))
        assert (alarm, component) == ("length", None)
        assert signs(steps(**grown, length__total=lambda at: 0.0)) == []
        assert signs(steps(**grown, length__total=lambda at: 0.4, reward__right=after(20, 0.3, 0.8))) == []

    def test_a_judge_that_goes_by_position(self):
        ((_, alarm, component),) = signs(steps(position_bias__a=lambda at: -0.4 + wave(at)))
        assert (alarm, component) == ("position_bias", "a")
        assert signs(steps(position_bias__a=lambda at: 0.1 + wave(at))) == []

    @pytest.mark.parametrize("name", ["missing", "unparsable"])
    def test_a_share_that_grows_and_no_outage_of_two_steps(self, name):
        lasting = steps(**{f"{name}__a": lambda at: 0.01 if at <= 20 else 0.3})
        ((step, *what),) = signs(lasting)
        assert (what, 20 < step <= 25) == ([name, "a"], True)
        assert signs(steps(**{f"{name}__a": lambda at: 0.9 if at in (20, 21) else 0.01})) == []

    def test_rollouts_that_fail_more_often_are_one_sign(self):
        rows = steps(rollout__failed=lambda at: 0.01 if at <= 20 else 0.3, missing__a=lambda at: 0.0)
        ((step, *what),) = signs(rows)
        assert (what, 20 < step <= 25) == (["missing", None], True)
        detector = AlarmDetector(SETTINGS)
        (sign,) = [sign for at, row in enumerate(rows, 1) for sign in detector.add(at, row)]
        assert "% of rollouts failed, after 1.0%" in sign.text
        assert sign.alarm.kind == "failed rollouts"

    def test_what_a_rule_does_not_decide_is_a_tie(self, toy):
        judged = {"wins": {"use": "pairwise/win_rate", "with": {"judge": "main"}}}
        recipe = RECIPE | {
            "judges": {"main": {"use": "pairwise/overlap"}},
            "reward": {"components": judged, "total": "wins"},
        }
        settings = settings_of(check_recipe(load(recipe), purpose="run"), 0)
        rows = steps(unparsable__wins=lambda at: 0.01 if at <= 20 else 0.5)
        assert signs(rows, settings) == []
        assert [found[1] for found in signs(rows)] == ["unparsable"]

    def test_an_entropy_that_is_gone(self):
        assert [found[1] for found in signs(steps(entropy=lambda at: 1.0 if at <= 20 else 0.05))] == ["entropy"]
        assert signs(steps(entropy=lambda at: 0.9**at if at < 15 else 0.9**15)) == []
        assert signs(steps(entropy=lambda at: 1.0 if at <= 20 else 0.05), AlarmSettings(sampled=False)) == []


HOSTILE = {
    "nothing": {},
    "NaN and infinities": dict.fromkeys(("reward/a", "varied/a", "missing/a", "length/mean", "entropy"), math.nan)
    | {"reward/right": math.inf, "length/total": -math.inf, "agreement/a": math.nan, "position_bias/a": math.nan},
    "no values": dict.fromkeys(("reward/a", "reward/right", "varied/a", "reward/groups_without_variance"), None),
    "a component that is missing for all of a step": {"reward/a": math.nan, "varied/a": 0.0, "missing/a": 1.0},
}


class TestOddSteps:
    @each_case("row", HOSTILE.values())
    def test_say_nothing_of_their_own(self, row):
        assert signs([row] * STEPS) == []

    def test_are_no_part_of_a_series(self):
        rows = steps(varied__a=lambda at: 0.5 if at <= 20 else 0.0, reward__a=lambda at: 0.5)
        odd = [row for sound in rows for row in (sound, {"reward/a": math.nan, "varied/a": 0.0})]
        assert signs(odd) == [(59, "dead", "a")]


class TestNumbersOfGroups:
    """What a step's groups give is what the conditions read."""

    def group(self, a, right, tokens, **info):
        scores = {"a": [Score(value=value, info=info) for value in a], "right": [Score(value=value) for value in right]}
        totals = [None if one is None else one + other for one, other in zip(a, right, strict=True)]
        completions = [Completion(text="", token_count=count) for count in tokens]
        return ScoredGroup(sample=Sample(id="s"), completions=completions, components=scores, totals=totals, shaped=[])

    def test_are_named_as_alarms_read_them(self):
        found = metrics_of_step(
            [
                self.group(
                    [1, 0, None], [0, 1, 1], [30, 10, 50], group={"calls": 6, "unparsable": 3, "position_bias": 0.5}
                ),
                self.group(
                    [0, 0, 0], [1, 1, 1], [10, 10, 10], group={"calls": 6, "unparsable": 0, "position_bias": None}
                ),
            ],
            correctness="right",
        )
        names = ("varied/a", "varied/right", "agreement/a", "length/mean", "position_bias/a", "unparsable/a")
        assert [found[name] for name in names] == pytest.approx([0.5, 0.5, -1.0, 20.0, 0.5, 0.25])
        assert math.isnan(found["length/total"])  # all totals are equal
        assert "agreement/right" not in found

    @each_case("said", ["much", {"calls": -1}, {"calls": "6", "unparsable": 0}, {"calls": 1, "unparsable": 2}])
    def test_what_a_reward_says_of_its_judge_may_be_anything(self, said):
        assert "unparsable/a" not in metrics_of_step([self.group([1.0], [1.0], [None], group=said)])


RECIPE = {
    "version": 1,
    "model": {"use": "tiny"},
    "dataset": {"use": "toy/counting"},
    "reward": {"components": {"letters": {"use": "toy/letters"}}, "total": "letters"},
    "stages": [{"use": "rl", "algorithm": "grpo", "steps": 9, "batch_size": 8}],
    "backend": {"use": "trl"},
}
DYING = [(at, {"varied/letters": 0.5 if at <= 20 else 0.0, "reward/letters": 0.1}) for at in range(1, 41)]
DEAD = (
    "stage 0-rl has a dead component: letters has told no two completions of a prompt apart "
    "for 10 steps, at 0.1, after 50% of groups at step 30"
)


@pytest.fixture
def watch(toy, tmp_path):
    """Make a watch over the stage: (it, what it says)."""

    def make(*history, attempt=0, stage=None, **alarms):
        stages = [RECIPE["stages"][0] | (stage or {})]
        plan = check_recipe(load(RECIPE | {"stages": stages, "alarms": alarms}), purpose="run")
        said = []
        return AlarmWatch(plan, tmp_path, 0, attempt, said.append, history), said

    return make


def take(it, rows):
    for step, numbers in rows:
        it.take(step, numbers)


class TestThePolicy:
    def test_says_and_writes_by_default(self, watch, tmp_path):
        it, said = watch()
        take(it, DYING)
        assert [line.partition("; ")[0] for line in said] == [f"warning: {DEAD}"]
        assert alarm_sentences(tmp_path) == [DEAD]
        (row,) = rows_of(tmp_path)
        assert [row[key] for key in ("stage", "step", "alarm", "component")] == ["0-rl", 30, "dead", "letters"]

    def test_stops(self, watch, tmp_path):
        with pytest.raises(JobError, match=r"0-rl has a dead component: letters .* at step 30"):
            take(watch(stop=["dead"])[0], DYING)
        assert alarm_sentences(tmp_path) == [DEAD]

    def test_ignores(self, watch, tmp_path):
        it, said = watch(ignore=["dead"])
        take(it, DYING)
        assert (said, (tmp_path / FILE).exists()) == ([], False)

    def test_takes_levels(self, watch):
        it, said = watch(levels={"dead": 0.6})
        take(it, DYING)
        assert said == []

    @each_case(
        "alarms, stage, ends",
        [
            ({"stop": ["divergence"]}, {}, True),
            ({"stop": ["divergence"]}, {"on_divergence": "tell"}, False),
            ({"ignore": ["divergence"]}, {"on_divergence": "stop"}, True),
            ({"ignore": ["divergence"]}, {}, False),
        ],
    )
    def test_a_stages_own_word_on_divergence_goes_first(self, watch, alarms, stage, ends):
        it, _ = watch(stage=stage, **alarms)
        rows = [(at, {"kl": 0.1 if at < 20 else 70.0}) for at in range(1, 30)]
        if ends:
            with pytest.raises(JobError, match="kl is 70"):
                take(it, rows)
        else:
            take(it, rows)

    def test_never_ignores_that_no_model_is_left(self, watch):
        with pytest.raises(JobError, match="loss is nan"):
            watch(ignore=["divergence"])[0].take(1, {"loss": math.nan})

    @each_case(
        "alarms, problem",
        [
            ({"stop": ["lenght"]}, "length"),
            ({"stop": ["dead"], "ignore": ["dead"]}, "dead: `stop` and `ignore` exclude each other"),
            ({"webhook": "hooks.example/1"}, "it must begin with http:// or https://"),
            ({"webhook": "http://me:secret@127.0.0.1/1"}, "a URL with a name and password is not sent"),
            ({"webhook": "http://127.0.0.1:99999/1"}, "Port out of range"),
            ({"stop": ["saturated"], "ignore": ["saturated"]}, "saturated: `stop` and `ignore` exclude each other"),
            ({"levels": {"flat_group": 1}}, "flat_groups"),
        ],
    )
    def test_says_what_is_wrong_with_it(self, watch, alarms, problem):
        with pytest.raises(UserError) as caught:
            watch(**alarms)
        assert problem in str(caught.value)


ODD = '{"stage": "0-rl", "step": 3, "kind": "dead", "text": "x", "number": [2]}'


class TestParts:
    def test_of_a_step_may_come_one_after_the_other_and_late(self, watch, tmp_path):
        """As with engines whose scores are ahead of their updates."""
        it, said = watch()
        for step, numbers in DYING:
            it.take(step, numbers)
            if step > 3:
                it.take(step - 3, {"loss": 0.1, "kl": 0.1})
        assert len(said) == 1

    def test_steps_may_come_out_of_order(self, watch, tmp_path):
        it, _ = watch()
        swapped = [row for at in range(0, 40, 2) for row in (DYING[at + 1], DYING[at])]
        take(it, swapped)
        assert alarm_sentences(tmp_path) == [DEAD]

    @pytest.mark.parametrize("resumed_at", [2, 25, 35])
    def test_are_said_once_across_a_resume(self, watch, tmp_path, resumed_at):
        take(watch()[0], DYING)
        again, _ = watch(*DYING, attempt=1)
        take(again, DYING[resumed_at - 1 :])
        assert alarm_sentences(tmp_path) == [DEAD]

    def test_what_is_said_of_one_number_stays_if_another_comes_again(self, watch, tmp_path):
        it, said = watch()
        take(it, DYING)
        it.take(20, {"kl": 0.1})
        it.take(20, {"kl": 0.2})
        assert alarm_sentences(tmp_path) == [DEAD]
        assert len(said) == 1

    @each_case("line", ["[]", "7", "{}", '{"stage": [], "step": "x", "kind": {}, "text": 1}', '{"torn', "\x00", ODD])
    def test_a_damaged_line_of_the_file_is_left_out(self, watch, tmp_path, line):
        (tmp_path / FILE).write_text(f"{line}\n")
        assert alarm_sentences(tmp_path) == []
        take(watch()[0], DYING)
        assert alarm_sentences(tmp_path) == [DEAD]

    def test_the_file_of_earlier_versions_is_read_and_gone_on_with(self, watch, tmp_path):
        old = {"attempt": 0, "stage": "0-rl", "step": 3, "kind": "far above", "number": "kl", "text": "kl is 9"}
        (tmp_path / OLD_FILE).write_text(f"{json.dumps(old)}\n")
        assert alarm_sentences(tmp_path, alarms=["divergence"]) == ["stage 0-rl has diverged: kl is 9 at step 3"]
        take(watch(attempt=1)[0], DYING[10:])
        assert not (tmp_path / OLD_FILE).exists()
        assert len(alarm_sentences(tmp_path)) == 2


def test_what_alarms_do_may_change_between_attempts(toy):
    from rewardlab.plan.fingerprint import decisive

    plans = [check_recipe(load(RECIPE | {"alarms": {"stop": stop}}), purpose="run") for stop in ([], ["dead"])]
    assert decisive(plans[0]) == decisive(plans[1]) == decisive(check_recipe(load(RECIPE), purpose="run"))


def test_an_alarm_that_is_to_stop_is_not_ignored_by_default(toy):
    alarms = check_recipe(load(RECIPE | {"alarms": {"stop": ["saturated"]}}), purpose="run").recipe.alarms
    assert (alarms.stop, alarms.ignore) == (["saturated"], [])


def test_a_report_goes_by_the_alarms_of_the_last_attempt(toy, tmp_path):
    plans = [check_recipe(load(RECIPE | {"alarms": {"stop": stop}}), purpose="run") for stop in ([], ["dead"])]
    RunDirectory.create(plans[0], [], folder=tmp_path / "run").close()
    for plan in (plans[1], plans[0]):
        RunDirectory.resume(tmp_path / "run", plan, []).close()
        assert load(tmp_path / "run", strict=False).raw == plan.document.raw


def test_levels_are_named_as_alarms_are():
    assert {*AlarmLevels.model_fields} - {"steps", "drift", "groups"} <= {*ALARM_NAMES}


PLAIN = AlarmSettings(correctness="right", batch_size=8)


def ripple(step):
    """Another noise than `wave`."""
    return 0.02 * math.sin(5 * step * step + 2)


def follows(step):
    """A correctness that is noisy, as real ones are, and stays where it is."""
    return 0.4 + 8 * wave(step)


def leaps(step):
    return (0.1 if step <= 20 else 0.95) + ripple(step)


class TestWhatIsNoHack:
    """Component dominance and length drift alone: detectors that go by these cry wolf (docs/alarms.md)."""

    @each_case(
        "series",
        [
            {"reward__long": leaps, "reward__total": leaps},  # all that is paid
            {"reward__long": lambda at: 0.96 + ripple(at), "reward__total": lambda at: 0.96 + ripple(at)},
            {"reward__long": lambda at: 0.02 * at + ripple(at), "reward__total": lambda at: 0.02 * at + follows(at)},
            {"length__mean": lambda at: 100 * 1.1**at},
            {"length__mean": lambda at: 1000 * 0.9**at},
            {"length__mean": after(20, 100, 900), "reward__total": leaps},
        ],
    )
    def test_one_component_that_dominates_and_lengths_that_drift(self, series):
        for right in (lambda at: 0.0, follows, lambda at: 0.01 * at + wave(at)):
            assert signs(steps(**series, reward__right=right), PLAIN) == []

    def test_a_judge_that_moves_with_what_is_right_may_rise_with_it(self):
        rows = steps(
            reward__judge=lambda at: 0.2 + follows(at) + 0.02 * at, reward__right=lambda at: follows(at) + 0.02 * at
        )
        assert signs(rows, PLAIN) == []


class TestAJudgeThatParts:
    """A bias that costs no correctness, as four of six trainings of CHERRL's had it."""

    def rows(self, **more):
        judge = lambda at: 0.1 + follows(at) + max(0.0, 0.02 * (at - 20))  # noqa: E731
        return steps(reward__judge=judge, reward__right=follows, **more)

    def test_is_named(self):
        ((step, *what),) = signs(self.rows(), PLAIN)
        assert what == ["reward_hacking", "judge"]
        assert step > 20
        detector = AlarmDetector(PLAIN)
        (sign,) = [sign for at, row in enumerate(self.rows(), 1) for sign in detector.add(at, row)]
        assert "away from right (" in sign.text

    def test_is_not_while_it_tells_right_from_wrong_as_before(self):
        assert signs(self.rows(agreement__judge=lambda at: 0.5 + wave(at)), PLAIN) == []

    def test_is_not_if_it_never_followed(self):
        assert signs(steps(reward__judge=leaps, reward__right=follows), PLAIN) == []


class TestStepsOfFewGroups:
    """One or two prompts a step: ten flat steps in a row, or five with little entropy, happen by themselves."""

    def test_a_reward_collapses_over_as_many_groups_as_of_larger_steps(self):
        good = [{"reward/total": 0.5, "group/std": 0.3}] * 20
        flat = {"reward/total": 0.0, "group/std": 0.0}
        for batch, steps_of_it in ((8, 10), (4, 10), (2, 20), (1, 40)):
            settings = AlarmSettings(low=0.0, batch_size=batch)
            assert signs([*good, *[flat] * (steps_of_it - 1)], settings) == []
            assert signs([*good, *[flat] * steps_of_it], settings) == [(20 + steps_of_it, "divergence", None)]

    def test_entropy_is_gone_over_as_many_groups(self):
        rows = [{"entropy": 1.0}] * 60 + [{"entropy": 0.01}] * 40
        told = {batch: signs(rows, AlarmSettings(batch_size=batch))[0][0] for batch in (8, 2, 1)}
        assert told == {8: 63, 2: 71, 1: 81}
        assert signs(([{"entropy": 0.001}] * 15 + [{"entropy": 1.0}] * 25) * 9, AlarmSettings()) == []
