"""The arguments of a command, as the fields of its options declare them."""

import os
import types
import typing
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SkipValidation, ValidationError

from rewardlab.errors import Problem, UserError
from rewardlab.recipe.descriptions import descriptions_of
from rewardlab.specs import Config
from rewardlab.specs.command import Flag, Overrides, Positional, PythonOnly

Count = Annotated[int, Field(ge=1)]
"""a whole number from 1 up"""
AnyRecipe = SkipValidation[str | os.PathLike[str] | Mapping[str, Any]]
"""a recipe: a file, the name of a shipped recipe, the folder of a run, or for programs the tree itself"""
AnyRows = SkipValidation[Any]
"""rows: a file, or for programs the rows themselves"""
RolloutName = Annotated[str | None, Flag(metavar="NAME")]
"""the name of a format of rollouts"""
Say = Annotated[Callable[[str], None], PythonOnly()]
"""a function that programs pass to receive each note"""


_BOUNDS = {"ge": "low", "le": "high"}


@dataclass(frozen=True, kw_only=True)
class Argument:
    """A field of a command's options as a command line has it.

    Args:
        value_type: the type of one value.
        multiple: a list of them.
        pairs: a mapping, each entry written NAME=VALUE.
    """

    name: str
    mark: Any
    help: str
    value_type: Any
    required: bool
    default: Any
    multiple: bool = False
    pairs: bool = False
    low: float | None = None
    high: float | None = None

    @property
    def flags(self) -> list[str]:
        """The flags, long ones last; none for what has no flag."""
        if isinstance(self.mark, Positional | Overrides | PythonOnly):
            return []
        names = list(self.mark.names) if isinstance(self.mark, Flag) else []
        own = [] if any(name.startswith("--") for name in names) else ["--" + self.name.replace("_", "-")]
        return names + own

    @property
    def shown(self) -> str:
        """The name in messages."""
        return self.flags[-1] if self.flags else getattr(self.mark, "metavar", self.name)

    def add_to(self, parser: ArgumentParser) -> None:
        """Add this argument to a parser; what is not given there is None."""
        if self.value_type is bool:
            parser.add_argument(*self.flags, dest=self.name, action="store_const", const=True, help=self.help)
            return
        how: dict[str, Any] = {"type": self._type(), "help": self._help()}
        if typing.get_origin(self.value_type) is Literal:
            how["choices"] = typing.get_args(self.value_type)
        elif metavar := getattr(self.mark, "metavar", None):
            how["metavar"] = metavar
        if not self.flags:
            how["nargs"] = ("+" if self.required else "*") if self.multiple else None if self.required else "?"
            parser.add_argument(self.name, **how)
            return
        if self.multiple or self.pairs:
            how["action"] = "append"
        parser.add_argument(*self.flags, dest=self.name, required=self.required, **how)

    def _help(self) -> str:
        text = " ".join(self.help.split()).replace("%", "%%")
        plain = self.default is not None and self.default != "" and not isinstance(self.default, list | dict | tuple)
        return f"{text} ({self.default})" if plain and not self.required else text

    def _type(self) -> Callable[[str], Any]:
        if self.value_type in (int, float):
            return partial(_number, whole=self.value_type is int, low=self.low, high=self.high)
        return Path if self.value_type is Path else str

    def values(self, given: Any) -> Any:
        """Return what the parser found as the field's value."""
        return _mapping(given, self) if self.pairs else given

    def words(self, value: Any) -> list[str]:
        """Return the words of a command line that give this value; none for the default."""
        if value == self.default or isinstance(self.mark, PythonOnly):
            return []
        if self.value_type is bool:
            return self.flags[-1:]
        each = [f"{name}={item}" for name, item in value.items()] if isinstance(value, Mapping) else value
        texts = list(map(str, each if self.multiple or self.pairs else [value]))
        return [word for text in texts for word in (*self.flags[:1], text)]


