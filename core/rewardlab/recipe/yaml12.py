"""YAML 1.2 as recipes use it: reads a text into a tree that knows its lines, and writes a tree as text.

Only `true` and `false` are booleans, only `null`, `~` and nothing are null, `no` is a string; keys are
strings, each once. Tags, merge keys, several documents, infinity and NaN are refused.
"""

import copy
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from rewardlab.errors import Problem, UserError, nearest

Tree = dict[str, Any] | list[Any] | str | int | float | bool | None
Keys = tuple[str | int, ...]

_INT = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_QUOTED = re.compile(r"""(?<!\S)#.*|"(?:[^"\\]|\\.)*+(?:"|\Z)|'[^']*+(?:'|\Z)""")
_BARE_CALL = re.compile(r"\$\{[^{}]*\}?")
UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIRS = "YAML has no pairs of \\u escapes, as JSON writes emoji; write the letter itself, or \\U and eight digits"
_ODD_BREAK = re.compile("[\x85\u2028\u2029]")  # YAML 1.1 treats them as line breaks and folds the lines
_EVENTS = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_MAX_DEPTH = 64
_MAX_COPIES = 10_000  # values that aliases may add: ten short lines of aliases of aliases can mean billions
_TEXT_OF_A_VALUE = 100  # characters: a longer text counts as several values


def scalar(text: str) -> Tree:
    """Return the value of a plain scalar. ValueError for infinity, NaN and numbers too large to hold."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= 400 and _INT.fullmatch(text):
        return int(text, {"0x": 16, "0o": 8}.get(text[:2], 10))
    if _FLOAT.fullmatch(text) and abs(number := float(text)) != float("inf"):
        return number
    if _FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text[:40]} is not a finite number; quote it if you mean the text")
    return text


class Place(NamedTuple):
    """The place of a value: its line (from 1), its items' places by key or index; size and height count values.

    A long text, a key too, has the size of several values. file: the one it stands in, if that is not the recipe's own.
    override: the text of the override that has set the value, or with a size of 0 removed it.
    """

    line: int
    children: Any = ()
    size: int = 1
    height: int = 1
    file: Path | None = None
    override: str | None = None


def _around(line: int, children: dict[str, Any] | list[Any], places: Collection[Place]) -> Place:
    size = sum(place.size for place in places)
    return Place(line, children, 1 + size, 1 + max((place.height for place in places), default=0))


def compose(text: str, where: Callable[[int, Keys], str], noted: list[Problem] | None = None) -> tuple[Tree, Place]:
    """Return the one document in `text` as a tree with its places; `where(line, path)` names a place in messages.

    Raises UserError with everything that is wrong. Mistakes that leave a readable tree (a tag, or a duplicate key,
    whose last value then counts) are added to `noted` instead, if that is given.
    """
    if bad := UNPRINTABLE.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise UserError(f"YAML does not allow the character {bad.group()!r}", where=where(line, ()))
    composer = _Composer(yaml.parse(text, Loader=_EVENTS), where)
    try:
        result = composer.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = f"column {mark.column + 1}: {_mistake(error, text, mark)}"
        raise UserError([*composer.problems, Problem(where=where(mark.line + 1, ()), what=problem)]) from error
    if composer.problems and noted is None:
        raise UserError(composer.problems)
    if noted is not None:
        noted += composer.problems
    return result


def _mistake(error: yaml.MarkedYAMLError, text: str, mark: yaml.Mark) -> str:
    """Return PyYAML's complaint in words that help to fix the line."""
    line = "".join(text.split("\n")[mark.line : mark.line + 1])
    problem = error.problem or "this is not YAML"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab; YAML is indented with spaces"
    if "flow " in (error.context or "") and (call := _bare_call(line)):
        return f"a value with ${{ inside of {{ }} or [ ] needs quotes; write {call}"
    if "mapping values are not allowed" in problem:
        return "a ':' out of place; quote a value that contains ': ', or fix the indentation"
    if "cannot start any token" in problem:
        return f"a value cannot start with {line[mark.column : mark.column + 1]!r}; quote it"
    if "unknown escape" in problem:
        return "in double quotes a backslash starts an escape; use single quotes, or double the backslash"
    if "Unicode" in problem and "escape" in problem:
        return _PAIRS
    if error.context and error.context_mark:
        problem += f" ({error.context}, begun in line {error.context_mark.line + 1})"
    return problem


def _bare_call(line: str) -> str | None:
    """Return the first `${...}` of a line that is outside quotes, in quotes; None if there is none."""
    match = _BARE_CALL.search(_QUOTED.sub("", line))
    return None if match is None else f'"{match[0]}"' if match[0].endswith("}") else '"${oc.env:NAME}"'


