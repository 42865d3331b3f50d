"""The places where a recipe names datasets, and the datasets that data steps start from."""

from collections.abc import Iterator

from rewardlab.recipe.annotations import RecipePath
from rewardlab.recipe.evaluation import EvalStage
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.training_stages import RlStage
from rewardlab.recipe.use import DatasetUse


def dataset_uses(recipe: Recipe) -> Iterator[tuple[RecipePath, DatasetUse]]:
    """Yield (place, use) for each dataset that a recipe names, also those that data steps start from."""
    for path, named in _named_uses(recipe):
        yield from _with_sources(path, named)


def _with_sources(place: RecipePath, use: DatasetUse) -> Iterator[tuple[RecipePath, DatasetUse]]:
    yield place, use
    for below, source in sources_of(place, use).items():
        yield from _with_sources(below, source)


def sources_of(place: RecipePath, use: DatasetUse) -> dict[RecipePath, DatasetUse]:
    """Return the datasets that the one at `place` starts from, by their places: none, one, or one of each name."""
    if use.source is None:
        return {}
    if isinstance(use.source, DatasetUse):
        return {(*place, "from"): use.source}
    return {(*place, "from", name): source for name, source in use.source.items()}


def _named_uses(recipe: Recipe) -> Iterator[tuple[RecipePath, DatasetUse]]:
    if isinstance(recipe.dataset, DatasetUse):
        yield ("dataset",), recipe.dataset
    for index, stage in enumerate(recipe.stages):
        if stage.dataset is not None:
            yield ("stages", index, "dataset"), stage.dataset
        validation = getattr(stage, "validation", None)
        if validation is not None and validation.dataset is not None:
            yield ("stages", index, "validation", "dataset"), validation.dataset
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
