"""Merge values into a recipe along dotted keys: those of a recipe that extends another one, and overrides."""

import re
import reprlib
from typing import Any, NamedTuple

from rewardlab.errors import nearest
from rewardlab.recipe.yaml12 import Keys, Place, Tree

REMOVABLE: tuple[Keys, ...] = (("reward", "components"), ("judges",))
"""mappings whose entries have names of the user's: NAME=null removes one"""


class Part(NamedTuple):
    """A part of a recipe and the place where it stands."""

    value: Any
    place: Place


def merged(base: Part, keys: list[str], over: Part, path: Keys = ()) -> Part:
    """Return `base` with `over` merged into what stands at `keys` in it; `path` is the base's own.

    Mappings of a file merge deep, and its null takes a key out, but for one in `with`. An override replaces the whole,
    and its null removes what REMOVABLE says. The number behind a list's last item adds one. Raises LookupError, with a
    text for the user, if the keys lead nowhere.
    """
    key: Any
    key, rest = _step(base.value, keys, path, adds=over.value is not None)
    values, places = _copied(base)
    if isinstance(values, list) and key == len(values):
        values.append(None)
        places.append(over.place)
    path = (*path, key)
    overriding = over.place.override is not None
    old = None
    if isinstance(values, list) or key in values:
        old = Part(values[key], _place_at(places, key, base.place))
    if rest:
        around = (base if overriding and old is not None else over).place
        inside = old if old is not None and old.value is not None else Part({}, around._replace(children={}))
        new = merged(inside, rest, over, path)
    elif over.value is None and (path[:-1] in REMOVABLE if overriding else "with" not in path[:-1]):
        if isinstance(values, dict):
            _refuse_unknown(values, path)
        del values[key]
        if overriding:
            places[key] = over.place._replace(size=0)
        elif old is not None and old.place is not base.place:
            del places[key]
        return Part(values, base.place._replace(children=places))
    else:
        new = over if overriding else _over(old, over, path)
    if key == "use" and isinstance(values, dict) and values.get("use", new.value) != new.value:
        values.pop("with", None)
        if overriding:
            places["with"] = over.place
    values[key] = new.value
    places[key] = new.place
    return Part(values, base.place._replace(children=places))


def _over(old: Part | None, new: Part, path: Keys) -> Part:
    """Return `new`, merged deep over `old` if both are mappings."""
    if old is None or not (isinstance(old.value, dict) and isinstance(new.value, dict)):
        return new
    result = old._replace(place=old.place._replace(line=new.place.line, file=new.place.file))
    for key in sorted(new.value, key=lambda key: key != "use"):
        part = Part(new.value[key], _place_at(new.place.children, key, new.place))
        result = merged(result, [key], part, path)
    return result


def _copied(part: Part) -> tuple[Any, Any]:
    """Return copies of a mapping or list and of its items' places: parts of the same alias share theirs.

    A part without a place, as of a recipe that is a dict, has that of what is around it, whose items are others.
    """
    places = part.place.children
    if isinstance(part.value, list):
        known = list(places) if isinstance(places, list) else []
        return list(part.value), known or [part.place] * len(part.value)
    return dict(part.value), dict(places) if isinstance(places, dict) else {}


def _place_at(places: Any, key: Any, around: Place) -> Place:
    try:
        place: Place = places[key]
    except (KeyError, IndexError, TypeError):
        return around
    return place


def _refuse_unknown(named: dict[str, Any], path: Keys) -> None:
    """Raise a LookupError if nothing has the name that is to be removed."""
    name = path[-1]
    if name not in named:
        around = ".".join(map(str, path[:-1])) or "the recipe"
        raise LookupError(f"{around} has no {name!r} to remove{nearest(str(name), named)}")


def _step(node: Tree, keys: list[str], path: Keys, adds: bool) -> tuple[str | int, list[str]]:
    """Return the key or index in `node` that the first of `keys` mean, and the other keys; a key may contain dots.

    With `adds`, the last of `keys` may be the index behind a list's last item.
    """
    if isinstance(node, dict):
        dotted = ((".".join(keys[:n]), keys[n:]) for n in range(len(keys), 0, -1))
        return next(((key, rest) for key, rest in dotted if key in node), (keys[0], keys[1:]))
    if isinstance(node, list) and re.fullmatch("[0-9]{1,9}", keys[0]):
        index, end = int(keys[0]), len(node) + (adds and len(keys) == 1)
        if index < end:
            return index, keys[1:]
    raise LookupError(
        f"{'.'.join(map(str, path))} is {kind_of(node)}, it has no {keys[0]!r}{_numbered(node, keys, path)}"
    )


def _numbered(node: Tree, keys: list[str], path: Keys) -> str:
    """Return the end of a message about a list of which a key is no item: of `stages.steps` and `stages.rl.steps`."""
    if not isinstance(node, list) or not node or re.fullmatch("-?[0-9]+", keys[0]):
        return ""
    kinds = [item.get("use") if isinstance(item, dict) else None for item in node]
    item = [kinds.index(keys[0]), *keys[1:]] if keys[0] in kinds else [0, *keys]
    return f"; its items have numbers: {'.'.join(map(str, (*path, *item)))}"


def kind_of(value: Tree) -> str:
    """Return what a value is, in words: "a mapping", "a list of 2 (0 to 1)", "the value 3"."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)} (0 to {len(value) - 1})" if value else "an empty list"
    return f"the value {'null' if value is None else reprlib.repr(value)}"
