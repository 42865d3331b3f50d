"""How far a checkpoint is; test_end_to_end_training.py reads one that a job has written."""

import os
import shutil

import pytest
from rewardlab.errors import JobError
from rewardlab_openrlhf.job.checkpoint import StageProgress, checkpoint_progress, newest_step

pytest.importorskip("deepspeed", reason="needs the environment of requirements-openrlhf-cpu.txt")
torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]


@pytest.fixture
def saved(tmp_path):
    """The checkpoints of a stage of 10 steps of 8 prompts: those of its steps 5 and 10, as DeepSpeed names them."""
    for step in (5, 10):
        file = _made(tmp_path / "saved" / "_actor" / f"global_step{step}" / "mp_rank_00_model_states.pt")
        torch.save({"total_consumed_prompts": 8 * step, "global_step": step}, file)
    return tmp_path / "saved"


def test_the_newest_counts(saved):
    assert checkpoint_progress(saved) == (10 * 8, 10)


def test_without_one_nothing_is_done(tmp_path):
    assert checkpoint_progress(tmp_path) == StageProgress(prompts=0, steps=0)


class Evil:
    def __reduce__(self):
        return os.system, ("touch EXECUTED",)


@pytest.mark.parametrize(
    "file", ["_actor/global_step10/mp_rank_00_model_states.pt", "_critic/global_step10/x_optim.pt"]
)
def test_one_that_would_run_code_is_refused_and_nothing_runs(saved, tmp_path, monkeypatch, file):
    """Whoever may write into the folder could have put it there; torch and DeepSpeed would run it."""
    monkeypatch.chdir(tmp_path)
    copied = shutil.copytree(saved, tmp_path / "copied")
    torch.save({"total_consumed_prompts": 8, "evil": Evil()}, _made(copied / file))
    with pytest.raises(JobError, match=r"would call .*system when it is loaded, which DeepSpeed's checkpoints do not"):
        checkpoint_progress(copied)
    assert not (tmp_path / "EXECUTED").exists()


def _made(file):
    file.parent.mkdir(parents=True, exist_ok=True)
    (file.parents[1] / "latest").write_text(file.parent.name)
    return file


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut short"])
def test_one_that_was_torn_is_an_error_that_names_it(tmp_path, content):
    folder = tmp_path / "_actor"
    folder.mkdir()
    (folder / "latest").write_text("global_step10")
    (folder / "global_step10").mkdir()
    (folder / "global_step10" / "mp_rank_00_model_states.pt").write_bytes(content)
    with pytest.raises(JobError, match=f"the checkpoint in {folder} cannot be read"):
        checkpoint_progress(tmp_path)


def test_the_newest_step_is_read_from_any_engines_checkpoint(tmp_path):
    assert newest_step(tmp_path / "none") == 0
    (tmp_path / "_actor").mkdir()
    (tmp_path / "_actor" / "latest").write_text("global_step12\n")
    assert newest_step(tmp_path) == 12
