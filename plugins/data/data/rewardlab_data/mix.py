"""data/mix: the rows of several files and datasets, interleaved by their shares or up to their quotas."""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b
from itertools import islice

from rewardlab import Context, Sample
from rewardlab.data import Identifier, remap
from rewardlab.errors import UserError

from rewardlab_data.jsonl import JsonlRows
from rewardlab_data.options import MixOptions, MixPart

log = logging.getLogger("rewardlab.data")

NAME = "dataset"
"""the field that says which part a row is from"""


class MixedRows:
    """An iterable of samples: at each row, the part that is furthest behind its share gives its next one.

    After n rows a part with share s has given s x n of them, less than one row more or less if there are two parts;
    with quotas the shares are those of the quotas, so that all are filled at the same time. Nothing is drawn: the order
    follows from files, shares and quotas alone. A row's id is `part/id`; the second time, if parts start again,
    `part/id#2`.

    sources: the rows of each part that is not a file; they can be iterated again.

    Iterating raises UserError for a file without rows or with too few for its quota, and at the end of one with bad
    rows.
    """

    def __init__(self, options: MixOptions, context: Context) -> None:
        weights = {name: part.rows or part.share or 0.0 for name, part in options.parts.items()}
        self._shares = {name: weight / sum(weights.values()) for name, weight in weights.items()}
        self._parts = {name: _MixedPart(name, part, context.sources) for name, part in options.parts.items()}
        self._all = options.until == "all_exhausted"
        self._once = options.until == "each_read"
        self._disjoint = options.disjoint
        self._most = options.quota

    def __iter__(self) -> Iterator[Sample]:
        owners = _PromptOwners() if self._disjoint else None
        yield from self._rows(owners)
        if owners is not None:
            owners.tell()

    def _rows(self, owners: "_PromptOwners | None") -> Iterator[Sample]:
        taken = dict.fromkeys(self._parts, 0)
        rounds = dict.fromkeys(self._parts, 1)
        under_way = {name: part.rows(owners) for name, part in self._parts.items()}
        shares = dict(self._shares)
        while self._most is None or sum(taken.values()) < self._most:
            name = _furthest_behind(shares, taken)
            row = next(under_way[name], None)
            if row is None and self._once:
                del shares[name]
                if not shares:
                    return
                continue
            if row is None:
                rounds[name] += 1
                if self._ends(name, taken[name], rounds):
                    return
                under_way[name] = self._parts[name].rows(owners)
                row = next(under_way[name], None)
                if row is None:
                    raise UserError("every prompt of it is another part's, too", where=self._parts[name].where)
            taken[name] += 1
            yield row if rounds[name] == 1 else replace(row, id=f"{row.id}#{rounds[name]}")

    def _ends(self, name: str, given: int, rounds: Mapping[str, int]) -> bool:
        """Return whether the mix ends when a part has no more rows. Raises UserError if its quota is not filled."""
        part = self._parts[name]
        if part.quota is None:
            return not self._all or min(rounds.values()) > 1
        if self._all:
            return False
        left_out = " without those of other parts" if self._disjoint else ""
        problem = f"{given} rows{left_out}, and {part.quota} are wanted; lower `rows`, or read it again and again with"
        raise UserError(f"{problem} `until: all_exhausted`", where=part.where)


class _PromptOwners:
    """The prompts that were given, each with the part that gave it first: 16 bytes a prompt, and a name."""

    def __init__(self) -> None:
        self._owners: dict[bytes, str] = {}
        self._left_out: dict[str, int] = {}

    def claims(self, name: str, row: Sample) -> bool:
        """Return whether no other part has given the row's prompt, which is then this part's."""
        messages = json.dumps(row.prompt, sort_keys=True)
        if self._owners.setdefault(blake2b(messages.encode(), digest_size=16).digest(), name) == name:
            return True
        self._left_out[name] = self._left_out.get(name, 0) + 1
        return False

    def tell(self) -> None:
        """Log how many rows of each part were left out, if there are any."""
        if self._left_out:
            listed = ", ".join(f"{count} of {name}" for name, count in self._left_out.items())
            log.warning("data/mix: rows left out with a prompt that another part gave before: %s", listed)


def _furthest_behind(shares: Mapping[str, float], taken: Mapping[str, int]) -> str:
    """Return the part that lacks most rows of its share, when one more row is given; of equals the first.

    A part whose quota is filled lacks none, and while rows are missing another one does.
    """
    count = sum(taken.values()) + 1
    return max(shares, key=lambda name: shares[name] * count - taken[name])


class _MixedPart:
    """One part of a mix: its rows under their own ids, with the part's name."""

    def __init__(self, name: str, part: MixPart, sources: Mapping[str, Iterable[Sample]]) -> None:
        self._name, self._part, self.quota = name, part, part.rows
        self.where = part.path or f"part {name!r}"
        self._source = sources[name] if part.path is None else ()

    def rows(self, owners: _PromptOwners | None) -> Iterator[Sample]:
        """Yield the rows from the beginning, without those whose prompt another part owns."""
        for row in self._read():
            if row.fields.get(NAME, self._name) != self._name:
                problem = f"a column {NAME!r} of the row's own; data/mix says there which part a row is from"
                raise UserError(f"{problem}: drop or rename it", where=row.source or self.where)
            if owners is None or owners.claims(self._name, row):
                yield replace(row, id=f"{self._name}/{row.id}", fields={**row.fields, NAME: self._name})

    def _read(self) -> Iterator[Sample]:
        part = self._part
        if part.path is None:
            yield from islice(self._source, part.skip, None if part.first is None else part.skip + part.first)
            return
        identify = Identifier()
        for raw in JsonlRows(part.path, part.skip_bad, part.skip, part.first):
            try:
                yield identify(remap(raw, part.fields))
            except ValueError as error:
                raise UserError(str(error), where=raw.source) from error
