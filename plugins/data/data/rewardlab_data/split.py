"""The data step data/split: one of several parts of a source that no row is in two of."""

import json
from collections.abc import Iterator
from hashlib import blake2b
from itertools import accumulate

from rewardlab import Context, Sample
from rewardlab.errors import UserError

from rewardlab_data.options import SplitOptions


class SplitRows:
    """An iterable of the source's samples that are in the part `keep`, unchanged and in order.

    A hash of the seed and the row's key decides, whatever the other rows are: the same row is in the same part of every
    file, and the parts have their shares up to chance.
    """

    def __init__(self, options: SplitOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        total = sum(options.parts.values())
        self._ends = [end / total for end in accumulate(options.parts.values())]

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples that are kept. Raises UserError for a row without its key."""
        return (sample for sample in self._source if self.part_of(sample) == self._options.keep)

    def part_of(self, sample: Sample) -> str:
        """Return the name of the part that a sample is in."""
        text = json.dumps([self._options.seed, self._key(sample)], ensure_ascii=True)
        place = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") / 2**64
        names = list(self._options.parts)
        return next((name for name, end in zip(names, self._ends, strict=True) if place < end), names[-1])

    def _key(self, sample: Sample) -> object:
        by = self._options.by
        if by == "prompt" or (by == "id" and not sample.id):
            return [dict(message) for message in sample.prompt]
        if by == "id":
            return sample.id
        if sample.fields.get(by) is None:
            raise UserError(f"data/split: {sample.place()}: field {by!r}: missing, by which the rows are split")
        return sample.fields[by]
