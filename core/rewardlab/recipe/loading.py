"""A recipe as a plain tree that knows where each value was written: of a file, a run's folder, or a dict.

YAML 1.2 scalars: only `true` and `false` are booleans, only `null`, `~` and nothing are null, `no` is a
string; keys are strings. `${oc.env:NAME}` and `${oc.env:NAME,default}` resolve. Overrides follow the same
rules. Every mistake is a UserError that names the place.
"""

import os
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from rewardlab.errors import Problem, UserError, nearest
from rewardlab.recipe.extends import EXTENDS, extended
from rewardlab.recipe.interpolation import resolve
from rewardlab.recipe.logins import keep_logins
from rewardlab.recipe.merging import Part, kind_of
from rewardlab.recipe.overrides import MAX_DEPTH, apply_overrides, format_override, format_path
from rewardlab.recipe.shipped import SUFFIXES, recipe_file, shipped_hint, shipped_recipes
from rewardlab.recipe.yaml12 import Keys, Place, Tree, compose, dump

RESOLVED = "recipe.resolved.yaml"
"""the recipe in the folder of a run"""
RecipeSource = str | os.PathLike[str] | Mapping[str, Any]
"""a YAML file, the name of a recipe that comes with rewardlab, the folder of a run, or the tree itself"""
_ROWS = (".jsonl", ".csv", ".tsv", ".parquet")
_MAX_VALUES = 100_000
_GIVEN = Path("recipe")
"""the name of a recipe that was given as a dict"""


@dataclass(frozen=True, kw_only=True)
class Document:
    """A loaded recipe. A path in it is a tuple of keys and list indices.

    `raw` is merged over what the recipe extends, has the overrides applied, and keeps `${oc.env:...}` as text: it is
    what may be written to disk. The user and password of a URL stand in it as such a variable, too, which `load` sets
    in this process and its children. `tree` is resolved. `variables` are the values that came from the environment, by
    name. `problems` are those of a document that was not loaded strictly.
    """

    path: Path
    raw: dict[str, Any]
    tree: dict[str, Any] = field(repr=False)
    overrides: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    problems: tuple[Problem, ...] = ()
    _root: Place = field(repr=False, compare=False)

    def removed_by(self, path: Keys) -> str | None:
        """Return "override 'judges.main=null'" if an override has taken out what stood at `path`, else None."""
        places = self._place(path[:-1]).children
        place = places.get(path[-1]) if isinstance(places, dict) else None
        if place is None or place.override is None or place.size:
            return None
        return format_override(place.override)

    def line(self, path: Keys) -> int | None:
        """Return the line (from 1) of a key or item, else of its nearest parent; None if it stands in no file."""
        return self._place(path).line or None

    def where(self, path: Keys) -> str:
        """Return a place for messages: "r.yaml:12: reward.total" or "override 'stages.1.steps=50': stages.1.steps"."""
        place = self._place(path)
        if place.override is not None:
            return format_path(format_override(place.override), path)
        file = place.file or self.path
        return format_path(f"{file}:{place.line}" if place.line else str(file), path)

    def _place(self, path: Keys) -> Place:
        place = self._root
        for key in path:
            try:
                place = place.children[key]
            except (KeyError, IndexError, TypeError):
                break
        return place


def load(source: RecipeSource, overrides: Sequence[str] = (), strict: bool = True) -> Document:
    """Read a recipe, merge it over what it extends, apply overrides (`stages.1.steps=50`), resolve the environment.

    Raises UserError with everything that is wrong at that step: the file is missing, not YAML or not a mapping; what
    it extends is not there, or extends it; overrides do not fit; environment variables are not set. With
    `strict=False`, the mistakes of a tree that can still be read are in the document's `problems`, so that a check can
    go on.

    Args:
        source: a file; the name of a recipe that comes with rewardlab, such as "quickstart"; the folder of a run;
            or the recipe itself as a dict.
    """
    noted: list[Problem] = []
    if isinstance(source, Mapping):
        read = _Read(_GIVEN, _plain(source), Place(0))
    else:
        read = _read_tree(source_file(source), None if strict else noted)
    raw, root = apply_overrides(_extended(read, None if strict else noted, ()), overrides)
    document = Document(path=read.path, raw=raw, tree=raw, overrides=tuple(overrides), _root=root)
    keep_logins(raw)
    variables: dict[str, str] = {}

    def refuse(path: Keys, problem: str) -> None:
        noted.append(Problem(where=document.where(path), what=problem, path=path))

    tree: Any = resolve(raw, refuse, variables)
    if strict and noted:
        raise UserError(noted)
    return replace(document, tree=tree, variables=variables, problems=tuple(noted))


def source_file(source: str | os.PathLike[str]) -> Path:
    """Return the file of a recipe that is no dict. Raises UserError for a bare name that is none or ambiguous."""
    return _in_run(source) or recipe_file(Path(source))


