"""Managed jobs of SkyPilot, by its own command."""

import os
from pathlib import Path

from rewardlab.errors import UserError

from rewardlab_launch.launch import Launch
from rewardlab_launch.record import LaunchRecord
from rewardlab_launch.shell import Shell, before_submission
from rewardlab_launch.site import SkyPilotCompute


def submit(launch: Launch, folder: Path) -> str:
    compute = launch.site.compute
    assert isinstance(compute, SkyPilotCompute)
    if unset := sorted({name for name in compute.secrets.values() if not os.environ.get(name)}):
        raise UserError(f"not set in this shell: {', '.join(unset)} (compute.secrets)")
    with before_submission():
        queued = _queued(launch.name, "--skip-finished")
    if queued:
        raise UserError(f"a job {launch.name!r} is in the queue; give this one another --name")
    named = [word for name in compute.secrets for word in ("--secret", name)]
    variables = {name: os.environ[source] for name, source in compute.secrets.items()}
    words = ["sky", "jobs", "launch", "--yes", "--detach-run", "--name", launch.name, *named, str(folder / "job.yaml")]
    Shell(variables=variables).run(words)
    return launch.name


def _sky(*words: str) -> str:
    return Shell().text(["sky", "jobs", *words])


def _queued(name: str, *words: str) -> list[str]:
    """Return the lines of the queue about jobs of a name."""
    return [line for line in _sky("queue", *words).splitlines() if name in line.split()]


def status(record: LaunchRecord) -> str:
    heads = [line for line in _sky("queue", "--all").splitlines() if line.lstrip().startswith("ID")]
    return "\n".join([*heads, *_queued(record.name, "--all")]) + "\n"


def logs(record: LaunchRecord) -> str:
    return _sky("logs", "--no-follow", "--name", record.name)


def stop(record: LaunchRecord) -> bool:
    if not _queued(record.name, "--skip-finished"):
        return False
    _sky("cancel", "--yes", "--name", record.name)
    return True
