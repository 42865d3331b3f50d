"""The parser, the function for programs and the words of a command line, each as a command's spec makes it."""

import inspect
import types
import typing
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from rewardlab.command_spec import CommandResult, CommandSpec, Flag, Overrides, Positional, PythonOnly
from rewardlab.commands import TRACEBACK
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.recipe.command_line import apart
from rewardlab.specs import Config

_BOUNDS = {"ge": "low", "le": "high"}


@dataclass(frozen=True, kw_only=True)
class Argument:
    """A field of a command's options as a command line has it.

    one: the type of one value. multiple: a list of them; pairs: a mapping, each entry written NAME=VALUE.
    """

    name: str
    mark: Any
    help: str
    one: Any
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
        if self.one is bool:
            parser.add_argument(*self.flags, dest=self.name, action="store_const", const=True, help=self.help)
            return
        how: dict[str, Any] = {"type": self._type(), "help": self._help()}
        if typing.get_origin(self.one) is Literal:
            how["choices"] = typing.get_args(self.one)
        elif metavar := getattr(self.mark, "metavar", None):
            how["metavar"] = metavar
        if not self.flags:
            how["nargs"] = ("+" if self.required else "*") if self.multiple else None if self.required else "?"
            parser.add_argument(self.name, **how)
            return
        if self.multiple or self.pairs:
            how["action"] = "append"
        parser.add_argument(*self.flags, dest=self.name, required=self.required, **how)
        if former := [name for name in getattr(self.mark, "former", ()) if name.startswith("--")]:
            parser.add_argument(*former, dest=self.name, **{**how, "help": SUPPRESS})

    def _help(self) -> str:
        text = " ".join(self.help.split()).replace("%", "%%")
        plain = self.default is not None and self.default != "" and not isinstance(self.default, list | dict | tuple)
        return f"{text} ({self.default})" if plain and not self.required else text

    def _type(self) -> Callable[[str], Any]:
        if self.one in (int, float):
            return partial(_number, whole=self.one is int, low=self.low, high=self.high)
        return Path if self.one is Path else str

    def values(self, given: Any) -> Any:
        """Return what the parser found as the field's value."""
        return _mapping(given, self) if self.pairs else given

    def words(self, value: Any) -> list[str]:
        """Return the words of a command line that give this value; none for the default."""
        if value == self.default or isinstance(self.mark, PythonOnly):
            return []
        if self.one is bool:
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
        raise ArgumentTypeError(f"{text!r} is no {'whole ' * whole}number{limits}")
    return number


def _mapping(texts: Sequence[str], argument: Argument) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or name in found:
            what = f"is {getattr(argument.mark, 'metavar', None) or 'NAME=VALUE'}, each with a name of its own"
            raise UserError(what, where=f"{argument.shown} {text}")
        found[name] = value
    return found


def arguments_of(config: type[Config]) -> list[Argument]:
    """Return a command's arguments, in the order of the fields of its options."""
    return [_argument(name, info) for name, info in config.model_fields.items()]


def _argument(name: str, info: Any) -> Argument:
    metadata = list(info.metadata)
    one, multiple, pairs = info.annotation, False, False
    while True:
        origin, inside = typing.get_origin(one), typing.get_args(one)
        if origin is typing.Annotated:
            one, metadata = inside[0], [*metadata, *inside[1:]]
        elif origin in (typing.Union, types.UnionType):
            members = [member for member in inside if member is not type(None)]
            lists = [member for member in members if typing.get_origin(member) in (list, tuple)]
            one = (lists or members)[0]
        elif origin in (list, tuple):
            one, multiple = inside[0], True
        elif origin is dict:
            one, pairs = str, True
        else:
            break
    metadata = [inner for mark in metadata for inner in (getattr(mark, "metadata", None) or [mark])]
    bounds = [(mark, theirs, ours) for mark in metadata for theirs, ours in _BOUNDS.items()]
    limits = {ours: getattr(mark, theirs) for mark, theirs, ours in bounds if hasattr(mark, theirs)}
    mark = next((mark for mark in metadata if isinstance(mark, Positional | Flag | Overrides | PythonOnly)), None)
    required = info.is_required()
    default = None if required else info.get_default(call_default_factory=True)
    return Argument(
        name=name,
        mark=mark,
        help=info.description or "",
        one=one,
        required=required,
        default=default,
        multiple=multiple,
        pairs=pairs,
        **limits,
    )


