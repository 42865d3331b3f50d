"""The hosts of `--on ray`: they are started on a Ray cluster, and checked before anything begins."""

import os
import secrets as random
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rewardlab.errors import JobError, Problem, RewardlabError, UserError, one_line
from rewardlab.judging import JudgingSettings, Share
from rewardlab.plan import Plan, secret_variables

from rewardlab_shards.actor_pool import ActorPool
from rewardlab_shards.elsewhere import WITHOUT_ON
from rewardlab_shards.head_watch import until_lost
from rewardlab_shards.host_actor import HostFacts, OpensWork, actor_class, other_versions, versions
from rewardlab_shards.ray_address import RayAddress

Pool = TypeVar("Pool", bound=ActorPool[Any, Any])
CPUS = 4
"""of a host, as many as a component has worker processes; fewer if a node has fewer"""
START_S = 120.0
"""for all hosts to start; later ones join when they are there"""


@dataclass(frozen=True, kw_only=True)
class HostWork:
    """What hosts are started for.

    Args:
        opens: what a host is opened with.
        plan: of this work.
        asked: judges that hosts ask.
        distributions: whose versions nodes share with the driver, beside those of the plan's plugins.
    """

    opens: OpensWork
    plan: Plan
    asked: Collection[str]
    distributions: Sequence[str] = ()


OpenPool = Callable[[HostWork, JudgingSettings], ActorPool[Any, Any]]
"""starts hosts, and raises a UserError where they cannot work"""


def pool_on(address: str) -> OpenPool:
    """Return what starts hosts on the cluster at an address."""
    return lambda work, judging: open_pool(work, RayAddress.parse(address), judging, ActorPool)


def open_pool(work: HostWork, wanted: RayAddress, judging: JudgingSettings, pool: Callable[..., Pool]) -> Pool:
    """Connect to the cluster and start hosts that fit the work. A UserError lists what is wrong, before any begins."""
    if not judging.share.is_whole:
        raise UserError(WITHOUT_ON, where="--on")
    end = _connect(wanted.cluster)
    try:
        cpus, number = _placed(wanted)
        number = _within_limits(work, number, judging)
        plugins = {plugin.distribution for plugin in work.plan.plugins.values()}
        names = ["ray", "rewardlab-core", "rewardlab-shards", *sorted(plugins.union(work.distributions))]
        here = versions(names)
        start = _Starts(work, judging, here, number, cpus, wanted.gpus)
        try:
            actors = [start(place) for place in range(number)]
            _check(actors, here, judging)
        finally:
            if start.token is not None:
                start.token[0].unlink()
    except BaseException:
        end()
        raise
    return pool(start, actors, judging.say, end=end, head_lost=_head_lost(wanted.cluster))


