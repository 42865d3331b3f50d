"""A host of a recipe's reward in an actor on Ray: groups in, the scores of their components out.

A plain class, which `ray_scorer` makes an actor. Ray starts it again if its process or node dies; it knows of no group
then, and whoever asked asks again. Judges' answers are in files of its share, so that none is paid for twice.
"""

import asyncio
import os
import pickle
import platform
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from secrets import token_hex
from typing import Any

from rewardlab import Group, GroupStream
from rewardlab.errors import JobError
from rewardlab.judging import JudgingSettings, Share, Usage
from rewardlab.plan import Plan
from rewardlab.scoring import Scorer

from rewardlab_shards.elsewhere import Scores


@dataclass(frozen=True, kw_only=True)
class HostFacts:
    """The facts about the process of a host: versions by distribution, Python among them, and what it sees."""

    node: str
    versions: Mapping[str, str]
    sees_folder: bool


@dataclass(frozen=True, kw_only=True)
class PartScores:
    """The scores of each group of a part. process: by which usage is told from that of a process before it."""

    scores: Sequence[Scores]
    process: str = ""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    notes: Sequence[str] = ()


class HostActor:
    """A scorer of a plan, open from the first call on, for one share of its judges' limits and budget."""

    def __init__(
        self,
        plan: bytes,
        share: Share,
        here: Mapping[str, str],
        folder: Path | None = None,
        token: tuple[Path, str] | None = None,
        stop_on_unparsable: bool = False,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        """Take what the reward is opened with, at the first call.

        Args:
            plan: as Ray pickles it: small enough to go with the call, so that a restart needs nothing else.
            here: the driver's versions, without which no node scores, were it there later.
            folder: for judges' answers; None keeps none.
            token: a file in that folder, and what it says, by which a host knows that it sees the driver's files.
            stop_on_unparsable: as JudgingSettings has it.
            secrets: variables that the plan's judges read. They come by this call, since Ray writes the environment
                that an actor is started with into its logs.
        """
        self._plan: Plan = pickle.loads(plan)
        self._share, self._here, self._folder, self._token = share, here, folder, token
        self._stop_on_unparsable = stop_on_unparsable
        self._secrets = dict(secrets or {})
        self._lock = threading.Lock()
        self._scorer: Scorer | None = None
        self._notes: list[str] = []
        self._process = token_hex(8)

    async def facts(self, distributions: Sequence[str]) -> HostFacts:
        """Return what this process has and sees."""
        sees = self._token is None or _holds(*self._token)
        return HostFacts(node=platform.node(), versions=versions(distributions), sees_folder=sees)

    async def ready(self) -> None:
        """Open the reward: its models, judges and worker processes. Raises UserError and JobError as `Scorer` does."""
        await asyncio.to_thread(self._open)

    async def scores(self, groups: Sequence[Group]) -> PartScores:
        """Return each component's scores of these groups. JobError: what must end the job."""
        scorer = await asyncio.to_thread(self._open)
        names = list(self._plan.components)
        scores = await asyncio.gather(
            *(scorer.home.here(scorer.scores_of(GroupStream.of(group), names, None)) for group in groups)
        )
        notes, self._notes[:] = list(self._notes), []
        usage = scorer.judges.attempt_usage()
        return PartScores(scores=scores, process=self._process, usage=usage, notes=notes)

    async def close(self) -> None:
        """Close the reward, so that judges' usage is written."""
        if self._scorer is not None:
            await asyncio.to_thread(self._scorer.close)

    def _open(self) -> Scorer:
        with self._lock:
            if self._scorer is None:
                if problem := other_versions(platform.node(), versions([*self._here]), self._here):
                    raise JobError(problem)
                os.environ.update(self._secrets)
                judging = JudgingSettings(
                    folder=self._folder,
                    share=self._share,
                    say=self._notes.append,
                    stop_on_unparsable=self._stop_on_unparsable,
                )
                scorer = Scorer(self._plan, judging=judging)
                try:
                    scorer.warm()
                except BaseException:
                    scorer.close()
                    raise
                self._scorer = scorer
            return self._scorer


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
