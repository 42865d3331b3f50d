"""`--on ray`: a command's groups are scored by hosts on a Ray cluster, which are checked before anything begins."""

import os
import secrets as random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, Problem, RewardlabError, UserError, one_line
from rewardlab.judging import JudgingSettings, Share
from rewardlab.plan import Plan, secret_variables
from rewardlab.scoring import Machine, OpenScorer, Scorer

from rewardlab_shards.actor_pool import ActorPool
from rewardlab_shards.elsewhere import WITHOUT_ON, ScorerElsewhere
from rewardlab_shards.head_watch import until_lost
from rewardlab_shards.host_actor import HostFacts, actor_class, other_versions, versions
from rewardlab_shards.ray_address import RayAddress

CPUS = 4
"""of a host, as many as a component has worker processes; fewer if a node has fewer"""
START_S = 120.0
"""for all hosts to start; later ones join when they are there"""


def open_on(address: str) -> OpenScorer:
    """Return what opens a scorer on the cluster at an address."""
    wanted = RayAddress.parse(address)

    def opened(
        plan: Plan, _machine: Machine | None = None, judging: JudgingSettings | None = None, asked: Sequence[str] = ()
    ) -> Scorer:
        if both := sorted(plan.asked_by_rewards.intersection(asked)):
            problem = f"the reward asks the policy {both[0]!r}, whose limits hosts and this process would both use up"
            raise UserError(f"{problem}; leave --on out", where="--on")
        of_hosts = replace(plan, judges={name: judge for name, judge in plan.judges.items() if name not in asked})
        return ScorerElsewhere(plan, open_pool(of_hosts, wanted, judging or JudgingSettings()), asked, judging)

    return opened


def open_pool(plan: Plan, wanted: RayAddress, judging: JudgingSettings) -> ActorPool:
    """Connect to the cluster and start hosts that fit the plan. A UserError lists what is wrong, before any scoring."""
    if not judging.share.is_whole:
        raise UserError(WITHOUT_ON, where="--on")
    end = _connect(wanted.cluster)
    try:
        cpus, number = _placed(wanted)
        number = _within_limits(plan, number, judging)
        names = ["ray", "rewardlab-core", "rewardlab-shards", *sorted({p.distribution for p in plan.plugins.values()})]
        here = versions(names)
        start = _Starts(plan, judging, here, number, cpus, wanted.gpus)
        try:
            actors = [start(place) for place in range(number)]
            _check(actors, here, judging)
        finally:
            if start.token is not None:
                start.token[0].unlink()
    except BaseException:
        end()
        raise
    judging.say(f"scores on {number} {'host' if number == 1 else 'hosts'} of Ray")
    return ActorPool(start, actors, judging.say, end, _head_lost(wanted.cluster))


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


def _within_limits(plan: Plan, number: int, judging: JudgingSettings) -> int:
    """Return how many hosts may ask the plan's judges: a part of a limit is at least one."""
    uses = {name: plan.judges[name].use for name in plan.asked_by_rewards if not plan.judges[name].spec.local}
    limits = [
        limit
        for use in uses.values()
        for limit in (use.concurrency, use.requests_per_minute, use.tokens_per_minute)
        if limit is not None
    ]
    if (most := min([number, *limits])) < number:
        judging.say(f"{most} of {number} hosts are used: no more may ask the judges by their limits")
    return most


class _Starts:
    """The start of a host by its number, also of one that died."""

    def __init__(
        self, plan: Plan, judging: JudgingSettings, here: Mapping[str, str], number: int, cpus: int, gpus: int
    ) -> None:
        import ray

        names = {
            variable
            for name in plan.asked_by_rewards
            for variable in secret_variables(plan.judges[name].options).values()
        }
        self._secrets = {name: os.environ[name] for name in sorted(names) if name in os.environ}
        self._actor = actor_class(
            num_cpus=cpus,
            num_gpus=gpus,
            scheduling_strategy="SPREAD",
            max_restarts=-1,
            max_concurrency=1000,
        )
        folder = judging.folder.absolute() if plan.asked_by_rewards and judging.folder else None
        self._here, self._kept, self._plan, self._number = here, folder, ray.cloudpickle.dumps(plan), number
        self._stops = judging.stop_on_unparsable
        self.token = None if folder is None else _token(folder)

    def __call__(self, place: int) -> Any:
        share = Share(place + 1, self._number)
        return self._actor.remote(self._plan, share, self._here, self._kept, self.token, self._stops, self._secrets)


def _token(folder: Path) -> tuple[Path, str]:
    folder.mkdir(parents=True, exist_ok=True)
    path, content = folder / "seen_by_every_node", random.token_hex(8)
    path.write_text(content, encoding="utf-8")
    return path, content


def _check(actors: Sequence[Any], here: Mapping[str, str], judging: JudgingSettings) -> None:
    """Raise a UserError if a host has other versions, does not see the answers' folder, or cannot open the reward.

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
    """Return what keeps a host from opening the reward: its own words, or that it has died or lacks a package."""
    from ray.exceptions import RayTaskError

    if not isinstance(error, RayTaskError):
        return JobError(f"a host of Ray died before it scored anything, see Ray's logs: {one_line(error)}")
    if isinstance(error.cause, RewardlabError):
        return error.cause
    what = "a host of Ray cannot start; each node needs this machine's packages"
    return UserError(f"{what}: {one_line(error.cause)}", where="--on")


def problems_of(facts: HostFacts, here: Mapping[str, str], judging: JudgingSettings) -> list[str]:
    """Return what keeps a host from scoring as this machine would."""
    problem = other_versions(facts.node, facts.versions, here)
    problems = [problem] if problem else []
    if not facts.sees_folder:
        where = judging.folder
        problems.append(f"node {facts.node} does not see {where}, where judges' answers are kept; name a shared folder")
    return problems
