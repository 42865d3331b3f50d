"""components.md: every component of ours and its options, from their specs."""

from key_table import table
from rewardlab.first_party import first_party
from rewardlab.registry import Registry
from rewardlab_testing.listing.listing import component_rows

HEAD = """# Components

If you compose a reward, find here every component that comes with rewardlab and its options, generated from their
specs. The options stand under its `with`; `rewardlab plugins math/accuracy` prints the same, and what is installed
besides. The engines stand in [settings.md](settings.md), and each plugin's README explains its components.
"""


def page():
    """The whole page."""
    sections = [HEAD]
    for name, plugin in first_party().items():
        specs = component_rows(Registry().plugin(name)) if plugin["components"] else []
        if rows := [row for row in specs if row["kind"] != "backend"]:
            about = f"[{plugin['distribution']}](../../plugins/{plugin['folder']}/README.md): {plugin['summary']}."
            sections.append(f"## {name}\n\n{about}\n")
        for row in rows:
            facts = [row["kind"], row.get("scope"), "range" in row and "{:g} to {:g}".format(*row["range"])]
            row["summary"] = f"{row['summary'][0].upper()}{row['summary'][1:]} ({', '.join(filter(None, facts))})."
            sections += [f"### {row['use']}\n", table(row, "") if row["options"] else f"{row['summary']}\n"]
    return "\n".join(sections)
