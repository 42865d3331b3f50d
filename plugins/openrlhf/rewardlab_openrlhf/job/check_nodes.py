"""Checks of every node of a cluster before anything starts: GPUs, versions, paths and secrets."""

import os
import platform
import secrets as random
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypedDict

from rewardlab.errors import Problem, UserError
from rewardlab.training import RlStage, looks_local, secret_variables

from rewardlab_openrlhf.engine_arguments import what_is_wrong
from rewardlab_openrlhf.job.task import StageTask

PACKAGES = ("rewardlab", "openrlhf", "vllm", "torch", "transformers", "deepspeed", "ray")
MODULES = ("openrlhf", "deepspeed", "flash_attn")
EXAMINE_LIMIT_S = 120.0


def check_version(where: str) -> None:
    """Raise UserError where this environment lacks OpenRLHF, or has another version than `compile` writes for."""
    if wrong := what_is_wrong():
        raise UserError(wrong, where=where)


def missing_modules(rollouts: bool) -> list[str]:
    """Return the modules that OpenRLHF imports and this environment lacks; `rollouts`: with those of rl."""
    return [name for name in (*MODULES, *(("vllm",) if rollouts else ())) if find_spec(name) is None]


class _ExamineArguments(TypedDict):
    """The arguments of `examine`."""

    paths: Mapping[str, str]
    model: str | None
    packages: Sequence[str]
    secrets: Sequence[str]
    rollouts: bool


def check_nodes(task: StageTask, gpus: int) -> None:
    """Raise UserError with everything that is wrong with the cluster that this process is connected to.

    gpus: how many the stage needs in all.
    """
    import ray

    token = task.folder / "seen_by_every_node"
    token.write_text(random.token_hex(8), encoding="utf-8")
    nodes = [node for node in ray.nodes() if node["Alive"]]
    paths = {str(token): token.read_text(encoding="utf-8")}
    local_model = task.model if looks_local(task.model) else None
    arguments: _ExamineArguments = {
        "paths": paths,
        "model": local_model,
        "packages": [*PACKAGES, *_distributions(task)],
        "secrets": _secrets(task),
        "rollouts": isinstance(task.stage, RlStage),
    }
    here = examine(**arguments)
    by_name = dict(zip(_node_names(nodes), nodes, strict=True))
    found = {name: _examine_node(node, arguments) for name, node in by_name.items()}
    problems = [*_gpu_problems(by_name, gpus), *_problems(found, here, task)]
    if problems:
        where = task.plan.document.where(("backend",))
        raise UserError([Problem(where=where, what=what) for what in problems])


def examine(
    paths: Mapping[str, str],
    model: str | None,
    packages: Sequence[str],
    secrets: Sequence[str],
    rollouts: bool,
) -> dict[str, Any]:
    """Return what this node has: its Python, versions, and what it lacks. `paths`: a file -> its expected content."""
    return {
        "python": platform.python_version(),
        "executable": sys.executable,
        "versions": {name: _version(name) for name in packages},
        "unseen": [path for path, content in paths.items() if not _holds(Path(path), content)],
        "model": model is None or (Path(os.path.expanduser(model)) / "config.json").is_file(),
        "missing_secrets": [name for name in secrets if not os.environ.get(name)],
        "missing_modules": missing_modules(rollouts),
    }


def _examine_node(node: Mapping[str, Any], arguments: _ExamineArguments) -> dict[str, Any] | str:
    """Return what `examine` finds on a node, or why it could not run there."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy = NodeAffinitySchedulingStrategy(node_id=node["NodeID"], soft=False)
    task = ray.remote(num_cpus=0, scheduling_strategy=strategy, max_retries=0)(examine)
    try:
        return ray.get(task.remote(**arguments), timeout=EXAMINE_LIMIT_S)
    except Exception as error:  # a node without our package cannot even read the question
        return f"{type(error).__name__}: {str(error).strip().splitlines()[-1] if str(error).strip() else ''}"


def _gpu_problems(nodes: Mapping[str, Mapping[str, Any]], gpus: int) -> Iterator[str]:
    there = {name: int(node["Resources"].get("GPU", 0)) for name, node in nodes.items()}
    if sum(there.values()) < gpus:
        listed = ", ".join(f"{name} {count}" for name, count in there.items())
        yield (
            f"the stage needs {gpus} GPUs and Ray has {sum(there.values())} ({listed}); change nodes, gpus_per_node "
            "or scorers, or start more nodes"
        )


def _problems(found: Mapping[str, dict[str, Any] | str], here: Mapping[str, Any], task: StageTask) -> Iterator[str]:
    for name, node in found.items():
        if isinstance(node, str):
            yield f"node {name} cannot run rewardlab ({node}); prepare its environment as docs/cluster.md says"
            continue
        if node["python"].split(".")[:2] != here["python"].split(".")[:2]:
            yield f"node {name} has Python {node['python']}, the head of the job {here['python']}"
        if node["missing_modules"]:
            yield f"node {name} has no {', '.join(node['missing_modules'])} in the environment of {node['executable']}"
        for package, there in node["versions"].items():
            if there != here["versions"][package]:
                yield f"node {name} has {package} {there}, the head of the job {here['versions'][package]}"
        if node["unseen"]:
            yield (
                f"node {name} does not see the run directory {task.run}; "
                "set backend.engine.storage to a folder that every node sees"
            )
        if not node["model"]:
            yield f"node {name} does not see the model folder {task.model}; put it where every node sees it"
        if node["missing_secrets"]:
            names = ", ".join(node["missing_secrets"])
            yield f"node {name} has no {names} in its environment; name it in backend.secrets, or set it there"


def _distributions(task: StageTask) -> list[str]:
    return [plugin.distribution for plugin in task.plan.plugins.values()]


def _secrets(task: StageTask) -> list[str]:
    asked = [task.plan.judges[name] for name in task.plan.asked_by_rewards]
    return sorted({variable for judge in asked for variable in secret_variables(judge.options).values()})


def _node_names(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a name for each node: its host's, with Ray's own where several nodes share a host."""
    hosts = [str(node.get("NodeManagerHostname") or node.get("NodeManagerAddress")) for node in nodes]
    return [
        host if hosts.count(host) == 1 else f"{host} ({node['NodeID'][:8]})"
        for host, node in zip(hosts, nodes, strict=True)
    ]


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
