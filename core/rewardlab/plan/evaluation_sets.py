"""The samples of a named evaluation set, as engines see them and results tell them apart."""

from dataclasses import replace

from rewardlab.recipe.models import SET_FIELD
from rewardlab.types import Sample


def sample_of_set(name: str, sample: Sample) -> Sample:
    """Return a sample with its set's name in the field `eval_set` and before its id: "hard/7".

    One of an evaluation without sets, whose name is "", stays as it is.
    """
    if not name:
        return sample
    return replace(sample, id=f"{name}/{sample.id}", fields={**sample.fields, SET_FIELD: name})
