"""What verl's own loop does when a part of its job is lost: the table of helpers/faults.py."""

import secrets

import pytest
from helpers.faults import CASES, FaultTrial

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl, pytest.mark.nightly]


@pytest.mark.parametrize("case", CASES)
def test_a_job_that_loses(case, jobs, model_folder, tmp_path):
    trial = FaultTrial(
        jobs=jobs.JOBS,
        folder=tmp_path,
        model=model_folder("llama"),
        backend={"use": "verl", "gpus_per_node": 1, "precision": "fp32", "engine": jobs.ON_CPU},
        titles={"a rollout engine": "ray::Server", "a rank of the trainer": "WorkerDict"},
        cpus=16,
        environment={"REWARDLAB_CPU_ENGINE_TOKENS": "8"},
        cluster={"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)},  # else this Ray answers nobody
    )
    CASES[case](trial)
