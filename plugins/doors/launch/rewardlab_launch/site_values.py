"""The values of a site file by sort: times, names, paths, lines of text; each with what is wrong with another."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

_DURATION = re.compile(r"(?:(\d+)-)?(\d{1,3}):([0-5]\d):([0-5]\d)", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|\w*PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
KEY_OF_SERVER = re.compile(r"--api[-_]key(=|$)")
NAME = "[a-z]([a-z0-9-]{0,26}[a-z0-9])?"
_NAME = re.compile(NAME)


def seconds_of(walltime: str) -> int:
    """Return the seconds of a time as Slurm writes it, "24:00:00" or "2-12:00:00"; ValueError for another text."""
    match = _DURATION.fullmatch(walltime)
    if match is None:
        raise ValueError(
            f"{walltime!r} is no time such as 24:00:00 or 2-12:00:00 (hours, minutes, seconds; days first)"
        )
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _walltime(text: str) -> str:
    if seconds_of(text) < 60:
        raise ValueError(f"{text!r} is less than a minute")
    return text


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of an environment variable")
    return name


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is no name that all schedulers take: a small letter, then up to 27 of them, digits and hyphens"
        )
    return name


def _path(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is not a whole path, such as /shared/runs: the job's folder is another")
    if not path.isprintable() or "%" in path or "\\" in path:
        raise ValueError(f"{path!r} has a sign that schedulers do not take as it is: % or \\, or one without a shape")
    return path.rstrip("/") or "/"


def without_secrets(variables: dict[str, str]) -> dict[str, str]:
    for name in variables:
        if _SECRET.search(name):  # the message must not repeat its value
            raise ValueError(
                f"{name} is a secret by its name, and stands in scripts as it is here; use compute.secrets"
            )
    return variables


Walltime = Annotated[str, AfterValidator(_walltime)]
Variable = Annotated[str, AfterValidator(_variable)]
Name = Annotated[str, AfterValidator(_name)]
WholePath = Annotated[str, AfterValidator(_path)]
Text = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]+$")]
"""one line that is not empty: a further one would be a line of a script"""
