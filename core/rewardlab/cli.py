"""The command line `rewardlab COMMAND ...`: finds the command, prints readable errors, sets the exit code.

Nothing but the standard library is imported before a command is known, so that `--help` is instant.
"""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from rewardlab.version import __version__

if TYPE_CHECKING:
    from rewardlab.errors import RewardlabError

COMMANDS = {
    "run": "train by a recipe",
    "new": "write a recipe for your rows and your model, or a copy of ours",
    "check": "find every mistake in a recipe, without loading a model",
    "eval": "evaluate a model, or one that a server answers for, by a recipe",
    "score": "reward existing completions",
    "causes": "tell which components moved the reward",
    "compare": "show what two rewards would teach differently",
    "tables": "write tables of evaluated models, with intervals",
    "winrates": "let a judge compare models, answer by answer",
    "convert": "make rows of what lm-evaluation-harness or inspect_ai logged",
    "probe": "show that degenerate completions do not win",
    "judge": "measure judges against gold",
    "report": "write one page about a run",
    "ledger": "write every completion of a run as a table",
    "plugins": "list what is installed",
    "env": "build, list and remove plugins' own environments",
    "schema": "write JSON schemas, for editors",
}
MISTAKE, FAILED = 2, 1
TRACEBACK = "REWARDLAB_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 success, 1 the job failed, 2 the user's mistake."""
    if os.name != "posix":
        return _complain("rewardlab runs on Linux and macOS; on Windows, use it in WSL (wsl --install)", MISTAKE)
    _open_closed_streams()
    try:
        code = _dispatch(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:  # before a command had begun
        return _complain("stopped", FAILED)
    except BrokenPipeError:  # the reader of our output is gone, as in `rewardlab plugins | head -1`
        _close_output()
        return FAILED
    except OSError as error:
        _close_output()
        return _complain(f"{error.filename or 'the system'}: {error.strerror or error}", FAILED)
    return code


def _open_closed_streams() -> None:
    """Open the standard streams that whoever started us has closed (`>&-`), so that no other file takes their place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def _close_output() -> None:
    """Discard output that is still buffered, so that Python does not fail on it while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments:
        print(_help(), file=sys.stderr)
        return MISTAKE
    if arguments[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if arguments[0] in ("-V", "--version"):
        print(f"rewardlab {__version__}")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        from rewardlab.errors import nearest

        code = _complain(f"no command {name!r}{nearest(name, COMMANDS)}", MISTAKE)
        print("usage: rewardlab COMMAND ...; `rewardlab --help` lists the commands", file=sys.stderr)
        return code
    return _run(name, rest)


def parser_of(name: str) -> ArgumentParser:
    """Return the parser of a command's arguments."""
    command = import_module(f"rewardlab.commands.{name}")
    parser = ArgumentParser(
        f"rewardlab {name}", description=command.__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    command.arguments(parser)
    parser.add_argument(
        "--traceback", action="store_true", help=f"show where an error was raised; so does {TRACEBACK}=1"
    )
    return parser


def _run(name: str, arguments: Sequence[str]) -> int:
    try:
        options = parser_of(name).parse_intermixed_args(arguments)
    except SystemExit as stop:  # argparse has printed why
        return int(stop.code or 0)
    from rewardlab.concurrency.termination import sigterm_as_interrupt
    from rewardlab.errors import JobError, RewardlabError, one_line_at
    from rewardlab.text.printable import printable_output

    with printable_output():
        try:
            with sigterm_as_interrupt():
                return import_module(f"rewardlab.commands.{name}").run(options) or 0
        except KeyboardInterrupt:
            return _fail(options, JobError("stopped"))
        except OSError:  # `main` says what
            _show_traceback(options.traceback)
            raise
        except RewardlabError as error:
            _show_traceback(options.traceback)
            return _fail(options, error)
        except BaseException as error:  # a plugin's code may raise anything, SystemExit and GeneratorExit too
            _show_traceback(options.traceback)
            unasked = "" if _wants_traceback(options.traceback) else "; --traceback shows where"
            fault = f"{one_line_at(error)}\nthis is a fault in rewardlab or in a plugin{unasked}"
            return _fail(options, JobError(fault))


def _fail(options: Namespace, error: "RewardlabError") -> int:
    """Print an error, as JSON too where that was asked for, and return its exit code."""
    if getattr(options, "json", False):
        from rewardlab.text.printable import print_json

        print_json(error.as_dict())
    return _complain(str(error), error.exit_code)


def _wants_traceback(asked: bool) -> bool:
    return asked or os.environ.get(TRACEBACK, "") not in ("", "0")


def _show_traceback(asked: bool) -> None:
    if _wants_traceback(asked):
        import traceback

        from rewardlab.redaction import redact

        print(redact(traceback.format_exc()), file=sys.stderr, end="")


def _complain(text: str, code: int) -> int:
    from rewardlab.redaction import redact
    from rewardlab.text.printable import printable

    lines = redact(text).rstrip("\n").split("\n") if text.strip() else ["unknown error"]
    print("\n".join(f"error: {printable(line)}" for line in lines), file=sys.stderr)
    return code


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        [
            "usage: rewardlab COMMAND ...",
            "",
            "Rewards for training language models, as plugins composed by data.",
            "",
            *lines,
            "",
            "`rewardlab COMMAND --help` says more; `--version` prints the version.",
            "",
            "First steps, in any folder:",
            "  rewardlab run quickstart                     trains a tiny model in two minutes, on a CPU",
            "  rewardlab new recipe rows.jsonl              writes a recipe for your rows, with the columns it finds",
            "  rewardlab new recipe --from sp3f             copies a recipe that comes with rewardlab",
            "  rewardlab check recipe.yaml                  finds every mistake in one",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
