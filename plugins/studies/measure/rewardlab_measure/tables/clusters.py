"""Clusters of prompts that are not independent: those of a task with the same problem, and whatever shares a key."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rewardlab.data import kind_of
from rewardlab.errors import UserError

CLUSTER_FIELD = "problem"
"""of the cluster, which rows may lack; one that somebody named they must have"""
NO_CLUSTERS = "none"
"""what is said in place of a field if each prompt counts by itself"""


@dataclass(frozen=True, kw_only=True)
class Clustering:
    """The field by which prompts count together. alone: prompts without it, each of which is one."""

    field: str
    clusters: int
    prompts: int
    alone: int = 0

    def __str__(self) -> str:
        """Return what a reader of the table must know of it."""
        without = f", and {self.alone:,} prompts without one" if self.alone else ""
        return (
            f"Prompts of a task with the same {self.field} count as one: {self.prompts:,} prompts have "
            f"{self.clusters:,} different ones{without}. (--cluster {NO_CLUSTERS}: each prompt by itself)"
        )


def cluster_key(field: str | None, task: str, fields: Mapping[str, Any], place: str) -> tuple[str, str] | None:
    """Return what a prompt shares with all that count as one with it; None if it says nothing of the sort.

    Args:
        field: the one that says it, None for CLUSTER_FIELD in rows that have it. A UserError if a named one is not
            there.
    """
    if field is None and is_text(fields.get(CLUSTER_FIELD)):
        field = CLUSTER_FIELD
    return None if field in (None, NO_CLUSTERS) else (task, text_of_field(fields, str(field), place))


def clusters_of(keys: Iterable[Sequence[Hashable]]) -> list[int]:
    """Return the cluster of each thing by its keys: those that share one are of one, also by way of a third."""
    parents: list[int] = []
    first: dict[Hashable, int] = {}

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    for number, its_keys in enumerate(keys):
        parents.append(number)
        for key in its_keys:
            parents[root(number)] = root(first.setdefault(key, number))
    return [root(number) for number in range(len(parents))]


def text_of_field(fields: Mapping[str, Any], name: str, place: str) -> str:
    """Return the text of a field, or its whole number. A UserError if there is none."""
    if name not in fields:
        there = ", ".join(sorted(fields)[:12]) or "none"
        raise UserError(f"no field {name!r}; fields: {there}", where=place)
    value = fields[name]
    if not is_text(value):
        raise UserError(f"{name} must be a text, not {kind_of(value)}", where=place)
    return str(value)


def is_text(value: Any) -> bool:
    """Return whether a value can name something: a text or a whole number."""
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""
