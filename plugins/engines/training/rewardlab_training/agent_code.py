"""The code that a stage's `agent` names: functions that a policy may call, and environments whose methods it may call.

Both are written as TRL takes them: plain functions with type hints, and a docstring that has what each argument is
under `Args:`. An environment is a class: `reset(**row)` begins an episode with a row's columns and returns what the
policy is told at its start, a text, or None; its other public methods are the tools.
"""

import hashlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

from rewardlab.errors import PLUGIN_FAULTS, UserError, nearest, one_line_at
from rewardlab.files import expanded

Tool = Callable[..., Any]
START, OWN_REWARD = "reset", "get_reward"
"""methods of an environment that are no tools: it begins an episode; TRL's own reward, which a recipe has instead"""
STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
NO_REWARD = f"{OWN_REWARD} would be a second reward; let a tool's result say what the recipe's reward reads"


def load_code(place: str) -> Any:
    """Return what FILE.py:NAME or package.module:NAME names, a path from the working directory.

    Raises UserError with the part of the place that is wrong.
    """
    file, _, name = place.rpartition(":")
    if not file or not name.isidentifier():
        raise UserError(f"{place!r}: write FILE.py:NAME or package.module:NAME")
    try:
        module = _of_file(expanded(file)) if file.endswith(".py") else import_module(file)
    except PLUGIN_FAULTS as error:
        raise UserError(f"{place!r}: {file} cannot be imported: {one_line_at(error)}") from error
    if not hasattr(module, name):
        own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise UserError(f"{place!r}: {file} has no {name}{nearest(name, own)}")
    return getattr(module, name)


def _of_file(path: Path) -> ModuleType:
    """Import a file once, by a name that is the same in every process: pickled objects are found by it."""
    path = path.absolute()
    name = f"rewardlab_agent_{path.stem}_{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"
    if name not in sys.modules:
        loader = SourceFileLoader(name, str(path))
        spec = spec_from_loader(name, loader)
        assert spec is not None
        module = sys.modules[name] = module_from_spec(spec)
        try:
            loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def environment_tools(environment: type) -> dict[str, Tool]:
    """Return the methods of an environment that the policy may call, by their names."""
    methods = inspect.getmembers(environment, predicate=inspect.isfunction)
    return {name: method for name, method in methods if not name.startswith("_") and name not in (START, OWN_REWARD)}


def environment_problems(environment: Any) -> Iterator[str]:
    """Yield what is wrong with an environment, and with its tools."""
    if not isinstance(environment, type):
        yield f"must be a class, whose instances play one episode each; it is {type(environment).__name__}"
        return
    reset = getattr(environment, START, None)
    if not callable(reset):
        yield "has no method reset(self, **row), which begins an episode"
    elif STARRED[1] not in {argument.kind for argument in _arguments(reset, 0)}:
        yield "reset must take all columns of a row: reset(self, **row)"
    if hasattr(environment, OWN_REWARD):
        yield NO_REWARD
    needed = [
        argument.name
        for argument in _arguments(environment, 0)
        if argument.default is argument.empty and argument.kind not in STARRED
    ]
    if needed:
        yield f"is made without arguments, and needs {', '.join(needed)}"
    tools = environment_tools(environment)
    if not tools:
        yield "has no tool: its public methods are what the policy may call"
    for name, tool in tools.items():
        is_static = isinstance(inspect.getattr_static(environment, name), staticmethod)
        yield from (f"{name} {tool_problem}" for tool_problem in tool_problems(tool, skipped=not is_static))


def tool_problems(tool: Any, skipped: int = 0) -> Iterator[str]:
    """Yield what a policy could not be told of a tool; `skipped` arguments come first which it does not give."""
    if not inspect.isroutine(tool):
        yield f"must be a function; it is {type(tool).__name__}"
        return
    if inspect.iscoroutinefunction(tool):
        yield "is async, and is called as a plain function; write one"
    docstring = inspect.getdoc(tool) or ""
    if not docstring:
        yield "has no docstring, which tells the policy what it does"
    described = _described(docstring)
    for argument in _arguments(tool, skipped):
        if argument.kind in STARRED:
            yield f"takes {argument}; a policy is told single arguments, with names"
        elif argument.kind is argument.POSITIONAL_ONLY:
            yield f"takes {argument.name} by its place; a policy gives names"
        elif argument.annotation is argument.empty:
            yield f"says no type of {argument.name}; write one, such as {argument.name}: str"
        elif docstring and argument.name not in described:
            yield (
                f"does not say what {argument.name} is; its docstring needs `Args:` and below it `{argument.name}: ...`"
            )


def _arguments(function: Any, skipped: int) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())[skipped:]
    except (TypeError, ValueError):  # of a class or function from C
        return []


def _described(docstring: str) -> Mapping[str, str]:
    """Return the arguments that stand under `Args:`, up to the next heading, with what they are."""
    _, _, rest = docstring.partition("\nArgs:\n")
    rest = re.split(r"^\S", rest, maxsplit=1, flags=re.MULTILINE)[0]
    return dict(re.findall(r"^[ \t]+(\w+)[ \t]*(?:\([^()\n]*\))?:[ \t]*(\S.*)$", rest, flags=re.MULTILINE))
