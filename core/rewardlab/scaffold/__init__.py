"""A distribution to start from: a reward that keeps the laws, with its tests, a recipe and rows.

The files are those of `reward/`, each with `.tmpl` at its end and `@name@`, `@package@` and `@release@` in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shlex import quote

from rewardlab import __version__
from rewardlab.scaffold.naming import free, package_of

TEMPLATES = "reward"
ENDING = ".tmpl"
COMPONENT = "terms"
ELSEWHERE = {"package": "@package@", "gitignore": ".gitignore"}
"""what a template's folder or file is called in the scaffold: a `.gitignore` here would hide files from git"""


@dataclass(frozen=True, kw_only=True)
class Made:
    """What was written: `files` relative to `folder`; `use`, the reward as a recipe names it."""

    name: str
    folder: Path
    files: list[str]
    use: str


def scaffold(name: str, into: str | Path | None = None) -> Made:
    """Write the distribution `rewardlab-NAME` into a folder that is empty or not there (`./rewardlab-NAME`).

    UserError where the name cannot be had or the folder holds something; an OSError where it cannot be written.
    """
    folder = Path(into) if into is not None else Path(f"rewardlab-{name}")
    free(name, folder)
    texts = {_filled(path, name): _filled(source.read_text("utf-8"), name) for path, source in _templates()}
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Made(name=name, folder=folder, files=sorted(texts), use=f"{name}/{COMPONENT}")


def next_steps(made: Made) -> list[str]:
    """The commands that install the scaffold, test it and look at what it promises."""
    folder = quote(str(made.folder))
    return [
        f"pip install -e {quote(f'{made.folder}[test]' if made.folder.is_absolute() else f'./{made.folder}[test]')}",
        f"pytest {folder}",
        f"rewardlab plugins check {made.name}",
    ]


def _templates() -> Iterator[tuple[str, Traversable]]:
    """(path in the scaffold, with its placeholders; the template)."""

    def below(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            name = entry.name.removesuffix(ENDING)
            place = path + ELSEWHERE.get(name, name)
            if entry.is_dir():
                yield from below(entry, f"{place}/")
            elif entry.name.endswith(ENDING):
                yield place, entry

    return below(files(__package__) / TEMPLATES, "")


def _filled(text: str, name: str) -> str:
    minor = ".".join(__version__.split(".")[:2])
    values = {"name": name, "package": package_of(name), "release": f"{minor}.0"}
    for placeholder, value in values.items():
        text = text.replace(f"@{placeholder}@", value)
    return text
