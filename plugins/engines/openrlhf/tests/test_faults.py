"""What OpenRLHF's own loop does when a part of its job is lost: the table of helpers/faults.py."""

import pytest
from helpers.faults import CASES, FaultTrial

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf, pytest.mark.nightly]


@pytest.mark.parametrize("case", CASES)
def test_a_job_that_loses(case, jobs, model_folder, tmp_path):
    engine = {"sleep": False, "zero_stage": 1, "packing": False}
    trial = FaultTrial(
        jobs=jobs.JOBS,
        folder=tmp_path,
        model=model_folder("llama"),
        backend={"use": "openrlhf", "gpus_per_node": 1, "engine": engine},
        titles={"a rollout engine": "RolloutRayActor", "a rank of the trainer": "PolicyModelActor"},
    )
    CASES[case](trial)
