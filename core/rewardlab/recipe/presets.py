"""Named settings of an rl stage: `preset: dapo` stands for the keys of a paper, before which a stage's own keys go.

`presets.json` has them: DAPO of section 4.1, Dr. GRPO as sail-sg/understand-r1-zero runs it, GSPO of section 5.1, CISPO
of section 3.1.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A paper, by its number at arXiv, its keys, and what else it has that a recipe says elsewhere."""

    paper: str
    keys: Mapping[str, Any]
    beside: str = ""


_PAPERS = json.loads(Path(__file__).with_name("presets.json").read_text(encoding="utf-8"))
PRESETS: Mapping[str, Preset] = {name: Preset(**paper) for name, paper in _PAPERS.items()}
"""name -> what it stands for; none has a KL penalty"""
INSTEAD = {"warmup_steps": "warmup_ratio"}
"""key of a preset -> one that a stage may have in its place"""


def with_preset(stage: Any) -> Any:
    """Return a stage as it is written, with the keys of its preset that it does not say itself."""
    preset = PRESETS.get(stage["preset"]) if isinstance(stage, dict) and isinstance(stage.get("preset"), str) else None
    if preset is None:
        return stage
    return {key: value for key, value in preset.keys.items() if INSTEAD.get(key) not in stage} | stage
