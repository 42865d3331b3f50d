"""The usage of judges by the scorers of an rl stage, all together."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from rewardlab.judging import Share, Usage, UsageFile, read_usage
from rewardlab.plan import Plan

from rewardlab_ray.scoring.service_settings import ServiceSettings


class AskedJudges:
    """The counts of each judge since the run began: of earlier attempts and stages, and of every scorer.

    A scorer writes its own before it reports them, so that a coordinator that was restarted finds them.
    """

    def __init__(self, settings: ServiceSettings, plan: Plan) -> None:
        """Read what is there. JobError if that cannot be."""
        folder, judges, scorers = settings.run / "judges", asked_judges(plan), settings.scorers
        self._before = {} if scorers == 1 else read_usage(folder, judges)  # one alone counts on in the same file
        self._of_scorers = {number: read_usage(folder, judges, Share(number + 1, scorers)) for number in range(scorers)}

    def count(self, scorer: int, asked: Mapping[str, Usage]) -> None:
        """Note all that a scorer has asked so far."""
        self._of_scorers[scorer] = dict(asked)

    def total(self) -> dict[str, Usage]:
        """Return the sum for each judge that was asked."""
        total: dict[str, Usage] = {}
        for counts in (self._before, *self._of_scorers.values()):
            for name, usage in counts.items():
                total.setdefault(name, Usage()).add(usage)
        return {name: usage for name, usage in total.items() if usage.asked}


def asked_judges(plan: Plan) -> list[str]:
    """Return the names of a plan's judges that are counted: those that are asked over a network."""
    return [name for name, planned in plan.judges.items() if not planned.spec.local]


def settled_usage(folder: Path, judges: Iterable[str]) -> dict[str, Usage]:
    """Return what each judge was asked in all, once no process with a share of it is alive."""
    return {name: UsageFile(folder, name).usage for name in judges}
