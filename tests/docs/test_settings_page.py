"""docs/settings.md lists every key of a recipe and of our engines, with types, defaults and meanings.

`python tests/docs/test_settings_page.py` writes it.
"""

from pathlib import Path

from rewardlab.registry import Registry
from rewardlab_testing.listing.listing import component_rows
from rewardlab_testing.listing.recipe_keys import PARTS, part_row

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
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


def page():
    """The whole page, from the models as they are."""
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


def test_the_page_says_what_the_models_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python tests/docs/test_settings_page.py"


def test_every_key_says_what_it_is():
    rows = [part_row(name) for name in PARTS] + [
        row for p in Registry() for row in component_rows(p) if "options" in row
    ]
    assert len(rows) > 30
    assert [f"{row['use']}: {key['name']}" for row in rows for key in row["options"] if not key["help"]] == []


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
