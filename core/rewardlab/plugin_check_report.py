"""A check of a plugin as people read it, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from textwrap import indent
from typing import TYPE_CHECKING, Any

from rewardlab.laws import OF_KIND
from rewardlab.plugin_check import Checked
from rewardlab.plugin_import import LAW as IMPORT
from rewardlab.plugin_import import WORDS as IMPORT_WORDS
from rewardlab.testing.told import remedy_text

if TYPE_CHECKING:
    from rewardlab.testing.outcome import Outcome, State, Tried

WORDS: dict["State", str] = {
    "held": "held",
    "broken": "BROKEN",
    "off": "off",
    "untried": "not tried",
    "nothing": "nothing to try",
}
HEAD = ("component", "example", "law", "result")
SHOWN = 6
"""components and laws that are named with a reason; of many it is one of their kind, of an example or this machine"""


def text(checked: Checked) -> str:
    """The table; then what is broken, with its smallest failing example; then what was not tried, and why.

    Laws that have nothing to try of a component are no rows: they stand at the end.
    """
    parts = ["\n".join(_table(checked))]
    if broken := list(_broken(checked)):
        parts.append("\n\n".join(filter(None, [*broken, remedy_text(checked.tried)])))
    for state in ("off", "untried", "nothing"):
        if reasons := list(_reasons(checked.tried, state)):
            parts.append("\n".join([WORDS[state], *(f"  {reason}" for reason in reasons)]))
    return "\n\n".join([*parts, _summary(checked)])


def as_dict(checked: Checked) -> dict[str, Any]:
    """Everything, as JSON values."""
    plugin, found = checked.plugin, checked.imported
    return {
        "plugin": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "passed": checked.passed,
        **{state: checked.count(state) for state in WORDS},
        "seconds": round(checked.seconds, 3),
        "import": None if found is None else {**asdict(found), "broken": found.broken},
        "components": [_component(one) for one in checked.tried],
    }


def _component(one: "Tried") -> dict[str, Any]:
    laws = [asdict(outcome) | {"words": OF_KIND[one.kind][outcome.law]} for outcome in one.outcomes]
    return {"use": one.use, "kind": one.kind, "example": one.example, "laws": laws}


# --- The table


def _table(checked: Checked) -> Iterator[str]:
    lines = [HEAD]
    if (found := checked.imported) is not None:
        result = "BROKEN" if found.broken else f"held, {found.seconds * 1000:.0f} ms"
        lines.append((checked.plugin.name, "", IMPORT, result))
    for one in checked.tried:
        named = (one.use, one.example)
        for row in _rows(one):
            lines.append((*named, *row))
            named = ("", "")  # what stands above goes on
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()


def _rows(one: "Tried") -> list[tuple[str, str]]:
    """(law, result); one for all laws where none of an example could be tried."""
    shown = [outcome for outcome in one.outcomes if outcome.state != "nothing"]
    if len(shown) > SHOWN and {(outcome.state, outcome.why) for outcome in shown} == {("untried", shown[0].why)}:
        return [(f"{len(shown)} laws", WORDS["untried"])]
    return [(outcome.law, _result(outcome)) for outcome in shown]


def _result(outcome: "Outcome") -> str:
    return f"held {outcome.tries}" if outcome.state == "held" else WORDS[outcome.state]


# --- What stands below it


def _broken(checked: Checked) -> Iterator[str]:
    if (found := checked.imported) is not None and found.broken:
        yield f"{checked.plugin.name} breaks `{IMPORT}`: {IMPORT_WORDS}\n{indent(found.broken, '    ')}"
    for one in checked.tried:
        for outcome in one.of("broken"):
            law = OF_KIND[one.kind][outcome.law]
            yield f"{_named(one)} breaks `{outcome.law}`: {law}\n{indent(outcome.why, '    ')}"


def _reasons(tried: "Sequence[Tried]", state: "State") -> Iterator[str]:
    """A line a reason: the laws that have it, and of which components, where these are not all."""
    owners: dict[tuple[str, str], dict[str, list[str]]] = {}  # (law, why) -> component -> examples
    for one in tried:
        for outcome in one.of(state):
            owners.setdefault((outcome.law, outcome.why), {}).setdefault(one.use, []).append(one.example)
    lines: dict[tuple[str, str], list[str]] = {}
    for (law, why), examples in owners.items():
        lines.setdefault((why, _of_whom(examples, tried)), []).append(law)
    for (why, whom), laws in lines.items():
        yield f"{', '.join(laws) if len(laws) <= SHOWN else f'{len(laws)} laws'}: {why}{whom}"


def _of_whom(examples: Mapping[str, Sequence[str]], tried: "Sequence[Tried]") -> str:
    """The components, each with its examples where these are not all; nothing to say of the only component."""
    every: dict[str, list[str]] = {}
    for one in tried:
        every.setdefault(one.use, []).append(one.example)
    named = [use if some == every[use] else f"{use}: {'; '.join(some)}" for use, some in examples.items()]
    if named == list(every) and len(every) == 1:
        return ""
    shown = named if len(named) <= SHOWN else [*named[:SHOWN], f"{len(named) - SHOWN} more"]
    return f" ({', '.join(shown)})"


def _named(one: "Tried") -> str:
    return f"{one.use} ({one.example})" if one.example else one.use


def _summary(checked: Checked) -> str:
    counts = [f"{checked.count('held')} held", f"{checked.count('broken')} broken"]
    counts += [f"{checked.count('off')} off", f"{checked.count('untried')} not tried"]
    said = f"{checked.plugin.name}: {', '.join(counts)}, in {checked.seconds:.1f} s"
    return said if checked.passed or not _nothing(checked) else f"{said}\nnothing could be tried, so nothing is known"


def _nothing(checked: Checked) -> bool:
    return not checked.count("held") and not checked.count("broken")
