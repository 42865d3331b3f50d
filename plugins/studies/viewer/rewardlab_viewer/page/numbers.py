"""The numbers of completions as the browser gets them: typed arrays one behind the other, packed, and where each is."""

import gzip
import sys
from array import array
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewardlab_viewer.figures.groups import is_flat
from rewardlab_viewer.read.columns import ScoreColumns

ALIGNED = 8
TYPES = {"b": "Int8", "B": "Uint8", "h": "Int16", "i": "Int32", "f": "Float32"}
"""the browser's name for each type of array"""


@dataclass(kw_only=True)
class PackedNumbers:
    """The arrays in base64, and the layout: name, type, how many, and at which byte of the unpacked whole."""

    packed: str
    layout: list[dict[str, Any]] = field(default_factory=list)


def packed_numbers(columns: ScoreColumns, groups: Sequence[int]) -> PackedNumbers:
    """Return the numbers of these groups and their completions."""
    blob, layout = bytearray(), []
    for name, values in _arrays(columns, groups):
        if sys.byteorder == "big":
            values.byteswap()
        layout.append({"name": name, "type": TYPES[values.typecode], "size": len(values), "at": len(blob)})
        blob += values.tobytes()
        blob += b"\0" * (-len(blob) % ALIGNED)
    return PackedNumbers(packed=b64encode(gzip.compress(bytes(blob), 6, mtime=0)).decode(), layout=layout)


def _arrays(columns: ScoreColumns, groups: Sequence[int]) -> Iterator[tuple[str, "array[Any]"]]:
    yield "group", array("i", groups)
    yield "part", array("h", (columns.part[group] for group in groups))
    yield "step", array("i", (columns.step[group] for group in groups))
    yield "discarded", array("B", (columns.discarded[group] for group in groups))
    yield "flat", array("B", (is_flat(columns, group) for group in groups))
    yield "size", array("i", (len(columns.of_group(group)) for group in groups))
    for name, column in columns.fields.items():
        yield f"field {name}", array("h", (column.codes[group] for group in groups))
    places = [at for group in groups for at in columns.of_group(group)]
    yield "total", array("f", (columns.totals[at] for at in places))
    yield "shaped", array("f", (columns.shaped[at] for at in places))
    yield "tokens", array("i", (columns.tokens[at] for at in places))
    yield "truncated", array("B", (columns.truncated[at] for at in places))
    for name, component in columns.components.items():
        yield f"value {name}", array("f", (component.values[at] for at in places))
        yield f"gave {name}", array("f", (component.contributions[at] for at in places))
        yield f"state {name}", array("B", (component.states[at] for at in places))
