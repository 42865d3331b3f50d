"""The command line `rewardlab COMMAND ...`: finds the command, prints readable errors, sets the exit code.

Nothing but the standard library is imported before a command is known, so that `--help` is instant.
"""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

from rewardlab.commands.find import find_command, installed_commands, missing_commands
from rewardlab.errors import TRACEBACK
from rewardlab.version import __version__

if TYPE_CHECKING:
    from argparse import Namespace

    from rewardlab.errors import RewardlabError
    from rewardlab.specs.command import CommandResult, InstalledCommand

MISTAKE, FAILED, INTERRUPTED = 2, 1, 130
ORDER = (
    *("run", "new", "check", "eval", "score", "causes", "compare", "tables", "winrates", "convert", "probe", "judge"),
    *("report", "ledger", "plugins", "env", "schema"),
)
"""the order of commands in --help; others come last"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 success, 1 the job failed, 2 the user's mistake, else a signal.

    Args:
        arguments: absent: those of this program, which ends with the command.
    """
    if arguments is None and os.name == "posix" and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _ended_early)
    try:
        return _ended(arguments)
    finally:
        if arguments is None:  # an interrupt while Python ends is no more than the end, and has no traceback
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            _end_silently()


def _ended_early(number: int, _frame: object) -> None:
    """Say that the command had not begun, where SIGTERM would end the program without a word."""
    with suppress(OSError):  # nobody reads it any more
        os.write(2, b"error: stopped by SIGTERM before the command had begun; nothing was written\n")
    _end_silently()
    os.kill(os.getpid(), number)


