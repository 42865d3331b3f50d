"""What one rl stage leaves in its run directory: ledger, usage, curves and evaluations, written group by group."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

from rewardlab.backends.openrlhf.scoring.evaluation_passes import EvaluationPasses
from rewardlab.backends.openrlhf.scoring.journal import Journal
from rewardlab.backends.openrlhf.scoring.messages import Place
from rewardlab.backends.openrlhf.scoring.recorded import Recorded
from rewardlab.backends.openrlhf.scoring.service_settings import ServiceSettings
from rewardlab.backends.openrlhf.scoring.step_log import StepLog
from rewardlab.backends.openrlhf.scoring.turns import Prompts
from rewardlab.composition import ScoredGroup
from rewardlab.judging.usage import Usage
from rewardlab.ledger import Ledger, UsageLog
from rewardlab.plan import Plan
from rewardlab.recipe import RlStage
from rewardlab.total import uses_in_total


class Book:
    """The one writer of a stage's groups. It blocks: for a thread of its own, one call after the other.

    Opened again in the same attempt, it goes on where it was. `usage` counts what the judges were asked from the
    run's beginning.
    """

    def __init__(
        self, settings: ServiceSettings, plan: Plan, prompts: Prompts, usage: Callable[[], Mapping[str, Usage]]
    ):
        """A JobError where what was recorded before must end the job."""
        self._stage = settings.stage
        self._engine = plan.recipe.backend.engine
        self._usage = usage
        stage = settings.stage_of(plan)
        done = settings.consumed // stage.batch_size
        self._done = done
        last = len(prompts.order) // stage.batch_size
        run, ledger = settings.run, settings.run / "ledger.jsonl"
        with ExitStack() as opened:
            self._recorded = Recorded(settings.journal("recorded"), ledger, settings.attempt, settings.stage)
            opened.callback(self._recorded.close)
            self._ledger = Ledger(ledger, settings.attempt)
            opened.callback(self._ledger.close)
            self._usage_log = UsageLog(run / "usage.jsonl", settings.attempt)
            opened.callback(self._usage_log.close)
            self._noted = Journal(settings.journal("usage"))
            opened.callback(self._noted.close)
            self._starts_from(usage())
            self._steps = self._step_log(settings, plan, stage, done)
            opened.callback(self._steps.close)
            self._passes = EvaluationPasses(
                folder=run / "evaluation",
                stage=settings.name,
                rows=settings.evaluation_rows,
                by=stage.evaluation.by if stage.evaluation is not None else (),
                every=stage.eval_every or last,
                last=last,
                trained=done,
            )
            for place, group in self._recorded.earlier(prompts.training, prompts.evaluation):
                self._count(place, group)
            self._closing = opened.pop_all()

    def record(self, place: Place, scored: ScoredGroup) -> None:
        """Write a group; once more for the same key is nothing. A JobError where the job must end."""
        if place.key in self._recorded:
            return
        self._recorded.note(place)
        trained = "no" if place.evaluation else "unknown" if self._engine.dynamic_filtering else "yes"
        self._ledger.write(self._stage, place.step, [scored], trained)
        self._count(place, scored)

    def close(self) -> None:
        """Idempotent."""
        self._closing.close()

    def _count(self, place: Place, scored: ScoredGroup) -> None:
        if place.evaluation:
            step = self._passes.add(place.row, scored, self._trained())
            if step is not None:
                self._spent(step)
        else:
            self._steps.add(place, scored, self._spent)

    def _starts_from(self, usage: Mapping[str, Usage]) -> None:
        """What was written last, if this attempt has written; what a dead desk has not comes with the next step."""
        if self._noted.earlier:
            usage = {name: Usage(**counts) for name, counts in self._noted.earlier[-1].items()}
        else:
            self._noted.add(_plain(usage))
        self._usage_log.starts_from(usage)

    def _spent(self, step: int) -> Mapping[str, Usage]:
        asked = {name: now.minus(Usage()) for name, now in self._usage().items()}  # others go on counting
        since = self._usage_log.write(self._stage, step, asked)
        self._noted.add(_plain(asked))
        return {name: since.get(name, Usage()) for name in asked}  # the same keys at every step

    def _trained(self) -> int | None:
        """Steps that were trained on when an evaluation begins; None where nobody knows."""
        if self._engine.dynamic_filtering or self._engine.generate_batch is not None:
            return None
        ahead = self._engine.asynchronous.queue if self._engine.asynchronous is not None else 0
        return self._done + self._steps.whole - ahead

    def _step_log(self, settings: ServiceSettings, plan: Plan, stage: RlStage, done: int) -> StepLog:
        return StepLog(
            settings.run / "logs" / f"{settings.name}.jsonl",
            settings.attempt,
            uses_in_total(plan),
            stage.batch_size,
            first=done + 1,
            window=stage.batch_size * stage.group_size if self._engine.dynamic_filtering else None,
        )


def _plain(usage: Mapping[str, Usage]) -> dict[str, Any]:
    return {name: asdict(counts) for name, counts in usage.items()}
