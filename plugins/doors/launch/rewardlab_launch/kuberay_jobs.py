"""Jobs on Kubernetes, by kubectl: checked there, made, asked about, deleted."""

from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.text import shell_command

from rewardlab_launch.kuberay import PART_OF
from rewardlab_launch.launch import Launch
from rewardlab_launch.record import LaunchRecord
from rewardlab_launch.shell import LINES, Shell
from rewardlab_launch.site import KubeRayCompute

KEYS = "go-template={{range $key, $value := .data}}{{$key}} {{end}}"
"""the form in which Kubernetes names the keys of a secret, and nothing else"""


def _kubectl(context: str | None, namespace: str | None, *words: str) -> list[str]:
    there = ["--context", context] if context else []
    return ["kubectl", *there, "--namespace", namespace or "default", *words]


def _of_record(record: LaunchRecord, *words: str) -> list[str]:
    return _kubectl(record.context, record.namespace, *words)


def submit(launch: Launch, folder: Path) -> str:
    compute = launch.site.compute
    assert isinstance(compute, KubeRayCompute)
    shell = Shell()
    for claim in sorted({*compute.mounts.values()}):
        _asked(shell, compute, "persistentvolumeclaim", claim, "name")
    for reference in sorted({*compute.secrets.values()}):
        secret, _, key = reference.partition("/")
        if key not in _asked(shell, compute, "secret", secret, KEYS).split():
            raise UserError(f"secret {secret!r} in namespace {compute.namespace} has no key {key!r} (compute.secrets)")
    manifest = str(folder / "job.yaml")  # created, not applied: a job of this name stays as it is
    words = _kubectl(compute.context, compute.namespace, "create", "-f", manifest)
    tested = shell.run([*words, "--dry-run=server"], fails=False)
    said = tested.stderr.decode(errors="replace").strip()
    if tested.returncode and "already exists" in said:
        removal = shell_command(_kubectl(compute.context, compute.namespace, *_removal(launch.name)))
        raise UserError(
            f"there is something of a job {launch.name!r}: give this one another --name, or end it: {removal}"
        )
    if tested.returncode:
        raise UserError(f"Kubernetes would not take this job: {said[:500]}")
    shell.run(words)
    return launch.name


def _asked(shell: Shell, compute: KubeRayCompute, kind: str, name: str, form: str) -> str:
    """Return what Kubernetes says of something; UserError if it is not there."""
    asked = shell.run(_kubectl(compute.context, compute.namespace, "get", kind, name, "-o", form), fails=False)
    if asked.returncode:
        said = (asked.stderr.decode(errors="replace").strip().splitlines() or ["it says nothing"])[
            -1
        ]  # notes before it
        lacks = "no" if "NotFound" in said or "not found" in said else "kubectl cannot ask for"
        raise UserError(f"{lacks} {kind} {name!r} in namespace {compute.namespace}: {said[:300]}")
    return asked.stdout.decode()


def status(record: LaunchRecord) -> str:
    of_job = Shell().text(_of_record(record, "get", "rayjob", record.name, "-o", "wide"))
    return of_job + Shell().text(_of_record(record, "get", "pods", "-l", f"{PART_OF}={record.name}"))


def logs(record: LaunchRecord) -> str:
    return Shell().text(_of_record(record, "logs", "-l", f"job-name={record.name}", f"--tail={LINES}"))


def stop(record: LaunchRecord) -> bool:
    return "rayjob" in Shell().text(_of_record(record, *_removal(record.name)))


def _removal(name: str) -> tuple[str, ...]:
    """Return kubectl's words that remove all of a job, also what a submission has left that broke off."""
    return ("delete", "rayjob,service,configmap", "-l", f"{PART_OF}={name}")
