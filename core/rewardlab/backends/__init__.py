"""The engines that train, each in a module of its own; none is imported before a recipe asks for it."""

from collections.abc import Callable

from rewardlab.errors import Problem, UserError
from rewardlab.ledger import RunDirectory
from rewardlab.plan import Plan


def check_backend(plan: Plan) -> list[Problem]:
    """What the recipe's backend cannot do of what the recipe says, without importing an engine."""
    if plan.recipe.backend.use == "openrlhf":
        from rewardlab.backends.openrlhf import check
    else:
        from rewardlab.backends.trl.check import check
    return check(plan)


def describe(plan: Plan) -> str:
    """What `run --dry-run` prints."""
    from rewardlab.backends.trl.describe import describe as describe_trl

    check_runnable(plan)
    return describe_trl(plan)


def run_backend(plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
    """Run the recipe's stages on its backend."""
    from rewardlab.backends.trl.run import run

    check_runnable(plan)
    run(plan, directory, only, say)


def check_runnable(plan: Plan) -> None:
    """Raises UserError where this version cannot run the recipe's backend."""
    if plan.recipe.backend.use == "openrlhf":
        where = plan.document.where(("backend", "use"))
        raise UserError("this version checks openrlhf recipes but cannot start them yet; use trl", where=where)
