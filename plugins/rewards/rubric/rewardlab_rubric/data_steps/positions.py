"""The order of a pair's two texts: as the row has them, or by a hash of the row's id."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from rewardlab import Sample

from rewardlab_rubric.levels import Levels


def swaps(sample: Sample) -> bool:
    """Return whether a row's texts change places: those of about half of the rows do, by their ids alone.

    Neither the order of the rows nor the process matters, nor which variant of the rubric the row gets.
    """
    digest = hashlib.sha256(json.dumps(["position", sample.id]).encode()).digest()
    return digest[0] % 2 == 1


def placed(
    sample: Sample, moved: bool, texts: Sequence[str], gold: str | None, label: str | None, levels: Levels
) -> Sample:
    """Return the row with `swapped`: whether its texts are in each other's place, with the score for that order.

    Args:
        texts: the fields of the texts.
        gold: the field of the score, which keeps its type.
        label: the level that it names; None if the row has none.
    """
    fields = {**sample.fields, "swapped": moved}
    if moved:
        first, second = texts
        fields |= {first: sample.fields[second], second: sample.fields[first]}
        if gold is not None and label is not None:
            fields[gold] = type(sample.fields[gold])(levels.mirrored(label))
    return replace(sample, fields=fields)
