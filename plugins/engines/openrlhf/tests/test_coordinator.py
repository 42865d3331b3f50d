"""The coordinator of an rl stage: what is recorded, what judges were asked, and what it knows after a restart."""

import asyncio
import json
import shutil
from dataclasses import replace

import pytest
from rewardlab import Completion, Sample, Score
from rewardlab.errors import JobError
from rewardlab.judging import Share, Usage
from rewardlab.judging.usage import UsageFile
from rewardlab.scoring.composition import ScoredGroup
from rewardlab.scoring.group_attribution import Attribution, GroupAttribution
from rewardlab_ray.job.log_lines import read_mark, read_scores
from rewardlab_ray.messages import FinishedGroup, GroupPlace
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.scoring.coordinator import Coordinator
from rewardlab_ray.scoring.rewards import rewards
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_ray.user_lines import SCORES
from rewardlab_testing.backend_laws.ledger import read_rows
from rewardlab_training import ledger_lines, numbers_of_group
from rewardlab_training.results import Results

RECIPE = """
version: 1
reward:
  components:
    short: {use: toy/brevity, on_missing: group_mean, max_missing: 0.25}
    judged: {use: toy/brevity}
  total: short + judged
stages:
- use: rl
  algorithm: grpo
  batch_size: 2
  group_size: 2
  eval_every: 2
  eval: {samples: 2}
backend: {use: openrlhf}
"""
JUDGE = """
judges:
  main:
    use: openai/chat
    retries: 0
    with: {model: m, base_url: "%s", max_tokens: 8}
"""
FILTERING = RECIPE.replace("  total: ", "  teach: {flat: replace, by: short}\n  total: ")
AHEAD = RECIPE.replace(
    "{use: openrlhf}", "{use: openrlhf, engine: {colocate: false, asynchronous: {}, generate_batch: 4}}"
)
ORDER = [3, 1, 0, 2, 3, 1, 0, 2]
EVALUATION = 2
pytestmark = pytest.mark.usefixtures("toy")


@pytest.fixture
def stage(tmp_path, with_options):
    """The files of stage 0 of a run with four steps: `stage(recipe, attempt=1)` are the settings."""

    def make(recipe=RECIPE, **more):
        folder = tmp_path / "run" / "engine" / "0-rl"
        folder.mkdir(parents=True, exist_ok=True)
        path = tmp_path / "run" / "recipe.resolved.yaml"
        path.write_text(recipe)
        for name, count in (("samples", 4), ("evaluation_samples", EVALUATION)):
            samples = (Sample(id=f"{name}{i}", fields={"language": "en"}) for i in range(count))
            write_rows(folder / f"{name}.jsonl", (Row(sample=sample, prompt=f"{name}?") for sample in samples))
        (folder / "order.json").write_text(json.dumps(ORDER))
        settings = {"job": "made", "run": tmp_path / "run", "recipe": path, "stage": 0, "attempt": 0}
        settings |= {"folder": folder, "home": tmp_path, "evaluation_rows": EVALUATION}
        return with_options(ServiceSettings(**settings | more))

    return make


@pytest.fixture
def using():
    """Run coroutine functions of a coordinator, which is closed after them: `using(settings, work, ...)`."""

    def run(settings, *works):
        async def all_of_them():
            coordinator = Coordinator(settings)
            try:
                return [await work(coordinator) for work in works]
            finally:
                await coordinator.close()

        return asyncio.run(asyncio.wait_for(all_of_them(), 30))

    return run


def place(key, step=1, row=0, evaluation=False, discarded=False):
    step = None if evaluation else step
    return GroupPlace(key=key, row=row, evaluation=evaluation, step=step, size=2, discarded=discarded)


