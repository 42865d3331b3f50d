"""One call to each judge before a run: a wrong key, model or address shows before anything is trained."""

from collections.abc import Callable, Mapping

from rewardlab.cross_checks import POLICY
from rewardlab.errors import Problem, UserError
from rewardlab.judging.judges import open_judges, require_secrets
from rewardlab.judging.keeping import Keeping
from rewardlab.loops import LoopThread
from rewardlab.plan import Plan
from rewardlab.planned import Planned
from rewardlab.recipe import EvalStage, RlStage
from rewardlab.redaction import redact
from rewardlab.specs import Context


def probe_judges(plan: Plan, say: Callable[[str], None], only: int | None = None) -> None:
    """Ask each judge that the stages (or stage `only`) will ask.

    A UserError with the words of those that do not answer.
    """
    reached = {name: planned for name, planned in asked(plan, only).items() if not planned.spec.local}
    judges = {name: planned for name, planned in reached.items() if planned.use.use != POLICY}
    if not judges:
        return
    require_secrets(plan, judges)
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


def asked(plan: Plan, only: int | None = None) -> Mapping[str, Planned]:
    """The judges that something in the recipe asks, or in stage `only`."""
    stages = {index: stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index)}
    scores = only is None or any(isinstance(stage, RlStage | EvalStage) for stage in stages.values())
    steps = [planned for place, planned in plan.datasets.items() if place[0] == "stages" and place[1] in stages]
    names = {name for planned in steps for name in planned.judges()} | (plan.asked_by_rewards if scores else set())
    return {name: planned for name, planned in plan.judges.items() if name in names}