def _connect(cluster: str | None) -> Callable[[], None]:
    """Connect to a cluster; return what ends the connection. UserError if none is there, or of another Ray."""
    try:
        import ray
    except ImportError:
        raise UserError("Ray is not installed here; pip install ray, in the cluster's version", where="--on") from None
    if ray.is_initialized():
        return lambda: None
    address = cluster or os.environ.get("RAY_ADDRESS") or "auto"
    try:
        ray.init(address=address, namespace="rewardlab", log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # Ray raises many kinds here
        text = one_line(error)
        if "ersion" in text:
            raise UserError(f"the cluster has another version of Ray or Python: {text}", where="--on") from error
        advice = "start one with `ray start --head`, or name the cluster: ray://HOST:10001"
        raise UserError(f"no Ray cluster answers at {address} ({text}); {advice}", where="--on") from error
    return ray.shutdown


def _head_lost(cluster: str | None) -> Callable[[], Awaitable[JobError]] | None:
    """Return what watches the cluster's head, for a driver on one of its nodes."""
    import ray

    return None if cluster else partial(until_lost, ray.get_runtime_context().gcs_address)


def _placed(wanted: RayAddress) -> tuple[int, int]:
    """Return (CPUs of a host, number of hosts). UserError if the cluster can hold none."""
    import ray

    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    cpu = [int(node.get("CPU", 0)) for node in nodes]
    cpus = wanted.cpus or min(CPUS, min((n for n in cpu if n), default=1))
    fit = [
        min([n // cpus, *([int(node.get("GPU", 0)) // wanted.gpus] if wanted.gpus else [])])
        for n, node in zip(cpu, nodes, strict=True)
    ]
    if not sum(fit) or wanted.hosts > sum(fit):
        needs = f"{cpus} CPUs" + (f" and {wanted.gpus} GPUs" if wanted.gpus else "")
        has = ", ".join(f"{n} CPUs and {int(node.get('GPU', 0))} GPUs" for n, node in zip(cpu, nodes, strict=True))
        problem = f"{wanted.hosts or 1} hosts of {needs} each do not fit into its nodes ({has or 'none'})"
        raise UserError(problem, where="--on")
    return cpus, wanted.hosts or sum(fit)


def _within_limits(work: HostWork, number: int, judging: JudgingSettings) -> int:
    """Return how many hosts may ask the judges: a part of a limit is at least one."""
    judges = [work.plan.judges[name] for name in work.asked]
    limits = [
        limit
        for use in (judge.use for judge in judges if not judge.spec.local)
        for limit in (use.concurrency, use.requests_per_minute, use.tokens_per_minute)
        if limit is not None
    ]
    if (most := min([number, *limits])) < number:
        judging.say(f"{most} of {number} hosts are used: no more may ask the judges by their limits")
    return most


class _Starts:
    """The start of a host by its number, also of one that died."""

    def __init__(
        self, work: HostWork, judging: JudgingSettings, here: Mapping[str, str], number: int, cpus: int, gpus: int
    ) -> None:
        import ray

        names = {
            variable for name in work.asked for variable in secret_variables(work.plan.judges[name].options).values()
        }
        self._secrets = {name: os.environ[name] for name in sorted(names) if name in os.environ}
        self._actor = actor_class(
            num_cpus=cpus,
            num_gpus=gpus,
            scheduling_strategy="SPREAD",
            max_restarts=-1,
            max_concurrency=1000,
        )
        folder = judging.folder.absolute() if work.asked and judging.folder else None
        self._judging = JudgingSettings(  # without `say`, which is a function of this process
            folder=folder,
            stop_on_unparsable=judging.stop_on_unparsable,
            stop_on_refusals=judging.stop_on_refusals,
        )
        self._here, self._work, self._number = here, ray.cloudpickle.dumps((work.opens, work.plan)), number
        self.token = None if folder is None else _token(folder)

    def __call__(self, place: int) -> Any:
        judging = replace(self._judging, share=Share(place + 1, self._number))
        return self._actor.remote(self._work, judging, self._here, self.token, self._secrets)


def _token(folder: Path) -> tuple[Path, str]:
    folder.mkdir(parents=True, exist_ok=True)
    path, content = folder / "seen_by_every_node", random.token_hex(8)
    path.write_text(content, encoding="utf-8")
    return path, content


def _check(actors: Sequence[Any], here: Mapping[str, str], judging: JudgingSettings) -> None:
    """Raise a UserError if a host has other versions, does not see the answers' folder, or cannot open its work.

    A JobError if a host dies of it.
    """
    import ray
    from ray.exceptions import RayError

    asked = [actor.facts.remote([*here]) for actor in actors]
    there, _ = ray.wait(asked, num_returns=len(asked), timeout=START_S)
    if not there:
        raise UserError(f"Ray started no host within {START_S:g} s; `ray status` says what it waits for", where="--on")
    try:
        problems = [problem for facts in ray.get(there) for problem in problems_of(facts, here, judging)]
        if problems:
            raise UserError([Problem(where="--on", what=problem) for problem in dict.fromkeys(problems)])
        ray.get([actor.ready.remote() for actor, facts in zip(actors, asked, strict=True) if facts in there])
    except RayError as error:
        raise opening_error(error) from error


def opening_error(error: Exception) -> RewardlabError:
    """Return what keeps a host from opening its work: its own words, or that it has died or lacks a package."""
    from ray.exceptions import RayTaskError

    if not isinstance(error, RayTaskError):
        return JobError(f"a host of Ray died before it scored anything, see Ray's logs: {one_line(error)}")
    if isinstance(error.cause, RewardlabError):
        return error.cause
    what = "a host of Ray cannot start; each node needs this machine's packages"
    return UserError(f"{what}: {one_line(error.cause)}", where="--on")


def problems_of(facts: HostFacts, here: Mapping[str, str], judging: JudgingSettings) -> list[str]:
    """Return what keeps a host from working as this machine would."""
    problem = other_versions(facts.node, facts.versions, here)
    problems = [problem] if problem else []
    if not facts.sees_folder:
        where = judging.folder
        problems.append(f"node {facts.node} does not see {where}, where judges' answers are kept; name a shared folder")
    return problems
