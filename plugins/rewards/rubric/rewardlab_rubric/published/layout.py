"""The option `layout` of a reward that asks with a published prompt, and the Python file that holds it."""

import ast
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from rewardlab import Config, Sample

MAX_FILE = 1 << 24
"""bytes of a file that is read"""


class PartByField(Config):
    """The part of mR3's texts that a row is asked by, from one of its fields."""

    field: Annotated[str, Field(min_length=1)]
    """the field of the row"""
    names: dict[str, str] = Field(default_factory=dict)
    """its value -> the part's name, if they differ"""
    other: str | None = None
    """the part of every value that no part is called by; null: such a row is an error"""


class PublishedLayout(Config):
    """A published prompt, in a copy of its repository."""

    file: Annotated[str, Field(min_length=1)]
    """the Python file with the prompts: src/dataset_gen/rubrics_gen/prompts.py of R3, src/evaluation/dataset_gen.py of
    mR3"""
    name: Annotated[str, Field(min_length=1)] | None = None
    """the function (R3) or class (mR3) in it; null: R3's for the reward, such as evaluate_pairwise"""
    texts: Annotated[str, Field(min_length=1)] | None = None
    """mR3: the file with the prompt's texts, rubrics and schema, such as
    data/mr3_rubrics/strict_pair_translated_templates.json; its neighbours hold the other texts"""
    part: Annotated[str, Field(min_length=1)] | PartByField | None = None
    """mR3: the task in `texts` that rows are asked by, such as general; {field: NAME} if each row says it"""

    @property
    def of_mr3(self) -> bool:
        """Whether it is a prompt of mR3, whose rubrics stand beside it."""
        return self.texts is not None

    def part_of(self, sample: Sample, parts: Collection[str]) -> str | None:
        """Return the part that a row is asked by. Raises ValueError if the texts have no part of that name."""
        if not isinstance(self.part, PartByField):
            return self._checked(self.part, parts)
        value = sample.fields.get(self.part.field)
        wanted = self.part.names.get(str(value), value)
        if wanted not in parts and self.part.other is None:
            raise ValueError(f"{self.texts} has no part for {self.part.field} {value!r}: name it in `part.names`")
        return self._checked(wanted if wanted in parts else self.part.other, parts)

    def parts(self, parts: Collection[str]) -> list[str | None]:
        """Return the parts that rows can be asked by; raises ValueError for an unknown name."""
        if not isinstance(self.part, PartByField):
            return [self._checked(self.part, parts)]
        for name in (*self.part.names.values(), *([] if self.part.other is None else [self.part.other])):
            self._checked(name, parts)
        return [*parts]

    def _checked(self, part: Any, parts: Collection[str]) -> str | None:
        if bool(parts) if part is None else part not in parts:
            raise ValueError(f"{self.texts} has the parts {', '.join(parts) or 'of one task'}; `part` is {part!r}")
        return None if part is None else str(part)


def parsed(file: str) -> tuple[ast.Module, Path]:
    """Return the syntax tree of a Python file, which is not run, and its path.

    Raises ValueError that says what is wrong.
    """
    text, path = _text_of(file)
    try:
        return ast.parse(text), path
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{file} is not a Python file: {type(error).__name__}") from None


def loaded(file: str | Path) -> Any:
    """Return the content of a JSON file. Raises ValueError that says what is wrong."""
    text, _ = _text_of(str(file))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{file} is not a JSON file; is it complete?") from None


def _text_of(file: str) -> tuple[str, Path]:
    path = Path(os.path.expanduser(file))
    try:
        if path.stat().st_size > MAX_FILE:
            raise ValueError(f"{file} is larger than a file of prompts")
        return path.read_text(encoding="utf-8"), path
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read {file}, of the copy of a published repository: {error}") from None
