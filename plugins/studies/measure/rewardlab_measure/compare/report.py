"""The result of a comparison, as text that people read and as JSON values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rewardlab.plan import Plan
from rewardlab.text import counted
from rewardlab_training import columns

from rewardlab_measure.compare.job import RewardComparison, as_dict
from rewardlab_measure.compare.most_different import MOST, ComparedGroup
from rewardlab_measure.compare.scored_file import ScoredFile
from rewardlab_measure.compare.side_by_side import excerpt, format_group, number_text
from rewardlab_measure.compare.sources import SideSource
from rewardlab_measure.compare.tally import QUANTILES
from rewardlab_measure.compare.teaching_report import LABEL, format_taught, taught_as_dict

Named = Sequence[tuple[SideSource, Plan | ScoredFile]]
"""A and B: each as the command line names it, and the plan or file behind it."""

LEGEND = (
    "flips: completions that one side reinforces and the other discourages; std B/A: how much wider B spreads a group "
    "(docs/compare.md)"
)


def format_comparison(compared: RewardComparison, named: Named, width: int) -> str:
    """Return the sides, a table with a line a slice, what was left out, the cost, and groups side by side, as text.

    Args:
        width: columns that a line with a completion's text may take.
    """
    tallies = {name: tally.as_dict() for name, tally in compared.slices.items()}
    whole = tallies["all"]
    parts = [
        "\n".join(_side(source, plan_or_file) for source, plan_or_file in named),
        "\n".join([_table(tallies), *_quantiles(whole), *_notes(whole), LEGEND]),
        "" if compared.taught is None else format_taught(compared.taught),
        "\n".join(_cost(compared, named)),
        *_different(compared.most_different, whole, width),
    ]
    return "\n\n".join(part for part in parts if part)


def comparison_as_dict(compared: RewardComparison, named: Named) -> dict[str, Any]:
    """Return {"a", "b", "slices", "paid", "most_different", "truth"} as JSON values.

    a, b: {"path", "overrides", "total" (None of a scored file), "cost"}. slices: name -> what `Tally.as_dict` returns,
    "all" first. paid: judge -> all that was asked, by either side. most_different: for each group its id, prompt, texts
    and measures, which completions (from 0) flip, and under a and b what `score` writes. truth: what `taught_as_dict`
    returns; None if none was named.
    """
    sides = {
        source.letter: {
            "path": source.path,
            "overrides": list(source.overrides),
            "total": _total(plan_or_file),
            "cost": cost,
        }
        for (source, plan_or_file), cost in zip(named, compared.cost, strict=True)
    }
    return {
        **sides,
        "slices": {name: tally.as_dict() for name, tally in compared.slices.items()},
        "paid": {name: asdict(usage) for name, usage in compared.paid},
        "most_different": [_case(case) for case in compared.most_different],
        "truth": None if compared.taught is None else taught_as_dict(compared.taught),
    }


def _case(case: ComparedGroup) -> dict[str, Any]:
    group = case.row.group
    return {
        "id": case.a["id"],
        "source": group.sample.source,
        "prompt": group.sample.as_dict()["prompt"],
        "texts": [completion.text for completion in group.completions],
        **as_dict(case.measures),
        "flipped": list(case.measures.flipped),
        "a": _without_id(case.a),
        "b": _without_id(case.b),
    }


def _without_id(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("total", "shaped", "components")}


def _total(side: Plan | ScoredFile) -> str | None:
    return side.recipe.reward.total if isinstance(side, Plan) and side.recipe.reward is not None else None


def _side(source: SideSource, side: Plan | ScoredFile) -> str:
    overrides = f" {' '.join(source.overrides)}" if source.overrides else ""
    origin = f"total: {_total(side)}" if isinstance(side, Plan) else f"scored before: {', '.join(side.components)}"
    return f"{source.letter.upper()}  {source.path}{overrides}  ({origin})"


# --- Tables


def _table(tallies: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [["", "groups", "compared", "pearson", "spearman", "flips", "best changes", "zero variance", "std B/A"]]
    lines += [_line(name, tally) for name, tally in tallies.items()]
    return "\n".join(columns(lines, align="<>"))


def _line(name: str, tally: Mapping[str, Any]) -> list[str]:
    flat = tally["zero_variance"]
    return [
        excerpt(name, LABEL),
        f"{tally['groups']:,}",
        f"{tally['correlated']:,}",
        number_text(tally["pearson"]["mean"]),
        number_text(tally["spearman"]["mean"]),
        _percent(tally["flips"]["share"]),
        _percent(tally["best_changes"]["share"]),
        f"A {flat['a']:,} B {flat['b']:,} both {flat['both']:,}",
        number_text(tally["std"]["ratio"]),
    ]


def _quantiles(whole: Mapping[str, Any]) -> Iterator[str]:
    if whole["correlated"]:
        names = [f"p{share * 100:g}" for share in QUANTILES]
        for measure in ("pearson", "spearman"):
            yield f"{measure}: " + ", ".join(f"{name} {number_text(whole[measure][name])}" for name in names)


def _notes(whole: Mapping[str, Any]) -> Iterator[str]:
    for why, count in whole["left_out"].items():
        yield f"{counted(count, 'group')} left out: {why}"
    without = whole["without_total"]
    if any(without.values()):
        yield f"completions without a total, which are not compared: A {without['a']:,}, B {without['b']:,}"


# --- Cost


def _cost(compared: RewardComparison, named: Named) -> Iterator[str]:
    for (source, _), cost in zip(named, compared.cost, strict=True):
        if cost is None:
            yield f"cost of {source.letter.upper()}: none, scored before"
            continue
        asked = [_asked(name, judge) for name, judge in cost["judges"].items()] or ["no questions that cost anything"]
        seconds = f"{cost['measured_seconds']:.1f} s while the other ran, too"
        yield f"cost of {source.letter.upper()}: {'; '.join(asked)}; {seconds}"
    for name, usage in compared.paid:
        yield f"paid for both, judge {name}: {usage.line()}"


def _asked(name: str, judge: Mapping[str, Any]) -> str:
    usd = "" if judge["usd"] is None else f", ${judge['usd']:.4f}"
    failed = f", {judge['unanswered']:,} without an answer" if judge["unanswered"] else ""
    return f"{name} {judge['questions']:,} questions, {judge['tokens']:,} tokens{usd}{failed}"


# --- Groups


def _different(cases: Sequence[ComparedGroup], whole: Mapping[str, Any], width: int) -> Iterator[str]:
    groups = whole["groups"]
    if sum(whole["left_out"].values()) == groups:
        yield "nothing is compared: no group has two completions with a total on both sides"
    elif not cases:
        yield "no group differs by more than rounding"
    elif len(cases) < MOST:
        yield f"{len(cases):,} of {counted(groups, 'group')} differ by more than rounding"
    else:
        yield f"the {len(cases)} of {counted(groups, 'group')} that differ most"
    for number, case in enumerate(cases, 1):
        yield f"{number}. {format_group(case, width)}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
