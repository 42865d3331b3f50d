"""The checkpoints from which a stage resumes: whole ones only."""

import json
import shutil
from pathlib import Path


def last_checkpoint(folder: Path, processes: int = 1) -> Path | None:
    """Return the newest whole checkpoint under `folder` and delete torn ones, left by a kill or a full disk."""
    return max(whole_checkpoints(folder, processes), key=step_of, default=None)


def whole_checkpoints(folder: Path, processes: int = 1) -> list[Path]:
    """Return the whole checkpoints under `folder` and delete torn ones; of several processes each writes a part."""
    whole = []
    for folder_of_step in folder.glob("checkpoint-*"):
        # a process alone writes its part under another name, and before `trainer_state.json`
        parts = [folder_of_step / f"rng_state_{number}.pth" for number in range(processes)] if processes > 1 else []
        if _is_whole(folder_of_step) and all(part.is_file() for part in parts):
            whole.append(folder_of_step)
        else:
            shutil.rmtree(folder_of_step)
    return whole


def step_of(checkpoint: Path) -> int:
    """Return how many optimizer updates a checkpoint has seen."""
    return int(checkpoint.name.rpartition("-")[2])


def _is_whole(checkpoint: Path) -> bool:
    # Trainer._save_checkpoint writes trainer_state.json after everything else, but not in one piece
    try:
        state = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(state, dict) and state.get("global_step") == step_of(checkpoint)
