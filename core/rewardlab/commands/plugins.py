"""List the installed plugins and what they offer; broken ones are rows too. With NAME, show one in full."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable


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
    from rewardlab.validation import type_text

    row = {"use": f"{plugin.name}/{spec.name}", "kind": kind, "summary": spec.summary}
    if isinstance(spec, RewardSpec):
        row |= {"scope": spec.scope, "range": list(spec.range), "runs": spec.runs, "requires": _of_defaults(spec)}
    if isinstance(spec, DatasetSpec):
        row["provides"] = _of_defaults(spec)
    row["options"] = [
        {
            "name": info.alias or name,
            "type": type_text(info.annotation),
            "default": "required" if info.is_required() else info.get_default(call_default_factory=True),
            "help": " ".join((info.description or "").split()),
        }
        for name, info in spec.config.model_fields.items()
    ]
    return row


def _of_defaults(spec) -> list[str] | str:
    """The fields that a spec requires or provides under its default options, where it has defaults for all."""
    ask = getattr(spec, "required_fields", None) or spec.provided_fields
    declared = getattr(spec, "requires", None) or getattr(spec, "provides", None)
    if callable(declared) and any(info.is_required() for info in spec.config.model_fields.values()):
        return "by options"
    fields = ask(None if not callable(declared) else spec.config())
    return "by reading" if fields is None else list(fields)


def _table(rows: Iterable[dict]) -> None:
    lines = [("component", "kind", "scope", "range", "requires", "summary")]
    for row in rows:
        span = "[{:g}, {:g}]".format(*row["range"]) if "range" in row else ""
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
            value = row[key] if isinstance(row[key], str) else ", ".join(map(str, row[key]))
            lines.append(f"  {key}: {value}")
    for option in row.get("options", []):
        default = "required" if option["default"] == "required" else f"default {json.dumps(option['default'], default=str)}"
        lines.append(f"  with.{option['name']}: {option['type']}, {default}" + (f". {option['help']}" if option["help"] else ""))
    return "\n".join(lines)
