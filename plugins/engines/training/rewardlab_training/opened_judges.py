"""Judges of a plan on a thread of their own, where nothing is scored: before a run, and for data steps."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager

from rewardlab import Context
from rewardlab.concurrency import LoopThread
from rewardlab.judging import Judges, JudgingSettings, open_judges, require_secrets
from rewardlab.plan import Plan
from rewardlab.recipe import RecipePath

from rewardlab_training.dataset_checks import with_sources


def judges_of(plan: Plan, place: RecipePath) -> list[str]:
    """Return the judges that the data steps of the dataset at `place` name, each once."""
    steps = with_sources(plan.datasets, place)
    return [*dict.fromkeys(name for _, planned in steps for name in planned.judges())]


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
