"""The worker that scores pairs of texts with a COMET checkpoint; runs in COMET's environment, without rewardlab.

settings: {"checkpoint": a .ckpt file or a hub name, "batch_tokens": int or null}.
A question is {"src": text, "mt": text}; comet_scorer/scorer.py says what the answer is.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent))  # the package rewardlab_comet itself needs rewardlab


def build(settings: dict[str, Any], context: dict[str, Any]) -> Any:
    """The checkpoint, loaded once. Raises CheckpointError where it cannot be had or needs a human reference."""
    from comet_scorer.checkpoint import load
    from comet_scorer.scorer import Scorer

    return Scorer(load(settings["checkpoint"], context["device"]), settings["batch_tokens"])
