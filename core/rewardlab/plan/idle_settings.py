"""Settings of a recipe that do nothing, which are more often mistakes than not: `check` and `run` warn of them."""

from collections.abc import Iterator

from rewardlab.plan.plan import Plan
from rewardlab.recipe.validation import Finding, lookup


def idle_settings(plan: Plan) -> Iterator[Finding]:
    """Yield (place, why it does nothing) for each judge that nothing asks, and for `epochs` beside `steps`."""
    asked = (
        plan.asked_by_rewards
        | plan.policy_judges()
        | {name for dataset in plan.datasets.values() for name in dataset.judges()}
    )
    for name in plan.judges:
        if name not in asked:
            yield ("judges", name), f"nothing asks this judge; {_where_to_name(plan)}leave it out"
    for index, stage in enumerate(plan.recipe.stages):
        place = ("stages", index, "epochs")
        steps = getattr(stage, "steps", None)
        if steps is not None and lookup(plan.document.tree, place) is not None:
            yield place, f"does nothing beside `steps: {steps}`, which decides alone; leave one of them out"


def _where_to_name(plan: Plan) -> str:
    """Return the options of the recipe's components and data steps that name a judge, as the begin of an advice."""
    by_name = {f"reward.components.{name}": planned for name, planned in plan.components.items()}
    by_name |= {".".join(map(str, path)): planned for path, planned in plan.datasets.items()}
    options = [f"{place}.with.{option}" for place, planned in by_name.items() for option in planned.spec.judges]
    return f"name it in {' or '.join(options)}, or " if options else ""
