"""How far a checkpoint is, read from one that DeepSpeed itself has written."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from rewardlab.backends.openrlhf.job.checkpoint import consumed_prompts
from rewardlab.errors import JobError

pytest.importorskip("deepspeed", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

SAVE = """
    import sys

    import deepspeed
    import torch

    model = torch.nn.Linear(2, 2)
    settings = {"train_batch_size": 1, "zero_optimization": {"stage": 2}, "bf16": {"enabled": True}}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    deepspeed.init_distributed("gloo", auto_mpi_discovery=False)
    settings["zero_allow_untested_optimizer"] = True
    engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=settings)
    for step, prompts in ((1, 8), (2, 24)):
        state = {"total_consumed_prompts": prompts}
        engine.save_checkpoint(sys.argv[1], tag=f"global_step{step}", client_state=state)
"""


@pytest.fixture(scope="module")
def saved(jobs, tmp_path_factory):
    """The checkpoints of a stage, the second of them the newest."""
    folder = tmp_path_factory.mktemp("checkpoints")
    ranks = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
    environment = {**os.environ, **jobs.ENVIRONMENT, **ranks}
    command = [sys.executable, "-c", dedent(SAVE), str(folder / "_actor")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def test_the_newest_counts(saved):
    assert consumed_prompts(saved) == 24


def test_without_one_none_are_consumed(tmp_path):
    assert consumed_prompts(tmp_path) == 0


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut short"])
def test_one_that_was_torn_is_an_error_that_names_it(saved, tmp_path, content):
    folder = tmp_path / "_actor"
    folder.mkdir()
    (folder / "latest").write_text("global_step2")
    (name,) = (path.name for path in Path(saved, "_actor", "global_step2").glob("*model_states.pt"))
    (folder / "global_step2").mkdir()
    (folder / "global_step2" / name).write_bytes(content)
    with pytest.raises(JobError, match=f"the checkpoint in {folder} cannot be read"):
        consumed_prompts(tmp_path)