class _Read(NamedTuple):
    """A file as it is read, before it is merged over what it extends."""

    path: Path
    tree: Any
    root: Place


def _read_tree(path: Path, noted: list[Problem] | None) -> _Read:
    tree, root = compose(_read(path), lambda line, keys: format_path(f"{path}:{line}", keys), noted)
    return _Read(path, tree, root)


def _extended(read: _Read, noted: list[Problem] | None, extending: tuple[_Read, ...]) -> Part:
    """Return a recipe's tree merged over that of its base, and so on down; `extending` are those above it."""
    path, tree, root = read
    if tree is None:
        raise UserError("it is empty; a recipe starts with `version: 1`", where=str(path))
    if not isinstance(tree, dict):
        problem = f"a recipe is a mapping (`version: 1`, `reward: ...`), not {kind_of(tree)}"
        raise UserError(problem, where=f"{path}:{root.line}")
    if EXTENDS not in tree:
        return Part(tree, root)
    place = format_path(f"{path}:{root.children[EXTENDS].line}" if root.line else str(path), (EXTENDS,))
    base = _read_tree(_base(tree.pop(EXTENDS), path, place), noted)
    chain = (*extending, read)
    if any(_same(base.path, above.path) for above in chain):
        raise UserError(f"{' extends '.join(str(part.path) for part in (*chain, base))}: a circle", where=place)
    return extended(_extended(base, noted, chain), Part(tree, root), base.path, path)


def _base(name: Any, path: Path, place: str) -> Path:
    """Return the file that `extends: NAME` means: a path from the folder of the extending file, or a shipped recipe."""
    if not isinstance(name, str):
        problem = f"is {kind_of(name)}; write the name of one recipe that comes with rewardlab, or the path of a file"
        raise UserError(problem, where=place)
    near = path.parent / name
    if file := (_in_run(near) or (near if near.suffix in SUFFIXES and near.is_file() else None)):
        return file
    known = shipped_recipes()
    if name in known:
        return known[name]
    if near.suffix in SUFFIXES:
        raise UserError(f"there is no file {near}{shipped_hint(near)}", where=place)
    problem = f"no recipe {name!r} comes with rewardlab{nearest(name, known)}"
    raise UserError(f"{problem}; a file is named with its ending, as a path from this one", where=place)


def _same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def _refuse_endless(tree: Mapping[str, Any]) -> None:
    """Raise a UserError for a tree that holds itself, or the same parts so often that it would fill the memory."""
    count, waiting = 0, [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if depth > MAX_DEPTH or count > _MAX_VALUES:
            most = f"{MAX_DEPTH} deep, or has more than {_MAX_VALUES:,} values"
            problem = f"it is nested more than {most}; does it hold itself?"
            raise UserError(problem, where=str(_GIVEN))
        inside = node.values() if isinstance(node, Mapping) else node if isinstance(node, list | tuple) else ()
        waiting += [(value, depth + 1) for value in inside]


def _in_run(source: str | os.PathLike[str]) -> Path | None:
    """Return the recipe in the folder of a run; None for anything else."""
    path = Path(source) / RESOLVED
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):  # a path that no system has, such as the text of a recipe
        return None


def _plain(tree: Mapping[str, Any]) -> Tree:
    """Return a recipe that was given as a mapping as YAML would hold it: dicts, lists and scalars, all of them new."""
    _refuse_endless(tree)
    try:
        return compose(dump(dict(tree)), lambda line, keys: format_path(str(_GIVEN), keys))[0]
    except (ValueError, RecursionError) as error:
        raise UserError(str(error), where=str(_GIVEN)) from error
    except yaml.YAMLError as error:
        problem = (
            f"a recipe is made of dicts, lists, texts, numbers, booleans and None, not {reprlib.repr(error.args[-1])}"
        )
        raise UserError(problem, where=str(_GIVEN)) from error


def _read(path: Path) -> str:
    if path.suffix in _ROWS:
        raise UserError("these are rows; a recipe is a YAML file, and comes before them", where=str(path))
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise UserError(_unreadable(path, error), where=str(path)) from error
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise UserError(problem, where=f"{path}:{line}") from error


def _unreadable(path: Path, error: Exception) -> str:
    if isinstance(error, IsADirectoryError):
        return "it is a folder; name a recipe in it" + _recipes(path, path.name)
    if path.parts[:1] in (("https:",), ("http:",)):
        return "a recipe is read from a file, not from an address; save it and name the file"
    if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
        return f"no such file; there is no folder {path.parent}" + shipped_hint(path)
    if isinstance(error, FileNotFoundError):
        where = f"no such file in {path.parent.absolute()}"
        return where + (shipped_hint(path) or _recipes(path.parent, path.name))
    return f"it cannot be read: {getattr(error, 'strerror', None) or error}"


def _recipes(folder: Path, name: str) -> str:
    names = [file.name for file in folder.iterdir() if file.suffix in (".yaml", ".yml")]
    return nearest(name, names) if names else "; it holds no .yaml file"