def _number(text: str, whole: bool, low: float | None, high: float | None) -> float:
    try:
        number = (int if whole else float)(text)
        inside = (low is None or low <= number) and (high is None or number <= high)
    except (ValueError, OverflowError):
        inside = False
    if not inside:
        limits = "" if low is None else f" from {low:g} on" if high is None else f" from {low:g} to {high:g}"
        raise ArgumentTypeError(f"{text!r} is not a {'whole ' * whole}number{limits}")
    return number


def _mapping(texts: Sequence[str], argument: Argument) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or name in mapping:
            problem = f"is {getattr(argument.mark, 'metavar', None) or 'NAME=VALUE'}, each with a name of its own"
            raise UserError(problem, where=f"{argument.shown} {text}")
        mapping[name] = value
    return mapping


def apart(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split words without a flag into (files, overrides), each in their order; a path with = has a / before that."""
    overrides = [word for word in words if _is_override(word)]
    return [word for word in words if word not in overrides], overrides


def split_override(words: Sequence[str], surplus: bool) -> str | None:
    """Return, whole, the first override that the shell has split at spaces; None if there is none.

    It is one whose braces or brackets stay open, or if there are more files than a command takes (`surplus`), any that
    words follow which could be the rest of it.
    """
    for at, word in enumerate(words):
        rest = list(takewhile(lambda word: not _is_override(word), words[at + 1 :]))
        if rest and _is_override(word) and (surplus or _stays_open(word)):
            return " ".join([word, *rest])
    return None


def _is_override(word: str) -> bool:
    return "=" in word and "/" not in word.partition("=")[0]


def _stays_open(override: str) -> bool:
    value = override.partition("=")[2]
    return value[:1] in ("{", "[") and any(value.count(a) > value.count(b) for a, b in ("{}", "[]"))


def arguments_of(config: type[Config]) -> list[Argument]:
    """Return a command's arguments, in the order of the fields of its options."""
    texts = descriptions_of(config)
    return [_argument(name, info, texts.get(name, "")) for name, info in config.model_fields.items()]


def _argument(name: str, info: Any, text: str) -> Argument:
    metadata = list(info.metadata)
    annotation, multiple, pairs = info.annotation, False, False
    while True:
        origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            annotation, metadata = inside[0], [*metadata, *inside[1:]]
        elif origin in (typing.Union, types.UnionType):
            members = [member for member in inside if member is not type(None)]
            lists = [member for member in members if typing.get_origin(member) in (list, tuple)]
            annotation = (lists or members)[0]
        elif origin in (list, tuple):
            annotation, multiple = inside[0], True
        elif origin is dict:
            annotation, pairs = str, True
        else:
            break
    metadata = [inner for mark in metadata for inner in (getattr(mark, "metadata", None) or [mark])]
    bounds = [(mark, bound, limit) for mark in metadata for bound, limit in _BOUNDS.items()]
    limits = {limit: getattr(mark, bound) for mark, bound, limit in bounds if hasattr(mark, bound)}
    mark = next((mark for mark in metadata if isinstance(mark, Positional | Flag | Overrides | PythonOnly)), None)
    required = info.is_required()
    default = None if required else info.get_default(call_default_factory=True)
    return Argument(
        name=name,
        mark=mark,
        help=text,
        value_type=annotation,
        required=required,
        default=default,
        multiple=multiple,
        pairs=pairs,
        **limits,
    )


def validated(config: type[Config], values: Mapping[str, Any], arguments: Sequence[Argument]) -> Config:
    """Return the options; a UserError names the flag of each value that is wrong."""
    try:
        return config(**values)
    except ValidationError as error:
        shown = {argument.name: argument.shown for argument in arguments}
        problems = []
        for mistake in error.errors(include_url=False):
            place = mistake["loc"][0] if mistake["loc"] else ""
            message = mistake["msg"].removeprefix("Value error, ")
            problems.append(Problem(where=shown.get(str(place), str(place)), what=message))
        raise UserError(problems) from error
