"""What a stage reads and asks: the datasets that it trains on and evaluates on, and the judges that it samples from."""

from collections.abc import Mapping
from typing import Any

from rewardlab import DatasetSpec
from rewardlab.plan import Component, Plan, evaluation_place
from rewardlab.recipe import DatasetUse, EvalStage, RecipePath, RlStage, lookup


def stage_dataset(plan: Plan, index: int) -> Component[DatasetUse, DatasetSpec]:
    """Return the dataset that stage `index` trains on: its own or the recipe's."""
    return plan.datasets[stage_dataset_place(plan, index)]


def stage_dataset_place(plan: Plan, index: int) -> RecipePath:
    """Return the place in the file that names the dataset that stage `index` trains on."""
    own = ("stages", index, "dataset")
    return ("dataset",) if lookup(plan.document.tree, own) is None else own


def validation_dataset(plan: Plan, index: int) -> tuple[RecipePath, bool]:
    """Return the place of the dataset that chooses a stage's best checkpoint, and whether its held-out rows do."""
    own = ("stages", index, "validation", "dataset")
    return (stage_dataset_place(plan, index), True) if lookup(plan.document.tree, own) is None else (own, False)


def evaluation_datasets(plan: Plan, index: int) -> dict[str, tuple[Component, bool]]:
    """Return what stage `index` evaluates on: set -> (dataset, whether only its held-out rows count).

    The one dataset of an evaluation without sets has the name "".
    """
    places = evaluation_dataset_places(plan, index)
    return {name: (plan.datasets[place], held_out) for name, (place, held_out) in places.items()}


def evaluation_dataset_places(plan: Plan, index: int) -> dict[str, tuple[RecipePath, bool]]:
    """Return the places in the file of what stage `index` evaluates on, as in `evaluation_datasets`."""
    here = evaluation_place(plan.recipe, index)
    held_out = stage_dataset_place(plan, index), True
    sets = lookup(plan.document.tree, (*here, "sets"))
    if isinstance(sets, Mapping) and sets:
        named = {str(name): (*here, "sets", name) for name in sets}
    else:
        named = {"": (*here, "dataset")}
    tree = plan.document.tree
    return {name: held_out if lookup(tree, own) is None else (own, False) for name, own in named.items()}


def scores(stage: Any) -> bool:
    """Return whether completions are scored in a stage."""
    return isinstance(stage, RlStage | EvalStage) or getattr(stage, "validation", None) is not None


def policy_judges(plan: Plan, only: int | None = None) -> set[str]:
    """Return the names of the judges that stages `eval`, or stage `only`, evaluate as served policies."""
    stages = (stage for index, stage in enumerate(plan.recipe.stages) if only in (None, index))
    return {stage.served for stage in stages if isinstance(stage, EvalStage) and stage.served is not None}
