"""The listing of what installed plugins offer: a table, a card for each component, or JSON rows."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError
from rewardlab import DatasetSpec, RewardSpec, Spec
from rewardlab.errors import one_line
from rewardlab.registry import Plugin
from rewardlab_training import columns

from rewardlab_testing.listing.recipe_keys import STAGES, default_text, key_rows

HEAD = ("component", "kind", "scope", "range", "requires", "summary")
NO_EXAMPLES = "none of its own; `rewardlab plugins check` makes some up (docs/plugins.md)"


def component_rows(plugin: Plugin) -> list[dict[str, Any]]:
    """Return one row of JSON values for each component of a plugin; for a broken plugin one row that says why."""
    offered_by = {"plugin": plugin.name, "distribution": plugin.distribution, "version": plugin.version}
    if plugin.broken:
        return [{"use": plugin.name, "kind": "broken", "summary": plugin.broken, **offered_by}]
    return [_row(plugin, kind, spec) | offered_by for (kind, _), spec in sorted(plugin.specs.items())]


def format_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table with a line for each component, and below it which laws are off and why."""
    lines = columns([HEAD, *map(_cells, rows)])
    if off := [line for row in rows for line in _laws_off(row)]:
        lines += ["", "laws that do not apply", *(f"  {line}" for line in columns(off))]
    return "\n".join(lines)


def format_card(row: dict[str, Any]) -> str:
    """Return everything about one component, over several lines."""
    owner = f"; {row['distribution']} {row['version']}" if "distribution" in row else ""
    lines = [f"{row['use']} ({row['kind']}{owner})", f"  {row['summary']}"]
    for key in ("scope", "range", "runs", "requires", "provides"):
        if row.get(key):
            value = _format_range(row[key]) if key == "range" else row[key]
            lines.append(f"  {key}: {value if isinstance(value, str) else ', '.join(value)}")
    place = row.get("before", "backend." if row["kind"] == "backend" else "with.")
    lines += [_option_line(option, place) for option in row.get("options", [])]
    if row.get("packaged"):
        lines += ["  packaged:", *(f"    {line}" for line in columns(list(row["packaged"].items())))]
    lines += [f"  law {law} is off: {why}" for law, why in row.get("laws_off", {}).items()]
    for law_off in row.get("laws_off_in_examples", []):
        lines.append(f"  law {law_off['law']} is off in the example {law_off['example']!r}: {law_off['why']}")
    if row["use"] in STAGES:
        lines.append("  N counts the stages from 0, as in an override: stages.1.steps=50")
    if row.get("examples") is False and row["kind"] != "backend":
        lines.append(f"  examples: {NO_EXAMPLES}")
    return "\n".join(lines)


# --- Rows


def _row(plugin: Plugin, kind: str, spec: Spec) -> dict[str, Any]:
    row: dict[str, Any] = {"use": plugin.use(spec), "kind": kind, "summary": _flat(spec.summary)}
    if isinstance(spec, RewardSpec):
        row |= {"scope": spec.scope, "range": list(spec.range), "runs": spec.runs}
        row["requires"] = _default_fields(spec, spec.requires, spec.required_fields)
    if isinstance(spec, DatasetSpec):
        row["provides"] = _default_fields(spec, spec.provides, spec.provided_fields)
    row["options"] = key_rows(spec.config)
    if packaged := _packaged(spec):
        row["packaged"] = packaged
    row["laws_off"] = {law: _flat(why) for law, why in spec.laws.off.items()}
    row["laws_off_in_examples"] = _off_in_examples(spec)
    return row | {"examples": spec.laws.examples is not None}


def _packaged(spec: Spec) -> dict[str, str]:
    """Return the files that come with a component, name -> what it is; where telling them fails, why."""
    try:
        return dict(spec.packaged()) if spec.packaged else {}
    except Exception as error:  # a listing shows what is broken, too
        return {"fails with": one_line(error)}


def _off_in_examples(spec: Spec) -> list[dict[str, Any]]:
    """Return {law, example, why} for each law that only some examples switch off; [] if making examples fails.

    `rewardlab plugins check` says why it fails.
    """
    try:
        examples = list(spec.laws.examples()) if spec.laws.examples else []
    except Exception:
        return []
    every = [(law, example.title, _flat(why)) for example in examples for law, why in example.off.items()]
    return [{"law": law, "example": title, "why": why} for law, title, why in every if law not in spec.laws.off]


def _default_fields(spec: Spec, declared: object, ask: Callable[[Any], Sequence[str] | None]) -> list[str] | str:
    """Return the fields that a spec requires or provides under its default options, where these are valid."""
    try:
        fields = ask(spec.config() if callable(declared) else None)
    except ValidationError:  # some options have no default, or not one that stands alone
        return "by options"
    except Exception as error:  # a listing shows what is broken, too
        return f"fails with {one_line(error)}"
    return "by reading" if fields is None else list(fields)


def _flat(text: str) -> str:
    return " ".join(text.split())


# --- Rows as text


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    span = _format_range(row["range"]) if "range" in row else ""
    fields = row.get("requires", row.get("provides", ""))
    fields = ", ".join(fields) if isinstance(fields, list) else fields
    if row["kind"] == "dataset":
        fields = f"gives {fields}" if fields else ""
    return row["use"], row["kind"], row.get("scope", ""), span, fields, row["summary"]


def _laws_off(row: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return (component, laws, why) for each reason why laws are off."""
    laws: dict[tuple[str, str], list[str]] = {}  # (component, why) -> laws
    for law, why in row.get("laws_off", {}).items():
        laws.setdefault((row["use"], why), []).append(law)
    for law_off in row.get("laws_off_in_examples", []):
        laws.setdefault((f"{row['use']}: {law_off['example']}", law_off["why"]), []).append(law_off["law"])
    return [(component, ", ".join(names), why) for (component, why), names in laws.items()]


def _option_line(option: dict[str, Any], place: str) -> str:
    default = default_text(option)
    help_text = f". {option['help']}" if option["help"] else ""
    return f"  {place}{option['name']}: {option['type']}{f', {default}' if default else ''}{help_text}"


def _format_range(bounds: Sequence[float]) -> str:
    return "[{:g}, {:g}]".format(*bounds)
