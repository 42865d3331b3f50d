"""A check of a plugin as text for people, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from textwrap import indent
from typing import TYPE_CHECKING, Any

from rewardlab.authoring.check.check import PluginCheck
from rewardlab.authoring.check.import_cost import LAW as IMPORT
from rewardlab.authoring.check.import_cost import WORDS as IMPORT_WORDS
from rewardlab.laws import LAWS_OF_KIND
from rewardlab.testing.messages import build_failures, remedy_text
from rewardlab.text import columns

if TYPE_CHECKING:
    from rewardlab.testing.outcome import LawOutcome, State, TrialResult

WORDS: dict["State", str] = {
    "held": "held",
    "broken": "BROKEN",
    "unbuilt": "could not be built",
    "off": "off",
    "untried": "not tried",
    "nothing": "nothing to try",
}
HEAD = ("component", "example", "law", "result")
MOST_NAMED = 6
"""components or laws named with a reason; where more share it, the reason lies in their kind or in this machine"""


def format_check(check: PluginCheck) -> str:
    """Return the table of laws, then what is broken with its smallest failing example, then what was not tried and why.

    Laws that have nothing to try of a component have no row: they stand at the end.
    """
    parts = ["\n".join(_table(check))]
    if broken := list(_broken(check)):
        parts.append("\n\n".join(filter(None, [*broken, remedy_text(check.results)])))
    for state in ("off", "untried", "nothing"):
        if reasons := list(_reasons(check.results, state)):
            parts.append("\n".join([WORDS[state], *(f"  {reason}" for reason in reasons)]))
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
        "seconds": round(check.seconds, 3),
        "import": None if import_cost is None else {**asdict(import_cost), "broken": import_cost.broken},
        "components": [_component_as_dict(result) for result in check.results],
    }


def _component_as_dict(result: "TrialResult") -> dict[str, Any]:
    laws = [asdict(outcome) | {"words": LAWS_OF_KIND[result.kind][outcome.law]} for outcome in result.outcomes]
    return {"use": result.use, "kind": result.kind, "example": result.example, "laws": laws}


# --- The table


def _table(check: PluginCheck) -> list[str]:
    lines = [HEAD]
    if (import_cost := check.import_cost) is not None:
        words = "BROKEN" if import_cost.broken else f"held, {import_cost.seconds * 1000:.0f} ms"
        lines.append((check.plugin.name, "", IMPORT, words))
    for result in check.results:
        first_cells = (result.use, result.example)
        for row in _rows(result):
            lines.append((*first_cells, *row))
            first_cells = ("", "")  # the rows below belong to the same component and example
    return columns(lines)


def _rows(result: "TrialResult") -> list[tuple[str, str]]:
    """Return (law, words) rows; a single row for all laws where none of an example could be tried."""
    if unbuilt := result.of("unbuilt"):
        return [(f"{len(unbuilt)} law{'s' * (len(unbuilt) > 1)}", WORDS["unbuilt"])]
    shown = [outcome for outcome in result.outcomes if outcome.state != "nothing"]
    if len(shown) > MOST_NAMED and {(outcome.state, outcome.why) for outcome in shown} == {("untried", shown[0].why)}:
        return [(f"{len(shown)} laws", WORDS["untried"])]
    return [(outcome.law, _words(outcome)) for outcome in shown]


def _words(outcome: "LawOutcome") -> str:
    return f"held {outcome.tries}" if outcome.state == "held" else WORDS[outcome.state]


# --- What stands below it


def _broken(check: PluginCheck) -> Iterator[str]:
    if (import_cost := check.import_cost) is not None and import_cost.broken:
        yield f"{check.plugin.name} breaks `{IMPORT}`: {IMPORT_WORDS}\n{indent(import_cost.broken, '    ')}"
    yield from dict.fromkeys(build_failures(check.results))
    for result in check.results:
        for outcome in result.of("broken"):
            words = LAWS_OF_KIND[result.kind][outcome.law]
            yield f"{result.title} breaks `{outcome.law}`: {words}\n{indent(outcome.why, '    ')}"


def _reasons(results: "Sequence[TrialResult]", state: "State") -> Iterator[str]:
    """Yield one line a reason: the laws that have it, and of which components, where these are not all."""
    owners: dict[tuple[str, str], dict[str, list[str]]] = {}  # (law, why) -> component -> examples
    for result in results:
        for outcome in result.of(state):
            owners.setdefault((outcome.law, outcome.why), {}).setdefault(result.use, []).append(result.example)
    lines: dict[tuple[str, str], list[str]] = {}
    for (law, why), examples in owners.items():
        lines.setdefault((why, _format_owners(examples, results)), []).append(law)
    for (why, components), laws in lines.items():
        yield f"{', '.join(laws) if len(laws) <= MOST_NAMED else f'{len(laws)} laws'}: {why}{components}"


def _format_owners(examples: Mapping[str, Sequence[str]], results: "Sequence[TrialResult]") -> str:
    """Return the components, each with its examples where these are not all; "" for the only component there is."""
    every: dict[str, list[str]] = {}
    for result in results:
        every.setdefault(result.use, []).append(result.example)
    names = [use if some == every[use] else f"{use}: {'; '.join(some)}" for use, some in examples.items()]
    if names == list(every) and len(every) == 1:
        return ""
    shown = names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
    return f" ({', '.join(shown)})"


def _summary(check: PluginCheck) -> str:
    counts = [f"{check.count('held')} held", f"{check.count('broken')} broken"]
    counts += [f"{count} {WORDS['unbuilt']}"] if (count := check.count("unbuilt")) else []
    counts += [f"{check.count('off')} off", f"{check.count('untried')} not tried"]
    line = f"{check.plugin.name}: {', '.join(counts)}, in {check.seconds:.1f} s"
    known = check.passed or check.count("held") or check.count("broken") or check.count("unbuilt")
    return line if known else f"{line}\nnothing could be tried, so nothing is known"
