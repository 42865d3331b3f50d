"""The parser of a command's arguments, and the words that call a command again."""

import inspect
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any

from rewardlab.command_spec import CommandSpec, Overrides, Positional
from rewardlab.commands.arguments import Argument, apart, arguments_of, validated
from rewardlab.commands.built_in import TRACEBACK
from rewardlab.errors import UserError
from rewardlab.specs import Config


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
    return validated(config, found, arguments)


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


def command_line(name: str, options: Config, *more: str) -> list[str]:
    """Return the words that call a command with these options: what is not the default, and `more` at the end."""
    arguments = arguments_of(type(options))
    ordered = sorted(arguments, key=lambda argument: bool(argument.flags))
    words = [word for argument in ordered for word in argument.words(getattr(options, argument.name))]
    return ["rewardlab", name, *words, *more]
