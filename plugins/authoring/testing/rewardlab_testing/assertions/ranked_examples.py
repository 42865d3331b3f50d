"""Examples of a reward, made from the completions of known rank that a test hands in, in any of their forms."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError
from rewardlab import Completion, RewardSpec, Sample
from rewardlab.errors import UserError
from rewardlab.laws import ExampleOptions, RewardExample

from rewardlab_testing.examples.default_examples import SAMPLE

Item = tuple[Sample, Completion | str]
Completions = Sequence[Completion | str | Item] | Completion | str | Item | None
"""what a test hands in: one completion or several, each with its sample or belonging to the sample named beside"""
FORMS = "a text, a Completion, (Sample, one of these), or a list of such"


def ranked_examples(
    spec: RewardSpec,
    good: Completions,
    bad: Completions,
    sample: Sample | None,
    ladder: Sequence[Completion | str],
    options: Mapping[str, Any],
    own: RewardExample | None,
    judges: Mapping[str, Any] | None,
) -> list[RewardExample]:
    """Return one example for each sample, in the order in which they are named.

    Args:
        own: the first of the spec's examples, whose options and judges hold here, too.

    Raises TypeError if an argument has another form, and UserError if the reward requires a field and the sample is not
    named or lacks it.
    """
    if sample is not None and not isinstance(sample, Sample):
        raise TypeError(f"sample is a rewardlab.Sample, not {sample!r}")
    for name, given in (("good", good), ("bad", bad), ("ladder", ladder)):
        for item in _as_list(given):
            if not (_is_completion(item) or (name != "ladder" and _is_item(item))):
                raise TypeError(f"{name} is {FORMS}; not {item!r}")
    better, worse = _items(good, sample), _items(bad, sample)
    samples = list({id(ranked_sample): ranked_sample for ranked_sample, _ in [*better, *worse]}.values())
    samples = [sample for at, sample in enumerate(samples) if sample not in samples[:at]] or [sample or SAMPLE]
    chosen = _merged(own.options if own else {}, options)
    for item in samples:
        _check_fields(spec, item, chosen)
    return [
        RewardExample(
            title=ranked_sample.id if len(samples) > 1 else "",
            sample=ranked_sample,
            good=[completion for other, completion in better if other == ranked_sample],
            bad=[completion for other, completion in worse if other == ranked_sample],
            ladder=_as_list(ladder) if ranked_sample == (sample or samples[0]) else (),
            options=chosen,
            needs=own.needs if own else (),
            judges=(lambda: judges) if judges is not None else own.judges if own else None,
        )
        for ranked_sample in samples
    ]


def _items(given: Completions, sample: Sample | None) -> list[Item]:
    return [item if _is_item(item) else (sample or SAMPLE, item) for item in _as_list(given)]


def _as_list(given: Any) -> Sequence[Any]:
    if given is None:
        return []
    if _is_completion(given) or _is_item(given) or not isinstance(given, Sequence):
        return [given]
    return given


def _is_completion(value: Any) -> bool:
    return isinstance(value, Completion | str)


def _is_item(value: Any) -> TypeGuard[Item]:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Sample) and _is_completion(value[1])


def _merged(own: ExampleOptions, given: Mapping[str, Any]) -> ExampleOptions:
    if not callable(own):
        return {**own, **given}
    make: Callable[[Path], Mapping[str, Any]] = own
    return lambda folder: {**make(folder), **given}


def _check_fields(spec: RewardSpec, sample: Sample, options: ExampleOptions) -> None:
    """Raise a UserError that says what to pass if a sample lacks a required field.

    Options that a function makes are looked at when they are made.
    """
    if callable(options):
        return
    try:
        required = spec.required_fields(spec.config.model_validate(dict(options)))
    except ValidationError:
        return  # reported when the laws are tried, by options that may complete these
    if missing := [name for name in required if name not in sample.fields]:
        fields = ", ".join(f"{name!r}: ..." for name in missing)
        problem = f"{spec.name} requires the field {missing[0]!r}; pass sample=Sample(prompt=..., fields={{{fields}}})"
        raise UserError(problem)
