"""Folders that are whole or not there: the models that stages write, the checkpoints that a resume reads."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A scratch folder that becomes `target` when the block ends well, in place of what was there.

    A kill or a full disk leaves no half-written `target`: who finds one finds all of it.
    """
    scratch = target.with_name(f".{target.name}.writing")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    yield scratch
    if target.exists():
        shutil.rmtree(target)
    scratch.rename(target)


def last_checkpoint(folder: Path) -> Path | None:
    """The newest whole checkpoint under `folder`; torn ones, left by a kill or a full disk, are deleted."""
    whole = []
    for found in folder.glob("checkpoint-*"):
        if _is_whole(found):
            whole.append(found)
        else:
            shutil.rmtree(found)
    return max(whole, key=step_of, default=None)


def step_of(checkpoint: Path) -> int:
    """The optimizer updates that a checkpoint has seen."""
    return int(checkpoint.name.rpartition("-")[2])


def _is_whole(checkpoint: Path) -> bool:
    # Trainer._save_checkpoint writes trainer_state.json after everything else, but not in one piece
    try:
        state = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(state, dict) and state.get("global_step") == step_of(checkpoint)
