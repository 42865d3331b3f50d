"""The parser of a command's arguments, and the words that call a command again."""

import inspect
import re
import shlex
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from rewardlab.commands.arguments import Argument, apart, arguments_of, split_override, validated
from rewardlab.errors import TRACEBACK, UserError
from rewardlab.specs import Config
from rewardlab.specs.command import InstalledCommand, Overrides, Positional

WORDS = "words"
"""the argument that takes words of several kinds, files and overrides, in any order"""


class _HelpFormatter(RawDescriptionHelpFormatter):
    def _format_args(self, action: Action, default_metavar: str) -> str:
        """Return how an argument is written; words, whose metavar says that they are several, are not repeated."""
        return str(action.metavar) if action.dest == WORDS else super()._format_args(action, default_metavar)


class _CommandParser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Print the usage, what is wrong and what may be meant, and exit."""
        if unknown := re.match("unrecognized arguments: --([^ =]+)", message):
            if close := get_close_matches(f"--{unknown[1]}", self._option_string_actions, n=1, cutoff=0.75):
                message += f"; did you mean {close[0]!r}?"
            elif any("KEY=VALUE" in str(action.metavar) for action in self._actions):
                message += f"; keys of a recipe have no dashes: {unknown[1]}=VALUE"
        super().error(message)


def parser_of(command: InstalledCommand) -> ArgumentParser:
    """Return the parser of a command."""
    description = inspect.cleandoc(command.options.__doc__ or command.summary)
    parser = _CommandParser(f"rewardlab {command.name}", description=description, formatter_class=_HelpFormatter)
    add_arguments(parser, command.options)
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
            WORDS, nargs="+" if needed else "*", metavar=" ".join(words), help=" ".join("; ".join(texts).split())
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


def options_of(command: InstalledCommand, given: Namespace) -> Config:
    """Return the options that a command line gives; a UserError that names the flag says what is wrong with it."""
    config = command.options
    arguments = arguments_of(config)
    values = {a.name: a.values(value) for a in arguments if (value := getattr(given, a.name, None)) not in (None, [])}
    if _with_overrides(arguments):
        values |= _of_words(getattr(given, WORDS), arguments)
    if "as_json" in config.model_fields:
        values["as_json"] = given.json
    return validated(config, values, arguments)


def _of_words(words: Sequence[str], arguments: Sequence[Argument]) -> dict[str, Any]:
    """Return what the words without a flag give: overrides, and the others in the order of the fields."""
    files, overrides = apart(words)
    places = [argument for argument in arguments if isinstance(argument.mark, Positional)]
    if whole := split_override(words, surplus=len(files) > len(places)):
        raise UserError(f"the shell has split an override at a space; put it in quotes: {shlex.quote(whole)}")
    least = sum(argument.required for argument in places)
    wanted = " and ".join(_usage(argument) for argument in places)
    if len(files) > len(places):
        raise UserError(f"it takes {wanted} and no more, found {', '.join(files)}; an override is written KEY=VALUE")
    if len(files) < least:
        are = "are needed, in this order" if len(places) > 1 else "is needed"
        raise UserError(f"{wanted} {are}; found {', '.join(files) or 'none'}")
    [where] = [argument.name for argument in arguments if isinstance(argument.mark, Overrides)]
    file_of = {argument.name: file for argument, file in zip(places, files, strict=False)}
    return file_of | ({where: overrides} if overrides else {})


def command_line(name: str, options: Config, *more: str) -> list[str]:
    """Return the words that call a command with these options: what is not the default, and `more` at the end."""
    arguments = arguments_of(type(options))
    ordered = sorted(arguments, key=lambda argument: bool(argument.flags))
    words = [word for argument in ordered for word in argument.words(getattr(options, argument.name))]
    return ["rewardlab", name, *words, *more]
