"""The law against hedging: who gives a right answer and a wrong one has not answered."""

from rewardlab import Completion

from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.reward_harness import bench
from rewardlab_testing.laws.reward_laws import cases
from rewardlab_testing.laws.reward_laws.comparison import describe_completion, describe_score
from rewardlab_testing.outcomes.messages import violation
from rewardlab_testing.outcomes.outcome import NothingToTry

JOINTS = (
    " or ",
    " and ",
    ", ",
    "; ",
    " or maybe ",
    r" \text{ or } ",
    " oder ",
    " ou ",
    " или ",
    "或",
    "または",
    " أو ",
)


def hedge(tested: ComponentUnderTest) -> int:
    """Check the pair in either order, joined by words and commas: the whole texts, and what differs between them."""
    if not tested.example.hedge:
        raise NothingToTry("no right and wrong answer are declared: RewardExample(hedge=...)")
    right, wrong = tested.example.hedge
    asking, sample = bench(tested), tested.example.sample
    alone, other, *hedged = asking.score(
        cases.items(sample, [Completion(text=text) for text in (right, wrong, *_hedges(right, wrong))])
    )
    for text, score in zip((wrong, *_hedges(right, wrong)), (other, *hedged), strict=True):
        if alone.value is None or score.value is None or score.value >= alone.value - tested.spec.laws.rounding:
            raise violation(
                describe_completion(Completion(text=text)),
                describe_score(score),
                f"a value, less than that of the right answer {right!r} alone: {describe_score(alone)}",
            )
    return len(hedged)


def _hedges(right: str, wrong: str) -> list[str]:
    r"""Return texts that give both answers: `\boxed{7} or \boxed{8}`, `\boxed{7 or 8}`, and the other way round."""
    start, end = _around(right, wrong)
    inner = [text[len(start) : len(text) - len(end)] for text in (right, wrong)]
    texts = []
    for joint in JOINTS:
        texts += [f"{right}{joint}{wrong}", f"{wrong}{joint}{right}"]
        if start or end:
            texts += [f"{start}{joint.join(pair)}{end}" for pair in (inner, inner[::-1])]
    return texts


def _around(answer: str, other: str) -> tuple[str, str]:
    """Return the mark-up around two answers: what they begin and end with alike, but for letters and digits."""
    start = _common_start(answer, other)
    end = _common_start(answer[len(start) :][::-1], other[len(start) :][::-1])[::-1]
    while start and start[-1].isalnum():
        start = start[:-1]
    while end and end[0].isalnum():
        end = end[1:]
    return start, end


def _common_start(answer: str, other: str) -> str:
    pairs = enumerate(zip(answer, other, strict=False))
    return answer[: next((place for place, (left, right) in pairs if left != right), min(len(answer), len(other)))]
