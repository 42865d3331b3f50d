"""What people want of completions, as `--truth` names it: a component of a side, or a column of the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Group
from rewardlab.errors import JobError, UserError
from rewardlab.plan import Plan
from rewardlab.text import counted

from rewardlab_measure.compare.rows import ComparedRow
from rewardlab_measure.compare.scored_file import ScoredFile

ComparedSides = tuple[Plan | ScoredFile, Plan | ScoredFile]
LARGEST = 1e100
"""of a column, so that differences and squares stay finite"""


@dataclass(frozen=True, kw_only=True)
class TruthSource:
    """Where the truth of a completion stands.

    Args:
        name: of the component, or of the column.
        sides: those whose component it is, of "a" and "b"; none for a column.
    """

    name: str
    sides: str = ""

    def misfit(self, group: Group) -> str | None:
        """Return why a row has no such truth; None if it has one, or a component gives it."""
        if self.sides:
            return None
        if self.name not in group.sample.fields:
            return f"has no column {self.name!r}, the truth; neither A nor B has a component of this name"
        given, size = group.sample.fields[self.name], len(group.completions)
        if not isinstance(given, list | tuple) or len(given) != size or not all(map(_is_truth, given)):
            each = counted(size, "completion")
            return f"{self.name}: the truth must be a list with a number (or true, false, null) for each of {each}"
        return None

    def values(self, row: ComparedRow, a: Mapping[str, Any], b: Mapping[str, Any]) -> Sequence[float | None]:
        """Return the truth of each completion, None where a component failed. A JobError if A's is not B's."""
        if not self.sides:
            return [None if value is None else float(value) for value in row.sample.fields[self.name]]
        given = [line["components"][self.name]["value"] for side, line in (("a", a), ("b", b)) if side in self.sides]
        if any(values != given[0] for values in given):
            raise JobError(
                f"row {row.given_id!r}: A and B give another {self.name}, which is the truth; say whose it is: "
                f"--truth a:{self.name} or b:{self.name}"
            )
        return given[0]


def find_truth(name: str, sides: ComparedSides, has_rows: bool) -> TruthSource:
    """Return where `name` stands: NAME, or a:NAME and b:NAME for the component of one side. A UserError if nowhere."""
    side, colon, own = name.partition(":")
    asked, bare = (side, own) if colon and side in ("a", "b") else ("ab", name)
    components = {letter: _components(given) for letter, given in zip("ab", sides, strict=True)}
    having = "".join(letter for letter in asked if bare in components[letter])
    if having:
        return TruthSource(name=bare, sides=having)
    if asked == "ab" and has_rows:
        return TruthSource(name=name)
    there = "; ".join(f"{letter.upper()} has {', '.join(components[letter]) or 'none'}" for letter in asked)
    advice = "" if has_rows else "; a column of the rows needs the file of rows after A and B"
    raise UserError(f"--truth {name}: no such component; {there}{advice}")


def _components(side: Plan | ScoredFile) -> Sequence[str]:
    if isinstance(side, ScoredFile):
        return side.components
    return [] if side.recipe.reward is None else list(side.recipe.reward.components)


def _is_truth(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and abs(value) <= LARGEST)
