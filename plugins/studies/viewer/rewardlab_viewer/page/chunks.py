"""Texts of groups in packed chunks, which the browser unpacks when somebody looks at one of their groups.

The chunks stand in a file without a name until the page is written, so that memory does not grow with the ledger.
"""

import gzip
import json
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from rewardlab_viewer.read.source import Line

CHUNK_BYTES = 256 * 1024
"""of JSON, about which a chunk holds"""
MAX_GROUPS = 64
"""groups of a chunk"""
MAX_PAGE_BYTES = 7_000_000
"""of packed texts in one page; of more, only every so many groups' texts are kept, or all of them in a bundle"""


class Chunk(NamedTuple):
    """A chunk: its first group, how many groups it has, and where its bytes stand."""

    first: int
    groups: int
    at: int
    size: int


class TextChunks:
    """The texts of a source's groups, in their order."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115, open until the page is written
        self._open: list[str] = []
        self._bytes = self._first = 0
        self.chunks: list[Chunk] = []

    def add(self, lines: Sequence[Line]) -> None:
        """Add the texts of a group."""
        text = json.dumps(_texts(lines), ensure_ascii=False, separators=(",", ":"))
        self._open.append(text)
        self._bytes += len(text)
        if self._bytes >= CHUNK_BYTES or len(self._open) >= MAX_GROUPS:
            self.flush()

    def flush(self) -> None:
        """Pack the groups since the last chunk."""
        if not self._open:
            return
        text = "[" + ",".join(self._open) + "]"
        packed = pack(text)
        at = self._file.seek(0, 2)
        self._file.write(packed)
        self.chunks.append(Chunk(self._first, len(self._open), at, len(packed)))
        self._first += len(self._open)
        self._open, self._bytes = [], 0

    def kept(self, most: int | None) -> list[int]:
        """Return the numbers of the chunks that fit into `most` bytes, the last and evenly others; None for all."""
        total = sum(chunk.size * 4 / 3 for chunk in self.chunks)
        every = 1 if most is None else -(-int(total) // most) or 1
        return [number for number in range(len(self.chunks)) if (len(self.chunks) - 1 - number) % every == 0]

    def read(self, number: int) -> str:
        """Return a chunk in base64."""
        chunk = self.chunks[number]
        self._file.seek(chunk.at)
        return b64encode(self._file.read(chunk.size)).decode()

    def texts(self, number: int) -> list[dict[str, Any]]:
        """Return the texts of a chunk's groups."""
        chunk = self.chunks[number]
        self._file.seek(chunk.at)
        texts: list[dict[str, Any]] = json.loads(gzip.decompress(self._file.read(chunk.size)))
        return texts

    def texts_of(self, group: int) -> dict[str, Any]:
        """Return the texts of a group."""
        number = bisect_right(self.chunks, group, key=lambda chunk: chunk.first) - 1
        return self.texts(number)[group - self.chunks[number].first]

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


def pack(text: str) -> bytes:
    """Return JSON packed."""
    # a lone surrogate's \udXXX is also what JSON calls it
    return gzip.compress(text.encode("utf-8", "backslashreplace"), 6, mtime=0)


def _texts(lines: Sequence[Line]) -> dict[str, Any]:
    first = lines[0]
    return {
        "id": first["id"],
        "attempt": first["attempt"],
        "group": first["group"],
        "prompt": first.get("prompt"),
        "fields": first.get("fields"),
        "rows": list(_rows(lines)),
    }


def _rows(lines: Sequence[Line]) -> Iterator[dict[str, Any]]:
    for line in lines:
        by_component = {
            name: {key: entry[key] for key in ("error", "info") if entry.get(key)}
            for name, entry in line["components"].items()
        }
        conversation = {"messages": line["messages"]} if line.get("messages") else {}
        remarks = {name: texts_of for name, texts_of in by_component.items() if texts_of}
        yield {"index": line["index"], "text": line.get("completion"), **conversation, "said": remarks}
