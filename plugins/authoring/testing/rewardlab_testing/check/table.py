"""The table of a check, a row for each law, printed as soon as its outcome is known."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rewardlab_training import columns

from rewardlab_testing.check.import_cost import LAW as IMPORT
from rewardlab_testing.check.import_cost import ImportCost
from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND

if TYPE_CHECKING:
    from rewardlab_testing.outcomes.outcome import LawOutcome, State

HEAD = ("component", "example", "law", "result")
WORDS: dict["State", str] = {
    "held": "held",
    "broken": "BROKEN",
    "unbuilt": "could not be built",
    "off": "off",
    "untried": "not tried",
    "nothing": "nothing to try",
}
MAX_NAMED = 6
"""components or laws named with a reason; if more share it, the reason lies in their kind or in this machine"""

Cells = tuple[str, str, str, str]


class LawTable:
    """A table of laws whose rows are printed one by one: its columns are as wide as all rows could need.

    uses, examples: all that rows may name. write: called with each line.
    """

    def __init__(self, uses: Sequence[str], examples: Sequence[str], write: Callable[[str], None]) -> None:
        laws = [law for named in LAWS_OF_KIND.values() for law in named]
        pairs = [(use, "", "", "") for use in uses] + [("", example, "", "") for example in examples]
        self._widest: list[Cells] = [HEAD, *pairs, *(("", "", law, "") for law in laws)]
        self._write = write
        self._last: tuple[str, str] | None = None
        self._begun = False

    def add_import(self, plugin: str, cost: ImportCost) -> None:
        """Print the row of what importing the plugin costs."""
        self._print((plugin, "", IMPORT, "BROKEN" if cost.broken else f"held, {cost.seconds * 1000:.0f} ms"))

    def add(self, use: str, example: str, outcomes: Sequence["LawOutcome"]) -> None:
        """Print a row for each outcome; laws that have nothing to try have none.

        Where many laws were not tried for the same reason, they share a row.
        """
        for law, words in _rows(outcomes):
            cells = ("", "") if (use, example) == self._last else (use, example)
            self._last = (use, example)
            self._print((*cells, law, words))

    def _print(self, cells: Cells) -> None:
        for row in (cells,) if self._begun else (HEAD, cells):
            self._write(columns([*self._widest, row])[-1])
        self._begun = True


def _rows(outcomes: Sequence["LawOutcome"]) -> list[tuple[str, str]]:
    shown = [outcome for outcome in outcomes if outcome.state != "nothing"]
    alike = len({(outcome.state, outcome.why) for outcome in shown}) == 1
    if alike and (len(shown) > MAX_NAMED or shown[0].state == "unbuilt"):
        return [(f"{len(shown)} law{'s' * (len(shown) > 1)}", WORDS[shown[0].state])]
    return [(outcome.law, _words(outcome)) for outcome in shown]


def _words(outcome: "LawOutcome") -> str:
    return f"held {outcome.tries}" if outcome.state == "held" else WORDS[outcome.state]
