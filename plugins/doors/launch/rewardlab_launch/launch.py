"""A job as every scheduler is told of it: what is done, on which nodes, with which words, in which folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rewardlab_launch.services import PlacedService
from rewardlab_launch.site import NodePool, Site

WRITES = ("score", "judge")
"""commands that write their results to -o; `probe` prints its own, but for a part of them"""

FOLDERS = ("launch", "logs", "scores")
"""folders of a job: its scripts and what they note, what processes print, and the results of `score` and `judge`"""


@dataclass(frozen=True, kw_only=True)
class LaunchCommand:
    """What is to be done: a recipe's stages, or a command about rows, which may be divided into shards."""

    command: str = "run"
    rows: str | None = None
    shards: int = 0


@dataclass(frozen=True, kw_only=True)
class Launch:
    """A job as every scheduler is told of it.

    Args:
        recipe: its text, merged and with overrides; values of the environment stay ${oc.env:...}.
        nodes, gpus: of the trainer, GPUs of each node.
        on_ray: whether the nodes become a Ray cluster, in which the command runs.
        ray: the version of Ray on the nodes; None if neither the site nor the engine says it.
        groups: the pools of the parts of the job, the trainer's first.
        inputs: files that the command reads, but for those in a store.
    """

    name: str
    scheduler: str
    site: Site
    work: LaunchCommand
    recipe: str
    nodes: int
    gpus: int
    on_ray: bool
    ray: str | None
    groups: Sequence[str]
    services: Sequence[PlacedService]
    inputs: Sequence[str]

    @property
    def folder(self) -> str:
        """The job's folder on the cluster, with those of FOLDERS, and run/, in it."""
        return f"{self.site.job.output}/{self.name}"

    @property
    def pool(self) -> NodePool:
        """The trainer's pool."""
        pool: NodePool = self.site.compute.pools[self.groups[0]]
        return pool

    @property
    def workdir(self) -> str:
        """The folder in which the command runs."""
        return self.site.job.workdir or self.folder

    def on_node(self, path: str) -> str:
        """Return where a path of the job lies on a node, which an image has by a mount."""
        mount = self._mount_at(path) if self.site.compute.image is not None else None
        if mount is None:
            return path
        there: str = self.site.compute.mounts[mount]
        return str(PurePosixPath(there, PurePosixPath(path).relative_to(mount)))

    def mount_of(self, path: str) -> str | None:
        """Return what is mounted where a path of the job lies; None if it lies below no mount."""
        mount = self._mount_at(path)
        return None if mount is None else self.site.compute.mounts[mount]

    def lacks(self, path: str) -> bool:
        """Return whether a job that has nothing but its mounts lacks a path; a node of Slurm has all of its own."""
        own = self.scheduler == "slurm" and self.site.compute.image is None
        return not own and self.mount_of(path) is None

    def _mount_at(self, path: str) -> str | None:
        above = [mount for mount in self.site.compute.mounts if PurePosixPath(path).is_relative_to(mount)]
        return max(above, key=len) if above else None

    @property
    def progress(self) -> str:
        """The file that is there once the work has begun; "" for a command that always begins anew."""
        return f"{self.folder}/run/state.json" if self.work.command == "run" else self.output

    def words(self, recipe: str) -> list[str]:
        """Return the words of the command as it begins; `recipe` is the path of the recipe there."""
        if self.work.command == "run":
            return ["rewardlab", "run", recipe, "--run-dir", f"{self.folder}/run"]
        output = ["-o", self.output] if self.output else []
        return ["rewardlab", self.work.command, recipe, str(self.work.rows), *output]

    def resumed(self, recipe: str) -> list[str]:
        """Return the words by which it goes on."""
        if self.work.command == "run":
            return ["rewardlab", "run", "--resume", f"{self.folder}/run"]
        return [*self.words(recipe), "--resume"]

    @property
    def output(self) -> str:
        """The file of results, of which shards have parts; "" for a command that writes none."""
        writes = self.work.command in WRITES or self.work.shards
        return f"{self.folder}/scores/{self.work.command}.jsonl" if writes else ""

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of every process, without secrets."""
        given: Mapping[str, str] = self.site.compute.environment
        return given
