"""The laws as assertions: for a test of one's own, with one call a component."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rewardlab.errors import UserError
from rewardlab.laws import CurriculumExample, DatasetExample, Example, JudgeExample
from rewardlab.registry import Plugin, Registry
from rewardlab.specs import CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec, _Spec
from rewardlab.testing import outcome
from rewardlab.testing.outcome import LawsBroken, Tried, Untried
from rewardlab.testing.ranked import Completions, ranked_examples
from rewardlab.testing.told import broken_text, remedy_text
from rewardlab.testing.trial import use_of
from rewardlab.testing.trying import TRIES, declared, try_laws
from rewardlab.types import Ask, Completion, Sample

E = TypeVar("E", bound=Example)


def check_reward(
    spec: RewardSpec | str,
    *,
    good: Completions = None,
    bad: Completions = None,
    sample: Sample | None = None,
    ladder: Sequence[Completion | str] = (),
    options: Mapping[str, Any] | None = None,
    judges: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """Assert that a reward keeps the laws of docs/plugins.md; LawsBroken with the smallest failing example of each.

    spec: a RewardSpec, or an installed one as a recipe names it ("my/brevity").
    good, bad: a completion (a text or a Completion) or a list of them, of `sample`; or pairs (sample, completion),
        which name theirs. Every good one of a sample must earn more than every bad one. Without `good`, `bad` and
        `ladder` the spec's own examples are taken (`RewardSpec.laws`).
    sample: absent: a plain question, where the reward requires no field.
    ladder: completions of `sample`, worst first, whose values must not fall.
    options: as under `with`; over those of the spec's own examples, of which the first one's hold for `good` and `bad`.
    judges: by name, objects with `async ask(Ask) -> Reply`, instead of the examples' own.
    tries: generated cases a law.

    Gives what became of each law. A TypeError for arguments of another form; a UserError for wrong options, and where
    no law could be tried.
    """
    __tracebackhide__ = True
    found, plugin = _found("reward", spec)
    own = _own(found, plugin)
    if judges is not None:
        own = [replace(example, judges=lambda: judges) for example in own]
    examples: Sequence[Example] | None = own if judges is not None and own else None
    if good is not None or bad is not None or ladder or sample is not None or (judges is not None and not own):
        examples = ranked_examples(found, good, bad, sample, ladder, options or {}, own[0] if own else None, judges)
    _refuse_without_examples(found, plugin, examples)
    return _checked(try_laws(found, plugin=plugin, examples=examples, given=options, tries=tries))


def check_judge(
    spec: JudgeSpec | str,
    *,
    asks: Sequence[Ask] | None = None,
    options: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """As check_reward, of a judge. `asks`: questions that it understands, instead of those of the spec's own."""
    __tracebackhide__ = True
    parts = {"asks": asks, "says": None if asks is None else ()}
    return _check("judge", spec, JudgeExample(asks=()), parts, options, tries)


def check_dataset(
    spec: DatasetSpec | str,
    *,
    source: Sequence[Sample] | None = None,
    options: Mapping[str, Any] | None = None,
    judges: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """As check_reward, of a dataset. `source`: what a data step starts from, instead of the spec's own samples."""
    __tracebackhide__ = True
    asked = None if judges is None else (lambda: judges)
    return _check("dataset", spec, DatasetExample(), {"source": source, "judges": asked}, options, tries)


def check_curriculum(
    spec: CurriculumSpec | str,
    *,
    samples: Sequence[Sample] | None = None,
    pools: Sequence[Any] | None = None,
    options: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[Tried]:
    """As check_reward, of a curriculum. `samples` to order, `pools` to choose from, instead of the spec's own."""
    __tracebackhide__ = True
    return _check("curriculum", spec, CurriculumExample(), {"samples": samples, "pools": pools}, options, tries)


def check_normalizer(
    spec: NormalizerSpec | str, *, options: Mapping[str, Any] | None = None, tries: int = TRIES
) -> list[Tried]:
    """As check_reward, of a normalizer."""
    __tracebackhide__ = True
    return _check("normalizer", spec, None, {}, options, tries)


def _check(
    kind: str,
    spec: _Spec | str,
    plain: Example | None,
    parts: Mapping[str, Any],
    options: Mapping[str, Any] | None,
    tries: int,
) -> list[Tried]:
    """Under the spec's own examples, or where parts of one are given under these, with the options of the first."""
    __tracebackhide__ = True
    found, plugin = _found(kind, spec)
    given = {name: part for name, part in parts.items() if part is not None}
    examples = None
    if given and plain is not None:
        own = _own(found, plugin)
        examples = [replace(own[0] if own else plain, **given)]
    _refuse_without_examples(found, plugin, examples)
    return _checked(try_laws(found, plugin=plugin, examples=examples, given=options, tries=tries))


def _checked(tried: list[Tried]) -> list[Tried]:
    __tracebackhide__ = True  # the failing example says it, not our frames
    if text := broken_text(tried):
        raise LawsBroken("\n".join(filter(None, [text, remedy_text(tried)])))
    outcome.CHECKED.extend(tried)
    return tried


def _refuse_without_examples(spec: _Spec, plugin: Plugin | None, given: Sequence[Example] | None) -> None:
    """A UserError where no law can be tried: a test that passes whatever the component does is worse than none."""
    if given is not None or spec.laws.examples is not None:
        return
    try:
        declared(spec, plugin)
    except Untried as why:
        raise UserError(f"{use_of(spec, plugin)}: no law can be tried: {why}") from None


def _own(spec: _Spec, plugin: Plugin | None) -> list[Any]:
    """The examples that the spec declares."""
    return [] if spec.laws.examples is None else list(declared(spec, plugin))


def _found(kind: str, spec: Any) -> tuple[Any, Plugin | None]:
    """The spec, and the installed plugin that offers it."""
    if isinstance(spec, str):
        registry = Registry()
        found = registry.find(kind, spec)
        return found, registry.plugin(spec.partition("/")[0])
    if getattr(spec, "kind", None) != kind:
        raise TypeError(f"a spec of a {kind}, or the name of an installed one, as 'plugin/name'; not {spec!r}")
    return spec, None