def scored(*values, sample="samples0"):
    """A group whose component `short` has these values, which are its contributions, too; None is a failure."""
    scores = [Score(value=v, error=None if v is not None else "no luck") for v in values]
    total = [0.0 if v is None else v for v in values]
    return ScoredGroup(
        sample=Sample(id=sample, fields={"language": "en"}),
        completions=tuple(Completion(text=f"{v}", token_count=3) for v in values),
        components={"short": scores, "judged": [Score(value=0.5)] * len(values)},
        totals=total,
        shaped=total,
        causes=GroupAttribution(
            Attribution(
                contributions={"short": values},
                rest=[0.0] * len(values),
                entries={"short": [{"weight": 1.0} for _ in values]},
            )
        ),
    )


def recording(key, *values, asked=0, **more):
    return lambda c: record(c, place(key, **more), scored(*values), asked)


def finished(group, asked=0, unchosen=None):
    """A group as a scorer hands it on. asked: calls of the judge main until now."""
    kept = range(len(group.completions))
    return FinishedGroup(
        lines=ledger_lines(group),
        unchosen=() if unchosen is None else ledger_lines(unchosen),
        numbers=numbers_of_group(group),
        rewards=rewards(group, kept, None, len(kept)),
        asked={"main": Usage(calls=asked)} if asked else {},
    )


async def record(coordinator, where, group, asked=0, unchosen=None):
    return await coordinator.record(where, finished(group, asked, unchosen))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def ledger(settings):
    rows = list(read_rows(settings.run))
    return [(r["attempt"], r["group"], r["index"], r["step"], r["trained"]) for r in rows]