class _Composer:
    """A builder of values and their places from events; it notes mistakes and goes on while it can."""

    def __init__(self, events: Iterator[yaml.Event], where: Callable[[int, Keys], str]) -> None:
        self.events, self.where = events, where
        self.problems: list[Problem] = []
        self.anchors: dict[str, tuple[Tree, Any]] = {}  # a place of None: the anchored value is still open
        self.copies = 0

    def refuse(self, event: yaml.Event, path: Keys, problem: str, stop: bool = False) -> None:
        place = self.where(event.start_mark.line + 1, path)
        self.problems.append(Problem(where=place, what=problem, path=path))
        if stop:
            raise UserError(self.problems)

    def document(self) -> tuple[Tree, Place]:
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None, Place(1)
        result = self.value(next(self.events), ())
        next(self.events)
        if not isinstance(more := next(self.events), yaml.StreamEndEvent):
            self.refuse(more, (), "a second document starts here; one file holds one", stop=True)
        return result

    def value(self, event: yaml.Event, path: Keys) -> tuple[Tree, Place]:
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, path)
        if len(path) > _MAX_DEPTH:
            self.refuse(event, path[:4], f"it is nested more than {_MAX_DEPTH} deep", stop=True)
        if event.tag is not None:
            self.refuse(event, path, f"the tag {event.tag} is not allowed; write the value alone")
        if event.anchor:
            self.anchors[event.anchor] = None, None
        if isinstance(event, yaml.ScalarEvent):
            result = self.scalar(event, path)
        elif isinstance(event, yaml.SequenceStartEvent):
            result = self.sequence(event, path)
        else:
            result = self.mapping(event, path)
        if event.anchor:
            self.anchors[event.anchor] = result
        return result

    def scalar(self, event: yaml.ScalarEvent, path: Keys) -> tuple[Tree, Place]:
        value: Tree = event.value
        if _SURROGATE.search(event.value):  # libyaml refuses these by itself
            self.refuse(event, path, _PAIRS)
        if event.implicit[0]:
            try:
                value = scalar(event.value)
            except ValueError as error:
                self.refuse(event, path, str(error))
        return value, Place(event.start_mark.line + 1, size=1 + len(event.value) // _TEXT_OF_A_VALUE)

    def sequence(self, start: yaml.Event, path: Keys) -> tuple[Tree, Place]:
        values: list[Tree] = []
        places: list[Place] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            value, place = self.value(event, (*path, len(values)))
            values.append(value)
            places.append(place)
        return values, _around(start.start_mark.line + 1, places, places)

    def mapping(self, start: yaml.Event, path: Keys) -> tuple[Tree, Place]:
        values: dict[str, Tree] = {}
        places: dict[str, Place] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key, line = self.key(event, path), event.start_mark.line + 1
            if key in places:
                self.refuse(event, (*path, key), f"duplicate key, line {places[key].line} has it too; keep one")
            refused = key == "<<" and event.implicit[0]
            value, place = self.value(next(self.events), (*path, key))
            if not refused:
                values[key], places[key] = value, place._replace(line=line)
        around = _around(start.start_mark.line + 1, places, places.values())
        return values, around._replace(size=around.size + sum(len(key) // _TEXT_OF_A_VALUE for key in places))

    def key(self, event: yaml.Event, path: Keys) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self.refuse(event, path, "a key must be text; quote it if it starts with [ { or *", stop=True)
        self.value(event, path)
        if event.value == "<<" and event.implicit[0]:
            self.refuse(event, path, "YAML 1.2 has no merge keys (<<); write out the keys it would bring")
        return str(event.value)

    def alias(self, event: yaml.AliasEvent, path: Keys) -> tuple[Tree, Place]:
        if event.anchor not in self.anchors:
            self.refuse(event, path, f"no anchor &{event.anchor} above" + nearest(event.anchor, self.anchors))
            return None, Place(event.start_mark.line + 1)
        value, place = self.anchors[event.anchor]
        if place is None:
            self.refuse(event, path, f"*{event.anchor} is inside &{event.anchor} itself", stop=True)
        self.copies += place.size
        if self.copies > _MAX_COPIES or len(path) + place.height > _MAX_DEPTH:
            self.refuse(event, path[:4], "the aliases expand to too much; write less with them", stop=True)
        return copy.deepcopy(value), place


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """A dumper that quotes every string that this module or a YAML 1.1 reader would read as another type."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    style = '"' if _ODD_BREAK.search(text) else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_float(dumper: _Dumper, number: float) -> yaml.Node:
    if number - number != 0:
        raise ValueError(f"a recipe cannot hold {number}")
    return dumper.represent_float(number)


def _represent_mapping(dumper: _Dumper, mapping: dict[str, Any]) -> yaml.Node:
    for key in mapping:
        if not isinstance(key, str):
            raise ValueError(f"a key must be text, not {key!r}")
    return dumper.represent_dict(mapping)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(float, _represent_float)
_Dumper.add_representer(dict, _represent_mapping)
_NUMBER = re.compile(f"(?:{_INT.pattern}|{_FLOAT.pattern}|{_NOT_FINITE.pattern})$")
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER, list("-+.0123456789"))


def dump(tree: Tree) -> str:
    """Return YAML from which `load` reads the same `raw`. ValueError for NaN, infinity and keys other than strings."""
    style = {"allow_unicode": True, "sort_keys": False, "default_flow_style": False, "width": 2**31}
    return str(yaml.dump(tree, Dumper=_Dumper, **style))
