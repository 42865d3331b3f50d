"""Shell scripts of a job: a head of values in quotes, then a file of this package that is shell alone."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from rewardlab_launch.launch import Launch
from rewardlab_launch.services import PlacedService
from rewardlab_launch.site_values import PORT, seconds_of

SHEBANG = "#!/usr/bin/env bash"
CHECKED = "# shellcheck disable=SC1090,SC1091,SC2034,SC2329  # what is sourced, read by name, and called by a signal"


def script(head: Iterable[str], values: Mapping[str, str | int | Sequence[str]], body: str) -> str:
    """Return a script: `head`, an assignment for each value (a list becomes an array), and the file `body`."""
    text = files("rewardlab_launch").joinpath("scripts", body).read_text(encoding="utf-8")
    return "\n".join([SHEBANG, CHECKED, *head, *(_assignment(name, value) for name, value in values.items()), "", text])


def _assignment(name: str, value: str | int | Sequence[str]) -> str:
    if isinstance(value, str | int):
        return f"{name}={shlex.quote(str(value))}"
    return f"{name}=({shlex.join(value)})"


OF_SHELL = {"IFS", "SECONDS", "UID", "EUID", "PPID", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO"}
"""variables that the scripts need as the shell has them, or that nobody may set"""
TAKEN_OVER = {"RAY_AUTH_TOKEN", "CUDA_VISIBLE_DEVICES"}
"""variables of the scripts that go on with a value that is given"""


@cache
def own_variables() -> frozenset[str]:
    """Return the variables that scripts set or read for themselves: with a value of somebody else's they would fail."""
    bodies = files("rewardlab_launch").joinpath("scripts").iterdir()
    text = "\n".join(re.sub(r"(?m)(^|\s)#.*", "", body.read_text(encoding="utf-8")) for body in bodies)
    names = set(re.findall(r"\$\{?[#!]?([A-Za-z_]\w*)|(?<![\w-])([A-Za-z_]\w*)\+?=", text))
    counted = re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"\(\((.*?)\)\)", text)))
    return frozenset({*counted, *(read or assigned for read, assigned in names)} | OF_SHELL) - TAKEN_OVER


def prepared(launch: Launch) -> list[str]:
    """Return the lines that come first on each node: variables, and the site's own lines."""
    exported = [f"export {name}={shlex.quote(value)}" for name, value in launch.environment.items()]
    return [*exported, *launch.site.compute.setup]


def within_walltime(launch: Launch) -> str:
    """Return the words that bound one attempt where no scheduler does: told to end, the command saves where it is."""
    seconds = seconds_of(launch.site.compute.walltime)
    return f"timeout --foreground --kill-after={launch.site.job.grace} {seconds}"


def command_script(launch: Launch, recipe: str) -> str:
    """Return the script of the job's head node; `recipe` is the path of the recipe there."""
    values: dict[str, str | int | Sequence[str]] = {
        "folder": launch.folder,
        "workdir": launch.workdir,
        "progress": launch.progress,
        "words": launch.words(recipe),
        "resumed": launch.resumed(recipe),
        # Slurm's signals go to every process of a step
        "hands_on": "" if launch.scheduler == "slurm" else "1",
    }
    return script(prepared(launch), values, "command.sh")


def server_script(launch: Launch, placed: PlacedService) -> str:
    """Return the script of a service's servers on a node: the first's number, how many there are, the first's port."""
    words = " ".join(
        '"$1"'.join(shlex.quote(part) if part else "" for part in word.split(PORT)) for word in placed.words
    )
    head = [*prepared(launch), f"serve() {{ exec {words}; }}"]
    return script(head, {"restarts": placed.service.restarts, "gpus": placed.service.gpus}, "server.sh")
