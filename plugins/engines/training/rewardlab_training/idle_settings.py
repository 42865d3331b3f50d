"""Settings that do nothing, that a question overrides, that cost without counting, or pay for being cut: warnings."""

from collections.abc import Iterator

from rewardlab.plan import Component, Plan
from rewardlab.recipe import Finding, RecipePath, lookup

from rewardlab_training.stage_datasets import policy_judges


def idle_settings(plan: Plan) -> Iterator[Finding]:
    """Yield (place, why it does nothing) for what is named in vain: judges, alarms, `epochs` beside `steps`."""
    asked = (
        plan.asked_by_rewards
        | policy_judges(plan)
        | {name for dataset in plan.datasets.values() for name in dataset.judges()}
    )
    for name in plan.judges:
        if name not in asked:
            yield ("judges", name), f"nothing asks this judge; {_where_to_name(plan)}leave it out"
        elif plan.judges[name].use.repeats is not None and name not in plan.asked_by_rewards:
            yield ("judges", name, "repeats"), "no reward asks this judge, and nothing else asks again; leave it out"
    yield from _overridden_options(plan)
    yield from _paid_outside_of_total(plan)
    for name in plan.components:
        yield from _panel_warnings(plan, name)
    reward = plan.recipe.reward
    low, high = plan.total_range or (0.0, 1.0)
    if low == high and any(stage.use == "rl" for stage in plan.recipe.stages):
        yield ("reward", "total"), f"is {low:g} for every completion: nothing is learned from it"
    if "reward_hacking" in plan.recipe.alarms.stop and (reward is None or reward.correctness is None):
        why = "reward_hacking never goes off without reward.correctness, which may be a component outside of `total`"
        yield ("alarms", "stop"), f"{why}; name one, or leave it out"
    for index, stage in enumerate(plan.recipe.stages):
        place = ("stages", index, "epochs")
        steps = getattr(stage, "steps", None)
        if steps is not None and lookup(plan.document.tree, place) is not None:
            yield place, f"has no effect beside `steps: {steps}`; leave one of them out"
        if getattr(stage, "on_truncated", None) == "zero" and low < 0:
            problem = f"a completion that is cut has a total of 0, and others can have {low:g}: it pays to be cut"
            yield ("stages", index, "on_truncated"), f"{problem}; take `keep`, or a total that is never below 0"


def _paid_outside_of_total(plan: Plan) -> Iterator[Finding]:
    """Yield (place, what it costs) for each component that takes a judge or a model and does not count in the total."""
    reward = plan.recipe.reward
    if reward is None or plan.expression is None:
        return
    for name, planned in plan.components.items():
        judges = planned.judges()
        loads = planned.spec.opens_workers or planned.spec.environment is not None
        if name in (*plan.expression.names, reward.correctness, reward.outcome) or not (judges or loads):
            continue
        cost = f"asks {' and '.join(judges)}" if judges else "loads a model"
        problem = f"{cost} for every group, and `total` does not name it: it is paid for, and only logged"
        yield (
            ("reward", "components", name),
            f"{problem}; remove it with reward.components.{name}=null if that is not meant",
        )


def _panel_warnings(plan: Plan, name: str) -> Iterator[Finding]:
    """Yield what is doubtful about repeats and panels: what is combined of one value, and what is never asked."""
    use, place = plan.components[name].use, ("reward", "components", name)
    draws = plan.draws(name)
    if "combine" in use.model_fields_set and sum(draws.values()) == 1:
        yield (*place, "combine"), "there is one value to combine; set `repeats`, or leave it out"
    if use.escalate is not None and use.escalate.unsure is None and next(iter(draws.values()), 1) == 1:
        problem = "its second judge is asked only where the first fails, as `unsure` says no value to be in doubt about"
        yield (*place, "escalate"), f"{problem}; set it, or `repeats`"


def _overridden_options(plan: Plan) -> Iterator[Finding]:
    """Yield (place, what it overrides) for each parameter of a question for which its judge has another value."""
    askers: dict[RecipePath, Component] = {**plan.datasets}
    askers |= {("reward", "components", name): planned for name, planned in plan.components.items()}
    for place, planned in askers.items():
        for judge, questions in planned.questions().items():
            options = plan.judges[judge].options if judge in plan.judges else None
            params = {name: value for question in questions for name, value in question.params.items()}
            for name, value in params.items():
                own = getattr(options, name, None)
                if own is not None and own != value:
                    overridden = f"overrides judges.{judge}.with.{name}: {own}"
                    advice = f"change `sampling.{name}` or leave out the judge's"
                    yield place, f"its questions say {name} {value}, which {overridden}; {advice}"


def _where_to_name(plan: Plan) -> str:
    """Return the options of the recipe's components and data steps that name a judge, as the begin of an advice."""
    by_name: dict[str, Component] = {f"reward.components.{name}": planned for name, planned in plan.components.items()}
    by_name |= {".".join(map(str, path)): planned for path, planned in plan.datasets.items()}
    options = [f"{place}.with.{option}" for place, planned in by_name.items() for option in planned.spec.judges]
    return f"name it in {' or '.join(options)}, or " if options else ""
