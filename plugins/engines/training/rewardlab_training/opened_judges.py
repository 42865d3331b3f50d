"""Judges of a plan on a thread of their own, where nothing is scored: before a run, and for data steps."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager

from rewardlab import Context
from rewardlab.concurrency import LoopThread
from rewardlab.judging import Judges, JudgingSettings, open_judges, require_secrets
from rewardlab.plan import Plan


@contextmanager
def opened_judges(plan: Plan, names: Iterable[str], judging: JudgingSettings) -> Iterator[tuple[Judges, LoopThread]]:
    """Yield these judges and the loop that they are asked on; both are closed at the end. UserError for unset keys."""
    wanted = {name: plan.judges[name] for name in names}
    require_secrets(plan, wanted)
    with (
        closing(LoopThread("rewardlab-judges")) as home,
        closing(open_judges(wanted, home, Context(seed=plan.recipe.seed), judging)) as judges,
    ):
        yield judges, home
