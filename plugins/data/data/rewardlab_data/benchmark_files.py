"""Files that describe published benchmarks, whatever is done with these: those of a package by name, and the user's.

Other plugins read descriptions of their own kind by this module alone, and the rows on the hub that these name.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BeforeValidator, Field
from rewardlab import Config
from rewardlab.data import columns_of
from rewardlab.errors import UserError, nearest
from rewardlab.recipe import Place, RecipePath, compose, validate

from rewardlab_data.hub import HubRows
from rewardlab_data.options import HubOptions

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""of choices, in their order"""
Format = TypeVar("Format", bound=Config)


def _text_of_number(value: Any) -> Any:
    return value if isinstance(value, bool) or not isinstance(value, int | float) else str(value)


Name = Annotated[str, BeforeValidator(_text_of_number), Field(min_length=1)]
"""a name or a template; a bare number is the text of it"""


class ColumnTemplate(Template):
    """A text with the columns of a row as $name or ${any name}, in letters of any script."""

    idpattern = r"[^\W\d]\w*"
    braceidpattern = r"[^{}]+"
    flags = re.UNICODE


class HubSource(Config):
    """The place of a benchmark on the Hugging Face hub."""

    path: Name
    """its name there"""
    name: Name | None = None
    """its configuration, if that is not a language or a task"""
    split: Name = "test"
    """the split that is evaluated"""
    revision: Name | None = None
    """a commit, tag or branch"""

    def rows(
        self, name: str | None, split: str | None = None, revision: str | None = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (place, row) for each row of a configuration, with its columns as they are there."""
        split, revision = split or self.split, revision or self.revision
        options = HubOptions(path=self.path, name=name, split=split, revision=revision)
        for number, sample in enumerate(HubRows(options), 1):
            yield " ".join(filter(None, (self.path, name, f"row {number}"))), columns_of(sample)


class BenchmarkFiles(Generic[Format]):
    """The descriptions of one kind of benchmark: the YAML files of a package's folder, and those that users write."""

    def __init__(self, model: type[Format], package: str, folder: str, kind: str = "benchmark") -> None:
        """Read no file yet.

        Args:
            model: what a description holds.
            kind: what one is called in messages.
        """
        self._model, self._kind = model, kind
        self._package, self._folder = package, folder
        self._read: dict[str, Format] = {}

    @cached_property
    def packaged(self) -> Mapping[str, Any]:
        """The files of the package, by the names of their benchmarks."""
        entries = (files(self._package) / self._folder).iterdir()
        yamls = {path.name.removesuffix(".yaml"): path for path in entries if path.name.endswith(".yaml")}
        return dict(sorted(yamls.items()))

    def load(self, name: str) -> Format:
        """Return a packaged benchmark by its name, or the one of a file. Raises UserError with each fault's line."""
        if name in self.packaged:
            if name not in self._read:
                self._read[name] = self._parse(self.packaged[name].read_text(encoding="utf-8"), f"{name}.yaml")
            return self._read[name]
        if not name.endswith((".yaml", ".yml")):
            near = nearest(name, self.packaged)
            raise UserError(f"no {self._kind} {name!r}{near}; one of your own is a file, NAME.yaml")
        try:
            return self._parse(Path(name).expanduser().read_text(encoding="utf-8"), name)
        except OSError as error:
            raise UserError(f"cannot be read: {error.strerror}", where=name) from None
        except UnicodeDecodeError:
            raise UserError("is not text in UTF-8", where=name) from None

    def _parse(self, text: str, file: str) -> Format:
        tree, root = compose(text, lambda line, path: f"{file}:{line}")
        if not isinstance(tree, dict):
            needed = ", ".join(name for name, field in self._model.model_fields.items() if field.is_required())
            raise UserError(f"is not a {self._kind}: its keys are {needed} ...", where=file)
        parsed: Format
        parsed, problems = validate(self._model, tree, lambda path: f"{file}:{_line(root, path)}{_keys(path)}")
        if problems:
            raise UserError(problems)
        return parsed


def label_of(answer: str, first: int) -> str:
    """Return the label of a choice by its number; "" if it has none. first: the number of the first choice, 0 or 1."""
    index = int(answer) - first if answer.isdecimal() else -1
    return LABELS[index] if 0 <= index < len(LABELS) else ""


def _line(place: Place, path: RecipePath) -> int:
    for key in path:
        try:
            place = place.children[key]
        except (KeyError, IndexError, TypeError):
            break
    return place.line


def _keys(path: RecipePath) -> str:
    return f": {'.'.join(map(str, path))}" if path else ""
