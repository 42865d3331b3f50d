"""A recipe's datasets: the plugin's samples under our field names, each with an id; and which of them are held out."""

import hashlib
from collections.abc import Generator, Iterator
from typing import Any

from rewardlab import Context, Sample
from rewardlab.data import Identifier, remap
from rewardlab.errors import JobError, UserError, one_line

HELD_OUT_SPLITS = ("heldout", "test", "validation", "valid", "dev", "eval")


def read_dataset(planned: Any, context: Context) -> Generator[Sample]:
    """Yield the samples of a planned dataset: columns mapped, ids made if missing and unique, prompts present.

    Raises UserError for a wrong row or an empty dataset, JobError if the plugin fails.
    """
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


def has_free_rows(planned: Any) -> bool:
    """Return whether a planned dataset's rows can be read without a network and without asking a judge."""
    remote = planned.ask("whether it needs a network", planned.spec.is_remote, planned.options)
    return not (planned.spec.step or remote or planned.use.source is not None)


def _plugin_samples(planned: Any, context: Context) -> Iterator[Sample]:
    try:
        yield from planned.spec.build(planned.options, context)
    except (UserError, JobError):
        raise
    except Exception as error:  # the one place where a dataset's exception becomes a JobError
        raise JobError(f"dataset {planned.use.use}: {one_line(error)}") from error


def is_held_out(sample: Sample, share: float) -> bool:
    """Return whether a row is held out of training: by its column `split` or, without one, by a hash of its id.

    Args:
        share: of the rows without a split, the fraction to hold out, in [0, 1].
    """
    split = sample.fields.get("split")
    if split is not None:
        return split in HELD_OUT_SPLITS
    fraction = int.from_bytes(hashlib.sha256(f"holdout:{sample.id}".encode()).digest()[:8], "big") / 2**64
    return fraction < share
