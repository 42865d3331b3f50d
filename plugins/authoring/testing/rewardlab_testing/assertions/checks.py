"""The laws as assertions, for plugin authors' own tests: one call for each component."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rewardlab import Ask, Completion, CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec, Sample, Spec
from rewardlab.errors import JobError, UserError
from rewardlab.laws import CurriculumExample, DatasetExample, Example, JudgeExample
from rewardlab.registry import Plugin, installed

from rewardlab_testing.assertions.ranked_examples import Completions, ranked_examples
from rewardlab_testing.harness.component_under_test import use_of
from rewardlab_testing.laws.run_laws import TRIES, examples_of, try_laws
from rewardlab_testing.outcomes import outcome
from rewardlab_testing.outcomes.messages import broken_text, build_failures, remedy_text
from rewardlab_testing.outcomes.outcome import LawsBroken, TrialResult, UnmetNeed

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
) -> list[TrialResult]:
    """Assert that a reward keeps the laws of docs/plugins.md.

    Returns the outcome of each law, example by example. Raises LawsBroken with the smallest failing example of each
    broken law, JobError if the reward cannot be built, TypeError for arguments of another form, and UserError for
    wrong options or if no law could be tried.

    Args:
        spec: a RewardSpec, or the name of an installed one as a recipe has it ("my/brevity"). good, bad: a
            completion (a text or a Completion) or a list of them, for `sample`; or pairs (sample, completion),
            which name their own. Every good one of a sample must earn more than every bad one. Without `good`,
            `bad` and `ladder` the spec's own examples are taken (`RewardSpec.laws`).
        sample: absent: a plain question, if the reward requires no field.
        ladder: completions of `sample`, worst first, whose values must not fall.
        options: as under `with`. They replace those of the spec's own examples, of which the first one's options
            hold for `good` and `bad`, too.
        judges: by name, objects with `async ask(Ask) -> Reply`, instead of the examples' own.
        tries: how many cases are generated for each law.
    """
    __tracebackhide__ = True
    found_spec, plugin = _find_spec("reward", spec)
    own = _own_examples(found_spec, plugin)
    if judges is not None:
        own = [replace(example, judges=lambda: judges) for example in own]
    examples: Sequence[Example] | None = own if judges is not None and own else None
    if good is not None or bad is not None or ladder or sample is not None or (judges is not None and not own):
        examples = ranked_examples(
            found_spec, good, bad, sample, ladder, options or {}, own[0] if own else None, judges
        )
    _refuse_without_examples(found_spec, plugin, examples)
    return assert_kept(try_laws(found_spec, plugin=plugin, examples=examples, given=options, tries=tries))


def check_judge(
    spec: JudgeSpec | str,
    *,
    asks: Sequence[Ask] | None = None,
    options: Mapping[str, Any] | None = None,
    tries: int = TRIES,
) -> list[TrialResult]:
    """Assert that a judge keeps the laws, as `check_reward` does for a reward.

    Args:
        asks: questions that the judge understands, instead of those of the spec's own examples.
    """
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
) -> list[TrialResult]:
    """Assert that a dataset keeps the laws, as `check_reward` does for a reward.

    Args:
        source: the samples that a data step starts from, instead of those of the spec's own examples.
        judges: by name, objects with `async ask(Ask) -> Reply`, instead of the examples' own.
    """
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
) -> list[TrialResult]:
    """Assert that a curriculum keeps the laws, as `check_reward` does for a reward.

    Args:
        samples: to order.
        pools: rewardlab.Candidates to choose from; each instead of those of the spec's own examples.
    """
    __tracebackhide__ = True
    return _check("curriculum", spec, CurriculumExample(), {"samples": samples, "pools": pools}, options, tries)


def check_normalizer(
    spec: NormalizerSpec | str, *, options: Mapping[str, Any] | None = None, tries: int = TRIES
) -> list[TrialResult]:
    """Assert that a normalizer keeps the laws, as `check_reward` does for a reward."""
    __tracebackhide__ = True
    return _check("normalizer", spec, None, {}, options, tries)


def _check(
    kind: str,
    spec: Spec | str,
    plain: Example | None,
    parts: Mapping[str, Any],
    options: Mapping[str, Any] | None,
    tries: int,
) -> list[TrialResult]:
    """Check the spec's own examples; if `parts` of one are given, one made of these and the first of its own."""
    __tracebackhide__ = True
    found_spec, plugin = _find_spec(kind, spec)
    given = {name: part for name, part in parts.items() if part is not None}
    examples = None
    if given and plain is not None:
        own = _own_examples(found_spec, plugin)
        examples = [replace(own[0] if own else plain, **given)]
    _refuse_without_examples(found_spec, plugin, examples)
    return assert_kept(try_laws(found_spec, plugin=plugin, examples=examples, given=options, tries=tries))


def assert_kept(results: list[TrialResult]) -> list[TrialResult]:
    """Return the results and keep them for the end of the session.

    Raises LawsBroken if a law is broken, else JobError if a component could not be built.
    """
    __tracebackhide__ = True  # the failing example says it, not our frames
    failures = build_failures(results)
    if text := broken_text(results):
        raise LawsBroken("\n".join(filter(None, [*failures, text, remedy_text(results)])))
    if failures:
        raise JobError("\n".join(failures))
    outcome.CHECKED.extend(results)
    return results


def _refuse_without_examples(spec: Spec, plugin: Plugin | None, given: Sequence[Example] | None) -> None:
    """Raise a UserError if no law can be tried: a test that always passes is worse than none."""
    if given is not None or spec.laws.examples is not None:
        return
    try:
        examples_of(spec, plugin)
    except UnmetNeed as why:
        raise UserError(f"{use_of(spec, plugin)}: no law can be tried: {why}") from None


def _own_examples(spec: Spec, plugin: Plugin | None) -> list[Any]:
    """Return the examples that the spec declares."""
    return [] if spec.laws.examples is None else list(examples_of(spec, plugin))


def _find_spec(kind: str, spec: Any) -> tuple[Any, Plugin | None]:
    """Return the spec and the installed plugin that offers it, if any; find it by its name if that is given."""
    if isinstance(spec, str):
        registry = installed()
        registered = registry.find(kind, spec)
        return registered, registry.plugin(spec.partition("/")[0])
    if getattr(spec, "kind", None) != kind:
        raise TypeError(f"a spec of a {kind}, or the name of an installed one, as 'plugin/name'; not {spec!r}")
    return spec, None
