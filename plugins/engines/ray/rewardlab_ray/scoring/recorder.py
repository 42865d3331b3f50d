"""The recorder of an rl stage, which writes its ledger, usage, curves and evaluations group by group."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from typing import Any

from rewardlab.judging import Usage
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, RlStage
from rewardlab.scoring import ScoredGroup
from rewardlab_training import GroupNumbers, UsageLog, last_row, ledger_path, run_name

from rewardlab_ray.messages import FinishedGroup, GroupPlace, GroupRewards
from rewardlab_ray.scoring.asked_judges import AskedJudges
from rewardlab_ray.scoring.evaluation_events import EvaluationEvents
from rewardlab_ray.scoring.evaluation_passes import EvaluationPasses
from rewardlab_ray.scoring.evaluation_run import EvaluationRun
from rewardlab_ray.scoring.journal import Journal
from rewardlab_ray.scoring.reading_order import Prompts
from rewardlab_ray.scoring.recorded_groups import RecordedGroups
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_ray.scoring.step_log import ScoredStepLog
from rewardlab_ray.scoring.training_steps import TrainingSteps
from rewardlab_ray.scoring.undecided_groups import UndecidedGroups


class Recorder:
    """The one writer of a stage's groups. It blocks, so it is called in a thread, one call after the other.

    A recorder that is opened again in the same attempt goes on where the last one was.
    """

    def __init__(self, settings: ServiceSettings, plan: Plan, prompts: Prompts) -> None:
        """Open the files and go on with the groups that are there. A JobError if these must end the job."""
        self._stage = settings.stage
        self._asked = AskedJudges(settings, plan)
        self._scored: dict[str, int] = {}
        self.steps_at_start: dict[str, int | None] = {}
        """the steps of the groups to train on that were recorded before, by key"""
        stage = settings.stage_of(plan)
        done = settings.trained
        self._evaluates_before = stage.evaluation is not None and stage.eval_before and done == 0
        self.training_steps = TrainingSteps(stage.batch_size, done + 1)
        last = len(prompts.order) // stage.batch_size
        run = settings.run
        with ExitStack() as opened:
            self._weights_journal = Journal(settings.journal("weights"))
            opened.callback(self._weights_journal.close)
            self._weights = max((fact["step"] for fact in self._weights_journal.earlier), default=done)
            for attempt in range(settings.attempt):
                _record_left(replace(settings, attempt=attempt))
            self._recorded = RecordedGroups(settings, prompts.evaluation)
            opened.callback(self._recorded.close)
            self._undecided = UndecidedGroups(settings.journal("undecided"))
            opened.callback(self._undecided.close)
            self._decides = not settings.says_trained
            self._usage_log = UsageLog(run / "usage.jsonl", settings.attempt)
            opened.callback(self._usage_log.close)
            self._usage_journal = Journal(settings.journal("usage"))
            opened.callback(self._usage_journal.close)
            self._start_usage_from(self._asked.total())
            self._steps = self._step_log(settings, plan, stage)
            opened.callback(self._steps.close)
            trackers = list(_trackers(settings, f"{run_name(plan)}-{settings.name}"))
            for tracker in trackers:
                opened.callback(tracker.close)
            self._passes = EvaluationPasses(
                folder=run / "evaluation",
                stage=settings.name,
                rows=settings.evaluation_rows,
                by=stage.evaluation.split_by if stage.evaluation is not None else (),
                counted_info=plan.counted_info,
                every=stage.eval_every,
                last=last,
                alone=_results_name(plan, settings.stage),
                tracked=[tracker.add for tracker in trackers],
            )
            for place, numbers, evaluated in self._recorded.earlier():
                self._undecided.remove(place.key)
                self._watch(place, numbers)
                if not place.evaluation:
                    self.training_steps.add(discarded=not place.trains)
                if place.trains:
                    self.steps_at_start[place.key] = place.step
                self._count(place, numbers, evaluated)
            for place, group in self._undecided:
                self._watch(place, group.numbers)
            opened.callback(self._record_untrained)
            self._closing = opened.pop_all()

    def record(self, place: GroupPlace, group: FinishedGroup) -> tuple[GroupPlace | None, GroupRewards | None]:
        """Record a group, and return its place with its step, or else the rewards with which its key came first.

        These are the engine's: a key counts once. Neither, if the group waits, or nobody needs it. A JobError if the
        job must end.
        """
        self._asked.count(group.scorer, group.asked)
        if place.key in self._recorded:
            return None, self._recorded.rewards(place.key)
        if not self._decides and not place.evaluation:
            return None, self._wait(place, group)
        return self._record(place, group), None

    def rewards(self, key: str) -> GroupRewards | None:
        """Return the rewards with which a group's key came first; None if it has not come yet."""
        if key in self._recorded:
            return self._recorded.rewards(key)
        waiting = self._undecided.get(key)
        return None if waiting is None else waiting.rewards

    def _record(self, place: GroupPlace, group: FinishedGroup) -> GroupPlace | None:
        if place.evaluation and place.step == 0 and place.row not in self._passes.rows_of_first():
            return None  # a claim that a restarted coordinator had forgotten, and gave to somebody else, too
        if place.evaluation:
            step = self._weights if place.step is None else place.step
            place = replace(place, step=step)
            phase = self._passes.phase(step)
            self._recorded.add(place, group, None if phase == "eval" else step, "no", phase)
            self._count(place, group.numbers, self._recorded.evaluated(place, group.lines))
            return place
        self._watch(place, group.numbers)
        return self._add(place, group)

    def trained(self, step: int, keys: Collection[str]) -> None:
        """Record the groups of a step by what its engine says: it trained on those with these keys, and on no other."""
        for place, group in self._unrecorded(step):
            self._add(replace(place, discarded=place.key not in keys), group)

    def scored_of(self, keys: Sequence[str]) -> int:
        """Return how many completions of the training's groups with these keys have a total."""
        return sum(self._scored.get(key, 0) for key in keys)

    def weights_exchanged(self, step: int) -> None:
        """Note that the engines have the weights after this step, which evaluations are of from now on."""
        self._weights_journal.add({"step": step})
        self._weights = step

    def evaluation_is_due(self, step: int, final: bool) -> bool:
        """Return what EvaluationPasses.is_due says."""
        return self._passes.is_due(step, final)

    def rows_before_training(self) -> list[int]:
        """Return the rows to evaluate on before the first step that are not there yet; none behind that step."""
        return self._passes.rows_of_first() if self._evaluates_before else []

    def close(self) -> None:
        """Record the groups of a step that did not train, and close the files; calling it again does nothing."""
        self._closing.close()

    def _record_untrained(self) -> None:
        for place, group in self._unrecorded():
            self._recorded.add(place, group, place.step, "no", "training")

    def _unrecorded(self, step: int | None = None) -> Iterator[tuple[GroupPlace, FinishedGroup]]:
        """Yield the groups that wait, of a step or all, but for one that is recorded: what came after that failed."""
        for place, group in self._undecided.of_step(step):
            if place.key not in self._recorded:
                yield place, group

    def _wait(self, place: GroupPlace, group: FinishedGroup) -> GroupRewards | None:
        """Keep a group until the engine says whether it trains on it; return its rewards if it was kept before."""
        first = self._undecided.get(place.key)
        if first is None:
            self._watch(place, group.numbers)
            self._undecided.add(place, group)
        self._steps.check()
        return None if first is None else first.rewards

    def _watch(self, place: GroupPlace, numbers: GroupNumbers) -> None:
        if not place.evaluation:
            self._steps.scored(numbers)

    def _add(self, place: GroupPlace, group: FinishedGroup) -> GroupPlace:
        """Record a group of the training, and return its place with its step."""
        step = self.training_steps.add(discarded=not place.trains)
        place = replace(place, step=step if place.step is None else place.step)
        self._recorded.add(place, group, place.step, "yes" if place.trains else "no", "training")
        self._count(place, group.numbers)
        return place

    def _count(self, place: GroupPlace, numbers: GroupNumbers, evaluated: ScoredGroup | None = None) -> None:
        if evaluated is None:
            self._scored[place.key] = numbers.total.count
            self._steps.add(place, numbers, self._write_usage)
            return
        assert place.step is not None, "a group of an evaluation has the step of its weights"
        if place.step == 0:
            complete = self._passes.add_to_first(place.row, evaluated)
        else:
            complete = self._passes.add(place.row, evaluated, place.step)
        if complete:
            self._write_usage(place.step)

    def _start_usage_from(self, usage: Mapping[str, Usage]) -> None:
        """Count from what this attempt wrote last, or else from `usage`.

        What a dead coordinator had not written yet comes with the next step.
        """
        if earlier := self._usage_journal.earlier:
            usage = {name: Usage(**counts) for name, counts in earlier[-1].items()}
        else:
            self._usage_journal.add(_as_dict(usage))
        self._usage_log.starts_from(usage)

    def _write_usage(self, step: int) -> Mapping[str, Usage]:
        asked = self._asked.total()
        since = self._usage_log.write(self._stage, step, asked)
        self._usage_journal.add(_as_dict(asked))
        return {name: since.get(name, Usage()) for name in asked}  # the same keys at every step

    def _step_log(self, settings: ServiceSettings, plan: Plan, stage: RlStage) -> ScoredStepLog:
        return ScoredStepLog(
            settings.run / "logs" / f"{settings.name}.jsonl",
            settings.attempt,
            plan.guarded_uses,
            stage.batch_size,
            window=stage.batch_size * stage.group_size if settings.replaces else None,
        )


