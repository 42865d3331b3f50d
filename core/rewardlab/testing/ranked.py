"""Examples of a reward made from completions of known rank, in the forms in which a test may name them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError

from rewardlab.errors import UserError
from rewardlab.laws import Options, RewardExample
from rewardlab.specs import RewardSpec
from rewardlab.testing.stand_in import SAMPLE
from rewardlab.types import Completion, Sample

Item = tuple[Sample, Completion | str]
Completions = Sequence[Completion | str | Item] | Completion | str | Item | None
"""of a test: one or several, each with its sample or of the sample named beside"""
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
    """One for each sample, in the order in which they are named.

    own: the first of the spec's examples, whose options and judges hold here, too. A TypeError where an argument has
    another form; a UserError where the reward requires a field and the sample is not named, or lacks it.
    """
    if sample is not None and not isinstance(sample, Sample):
        raise TypeError(f"sample is a rewardlab.Sample, not {sample!r}")
    for name, given in (("good", good), ("bad", bad), ("ladder", ladder)):
        if wrong := [one for one in _listed(given) if not (_is_one(one) or (name != "ladder" and _is_item(one)))]:
            raise TypeError(f"{name} is {FORMS}; not {wrong[0]!r}")
    better, worse = _items(good, sample), _items(bad, sample)
    samples = list({id(one): one for one, _ in [*better, *worse]}.values())
    samples = [one for at, one in enumerate(samples) if one not in samples[:at]] or [sample or SAMPLE]
    chosen = _over(own.options if own else {}, options)
    for one in samples:
        _check_fields(spec, one, chosen)
    return [
        RewardExample(
            title=one.id if len(samples) > 1 else "",
            sample=one,
            good=[completion for other, completion in better if other == one],
            bad=[completion for other, completion in worse if other == one],
            ladder=_listed(ladder) if one == (sample or samples[0]) else (),
            options=chosen,
            needs=own.needs if own else (),
            judges=(lambda: judges) if judges is not None else own.judges if own else None,
        )
        for one in samples
    ]


def _items(given: Completions, sample: Sample | None) -> list[Item]:
    return [one if _is_item(one) else (sample or SAMPLE, one) for one in _listed(given)]


def _listed(given: Any) -> Sequence[Any]:
    if given is None:
        return []
    if _is_one(given) or _is_item(given) or not isinstance(given, Sequence):
        return [given]
    return given


def _is_one(value: Any) -> bool:
    return isinstance(value, Completion | str)


def _is_item(value: Any) -> TypeGuard[Item]:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Sample) and _is_one(value[1])


def _over(own: Options, given: Mapping[str, Any]) -> Options:
    if not callable(own):
        return {**own, **given}
    make: Callable[[Path], Mapping[str, Any]] = own
    return lambda folder: {**make(folder), **given}


def _check_fields(spec: RewardSpec, sample: Sample, options: Options) -> None:
    """A UserError that says what to pass; options that name files are looked at when they are made."""
    if callable(options):
        return
    try:
        required = spec.required_fields(spec.config.model_validate(dict(options)))
    except ValidationError:
        return  # told when the laws are tried, which may give what is needed
    if lacking := [name for name in required if name not in sample.fields]:
        fields = ", ".join(f"{name!r}: ..." for name in lacking)
        what = f"{spec.name} requires the field {lacking[0]!r}; pass sample=Sample(prompt=..., fields={{{fields}}})"
        raise UserError(what)
