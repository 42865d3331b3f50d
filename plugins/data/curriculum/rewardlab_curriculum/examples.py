"""Examples for the laws of curricula: samples and pools."""

from typing import Any

from rewardlab import Candidates, Completion, PoolEntry, Sample, Score
from rewardlab.laws import CurriculumExample

CELLS = ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.5, 0.4), (None, 1.0), (1.0, None))
"""Values of reasoning and answer: each quadrant, one on its border, and completions without one of the values."""


def examples_of_shuffle() -> list[CurriculumExample]:
    """Return one example with generated samples: the order depends on seed and ids alone."""
    return [CurriculumExample()]


def examples_of_difficulty() -> list[CurriculumExample]:
    """Return an example of each order, with rows of two languages, of which several are equally difficult."""
    samples = [
        Sample(
            id=f"row-{number}",
            prompt=({"role": "user", "content": "How much?" + "!" * (number % 3)},),
            fields={"right": number % 5, "language": ("en", "de")[number % 2]},
        )
        for number in range(24)
    ]
    english = {"first": {"language": "en"}}
    options: list[dict[str, Any]] = [{}, {"order": "hard_to_easy"}, english, {**english, "order": "shuffled"}]
    return [CurriculumExample(title=str(option), options=option, samples=samples) for option in options]


def examples_of_balanced() -> list[CurriculumExample]:
    """Return examples of both exit conditions, and of a cap that is not a multiple of the round."""
    names, pools = {"reasoning": "thinking", "answer": "right"}, [_pool(4), _pool(1)]
    return [
        CurriculumExample(title="balanced", options=names, pools=pools),
        CurriculumExample(title="positive", options={**names, "exit": "positive"}, pools=pools),
        CurriculumExample(title="a small cap", options={**names, "cap": 11, "round": 3}, pools=pools),
    ]


def _pool(size: int) -> Candidates:
    entries = [
        PoolEntry(
            completion=Completion(text=f"thinking {thinking}, right {right}"),
            scores={"thinking": Score(value=thinking), "right": Score(value=right)},
        )
        for thinking, right in CELLS
    ]
    return Candidates(sample=Sample(id="s1"), size=size, entries=tuple(entries))
