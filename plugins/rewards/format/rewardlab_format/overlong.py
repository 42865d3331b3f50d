"""format/overlong: a penalty that grows as a completion nears the most tokens that it may have."""

from collections.abc import Sequence

from rewardlab import Completion, Context, Sample, Score

from rewardlab_format.options import OverlongOptions


class Overlong:
    """The penalty 0 for n tokens up to L - C, then (L - C - n) / C, and -1 from L tokens on.

    L is `max_tokens`, C is `buffer`. n is the number of tokens that the engine sampled; if it is unknown, the text's
    characters divided by `characters_per_token`, or else the reward abstains. `info`: `tokens`, and `estimated` if they
    are estimated. Source: DAPO (arXiv 2503.14476), equation 13, soft overlong punishment.
    """

    def __init__(self, options: OverlongOptions, _context: Context | None = None) -> None:
        self._free, self._buffer = options.max_tokens - options.buffer, options.buffer
        self._characters = options.characters_per_token

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item. Abstains if the tokens were not counted, and never fails."""
        return [self._score(completion) for _, completion in items]

    def _score(self, completion: Completion) -> Score:
        if completion.token_count is not None:
            return Score(value=self._penalty(completion.token_count), info={"tokens": completion.token_count})
        if self._characters is None:
            return Score(info={"reason": "its token count is unknown: give token_count, or characters_per_token"})
        tokens = len(completion.text) / self._characters
        return Score(value=self._penalty(tokens), info={"tokens": tokens, "estimated": True})

    def _penalty(self, tokens: float) -> float:
        return min(0.0, max(-1.0, (self._free - tokens) / self._buffer))
