"""The progress of a checkpoint of OpenRLHF: its own record of the prompts that it has consumed."""

from pathlib import Path

from rewardlab.errors import JobError, one_line


def consumed_prompts(checkpoints: Path) -> int:
    """Return how many prompts the run had drawn when the newest checkpoint was written; 0 without a checkpoint.

    Raises JobError where it cannot be read.
    """
    folder = checkpoints / "_actor"
    latest = folder / "latest"
    if not latest.exists():
        return 0
    states = sorted((folder / latest.read_text(encoding="utf-8").strip()).glob("*mp_rank_00_model_states.pt"))
    try:
        import torch

        # mapped, not read: besides the few numbers that are needed here it holds the weights
        state = torch.load(states[0], map_location="cpu", mmap=True, weights_only=False)
        return int(state["total_consumed_prompts"])
    except Exception as error:  # whatever a torn file makes torch raise
        raise JobError(f"the checkpoint in {folder} cannot be read: {one_line(error)}") from error
