"""The function by which a program calls a command: `rewardlab.NAME(...)`."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from rewardlab.commands.arguments import Argument, apart, arguments_of, validated
from rewardlab.errors import nearest
from rewardlab.specs.command import CommandResult, InstalledCommand, Overrides, Positional


def function_of(command: InstalledCommand) -> Callable[..., Any]:
    """Return the function that a program calls: its arguments are the words and flags of the command line.

    Words without a flag, and options that must be given, may be given by position; texts KEY=VALUE among them are
    overrides. All others are given by name.
    """

    def call(*words: Any, **options: Any) -> CommandResult | int:
        config = command.options
        arguments = arguments_of(config)
        if unknown := [name for name in options if name not in config.model_fields]:
            raise TypeError(
                f"{command.name}() has no argument {unknown[0]!r}{nearest(unknown[0], config.model_fields)}"
            )
        return command.run(validated(config, dict(_by_position(command.name, arguments, words)) | options, arguments))

    call.__name__ = call.__qualname__ = command.name
    call.__doc__ = _docstring(command)
    call.__signature__ = _signature(arguments_of(command.options))  # type: ignore[attr-defined]
    return call


def _by_position(name: str, arguments: Sequence[Argument], words: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    overrides = next((argument.name for argument in arguments if isinstance(argument.mark, Overrides)), None)
    given = [word for word in words if overrides and isinstance(word, str) and apart([word])[1]]
    if overrides and given:
        yield overrides, given
    others = [word for word in words if not any(word is word_given for word_given in given)]
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
    parameters = []
    for argument in by_position:
        default = kinds.empty if argument.required else argument.default
        parameters.append(inspect.Parameter(argument.name, kinds.POSITIONAL_OR_KEYWORD, default=default))
    # a parameter without a default behind one that has one: by name it can be given all the same
    if any(first.default is not kinds.empty and two.default is kinds.empty for first, two in pairwise(parameters)):
        parameters = [parameter.replace(kind=kinds.KEYWORD_ONLY) for parameter in parameters]
    rest = [argument for argument in arguments if not _has_place(argument)]
    words = [inspect.Parameter(a.name, kinds.VAR_POSITIONAL) for a in rest if isinstance(a.mark, Overrides)]
    named = [
        inspect.Parameter(a.name, kinds.KEYWORD_ONLY, default=a.default)
        for a in rest
        if not isinstance(a.mark, Overrides)
    ]
    first = [parameter for parameter in parameters if parameter.kind is kinds.POSITIONAL_OR_KEYWORD]
    return inspect.Signature(
        [*first, *words, *(parameter for parameter in parameters if parameter not in first), *named]
    )


def _docstring(command: InstalledCommand) -> str:
    lines = [f"{argument.name}: {' '.join(argument.help.split())}" for argument in arguments_of(command.options)]
    return "\n".join([inspect.cleandoc(command.options.__doc__ or command.summary), "", *lines])
