"""The keys of one part of a recipe, or of a component, as a table."""


def table(row, place, elsewhere=()):
    """The keys of one part as a table, but for options that are told elsewhere."""
    lines = [row["summary"], "", "| key | type | default | meaning |", "|---|---|---|---|"]
    for option in [option for option in row["options"] if option not in elsewhere]:
        default = "required" if option["required"] else code(option["default"]) if "default" in option else ""
        cells = [f"`{place}{option['name']}`", option["type"], default, option["help"]]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def code(value):
    if value is None:
        return "absent"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
