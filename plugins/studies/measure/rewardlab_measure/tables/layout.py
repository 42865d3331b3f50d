"""The cells that an average is made of: a cell is a task in a language; languages are averaged first, then tasks."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rewardlab.errors import UserError


class Cell(NamedTuple):
    """A task in a language."""

    task: str
    language: str


class TablePlace(NamedTuple):
    """A place in a table: a task in a language; None for the average over it."""

    task: str | None
    language: str | None


OVERALL = TablePlace(None, None)
EACH = ":each"
"""what stands behind a merge whose parts count as a language each"""


@dataclass(frozen=True, kw_only=True)
class Merge:
    """Languages of the data that are shown as one, with their mean.

    Args:
        task: None for all tasks.
        group_of: the file of groups that it is from, of which a table need not have all.
        each: whether each of them counts in the average of its task, as in SP3F's table 8, which shows zh-cn and
            zh-tw as zh; otherwise the one language does.
    """

    language: str
    parts: tuple[str, ...]
    task: str | None = None
    each: bool = False
    group_of: str | None = None

    def __str__(self) -> str:
        """Return the merge as it is written on the command line."""
        task = "" if self.task is None else f"{self.task}/"
        return f"{task}{self.language}={'+'.join(self.parts)}{EACH if self.each else ''}"


def parse_merge(text: str) -> Merge:
    """Return the merge that zh=zh-cn+zh-tw or TASK/zh=zh-cn+zh-tw:each says. A UserError for another form."""
    left, sign, right = text.removesuffix(EACH).partition("=")
    task, slash, language = left.rpartition("/")
    parts = tuple(part.strip() for part in right.split("+"))
    if not sign or not language.strip() or not all(parts) or (slash and not task.strip()):
        raise UserError(f"is not a merge of languages; it is zh=zh-cn+zh-tw or TASK/zh=zh-cn+zh-tw{EACH}", where=text)
    return Merge(language=language.strip(), parts=parts, task=task.strip() or None, each=text.endswith(EACH))


Weights = Mapping[Cell, float]


class TableLayout:
    """The averages of a table over some cells, each as weights of the cells that add up to 1.

    A language of a task is the mean of its merged parts (which may count as a language each); a task is the mean of its
    languages; the overall average is the mean of the tasks; a language's average is the mean of the tasks that have it.
    Every mean is unweighted, so a benchmark with more prompts counts no more than another.
    """

    def __init__(self, cells: Iterable[Cell], merges: Sequence[Merge] = ()) -> None:
        self._merges = merges
        self.cells = list(dict.fromkeys(cells))
        self._tasks: dict[str, dict[str, list[Cell]]] = {}
        for cell in self.cells:
            self._tasks.setdefault(cell.task, {}).setdefault(self._shown(cell), []).append(cell)

    @property
    def tasks(self) -> list[str]:
        """The tasks, in the order of the cells."""
        return list(self._tasks)

    def languages(self, task: str | None = None) -> list[str]:
        """Return the languages of a task, or of all tasks, sorted."""
        tasks = self._tasks.values() if task is None else [self._tasks[task]]
        return sorted({language for languages in tasks for language in languages})

    def only(self, cells: Container[Cell]) -> "TableLayout":
        """Return the layout of those of its cells that are in `cells`."""
        return TableLayout([cell for cell in self.cells if cell in cells], self._merges)

    def shown(self, cell: Cell) -> Cell:
        """Return the cell of the table that a cell of the data is part of."""
        return Cell(cell.task, self._shown(cell))

    def places(self) -> list[TablePlace]:
        """Return all places of the tables: overall, each task, each language, each language of a task."""
        of_tasks = [TablePlace(task, language) for task in self.tasks for language in self.languages(task)]
        return [
            OVERALL,
            *(TablePlace(task, None) for task in self.tasks),
            *(TablePlace(None, language) for language in self.languages()),
            *of_tasks,
        ]

    def weights(self, place: TablePlace) -> Weights:
        """Return the weight of each cell in the average at a place; none if there is no such cell."""
        tasks = [task for task in self._tasks if place.task in (None, task)]
        if place.language is not None:
            tasks = [task for task in tasks if place.language in self._tasks[task]]
        weights: dict[Cell, float] = {}
        for task in tasks:
            languages = self._tasks[task]
            chosen = languages if place.language is None else {place.language: languages[place.language]}
            counts = {language: self._count(parts) for language, parts in chosen.items()}
            for language, parts in chosen.items():
                share = counts[language] / sum(counts.values()) / len(tasks)
                weights |= {cell: share / len(parts) for cell in parts}
        return weights

    def _count(self, parts: Sequence[Cell]) -> int:
        """Return how many languages the parts of one shown language count as: one that is merged already as all."""
        merged = self._merge(parts[0])
        if merged is None or not merged.each:
            return 1
        return len(merged.parts) if any(cell.language == merged.language for cell in parts) else len(parts)

    def _shown(self, cell: Cell) -> str:
        merged = self._merge(cell)
        return cell.language if merged is None else merged.language

    def _merge(self, cell: Cell) -> Merge | None:
        for merge in self._merges:
            if merge.task in (None, cell.task) and cell.language in (*merge.parts, merge.language):
                return merge
        return None
