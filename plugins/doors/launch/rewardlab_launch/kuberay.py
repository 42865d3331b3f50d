"""The manifests of a job on Kubernetes: a RayJob, the files that it reads, and the address of each service."""

from collections.abc import Iterator
from typing import Any

from rewardlab_launch.documents import yaml_documents
from rewardlab_launch.launch import Launch
from rewardlab_launch.script_files import command_script, server_script, within_walltime
from rewardlab_launch.services import TRAINER, PlacedService
from rewardlab_launch.site import KubeRayCompute, KubeRayPool

FILES = "/etc/rewardlab"
"""where the job's files are, in every pod"""
PART_OF = "app.kubernetes.io/part-of"
"""the label by which all of a job's is found"""
PORTS = {"gcs-server": 6379, "dashboard": 8265, "client": 10001}
Manifest = dict[str, Any]


def kuberay_files(launch: Launch) -> dict[str, str]:
    """Return the manifests, in the order in which they are made."""
    manifests = [_config_map(launch), *(_service(launch, placed) for placed in launch.services), _ray_job(launch)]
    return {"job.yaml": yaml_documents(manifests)}


def _compute(launch: Launch) -> KubeRayCompute:
    compute = launch.site.compute
    assert isinstance(compute, KubeRayCompute)
    return compute


def _named(launch: Launch, name: str, **labels: str) -> Manifest:
    return {"name": name, "namespace": _compute(launch).namespace, "labels": {PART_OF: launch.name, **labels}}


def _config_map(launch: Launch) -> Manifest:
    named = {"recipe.yaml": launch.recipe, "command.sh": command_script(launch, f"{FILES}/recipe.yaml")}
    named |= {placed.script: server_script(launch, placed) for placed in launch.services}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _named(launch, f"{launch.name}-files"), "data": named}


