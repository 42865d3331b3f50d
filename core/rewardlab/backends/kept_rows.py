"""Completions of an evaluation, kept as rows that `rewardlab score` reads."""

import json
from collections.abc import Iterable
from pathlib import Path

from rewardlab.composition import ScoredGroup


def keep_rows(path: Path, scored: Iterable[ScoredGroup]) -> None:
    """Write a line a prompt: the sample's own columns, and its completions."""
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for group in scored:
            row = {
                **group.sample.fields,
                "id": group.sample.id,
                "prompt": list(map(dict, group.sample.prompt)),
            }
            row["completions"] = [
                {"text": c.text, "token_count": c.token_count, "truncated": c.truncated} for c in group.completions
            ]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
