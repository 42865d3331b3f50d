"""settings.md: every key of a recipe and of the engines, from the models that check them."""

from key_table import table
from rewardlab.registry import Registry, first_party
from rewardlab_testing.listing.listing import component_rows
from rewardlab_testing.listing.recipe_keys import PARTS, part_row

TRAINING = ("sft", "rl", "dpo")
HEAD = """# Settings

If you look for a key of a recipe or of an engine that comes with rewardlab, find it here, generated from the models
that check them. `rewardlab plugins rl` prints the same for a stage, `rewardlab plugins trl` for an engine, and
`rewardlab plugins math/accuracy` lists the options of a component, which stand under its `with`.
[recipes.md](../recipes.md) explains how the parts belong together. Written in an override, a key has its place before
it: `stages.1.steps=50`, `judges.main.timeout=30`.
"""
COMMON = "Keys that `sft`, `rl` and `dpo` share."
TITLES = {
    "recipe": "A recipe",
    "dataset": "dataset",
    "judge": "judges",
    "reward": "reward",
    "component": "reward.components",
}


def page():
    """The whole page."""
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
    registry = Registry()
    for name in sorted(first_party().keys() & registry.backends()):
        (row,) = component_rows(registry.plugin(name))
        sections += [f"## backend {name}\n", table(row, "backend.")]
    return "\n".join(sections)
