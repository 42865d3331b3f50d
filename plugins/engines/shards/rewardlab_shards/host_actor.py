"""A host of a plan in an actor on Ray, which works through the parts that it is given.

A plain class, which `ray_hosts` makes an actor. Ray starts it again if its process or node dies; it knows of no part
then, and whoever asked asks again. Judges' answers are in files of its share, so that none is paid for twice.
"""

import asyncio
import os
import pickle
import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol

from rewardlab.errors import JobError
from rewardlab.judging import JudgingSettings, Usage
from rewardlab.plan import Plan


class OpenWork(Protocol):
    """What a host does, with its models, judges and worker processes open."""

    async def results(self, items: Sequence[Any]) -> Sequence[Any]:
        """Return the result of each item. JobError: what must end the job, or with a budget used up this host."""

    def usage(self) -> Mapping[str, Usage]:
        """Return what each judge was asked since this was opened."""

    def close(self) -> None:
        """End all work, so that judges' usage is written."""


OpensWork = Callable[[Plan, JudgingSettings], OpenWork]
"""opens a host's work, and raises UserError and JobError where it cannot; of a module that all nodes have"""


@dataclass(frozen=True, kw_only=True)
class HostFacts:
    """The facts about the process of a host: versions by distribution, Python among them, and what it sees."""

    node: str
    versions: Mapping[str, str]
    sees_folder: bool


@dataclass(frozen=True, kw_only=True)
class PartResults:
    """The result of each item of a part. process: by which usage is told from that of a process before it."""

    results: Sequence[Any]
    process: str = ""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    notes: Sequence[str] = ()


class HostActor:
    """The work of a plan, open from the first call on, for one share of its judges' limits and budget."""

    def __init__(
        self,
        work: bytes,
        judging: JudgingSettings,
        here: Mapping[str, str],
        token: tuple[Path, str] | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        """Take what the work is opened with, at the first call.

        Args:
            work: (what opens it, the plan), as Ray pickles them: small enough to go with the call, so that a restart
                needs nothing else.
            judging: of this host, with its share; what it says goes to the driver.
            here: the driver's versions, without which no node works, were it there later.
            token: a file in the folder of judges' answers, and what it says, by which a host knows that it sees the
                driver's files.
            secrets: variables that the plan's judges read. They come by this call, since Ray writes the environment
                that an actor is started with into its logs.
        """
        self._opens: OpensWork
        self._plan: Plan
        self._opens, self._plan = pickle.loads(work)
        self._here, self._token, self._secrets = here, token, dict(secrets or {})
        self._notes: list[str] = []
        self._judging = replace(judging, say=self._notes.append)
        self._lock = threading.Lock()
        self._work: OpenWork | None = None
        self._process = token_hex(8)

    async def facts(self, distributions: Sequence[str]) -> HostFacts:
        """Return what this process has and sees."""
        sees = self._token is None or _holds(*self._token)
        return HostFacts(node=platform.node(), versions=versions(distributions), sees_folder=sees)

    async def ready(self) -> None:
        """Open the work: its models, judges and worker processes. Raises UserError and JobError as that does."""
        await asyncio.to_thread(self._open)

    async def results(self, items: Sequence[Any]) -> PartResults:
        """Return the result of each item. JobError: what must end the job, or this host."""
        work = await asyncio.to_thread(self._open)
        results = await work.results(items)
        notes, self._notes[:] = list(self._notes), []
        return PartResults(results=results, process=self._process, usage=work.usage(), notes=notes)

    async def close(self) -> None:
        """Close the work, so that judges' usage is written."""
        if self._work is not None:
            await asyncio.to_thread(self._work.close)

    def _open(self) -> OpenWork:
        with self._lock:
            if self._work is None:
                if problem := other_versions(platform.node(), versions([*self._here]), self._here):
                    raise JobError(problem)
                os.environ.update(self._secrets)
                self._work = self._opens(self._plan, self._judging)
            return self._work


def other_versions(node: str, there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Return how a node's versions differ from the driver's; nothing if they do not."""
    names = [name for name in here if there.get(name, "absent") != here[name]]
    others, own = (", ".join(f"{name} {of.get(name, 'absent')}" for name in names) for of in (there, here))
    return f"node {node} has {others}, this machine {own}" if names else ""


def versions(distributions: Sequence[str]) -> dict[str, str]:
    """Return the versions of distributions in this process, and that of Python without its patch."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python} | {name: _version(name) for name in distributions if name != "Python"}


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"


def _holds(path: Path, content: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == content
    except OSError:
        return False


def actor_class(**options: Any) -> Any:
    """Return the class as an actor with these options of Ray."""
    import ray

    return ray.remote(HostActor).options(**options)
