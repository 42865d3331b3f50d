"""The reference is what the code says: every key of a recipe, every component's options, every command's flags.

`python tests/docs/test_settings_page.py` writes docs/settings.md, docs/components.md and docs/commands.md.
"""

import inspect
from argparse import SUPPRESS
from pathlib import Path

import pytest
from rewardlab.commands.parsing import parser_of
from rewardlab.first_party import first_party
from rewardlab.registry import Registry
from rewardlab_testing.listing.listing import component_rows
from rewardlab_testing.listing.recipe_keys import PARTS, part_row

DOCS = Path(__file__).parents[2] / "docs"
ENGINES = ("trl", "openrlhf")
TRAINING = ("sft", "rl", "dpo")
HEAD = """# Settings

If you look for a key of a recipe or of an engine that comes with rewardlab, find it here, generated from the models
that check them.
`rewardlab plugins rl` prints the same for a stage, `rewardlab plugins trl` for an engine, and
`rewardlab plugins math/accuracy` lists the options of a component, which stand under its `with`.
[recipes.md](recipes.md) explains how the parts belong together. Written in an override, a key has its place before it:
`stages.1.steps=50`, `judges.main.timeout=30`.
"""
COMPONENTS = """# Components

If you compose a reward, find here every component that comes with rewardlab and its options, generated from their
specs. The options stand under its `with`; `rewardlab plugins math/accuracy` prints the same, and what is installed
besides. The engines stand in [settings.md](settings.md), and each plugin's README explains its components.
"""
COMMANDS = """# Commands

If you work in a shell, find here every command and flag, generated from the options that the commands take.
`rewardlab COMMAND --help` prints the same, and `rewardlab.COMMAND(...)` takes them in Python ([python.md](python.md)).
Each also has `--json`, which prints the result as JSON, and `--traceback`.
"""
COMMON = "Keys that `sft`, `rl` and `dpo` share."
TITLES = {
    "recipe": "A recipe",
    "dataset": "dataset",
    "judge": "judges",
    "reward": "reward",
    "component": "reward.components",
}


def table(row, place, told=()):
    """The keys of one part as a table, but for options that are told elsewhere."""
    lines = [row["summary"], "", "| key | type | default | meaning |", "|---|---|---|---|"]
    for option in [option for option in row["options"] if option not in told]:
        default = "required" if option["required"] else code(option["default"]) if "default" in option else ""
        cells = [f"`{place}{option['name']}`", option["type"], default, option["help"]]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def code(value):
    if value is None:
        return "absent"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def settings():
    """docs/settings.md, from the models as they are."""
    sections = [HEAD]
    trained = [part_row(name)["options"] for name in TRAINING]
    common = [option for option in trained[0] if all(option in options for options in trained)]
    for name in PARTS:
        row = part_row(name)
        if name == TRAINING[0]:
            sections += ["## training stages\n", table({"summary": COMMON, "options": common}, "")]
        sections += [
            f"## {TITLES.get(name, f'stage {name}')}\n",
            table(row, "" if row["kind"] == "stage" else row["before"], common if name in TRAINING else ()),
        ]
    for name in ENGINES:
        (row,) = component_rows(Registry().plugin(name))
        sections += [f"## backend {name}\n", table(row, "backend.")]
    return "\n".join(sections)


def components():
    """docs/components.md, from the specs as they are."""
    sections = [COMPONENTS]
    for name, plugin in first_party().items():
        specs = component_rows(Registry().plugin(name)) if plugin["components"] else []
        if rows := [row for row in specs if row["kind"] != "backend"]:
            told = f"[{plugin['distribution']}](../plugins/{name}/README.md): {plugin['summary']}."
            sections.append(f"## {name}\n\n{told}\n")
        for row in rows:
            facts = [row["kind"], row.get("scope"), "range" in row and "{:g} to {:g}".format(*row["range"])]
            row["summary"] = f"{row['summary'][0].upper()}{row['summary'][1:]} ({', '.join(filter(None, facts))})."
            sections += [f"### {row['use']}\n", table(row, "") if row["options"] else f"{row['summary']}\n"]
    return "\n".join(sections)


def commands():
    """docs/commands.md, from the commands' parsers as they are."""
    sections = [COMMANDS]
    ours = [plugin for plugin in Registry() if plugin.name in {"rewardlab", *first_party()}]
    for spec in sorted((spec for plugin in ours for spec in plugin.commands.values()), key=lambda spec: spec.name):
        sections += [f"## {spec.name}\n", f"```text\n{inspect.cleandoc(spec.options_class().__doc__)}\n```\n"]
        sections += ["| argument | meaning |", "|---|---|"]
        for action in parser_of(spec)._actions:
            if action.dest not in ("help", "json", "traceback") and action.help != SUPPRESS:
                values = "|".join(action.choices) if action.choices else action.metavar or action.dest.upper()
                shown = f"{', '.join(action.option_strings)} {values if action.nargs != 0 else ''}".strip()
                cells = [f"`{shown}`", " ".join(action.help.replace("%%", "%").split())]
                sections.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        sections.append("")
    return "\n".join(sections)


PAGES = {"settings.md": settings, "components.md": components, "commands.md": commands}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_says_what_the_code_says(name):
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run: python tests/docs/test_settings_page.py"


def test_every_key_says_what_it_is():
    rows = [part_row(name) for name in PARTS] + [
        row for p in Registry() for row in component_rows(p) if "options" in row
    ]
    assert len(rows) > 30
    assert [f"{row['use']}: {key['name']}" for row in rows for key in row["options"] if not key["help"]] == []


if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