# --- The command line


def parser_of(spec: CommandSpec) -> ArgumentParser:
    """Return the parser of a command."""
    config = spec.options_class()
    parser = ArgumentParser(
        f"rewardlab {spec.name}",
        description=inspect.cleandoc(config.__doc__ or spec.summary),
        formatter_class=RawDescriptionHelpFormatter,
    )
    add_arguments(parser, config)
    return parser


def add_arguments(parser: ArgumentParser, config: type[Config]) -> None:
    """Add a command's arguments to a parser."""
    arguments = arguments_of(config)
    if _with_overrides(arguments):
        first, *rest = [argument for argument in arguments if isinstance(argument.mark, Positional)]
        changes = [argument for argument in arguments if isinstance(argument.mark, Overrides)]
        words = [_usage(argument) for argument in (first, *changes, *rest)]
        texts = [argument.help for argument in arguments if isinstance(argument.mark, Positional)]
        needed = any(argument.required for argument in arguments if isinstance(argument.mark, Positional))
        parser.add_argument(
            "words", nargs="+" if needed else "*", metavar=" ".join(words), help=" ".join("; ".join(texts).split())
        )
    for argument in arguments:
        if argument.flags or (isinstance(argument.mark, Positional) and not _with_overrides(arguments)):
            argument.add_to(parser)
    parser.add_argument("--json", dest="json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--traceback", action="store_true", help=f"show where errors were raised; so does {TRACEBACK}=1"
    )


def _with_overrides(arguments: Sequence[Argument]) -> bool:
    return any(isinstance(argument.mark, Overrides) for argument in arguments)


def _usage(argument: Argument) -> str:
    if isinstance(argument.mark, Overrides):
        return "[KEY=VALUE ...]"
    return argument.mark.metavar if argument.required else f"[{argument.mark.metavar}]"


def options_of(spec: CommandSpec, given: Namespace) -> Config:
    """Return the options that a command line gives; a UserError that names the flag says what is wrong with it."""
    config = spec.options_class()
    arguments = arguments_of(config)
    found = {a.name: a.values(value) for a in arguments if (value := getattr(given, a.name, None)) not in (None, [])}
    if _with_overrides(arguments):
        found |= _of_words(given.words, arguments)
    if "as_json" in config.model_fields:
        found["as_json"] = given.json
    return _validated(config, found, arguments)


def _of_words(words: Sequence[str], arguments: Sequence[Argument]) -> dict[str, Any]:
    """Return what the words without a flag give: overrides, and the others in the order of the fields."""
    files, overrides = apart(words)
    places = [argument for argument in arguments if isinstance(argument.mark, Positional)]
    least = sum(argument.required for argument in places)
    if not least <= len(files) <= len(places):
        wanted = " and ".join(_usage(argument) for argument in places)
        are = "are needed, in this order" if len(places) > 1 else "is needed"
        raise UserError(f"{wanted} {are}; found {', '.join(files) or 'none'}")
    [where] = [argument.name for argument in arguments if isinstance(argument.mark, Overrides)]
    found = {argument.name: file for argument, file in zip(places, files, strict=False)}
    return found | ({where: overrides} if overrides else {})


def _validated(config: type[Config], values: Mapping[str, Any], arguments: Sequence[Argument]) -> Config:
    try:
        return config(**values)
    except ValidationError as error:
        shown = {argument.name: argument.shown for argument in arguments}
        problems = []
        for found in error.errors(include_url=False):
            place = found["loc"][0] if found["loc"] else ""
            what = found["msg"].removeprefix("Value error, ")
            problems.append(Problem(where=shown.get(str(place), str(place)), what=what))
        raise UserError(problems) from error


