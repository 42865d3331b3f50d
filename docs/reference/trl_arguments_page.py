"""trl_arguments.md: the fields of TRL's configurations that a stage may set, from the lists of the plugin."""

from importlib.resources import files

import yaml
from rewardlab_trl.arguments import CONFIGS, owned_fields, passed_fields

HEAD = """# TRL's arguments

If you know TRL, look up here what a stage's `arguments` may pass on to the configuration of its trainer, and which key
of the recipe says the rest. It is generated, and tested against TRL {version}'s own dataclasses. `rewardlab check`
says what is wrong with a name or a value without TRL; `rewardlab run --dry-run` shows what is passed.

```yaml
stages:
  - {{use: rl, algorithm: grpo, arguments: {{top_entropy_quantile: 0.2, cast_lm_head_to_fp32: true}}}}
```
"""


def page():
    """The whole page."""
    listed = files("rewardlab_trl").joinpath("trl_arguments.yaml").read_text(encoding="utf-8")
    version = yaml.safe_load(listed)["version"]
    lines = [HEAD.format(version=version)]
    for kind, config in CONFIGS.items():
        lines += [f"## {config}, of stages `{kind}`", "", "Passed on:", "", "| field | takes | does |", "|---|---|---|"]
        for name, row in sorted(passed_fields(kind).items()):
            lines.append(
                f"| `{name}` | {', '.join(row['takes']).replace('|', 'or')} | {row['does'].replace('|', '/')} |"
            )
        lines += ["", "Not passed on:", "", "| field | the recipe's key, or why not |", "|---|---|"]
        reasons = {name: f"`{key}`" for name, key in owned_fields(kind, "recipe").items()} | owned_fields(kind, "not")
        lines += [*(f"| `{name}` | {reasons[name]} |" for name in sorted(reasons)), ""]
    return "\n".join(lines)
