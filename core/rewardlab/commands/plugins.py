"""List the installed plugins and what they offer; broken ones are rows too. With NAME, show one in full."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Any


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="a plugin, or <plugin>/<component>")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: Namespace) -> int:
    from rewardlab.errors import UserError, nearest
    from rewardlab.registry import Registry

    registry = Registry()
    wanted = (options.name or "").partition("/")[0]
    if wanted and wanted not in registry.names():
        raise UserError(f"no plugin {wanted!r}{nearest(wanted, registry.names())}")
    plugins = [registry.plugin(wanted)] if wanted else list(registry)
    rows = [row for plugin in plugins for row in _rows(plugin) if options.name in (None, wanted, row["use"])]
    if options.name and not rows:
        known = [row["use"] for plugin in plugins for row in _rows(plugin)]
        raise UserError(f"no component {options.name!r}{nearest(options.name, known)}")
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    elif options.name:
        print("\n\n".join(map(_card, rows)))
    else:
        _table(rows)
    return 0


def _rows(plugin) -> list[dict]:
    offered_by = {"plugin": plugin.name, "distribution": plugin.distribution, "version": plugin.version}
    if plugin.broken:
        return [{"use": plugin.name, "kind": "broken", "summary": plugin.broken, **offered_by}]
    return [_row(plugin, kind, spec) | offered_by for (kind, _), spec in sorted(plugin.specs.items())]


def _row(plugin, kind: str, spec) -> dict:
    from rewardlab.specs import DatasetSpec, RewardSpec

    row: dict[str, Any] = {
        "use": f"{plugin.name}/{spec.name}",
        "kind": kind,
        "summary": " ".join(spec.summary.split()),
    }
    if isinstance(spec, RewardSpec):
        row |= {"scope": spec.scope, "range": list(spec.range), "runs": spec.runs}
        row["requires"] = _of_defaults(spec, spec.requires, spec.required_fields)
    if isinstance(spec, DatasetSpec):
        row["provides"] = _of_defaults(spec, spec.provides, spec.provided_fields)
    return row | {"options": [_option(name, info) for name, info in spec.config.model_fields.items()]}


def _option(name: str, info) -> dict:
    from pydantic_core import to_jsonable_python

    from rewardlab.validation import type_text

    option = {"name": info.alias or name, "type": type_text(info.annotation), "required": info.is_required()}
    if not info.is_required():
        option["default"] = to_jsonable_python(info.get_default(call_default_factory=True), fallback=str)
    return option | {"help": " ".join((info.description or "").split())}


def _of_defaults(spec, declared, ask) -> list[str] | str:
    """The fields that a spec requires or provides under its default options, where these are valid."""
    from pydantic import ValidationError

    from rewardlab.errors import one_line

    try:
        fields = ask(spec.config() if callable(declared) else None)
    except ValidationError:  # some options have no default, or not one that stands alone
        return "by options"
    except Exception as error:  # a listing shows what is broken, too
        return f"fails with {one_line(error)}"
    return "by reading" if fields is None else list(fields)


def _table(rows: Iterable[dict]) -> None:
    lines = [("component", "kind", "scope", "range", "requires", "summary")]
    for row in rows:
        span = _span(row["range"]) if "range" in row else ""
        fields = row.get("requires", row.get("provides", ""))
        fields = ", ".join(fields) if isinstance(fields, list) else fields
        if row["kind"] == "dataset":
            fields = f"gives {fields}" if fields else ""
        lines.append((row["use"], row["kind"], row.get("scope", ""), span, fields, row["summary"]))
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    for line in lines:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, [*widths, 0], strict=True)).rstrip())
    if any(row["kind"] == "broken" for row in rows):
        print("broken plugins stop only the recipes that name them", file=sys.stderr)


def _card(row: dict) -> str:
    lines = [f"{row['use']} ({row['kind']}; {row['distribution']} {row['version']})", f"  {row['summary']}"]
    for key in ("scope", "range", "runs", "requires", "provides"):
        if row.get(key):
            value = _span(row[key]) if key == "range" else row[key]
            lines.append(f"  {key}: {value if isinstance(value, str) else ', '.join(value)}")
    for option in row.get("options", []):
        default = "required" if option["required"] else f"default {json.dumps(option['default'], ensure_ascii=False)}"
        help_text = f". {option['help']}" if option["help"] else ""
        lines.append(f"  with.{option['name']}: {option['type']}, {default}{help_text}")
    return "\n".join(lines)


def _span(bounds: list[float]) -> str:
    return "[{:g}, {:g}]".format(*bounds)
