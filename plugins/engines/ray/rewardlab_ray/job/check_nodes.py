"""Checks of the nodes that a stage can be placed on, before anything starts: GPUs, versions, paths and secrets."""

import os
import platform
import secrets as random
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypedDict

from rewardlab.errors import Problem, UserError
from rewardlab.plan import secret_variables
from rewardlab.recipe import RlStage
from rewardlab_training import looks_local

from rewardlab_ray.job.cluster_nodes import ClusterNode, cluster_nodes, free_gpus
from rewardlab_ray.job.engine import RayEngine, missing_modules
from rewardlab_ray.job_options import job_options
from rewardlab_ray.ray_actors import WITHOUT_TORCH
from rewardlab_ray.stage_task import StageTask

EXAMINE_LIMIT_S = 120.0


class _ExamineArguments(TypedDict):
    """The arguments of `examine`."""

    paths: Mapping[str, str]
    model: str | None
    packages: Sequence[str]
    secrets: Sequence[str]
    modules: Sequence[str]


def check_nodes(task: StageTask, engine: RayEngine, gpus: int, each: int = 1) -> list[str]:
    """Check the nodes that the stage can be placed on; return the ids of those that can hold scorers.

    Looked at are the nodes with free GPUs, any of which Ray may choose. A node without GPUs is looked at if scorers
    run on CPUs; there a fault only keeps them away. UserError with everything that is wrong.

    Args:
        gpus: how many the stage needs in all.
        each: the least of one node that are of use to it.
    """
    nodes = cluster_nodes(gpus, each)
    needed = [node for node in nodes if node.free >= each]
    if lacking := _lacking(nodes, gpus, each):
        needed = [node for node in nodes if node.gpus >= each]
    beside = [node for node in nodes if not node.gpus and _may_hold_scorer(node, task)]
    arguments = _examine_arguments(task, engine)
    here = examine(**arguments)
    examined = _examine_nodes([*needed, *beside], arguments)
    problems = [
        *lacking,
        *(problem for node in needed for problem in _problems(node, examined[node.id], here, task, engine)),
    ]
    if problems:
        where = task.plan.document.where(("backend",))
        raise UserError([Problem(where=where, what=problem) for problem in problems])
    faults = {node.id: [*_problems(node, examined[node.id], here, task, engine)] for node in beside}
    for why in (faults_of[0] for faults_of in faults.values() if faults_of):
        task.say(f"no scorer is placed there: {why}")
    return [node.id for node in (*needed, *beside) if not faults.get(node.id)]


def _may_hold_scorer(node: ClusterNode, task: StageTask) -> bool:
    scorers = job_options(task.plan).scorers
    cpus = max(scorers.num_cpus, 1)  # a head node that offers none is left alone whatever a scorer asks for
    return isinstance(task.stage, RlStage) and not scorers.num_gpus and node.cpus >= cpus


def _examine_arguments(task: StageTask, engine: RayEngine) -> _ExamineArguments:
    token = task.folder / "seen_by_every_node"
    token.write_text(random.token_hex(8), encoding="utf-8")
    return {
        "paths": {str(token): token.read_text(encoding="utf-8")},
        "model": task.model if looks_local(task.model) else None,
        "packages": ["rewardlab-core", *engine.packages, "ray", *_distributions(task)],
        "secrets": _secrets(task),
        "modules": [*engine.modules(task.plan, isinstance(task.stage, RlStage))],
    }


def examine(
    paths: Mapping[str, str],
    model: str | None,
    packages: Sequence[str],
    secrets: Sequence[str],
    modules: Sequence[str],
) -> dict[str, Any]:
    """Return what this node has: its Python, versions, and what it lacks. `paths`: a file -> its expected content."""
    return {
        "python": platform.python_version(),
        "executable": sys.executable,
        "versions": {name: _version(name) for name in packages},
        "unseen": [path for path, content in paths.items() if not _holds(Path(path), content)],
        "model": model is None or (Path(os.path.expanduser(model)) / "config.json").is_file(),
        "missing_secrets": [name for name in secrets if not os.environ.get(name)],
        "missing_modules": missing_modules(modules),
    }


