"""The goldens of a rubric of criteria, each worth exactly what the criteria that it meets weigh."""

from rewardlab import Completion, Group, Sample
from rewardlab_training import Golden

from rewardlab_rubric.criteria.options import CriteriaOptions
from rewardlab_rubric.criteria.sources import known_criteria


def golden_groups(options: CriteriaOptions) -> list[Golden]:
    """Return the goldens of the criteria that the recipe names; rows' own have none here."""
    criteria = known_criteria(options.rubric, options.worth)
    made: list[Golden] = []
    for number, golden in enumerate(criteria.goldens if criteria is not None else (), start=1):
        prompt = ({"role": "user", "content": golden.input},)
        sample = Sample(id=f"golden {number}", prompt=prompt, source=golden.place)
        worth = criteria.worth(golden.met, options.worth) if criteria is not None else 0.0
        group = Group(sample=sample, completions=[Completion(text=golden.response)])
        made.append(Golden(place=golden.place, group=group, values=[(worth, worth)]))
    return made
