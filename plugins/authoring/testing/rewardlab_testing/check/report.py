"""The findings of a check as text for people, below its table, and the whole check as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from textwrap import indent
from typing import TYPE_CHECKING, Any

from rewardlab_testing.check.check import PluginCheck
from rewardlab_testing.check.import_cost import LAW as IMPORT
from rewardlab_testing.check.import_cost import WORDS as IMPORT_WORDS
from rewardlab_testing.check.table import MAX_NAMED, WORDS
from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND
from rewardlab_testing.outcomes.messages import build_failures, remedy_text

if TYPE_CHECKING:
    from rewardlab_testing.outcomes.outcome import State, TrialResult

UNPROVED = "not proved, so exit code 1; what it takes"


def format_findings(check: PluginCheck) -> str:
    """Return what stands below the table: what is broken, with its smallest failing example, what was not tried, why.

    Laws that have nothing to try of a component have no row in the table: they stand at the end here.
    """
    parts = []
    if broken := list(_broken(check)):
        parts.append("\n\n".join(filter(None, [*broken, remedy_text(check.results)])))
    for state in ("off", "untried", "nothing"):
        if reasons := list(_reasons(check.results, state)):
            parts.append("\n".join([WORDS[state], *(f"  {reason}" for reason in reasons)]))
    if check.unproved:
        lines = (f"  {use}, {law}: {why}" for use, law, why in check.unproved)
        parts.append("\n".join([UNPROVED, *lines]))
    return "\n\n".join([*parts, _summary(check)])


def check_as_dict(check: PluginCheck) -> dict[str, Any]:
    """Return everything that a check found as JSON values."""
    plugin, import_cost = check.plugin, check.import_cost
    return {
        "plugin": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "passed": check.passed,
        **{state: check.count(state) for state in WORDS},
        "unproved": [{"use": use, "law": law, "why": why} for use, law, why in check.unproved],
        "seconds": round(check.seconds, 3),
        "import": None if import_cost is None else {**asdict(import_cost), "broken": import_cost.broken},
        "components": [_component_as_dict(result) for result in check.results],
    }


def _component_as_dict(result: "TrialResult") -> dict[str, Any]:
    laws = [asdict(outcome) | {"words": LAWS_OF_KIND[result.kind][outcome.law]} for outcome in result.outcomes]
    return {"use": result.use, "kind": result.kind, "example": result.example, "laws": laws}


def _broken(check: PluginCheck) -> Iterator[str]:
    if (import_cost := check.import_cost) is not None and import_cost.broken:
        yield f"{check.plugin.name} breaks `{IMPORT}`: {IMPORT_WORDS}\n{indent(import_cost.broken, '    ')}"
    yield from dict.fromkeys(build_failures(check.results))
    for result in check.results:
        for outcome in result.of("broken"):
            words = LAWS_OF_KIND[result.kind][outcome.law]
            yield f"{result.title} breaks `{outcome.law}`: {words}\n{indent(outcome.why, '    ')}"


def _reasons(results: "Sequence[TrialResult]", state: "State") -> Iterator[str]:
    """Yield one line a reason: the laws that have it, and of which components, if these are not all."""
    owners: dict[tuple[str, str], dict[str, list[str]]] = {}  # (law, why) -> component -> examples
    for result in results:
        for outcome in result.of(state):
            owners.setdefault((outcome.law, outcome.why), {}).setdefault(result.use, []).append(result.example)
    lines: dict[tuple[str, str], list[str]] = {}
    for (law, why), examples in owners.items():
        lines.setdefault((why, _format_owners(examples, results)), []).append(law)
    for (why, components), laws in lines.items():
        yield f"{', '.join(laws) if len(laws) <= MAX_NAMED else f'{len(laws)} laws'}: {why}{components}"


def _format_owners(examples: Mapping[str, Sequence[str]], results: "Sequence[TrialResult]") -> str:
    """Return the components, each with its examples if these are not all; "" for the only component there is."""
    every: dict[str, list[str]] = {}
    for result in results:
        every.setdefault(result.use, []).append(result.example)
    names = [use if titles == every[use] else f"{use}: {'; '.join(titles)}" for use, titles in examples.items()]
    if names == list(every) and len(every) == 1:
        return ""
    shown = names if len(names) <= MAX_NAMED else [*names[:MAX_NAMED], f"{len(names) - MAX_NAMED} more"]
    return f" ({', '.join(shown)})"


def _summary(check: PluginCheck) -> str:
    counts = [f"{check.count('held')} held", f"{check.count('broken')} broken"]
    counts += [f"{count} {WORDS['unbuilt']}"] if (count := check.count("unbuilt")) else []
    counts += [f"{check.count('off')} off", f"{check.count('untried')} not tried"]
    line = f"{check.plugin.name}: {', '.join(counts)}, in {check.seconds:.1f} s"
    known = check.passed or check.count("held") or check.count("broken") or check.count("unbuilt")
    return line if known else f"{line}\nnothing could be tried, so nothing is known"
