"""What TRL's own trainer receives, as the processes of a run tell it (plugins/engines/trl/tests/told_batches)."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from rewardlab_testing.backend_laws.ledger import read_rows

from helpers.paths import ROOT

TOLD = ROOT / "plugins" / "engines" / "trl" / "tests" / "told_batches"
Received = dict[tuple[int, int, str], list[float]]
"""(stage, step, sample id) -> advantages"""


def told_batches(folder: Path) -> tuple[dict[str, str], Callable[[Path], Received]]:
    """Return the variables by which the trainer tells its batches, and a function of a run that reads what it received.

    Read is the last run, whose batches are the last lines.
    """
    told = folder / "received.jsonl"
    path = os.pathsep.join(filter(None, [str(TOLD), os.environ.get("PYTHONPATH")]))

    def received(directory: Path) -> Received:
        steps = {(row["stage"], row["step"]) for row in read_rows(directory) if row["phase"] == "training"}
        advantages: Received = {}
        parts = [file.read_text().splitlines()[-len(steps) :] for file in sorted(folder.glob(f"{told.name}.*"))]
        for (stage, step), *lines in zip(sorted(steps), *parts, strict=True):
            batch = [row for line in lines for row in json.loads(line)]  # that of the first process comes first
            for sample, advantage in batch:
                advantages.setdefault((stage, step, sample), []).append(advantage)
        return advantages

    return {"PYTHONPATH": path, "REWARDLAB_TRL_RECEIVED": str(told)}, received
