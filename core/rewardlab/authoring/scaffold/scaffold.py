"""Write a new distribution from the templates: a reward that keeps the laws, with its tests, a recipe and rows.

The templates are the files of `reward/`, each with `.tmpl` at its end and `@name@`, `@package@` and `@release@` in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shlex import quote

from rewardlab.authoring.scaffold.naming import package_name, refuse_taken
from rewardlab.version import __version__

TEMPLATES = "reward"
ENDING = ".tmpl"
COMPONENT = "terms"
WRITTEN_AS = {"package": "@package@", "gitignore": ".gitignore"}
"""what a template's folder or file is called in the distribution: a `.gitignore` here would hide files from git"""


@dataclass(frozen=True, kw_only=True)
class Scaffold:
    """A distribution as written: its `files`, relative to `folder`, and `use`, its reward as a recipe names it."""

    name: str
    folder: Path
    files: list[str]
    use: str


def write_scaffold(name: str, into: str | Path | None = None) -> Scaffold:
    """Write the distribution `rewardlab-NAME` into `into`, a folder that is empty or does not exist yet.

    into: absent: `./rewardlab-NAME`. Raises UserError where the name cannot be had or the folder holds something, and
    OSError where it cannot be written.
    """
    folder = Path(into) if into is not None else Path(f"rewardlab-{name}")
    refuse_taken(name, folder)
    texts = {_filled_in(path, name): _filled_in(source.read_text("utf-8"), name) for path, source in _templates()}
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Scaffold(name=name, folder=folder, files=sorted(texts), use=f"{name}/{COMPONENT}")


def next_steps(scaffold: Scaffold) -> list[str]:
    """Return the commands that install the distribution, run its tests and check its laws."""
    folder = quote(str(scaffold.folder))
    relative = "" if scaffold.folder.is_absolute() else "./"
    return [
        f"pip install -e {quote(f'{relative}{scaffold.folder}[test]')}",
        f"pytest {folder}",
        f"rewardlab plugins check {scaffold.name}",
    ]


def _templates() -> Iterator[tuple[str, Traversable]]:
    """Yield the path of each file in the distribution, with placeholders, and the file's template."""

    def below(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            name = entry.name.removesuffix(ENDING)
            place = path + WRITTEN_AS.get(name, name)
            if entry.is_dir():
                yield from below(entry, f"{place}/")
            elif entry.name.endswith(ENDING):
                yield place, entry

    return below(files(__package__) / TEMPLATES, "")


def _filled_in(text: str, name: str) -> str:
    minor = ".".join(__version__.split(".")[:2])
    values = {"name": name, "package": package_name(name), "release": f"{minor}.0"}
    for placeholder, value in values.items():
        text = text.replace(f"@{placeholder}@", value)
    return text
