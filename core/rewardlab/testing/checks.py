"""The laws as assertions: for a test of one's own, with one call a component."""

from collections.abc import Mapping, Sequence
from typing import Any

from rewardlab.laws import (
    CurriculumExample,
    DatasetExample,
    Example,
    JudgeExample,
    NormalizerExample,
    RewardExample,
)
from rewardlab.registry import Plugin, Registry
from rewardlab.specs import CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec, _Spec
from rewardlab.testing.outcome import LawsBroken, Tried
from rewardlab.testing.told import broken_text
from rewardlab.testing.trying import TRIES, try_laws
from rewardlab.types import Ask, Completion, Sample

Item = tuple[Sample, Completion | str]
PROMPT = Sample(id="example", prompt=({"role": "user", "content": "What is on the table?"},))


def check_reward(
    spec: RewardSpec | str,
    *,
    good: Sequence[Completion | str | Item] | Completion | str | None = None,
    bad: Sequence[Completion | str | Item] | Completion | str | None = None,
    sample: Sample | None = None,
    ladder: Sequence[Completion | str] = (),
    options: Mapping[str, Any] | None = None,
    judges: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """Assert that a reward keeps the laws of docs/plugins.md; LawsBroken with the smallest failing example of each.

    spec: a RewardSpec, or an installed one as a recipe names it ("my/brevity"). Without `good` and `bad` its own
        examples are taken (`RewardSpec.laws`). Else each is a completion or several of them, of `sample`; pairs
        (sample, completion) name theirs.
    ladder: completions of `sample`, worst first, whose values must not fall.
    options: as under `with`; over those of the spec's own examples. judges: by name, objects with `ask`.
    tries: generated cases a law.
    """
    spec, plugin = _found("reward", spec)
    if good is None and bad is None:
        return _checked(try_laws(spec, plugin=plugin, given=options, tries=tries))
    examples = _examples(_items(good, sample), _items(bad, sample), ladder, sample, options or {}, judges)
    return _checked(try_laws(spec, plugin=plugin, examples=examples, tries=tries))


def check_judge(
    spec: JudgeSpec | str,
    *,
    asks: Sequence[Ask] | None = None,
    options: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """As check_reward, of a judge. `asks`: questions that it understands, instead of the spec's own."""
    own = None if asks is None else [JudgeExample(asks=asks)]
    return _check("judge", spec, own, options, tries)


def check_dataset(
    spec: DatasetSpec | str,
    *,
    source: Sequence[Sample] | None = None,
    options: Mapping[str, Any] | None = None,
    judges: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """As check_reward, of a dataset. `source`: what a data step starts from, instead of the spec's own examples."""
    given = {"judges": lambda: judges} if judges else {}
    own = None if source is None else [DatasetExample(source=source, **given)]
    return _check("dataset", spec, own, options, tries)


def check_curriculum(
    spec: CurriculumSpec | str,
    *,
    samples: Sequence[Sample] = (),
    pools: Sequence[Any] = (),
    options: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """As check_reward, of a curriculum. `samples` to order, `pools` to choose from, instead of the spec's own."""
    own = [CurriculumExample(samples=samples, pools=pools)] if samples or pools else None
    return _check("curriculum", spec, own, options, tries)


def check_normalizer(
    spec: NormalizerSpec | str, *, options: Mapping[str, Any] | None = None, tries: int = TRIES
) -> list[Tried]:
    """As check_reward, of a normalizer."""
    own = [NormalizerExample()] if not isinstance(spec, str) and spec.laws.examples is None else None
    return _check("normalizer", spec, own, options, tries)


def _check(
    kind: str,
    spec: _Spec | str,
    examples: Sequence[Example] | None,
    options: Mapping[str, Any] | None,
    tries: int,
) -> list[Tried]:
    __tracebackhide__ = True
    spec, plugin = _found(kind, spec)
    return _checked(try_laws(spec, plugin=plugin, examples=examples, given=options, tries=tries))


def _checked(tried: list[Tried]) -> list[Tried]:
    __tracebackhide__ = True  # the failing example says it, not our frames
    if text := broken_text(tried):
        raise LawsBroken(text)
    return tried


def _found(kind: str, spec: Any) -> tuple[Any, Plugin | None]:
    """The spec, and the installed plugin that offers it."""
    if not isinstance(spec, str):
        if getattr(spec, "kind", None) != kind:
            raise TypeError(f"{spec!r} is no spec of a {kind}")
        return spec, None
    registry = Registry()
    found = registry.find(kind, spec)
    return found, registry.plugin(spec.partition("/")[0])


def _items(given: Any, sample: Sample | None) -> list[Item]:
    """Pairs of a sample and a completion, from whatever form a test names them in."""
    if given is None:
        return []
    if isinstance(given, Completion | str) or _is_item(given):
        given = [given]
    return [one if _is_item(one) else (sample or PROMPT, one) for one in given]


def _is_item(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Sample)


def _examples(
    good: Sequence[Item],
    bad: Sequence[Item],
    ladder: Sequence[Completion | str],
    sample: Sample | None,
    options: Mapping[str, Any],
    judges: Mapping[str, Any] | None,
) -> list[RewardExample]:
    """One for each sample, in the order in which they are named."""
    samples: list[Sample] = []
    for one, _ in [*good, *bad]:
        if one not in samples:
            samples.append(one)
    return [
        RewardExample(
            title=one.id,
            sample=one,
            good=[completion for other, completion in good if other == one],
            bad=[completion for other, completion in bad if other == one],
            ladder=ladder if one == (sample or samples[0]) else (),
            options=options,
            judges=(lambda: judges) if judges else None,
        )
        for one in samples
    ]