def command_line(spec: CommandSpec, options: Config, *more: str) -> list[str]:
    """Return the words that call a command with these options: what is not the default, and `more` at the end."""
    arguments = arguments_of(type(options))
    ordered = sorted(arguments, key=lambda argument: bool(argument.flags))
    words = [word for argument in ordered for word in argument.words(getattr(options, argument.name))]
    return ["rewardlab", spec.name, *words, *more]


# --- Programs


def function_of(spec: CommandSpec) -> Callable[..., Any]:
    """Return the function that a program calls: what the command line has in words and flags, it has in arguments.

    Words without a flag, and options that must be given, may be given by position; texts KEY=VALUE among them are
    overrides. All others are given by name.
    """

    def call(*words: Any, **options: Any) -> CommandResult | int:
        config = spec.options_class()
        arguments = arguments_of(config)
        options = {_present_name(name, arguments): value for name, value in options.items()}
        if unknown := [name for name in options if name not in config.model_fields]:
            raise TypeError(f"{spec.name}() has no argument {unknown[0]!r}{nearest(unknown[0], config.model_fields)}")
        return spec.call(_validated(config, dict(_by_position(spec.name, arguments, words)) | options, arguments))

    config = spec.options_class()
    call.__name__ = call.__qualname__ = spec.name
    call.__doc__ = _docstring(spec, config)
    call.__signature__ = _signature(arguments_of(config))  # type: ignore[attr-defined]
    return call


def _present_name(name: str, arguments: Sequence[Argument]) -> str:
    return next((one.name for one in arguments if name in getattr(one.mark, "former", ())), name)


def _by_position(name: str, arguments: Sequence[Argument], words: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    overrides = next((argument.name for argument in arguments if isinstance(argument.mark, Overrides)), None)
    given = [word for word in words if overrides and isinstance(word, str) and apart([word])[1]]
    if overrides and given:
        yield overrides, given
    others = [word for word in words if not any(word is one for one in given)]
    places = [argument for argument in arguments if _has_place(argument)]
    if len(others) > len(places):
        raise TypeError(f"{name}() takes {len(places)} arguments by position, and {len(others)} were given")
    for argument, word in zip(places, others, strict=False):
        yield argument.name, word


def _has_place(argument: Argument) -> bool:
    return isinstance(argument.mark, Positional) or argument.required


def _signature(arguments: Sequence[Argument]) -> inspect.Signature:
    kinds = inspect.Parameter
    by_position = [argument for argument in arguments if _has_place(argument)]
    found = []
    for argument in by_position:
        default = kinds.empty if argument.required else argument.default
        found.append(inspect.Parameter(argument.name, kinds.POSITIONAL_OR_KEYWORD, default=default))
    # a parameter without a default behind one that has one: by name it can be given all the same
    if any(one.default is not kinds.empty and two.default is kinds.empty for one, two in pairwise(found)):
        found = [one.replace(kind=kinds.KEYWORD_ONLY) for one in found]
    rest = [argument for argument in arguments if not _has_place(argument)]
    words = [inspect.Parameter(a.name, kinds.VAR_POSITIONAL) for a in rest if isinstance(a.mark, Overrides)]
    named = [
        inspect.Parameter(a.name, kinds.KEYWORD_ONLY, default=a.default)
        for a in rest
        if not isinstance(a.mark, Overrides)
    ]
    first = [one for one in found if one.kind is kinds.POSITIONAL_OR_KEYWORD]
    return inspect.Signature([*first, *words, *(one for one in found if one not in first), *named])


def _docstring(spec: CommandSpec, config: type[Config]) -> str:
    lines = [f"{argument.name}: {' '.join(argument.help.split())}" for argument in arguments_of(config)]
    return "\n".join([inspect.cleandoc(config.__doc__ or spec.summary), "", *lines])
