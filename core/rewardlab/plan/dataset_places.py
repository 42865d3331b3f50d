"""The places where a recipe names datasets, and the datasets that data steps start from."""

from collections.abc import Iterator, Mapping
from typing import Any

from rewardlab.recipe.models import EvalStage, Recipe, RlStage
from rewardlab.recipe.use import DatasetUse
from rewardlab.recipe.validation import RecipePath


def dataset_uses(recipe: Recipe) -> Iterator[tuple[RecipePath, DatasetUse]]:
    """Yield (place, use) for each dataset that a recipe names, also those that data steps start from."""
    for path, named in _named_uses(recipe):
        use: DatasetUse | None = named
        while use is not None:
            yield path, use
            path, use = (*path, "from"), use.source


def _named_uses(recipe: Recipe) -> Iterator[tuple[RecipePath, DatasetUse]]:
    if recipe.dataset is not None:
        yield ("dataset",), recipe.dataset
    for index, stage in enumerate(recipe.stages):
        if stage.dataset is not None:
            yield ("stages", index, "dataset"), stage.dataset
        evaluation = stage.evaluation if isinstance(stage, RlStage) else None
        if evaluation is not None and evaluation.dataset is not None:
            yield ("stages", index, "eval", "dataset"), evaluation.dataset
        sets = stage.sets if isinstance(stage, EvalStage) else evaluation.sets if evaluation is not None else {}
        for name, use in sets.items():
            if use is not None:
                yield (*evaluation_place(recipe, index), "sets", name), use


def evaluation_place(recipe: Recipe, index: int) -> RecipePath:
    """Return the place in the file of the settings with which stage `index` evaluates."""
    return ("stages", index) if isinstance(recipe.stages[index], EvalStage) else ("stages", index, "eval")


def chain(datasets: Mapping[RecipePath, Any], place: RecipePath) -> Iterator[tuple[RecipePath, Any]]:
    """Yield (place, dataset) for the dataset at `place` and for those that it starts from, source last."""
    while place in datasets:
        yield place, datasets[place]
        place = (*place, "from")
