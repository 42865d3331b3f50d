"""OpenRLHF as it is installed: the argument parsers of its own programs.

The parsers are made in `if __name__ == "__main__"` of modules that import torch, Ray and vLLM. Only those statements
are executed here, so that arguments can be checked in milliseconds and on a machine without a GPU.
"""

import argparse
import ast
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from rewardlab.errors import JobError, one_line

WHEEL = "0.11.2"
"""the version that `compile` writes arguments for"""


def engine_parser(module: str) -> ArgumentParser:
    """Return the parser of a program such as "openrlhf.cli.train_ppo_ray", which takes exact names only.

    The parser raises JobError in place of ending the process; so does this function if it finds no parser.
    """
    names: dict[str, Any] = {"argparse": argparse, "datetime": datetime}
    try:
        source = _source(module)
        tree = ast.parse(source.read_text(encoding="utf-8"))
        statements = ast.Module(body=list(_until_parsed(tree)), type_ignores=[])
        exec(compile(statements, str(source), "exec"), names)
        parser = names["parser"]
    except JobError:
        raise
    except Exception as error:  # another version may do anything there
        raise JobError(f"{module}: its parser cannot be found, is it OpenRLHF {WHEEL}? {one_line(error)}") from error

    def refuse(message: str) -> NoReturn:
        raise JobError(f"{module}: {message}")

    parser.error = refuse
    parser.allow_abbrev = False
    return parser


def check_arguments(module: str, arguments: Sequence[str]) -> Namespace:
    """Return the arguments as the program parses them; a JobError names one that it does not know or cannot read."""
    parser = engine_parser(module)
    if "-h" in arguments or "--help" in arguments:
        parser.error("unrecognized arguments: --help")
    return parser.parse_args(list(arguments))


def _source(module: str) -> Path:
    spec = find_spec("openrlhf")  # a top-level package is found without importing it
    if spec is None or not spec.submodule_search_locations:
        raise JobError(f"OpenRLHF is not installed here; pip install openrlhf=={WHEEL}")
    return Path(spec.submodule_search_locations[0]).joinpath(*module.split(".")[1:]).with_suffix(".py")


def _until_parsed(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of the main block up to the one that parses."""
    for block in tree.body:
        if isinstance(block, ast.If) and "__main__" in ast.unparse(block.test):
            for statement in block.body:
                if "parse_args" in ast.unparse(statement):
                    return
                yield statement
