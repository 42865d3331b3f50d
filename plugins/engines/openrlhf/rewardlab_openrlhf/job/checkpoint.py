"""The checkpoint that a stage goes on from: whether it is safe to load, and how far it is."""

from pathlib import Path
from typing import Any, NamedTuple

from rewardlab.errors import JobError, one_line

KNOWN = frozenset(
    {
        "deepspeed.runtime.fp16.loss_scaler.DynamicLossScaler",
        "deepspeed.runtime.fp16.loss_scaler.LossScaler",
        "deepspeed.runtime.zero.config.ZeroStageEnum",
        "deepspeed.runtime.zero.offload_config.OffloadDeviceEnum",
        "deepspeed.utils.tensor_fragment.fragment_address",
    }
)
"""what DeepSpeed's checkpoints name besides tensors and plain values; none of it runs code of the file"""


class StageProgress(NamedTuple):
    """The progress of a stage at a checkpoint."""

    prompts: int = 0
    """that OpenRLHF had drawn; where groups are replaced, and with `generate_batch`, more than its steps trained on"""
    steps: int = 0


def checkpoint_progress(checkpoints: Path) -> StageProgress:
    """Return how far the run was when the newest checkpoint was written; nothing without a checkpoint.

    DeepSpeed loads the files of every role (`_actor`, `_critic`) by pickle, which can run code that somebody has put
    there. Raises JobError if one of them names anything that DeepSpeed does not write, or cannot be read.
    """
    for role in sorted(checkpoints.glob("_*")):
        for file in _files(role, "*.pt") or ():
            _refuse_code(role, file)
    folder = checkpoints / "_actor"
    states = _files(folder, "*mp_rank_00_model_states.pt")
    if states is None:  # no checkpoint yet
        return StageProgress()
    try:
        import torch

        # mapped, not read: besides the few numbers that are needed here it holds the weights
        state: Any = torch.load(states[0], map_location="cpu", mmap=True, weights_only=True)
        return StageProgress(int(state["total_consumed_prompts"]), int(state["global_step"]))
    except Exception as error:  # whatever a torn file makes torch raise
        raise _unreadable(folder, error) from error


def newest_step(checkpoints: Path) -> int:
    """Return the training step of a stage's newest checkpoint; 0 without one, or if this machine sees none."""
    steps = [0]
    for latest in (*checkpoints.glob("latest"), *checkpoints.glob("_*/latest")):
        digits = "".join(filter(str.isdigit, latest.read_text(encoding="utf-8")))
        steps.append(int(digits or 0))
    return max(steps)


def _files(role: Path, pattern: str) -> list[Path] | None:
    """Return the files of a role's newest checkpoint; None if there is no checkpoint."""
    latest = role / "latest"
    if not latest.exists():
        return None
    return sorted((role / latest.read_text(encoding="utf-8").strip()).glob(pattern))


def _refuse_code(role: Path, file: Path) -> None:
    try:
        from torch.serialization import get_unsafe_globals_in_checkpoint

        named = {*get_unsafe_globals_in_checkpoint(str(file))} - KNOWN
    except Exception as error:  # whatever a torn file makes torch raise
        raise _unreadable(role, error) from error
    if named:
        raise JobError(
            f"{file} would call {', '.join(sorted(named))} when it is loaded, which DeepSpeed's checkpoints do not; "
            "it is not loaded. Move this checkpoint away to go on from an earlier one, or start a new run"
        )


def _unreadable(folder: Path, error: Exception) -> JobError:
    return JobError(f"the checkpoint in {folder} cannot be read: {one_line(error)}")
