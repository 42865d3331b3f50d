"""The worker that scores pairs of texts with a COMET checkpoint; runs in COMET's environment, without rewardlab.

settings: {"checkpoint": a .ckpt file or a hub name, "batch_tokens": int or null}.
A question is {"src": text, "mt": text}; comet_scorer/scorer.py says what the answer is.
"""

import sys
import warnings
from pathlib import Path
from shlex import quote
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent))  # the package rewardlab_comet itself needs rewardlab


class CometNotInstalled(Exception):
    """The failure to import COMET with the interpreter that the recipe names."""


def build(settings: dict[str, Any], context: dict[str, Any]) -> Any:
    """Load the checkpoint and return the object that answers the host's questions.

    Raises CometNotInstalled, UnknownDevice, and CheckpointError for a checkpoint that cannot be loaded or that needs a
    human reference.
    """
    _import_comet()
    from comet_scorer.checkpoint import load
    from comet_scorer.scorer import CometScorer

    return CometScorer(load(settings["checkpoint"], context["device"]), settings["batch_tokens"])


def _import_comet() -> None:
    warnings.filterwarnings("ignore", message="pkg_resources is deprecated", category=UserWarning)
    try:
        import comet  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in ("comet", "pkg_resources"):
            raise
        raise CometNotInstalled(
            f"{sys.executable} cannot import COMET ({error}): install it there with {quote(sys.executable)} -m pip "
            'install unbabel-comet==2.2.7 "setuptools<82", or take `environment: managed`'
        ) from None
