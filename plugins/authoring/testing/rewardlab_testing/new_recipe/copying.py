"""A copy of a recipe that comes with rewardlab, with the files beside it that it names."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewardlab.errors import UserError, nearest
from rewardlab.recipe import load, shipped_recipes

from rewardlab_testing.new_recipe.writing import NewRecipe, refuse_existing, write_new

_SCHEMA = re.compile(r"^# yaml-language-server: .*\n")
_FILE = re.compile(r"recipes/([\w/]+)\.yaml")


def copy_recipe(name: str, output: Path | None = None) -> NewRecipe:
    """Copy a shipped recipe to a new file (absent: NAME.yaml), and the files beside it to the same places beside that.

    The comments of the copy name the copy itself, and other recipes by their names. Raises UserError for an unknown
    name, and if a file is there already.
    """
    known = shipped_recipes()
    if name not in known:
        raise UserError(f"no recipe {name!r} comes with rewardlab{nearest(name, known)}")
    source = known[name]
    output = output or Path(source.name)
    beside = {output.parent / path: source.parent / path for path in sorted(set(_side_files(source)))}
    for file in (output, *beside):
        refuse_existing(file)
    text = _SCHEMA.sub("", source.read_text(encoding="utf-8"), count=1)
    write_new(output, _FILE.sub(lambda match: str(output) if match[1] == name else match[1], text))
    for copy, file in beside.items():
        write_new(copy, file.read_text(encoding="utf-8"))
    return NewRecipe(file=output, also=list(beside))


def _side_files(recipe: Path) -> Iterator[str]:
    """Yield the relative paths in a recipe at which a file stands beside it."""

    def texts(tree: Any) -> Iterator[str]:
        if isinstance(tree, str):
            yield tree
        elif isinstance(tree, dict | list):
            for item in tree.values() if isinstance(tree, dict) else tree:
                yield from texts(item)

    for text in texts(load(recipe, strict=False).raw):
        path = Path(text)
        plain = len(text) < 200 and "\n" not in text and "\0" not in text
        inside = path.suffix != "" and not path.is_absolute() and ".." not in path.parts
        if plain and inside and (recipe.parent / path).is_file():
            yield text
