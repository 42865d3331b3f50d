"""The places where a recipe names datasets, and the datasets that data steps start from."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rewardlab.errors import UserError
from rewardlab.recipe.annotations import RecipePath
from rewardlab.recipe.evaluation import SET_FIELD, EvalStage
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.training_stages import RlStage
from rewardlab.recipe.use import DatasetUse
from rewardlab.types import Sample


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


def step_above(datasets: Mapping[RecipePath, Any], place: RecipePath) -> RecipePath | None:
    """Return the place of the dataset that starts from the one at `place`; None if no dataset does."""
    above = next((place[:end] for end in (-1, -2) if place[end] == "from"), None)
    return above if above in datasets else None


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


def has_own_dataset(stage: Mapping[str, Any]) -> bool:
    """Return whether a stage, as its file has it, names a dataset, or each of its sets does."""
    sets = stage.get("sets") or {}
    return stage.get("dataset") is not None or (bool(sets) and all(one is not None for one in sets.values()))


def evaluation_place(recipe: Recipe, index: int) -> RecipePath:
    """Return the place in the file of the settings with which stage `index` evaluates."""
    return ("stages", index) if isinstance(recipe.stages[index], EvalStage) else ("stages", index, "eval")


def with_sources(datasets: Mapping[RecipePath, Any], place: RecipePath) -> Iterator[tuple[RecipePath, Any]]:
    """Return (place, dataset) for the dataset at `place` and for all that it starts from, each before its sources."""
    return ((path, dataset) for path, dataset in datasets.items() if path[: len(place)] == place)


def sample_of_set(name: str, sample: Sample) -> Sample:
    """Return a sample with its set's name in the field `eval_set` and before its id: "hard/7".

    A sample of an evaluation without sets (name "") is unchanged. Raises UserError if the dataset has that field.
    """
    if not name:
        return sample
    if SET_FIELD in sample.fields:
        problem = f"`{SET_FIELD}` names the set of a prompt to evaluate on; call the dataset's own field something else"
        raise UserError(problem, where=sample.place())
    return replace(sample, id=f"{name}/{sample.id}", fields={**sample.fields, SET_FIELD: name})
