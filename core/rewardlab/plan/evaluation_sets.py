"""The samples of a named evaluation set, marked so that engines see and results distinguish their set."""

from dataclasses import replace

from rewardlab.errors import UserError
from rewardlab.recipe.models import SET_FIELD
from rewardlab.types import Sample


def sample_of_set(name: str, sample: Sample) -> Sample:
    """Return a sample with its set's name in the field `eval_set` and before its id: "hard/7".

    A sample of an evaluation without sets (name "") is unchanged. Raises UserError if the dataset has that field.
    """
    if not name:
        return sample
    if SET_FIELD in sample.fields:
        what = f"`{SET_FIELD}` names the set of a prompt to evaluate on; call the dataset's own field something else"
        raise UserError(what, where=sample.place())
    return replace(sample, id=f"{name}/{sample.id}", fields={**sample.fields, SET_FIELD: name})
