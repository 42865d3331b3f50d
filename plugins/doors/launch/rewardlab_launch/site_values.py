"""The values of a site file by sort: times, names, paths, lines of text; each with what is wrong with another."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

_DURATION = re.compile(r"(?:(\d+)-)?(\d{1,3}):([0-5]\d):([0-5]\d)", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|\w*PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)
PORT = "{port}"
"""stands for the port in the words of a server's command"""
_BY_JOB = (
    "--job-name -J --output -o --open-mode --requeue --signal --array -a --dependency -d --ntasks-per-node --ntasks -n"
)
OPTIONS_OF_JOB = dict.fromkeys([*_BY_JOB.split(), "--ntasks-per-node"], "") | {
    "--account": "compute.account",
    "-A": "compute.account",
    "--qos": "compute.qos",
    "-q": "compute.qos",
    "--time": "compute.walltime",
    "-t": "compute.walltime",
    "--partition": "partition",
    "-p": "partition",
    "--nodes": "the recipe's backend",
    "-N": "the recipe's backend",
    "--cpus-per-task": "cpus",
    "-c": "cpus",
    "--mem": "memory",
    "--exclusive": "exclusive",
}
"""options of sbatch that a job has by itself -> what says them"""
OPTIONS_OF_RAY = {f"--{name}": "" for name in ("head", "node-ip-address", "port", "block", "address", "min-nodes")}
"""options of `ray start` that `ray symmetric-run` gives by itself"""
KEY_OF_SERVER = re.compile(r"--api[-_]k(e|ey)?(=|$)")
_NAME = re.compile("[a-z]([a-z0-9-]{0,26}[a-z0-9])?")


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


def without_options(words: Sequence[str], taken: Mapping[str, str]) -> None:
    """Raise a ValueError for an option that the job has by itself, which would be there twice; also for its beginning.

    sbatch and servers take the beginning of a long option for the whole of it: --acc=rl.
    """
    for word in words:
        short = re.match("-[A-Za-z]", word)  # its value may follow at once: -N4
        option = short[0] if short else re.split("[=\\s]", word, maxsplit=1)[0]
        whole = [name for name in taken if name == option or (option[:2] == "--" and name.startswith(option))]
        for name in sorted(whole, key=len)[:1]:
            instead = f"say it by {taken[name]}" if taken[name] else "leave it out"
            raise ValueError(f"{word!r}: the job has {name} by itself; {instead}")


def without_mistake(image: str, runtime: str) -> None:
    """Raise a ValueError for the name of an image that the runtime would read as another one's, after the queue."""
    if image.startswith("/"):
        return
    if runtime == "apptainer" and "://" not in image:
        raise ValueError(f"image: apptainer takes a file, /images/rl.sif, or an address, docker://{image}")
    registry, slash, rest = image.removeprefix("docker://").partition("/")
    if runtime == "pyxis" and slash and "#" not in image and ("." in registry or ":" in registry):
        raise ValueError(f"image: pyxis looks for {image} on Docker Hub; it writes a registry so: {registry}#{rest}")


Walltime = Annotated[str, AfterValidator(_walltime)]
Variable = Annotated[str, AfterValidator(_variable)]
Name = Annotated[str, AfterValidator(_name)]
WholePath = Annotated[str, AfterValidator(_path)]
Text = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]+$")]
"""one line that is not empty: a further one would be a line of a script"""
