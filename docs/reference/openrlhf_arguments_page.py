"""openrlhf_arguments.md: what sets each argument of OpenRLHF's, from engine_settings/arguments.yaml of the plugin."""

from rewardlab_openrlhf.engine_arguments import WHEEL
from rewardlab_openrlhf.engine_settings import setters

SETTERS = {"recipe": "the recipe", "rewardlab": "rewardlab", "arguments": "`engine.arguments`", "not": "nothing"}
HEAD = f"""# OpenRLHF's arguments

If you know OpenRLHF, look up what sets each argument of `openrlhf.cli.train_ppo_ray` {WHEEL} in an rl stage,
generated and tested against the commands that are compiled. `rewardlab run --dry-run` prints a stage's whole command.

- **the recipe**: a key of its own (`stages.N` is the rl stage), listed in [settings.md](settings.md). Some follow from
  several keys; the one that is named changes it.
- **rewardlab**: always as it says, or rewards, files and resuming would not fit together.
- **`engine.arguments`**: `backend.engine.arguments` passes it on as it is, such as `{{actor.entropy_coef: 0.001}}`.
- **nothing**: OpenRLHF's default holds, and the line says why, and what does its work.

"""


def page():
    """The whole page."""
    lines = ["| argument | set by | from, or why not |", "|---|---|---|"]
    for name, row in setters().items():
        kind = next(kind for kind in SETTERS if kind in row)
        source = f"`{row[kind]}`" if kind == "recipe" else row[kind]
        lines.append(f"| `{name}` | {SETTERS[kind]} | {source} |")
    return HEAD + "\n".join(lines) + "\n"
