"""Biases of judges as text that people read, and as JSON values."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rewardlab import CommandResult
from rewardlab_training import columns

from rewardlab_measure.judge_biases.job import MeasuredBiases
from rewardlab_measure.judge_biases.measures import LANGUAGE, TOO_FEW, Bias
from rewardlab_measure.tables.comparisons import format_p


def bias_result(measured: Mapping[str, MeasuredBiases], max_bias: float | None) -> CommandResult:
    """Return the biases of all components; with max_bias it is not ok if one lies beyond it, or is undecided.

    As of a licence, that nothing is known does not pass: of a bias on too few rows, or of a component without any.
    """
    text = "\n\n".join(format_biases(name, one, max_bias) for name, one in measured.items())
    data = {"biases": {name: bias_data(one, max_bias) for name, one in measured.items()}}
    if max_bias is None:
        return CommandResult(text=text, data=data)
    undecided = [f"{name}: {which}" for name, one in measured.items() for which in _undecided(one)]
    if undecided:
        text += f"\n\nnot decided, for want of rows: {', '.join(undecided)}"
    beyond = any(bias.beyond(max_bias) for one in measured.values() for bias in one.biases)
    return CommandResult(ok=not beyond and not undecided, text=text, data=data | {"undecided": undecided})


def _undecided(measured: MeasuredBiases) -> list[str]:
    """Return the biases of a component of which its rows say nothing."""
    return [bias.name for bias in measured.biases if bias.verdict == TOO_FEW] if measured.biases else ["all biases"]


def format_biases(name: str, measured: MeasuredBiases, max_bias: float | None) -> str:
    """Return one component's biases as a table, and below it what a reader must know of them."""
    lines = [["", "rows", "change", "95% together", "Holm's p", ""]]
    lines += [_line(bias, max_bias) for bias in measured.biases]
    shown = [f"{name} ({measured.use}), {measured.rows:,} rows", *columns(lines, align="<>>>><")]
    for bias in measured.biases:
        if bias.verdict == "biased" and bias.by_language:
            by_language = (f"{language} {own['change']:+.2f}" for language, own in bias.by_language.items())
            shown.append(f"{bias.name} by language: {', '.join(by_language)}")
    if measured.same is not None:
        shown.append("the same verdict in all languages: {same:.0%} of {problems:,} problems".format(**measured.same))
    elif not any(bias.name.startswith(LANGUAGE) for bias in measured.biases):
        shown.append("no language: no rows in several languages share a `problem`, an id or --cluster FIELD")
    for bias_name, count in measured.unchanged.items():
        shown.append(f"{bias_name}: {count:,} rows stay as they are when rewritten, and count nowhere")
    for bias in measured.biases:
        if bias.missing:
            shown.append(f"{bias.name}: {bias.missing:,} rows have no value")
    return "\n".join(shown)


def bias_data(measured: MeasuredBiases, max_bias: float | None) -> Mapping[str, Any]:
    """Return one component's biases as JSON values."""
    listed = [
        {**asdict(bias), "verdict": bias.verdict, "beyond": None if max_bias is None else bias.beyond(max_bias)}
        for bias in measured.biases
    ]
    return {**asdict(measured), "biases": listed}


def _line(bias: Bias, max_bias: float | None) -> list[str]:
    verdict = bias.verdict
    if max_bias is not None and bias.beyond(max_bias):
        verdict += f", beyond {max_bias:g}"
    between = "-" if bias.low is None or bias.high is None else f"{bias.low:+.2f} to {bias.high:+.2f}"
    return [bias.name, f"{bias.rows:,}", f"{bias.change:+.2f}", between, format_p(bias.p), verdict]
