"""The score in a reply, read so that neither broken JSON nor quoted texts mislead. Any text is allowed; nothing raises.

The verdict is the JSON object with a score behind the reply's thoughts. Quotations of the texts that the judge was
shown do not count, and neither do objects that disagree.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from rewardlab_answers import Thoughts, thoughts_of, without_format_marks

from rewardlab_rubric.levels import canonical
from rewardlab_rubric.replies.official import VerdictReading, place_of
from rewardlab_rubric.replies.prose import prose_score

REPAIRED = 8_000
"""characters of a broken object that are repaired at most: repair is not linear in them"""
BRACES = 64
"""opening braces and brackets that a repaired object has at most"""
OBJECTS = 32
"""objects of a reply that are looked at, from its end"""
SHORT = 64
"""characters without white space from which on an object that is the whole reply can be a quotation"""

_START = re.compile(r"""\{\s*+(?:(?P<named>["'“”‘’]?(?i:explanation|score)\b)|["'“”‘’]|[A-Za-z_]\w*+\s*+:)""")
"""how an object begins; `named`: by a key of a verdict"""
_FENCE = re.compile(r"\A```\w*\s*+|```\Z")
_SCORE = re.compile(r"""\bscore["'“”‘’]?\s*+:""", re.IGNORECASE)
_BARE_SCORE = re.compile(
    rf"""({_SCORE.pattern}\s*+)(?!["'“”‘’{{\[\s])([^{{}}\n]{{1,80}}?)(?=\s*+,?+\s*+(?:[}}\n]|\Z|["'“]?\w{{1,40}}["'”]?\s*+:))""",
    re.IGNORECASE,
)
"""a score without quotation marks, to the next key or the object's end"""
_LITERAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true|false|null|None", re.IGNORECASE)
_OVER_ALL = re.compile(r"\A(?:final|overall|total|revised|corrected|adjusted|actual)[ _-]?(?=score\Z)")
"""what a key has before "score" that says no other thing: with another value nobody knows which holds"""
_DISOWNED = re.compile(
    r"\b(?:not|never|example|format (?:is|would be|should be|looks like)|asks for|wants|demands|tells me to)"
    r"(?: \w{1,12})?[\s:`*\"'“(]{0,4}\Z",
    re.IGNORECASE,
)
"""what stands before an object that is no verdict"""
_TAKEN_BACK = re.compile(
    r"\A[\s`*\"'”)]{0,8}(?:would be|is too|is wrong)\b|\A[\s`*\"'”),]{0,8}but i (?:give|rate|say)\b|"
    r"(?:\A|[.!?\n`])\s{0,4}(?:actually|no|wait|hmm|correction|on (?:reflection|second thought)|revised)\b"
    r"[^.\n]{0,60}?\d",
    re.IGNORECASE,
)
"""what follows a verdict that is none any more"""
_REFUSED = re.compile(
    r"\bi(?:(?:['’]m| am) (?:not (?:able|willing|comfortable)|unable)| (?:cannot|can['’]t|can not|won['’]t|will not"
    r"|(?:do not|don['’]t) feel comfortable|(?:must )?decline|refuse))(?: (?:to|with))?(?: fairly| properly)?"
    r" (?:evaluat|judg|rat(?:e|ing)\b|scor|assess|grad(?:e|ing)\b|assist|help|comply"
    r"|give (?:a|any|you a) (?:score|rating|verdict|grade))"
    r"(?![^.\n]{0,40}\b(?:higher|lower|better|more)\b)",
    re.IGNORECASE,
)
"""a refusal: what stands before it was the format alone"""
MAX_BEHIND = 400
"""characters behind a verdict in which it may be taken back"""
SEVERAL = object()
"""stands for a score that an object gives twice, with different values"""


def _with_plain_keys(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys are in one case."""
    plain: dict[str, Any] = {}
    for key, value in pairs:
        name = _OVER_ALL.sub("", key.strip().casefold())
        twice = name == "score" and name in plain and canonical(plain[name]) != canonical(value)
        plain[name] = SEVERAL if twice else value
    return plain


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_with_plain_keys)


def read_strict(text: str, quoted: Iterable[str] = (), cut_off: bool = False, prose: bool = False) -> VerdictReading:
    """Return the verdict of a reply; `raw` is None without one.

    Thoughts end with the last `</think>` or another mark of their end (`thoughts_of`), unless that stands
    inside the verdict's own texts. An object in a fence
    of code counts as one without, and so does one inside an object without a score. A broken object is repaired if it
    has at most `REPAIRED` characters and is not a quotation. An object is a quotation if a shown text has it, whatever
    the white space; only one that is the whole reply and shorter than `SHORT` is the judge's own in any case. Of
    several objects with different scores one may be what a response planted, written anew, so none is the verdict.

    Args:
        quoted: the texts that the judge was shown.
        cut_off: whether the reply ended at the length limit; its last object may then be a draft.
        prose: whether a reply without such an object may give its score in a line, `Score: 4`.
    """
    thought = thoughts_of(text)
    if thought.first_words is None or cut_off:
        return VerdictReading()
    shown = list(quoted)
    reply = _Reply(text, thought, shown)
    own = reply.verdicts()
    if not own and prose and (score := prose_score(text, reply.earliest_end, shown)) is not None:
        raw, place = score
        return VerdictReading() if _is_taken_back(text, place + len(raw)) else VerdictReading(raw=raw, start=place)
    scores = {None if own_verdict is None else canonical(own_verdict[0]["score"]) for own_verdict in own}
    if len(scores) != 1 or (last := own[-1]) is None:
        return VerdictReading()
    verdict, begin, end = last
    if _DISOWNED.search(text[max(0, begin - 80) : begin]) or _is_taken_back(text, end):
        return VerdictReading()
    explanation = verdict.get("explanation")
    return VerdictReading(
        raw=verdict["score"],
        explanation=explanation if isinstance(explanation, str) else None,
        start=place_of(verdict["score"], text, begin, end),
    )


def _is_taken_back(text: str, end: int) -> bool:
    """Return whether what follows a verdict says another one, that it is wrong, or that the judge gives none."""
    behind = text[end : end + MAX_BEHIND]
    return _TAKEN_BACK.search(behind) is not None or _REFUSED.search(behind) is not None


Found = tuple[dict[str, Any], int, int]
"""a verdict with the part of the text that it stands in"""


class _Reply:
    def __init__(self, text: str, thought: Thoughts, quoted: Iterable[str]) -> None:
        self._text, self._start = text, thought.first_words or 0
        self._thought_ends = thought.ends
        # a verdict that quotes `</think>` begins before it, but none ends before the last one
        self.earliest_end = max(self._start, thought.last_end)
        shown = [quotation.strip() for quotation in quoted if "{" in quotation]
        self._shown = [_squeezed(quotation) for quotation in shown]
        self._repeated = [place for quotation in shown if len(quotation) >= SHORT for place in _places(quotation, text)]
        self._quotations = list(self._repeated)

    def verdicts(self) -> list[Found | None]:
        """Return the objects that are the judge's own and have a score; None for one whose score is not clear."""
        own: list[Found | None] = []
        open_at, stray, behind = None, None, self._start
        for start, named in self._starts():
            if start < behind:
                continue
            value, end = _decoded(self._text, start)
            if self._is_quoted(start, end):
                self._quotations.append((start, end))
                behind = end
                continue
            if open_at is not None:
                if (over := self._over(open_at, start)) is None:
                    behind = end if value is not None else behind  # a part of the object that is still open
                    continue
                own += self._mended(open_at, over)
                open_at = None
            if value is None:
                open_at, stray = (start, stray) if named else (open_at, start if stray is None else stray)
            elif "score" in value:
                behind = end
                scored = None if value["score"] is SEVERAL else (value, start, end)
                own += [scored] if end > self.earliest_end else []
        if open_at is not None:
            own += self._mended(open_at, len(self._text))
        if stray is not None:
            own += self._stray(stray, own)
        return own

    def _starts(self) -> list[tuple[int, bool]]:
        starts = [(match.start(), match["named"] is not None) for match in _START.finditer(self._text, self._start)]
        for first, last in self._repeated:  # a whole text that the judge repeats, however often it opens an object
            starts = [start for start in starts if not first <= start[0] < last]
        return starts[-OBJECTS:]

    def _over(self, start: int, end: int) -> int | None:
        """Return where a broken object that begins at `start` ends, with its braces or thoughts; None if not yet."""
        inside = [quotation for quotation in self._quotations if start < quotation[0] < end]
        if self._text.count("}", start, end) > sum(self._text.count("}", *place) for place in inside):
            return end
        return next((first for first, last in self._thought_ends if start <= first and last <= end), None)

    def _stray(self, start: int, own: list[Found | None]) -> list[Found | None]:
        """Return the verdict that begins with a brace that no key of a verdict follows, and which is broken.

        Most such braces begin none, such as one of a formula: then it has no score beside those of whole objects.
        """
        inside = [(scored[1], scored[2]) for scored in own if scored is not None and scored[1] > start]
        if inside and not _SCORE.search(self._without([*inside, *self._quotations], start, len(self._text))):
            return []
        return self._mended(start, len(self._text)) if not own else [None] if inside else []

    def _mended(self, start: int, end: int) -> list[Found | None]:
        """Return the verdict that a broken object was meant to be; [None] if it has scores and that is not clear."""
        if end <= self.earliest_end:
            return []
        part = self._without(self._quotations, start, end)
        scores = len(_SCORE.findall(part))
        if not scores or self._is_quoted(start, end):
            return []
        if scores > 1 or len(part) > REPAIRED or part.count("{") + part.count("[") > BRACES:
            return [None]  # how it is mended would decide what it says
        from json_repair import repair_json

        try:
            mended = repair_json(_BARE_SCORE.sub(_quoted_score, part), return_objects=True, skip_json_loads=True)
        except (ValueError, RecursionError):
            return [None]
        value = _with_plain_keys(mended.items()) if isinstance(mended, dict) else {}
        return [(value, start, end)] if "score" in value else [None]

    def _without(self, parts: Iterable[tuple[int, int]], start: int, end: int) -> str:
        """Return a part of the text in which other parts are blotted out."""
        text = self._text[start:end]
        for first, last in parts:
            if start <= first and last <= end:
                text = text[: first - start] + "q" * (last - first) + text[last - start :]
        return text

    def _is_quoted(self, start: int, end: int) -> bool:
        if not self._shown:
            return False
        squeezed = _squeezed(self._text[start:end])
        if not any(squeezed in shown for shown in self._shown):
            return False
        whole = _FENCE.sub("", self._text[self._start :].strip()).strip()
        return len(squeezed) >= SHORT or len(whole) != end - start


def _quoted_score(match: re.Match[str]) -> str:
    """Return a bare score in quotation marks unless it is JSON: repair would take the 4 of `4 / 10` or `4 - 5`."""
    return match[0] if _LITERAL.fullmatch(match[2]) else f'{match[1]}"{match[2]}"'


def _decoded(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object that begins at `start` and its end; (None, its first closing brace) for one that is broken."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, (text.find("}", start) + 1) or len(text)
    return value, end


def _places(part: str, text: str) -> list[tuple[int, int]]:
    """Return (start, end) of the first and of the last place where `text` has a part."""
    first = text.find(part)
    if first < 0:
        return []
    # not rfind, which is quadratic if a text repeats itself
    last = len(text) - len(part) - text[::-1].find(part[::-1])
    return [(place, place + len(part)) for place in {first, last}]


def _squeezed(text: str) -> str:
    return "".join(without_format_marks(text).split())
