"""The completions of an evaluation, written as rows that `rewardlab score` reads."""

import json
from collections.abc import Iterable
from pathlib import Path

from rewardlab.scoring.composition import ScoredGroup


def write_evaluation_rows(path: Path, scored: Iterable[ScoredGroup]) -> None:
    """Write a JSONL file with one line for each prompt: the sample's own columns, and `completions`, a list of G.

    A completion is {"text", "token_count", "truncated"}. An existing file is overwritten.
    """
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for group in scored:
            row = group.sample.as_row()
            row["completions"] = [
                {"text": c.text, "token_count": c.token_count, "truncated": c.truncated} for c in group.completions
            ]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