def _examine_nodes(nodes: Sequence[ClusterNode], arguments: _ExamineArguments) -> dict[str, dict[str, Any] | str]:
    """Return by node id what `examine` finds on all nodes at once, or why it could not run there."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    asked = {}
    for node in nodes:
        there = NodeAffinitySchedulingStrategy(node_id=node.id, soft=False)
        task = ray.remote(num_cpus=0, scheduling_strategy=there, max_retries=0, runtime_env=WITHOUT_TORCH)(examine)
        asked[node.id] = task.remote(**arguments)
    ray.wait([*asked.values()], num_returns=len(asked), timeout=EXAMINE_LIMIT_S)
    return {node: _answer(reference) for node, reference in asked.items()}


def _answer(reference: Any) -> dict[str, Any] | str:
    import ray

    try:
        return ray.get(reference, timeout=0)
    except ray.exceptions.GetTimeoutError:
        ray.cancel(reference, force=True)
        return f"no answer within {EXAMINE_LIMIT_S:g} s"
    except Exception as error:  # a node without our package cannot even read the question
        return f"{type(error).__name__}: {str(error).strip().splitlines()[-1] if str(error).strip() else ''}"


def _lacking(nodes: Sequence[ClusterNode], gpus: int, each: int) -> list[str]:
    """Return a line about GPUs that are missing, or in use; empty if enough are free."""
    there, free = sum(node.gpus for node in nodes), free_gpus(nodes, each)
    if there < gpus:
        listed = ", ".join(f"{node.name} {node.gpus}" for node in nodes)
        return [
            f"the stage needs {gpus} GPUs and Ray has {there} ({listed}); change nodes, gpus_per_node "
            "or scorers, or start more nodes"
        ]
    if free < gpus:
        listed = ", ".join(f"{node.name} {node.free} of {node.gpus}" for node in nodes if node.gpus)
        whole = f" in parts of {each} to a node" if each > 1 else ""
        return [
            f"the stage needs {gpus} GPUs{whole} and {free} are free ({listed}); `ray status` there says who holds the "
            "others: wait for that job, or stop it"
        ]
    return []


def _problems(
    node: ClusterNode, facts: dict[str, Any] | str, here: Mapping[str, Any], task: StageTask, engine: RayEngine
) -> Iterator[str]:
    name = node.name
    if isinstance(facts, str):
        yield f"node {name} cannot run rewardlab ({facts}); prepare its environment as docs/cluster.md says"
        return
    if facts["python"].split(".")[:2] != here["python"].split(".")[:2]:
        yield f"node {name} has Python {facts['python']}, the head of the job {here['python']}"
    if facts["missing_modules"] and node.gpus:
        yield f"node {name} has no {', '.join(facts['missing_modules'])} in the environment of {facts['executable']}"
    for package, there in facts["versions"].items():
        if there != here["versions"][package] and (node.gpus or package not in engine.packages):
            yield f"node {name} has {package} {there}, the head of the job {here['versions'][package]}"
    if facts["unseen"]:
        yield (
            f"node {name} does not see the run directory {task.run}; "
            "set backend.engine.storage to a folder that every node sees"
        )
    if not facts["model"] and node.gpus:
        yield f"node {name} does not see the model folder {task.model}; put it where every node sees it"
    if facts["missing_secrets"]:
        names = ", ".join(facts["missing_secrets"])
        yield f"node {name} has no {names} in its environment; name it in backend.secrets, or set it there"


def _distributions(task: StageTask) -> list[str]:
    return [plugin.distribution for plugin in task.plan.plugins.values()]


def _secrets(task: StageTask) -> list[str]:
    asked = [task.plan.judges[name] for name in task.plan.asked_by_rewards]
    return sorted({variable for judge in asked for variable in secret_variables(judge.options).values()})


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _holds(path: Path, content: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == content
    except OSError:
        return False
