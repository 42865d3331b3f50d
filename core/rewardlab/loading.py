"""A recipe file as a plain tree that knows where each value was written.

YAML 1.2 scalars: only `true` and `false` are booleans, only `null`, `~` and nothing are null, `no` is a
string; keys are strings. `${oc.env:NAME}` and `${oc.env:NAME,default}` resolve. Overrides follow the same
rules. Every mistake is a UserError that names the place.
"""

import copy
import os
import re
import reprlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from rewardlab.errors import Problem, UserError, nearest

Tree = dict[str, Any] | list[Any] | str | int | float | bool | None
Keys = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Document:
    """A loaded recipe. A path in it is a tuple of keys and list indices.

    `raw` has the overrides applied and keeps `${oc.env:...}` as text: it is what may be written to disk.
    `tree` is resolved. `secrets` are the values that came from the environment.
    """

    path: Path
    raw: dict[str, Any]
    tree: dict[str, Any] = field(repr=False)
    overrides: tuple[str, ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    _root: "_Place" = field(repr=False, compare=False)
    _origins: dict[Keys, str] = field(default_factory=dict, repr=False, compare=False)

    def line(self, path: Keys) -> int | None:
        """The line of a key or item, else of its nearest parent; None for what an override set."""
        if self._override_of(path):
            return None
        place = self._root
        for key in path:
            try:
                place = place.children[key]
            except (KeyError, IndexError, TypeError):
                break
        return place.line

    def where(self, path: Keys) -> str:
        """ "r.yaml:12: reward.total", or "override 'stages.1.steps=50': stages.1.steps"."""
        override = self._override_of(path)
        return _at(_shown(override) if override else f"{self.path}:{self.line(path)}", path)

    def _override_of(self, path: Keys) -> str | None:
        prefixes = (path[:length] for length in range(len(path), 0, -1))
        return next((self._origins[prefix] for prefix in prefixes if prefix in self._origins), None)


def load(path: str | Path, overrides: Sequence[str] = ()) -> Document:
    """Read a recipe, apply overrides (`stages.1.steps=50`), resolve the environment.

    UserError, with everything that is wrong at that step: the file is missing, no YAML or no mapping;
    overrides do not fit; environment variables are not set.
    """
    path = Path(path)
    raw, root = _compose(_read(path), lambda line, keys: _at(f"{path}:{line}", keys))
    if raw is None:
        raise UserError("it is empty; a recipe starts with `version: 1`", where=str(path))
    if not isinstance(raw, dict):
        what = f"a recipe is a mapping (`version: 1`, `reward: ...`), not {_kind(raw)}"
        raise UserError(what, where=f"{path}:{root.line}")
    document = Document(path=path, raw=raw, tree=raw, overrides=tuple(overrides), _root=root)
    _override(document)
    return _resolved(document)


def dump(tree: Tree) -> str:
    """YAML from which `load` reads the same `raw`. ValueError for NaN, infinity, keys that are no text."""
    return yaml.dump(
        tree, Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=2**31
    )


def _at(place: str, path: Keys) -> str:
    return f"{place}: {'.'.join(map(str, path))}" if path else place


def _kind(value: Tree) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)} (0 to {len(value) - 1})" if value else "an empty list"
    return f"the value {'null' if value is None else reprlib.repr(value)}"


# --- The file


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise UserError(_unreadable(path, error), where=str(path)) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise UserError(what, where=f"{path}:{line}") from error


def _unreadable(path: Path, error: Exception) -> str:
    if isinstance(error, IsADirectoryError):
        return "it is a folder; name a recipe in it" + _recipes(path, path.name)
    if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
        return f"no such file; there is no folder {path.parent}"
    if isinstance(error, FileNotFoundError):
        return f"no such file in {path.parent.absolute()}" + _recipes(path.parent, path.name)
    return f"it cannot be read: {getattr(error, 'strerror', None) or error}"


def _recipes(folder: Path, name: str) -> str:
    names = [file.name for file in folder.iterdir() if file.suffix in (".yaml", ".yml")]
    return nearest(name, names) if names else "; it holds no .yaml file"


# --- YAML 1.2: scalars, composing, dumping

_INT = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ODD_BREAK = re.compile("[\x85\u2028\u2029]")  # YAML 1.1 breaks lines at them, and joins lines again
_EVENTS = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_MAX_DEPTH = 64
_MAX_COPIES = 10_000  # values that aliases may add: ten short lines of aliases of aliases can mean billions


