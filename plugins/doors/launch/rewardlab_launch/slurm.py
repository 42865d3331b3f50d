"""The scripts of a job on Slurm: one for each attempt, one for each node, and those of command and servers."""

import shlex
from collections.abc import Iterator, Sequence

from rewardlab_launch.launch import Launch
from rewardlab_launch.script_files import command_script, prepared, script, server_script
from rewardlab_launch.services import PlacedService
from rewardlab_launch.site import SlurmCompute, SlurmPool
from rewardlab_launch.site_values import seconds_of

RAY_PORT = 6379
Values = dict[str, str | int | Sequence[str]]


def slurm_files(launch: Launch) -> dict[str, str]:
    """Return the files of launch/ by name; `job.sbatch` is the one that is submitted."""
    recipe = f"{launch.folder}/launch/recipe.yaml"
    named = {"recipe.yaml": launch.recipe}
    if launch.work.shards:
        return {**named, "job.sbatch": _array(launch), "shard.sh": _shard(launch, recipe)}
    named |= {"job.sbatch": _chain(launch), "command.sh": command_script(launch, recipe)}
    if launch.on_ray:
        values: Values = {
            "folder": launch.folder,
            "nodes": launch.nodes,
            "ray_port": RAY_PORT,
            "ray_wait_s": _compute(launch).ray_wait,
            "ray_options": _ray_options(launch),
        }
        named["node.sh"] = script(prepared(launch), values, "node.sh")
    return named | {placed.script: server_script(launch, placed) for placed in launch.services}


def _ray_options(launch: Launch) -> list[str]:
    """Return the options of each node's Ray, which counts the cores of the machine and not those that a job has."""
    given = _compute(launch).ray_options
    counted = any(option.startswith("--num-cpus") for option in given) or not launch.pool.cpus
    return ["--disable-usage-stats", *([] if counted else [f"--num-cpus={launch.pool.cpus}"]), *given]


def _chain(launch: Launch) -> str:
    job, compute = launch.site.job, _compute(launch)
    most = job.resume.walltime
    values: Values = {
        "folder": launch.folder,
        "main": "node" if launch.on_ray else "command",
        "nodes": launch.nodes,
        "groups": len(launch.groups),
        "attempts_most": job.resume.retries + 1,
        "walltime_s": seconds_of(compute.walltime),
        "walltime_most_s": 0 if most is None else seconds_of(most),
        "grace_s": job.grace,
        # of a node that other jobs may be on, too
        "shared": "" if all(compute.pools[name].exclusive for name in launch.groups) else "1",
        "step": _step(launch),
        "container": _container(launch, compute.image, launch.gpus),
        "services": [_service(placed) for placed in launch.services],
    }
    for placed in launch.services:
        image, gpus = placed.service.image or compute.image, placed.service.gpus
        values[f"container_{placed.name.replace('-', '_')}"] = _container(launch, image, gpus)
    logs = f"{launch.folder}/logs/%j.log"
    return script([*_options(launch, logs), *_secrets(compute)], values, "chain.sh")


def _array(launch: Launch) -> str:
    compute = _compute(launch)
    values: Values = {
        "folder": launch.folder,
        "shards": launch.work.shards,
        "attempts_most": launch.site.job.resume.retries + 1,
        "step": _step(launch),
        "container": _container(launch, compute.image, launch.pool.gpus),
    }
    options = [*_options(launch, f"{launch.folder}/logs/%A.%a.log"), f"#SBATCH --array=1-{launch.work.shards}"]
    return script([*options, *_secrets(compute)], values, "array.sh")


def _shard(launch: Launch, recipe: str) -> str:
    values: Values = {
        "workdir": launch.workdir,
        "words": launch.words(recipe),
        "output": launch.output,
        "shards": launch.work.shards,
    }
    return script(prepared(launch), values, "shard.sh")


def _compute(launch: Launch) -> SlurmCompute:
    compute = launch.site.compute
    assert isinstance(compute, SlurmCompute)
    return compute


def _options(launch: Launch, logs: str) -> Iterator[str]:
    """Yield the lines for sbatch: those of the whole job, then those of each group of nodes."""
    compute = _compute(launch)
    lines = [f"--job-name={launch.name}", f"--output={shlex.quote(logs)}", "--open-mode=append", "--requeue"]
    lines += [f"--signal=B:USR1@{launch.site.job.grace}"]
    for group, name in enumerate(launch.groups):
        if group:
            lines.append("hetjob")
        nodes = launch.nodes if not group else 0
        nodes += sum(placed.nodes for placed in launch.services if placed.group == group)
        lines += [*_of_group(compute, compute.pools[name], nodes, bool(launch.work.shards))]
    yield from (f"#SBATCH {line}" for line in lines)


def _of_group(compute: SlurmCompute, pool: SlurmPool, nodes: int, array: bool) -> Iterator[str]:
    given = {"account": compute.account, "qos": compute.qos, "partition": pool.partition, "time": compute.walltime}
    yield from (f"--{name}={shlex.quote(value)}" for name, value in given.items() if value is not None)
    yield f"--nodes={nodes}"
    yield "--ntasks-per-node=1"
    if pool.gpus and not array:
        yield f"--gpus-per-node={'' if pool.gpu is None else f'{pool.gpu}:'}{pool.gpus}"
    if pool.cpus:
        yield f"--cpus-per-task={pool.cpus}"
    exclusive = pool.exclusive and not array
    if pool.memory or exclusive:  # the whole of a node has no more memory than is asked for; 0 is all
        yield f"--mem={pool.memory or 0}"
    if exclusive:
        yield "--exclusive"
    yield from pool.extra


def _step(launch: Launch) -> list[str]:
    """Return the options of the trainer's step; srun takes neither cores nor GPUs from the job by itself."""
    gpus = [f"--gpus-per-node={launch.gpus}"] if launch.gpus else []
    cpus = [f"--cpus-per-task={launch.pool.cpus}"] if launch.pool.cpus else []
    return [*gpus, *cpus, "--cpu-bind=none"]  # else some clusters bind a task to one core


def _container(launch: Launch, image: str | None, gpus: int) -> list[str]:
    """Return the last words of srun by which a step is in a container with the mounts of the site."""
    if image is None:
        return []
    compute = _compute(launch)
    mounts = ",".join(sorted({f"{there}:{here}" for here, there in compute.mounts.items()}))
    if compute.runtime == "apptainer":
        return ["apptainer", "exec", *(["--nv"] if gpus else []), "--bind", mounts, image]
    return [f"--container-image={image}", f"--container-mounts={mounts}"]


def _service(placed: PlacedService) -> str:
    service = placed.service
    words = [placed.name, service.variable, service.health.path, service.health.timeout]
    words += [placed.group, placed.first, placed.per_node, service.replicas, service.gpus]
    words += [placed.pool.cpus or 0, service.port]
    return " ".join(map(str, words))


def _secrets(compute: SlurmCompute) -> Iterator[str]:
    """Yield the lines of a function that reads the secrets from their files."""
    yield "read_secrets() {"
    for variable, file in compute.secrets.items():
        yield f"  {variable}=$(cat {shlex.quote(file)}) || exit 1"
        yield f"  export {variable}"
    yield "  :"
    yield "}"
