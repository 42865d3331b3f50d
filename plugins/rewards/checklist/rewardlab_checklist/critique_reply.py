"""Read a critique: what the judge's own JSON objects say. Any text is allowed; nothing raises."""

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rewardlab import Reply
from rewardlab_answers import thoughts_of, without_format_marks

from rewardlab_checklist.checklist import Checklist
from rewardlab_checklist.critique_form import (
    NAME_KEYS,
    SEVERAL,
    Entries,
    claim_of,
    entries_of,
    key_pattern,
    without_repeats,
)
from rewardlab_checklist.question import HEADINGS

REPAIRED = 20_000
"""characters of a broken object that are repaired at most: repair is not linear in them"""
BRACES = 200
"""opening braces and brackets that a repaired object has at most"""
OBJECTS = 64
"""objects of a reply that are looked at; a reply with more has no critique"""
QUERY = "query"
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=without_repeats)
UNREADABLE = "the reply has no readable critique"
DISAGREEING = "the reply holds critiques that disagree"


class CritiqueReading(NamedTuple):
    """The critique in a reply, {part: {dimension: entry}}; None without one, and then `fault` says why.

    Args:
        planted: the fault is that of the work, whose text holds a critique.
    """

    entries: Mapping[str, Mapping[str, Any]] | None = None
    fault: str = ""
    planted: bool = False


def read_critique(reply: Reply, lists: Mapping[str, Checklist], shown: Mapping[str, str]) -> CritiqueReading:
    """Return the critique in a reply.

    Args:
        lists: the checklist of each part that must be there.
        shown: the texts that the judge was shown, by part, and the question as `query`. An object that stands in
            one of them is a quotation. Of all others none may contradict another in any score: one of them may be a
            copy of what the work planted, shortened or written in another way, and nothing shows which one is the
            judge's. A reply that was cut off has no critique: its last object may be a draft.
    """
    if reply.cut_off:
        return CritiqueReading(fault=reply.fault or UNREADABLE)
    objects = _Objects(reply.text, lists, shown)
    own = list(objects.own())
    if objects.unclear or _disagree(own, lists):
        return CritiqueReading(fault=DISAGREEING, planted=_names(shown, lists))
    whole = [critique for critique in own if all(part in critique for part in lists)]
    suspect = objects.several and _names(shown, lists)
    critique = whole[-1] if whole else None if suspect else _put_together(own, lists)
    if critique is None:
        return CritiqueReading(fault=reply.fault or UNREADABLE, planted=objects.quotes_the_work or suspect)
    return CritiqueReading(entries=critique)


def _disagree(own: list[Entries], lists: Mapping[str, Checklist]) -> bool:
    claims: dict[tuple[str, str], Any] = {}
    for critique in own:
        for part, entries in critique.items():
            for name, entry in entries.items():
                dimension = lists[part].dimension(name)
                claim = None if dimension is None else claim_of(dimension, entry)
                if dimension is None or claim is None:
                    continue
                if claim is SEVERAL or claims.setdefault((part, dimension.name), claim) != claim:
                    return True
    return False


def _put_together(own: list[Entries], lists: Mapping[str, Checklist]) -> Entries | None:
    """Return parts that stand in an object each; None if one stands in several, or in none."""
    critiques = {part: [critique[part] for critique in own if part in critique] for part in lists}
    return (
        {part: given[0] for part, given in critiques.items()}
        if all(len(critique) == 1 for critique in critiques.values())
        else None
    )


def _names(shown: Mapping[str, str], lists: Mapping[str, Checklist]) -> bool:
    """Return whether the work names dimensions as a critique does, whatever invisible characters stand between."""
    pattern = key_pattern(
        "|".join(re.escape(_folded(dimension.name)) for made in lists.values() for dimension in made.dimensions)
    )
    return any(pattern.search(_folded(text)) for part, text in shown.items() if part != QUERY)


