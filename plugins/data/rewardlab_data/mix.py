"""data/mix: the rows of several files, interleaved by their shares."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rewardlab import Sample
from rewardlab.data import Identifier, remap
from rewardlab.errors import UserError

from rewardlab_data.jsonl import JsonlRows
from rewardlab_data.options import MixOptions, MixPart

NAME = "dataset"
"""the field that says which part a row is from"""


class MixedRows:
    """An iterable of samples: at each row, the part that is furthest behind its share gives its next one.

    After n rows a part with share s has given s x n of them, less than one row more or less where there are two parts.
    Nothing is drawn: the order follows from files and shares alone. A row's id is `part/id`; that of its second time,
    where parts begin anew, `part/id#2`.

    Iterating raises UserError for a file without rows, and at the end of one with bad rows.
    """

    def __init__(self, options: MixOptions):
        whole = sum(part.share for part in options.parts.values())
        self._shares = {name: part.share / whole for name, part in options.parts.items()}
        self._parts = options.parts
        self._all = options.until == "all_exhausted"

    def __iter__(self) -> Iterator[Sample]:
        taken = dict.fromkeys(self._parts, 0)
        rounds = dict.fromkeys(self._parts, 1)
        under_way = {name: _rows(name, part) for name, part in self._parts.items()}
        while True:
            name = _furthest_behind(self._shares, taken)
            row = next(under_way[name], None)
            if row is None:
                rounds[name] += 1
                if not self._all or min(rounds.values()) > 1:
                    return
                under_way[name] = _rows(name, self._parts[name])
                row = next(under_way[name])
            taken[name] += 1
            yield row if rounds[name] == 1 else replace(row, id=f"{row.id}#{rounds[name]}")


def _furthest_behind(shares: Mapping[str, float], taken: Mapping[str, int]) -> str:
    """Return the part that lacks most rows of its share, when one more row is given; of equals the first."""
    count = sum(taken.values()) + 1
    return max(shares, key=lambda name: shares[name] * count - taken[name])


def _rows(name: str, part: MixPart) -> Iterator[Sample]:
    identify = Identifier()
    for raw in JsonlRows(part.path, skip_bad=part.skip_bad):
        try:
            row = identify(remap(raw, part.fields))
        except ValueError as error:
            raise UserError(str(error), where=raw.source) from error
        if row.fields.get(NAME, name) != name:
            what = (
                f"a column {NAME!r} of the row's own; data/mix says there which part a row is from: drop or rename it"
            )
            raise UserError(what, where=raw.source)
        yield replace(row, id=f"{name}/{row.id}", fields={**row.fields, NAME: name})
