"""The prompts that models answered: the task, the language and the cluster of each, the same for all models."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab import Message
from rewardlab.errors import UserError

from rewardlab_measure.tables.clusters import CLUSTER_FIELD, Clustering, cluster_key, text_of_field
from rewardlab_measure.tables.layout import Cell

TASK_FIELDS = ("task", "eval_set")
"""of the task, the first that a row has; an evaluation with `sets` writes the second"""
LANGUAGE_FIELD = "language"
"""of the language, which rows may lack; one that somebody named they must have"""
UNKNOWN = -1


@dataclass(frozen=True, kw_only=True)
class PromptFields:
    """The fields of a row that say where it belongs.

    Args:
        cluster: prompts of a task with one value count as one; None for CLUSTER_FIELD in rows that have it,
            NO_CLUSTERS for each prompt by itself.
    """

    task: str | None = None
    language: str = LANGUAGE_FIELD
    cluster: str | None = None


class PromptIndex:
    """The prompts by their ids. Takes about 250 bytes of memory a prompt."""

    def __init__(self, fields: PromptFields) -> None:
        self._fields = fields
        self.numbers: dict[str, int] = {}
        self.cells: list[Cell] = []
        self.cell_of, self.cluster_of, self._hashes = array("l"), array("l"), array("q")
        self._cell_numbers: dict[Cell, int] = {}
        self._clusters: dict[tuple[str, str], int] = {}
        self._number_of_clusters = 0
        self._first_of_task: dict[bool, str] = {}
        self._first_of_language: dict[bool, str] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def clustering(self) -> "Clustering | None":
        """Return by what prompts count together; None if each is by itself."""
        if self._number_of_clusters == len(self):
            return None
        alone = self._number_of_clusters - len(self._clusters)
        field = self._fields.cluster or CLUSTER_FIELD
        return Clustering(field=field, clusters=len(self._clusters), prompts=len(self), alone=alone)

    def cell(self, number: int) -> Cell:
        """Return the cell of a prompt."""
        return self.cells[self.cell_of[number]]

    def add(self, row_id: str, fields: Mapping[str, Any], prompt: Sequence[Message] | None, place: str) -> int:
        """Return the number of a prompt, which is noted if it is new.

        Args:
            prompt: messages; None if they are not known.

        A UserError if the id stands for another prompt than before, or the fields do not say where it belongs.
        """
        cell = Cell(self._task(fields, place), self._language(fields, place))
        digest = UNKNOWN if prompt is None else _digest(prompt)
        number = self.numbers.get(row_id)
        if number is None:
            return self._noted(row_id, cell, digest, fields, place)
        if self.cell(number) != cell:
            raise UserError(
                f"the prompt {row_id!r} is of {_place(cell)} here and of {_place(self.cell(number))} in another file; "
                "give tables of the same prompts",
                where=place,
            )
        if UNKNOWN not in (digest, self._hashes[number]) and digest != self._hashes[number]:
            raise UserError(
                f"the id {row_id!r} is another prompt here than in another file; give tables of the same prompts",
                where=place,
            )
        return number

    def check(self) -> None:
        """Raise a UserError if only some of the prompts have a task or a language."""
        task, language = self._fields.task or TASK_FIELDS[0], self._fields.language
        for name, first in ((task, self._first_of_task), (language, self._first_of_language)):
            if len(first) == 2:
                problem = f"no {name}, which other prompts have ({first[True]}); give every row one"
                raise UserError(problem, where=first[False])

    def _noted(self, row_id: str, cell: Cell, digest: int, fields: Mapping[str, Any], place: str) -> int:
        number = self.numbers[row_id] = len(self.numbers)
        self._first_of_task.setdefault(bool(cell.task), place)
        self._first_of_language.setdefault(bool(cell.language), place)
        if cell not in self._cell_numbers:
            self._cell_numbers[cell] = len(self.cells)
            self.cells.append(cell)
        self.cell_of.append(self._cell_numbers[cell])
        self._hashes.append(digest)
        self.cluster_of.append(self._cluster(cell, fields, place))
        return number

    def _cluster(self, cell: Cell, fields: Mapping[str, Any], place: str) -> int:
        new = self._number_of_clusters
        key = cluster_key(self._fields.cluster, cell.task, fields, place)
        cluster = new if key is None else self._clusters.setdefault(key, new)
        self._number_of_clusters += cluster == new
        return cluster

    def _task(self, fields: Mapping[str, Any], place: str) -> str:
        if self._fields.task is not None:
            return text_of_field(fields, self._fields.task, place)
        name = next((name for name in TASK_FIELDS if name in fields), None)
        return "" if name is None else text_of_field(fields, name, place)

    def _language(self, fields: Mapping[str, Any], place: str) -> str:
        name = self._fields.language
        return "" if name == LANGUAGE_FIELD and name not in fields else text_of_field(fields, name, place)


def _digest(prompt: Sequence[Message]) -> int:
    return hash(tuple((message["role"], message["content"]) for message in prompt))


def _place(cell: Cell) -> str:
    return " in ".join(part for part in cell if part) or "no task"
