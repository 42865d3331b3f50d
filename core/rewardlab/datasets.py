"""A recipe's datasets: the plugin's samples with our field names, an id each, and the held-out part apart."""

import hashlib
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from rewardlab.errors import JobError, UserError, one_line
from rewardlab.recipe import Recipe, RlStage
from rewardlab.rows import Identifier, remap
from rewardlab.specs import Context
from rewardlab.types import Sample
from rewardlab.uses import DatasetUse
from rewardlab.validation import Path

HELD_OUT_SPLITS = ("heldout", "test", "validation", "valid", "dev", "eval")


def dataset_uses(recipe: Recipe) -> Iterator[tuple[Path, DatasetUse]]:
    """The datasets that a recipe names, also those that data steps start from: (place, use)."""
    for path, named in _named(recipe):
        use: DatasetUse | None = named
        while use is not None:
            yield path, use
            path, use = (*path, "from"), use.source


def _named(recipe: Recipe) -> Iterator[tuple[Path, DatasetUse]]:
    if recipe.dataset is not None:
        yield ("dataset",), recipe.dataset
    for index, stage in enumerate(recipe.stages):
        if stage.dataset is not None:
            yield ("stages", index, "dataset"), stage.dataset
        evaluation = stage.evaluation if isinstance(stage, RlStage) else None
        if evaluation is not None and evaluation.dataset is not None:
            yield ("stages", index, "eval", "dataset"), evaluation.dataset


def chain(datasets: Mapping[Path, Any], place: Path) -> Iterator[tuple[Path, Any]]:
    """(place, dataset) of the one at `place` of a plan's `datasets` and of those that it starts from, source last."""
    while place in datasets:
        yield place, datasets[place]
        place = (*place, "from")


def read_dataset(planned: Any, context: Context) -> Generator[Sample]:
    """The samples of a planned dataset, streaming: columns mapped, ids given and unique, prompts present."""
    use, identify = planned.use, Identifier()
    count = 0
    for sample in _plugin_samples(planned, context):
        count += 1
        try:
            mapped = remap(sample, use.fields)
            if not mapped.prompt:
                raise ValueError("no prompt; map a column with `fields: {prompt: <column>}`")
            mapped = identify(mapped)
        except ValueError as error:
            raise UserError(str(error), where=sample.source or f"{use.use} row {count}") from error
        yield mapped
    if not count:
        raise UserError(f"{use.use} has no rows")


def _plugin_samples(planned: Any, context: Context) -> Iterator[Sample]:
    try:
        yield from planned.spec.build(planned.options, context)
    except (UserError, JobError):
        raise
    except Exception as error:  # the one place where a dataset's exception gets its name
        raise JobError(f"dataset {planned.use.use}: {one_line(error)}") from error


def is_held_out(sample: Sample, share: float) -> bool:
    """Whether a row is kept out of training, by its column `split` or, without one, by a hash of its id."""
    split = sample.fields.get("split")
    if split is not None:
        return split in HELD_OUT_SPLITS
    fraction = int.from_bytes(hashlib.sha256(f"holdout:{sample.id}".encode()).digest()[:8], "big") / 2**64
    return fraction < share
