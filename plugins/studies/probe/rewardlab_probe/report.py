"""The result of a probe, as text that people read and as JSON values."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rewardlab.text import counted
from rewardlab_training import columns

from rewardlab_probe.checks import Check
from rewardlab_probe.families import CHECKS, FLOOR, MAY_TIE
from rewardlab_probe.job import ProbeResult, ProbeSlice
from rewardlab_probe.measure import MeasuredRow
from rewardlab_probe.search.search_report import searched_as_dict, searched_lines
from rewardlab_probe.verdicts import FamilyVerdict, mean, means


def format_probe(probed: ProbeResult) -> str:
    """Return a table for each slice, the checks of RFC 008, and a line for each degenerate completion to know about."""
    return "\n\n".join([_title(probed), *format_slices(probed), format_checks(probed), "\n".join(_findings(probed))])


def format_slices(probed: ProbeResult) -> list[str]:
    """Return a table for each slice."""
    return [_table(probe_slice, probed) for probe_slice in probed.slices]


def probe_as_dict(probed: ProbeResult) -> dict[str, Any]:
    """Return {"ok", "total", "rows", "dropped", "known", "floor", "checks", "search", "slices"} as JSON values.

    floor: {"family", "gap", "margin"}. checks: {id of OpenEnv's RFC 008: {"status", "families"}}. slices: {name:
    {"rows", "honest", "completions": {family: the fields of `FamilyVerdict`, and "check"}}}, "all" first.
    """
    return {
        "ok": probed.ok,
        "total": probed.total,
        "rows": len(_firsts(probed.slices[0])),
        "dropped": probed.dropped,
        "known": dict(probed.known),
        "floor": asdict(probed.floor) if probed.floor else None,
        "checks": {name: asdict(check) for name, check in probed.checks.items()},
        "search": searched_as_dict(probed.search) if probed.search else None,
        "slices": {probe_slice.name: _slice(probe_slice) for probe_slice in probed.slices},
    }


def _slice(probe_slice: ProbeSlice) -> dict[str, Any]:
    honest = [row.honest for row in _firsts(probe_slice)]
    completions = {verdict.family: asdict(verdict) for verdict in probe_slice.verdicts}
    for family, measured in completions.items():
        del measured["family"]
        measured["check"] = CHECKS[family]
    return {
        "rows": len(honest),
        "honest": {"total": mean([outcome.total for outcome in honest]), "values": means(honest)},
        "completions": completions,
    }


def _firsts(probe_slice: ProbeSlice) -> list[MeasuredRow]:
    """Return the first group of each row: the others repeat its honest completion."""
    return [row for row in probe_slice.rows if row.first]


def _title(probed: ProbeResult) -> str:
    rows = _firsts(probed.slices[0])
    counts = Counter(str(row.sample.fields.get("language") or "no language") for row in rows)
    spoken = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    dropped = f"; {probed.dropped} more say nothing, their honest completion has no total" if probed.dropped else ""
    return f"total: {probed.total}\n{counted(len(rows), 'row')} ({spoken}){dropped}"


def _table(probe_slice: ProbeSlice, probed: ProbeResult) -> str:
    honest = [row.honest for row in _firsts(probe_slice)]
    values = means(honest)
    lines = [[probe_slice.name, "rows", "total", "beside honest", "won", *values, ""]]
    lines.append(["honest", str(len(honest)), _number(mean([o.total for o in honest])), "", "", *_cells(values), ""])
    lines += [_line(verdict, values, probed) for verdict in probe_slice.verdicts if verdict.rows or verdict.unscored]
    return "\n".join(columns(lines, align="<" + ">" * (len(lines[0]) - 2) + "<"))


def format_checks(probed: ProbeResult) -> str:
    """Return what the probe says of each check of RFC 008, a line each."""
    floor = probed.floor
    ahead = f"honest is {floor.gap:.3f} ahead of {floor.family}" if floor else ""
    needed = f", less than {floor.margin:g}" if floor and floor.too_near else ""
    lines = [
        [f"  {name}", _status(check, probed), ahead + needed if name == FLOOR else ", ".join(check.families)]
        for name, check in probed.checks.items()
    ]
    return "\n".join(
        ["checks of OpenEnv's RFC 008 (docs/probe.md says what each looks for):", *columns(lines, align="<<<")]
    )


def _status(check: Check, probed: ProbeResult) -> str:
    known = check.families and {*check.families} <= probed.known.keys()
    return f"{check.status} (known)" if known else check.status


def _line(verdict: FamilyVerdict, values: Mapping[str, Any], probed: ProbeResult) -> list[str]:
    if not verdict.rows:
        return [_named(verdict), "0", "-", "", "", *("" for _ in values), _mark(verdict, probed)]
    share = f"{verdict.won / verdict.rows:.0%}"
    cells = _cells({name: verdict.values[name] for name in values})
    difference = f"{verdict.difference:+.3f}"
    return [
        _named(verdict),
        str(verdict.rows),
        _number(verdict.total),
        difference,
        share,
        *cells,
        _mark(verdict, probed),
    ]


def _named(verdict: FamilyVerdict) -> str:
    return f"{verdict.family} ({verdict.variant})" if verdict.variant else verdict.family


def _mark(verdict: FamilyVerdict, probed: ProbeResult) -> str:
    known = verdict.family in probed.known
    if verdict.wins:
        return "wins (known)" if known else "WINS"
    if verdict.fatal:
        return "no score (known)" if known else "NO SCORE"
    return f"only {' or '.join(verdict.held_by)} prevents it" if verdict.held_by else ""


def _findings(probed: ProbeResult) -> Iterator[str]:
    whole, *parts = probed.slices
    acts = {(part.name, one.family) for part in parts for one in part.verdicts if one.wins or one.fatal}
    for verdict in whole.verdicts:
        family = verdict.family
        acting = [part.name for part in parts if (part.name, family) in acts]
        if verdict.wins:
            yield f"{_named(verdict)} wins: {_how(verdict)}\n  {_why(verdict)}"
        elif acting and not verdict.fatal:
            yield f"{family} wins in {', '.join(acting)}"
        if verdict.fatal:
            yield f"{_named(verdict)} would end a run ({counted(verdict.fatal, 'row')}): {verdict.why}"
        if (verdict.wins or verdict.fatal or acting) and family in probed.known:
            yield f"  known: {probed.known[family]}"
    if probed.search:
        yield from searched_lines(probed.search, whole.verdicts)
    yield from _idle(probed)
    if probed.floor and probed.floor_fails and not probed.failing:
        yield f"doing nothing earns too much: {probed.floor.family} is {probed.floor.gap:.3f} behind the honest one"
    elif not probed.failing:
        yield "no degenerate completion wins" + (", but for what is known" if _acting(probed) else "")


def _idle(probed: ProbeResult) -> Iterator[str]:
    """Yield a line for the families that were tried in no row for one reason, or are known to win and do not."""
    reasons: dict[str, list[str]] = {}
    for verdict in probed.slices[0].verdicts:
        if not verdict.rows and not verdict.unscored:
            absent = verdict.absent or {"it is of the groups of --thorough rows alone": 1}
            why = max(absent, key=lambda reason: absent[reason])
            reasons.setdefault(why, []).append(verdict.family)
    for why, families in reasons.items():
        yield f"not tried, because {why}: {', '.join(families)}"
    for family in probed.known:
        if family not in _acting(probed):
            yield f"{family} is listed in probe.known and does not win; take it out of the recipe"


def _acting(probed: ProbeResult) -> set[str]:
    """Return the families that win or would end a run, in any slice."""
    return {
        verdict.family
        for probe_slice in probed.slices
        for verdict in probe_slice.verdicts
        if verdict.wins or verdict.fatal
    }


def _how(verdict: FamilyVerdict) -> str:
    rule = "ahead" if verdict.family in MAY_TIE else "not behind"
    totals = f"mean total {_number(verdict.total)} beside {_number(verdict.honest)}"
    return f"{totals}, {rule} in {verdict.won} of {counted(verdict.rows, 'row')} (such as {verdict.example!r})"


def _why(verdict: FamilyVerdict) -> str:
    if verdict.blame is None:
        return "to blame: no single component gives it more than the honest one; none tells the two apart"
    share = f"{verdict.blame.gain:+.3f} of {verdict.blame.lead:+.3f}"
    return f"to blame: {verdict.blame.component}, {share}; with the value of the honest one {_LEFT[verdict.blame.left]}"


_LEFT = {"loses": "it would lose", "ties": "it would still tie", "wins": "it would still be ahead"}


def _cells(values: Mapping[str, float | None]) -> list[str]:
    return [_number(value) for value in values.values()]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
