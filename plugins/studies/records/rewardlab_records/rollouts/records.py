"""Formats that have a record for each completion: each record is a member of a group, and a group is a row."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rewardlab.data import read_lines
from rewardlab.errors import Problem

from rewardlab_records.rollouts.columns import own_columns
from rewardlab_records.rollouts.formats import PlacedRow, RolloutFormat
from rewardlab_records.rollouts.forms import same
from rewardlab_records.rollouts.group_store import brought_together


@dataclass(frozen=True, kw_only=True)
class Member:
    """A completion as a tool recorded it.

    Args:
        group: the id of its group.
        fields: of the prompt, for rewards.
        recorded: of this completion.
        columns: all else; a text or list that a whole group shares is a field of the prompt.
    """

    group: str
    prompt: Any
    completion: str | dict[str, Any]
    fields: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    recorded: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RecordFormat:
    """A format of records.

    Args:
        tool: its name in messages.
        columns: those that each record has, and other files have not.
        member: takes a record that has them. Raises ValueError that says why it is no completion.
        recognizes: says of a path and its first record whether they are of this format; None: by the columns.
        one_prompt: whether all members of a group were asked the same; else members with another prompt are a group
            of their own.
    """

    tool: str
    columns: Sequence[str]
    member: Callable[[Mapping[str, Any]], Member]
    recognizes: Callable[[str, Mapping[str, Any]], bool] | None = None
    one_prompt: bool = True

    def as_rollouts(self) -> RolloutFormat:
        """Return this format for the host."""
        return RolloutFormat(recognizes=self.recognizes or self._has_columns, rows=self._rows)

    def _has_columns(self, _: str, first: Mapping[str, Any]) -> bool:
        return {*self.columns} <= first.keys()

    def _rows(self, path: str) -> Iterator[PlacedRow]:
        for record in brought_together(self._members(path)):
            if isinstance(record, Problem):
                yield path, record
                continue
            name, place, members = record
            groups = [(name, members)] if self.one_prompt else _by_prompt(name, members)
            for key, group in groups:
                try:
                    yield place, _row(key, group)
                except ValueError as error:
                    yield place, Problem(where=place, what=str(error))

    def _members(self, path: str) -> Iterator[tuple[str, str, Any] | Problem]:
        for number, record in read_lines(path, nan_is_null=True):
            place = f"{path}:{number}"
            if isinstance(record, Problem):
                yield record
                continue
            try:
                member = self._member(record)
            except ValueError as error:
                yield Problem(where=place, what=str(error))
            else:
                yield member.group, place, asdict(member)

    def _member(self, record: Mapping[str, Any]) -> Member:
        if missing := next((name for name in self.columns if name not in record), None):
            raise ValueError(f"is not a record of {self.tool}, which has {missing!r}; a file has records of one kind")
        return self.member(record)


def group_name(*parts: Any) -> str:
    """Return a group's id of what its members share: texts of 60 characters at most as they are, others by a hash."""
    return "/".join(
        part
        if len(part) <= 60 and isinstance(given, str | int) and "\n" not in part
        else hashlib.sha256(part.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        for given in parts
        for part in [str(given) if isinstance(given, str | int) else json.dumps(given, sort_keys=True)]
    )


def _by_prompt(name: str, members: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Return the members of a group by what they were asked, each with a name of its own if it is not all the same."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for member in members:
        groups.setdefault(group_name([member["prompt"]]), []).append(member)
    return [(name if len(groups) == 1 else f"{name}/{key}", group) for key, group in groups.items()]


def _row(name: str, members: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not same(member["prompt"] for member in members):
        raise ValueError("its completions were asked different things")
    own = dict.fromkeys(column for member in members for column in member["recorded"])
    recorded = {column: [member["recorded"].get(column) for member in members] for column in own}
    fields = dict[str, Any]()
    for column in dict.fromkeys(column for member in members for column in member["columns"]):
        values = [member["columns"].get(column) for member in members]
        if isinstance(values[0], str | list | dict) and same(values):
            fields[column] = values[0]
        else:
            recorded[column] = values
    first = members[0]
    return {
        **own_columns(fields, "logged_"),
        **first["fields"],
        "id": name,
        "prompt": first["prompt"],
        "completions": [member["completion"] for member in members],
        **({"recorded": recorded} if recorded else {}),
    }
