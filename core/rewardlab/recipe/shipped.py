"""The recipes that come with rewardlab, by name: "quickstart", "pb_rlsvr_ablations/comet_comet".

A wheel holds them (pyproject.toml, `sources`); an editable installation reads recipes/ of its checkout.
"""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.errors import UserError, nearest

PACKAGE = Path(__file__).parents[1]
SUFFIXES = (".yaml", ".yml")


def shipped_folder() -> Path | None:
    """Return the folder of the shipped recipes; None if somebody installed the package without them."""
    checkout = PACKAGE.parents[1]
    places = [PACKAGE / "shipped_recipes"]
    if (checkout / "pyproject.toml").is_file():
        places.append(checkout / "recipes")
    return next((place for place in places if place.is_dir()), None)


def shipped_recipes() -> dict[str, Path]:
    """Return the shipped recipes, name -> file, in the order of their names."""
    folder = shipped_folder()
    return {} if folder is None else dict(sorted(_named(folder)))


def _named(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in folder.rglob("*.yaml"):
        yield file.relative_to(folder).with_suffix("").as_posix(), file


def recipe_file(path: str | Path) -> Path:
    """Return the file that `path` means: itself, or a shipped recipe if it is the name of one and no file.

    Raises UserError for a bare name, without a folder and an ending, that is neither or could be both.
    """
    file = Path(path)
    if file.suffix in SUFFIXES or _is_there(file):
        return file
    known = shipped_recipes()
    name = str(path)
    here = [file.with_name(file.name + suffix) for suffix in SUFFIXES if file.name]
    own = next((candidate for candidate in here if _is_there(candidate)), None)
    if own is not None:
        also = ", though a recipe of this name comes with rewardlab, too" if name in known else ""
        raise UserError(f"no such file; write {own}{also}", where=name)
    if name in known:
        return known[name]
    if known and "/" not in name and name:
        meant = nearest(name, {*known, *_recipes_in(file.parent)})
        problem = f"no such file, and no recipe of this name comes with rewardlab{meant}"
        raise UserError(problem, where=name)
    return file


def shipped_hint(path: Path) -> str:
    """Return a hint for a file that is not there and is called like a shipped recipe: its name does without a file."""
    name = path.with_suffix("").as_posix().removeprefix("recipes/")
    return f"; the recipe that comes with rewardlab is called {name}, without a folder and an ending" * (
        name in shipped_recipes()
    )


def _recipes_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if file.suffix in SUFFIXES] if folder.is_dir() else []


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a NUL in it, or a name that is too long: reading it says so
        return False
