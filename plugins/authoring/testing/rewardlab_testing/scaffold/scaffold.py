"""Write a new distribution from the templates: a component that keeps the laws of its kind, with tests for them.

The templates are the files of `full/KIND/` and of `full/every/`, or those of `minimal/`, each with `.tmpl` at its end
and placeholders such as `@name@` in it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shlex import quote

import rewardlab
from rewardlab.errors import UserError, nearest

from rewardlab_testing.scaffold.kinds import FULL, KINDS, MINIMAL, Template
from rewardlab_testing.scaffold.naming import package_name, refuse_taken

OF_EVERY_KIND = "every"
ENDING = ".tmpl"
WRITTEN_AS = {"package": "@package@", "gitignore": ".gitignore", "github": ".github"}
"""what a template's folder or file is called in the distribution: a `.gitignore` here would hide files from git"""


@dataclass(frozen=True, kw_only=True)
class Scaffold:
    """A distribution as written: its `files`, relative to `folder`, and `use`, its component as a recipe names it."""

    name: str
    folder: Path
    files: list[str]
    kind: str
    use: str


def write_scaffold(
    name: str, into: str | Path | None = None, *, kind: str = "reward", minimal: bool = False
) -> Scaffold:
    """Write the distribution `rewardlab-NAME` into `into`, a folder that is empty or does not exist yet.

    Args:
        into: absent: `./rewardlab-NAME`.
        kind: what it offers, of KINDS.
        minimal: the smallest distribution that installs, keeps the laws and has a test.

    Raises UserError if there is no such kind, the name cannot be had or the folder holds something, and OSError if it
    cannot be written.
    """
    if kind not in KINDS:
        raise UserError(f"no kind {kind!r} of component{nearest(kind, KINDS)}")
    folder = Path(into) if into is not None else Path(f"rewardlab-{name}")
    refuse_taken(name, folder)
    example = (MINIMAL if minimal else FULL)[kind]
    values = _values(name, kind, example)
    texts = {
        _filled_in(path, values): _filled_in(source.read_text("utf-8"), values)
        for of_kind in (OF_EVERY_KIND, kind)
        for path, source in _templates("minimal" if minimal else "full", of_kind)
    }
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    use = name if example.component is None else f"{name}/{example.component}"
    return Scaffold(name=name, folder=folder, files=sorted(texts), kind=kind, use=use)


def next_steps(scaffold: Scaffold) -> list[str]:
    """Return the commands that install the distribution, run its tests and check its laws (a backend's are tests)."""
    folder = quote(str(scaffold.folder))
    relative = "" if scaffold.folder.is_absolute() else "./"
    check = [] if scaffold.kind == "backend" else [f"rewardlab plugins check {scaffold.name}"]
    return [f"pip install -e {quote(f'{relative}{scaffold.folder}[test]')}", f"pytest {folder}", *check]


def _templates(size: str, kind: str) -> Iterator[tuple[str, Traversable]]:
    """Yield the path of each file in the distribution, with placeholders, and the file's template."""

    def below(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            name = entry.name.removesuffix(ENDING)
            place = path + WRITTEN_AS.get(name, name)
            if entry.is_dir():
                yield from below(entry, f"{place}/")
            elif entry.name.endswith(ENDING):
                yield place, entry

    return below(files(__package__) / size / kind, "")


def _values(name: str, kind: str, example: Template) -> dict[str, str]:
    """Return what stands for each placeholder."""
    release = ".".join([*rewardlab.__version__.split(".")[:2], "0"])
    needed = [f"rewardlab-testing[laws]~={release}", *(f"{other}~={release}" for other in example.test)]
    return {
        "name": name,
        "kind": kind,
        "package": package_name(name),
        "release": release,
        "summary": example.summary,
        "test": ", ".join(f'"{requirement}"' for requirement in needed),
    }


def _filled_in(text: str, values: Mapping[str, str]) -> str:
    for placeholder, value in values.items():
        text = text.replace(f"@{placeholder}@", value)
    return text