def _folded(text: str) -> str:
    plain = html.unescape(text)
    visible = "".join(c for c in unicodedata.normalize("NFKC", plain) if unicodedata.category(c) != "Cf")
    return " ".join(visible.casefold().split())


class _Objects:
    """The objects of a reply that say something about a dimension.

    unclear: they cannot be distinguished, or are too many. several: more than one was tried. quotes_the_work: one of
    them stands in the work as it is.
    """

    def __init__(self, text: str, lists: Mapping[str, Checklist], shown: Mapping[str, str]) -> None:
        self._text, self._lists, self._shown = text, lists, shown
        self._quoted = {part: _squeezed(text) for part, text in shown.items() if "{" in text}
        self._begin, self._drafts = self._thoughts()
        self.unclear = self.several = self.quotes_the_work = False

    def own(self) -> Iterator[Entries]:
        """Yield what each object says, except quotations, parts of other objects, and thoughts."""
        broken: int | None = None
        behind = tried = 0
        for start in self._starts():
            if start < behind:
                continue
            if (tried := tried + 1) > OBJECTS:
                self.unclear = True
                return
            self.several = tried > 1
            value, end = _decoded(self._text, start)
            if value is None:
                broken = start if broken is None else broken
                continue
            if broken is not None:
                yield from self._mended(broken, start)
            broken, behind = None, end
            if end > self._drafts and not self._is_quoted(start, end):
                yield from self._critiques_in(value)
        if broken is not None:
            yield from self._mended(broken, len(self._text))

    def _thoughts(self) -> tuple[int, int]:
        """Return where a critique can begin, and where drafts end. A work that ends thoughts may have been quoted."""
        thought = thoughts_of(self._text)
        if (begin := thought.first_words) is None:
            return len(self._text), len(self._text)
        quoted = any(thoughts_of(text).ends for text in self._shown.values())
        return begin, begin if quoted else max(begin, thought.last_end)

    def _starts(self) -> Iterator[int]:
        names = {
            *HEADINGS,
            *NAME_KEYS,
            *(dimension.name for made in self._lists.values() for dimension in made.dimensions),
        }
        listed = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        start = re.compile(rf"""(?:\[\s*+)?\{{\s*+["'“”‘’`]?\s*+(?:{listed})(?!\w)""", re.IGNORECASE)
        return (match.start() for match in start.finditer(self._text, self._begin))

    def _critiques_in(self, value: Any) -> Iterator[Entries]:
        if critique := entries_of(value, self._lists):
            yield critique

    def _mended(self, start: int, end: int) -> Iterator[Entries]:
        """Yield what a broken object says, which ends where the next one begins, or with the text."""
        part = self._text[start:end]
        if self._is_quoted(start, end) or end <= self._drafts:
            return
        too_long = len(part) > REPAIRED or part.count("{") + part.count("[") > BRACES
        if too_long or self._says_twice(part):  # how it is mended would decide what it says
            self.unclear = True
            return
        from json_repair import repair_json

        try:
            yield from self._critiques_in(repair_json(part, return_objects=True, skip_json_loads=True))
        except (ValueError, RecursionError):
            return

    def _says_twice(self, part: str) -> bool:
        folded = part.casefold()
        names = [re.escape(dimension.name.casefold()) for made in self._lists.values() for dimension in made.dimensions]
        keys = [*names, *(rf"[{{,\"'“”‘’`]\s*+{part}" for part in HEADINGS)]
        return any(len(key_pattern(key).findall(folded)) > 1 for key in keys)

    def _is_quoted(self, start: int, end: int) -> bool:
        if not self._quoted:
            return False
        squeezed = _squeezed(self._text[start:end])
        quoted = [part for part, text in self._quoted.items() if squeezed in text]
        self.quotes_the_work |= any(part != QUERY for part in quoted)
        return bool(quoted)


def _decoded(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start + 1


def _squeezed(text: str) -> str:
    return "".join(without_format_marks(text).split())
