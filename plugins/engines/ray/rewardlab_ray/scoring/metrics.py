"""Counts of the actors that score, for Prometheus: Ray shows them at each node's metrics port, as `ray_rewardlab_...`.

They have the names that `rewardlab serve` has at /metrics where both count the same, so that one dashboard reads both.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rewardlab.judging import Usage
from rewardlab.scoring import ScoredGroup


class ScorerMetrics:
    """The counts of one scorer of a job."""

    def __init__(self, job: str, number: int) -> None:
        from ray.util.metrics import Counter, Gauge

        self._tags = {"run": job, "scorer": str(number)}
        self._groups = self._of(Counter, "groups", "Groups by how they ended", "outcome")
        self._scores = self._of(Counter, "scores", "Scores: value, failed or abstained", "component", "outcome")
        self._masked = self._of(Counter, "masked_completions", "Completions without a total")
        self._under_way = self._of(Gauge, "groups_under_way", "Groups that have no answer yet")
        self._calls_waiting = self._of(Gauge, "coordinator_calls_waiting", "Calls that wait for the coordinator")
        self._usage: dict[str, Usage] = {}
        self._judges = {
            name: self._of(Counter, f"judge_{name}", f"Judges: {name}", "judge") for name in asdict(Usage())
        }

    def scored(self, group: ScoredGroup, usage: Mapping[str, Usage]) -> None:
        """Count a group's scores, and what its judges were asked since the last one."""
        self._groups.inc(1, {"outcome": "scored"})
        _add(self._masked, sum(total is None for total in group.totals), {})
        for name, scores in group.components.items():
            for score in scores:
                outcome = "value" if score.value is not None else "failed" if score.error is not None else "abstained"
                self._scores.inc(1, {"component": name, "outcome": outcome})
        for judge, counts in usage.items():
            added = counts.minus(self._usage.get(judge, Usage()))
            self._usage[judge] = counts
            for name, count in asdict(added).items():
                _add(self._judges[name], count, {"judge": judge})

    def waiting(self, groups: int, calls: int) -> None:
        """Set how many groups are under way here, and how many calls wait for the coordinator."""
        self._under_way.set(groups)
        self._calls_waiting.set(calls)

    def _of(self, kind: Any, name: str, description: str, *tags: str) -> Any:
        return _metric(kind, name, description, self._tags, *tags)


class CoordinatorMetrics:
    """The counts of the coordinator of a job."""

    def __init__(self, job: str) -> None:
        from ray.util.metrics import Counter, Gauge

        tags = {"run": job}  # `job` is the name of a scrape
        self._recorded = _metric(Counter, "recorded_groups", "Groups in the ledger", tags, "phase")
        self._step = _metric(Gauge, "step", "The step that the next group belongs to", tags)
        self._failed = _metric(Gauge, "job_failed", "Whether the job has to end", tags)
        self._values: dict[Any, int] = {self._failed: 0}
        self.show()

    def recorded(self, evaluation: bool, step: int) -> None:
        """Count a group that was handed over, and set the step that is open now."""
        self._recorded.inc(1, {"phase": "evaluation" if evaluation else "training"})
        self._values[self._step] = step
        self.show()

    def failed(self) -> None:
        """Say that the job has to end."""
        self._values[self._failed] = 1
        self.show()

    def show(self) -> None:
        """Set what stays as it is again, as a node forgets it once it was read; to be called every few seconds."""
        for gauge, value in self._values.items():
            gauge.set(value)


def _metric(kind: Any, name: str, description: str, default: Mapping[str, str], *tags: str) -> Any:
    metric = kind(f"rewardlab_{name}", description=description, tag_keys=(*default, *tags))
    metric.set_default_tags(dict(default))
    return metric


def _add(counter: Any, count: float, tags: dict[str, str]) -> None:
    if count > 0:  # Ray's counters refuse 0
        counter.inc(count, tags)
