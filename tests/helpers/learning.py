"""The quickstart's recipe with an engine: it lifts the rewards of prompts that are in no training row."""

import json
import os
from pathlib import Path

from helpers.paths import RECIPES

QUICKSTART = RECIPES / "quickstart.yaml"
RISE = 0.1


def means(run: Path, when: str) -> dict[str, dict[str, float]]:
    """Return the means of an evaluation of the quickstart, by the part of the prompts: "all", "language en"."""
    results = json.loads((run / "evaluation" / f"1-rl-{when}.json").read_text(encoding="utf-8"))
    return {part["name"]: part["means"] for part in results["slices"]}


def assert_lifts_the_held_out_total(engine: str, run: Path) -> None:
    """Assert that a run of the quickstart has learned; tell the numbers to REWARDLAB_EQUALITY."""
    before, after = (means(run, when)["all"]["total"] for when in ("before", "after"))
    assert after > before + RISE
    if path := os.environ.get("REWARDLAB_EQUALITY"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{json.dumps({'engine': engine, 'before': before, 'after': after})}\n")
