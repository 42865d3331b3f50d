"""Managed jobs of SkyPilot, by its own command."""

import os
from pathlib import Path

from rewardlab.errors import UserError

from rewardlab_launch.launch import Launch
from rewardlab_launch.record import LaunchRecord
from rewardlab_launch.shell import Shell
from rewardlab_launch.site import SkyPilotCompute


def submit(launch: Launch, folder: Path) -> str:
    compute = launch.site.compute
    assert isinstance(compute, SkyPilotCompute)
    if unset := sorted({name for name in compute.secrets.values() if not os.environ.get(name)}):
        raise UserError(f"not set in this shell: {', '.join(unset)} (compute.secrets)")
    named = [word for name in compute.secrets for word in ("--secret", name)]
    variables = {name: os.environ[source] for name, source in compute.secrets.items()}
    words = ["sky", "jobs", "launch", "--yes", "--detach-run", "--name", launch.name, *named, str(folder / "job.yaml")]
    Shell(variables=variables).run(words)
    return launch.name


def _sky(*words: str) -> str:
    return Shell().text(["sky", "jobs", *words])


def status(record: LaunchRecord) -> str:
    table = _sky("queue", "--all").splitlines()
    return "\n".join(line for line in table if record.name in line or line.lstrip().startswith("ID")) + "\n"


def logs(record: LaunchRecord) -> str:
    return _sky("logs", "--no-follow", "--name", record.name)


def stop(record: LaunchRecord) -> None:
    _sky("cancel", "--yes", "--name", record.name)