def _record_left(earlier: ServiceSettings) -> None:
    """Record what an attempt left that was killed before its engine said on which groups it trains."""
    path = earlier.journal("undecided")
    if not path.exists() or not path.stat().st_size:
        return
    with closing(UndecidedGroups(path)) as undecided, closing(RecordedGroups(earlier, ())) as recorded:
        last = last_row(ledger_path(earlier.run))
        if last is not None and last["attempt"] > earlier.attempt:
            return  # behind a later attempt, the numbers of its groups would begin again
        for place, group in undecided.of_step():
            if place.key not in recorded:  # else this was interrupted
                recorded.add(place, group, place.step, "no", "training")


def _results_name(plan: Plan, index: int) -> str | None:
    """Return the name of the results of a stage that only evaluates; None for any other."""
    stage = plan.recipe.stages[index]
    return (stage.benchmark or "results") if isinstance(stage, EvalStage) else None


def _as_dict(usage: Mapping[str, Usage]) -> dict[str, Any]:
    return {name: asdict(counts) for name, counts in usage.items()}


def _trackers(settings: ServiceSettings, name: str) -> Iterator[EvaluationEvents | EvaluationRun]:
    """Yield the trackers that the recipe asks for; `name` is that of the engine's own runs in them."""
    logs = settings.run / "logs"
    if settings.tensorboard:
        yield EvaluationEvents(logs / "tensorboard" / name)
    if settings.wandb is not None:
        yield EvaluationRun(settings.wandb, name, logs)
