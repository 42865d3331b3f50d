"""The table of components that ask each question again, or several judges: how steady they are.

Intervals are of 95%, in which the groups of a problem count together.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab_measure.judge_agreement import pair_flips, panel_agreement
from rewardlab_measure.tables import clustered_average

from rewardlab_viewer.figures.judges import MAX_LANGUAGE, with_interval
from rewardlab_viewer.read.columns import problem_of
from rewardlab_viewer.read.source import number

HEAD = ("component", "language", "completions", "mean spread", "unstable", "order flips", "judges agree")


class AskedAgain:
    """The spread of values in a ledger's groups, by component, and by language if there are several."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], _Sums] = defaultdict(_Sums)

    def add(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Take a group into account."""
        first = lines[0]
        fields = first.get("fields")
        language = fields.get("language") if isinstance(fields, Mapping) else None
        places = {"", language[:MAX_LANGUAGE]} if isinstance(language, str) else {""}
        for name in first["components"]:
            infos = [(line["components"].get(name) or {}).get("info") or {} for line in lines]
            if any("repeats" in info for info in infos if isinstance(info, Mapping)):
                for place in places:
                    self._sums[name, place].add(infos, hash(problem_of(first)))

    def table(self) -> Iterator[list[str]]:
        """Yield a head and a line a component; nothing if none asks again."""
        names = [name for name, language in self._sums if not language]
        if names:
            yield list(HEAD)
        for name in names:
            yield [name, "all", *self._sums[name, ""].cells()]
            languages = sorted(language for component, language in self._sums if component == name and language)
            for language in languages if len(languages) > 1 else ():
                yield [name, language, *self._sums[name, language].cells()]


class _Sums:
    """The values of one component."""

    def __init__(self) -> None:
        self._spreads: list[float] = []
        self._unstable = 0
        self._flips: list[tuple[float, int]] = []
        self._agreed: list[tuple[float, int]] = []

    def add(self, infos: Sequence[Any], problem: int) -> None:
        """Add a group. Two draws, or judges, that order two of its completions otherwise have flipped."""
        repeats = [info.get("repeats") if isinstance(info, Mapping) else None for info in infos]
        given = [_values(one.get("values")) if isinstance(one, Mapping) else {} for one in repeats]
        spreads = [number(one.get("spread")) for one in repeats if isinstance(one, Mapping)]
        self._spreads += [spread for spread in spreads if spread == spread]
        self._unstable += sum(isinstance(info, Mapping) and info.get("unstable") is True for info in infos)
        self._flips += [(share, problem) for share in pair_flips(given, range(len(given)))]
        self._agreed += [(share, problem) for share in panel_agreement(given, range(len(given)))]

    def cells(self) -> list[str]:
        count = len(self._spreads)
        return [
            f"{count:,}",
            f"{sum(self._spreads) / count:.3f}" if count else "–",
            f"{self._unstable / count:.1%}" if count else "–",
            *(_average(shares) for shares in (self._flips, self._agreed)),
        ]


def _values(given: Any) -> dict[str, list[float | None]]:
    """Return the values of each judge; a ledger may hold anything."""
    by_judge = given.items() if isinstance(given, Mapping) else ()
    numbers = {judge: [number(value) for value in own] for judge, own in by_judge if isinstance(own, list)}
    return {judge: [value if value == value else None for value in own] for judge, own in numbers.items()}


def _average(shares: Sequence[tuple[float, int]]) -> str:
    average = clustered_average([share for share, _ in shares], [problem for _, problem in shares], "share")
    return with_interval(average, sign="")