def _service(launch: Launch, placed: PlacedService) -> Manifest:
    """Return the address of a service's servers, between which Kubernetes itself divides connections."""
    spec = {"selector": _labels(launch, placed), "ports": [{"port": placed.service.port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _named(launch, _host(launch, placed)), "spec": spec}


def _host(launch: Launch, placed: PlacedService) -> str:
    return f"{launch.name}-{placed.name}"


def _labels(launch: Launch, placed: PlacedService) -> dict[str, str]:
    return {"rewardlab-service": _host(launch, placed)}


# --- The RayJob


def _ray_job(launch: Launch) -> Manifest:
    compute, job = _compute(launch), launch.site.job
    queue = {} if compute.queue is None else {"kueue.x-k8s.io/queue-name": compute.queue}
    head = {"rayStartParams": {"dashboard-host": "0.0.0.0"}, "template": _trainer(launch, head=True)}
    groups = [_group(TRAINER, launch.nodes - 1, {}, _trainer(launch, head=False))] if launch.nodes > 1 else []
    # servers are pods of the cluster, so that they begin and end with it; its Ray places nothing there
    idle = {"num-cpus": "0", "num-gpus": "0"}
    groups += [_group(p.name, p.service.replicas, idle, _servers(launch, p)) for p in launch.services]
    # without a token, whoever reaches a port of Ray may run programs
    cluster: Manifest = {"rayVersion": launch.ray, "authOptions": {"mode": "token"}, "headGroupSpec": head}
    spec = {
        "entrypoint": f"{within_walltime(launch)} bash {FILES}/command.sh",
        "submissionMode": "K8sJobMode",
        "backoffLimit": job.resume.retries,
        "shutdownAfterJobFinishes": True,
        "ttlSecondsAfterFinished": compute.keep_s,
        "rayClusterSpec": cluster | ({"workerGroupSpecs": groups} if groups else {}),
    }
    return {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": _named(launch, launch.name, **queue), "spec": spec}


def _group(name: str, count: int, start: dict[str, str], template: Manifest) -> Manifest:
    counts = dict.fromkeys(("replicas", "minReplicas", "maxReplicas"), count)
    return {"groupName": name, **counts, "rayStartParams": start, "template": template}


def _trainer(launch: Launch, *, head: bool) -> Manifest:
    pool = launch.pool
    assert isinstance(pool, KubeRayPool)
    container: Manifest = {
        "name": "ray-head" if head else "ray-worker",
        "image": _compute(launch).image,
        "env": [*_environment(launch)],
        "resources": _resources(pool, launch.gpus, pool.cpus, pool.memory),
        "volumeMounts": _mounts(launch),
    }
    if head:
        container["env"] += [_variable("REWARDLAB_RAY", "1"), _variable("REWARDLAB_SERVERS", _addresses(launch))]
        container["ports"] = [{"name": name, "containerPort": port} for name, port in PORTS.items()]
    return {"metadata": {"labels": {PART_OF: launch.name}}, "spec": _pod(launch, pool, [container])}


def _servers(launch: Launch, placed: PlacedService) -> Manifest:
    """Return the pod of one server, beside a Ray that does nothing but belong to the cluster."""
    service, pool, image = placed.service, placed.pool, _compute(launch).image
    assert isinstance(pool, KubeRayPool)
    probe = {"httpGet": {"path": service.health.path, "port": service.port}, "periodSeconds": 10}
    server = {
        "name": "server",
        "image": service.image or image,
        "command": ["bash", f"{FILES}/{placed.script}", "0", "1", str(service.port)],
        "env": [*_environment(launch)],
        "ports": [{"containerPort": service.port}],
        "resources": _resources(pool, service.gpus, service.cpus, None),
        "startupProbe": probe | {"failureThreshold": -(-service.health.timeout // 10)},
        "readinessProbe": probe,
        "livenessProbe": probe | {"failureThreshold": 12},
        "volumeMounts": _mounts(launch),
    }
    ray = {"name": "ray-worker", "image": image, "resources": _resources(pool, 0, 1, "4Gi")}
    labels = {PART_OF: launch.name} | _labels(launch, placed)
    return {"metadata": {"labels": labels}, "spec": _pod(launch, pool, [ray, server])}


def _pod(launch: Launch, pool: KubeRayPool, containers: list[Manifest]) -> Manifest:
    compute = _compute(launch)
    volumes: list[Manifest] = [
        {"name": "files", "configMap": {"name": f"{launch.name}-files"}},
        {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": compute.shared_memory}},
    ]
    for number, claim in enumerate(compute.mounts.values()):
        volumes.append({"name": f"mount-{number}", "persistentVolumeClaim": {"claimName": claim}})
    pod: Manifest = {"containers": containers, "volumes": volumes}
    if pool.node_selector:
        pod["nodeSelector"] = dict(pool.node_selector)
    if pool.tolerations:
        pod["tolerations"] = [*pool.tolerations]
    if compute.service_account is not None:
        pod["serviceAccountName"] = compute.service_account
    return pod | {"terminationGracePeriodSeconds": launch.site.job.grace}


def _mounts(launch: Launch) -> list[Manifest]:
    fixed = [{"name": "files", "mountPath": FILES}, {"name": "shared-memory", "mountPath": "/dev/shm"}]
    mounts = enumerate(_compute(launch).mounts)
    return [*fixed, *({"name": f"mount-{number}", "mountPath": path} for number, path in mounts)]


def _resources(pool: KubeRayPool, gpus: int, cpus: int | None, memory: str | None) -> Manifest:
    wanted = {pool.gpu: gpus or None, "cpu": cpus, "memory": memory}
    named = {name: str(value) for name, value in wanted.items() if value is not None}
    return {"requests": named, "limits": dict(named)}


def _variable(name: str, value: str) -> Manifest:
    return {"name": name, "value": value.replace("$(", "$$(")}  # which Kubernetes would read as a variable


def _environment(launch: Launch) -> Iterator[Manifest]:
    for name, value in launch.environment.items():
        yield _variable(name, value)
    for name, reference in _compute(launch).secrets.items():
        secret, _, key = reference.partition("/")
        yield {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def _addresses(launch: Launch) -> str:
    """Return the servers as command.sh reads them."""
    words = []
    for placed in launch.services:
        service, host = placed.service, f"{_host(launch, placed)}:{placed.service.port}"
        words.append(f"{service.variable} {service.health.path} {service.health.timeout} {host};")
    return "".join(words)
