"""`extends: NAME or PATH` at the head of a recipe: its other keys are merged over those of the recipe that it names.

Mappings merge deep, lists and values are replaced. A dotted key (`stages.1.steps: 50`) reaches into lists, as on the
command line. Another `use` drops the `with` beside the old one. `KEY: null` takes a key of the base out, so that its
default counts; in `with`, if null may be a value, it is one. `stages.2: null` takes an item out, by the base's
numbers.
"""

from pathlib import Path
from typing import Any, NamedTuple

from rewardlab.errors import Problem, UserError
from rewardlab.recipe.overrides import format_path, refuse_unknown, step
from rewardlab.recipe.yaml12 import Keys, Place

EXTENDS = "extends"


class Part(NamedTuple):
    """A part of a recipe and the place where it stands."""

    value: Any
    place: Place


def merged(base: Part, over: Part, base_file: Path, over_file: Path) -> tuple[dict[str, Any], Place]:
    """Return the tree of a recipe over that of its base, with places that know their file.

    Raises a UserError with every key that leads nowhere.
    """
    problems: list[Problem] = []
    below, above = Part(base.value, _stamped(base.place, base_file)), Part(over.value, _stamped(over.place, over_file))
    wholes = {key: value for key, value in above.value.items() if key in below.value or "." not in key}
    dotted = sorted(above.value.keys() - wholes.keys(), key=lambda key: _turn(key, above.value[key]))
    result = below._replace(place=below.place._replace(file=over_file, line=over.place.line))
    for key in (*wholes, *dotted):
        part = Part(above.value[key], above.place.children[key] if above.place.line else above.place)
        try:
            result = _with(result, [key] if key in wholes else key.split("."), part, ())
        except LookupError as error:
            where = format_path(f"{over_file}:{part.place.line}" if part.place.line else str(over_file), (key,))
            problems.append(Problem(where=where, what=str(error.args[0])))
    if problems:
        raise UserError(problems)
    return result.value, result.place


def _turn(key: str, value: Any) -> tuple[int, ...]:
    """Return what sorts dotted keys: wholes first, `use` before its neighbours, removed items last and from the end."""
    last = key.rpartition(".")[2]
    if value is None and last.isdecimal():
        return 1, -int(last)
    return 0, key.count("."), last != "use"


def _stamped(place: Place, file: Path) -> Place:
    """Return a place all of whose parts know the file they stand in; parts of a base's base know theirs already."""
    if place.file is not None:
        return place
    inside = place.children
    if isinstance(inside, dict):
        inside = {key: _stamped(child, file) for key, child in inside.items()}
    elif isinstance(inside, list):
        inside = [_stamped(child, file) for child in inside]
    return place._replace(children=inside, file=file)


def _with(base: Part, keys: list[str], over: Part, path: Keys) -> Part:
    """Return `base` with `over` merged into what stands at `keys` in it. Raises LookupError if they lead nowhere."""
    key: Any
    key, rest = step(base.value, keys, path)
    values, places = _copied(base)
    path = (*path, key)
    old = None
    if isinstance(values, list) or key in values:
        old = Part(values[key], _place_at(places, key, base.place))
    if rest:
        inside = old if old is not None and old.value is not None else Part({}, over.place._replace(children={}))
        new = _with(inside, rest, over, path)
    elif over.value is None and "with" not in path[:-1]:
        if isinstance(values, dict):
            refuse_unknown(values, path)
        del values[key]
        if old is not None and old.place is not base.place:
            del places[key]
        return Part(values, base.place._replace(children=places))
    else:
        new = _over(old, over, path)
    if key == "use" and isinstance(values, dict) and values.get("use", new.value) != new.value:
        values.pop("with", None)
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
        result = _with(result, [key], part, path)
    return result


def _copied(part: Part) -> tuple[Any, Any]:
    """Return copies of a mapping or list and of its items' places: parts of the same alias share theirs."""
    places = part.place.children
    if isinstance(part.value, list):
        return list(part.value), list(places) or [part.place] * len(part.value)
    return dict(part.value), dict(places or {})


def _place_at(places: Any, key: Any, around: Place) -> Place:
    try:
        found: Place = places[key]
    except (KeyError, IndexError, TypeError):
        return around
    return found
