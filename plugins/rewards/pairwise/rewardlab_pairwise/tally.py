"""Turn verdicts into scores: win rates, their basis, and what is missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rewardlab import Score

from rewardlab_pairwise.schedule import Schedule

Pair = tuple[str, str]
"""Two texts in the order in which a judge sees them: (listed first, listed second)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairVerdict:
    """The verdict on one ordered pair, or why it has none.

    Args:
        verdict: the letter of the winner, or why there is none.
        first_wins: the share of a win that it gives to the first text, in [0, 1]; None if it does not count: the
            call failed, or its reply is dropped.
        lost: the share that neither text gets, in [0, 1].
        error: why it failed.
        info: what the reply says besides, as JSON values.
    """

    verdict: Literal["A", "B", "tie", "both_bad", "unparsable", "failed"]
    first_wins: float | None = None
    lost: float = 0.0
    tokens: int = 0
    error: str | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def second_wins(self) -> float | None:
        """The share of a win that it gives to the second text; None if it does not count."""
        return None if self.first_wins is None else 1.0 - self.lost - self.first_wins

    @property
    def lead(self) -> float | None:
        """The first text's share of what both get; a half if both get 0. None if it does not count."""
        if self.first_wins is None:
            return None
        return self.first_wins / (1.0 - self.lost) if self.lost < 1.0 else 0.5


def tally(
    planned: Schedule, verdicts: Mapping[Pair, PairVerdict], *, only_first: bool = False, needs_all: bool = False
) -> dict[str, Score]:
    """Return the score of each distinct text: the mean over its comparisons that are not missing.

    A comparison is the mean of the orders that were judged; with `only_first`, of the one where the text
    stands first. It is missing if no order counts. A text all of whose judged comparisons are missing has
    no value but an error, the first in order of rank: a tie with its own copy is not evidence. Nor has one that met
    nobody while others met, or, with `needs_all`, with a single comparison missing.

    info: wins, losses, ties, missing (comparisons; fractions if copies of a text meet different
    opponents), calls (questions that the score rests on: each counts for both of its answers, unless
    `only_first`), unparsable and failed (calls among these), tokens (of these calls; unknown ones count 0),
    and judge_error (the first) if a call failed.
    """
    return {text: _score(text, planned, verdicts, only_first, needs_all) for text in planned.meetings}


def verdicts_by_place(
    texts: Sequence[str], places: Sequence[int], verdicts: Mapping[Pair, PairVerdict]
) -> list[dict[str, str]]:
    """Return, for each answer (G,), the verdicts where it stands first, by the place of the second, in order of place.

    Copies share one entry: of a text only the first copy has verdicts, and is named in them.
    """
    rows: list[dict[str, str]] = [{} for _ in texts]
    for first, second, call in _ordered(texts, verdicts):
        rows[first][str(places[second])] = call.verdict
    return rows


def by_place(
    texts: Sequence[str], places: Sequence[int], verdicts: Mapping[Pair, PairVerdict]
) -> list[dict[str, dict[str, Any]]]:
    """Return, for each answer (G,), the `info` of the verdicts where it stands first: key -> place -> value."""
    rows: list[dict[str, dict[str, Any]]] = [{} for _ in texts]
    for first, second, call in _ordered(texts, verdicts):
        for key, value in call.info.items():
            rows[first].setdefault(key, {})[str(places[second])] = value
    return rows


def _ordered(texts: Sequence[str], verdicts: Mapping[Pair, PairVerdict]) -> list[tuple[int, int, PairVerdict]]:
    """Return (index of the first, of the second, verdict), in order; of copies the lowest index."""
    lowest = {text: index for index, text in reversed(list(enumerate(texts)))}
    ordered = [(lowest[first], lowest[second], call) for (first, second), call in verdicts.items()]
    return sorted(ordered, key=lambda comparison: comparison[:2])


def mean_of_known(shares: Sequence[float | None]) -> float | None:
    """Return the mean of the shares that are not None; None without any."""
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


def share_of(verdicts: Mapping[Pair, PairVerdict], text: str, other: str) -> float | None:
    """Return the share in [0, 1] of what both get that all verdicts on them give to `text`; None if no order counts."""
    calls = [verdicts.get(pair) for pair in ((text, other), (other, text))]
    first, second = (None if call is None else call.lead for call in calls)
    return mean_of_known([first, None if second is None else 1.0 - second])


def _score(
    text: str, planned: Schedule, verdicts: Mapping[Pair, PairVerdict], only_first: bool, needs_all: bool
) -> Score:
    outcomes: Counter[str] = Counter()
    points = counted = 0.0
    calls: list[PairVerdict] = []
    for other, times in planned.meetings[text].items():
        orders = list(_orders(text, other, verdicts, only_first))
        calls += [call for call, _ in orders]
        share = 0.5 if other == text else mean_of_known([share for _, share in orders])
        outcomes[_outcome(share)] += times
        if share is not None:
            points += times * share
            counted += times
    info = _info(outcomes, planned.copies[text], calls)
    if calls and not any(call.first_wins is not None for call in calls):
        return Score(info=info, error=_describe_missing(info))
    if not calls and planned.asks:
        return Score(info=info, error="it met nobody: whoever was left to meet it had no verdict")
    if needs_all and outcomes["missing"]:
        reason = info.get("judge_error") or "no reply held a verdict"
        return Score(info=info, error=f"it left the tournament by a comparison without a verdict: {reason}")
    return Score(value=points / counted if counted else 0.5, info=info)


def _orders(
    text: str, other: str, verdicts: Mapping[Pair, PairVerdict], only_first: bool
) -> Iterator[tuple[PairVerdict, float | None]]:
    """Yield the verdicts on the two texts, each with the share of a win that it gives to `text`."""
    if (first := verdicts.get((text, other))) is not None:
        yield first, first.first_wins
    if not only_first and (second := verdicts.get((other, text))) is not None:
        yield second, second.second_wins


def _outcome(share: float | None) -> str:
    if share is None:
        return "missing"
    return "wins" if share > 0.5 else "losses" if share < 0.5 else "ties"


def _info(outcomes: Counter[str], copies: int, calls: list[PairVerdict]) -> dict[str, Any]:
    comparisons = {name: _per_copy(outcomes[name], copies) for name in ("wins", "losses", "ties", "missing")}
    errors = [call.error for call in calls if call.error is not None]
    return {
        **comparisons,
        "calls": len(calls),
        "tokens": sum(call.tokens for call in calls),
        "unparsable": sum(call.verdict == "unparsable" for call in calls),
        "failed": len(errors),
        **({"judge_error": errors[0]} if errors else {}),
    }


def _per_copy(total: int, copies: int) -> int | float:
    return total // copies if total % copies == 0 else total / copies


def _describe_missing(info: Mapping[str, Any]) -> str:
    reason = info.get("judge_error") or "no reply held a verdict"
    return f"no comparison is left of {info['calls']} calls: {reason}"
