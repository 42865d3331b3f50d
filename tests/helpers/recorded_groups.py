"""The groups of a stage on Ray by the names that its engine has for them, which the ledger itself does not say."""

import json
from pathlib import Path
from typing import Any


def recorded_groups(run: Path, stage: int = 0) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each group that the attempts at a stage recorded, by the group's key, in their order."""
    ledger, groups = run / "ledger.jsonl", {}
    content = ledger.read_bytes() if ledger.exists() else b""
    for journal in sorted(run.glob(f"engine/{stage}-*/recorded-*.jsonl")):
        for fact in map(json.loads, journal.read_bytes().splitlines()):
            if "place" in fact:
                lines = content[fact["begin"] : fact["end"]].splitlines()
                groups[fact["place"]["key"]] = [json.loads(line) for line in lines]
    return groups
