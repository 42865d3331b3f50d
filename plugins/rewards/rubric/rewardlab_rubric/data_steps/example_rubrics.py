"""A file of rubrics that a model is shown as examples."""

from rewardlab_rubric.levels import Kind
from rewardlab_rubric.rubrics import Rubric, known_variants


def read_examples(path: str, kind: Kind) -> list[Rubric]:
    """Return the rubrics of a file. Raises ValueError that says what is wrong, with file and line if known."""
    rubrics = known_variants(path, [kind])
    for number, rubric in enumerate(rubrics):
        if rubric.description is None:
            raise ValueError(
                f"{path}: rubric {number + 1} of {len(rubrics)} has no description, which says what it is for"
            )
    return rubrics
