"""One call to each judge before a run: a wrong key, model or address shows before anything is trained."""

from collections.abc import Callable, Mapping

from rewardlab.errors import Problem, UserError
from rewardlab.judging.judges import open_judges
from rewardlab.judging.keeping import Keeping
from rewardlab.loops import LoopThread
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.redaction import redact
from rewardlab.specs import Context


def probe_judges(plan: Plan, say: Callable[[str], None]) -> None:
    """Ask each judge that rewards and data steps name; a UserError with the words of those that do not answer."""
    judges = {name: planned for name, planned in asked(plan).items() if not planned.spec.local}
    if not judges:
        return
    home = LoopThread("rewardlab-probe")
    try:
        opened = open_judges(judges, home, Context(seed=plan.recipe.seed), Keeping())
        try:
            told = {name: home.run(judge.probe()) for name, judge in opened.items()}
        finally:
            opened.close()
    finally:
        home.close()
    problems = [
        Problem(where=plan.document.where(("judges", name)), what=redact(why), path=("judges", name))
        for name, why in told.items()
        if why is not None
    ]
    if problems:
        raise UserError(problems)
    say(f"judges that answer: {', '.join(judges)}")


def asked(plan: Plan) -> Mapping[str, Planned]:
    """The judges that something in the recipe asks."""
    components, steps = plan.components.values(), plan.datasets.values()
    names = {name for planned in (*components, *steps) for name in planned.judges()}
    return {name: planned for name, planned in plan.judges.items() if name in names}
