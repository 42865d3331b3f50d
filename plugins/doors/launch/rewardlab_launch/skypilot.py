"""The tasks of a job for SkyPilot: one for the trainer and, in a job group, one for each service."""

import shlex
from typing import Any

from rewardlab_launch.documents import yaml_documents
from rewardlab_launch.launch import FOLDERS, Launch
from rewardlab_launch.script_files import command_script, server_script, within_walltime
from rewardlab_launch.services import TRAINER, PlacedService
from rewardlab_launch.site import NodePool, SkyPilotCompute, SkyPilotPool

Task = dict[str, Any]


def skypilot_files(launch: Launch) -> dict[str, str]:
    """Return the tasks as one YAML file, for `sky jobs launch`."""
    tasks = [_trainer(launch), *(_server(launch, placed) for placed in launch.services)]
    header = {"name": launch.name, "execution": "parallel", "primary_tasks": [TRAINER], "termination_delay": "30s"}
    documents = [header, *tasks] if launch.services else tasks
    return {"job.yaml": yaml_documents(documents)}


def _compute(launch: Launch) -> SkyPilotCompute:
    compute = launch.site.compute
    assert isinstance(compute, SkyPilotCompute)
    return compute


def _task(launch: Launch, name: str, nodes: int, pool: NodePool, gpus: int, image: str | None, run: list[str]) -> Task:
    compute = _compute(launch)
    assert isinstance(pool, SkyPilotPool)
    resources: Task = {} if compute.infra is None else {"infra": compute.infra}
    if gpus:
        resources["accelerators"] = f"{pool.accelerator}:{gpus}"
    given = {"cpus": pool.cpus and f"{pool.cpus}+", "memory": pool.memory, "disk_size": pool.disk_gb}
    resources |= {key: value for key, value in given.items() if value is not None}
    if image is not None:
        resources["image_id"] = f"docker:{image}"
    if pool.spot:
        resources["use_spot"] = True
    # what is lost is found again by itself; what fails is tried again, and goes on from where it was
    resources["job_recovery"] = {"max_restarts_on_errors": launch.site.job.resume.retries}
    task: Task = {"name": name, "num_nodes": nodes, "resources": resources}
    if compute.secrets:
        task["secrets"] = dict.fromkeys(compute.secrets)
    buckets = {path: source for path, source in compute.mounts.items() if "://" in source}
    volumes = {path: source for path, source in compute.mounts.items() if "://" not in source}
    if buckets:
        task["file_mounts"] = {path: {"source": source, "mode": "MOUNT"} for path, source in buckets.items()}
    if volumes:
        task["volumes"] = volumes
    return task | {"run": "\n".join(run) + "\n"}


def _trainer(launch: Launch) -> Task:
    recipe = f"{launch.folder}/launch/recipe.yaml"
    lines = [
        f"mkdir -p {' '.join(shlex.quote(f'{launch.folder}/{name}') for name in FOLDERS)}",
        f'export REWARDLAB_SERVERS="{_addresses(launch)}"',
        'REWARDLAB_HEAD=$(head -n 1 <<<"$SKYPILOT_NODE_IPS")',
        "export REWARDLAB_HEAD",
        *launch.site.compute.setup,
    ]
    if launch.on_ray:  # SkyPilot has a Ray of its own on each node, which `ray stop` would end, too
        lines += ["export REWARDLAB_RAY=1 RAY_HEAD_IP_ADDRESS=$REWARDLAB_HEAD", "~/sky_templates/ray/start_cluster"]
        lines += ['if [ "$SKYPILOT_NODE_RANK" != 0 ]; then exit 0; fi']
    lines += [
        *_here(shlex.quote(recipe), launch.recipe),
        *_here("~/command.sh", command_script(launch, recipe)),
    ]
    lines.append(f"{within_walltime(launch)} bash ~/command.sh")
    return _task(launch, TRAINER, launch.nodes, launch.pool, launch.gpus, launch.site.compute.image, lines)


def _server(launch: Launch, placed: PlacedService) -> Task:
    """Return the task of a service: each node has as many servers as its GPUs allow."""
    service = placed.service
    lines = [
        *_here("~/server.sh", server_script(launch, placed)),
        f"first=$((SKYPILOT_NODE_RANK * {placed.per_node}))",
        f"count=$(({service.replicas} - first))",
        f"if ((count > {placed.per_node})); then count={placed.per_node}; fi",
        f'bash ~/server.sh "$first" "$count" {service.port}',
    ]
    gpus = min(placed.per_node, service.replicas) * service.gpus
    return _task(
        launch, placed.name, placed.nodes, placed.pool, gpus, service.image or launch.site.compute.image, lines
    )


def _addresses(launch: Launch) -> str:
    words = []
    for placed in launch.services:
        service, per_node = placed.service, placed.per_node
        places = [(replica // per_node, service.port + replica % per_node) for replica in range(service.replicas)]
        hosts = " ".join(f"{placed.name}-{node}.$SKYPILOT_JOBGROUP_NAME:{port}" for node, port in places)
        words.append(f"{service.variable} {service.health.path} {service.health.timeout} {hosts};")
    return "".join(words)


def _here(path: str, text: str) -> list[str]:
    """Return lines that write a file, `path` as the shell reads it, whose text the shell does not look into."""
    lines, end = text.rstrip("\n").split("\n"), "END"
    while end in lines:
        end += "_"
    return [f"cat >{path} <<'{end}'", *lines, end]