def scalar(text: str) -> Tree:
    """What a plain scalar means. ValueError for infinity, NaN and numbers too large to hold."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= 400 and _INT.fullmatch(text):
        return int(text, {"0x": 16, "0o": 8}.get(text[:2], 10))
    if _FLOAT.fullmatch(text) and abs(number := float(text)) != float("inf"):
        return number
    if _FLOAT.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text[:40]} is no finite number; quote it if you mean the text")
    return text


class _Place(NamedTuple):
    """The line of a value; the places of its items, by key or in a list; size and height count values."""

    line: int
    children: Any = ()
    size: int = 1
    height: int = 1


def _around(line: int, children: dict | list, places: Collection[_Place]) -> _Place:
    size = sum(place.size for place in places)
    return _Place(line, children, 1 + size, 1 + max((place.height for place in places), default=0))


def _compose(text: str, where: Callable[[int, Keys], str]) -> tuple[Tree, _Place]:
    """The one document in `text` as a tree with its places; `where(line, path)` names a place in messages."""
    if bad := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise UserError(f"YAML does not allow the character {bad.group()!r}", where=where(line, ()))
    composer = _Composer(yaml.parse(text, Loader=_EVENTS), where)
    try:
        result = composer.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = f"column {mark.column + 1}: {_mistake(error, text, mark)}"
        composer.problems.append(Problem(where=where(mark.line + 1, ()), what=what))
    if composer.problems:
        raise UserError(composer.problems)
    return result


def _mistake(error: yaml.MarkedYAMLError, text: str, mark: yaml.Mark) -> str:
    """PyYAML's complaint, in the words of someone who has to mend the line."""
    line = "".join(text.split("\n")[mark.line : mark.line + 1])
    problem = error.problem or "this is not YAML"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab; YAML is indented with spaces"
    if "mapping values are not allowed" in problem:
        return "a ':' out of place; quote a value that contains ': ', or mend the indentation"
    if "cannot start any token" in problem:
        return f"a value cannot start with {line[mark.column : mark.column + 1]!r}; quote it"
    if "unknown escape" in problem:
        return "in double quotes a backslash starts an escape; use single quotes, or double the backslash"
    if error.context and error.context_mark:
        problem += f" ({error.context}, begun in line {error.context_mark.line + 1})"
    return problem


class _Composer:
    """Builds values and their places from events; notes what it refuses, and goes on while it can."""

    def __init__(self, events: Iterator[yaml.Event], where: Callable[[int, Keys], str]):
        self.events, self.where = events, where
        self.problems: list[Problem] = []
        self.anchors: dict[str, tuple[Tree, Any]] = {}  # a place of None: the anchored value is still open
        self.copies = 0

    def refuse(self, event: yaml.Event, path: Keys, what: str, stop: bool = False) -> None:
        self.problems.append(Problem(where=self.where(event.start_mark.line + 1, path), what=what))
        if stop:
            raise UserError(self.problems)

    def document(self) -> tuple[Tree, _Place]:
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None, _Place(1)
        result = self.value(next(self.events), ())
        next(self.events)
        if not isinstance(more := next(self.events), yaml.StreamEndEvent):
            self.refuse(more, (), "a second document starts here; one file holds one", stop=True)
        return result

    def value(self, event: yaml.Event, path: Keys) -> tuple[Tree, _Place]:
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

    def scalar(self, event: yaml.ScalarEvent, path: Keys) -> tuple[Tree, _Place]:
        value: Tree = event.value
        if event.implicit[0]:
            try:
                value = scalar(event.value)
            except ValueError as error:
                self.refuse(event, path, str(error))
        return value, _Place(event.start_mark.line + 1)

    def sequence(self, start: yaml.Event, path: Keys) -> tuple[Tree, _Place]:
        values: list[Tree] = []
        places: list[_Place] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            value, place = self.value(event, (*path, len(values)))
            values.append(value)
            places.append(place)
        return values, _around(start.start_mark.line + 1, places, places)

    def mapping(self, start: yaml.Event, path: Keys) -> tuple[Tree, _Place]:
        values: dict[str, Tree] = {}
        places: dict[str, _Place] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key, line = self.key(event, path), event.start_mark.line + 1
            if key in places:
                self.refuse(
                    event, (*path, key), f"duplicate key, line {places[key].line} has it too; keep one"
                )
            value, place = self.value(next(self.events), (*path, key))
            values[key], places[key] = value, place._replace(line=line)
        return values, _around(start.start_mark.line + 1, places, places.values())

    def key(self, event: yaml.Event, path: Keys) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self.refuse(event, path, "a key must be text; quote it if it starts with [ { or *", stop=True)
        self.value(event, path)
        if event.value == "<<" and event.implicit[0]:
            self.refuse(event, path, "YAML 1.2 has no merge keys (<<); write out the keys it would bring")
        return event.value

    def alias(self, event: yaml.AliasEvent, path: Keys) -> tuple[Tree, _Place]:
        if event.anchor not in self.anchors:
            self.refuse(event, path, f"no anchor &{event.anchor} above" + nearest(event.anchor, self.anchors))
            return None, _Place(event.start_mark.line + 1)
        value, place = self.anchors[event.anchor]
        if place is None:
            self.refuse(event, path, f"*{event.anchor} is inside &{event.anchor} itself", stop=True)
        self.copies += place.size
        if self.copies > _MAX_COPIES or len(path) + place.height > _MAX_DEPTH:
            self.refuse(event, path[:4], "the aliases expand to too much; write less with them", stop=True)
        return copy.deepcopy(value), place


