"""`extends: NAME or PATH` at the head of a recipe: its other keys are merged over those of the recipe that it names.

Mappings merge deep, lists and values are replaced. A dotted key (`stages.1.steps: 50`) reaches into lists, as on the
command line, and adds an item: `stages.2: {use: eval}` of a base that has two. Another `use` drops the `with` beside
the old one. `KEY: null` takes a key of the base out, so that its default counts, or `KEY.NAME: VALUE` builds it anew;
in `with`, if null may be a value, it is one. `stages.2: null` takes an item out, by the base's numbers.
"""

from pathlib import Path
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.recipe.merging import Part, merged
from rewardlab.recipe.overrides import format_path
from rewardlab.recipe.yaml12 import Place

EXTENDS = "extends"


def extended(base: Part, over: Part, base_file: Path, over_file: Path) -> Part:
    """Return the tree of a recipe over that of its base, with places that know their file.

    Raises a UserError with every key that leads nowhere.
    """
    problems: list[Problem] = []
    below, above = Part(base.value, _stamped(base.place, base_file)), Part(over.value, _stamped(over.place, over_file))
    wholes = {key: value for key, value in above.value.items() if key in below.value or "." not in key}
    dotted = sorted((key for key in above.value if key not in wholes), key=lambda key: _turn(key, above.value[key]))
    result = below._replace(place=below.place._replace(file=over_file, line=over.place.line))
    for key in (*wholes, *dotted):
        part = Part(above.value[key], above.place.children[key] if above.place.line else above.place)
        try:
            result = merged(result, [key] if key in wholes else key.split("."), part)
        except LookupError as error:
            where = format_path(f"{over_file}:{part.place.line}" if part.place.line else str(over_file), (key,))
            problems.append(Problem(where=where, what=str(error.args[0])))
    if problems:
        raise UserError(problems)
    return result


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
