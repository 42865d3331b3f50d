"""Errors as people read them: where, what, and what to do next."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from rewardlab.first_party import first_party

__all__ = [
    "MAX_LISTED",
    "PLUGIN_FAULTS",
    "TRACEBACK",
    "BudgetUsedUpError",
    "JobError",
    "Problem",
    "RewardlabError",
    "StoppedError",
    "TryAgain",
    "UserError",
    "name_target",
    "nearest",
    "one_line",
    "one_line_at",
    "plugin_line",
]

PLUGIN_FAULTS = (Exception, SystemExit, GeneratorExit)
"""exceptions of a plugin's plain function that count as its own failure; of BaseException, KeyboardInterrupt is the
user's"""
TRACEBACK = "REWARDLAB_TRACEBACK"
"""the variable that asks for tracebacks, as --traceback does"""
MAX_LISTED = 100
"""maximum number of problems that an error lists; the others it counts"""
_SHOWN = 12
"""names in a message that lists them"""
_SEARCHED, _SEARCHED_LENGTH = 500, 100
"""names, and characters of a name, that the search for the nearest one looks at"""
_OURS = Path(__file__).parent


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One thing that is wrong. `where` is a place such as "r.yaml:12: reward.total" or "rows.jsonl:7".

    `path` is the place in a recipe's tree, if there is one.
    """

    where: str
    what: str
    path: tuple[str | int, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class RewardlabError(Exception):
    """The base of every error that the command line prints without a traceback.

    details: what else a program may want to know, for `--json`.
    """

    exit_code = 1

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.details: dict[str, Any] = {}

    def as_dict(self) -> dict[str, Any]:
        """Return JSON values: {"ok": false, "problems": [{"where", "path", "what"}], **details}."""
        problems = [{"where": p.where, "path": list(p.path), "what": p.what} for p in self._problems()]
        return {"ok": False, "problems": problems, **self.details}

    def _problems(self) -> Sequence[Problem]:
        return [Problem(where="", what=line) for line in str(self).splitlines()]


class UserError(RewardlabError):
    """The user's mistakes: the first MAX_LISTED that were found, one on each line, and how many more. Exit code 2."""

    exit_code = 2

    def __init__(self, problems: str | Problem | Sequence[Problem], where: str = "") -> None:
        if isinstance(problems, str):
            problems = Problem(where=where, what=problems)
        self.problems = [problems] if isinstance(problems, Problem) else list(problems)
        if len(self.problems) > MAX_LISTED + 1:
            more = f"and {len(self.problems) - MAX_LISTED:,} more mistakes; fix these first"
            self.problems[MAX_LISTED:] = [Problem(where="", what=more)]
        super().__init__("\n".join(map(str, self.problems)))

    def _problems(self) -> Sequence[Problem]:
        return self.problems


class JobError(RewardlabError):
    """The failure of a job, caused by a plugin, a judge, the disk or an engine. Exit code 1."""


class BudgetUsedUpError(JobError):
    """The end of a judge's budget, or of this process's part of it: a question could cost more than is left."""


class StoppedError(JobError):
    """The end of a job that Ctrl-C or a signal stopped. Exit code 130, or of a signal 128 and its number."""

    exit_code = 130


class TryAgain(Exception):
    """The exception of a judge that cannot answer now, but may when it is asked again.

    Args:
        after: seconds that the server asks to wait; None if it does not say.
    """

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: "; did you mean 'x'?", or a list of the known names."""
    known = sorted(set(known))
    if len(name) <= _SEARCHED_LENGTH:
        likely = sorted(known, key=lambda candidate: abs(len(candidate) - len(name)))[:_SEARCHED]
        if close := difflib.get_close_matches(name, likely, n=1, cutoff=0.6):
            return f"; did you mean {close[0]!r}?"
        if len(known) > _SHOWN:  # the entries least like the name are left out of a list
            likely.sort(key=lambda candidate: -difflib.SequenceMatcher(None, name, candidate).ratio())
            known = likely
    if not known:
        return "; there is none"
    are = "is" if len(known) == 1 else "are"
    return f"; there {are} {', '.join(map(repr, known[:_SHOWN]))}" + (", ..." if len(known) > _SHOWN else "")


def one_line(error: BaseException, limit: int = 300) -> str:
    """Return an exception as "ValueError: text", on one line, cut at `limit` characters."""
    from rewardlab.text.redaction import redact

    try:
        text = " ".join(redact(str(error)).split())  # first of all, or a cut would leave half of a secret
    except Exception as another:  # a plugin's exception may have a `__str__` that fails
        text = f"its text cannot be read: {type(another).__name__}"
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= limit else text[: limit - 3] + "..."


def one_line_at(error: BaseException, limit: int = 300) -> str:
    """Return an exception as "ValueError: text (file.py:12)", with the plugin's line that it came from, if known."""
    place = plugin_line(error)
    return one_line(error, limit) + (f" ({place})" if place is not None else "")


def plugin_line(error: BaseException) -> str | None:
    """Return the line of a plugin that an exception came from, as "/path/file.py:12"; None if it came from no plugin.

    It is the innermost line of the first code that is neither ours nor of Python: an exception raised by a library or
    by our own alarm is reported at the plugin's own line.
    """
    import traceback

    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    home: Path | None = None
    place = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if home is None and not _is_foreign(file):
            continue
        home = home or file.parent
        if file.is_relative_to(home):
            place = f"{file}:{number}"
    return place


@cache
def _hosts() -> frozenset[str]:
    """Return the packages of our plugins that have commands, which call other plugins as the core does."""
    return frozenset(p["distribution"].replace("-", "_") for p in first_party().values() if p["commands"])


def _is_foreign(file: Path) -> bool:
    if file.name.startswith("<") or file.is_relative_to(_OURS) or _hosts() & {*file.parts}:  # also <frozen importlib>
        return False
    import sysconfig

    packages = Path(sysconfig.get_path("purelib"))
    return file.is_relative_to(packages) or not file.is_relative_to(sysconfig.get_path("stdlib"))


def name_target(error: BaseException, scratch: Path, target: Path) -> None:
    """Let an error about a scratch file, or about none, as of a full disk, be about what was to be written."""
    if isinstance(error, OSError) and error.errno and str(error.filename or scratch).startswith(str(scratch)):
        error.filename = str(target)
