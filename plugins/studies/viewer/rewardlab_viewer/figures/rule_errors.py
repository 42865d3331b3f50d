"""The table of rules with appeals: how often each is wrong, by a judge's verdicts, with 95% intervals."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab_measure.rule_errors import Estimate, RuleCounts, was_appealed

from rewardlab_viewer.figures.judges import MAX_LANGUAGE
from rewardlab_viewer.read.columns import problem_of

HEAD = ("component", "language", "rejected", "accepted", "judged of both", "false negatives", "false positives")


class RuleErrors:
    """The counts of appeals in a ledger's groups, by component, and by language if there are several."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], RuleCounts] = defaultdict(RuleCounts)

    def add(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Take a group into account."""
        fields = lines[0].get("fields")
        language = fields.get("language") if isinstance(fields, Mapping) else None
        places = {"", language[:MAX_LANGUAGE]} if isinstance(language, str) else {""}
        problem = hash(problem_of(lines[0]))
        for line in lines:
            for name, entry in line["components"].items():
                info = entry.get("info") if isinstance(entry, Mapping) else None
                if was_appealed(info):
                    for place in places:
                        self._counts[name, place].add(info, problem)

    def table(self) -> Iterator[list[str]]:
        """Yield a head and a line a component; nothing without appeals."""
        names = [name for name, language in self._counts if not language]
        if names:
            yield list(HEAD)
        for name in names:
            yield [name, "all", *_cells(self._counts[name, ""])]
            languages = sorted(language for component, language in self._counts if component == name and language)
            for language in languages if len(languages) > 1 else ():
                yield [name, language, *_cells(self._counts[name, language])]


def _cells(counts: RuleCounts) -> list[str]:
    decided = (counts.rejected, counts.accepted)
    totals = [f"{part.all + part.wrong:,}" for part in decided]
    asked = " and ".join(f"{part.asked:,}" for part in decided)
    return [*totals, asked, *map(_rate, counts.rates())]


def _rate(estimate: Estimate | None) -> str:
    return "–" if estimate is None else f"{estimate.value:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"