class TestWhatIsRecorded:
    def test_a_group_is_in_the_ledger_when_record_returns(self, stage, using):
        settings = stage()

        async def look(coordinator):
            await record(coordinator, place("a"), scored(1.0, 0.5))
            return ledger(settings)

        assert using(settings, look) == [[(0, 0, 0, 1, "yes"), (0, 0, 1, 1, "yes")]]

    def test_a_group_with_a_key_that_is_there_is_not_written_twice_and_has_the_rewards_of_before(self, stage, using):
        settings = stage()
        first, again = using(settings, recording("a", 1.0, 0.5), recording("a", 0.0, 0.0))
        assert (first, again.values) == (None, (1.0, 0.5))
        assert [row["total"] for row in read_rows(settings.run)] == [1.0, 0.5]

    def test_a_whole_step_is_told_where_the_job_was_started(self, stage, using, capfd):
        using(stage(), recording("a", 1.0, 0.0), recording("b", 0.5, 0.5))
        [line] = [line for line in capfd.readouterr().out.splitlines() if SCORES in line]
        step, numbers = read_scores(read_mark(line))
        assert (step, numbers["reward/total"], numbers["varied/short"]) == (1, 0.5, 0.5)

    def test_where_groups_are_filtered_those_that_are_discarded_are_marked_and_count_for_no_step(self, stage, using):
        settings = stage(FILTERING, trained=1, consumed=5, attempt=1)
        groups = [("a", 1.0, False), ("b", 0.0, True), ("c", 0.5, False), ("d", 0.0, True)]
        using(settings, *(recording(key, value, value, step=None, discarded=gone) for key, value, gone in groups))
        using(settings, recording("e", 0.0, 0.0, step=None))  # a coordinator that was restarted
        assert [(step, trained) for _, _, index, step, trained in ledger(settings) if index == 0] == [
            (2, "yes"),
            (2, "no"),
            (2, "yes"),
            (3, "no"),
            (3, "yes"),
        ]
        [line] = lines(settings.run / "logs" / "0-rl.jsonl")
        assert (line["step"], line["reward/total"]) == (2, 0.75)

    def test_where_groups_are_filtered_no_prompt_says_which_step_it_is_of(self, stage, using):
        """The place in the reading order would count those that are left out."""
        settings = stage(FILTERING)
        [prompt] = using(settings, lambda c: c.rollout_prompt(json.dumps({"ticket": 0})))
        assert prompt.step is None

    def test_the_step_that_is_being_filled_counts_what_trains(self, stage, using):
        """Of an attempt that goes on after step 1, too: something has trained before."""
        none = [recording(key, 0.0, 0.0, step=None, discarded=True) for key in "ab"]
        assert using(stage(FILTERING), *none, lambda c: c.open_step())[-1] == (1, 0)
        assert using(stage(FILTERING), recording("c", 1.0, 0.0, step=None), lambda c: c.open_step())[-1] == (1, 1)
        later = stage(FILTERING, trained=1, consumed=5, attempt=1)
        assert using(later, lambda c: c.open_step()) == [(2, 0)]

    def test_completions_that_a_group_sampler_did_not_choose_are_marked_and_count_for_no_step(self, stage, using):
        settings = stage()
        left = replace(scored(0.0, sample="left"), totals=[None], shaped=())
        using(settings, lambda c: record(c, place("a"), scored(1.0, 1.0), unchosen=left))
        using(settings, recording("b", 0.5, 0.5))
        assert [(group, trained) for _, group, index, _, trained in ledger(settings) if index == 0] == [
            (0, "no"),
            (1, "yes"),
            (2, "yes"),
        ]
        [line] = lines(settings.run / "logs" / "0-rl.jsonl")
        assert line["reward/total"] == 0.75

    def test_groups_of_several_steps_at_once_take_their_step_in_the_order_in_which_they_are_released(
        self, stage, using
    ):
        """OpenRLHF trains on groups in the order in which it receives them, which is not that of their prompts."""
        settings = stage(AHEAD)

        async def work(coordinator):
            prompts = [await coordinator.rollout_prompt(json.dumps({"ticket": ticket})) for ticket in range(4)]
            assert [prompt.step for prompt in prompts] == [None] * 4
            for key in "abcd":
                await record(coordinator, place(key, None), scored(1.0, 0.5))
            waiting = asyncio.create_task(coordinator.may_go("c", 20))
            assert [await coordinator.may_go(key, 20) for key in "ab"] == [True, True]
            await coordinator.received("b")
            await asyncio.sleep(0)
            assert not waiting.done()
            await coordinator.received("a")
            assert await waiting

        using(settings, work)
        assert [(group, step) for _, group, index, step, _ in ledger(settings) if index == 0] == [
            (0, 1),
            (1, 1),
            (2, 2),
            (3, 2),
        ]

    def test_whole_steps_have_a_line_of_means_whatever_the_order_of_their_groups(self, stage, using):
        settings = stage()
        groups = [("a", 1, 0.0), ("b", 2, 1.0), ("c", 2, 0.5), ("d", 1, 0.5), ("e", 3, 1.0)]
        using(settings, *(recording(key, value, value, step=step) for key, step, value in groups))
        log = lines(settings.run / "logs" / "0-rl.jsonl")
        assert [(row["attempt"], row["step"], row["reward/total"], row["missing/short"]) for row in log] == [
            (0, 2, 0.75, 0.0),
            (0, 1, 0.25, 0.0),
        ]

    def test_many_at_once_are_all_there(self, stage, using):
        settings = stage()

        async def many(coordinator):
            await asyncio.gather(
                *(record(coordinator, place(f"g{n}", step=n // 2 + 1), scored(1.0, 0.5)) for n in range(40))
            )

        using(settings, many)
        assert sorted(group for _, group, index, *_ in ledger(settings) if index == 0) == list(range(40))
        assert sorted(row["step"] for row in lines(settings.run / "logs" / "0-rl.jsonl")) == list(range(1, 21))


class TestTooMuchMissing:
    def test_ends_the_job_when_its_step_is_complete_and_not_before(self, stage, using):
        settings = stage()

        async def missing(coordinator):
            await record(coordinator, place("a", 1), scored(None, 0.5))
            await record(coordinator, place("b", 2), scored(None, 0.5))
            with pytest.raises(JobError, match=r"component 'short' .* has no value for 2 of the last 4 .*no luck"):
                await record(coordinator, place("c", 1), scored(None, 0.5))

        using(settings, missing)
        assert len(ledger(settings)) == 6, "what ended the job is in the ledger"

    def test_is_counted_for_each_step_alone(self, stage, using):
        values = [(None, 1.0), (1.0, 1.0), (1.0, None), (1.0, 1.0)]
        using(stage(), *(recording(f"{n}", *v, step=n // 2 + 1) for n, v in enumerate(values)))

    def test_is_not_made_good_by_an_earlier_step(self, stage, using):
        values = [(1.0, 1.0), (1.0, 1.0), (None, 1.0), (None, 1.0)]
        with pytest.raises(JobError, match="2 of the last 4"):
            using(stage(), *(recording(f"{n}", *v, step=n // 2 + 1) for n, v in enumerate(values)))

    def test_where_groups_are_filtered_it_is_counted_over_the_last_groups(self, stage, using):
        async def missing(coordinator):
            for key in "abc":
                await record(coordinator, place(key, None), scored(1.0, 1.0))
            await record(coordinator, place("d", None), scored(1.0, None))
            with pytest.raises(JobError, match="2 of the last 4"):
                await record(coordinator, place("e", None), scored(1.0, None))

        using(stage(FILTERING), missing)

    def test_counts_no_evaluation(self, stage, using):
        using(stage(), *(recording(f"{row}", None, None, row=row, evaluation=True) for row in range(EVALUATION)))


class TestAnEvaluation:
    def passed(self, key):
        return [recording(f"{key}{row}", 1.0, 0.5, row=row, evaluation=True) for row in (1, 0)]

    def trained(self, steps, first=1):
        last = first + steps - 1
        recorded = [recording(f"{s}{n}", 1.0, 0.5, step=s) for s in range(first, last + 1) for n in range(2)]
        return [*recorded, lambda c: c.weights_exchanged(last)]

    def results(self, settings):
        return sorted(path.name for path in (settings.run / "evaluation").glob("*.json"))

    def test_is_of_the_weights_that_the_engines_have_whatever_was_generated_meanwhile(self, stage, using):
        """Whole steps that wait in OpenRLHF's queue or its buffer are recorded, and were not trained on."""
        settings = stage(AHEAD)
        ahead = [recording(f"g{number}", 1.0, 0.5, step=None) for number in range(8)]
        using(settings, *ahead, lambda c: c.weights_exchanged(1), *self.passed("x"))
        using(settings, lambda c: c.weights_exchanged(3), *self.passed("y"))
        assert self.results(settings) == ["0-rl-step-1.json", "0-rl-step-3.json"]

    def test_is_due_after_a_restart_where_its_results_are_not_there(self, stage, using):
        settings = stage(consumed=4, trained=2, attempt=1)
        due = [lambda c, step=step: c.evaluation_is_due(step) for step in (1, 2, 3)]
        assert using(settings, *due) == [False, True, False]
        using(settings, *self.passed("x"))
        assert self.results(settings) == ["0-rl-step-2.json"]
        assert using(settings, *due) == [False] * 3

    def test_of_the_final_model_is_due_whenever_that_is(self, stage, using):
        """Where groups are left out nobody knows before which step is the last."""
        settings = stage()
        using(settings, *self.trained(3))
        final = lambda c: c.evaluation_is_due(3, True)  # noqa: E731
        assert using(settings, final, *self.passed("x"), final)[::3] == [True, False]
        assert self.results(settings) == ["0-rl-after.json"]
        assert using(stage(evaluation_rows=0), final) == [False]

    def test_belongs_to_the_steps_that_were_trained_before_it(self, stage, using):
        settings = stage()
        using(settings, *self.trained(2), *self.passed("x"), *self.trained(2, first=3), *self.passed("y"))
        folder = settings.run / "evaluation"
        assert {path.name for path in folder.iterdir()} == {
            f"0-rl-{when}{end}" for when in ("step-2", "after") for end in (".json", ".rows.jsonl")
        }
        [everything, english] = Results.load(folder / "0-rl-step-2.json").slices
        assert (everything.prompts, everything.completions, everything.means["short"]) == (2, 4, 0.75)
        assert english.name == "language en"
        assert [len(row["completions"]) for row in lines(folder / "0-rl-step-2.rows.jsonl")] == [2, 2]

    def test_counts_the_info_of_a_reward(self, stage, using):
        settings = stage(RECIPE.replace("judged: {use: toy/brevity}", "judged: {use: math/accuracy}"))
        group = scored(1.0, 0.5)
        judged = [Score(value=0.0, info={"timed_out": True}), Score(value=1.0, info={"timed_out": False})]
        counting = replace(group, components={**group.components, "judged": judged})
        passed = [
            lambda c, row=row: record(c, place(f"x{row}", row=row, evaluation=True), counting)
            for row in range(EVALUATION)
        ]
        using(settings, *self.trained(2), *passed)
        for of_slice in Results.load(settings.run / "evaluation" / "0-rl-step-2.json").slices:
            assert of_slice.counted_info == {"judged": {"timed_out": 2}}

    def test_has_its_phase_and_step_in_the_ledger_and_a_prompt_for_each_group(self, stage, using):
        settings = stage()
        using(settings, *self.trained(2), *self.passed("x"), *self.trained(2, first=3), self.passed("y")[0])
        using(settings, self.passed("y")[1])  # a coordinator that was restarted in the middle of a pass
        rows = list(read_rows(settings.run))
        assert [(row["phase"], row["step"]) for row in rows if row["trained"] == "no"] == [("during", 2)] * 4 + [
            ("after", 4)
        ] * 4
        assert {row["phase"] for row in rows if row["trained"] == "yes"} == {"training"}
        assert [row.get("fields") for row in rows[:2]] == [{"language": "en"}, None]

    def test_before_the_first_step_gives_each_prompt_to_one_caller(self, stage, using):
        settings = stage()

        async def evaluate(coordinator):
            first, again, *rest = [await coordinator.claim_evaluation(claim) for claim in "aabc"]
            assert again == first, "a call that Ray makes again takes no other prompt"
            claimed = [first, *rest]
            assert [(one.row, one.step, one.evaluation) for one in claimed[:-1]] == [(0, 0, True), (1, 0, True)]
            assert claimed[-1] is None
            first = replace(place("x", evaluation=True), row=claimed[0].row, step=0)
            await record(coordinator, first, scored(1.0, 0.5))

        using(settings, evaluate)

        async def after_a_restart(coordinator):
            again = await coordinator.claim_evaluation("b")
            assert again.row == 1
            for key in "yz":  # somebody had it before the restart
                await record(coordinator, replace(place(key, evaluation=True), row=1, step=0), scored(1.0, 0.5))
            assert await coordinator.claim_evaluation("d") is None

        using(settings, after_a_restart, *self.trained(2), *self.passed("p"))
        assert {path.name for path in (settings.run / "evaluation").glob("*.json")} == {
            "0-rl-before.json",
            "0-rl-step-2.json",
        }
        rows = [row for row in read_rows(settings.run) if row["phase"] == "before"]
        assert [(row["step"], row["trained"]) for row in rows] == [(0, "no")] * 2 * EVALUATION

    @pytest.mark.parametrize(
        ("recipe", "more"),
        [
            (RECIPE.replace("  eval:", "  eval_before: false\n  eval:"), {}),
            (RECIPE, {"trained": 1, "consumed": 2, "attempt": 1}),
        ],
    )
    def test_before_the_first_step_is_none_where_it_is_not_wanted_or_that_is_over(self, stage, using, recipe, more):
        assert using(stage(recipe, **more), lambda c: c.claim_evaluation("a")) == [None]

    def test_is_in_tensorboard_where_the_recipe_wants_it_with_the_names_of_trl(self, stage, using):
        pytest.importorskip("tensorboard")
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        settings = stage(RECIPE.replace("{use: openrlhf}", "{use: openrlhf, tensorboard: true}"))
        using(settings, *self.trained(2), *self.passed("x"), *self.trained(2, first=3), *self.passed("y"))
        [folder] = (settings.run / "logs" / "tensorboard").iterdir()
        events = EventAccumulator(str(folder)).Reload()
        for name in ("eval/reward/total", "eval/reward/short", "eval/language en/reward/total"):
            assert [(e.step, e.tensor_proto.float_val[0]) for e in events.Tensors(name)] == [(2, 0.75), (4, 0.75)]

    def test_is_written_when_all_of_its_rows_are_there(self, stage, using):
        settings = stage()
        using(settings, *self.trained(2), self.passed("x")[0])
        assert not (settings.run / "evaluation").exists()

    def test_of_a_resumed_run_counts_on(self, stage, using):
        settings = stage(consumed=4, trained=2, attempt=1)
        using(settings, *self.trained(2, first=3), *self.passed("x"))
        assert (settings.run / "evaluation" / "0-rl-after.json").exists()


class TestACoordinatorThatWasRestarted:
    def test_gives_no_group_number_twice(self, stage, using):
        settings = stage()
        using(settings, recording("a", 1.0, 0.5), recording("b", 1.0, 0.5))
        using(settings, recording("b", 1.0, 0.5), recording("c", 1.0, 0.5, step=2))
        assert [group for _, group, index, *_ in ledger(settings) if index == 0] == [0, 1, 2]

    def test_goes_on_with_the_step_that_was_open(self, stage, using):
        settings = stage()
        using(settings, recording("a", None, 1.0))
        with pytest.raises(JobError, match="2 of the last 4"):
            using(settings, recording("b", None, 1.0))
        assert [row["step"] for row in lines(settings.run / "logs" / "0-rl.jsonl")] == [1]

    def test_knows_groups_with_texts_that_only_a_policy_writes(self, stage, using):
        settings = stage()
        group = scored(1.0, 0.5)
        odd = replace(group, completions=(Completion(text="\ud800"), *group.completions[1:]))
        using(settings, lambda c: record(c, place("a"), odd), recording("b", 1.0, 0.5))
        using(settings, recording("a", 1.0, 0.5), recording("b", 1.0, 0.5), recording("c", 1.0, 0.5, step=2))
        assert [group for _, group, index, *_ in ledger(settings) if index == 0] == [0, 1, 2]

    def test_writes_no_step_twice(self, stage, using):
        settings = stage()
        using(settings, recording("a", 1.0, 1.0), recording("b", 1.0, 1.0))
        using(settings, recording("c", 1.0, 1.0, step=2), recording("d", 1.0, 1.0, step=2))
        assert [row["step"] for row in lines(settings.run / "logs" / "0-rl.jsonl")] == [1, 2]

    def test_goes_on_with_the_evaluation_that_was_open(self, stage, using):
        settings = stage()
        evaluation = [recording(f"x{row}", 1.0, 0.5, row=row, evaluation=True) for row in range(EVALUATION)]
        using(settings, lambda c: c.weights_exchanged(2), evaluation[0])
        using(settings, evaluation[1])
        assert (settings.run / "evaluation" / "0-rl-step-2.json").exists()

    def test_takes_a_key_for_recorded_only_where_its_entry_is_whole(self, stage, using):
        settings = stage()
        using(settings, recording("a", 1.0, 0.5), recording("b", 1.0, 0.5))
        with settings.journal("recorded").open("r+b") as file:
            file.truncate(file.seek(-9, 2))  # killed while it wrote
        using(settings, recording("b", 0.0, 0.5))
        using(settings, recording("b", 0.0, 0.5))
        assert [group for _, group, index, *_ in ledger(settings) if index == 0] == [0, 1]
        assert [row["total"] for row in read_rows(settings.run)] == [1.0, 0.5, 0.0, 0.5]

    def test_takes_no_other_stages_groups_for_its_own(self, stage, using):
        settings = stage()
        other = replace(settings, stage=0, folder=settings.run / "engine" / "3-rl")
        shutil.copytree(settings.folder, other.folder)
        using(other, recording("a", 1.0, 0.5))
        using(settings, recording("a", 1.0, 0.5))
        assert [group for _, group, index, *_ in ledger(settings) if index == 0] == [0, 1]

    def test_gives_out_the_same_prompts(self, stage, using):
        def prompts(*tickets):
            labels = [json.dumps({"ticket": ticket}) for ticket in tickets]
            return using(settings, *(lambda c, label=label: c.rollout_prompt(label) for label in labels))

        settings = stage()
        [first, second] = prompts(5, 7)
        assert prompts(7, 5) == [second, first]
        assert (first.row, second.row) == (3, 1)

    def test_knows_why_the_job_has_to_end(self, stage, using):
        settings = stage()
        using(settings, lambda c: c.fail("the first"), lambda c: c.fail("the second"))
        assert using(settings, lambda c: c.failure()) == ["the first"]

    def test_that_a_full_disk_left_empty_is_none(self, stage, using):
        settings = stage()
        settings.failure.touch()
        assert using(settings, lambda c: c.failure()) == [None]

    def test_of_another_attempt_is_a_new_one(self, stage, using):
        using(stage(), recording("a", 1.0, 0.5), lambda c: c.rollout_prompt('{"ticket": 0}'))
        settings = stage(attempt=1, consumed=2, trained=1)
        [_, prompt] = using(settings, recording("a", 1.0, 0.5), lambda c: c.rollout_prompt('{"ticket": 0}'))
        assert [(attempt, group) for attempt, group, index, *_ in ledger(settings) if index == 0] == [(0, 0), (1, 0)]
        assert (prompt.position, prompt.step) == (2, 2)


class TestJudges:
    """Their counts, which scorers have in files before they tell them."""

    @pytest.fixture
    def judged(self, stage):
        """`judged(calls=3, attempt=1)`: the settings of a stage with two scorers, of which the second has asked."""
        recipe = RECIPE.replace("judged: {use: toy/brevity}", "judged: {use: pairwise/win_rate, with: {judge: main}}")

        def make(calls=0, **more):
            settings = stage(recipe + JUDGE % "http://127.0.0.1:9", scorers=2, **more)
            (settings.run / "judges").mkdir(exist_ok=True)
            file = UsageFile(settings.run / "judges", "main", Share(2, 2))
            file.usage.calls = calls
            file.save()
            return settings

        return make

    def used(self, settings):
        return [(row["attempt"], row["step"], row["calls"]) for row in lines(settings.run / "usage.jsonl")]

    def test_a_step_tells_what_all_scorers_asked(self, judged, using):
        settings = judged(calls=4)
        using(settings, recording("a", 1.0, 1.0, asked=2), recording("b", 1.0, 1.0, asked=3))
        assert self.used(settings) == [(0, 1, 3)], "what was asked before the first step is of an earlier process"
        assert lines(settings.run / "logs" / "0-rl.jsonl")[0]["judge/main/calls"] == 3.0

    def test_what_they_were_asked_before_a_restart_belongs_to_the_step_that_was_open(self, judged, using):
        settings = judged()
        using(settings, recording("a", 1.0, 1.0, asked=1), recording("b", 1.0, 1.0, asked=1))
        judged(calls=5)  # while the coordinator is away
        using(settings, recording("c", 1.0, 1.0, asked=1, step=2), recording("d", 1.0, 1.0, asked=2, step=2))
        assert self.used(settings) == [(0, 1, 1), (0, 2, 6)]

    def test_a_further_attempt_counts_on(self, judged, using):
        using(judged(), recording("a", 1.0, 1.0, asked=1), recording("b", 1.0, 1.0, asked=1))
        settings = judged(calls=7, attempt=1)
        UsageFile(settings.run / "judges", "main")  # as who starts the scorers does
        using(settings, recording("c", 1.0, 1.0, asked=1), recording("d", 1.0, 1.0, asked=2))
        assert self.used(settings) == [(0, 1, 1), (1, 1, 2)]
