"""Examples for components that declare none, so that a new component can be checked at once."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from rewardlab import Ask, Candidates, Completion, Config, PoolEntry, Sample, Score, Spec
from rewardlab.laws import CurriculumExample, DatasetExample, Example, JudgeExample, NormalizerExample, RewardExample

from rewardlab_testing.outcomes.outcome import UnmetNeed

DECLARE = "declare Laws(examples=...)"
PROMPT = ({"role": "user", "content": "What is on the table?"},)
SAMPLE = Sample(id="example", prompt=PROMPT)
ASKS = (
    Ask(messages=PROMPT, parts={"query": "What is on the table?", "a": "A cup.", "b": "I do not know."}),
    Ask(
        messages=({"role": "system", "content": "One word."}, {"role": "user", "content": "2 と 3 の和は?"}),
        parts={"query": "2 と 3 の和は?", "a": "5", "b": "6", "reference": "5"},
    ),
    Ask(messages=({"role": "user", "content": "A: yes\n\nB: no"},), parts={"query": "", "a": "", "b": "B"}, draw=1),
)
LANGUAGES = ("en", "ja", "ar", "en", "sw", "de", "en", "zh")


def examples_without(spec: Spec) -> Sequence[Example]:
    """Return one default example; raise UnmetNeed, which says what to declare, if a component needs its own."""
    needs = tuple(name for name, field in spec.config.model_fields.items() if field.is_required())
    return [_MAKERS[spec.kind](spec, {"needs": needs}, None if needs else _defaults(spec))]


def _defaults(spec: Spec) -> Config:
    try:
        options = spec.config.model_validate({})
    except ValidationError:
        raise UnmetNeed(f"its options have no valid defaults; {DECLARE}") from None
    for option in getattr(spec, "judges", ()):
        if isinstance(name := getattr(options, option, None), str):
            raise UnmetNeed(f"needs the judge {name!r} that the option {option} names; {DECLARE} with judges")
    return options


def _reward(spec: Any, known: dict[str, Any], options: Config | None) -> Example:
    if options is not None and (fields := spec.required_fields(options)):
        raise UnmetNeed(f"needs a sample with {', '.join(map(repr, fields))}; {DECLARE}")
    if options is None and (spec.requires or spec.judges):
        raise UnmetNeed(f"needs {', '.join(f'{name}=...' for name in known['needs'])} and a sample; {DECLARE}")
    return RewardExample(sample=SAMPLE, good=(), bad=(), **known)


def _judge(spec: Any, known: dict[str, Any], options: Config | None) -> Example:
    if options is not None and not spec.local:
        raise UnmetNeed(f"it is not local, and would be asked over the network; {DECLARE}, or pass asks=...")
    return JudgeExample(asks=ASKS, **known)


def _dataset(spec: Any, known: dict[str, Any], options: Config | None) -> Example:
    if spec.step:
        raise UnmetNeed(f"needs samples to start from; {DECLARE}, or pass source=...")
    if options is not None and spec.is_remote(options):
        raise UnmetNeed(f"reading its rows needs a network; {DECLARE}")
    return DatasetExample(**known)


def _curriculum(spec: Any, known: dict[str, Any], _options: Config | None) -> Example:
    samples = [
        Sample(
            id=f"{at:02}", prompt=PROMPT, fields={"language": language, "difficulty": (7 * at) % 5, "answer": str(at)}
        )
        for at, language in enumerate(LANGUAGES)
    ]
    pools = [] if spec.most is None else [_pool(samples[0], 4, 4), _pool(samples[1], 4, 9), _pool(samples[2], 1, 2)]
    return CurriculumExample(samples=samples, pools=pools, **known)


def _normalizer(_spec: Any, known: dict[str, Any], _options: Config | None) -> Example:
    return NormalizerExample(**known)


_MAKERS = {
    "reward": _reward,
    "judge": _judge,
    "dataset": _dataset,
    "curriculum": _curriculum,
    "normalizer": _normalizer,
}


def _pool(sample: Sample, size: int, count: int) -> Candidates:
    """Return a pool of `count` completions: every third is right, and every fourth lacks its second score."""
    entries = [
        PoolEntry(
            completion=Completion(text=f"completion {at}", token_count=10 + at),
            scores={
                "accuracy": Score(value=float(at % 3 == 0)),
                "quality": Score(value=None if at % 4 == 3 else at / count),
            },
        )
        for at in range(count)
    ]
    return Candidates(sample=sample, size=size, entries=tuple(entries))