def _end_silently() -> None:
    if signal.getsignal(signal.SIGTERM) is _ended_early:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _ended(arguments: Sequence[str] | None) -> int:
    if os.name != "posix":
        return _complain("rewardlab runs on Linux and macOS; on Windows, use it in WSL (wsl --install)", MISTAKE)
    _open_closed_streams()
    try:
        code = _dispatch(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:  # before a command had begun
        return _complain("stopped", INTERRUPTED)
    except BrokenPipeError as error:  # the reader of our output is gone, as in `rewardlab plugins | head -1`
        _close_output()
        return _complain("nothing reads this output any more", FAILED) if hasattr(error, "__notes__") else FAILED
    except OSError as error:
        _close_output()
        return _complain(f"{error.filename or 'the system'}: {error.strerror or error}", FAILED)
    return code


def _open_closed_streams() -> None:
    """Open the standard streams that whoever started us has closed (`>&-`), so that no other file takes their place.

    What stdout has no letters for is escaped.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    if isinstance(sys.stdout, TextIOWrapper):  # of a terminal that is not UTF-8; stderr is so already
        sys.stdout.reconfigure(errors="backslashreplace")


def _close_output() -> None:
    """Discard output that is still buffered, so that Python does not fail on it while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments:
        print(_help(), file=sys.stderr)
        return MISTAKE
    if arguments[0] == "help" and len(arguments) > 1:
        arguments = [arguments[1], "--help"]
    if arguments[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if arguments[0] in ("-V", "--version"):
        print(f"rewardlab {__version__}")
        return 0
    if "_ARGCOMPLETE" in os.environ:
        return _complete()
    from rewardlab.errors import UserError, nearest
    from rewardlab.first_party import our_commands

    name, *rest = arguments
    try:
        command = find_command(name)
    except UserError as error:
        return _complain(str(error), MISTAKE)
    if command is None and name.startswith("-") and rest:
        return _complain(f"{name} comes before a command; write rewardlab {rest[0]} {name}", MISTAKE)
    if command is None:
        code = _complain(f"no command {name!r}{nearest(name, our_commands())}", MISTAKE)
        _tell("usage: rewardlab COMMAND ...; `rewardlab --help` lists the commands")
        return code
    return _run(command, rest)


def _run(command: "InstalledCommand", arguments: Sequence[str]) -> int:
    from rewardlab.commands.parsing import options_of, parser_of
    from rewardlab.concurrency.termination import sigterm_as_interrupt
    from rewardlab.errors import JobError, RewardlabError, StoppedError, one_line_at
    from rewardlab.text.printable import printable_output, stdout_for_data

    try:
        given = parser_of(command).parse_intermixed_args(arguments)
    except SystemExit as stop:  # argparse has printed why
        return int(stop.code or 0)
    _end_silently()
    with printable_output(), sigterm_as_interrupt():
        try:
            with stdout_for_data() if given.json else nullcontext():
                return _show(command.run(options_of(command, given)), given.json)
        except KeyboardInterrupt:
            return _fail(given, StoppedError("stopped"))
        except BaseException as error:  # a plugin's code may raise anything, SystemExit and GeneratorExit too
            _show_traceback(given.traceback)
            if isinstance(error, RewardlabError):
                return _fail(given, error)
            if isinstance(error, OSError):  # `main` says what
                _show_notes(error)
                raise
            unasked = "" if _wants_traceback(given.traceback) else "; --traceback shows where"
            fault = f"{one_line_at(error)}\nthis is a bug in rewardlab or in a plugin{unasked}"
            return _fail(given, JobError(fault))


def _show(result: "CommandResult | int", as_json: bool) -> int:
    """Print what a command found, and return its exit code."""
    if isinstance(result, int):
        return result
    in_data = as_json and isinstance(result.data, dict) and {"warnings", "findings", "doubts"} & result.data.keys()
    for warning in () if in_data else result.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if as_json:
        from rewardlab.text.printable import print_json

        print_json(result.data, indent=1 if isinstance(result.data, list) else None)
        return MISTAKE if result.problems else result.exit_code
    if result.problems:
        from rewardlab.errors import UserError

        raise UserError(result.problems)
    if result.text:
        print(result)
    return result.exit_code


def _fail(options: "Namespace", error: "RewardlabError") -> int:
    """Print an error and how to go on, as JSON too if that was asked for, and return its exit code."""
    from rewardlab.concurrency.termination import stop_code
    from rewardlab.errors import StoppedError

    _show_notes(error)
    if options.json:
        from rewardlab.text.printable import print_json

        print_json(error.as_dict())
    return _complain(str(error), stop_code() if isinstance(error, StoppedError) else error.exit_code)


def _show_notes(error: Exception) -> None:
    for line in getattr(error, "__notes__", ()):
        print(line, file=sys.stderr)


def _complete() -> int:
    """Answer the shell, which asks what may come next; see docs/install.md."""
    from argparse import ArgumentParser

    import argcomplete

    from rewardlab.commands.parsing import add_arguments

    parser = ArgumentParser("rewardlab")
    commands = parser.add_subparsers()
    typed = os.environ.get("COMP_LINE", "").split()[1:2]
    for name, summary in dict(installed_commands()).items():
        added = commands.add_parser(name, help=summary)
        if [name] == typed and (command := find_command(name)) is not None:  # of others the name alone is asked
            add_arguments(added, command.options)
    argcomplete.autocomplete(parser)
    return 0


def _wants_traceback(asked: bool) -> bool:
    return asked or os.environ.get(TRACEBACK, "") not in ("", "0")


def _show_traceback(asked: bool) -> None:
    if _wants_traceback(asked):
        import traceback

        from rewardlab.text.redaction import redact

        print(redact(traceback.format_exc()), file=sys.stderr, end="")


def _complain(text: str, code: int) -> int:
    from rewardlab.text.printable import printable
    from rewardlab.text.redaction import redact

    lines = redact(text).rstrip("\n").split("\n") if text.strip() else ["unknown error"]
    _tell("\n".join(f"error: {printable(line)}" for line in lines))
    return code


def _tell(text: str) -> None:
    """Print a text on stderr, as far as there is room: the exit code says the rest."""
    from rewardlab.text.printable import discard

    try:
        print(text, file=sys.stderr)
    except BrokenPipeError:
        raise
    except OSError:
        discard(sys.stderr)


def _help() -> str:
    commands = installed_commands()
    commands.sort(key=lambda command: ORDER.index(command[0]) if command[0] in ORDER else len(ORDER))
    width = max(len(name) for name, _ in commands)
    lines = [f"  {name:<{width}}  {summary}" for name, summary in commands]
    if missing := missing_commands():
        lines += ["", "Not installed:", *(f"  {name:<{width}}  {summary}" for name, summary in missing)]
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
