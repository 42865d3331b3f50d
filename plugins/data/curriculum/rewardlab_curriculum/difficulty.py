"""Put samples in the order of their difficulty, all of them or those of one language first.

Source: mR3, section 3.1.3 and appendix C.2.4: six orders; difficulty is how many of five answers of a smaller model are
right, then the length.
"""

import logging
from collections.abc import Sequence

from rewardlab import Context, Sample
from rewardlab.errors import UserError

from rewardlab_curriculum.options import DifficultyOptions
from rewardlab_curriculum.shuffle import Shuffle

log = logging.getLogger("rewardlab.curriculum")


class Difficulty:
    """An order from easy to hard, from hard to easy, or a random one; `first` names the rows that come before the rest.

    A row with a higher number in the field `easier` is easier; of equals the shorter one is. What is still equal has
    the order of curriculum/shuffle, so that neither process nor the order of the file matters.
    """

    def __init__(self, options: DifficultyOptions, _context: Context | None = None) -> None:
        self._options = options

    def order(self, samples: Sequence[Sample], seed: int) -> list[int]:
        """Return indices of all samples; with `again` those that come first stand there twice.

        Raises UserError if a sample's field is not a number; warns if `first` names no sample.
        """
        drawn = Shuffle().order(samples, seed)
        if self._options.order != "shuffled":
            sign = 1 if self._options.order == "easy_to_hard" else -1
            difficulties = [self._difficulty(sample) for sample in samples]
            drawn.sort(key=lambda index: tuple(sign * part for part in difficulties[index]))
        if self._options.first is None:
            return drawn
        early = [index for index in drawn if self._is_first(samples[index])]
        if samples and not early:
            log.warning(
                "curriculum/difficulty: first names no row: none of %d has %s", len(samples), self._options.first
            )
        rest = drawn if self._options.again else [index for index in drawn if not self._is_first(samples[index])]
        return early + rest

    def _difficulty(self, sample: Sample) -> tuple[float, float]:
        easier = self._options.easier
        return (0.0 if easier is None else -_number(sample, easier), self._length(sample))

    def _length(self, sample: Sample) -> float:
        if self._options.length is not None:
            return _number(sample, self._options.length)
        response = sample.fields.get("response")
        texts = [message["content"] for message in sample.prompt]
        return float(sum(map(len, texts)) + (len(response) if isinstance(response, str) else 0))

    def _is_first(self, sample: Sample) -> bool:
        wanted = self._options.first or {}
        return all(sample.fields.get(field) == value for field, value in wanted.items())


def _number(sample: Sample, field: str) -> float:
    value = sample.fields.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise UserError(
            f"field {field!r} of {sample.id!r} is not a number, but {repr(value)[:60]}", where=sample.source
        )
    return float(value)