class _Dumper(yaml.SafeDumper):
    """Quotes every string that this module or a YAML 1.1 reader would take for something else."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    style = '"' if _ODD_BREAK.search(text) else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_float(dumper: _Dumper, number: float) -> yaml.Node:
    if number - number != 0:
        raise ValueError(f"a recipe cannot hold {number}")
    return dumper.represent_float(number)


def _represent_mapping(dumper: _Dumper, mapping: dict) -> yaml.Node:
    for key in mapping:
        if not isinstance(key, str):
            raise ValueError(f"a key must be text, not {key!r}")
    return dumper.represent_dict(mapping)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(float, _represent_float)
_Dumper.add_representer(dict, _represent_mapping)
_NUMBER = re.compile(f"(?:{_INT.pattern}|{_FLOAT.pattern}|{_NOT_FINITE.pattern})$")
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER, list("-+.0123456789"))


# --- Overrides


class _Override(NamedTuple):
    text: str
    keys: list[str]
    value: Tree


def _shown(override: str) -> str:
    return f"override {override if len(override) <= 80 else override[:77] + '...'!r}"


def _override(document: Document) -> None:
    """Apply the overrides to `raw`: wholes before their parts, and `use` before what stands beside it."""
    problems: list[Problem] = []
    parsed = [override for text in document.overrides if (override := _parse(text, problems))]
    for override in sorted(parsed, key=lambda o: (len(o.keys), o.keys[-1] != "use")):
        try:
            _set(document, override)
        except LookupError as error:
            problems.append(Problem(where=_shown(override.text), what=str(error.args[0])))
    if problems:
        raise UserError(problems)


def _parse(text: str, problems: list[Problem]) -> _Override | None:
    key, equals, value = text.partition("=")
    if not equals or not key or key != _tidy(key):
        problems.append(Problem(where=_shown(text), what=f"an override is KEY=VALUE; write {_tidied(text)}"))
        return None
    place = _at(_shown(text), (key,))
    try:
        return _Override(text, key.split("."), _flow(value.strip(), place))
    except UserError as error:
        problems += error.problems
    return None


def _tidy(key: str) -> str:
    dotted = re.sub(r"\[(\w+)\]", r".\1", key.strip()).lstrip("-")
    return ".".join(part for part in dotted.split(".") if part)


def _tidied(text: str) -> str:
    split = re.split("=" if "=" in text else r"[\s:]+", text, maxsplit=1)
    key, value = split if len(split) == 2 else (text, "")
    return f"{_tidy(key) or 'KEY'}={value.strip() or 'VALUE'}"


def _flow(text: str, place: str) -> Tree:
    """The value of an override: a YAML list, mapping or quoted text, else one plain scalar."""
    if text[:1] in ("[", "{", '"', "'") or _UNPRINTABLE.search(text):
        return _compose(text, lambda _, keys: ".".join(map(str, (place, *keys))))[0]
    try:
        return scalar(text)
    except ValueError as error:
        raise UserError(str(error), where=place) from error


def _set(document: Document, override: _Override) -> None:
    """LookupError, with a text for the user, where the keys lead nowhere."""
    node: Any = document.raw
    path: Keys = ()
    rest = override.keys
    while True:
        key, rest = _step(node, rest, path)
        path = (*path, key)
        if not rest:
            break
        if isinstance(node, dict):
            node.setdefault(key)
        if node[key] is None:
            node[key] = {}
        node = node[key]
    if key == "use" and node.get("use", override.value) != override.value:
        node.pop("with", None)
        document._origins[*path[:-1], "with"] = override.text
    node[key] = override.value
    document._origins[path] = override.text


def _step(node: Tree, keys: list[str], path: Keys) -> tuple[str | int, list[str]]:
    """The key or index that the first of `keys` mean in `node`, and the rest; a key may hold dots."""
    if isinstance(node, dict):
        dotted = ((".".join(keys[:n]), keys[n:]) for n in range(len(keys), 0, -1))
        return next(((key, rest) for key, rest in dotted if key in node), (keys[0], keys[1:]))
    if isinstance(node, list) and re.fullmatch("[0-9]{1,9}", keys[0]) and int(keys[0]) < len(node):
        return int(keys[0]), keys[1:]
    raise LookupError(f"{'.'.join(map(str, path))} is {_kind(node)}, it has no {keys[0]!r}")


# --- The environment

_OPENING = re.compile(r"(\\*)\$\{")
_CALL = re.compile(r"\$\{\s*oc\.env\s*:\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?=([,}]))")
_BARE_DEFAULT = re.compile(r"""(?<!\\)((?:\\\\)*\$\{\s*oc\.env\s*:\s*\w+\s*,)\s*([^'"${}\\]*?)\s*\}""")
_INNERMOST = re.compile(r"\$\{[^{}]*\}")


def _resolved(document: Document) -> Document:
    secrets: set[str] = set()
    problems: list[Problem] = []

    def refuse(path: Keys, what: str) -> None:
        problems.append(Problem(where=document.where(path), what=what))

    def resolve(value: Tree, path: Keys) -> Tree:
        if isinstance(value, dict):
            for key in value:
                if "${" in key:
                    refuse((*path, key), "a key cannot hold ${; only values resolve")
            return {key: resolve(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [resolve(item, (*path, index)) for index, item in enumerate(value)]
        if isinstance(value, str) and "${" in value:
            try:
                return _interpolate(value, secrets)
            except ValueError as error:
                refuse(path, str(error))
        return value

    tree: Any = resolve(document.raw, ())
    if problems:
        raise UserError(problems)
    return replace(document, tree=tree, secrets=frozenset(secrets))


def _interpolate(text: str, secrets: set[str]) -> Tree:
    """A text with its `${oc.env:...}` resolved; read as a plain scalar where it is nothing else.

    ValueError for another `${...}` and for variables that are not set.
    """
    calls = [_call(text, opening) for opening in _OPENING.finditer(text) if len(opening[1]) % 2 == 0]
    if missing := [name for name, needed in dict.fromkeys(calls) if needed and name not in os.environ]:
        what = f"no environment variable {' and no '.join(missing)}"
        raise ValueError(f"{what}; export it, or write ${{oc.env:{missing[0]},default}}")
    secrets.update(os.environ[name] for name, _ in calls if os.environ.get(name))
    from omegaconf import OmegaConf  # 70 ms, and most recipes need none
    from omegaconf.errors import OmegaConfBaseException

    try:
        # Quoted, a default comes back as it was written; bare, OmegaConf makes "True" of true.
        resolved = OmegaConf.create({"text": _BARE_DEFAULT.sub(r"\1'\2'}", text)}).text
    except OmegaConfBaseException as error:
        hint = "a default may be quoted: ${oc.env:NAME,'default'}"
        raise ValueError(f"OmegaConf: {str(error).splitlines()[0]}; {hint}") from error
    return scalar(resolved) if _is_one_call(text) else resolved


def _call(text: str, opening: re.Match) -> tuple[str, bool]:
    """The variable that is named at an opening, and whether it must be set."""
    if call := _CALL.match(text, opening.end(1)):
        return call[1], call[2] == "}"
    raise ValueError("only ${oc.env:NAME} and ${oc.env:NAME,default} resolve; write \\${ for a ${ that stays")


def _is_one_call(text: str) -> bool:
    before = None
    while text != before:
        before, text = text, _INNERMOST.sub("\0", text)
    return text == "\0"
