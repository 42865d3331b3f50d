"""Compute a judge's mean score: the probability of each level, from the probabilities of a reply's tokens."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

PARAMS = {"logprobs": True, "top_logprobs": 20}
"""what a question asks of the server"""
UNDECIDED = 0.05
"""the most probability that may rest on tokens which begin several levels"""
NAMED = 0.5
"""the least probability that tokens must give to levels, so that they say something about them"""

BEFORE = " \n\t:\"'"
"""what a token may have before the score"""

Alternatives = Mapping[str, float]
"""token -> its probability, of the tokens that could have stood at one place"""


def level_probabilities(logprobs: Any, text: str, start: int | None, labels: Sequence[str]) -> dict[str, float]:
    """Return {label: probability}, which sum to 1, of the levels that could stand at `start` in the reply `text`.

    Args:
        logprobs: of the reply, as OpenAI-compatible servers send them, with the likeliest other tokens of each
            place. Labels that begin alike are distinguished where they differ: after "Response " for Response 1 and
            Response 2.

    Raises ValueError, which says why, if the probabilities are not available.
    """
    if start is None:
        raise ValueError("it is not clear where the score stands in the reply")
    tokens = _tokens(logprobs)
    spelt = "".join(token for token, _ in tokens)
    offset = spelt.rfind(text)
    if offset < 0:
        raise ValueError("its log-probabilities do not spell the reply")
    weights: dict[str, float] = {}
    undecided = _share_out(_Places(tokens, spelt, offset + start), tuple(labels), 1.0, weights)
    if undecided > UNDECIDED:
        raise ValueError("the likeliest tokens at the score begin several levels, so that none has a probability")
    total = sum(weights.values())
    if total < NAMED:
        raise ValueError(f"only {total:.2f} of the probability at the score is on levels of the rubric")
    return {label: weights[label] / total for label in labels if label in weights}


class _Places:
    """The tokens of a reply by the place of their text. start: where the score begins."""

    def __init__(self, tokens: Sequence[tuple[str, Alternatives]], spelt: str, start: int) -> None:
        self._tokens, self.spelt, self.start = tokens, spelt, start

    def at(self, place: int) -> tuple[int, str, Alternatives] | None:
        """Return (start, token, alternatives) of the token that covers a place."""
        begin = 0
        for token, others in self._tokens:
            if begin <= place < begin + len(token):
                return begin, token, others
            begin += len(token)
        return None


def _share_out(places: _Places, labels: tuple[str, ...], weight: float, weights: dict[str, float]) -> float:
    """Add the probability of each label to `weights`; return how much rests on tokens that begin several labels."""
    place = places.start + _common(labels)
    token = places.at(place)
    if token is None:
        return weight
    begin, sampled, others = token
    undecided = 0.0
    for text, probability in others.items():
        named = _named(places, begin, text, labels)
        if len(named) == 1:
            weights[named[0]] = weights.get(named[0], 0.0) + weight * probability
        elif named and text == sampled and _common(named) > _common(labels):
            undecided += _share_out(places, named, weight * probability, weights)
        elif named:
            undecided += weight * probability
    return undecided


def _named(places: _Places, begin: int, text: str, labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels that the reply would be on its way to if `text` stood at `begin`."""
    written = (places.spelt[places.start : begin] + text).lstrip(BEFORE)
    if not written:
        return ()
    return tuple(label for label in labels if label.startswith(written) or _is_whole(label, written))


def _is_whole(label: str, written: str) -> bool:
    return written.startswith(label) and not written[len(label) : len(label) + 1].isalnum()


def _common(labels: Sequence[str]) -> int:
    """Return how many characters all labels begin with."""
    low, high = min(labels), max(labels)
    return next((i for i, letter in enumerate(low) if letter != high[i : i + 1]), len(low))


def _tokens(logprobs: Any) -> list[tuple[str, Alternatives]]:
    try:
        content = logprobs["content"]
        tokens: list[tuple[str, Alternatives]] = [(place["token"], dict(_alternatives(place))) for place in content]
    except (KeyError, TypeError, ValueError, AttributeError):
        tokens = []
    if not tokens:
        raise ValueError("the reply has no log-probabilities; `expected` needs a server that sends `top_logprobs`")
    return tokens


def _alternatives(place: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for entry in (*place.get("top_logprobs", ()), place):
        logprob = float(entry["logprob"])
        if not isinstance(entry["token"], str) or math.isnan(logprob) or logprob > 1e-3:
            raise ValueError("no log-probability")
        yield entry["token"], math.exp(min(0.0, logprob))
