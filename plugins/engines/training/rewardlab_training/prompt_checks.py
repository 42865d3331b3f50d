"""Find doubtful prompts in rows: prompts that contain their answer, and prompts that repeat."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rewardlab import Sample

from rewardlab_training.column_names import FINAL

MIN_SHARE = 0.1
"""of the rows whose prompt holds their own answer, beyond those whose prompt would hold another row's by chance"""
MIN_REPEATED = 0.05
"""share of the rows"""
FIELDS = ("answer", "reference")
_BLANKS = re.compile(r"\s+")


def prompt_findings(samples: Sequence[Sample]) -> Iterator[str]:
    """Yield how often a prompt holds its answer or reference, and how often one repeats, if either is frequent.

    Another row's answer is the measure of chance: yes, no and small numbers stand in many prompts.
    """
    prompts = [_plain("\n".join(message["content"] for message in sample.prompt)) for sample in samples]
    for field in FIELDS:
        wanted = [list(_texts(sample.fields.get(field))) for sample in samples]
        own = [place for place, prompt in enumerate(prompts) if _holds(prompt, wanted[place])]
        away = len(samples) // 2  # neighbours may belong together
        others = sum(_holds(prompt, wanted[place - away]) for place, prompt in enumerate(prompts))
        if len(own) - others >= max(1, MIN_SHARE * len(samples)):
            held = f"{len(own)} of {len(samples)} prompts hold their own {field} ({others} another row's)"
            cure = "is the prompt the question alone, or its solution? See `prompt` under `fields`"
            yield f"{held}, first {_place(samples[own[0]])}; {cure}"
    first: dict[str, int] = {}
    again = [place for place, prompt in enumerate(prompts) if first.setdefault(prompt, place) != place]
    if again and len(again) >= MIN_REPEATED * len(samples):
        earlier = samples[first[prompts[again[0]]]]
        repeated = f"{len(again)} of {len(samples)} rows repeat the prompt of an earlier row"
        which = f"first {_place(samples[again[0]])} that of {_place(earlier)}"
        yield f"{repeated}, {which}; each counts as a prompt of its own, also in what is held out"


def _texts(value: Any) -> Iterator[str]:
    """Yield an answer, or each of several, as a prompt would hold it; of a worked solution its final answer, too."""
    for answer in value if isinstance(value, list) else [value]:
        if isinstance(answer, str | int | float) and not isinstance(answer, bool):
            text = str(answer)
            yield from filter(None, (_plain(text), _plain(text.rpartition(FINAL)[2]) if FINAL in text else ""))


def _holds(prompt: str, texts: Sequence[str]) -> bool:
    return any(text in prompt and _whole(text).search(prompt) is not None for text in texts)


def _whole(text: str) -> re.Pattern[str]:
    """Return a pattern for the text where it is not part of a longer number or Latin word."""
    return re.compile(rf"(?<![0-9A-Za-z])(?<!\d[.,]){re.escape(text)}(?![0-9A-Za-z]|[.,]\d)")


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().casefold()


def _place(sample: Sample) -> str:
    return sample.source or sample.place()
