"""What a rule says of rows, which holds for appeals from it as well."""

from collections.abc import Sequence
from typing import Any

from rewardlab import Sample

from rewardlab_rubric.appeals.options import AppealOptions


def required(options: AppealOptions) -> list[str]:
    """Return the fields that the rule needs, and the one with the right answer."""
    own = options.of.spec.required_fields(options.of.config)
    return [*own, *(() if options.shown in (None, *own) else (options.shown,))]


def needs_files(options: AppealOptions) -> Sequence[str]:
    """Return the files that the rule needs."""
    asked = options.of.spec.needs_files
    return [] if asked is None else asked(options.of.config)


def abstains(options: AppealOptions, sample: Sample) -> str | None:
    """Return why a row gets no value from the rule."""
    return _said("abstains", options, sample)


def refuses(options: AppealOptions, sample: Sample) -> str | None:
    """Return why the rule cannot use a row."""
    return _said("refuses", options, sample)


def cautions(options: AppealOptions, sample: Sample) -> tuple[str, str] | None:
    """Return what the rule doubts of a row."""
    return _said("cautions", options, sample)


def _said(function: str, options: AppealOptions, sample: Sample) -> Any:
    asked = getattr(options.of.spec, function)
    return None if asked is None else asked(options.of.config, sample)
