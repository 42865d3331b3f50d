"""From verdicts to scores: win rates, what they rest on, and what is missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rewardlab.types import Score

from rewardlab_pairwise.schedule import Schedule

Pair = tuple[str, str]
"""Two texts in the order in which a judge sees them: (listed first, listed second)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What came of asking about one ordered pair.

    said: the verdict, or why there is none. first_wins: what that is worth, 1.0, 0.0, or 0.5; None where nothing
    counts: the call failed, or its reply is dropped. error: why it failed.
    """

    said: Literal["A", "B", "unparsable", "failed"]
    first_wins: float | None = None
    tokens: int = 0
    error: str | None = None

    @property
    def second_wins(self) -> float | None:
        return None if self.first_wins is None else 1.0 - self.first_wins


def tally(planned: Schedule, judged: Mapping[Pair, Judged], *, only_first: bool = False) -> dict[str, Score]:
    """The score of each distinct text: the mean over its comparisons that are not missing.

    A comparison is the mean of the orders that were judged; with `only_first`, of the one where the text
    stands first. It is missing where no order counts. A text all of whose judged comparisons are missing has
    no value but an error, the first in order of rank: a tie with its own copy is no evidence.

    info: wins, losses, ties, missing (comparisons; fractions where copies of a text meet different
    opponents), calls (questions that the score rests on: each counts for both of its answers, unless
    `only_first`), unparsable and failed (calls among these), tokens (of these calls; unknown ones count 0),
    and judge_error (the first) where a call failed.
    """
    return {text: _score(text, planned, judged, only_first) for text in planned.meetings}


def verdicts_by_index(texts: Sequence[str], judged: Mapping[Pair, Judged]) -> list[dict[str, str]]:
    """For each answer (G,) what was said where it stands first, by the index of the second, in order of index.

    Copies share one entry: of a text only the copy with the lowest index has verdicts, and is named in them.
    """
    lowest = {text: index for index, text in reversed(list(enumerate(texts)))}
    said = sorted((lowest[first], lowest[second], answer.said) for (first, second), answer in judged.items())
    rows: list[dict[str, str]] = [{} for _ in texts]
    for first, second, verdict in said:
        rows[first][str(second)] = verdict
    return rows


def mean_of_known(shares: Sequence[float | None]) -> float | None:
    """The mean of those that are not None; None where there is none."""
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


def _score(text: str, planned: Schedule, judged: Mapping[Pair, Judged], only_first: bool) -> Score:
    outcomes: Counter[str] = Counter()
    points = counted = 0.0
    asked: list[Judged] = []
    for other, times in planned.meetings[text].items():
        orders = list(_orders(text, other, judged, only_first))
        asked += [answer for answer, _ in orders]
        share = 0.5 if other == text else mean_of_known([share for _, share in orders])
        outcomes[_outcome(share)] += times
        if share is not None:
            points += times * share
            counted += times
    info = _info(outcomes, planned.copies[text], asked)
    if asked and not any(answer.first_wins is not None for answer in asked):
        return Score(info=info, error=_nothing_left(info))
    return Score(value=points / counted if counted else 0.5, info=info)


def _orders(
    text: str, other: str, judged: Mapping[Pair, Judged], only_first: bool
) -> Iterator[tuple[Judged, float | None]]:
    """What was asked about the two, each with the share of the win that it gives to `text`."""
    if (first := judged.get((text, other))) is not None:
        yield first, first.first_wins
    if not only_first and (second := judged.get((other, text))) is not None:
        yield second, second.second_wins


def _outcome(share: float | None) -> str:
    if share is None:
        return "missing"
    return "wins" if share > 0.5 else "losses" if share < 0.5 else "ties"


def _info(outcomes: Counter[str], copies: int, asked: list[Judged]) -> dict[str, Any]:
    comparisons = {name: _each(outcomes[name], copies) for name in ("wins", "losses", "ties", "missing")}
    errors = [answer.error for answer in asked if answer.error is not None]
    return {
        **comparisons,
        "calls": len(asked),
        "tokens": sum(answer.tokens for answer in asked),
        "unparsable": sum(answer.said == "unparsable" for answer in asked),
        "failed": len(errors),
        **({"judge_error": errors[0]} if errors else {}),
    }


def _each(total: int, copies: int) -> int | float:
    return total // copies if total % copies == 0 else total / copies


def _nothing_left(info: Mapping[str, Any]) -> str:
    reason = info.get("judge_error") or "no reply held a verdict"
    return f"no comparison is left of {info['calls']} calls: {reason}"
