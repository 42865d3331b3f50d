"""What the engine says when memory or disk run out, as people can read it."""

import errno

import pytest
from rewardlab.errors import JobError

pytestmark = pytest.mark.slow  # imports torch


@pytest.fixture
def named(model_folder):  # which sets up the process for torch
    from rewardlab_trl.engine_errors import resource_errors

    return resource_errors


def test_memory_that_the_machine_has_not(named):
    import torch

    with pytest.raises(JobError, match=r"^stage 1-rl: too little memory; lower micro_batch_size"), named("1-rl"):
        torch.empty(2**46)


def test_memory_that_the_gpu_has_not(named):
    import torch

    with pytest.raises(JobError, match=r"^stage 1-rl: too little memory.*\(OutOfMemoryError: CUDA"), named("1-rl"):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")


def test_a_file_that_cannot_be_opened(named, tmp_path):
    with pytest.raises(JobError, match=r"^stage 0-sft: .*nowhere/x: No such file"), named("0-sft"):
        (tmp_path / "nowhere" / "x").open("w")


def test_a_disk_without_room(named):
    with pytest.raises(JobError, match=r"^stage 0-sft: the system: No space left on device$"), named("0-sft"):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("error", [RuntimeError("shapes do not match"), ValueError("x"), KeyboardInterrupt()], ids=repr)
def test_anything_else_passes_as_it_is(named, error):
    with pytest.raises(type(error)) as caught, named("0-sft"):
        raise error
    assert caught.value is error


def test_an_error_with_its_name_keeps_it(named):
    with pytest.raises(JobError, match=r"^component 'a' failed$"), named("0-sft"):
        raise JobError("component 'a' failed")
