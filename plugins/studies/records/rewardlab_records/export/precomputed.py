"""Scores of a log of inspect_ai for its scorer `precomputed_scores`, which gives them to the samples of the log.

A line is a completion: `id` and `epoch` of its sample, `value` (the total), `explanation`, and in `metadata` what each
component said. Source: inspect_ai/scorer/_precomputed.py, version 0.3.285.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.files import write_text

from rewardlab_records.export.scored_rows import ScoredRow, ScoredRows, columns_of_members


def write_precomputed(scored: ScoredRows, output: Path) -> tuple[int, int]:
    """Write the scores to a new file; return how many, and how many completions have no total.

    A line without a total is left out: what the scorer has no line for is unscored, and not a low score.
    """
    counts = [0, 0]

    def lines() -> Iterator[str]:
        for row in scored:
            for record in score_records(row):
                counts[record["value"] is None] += 1
                if record["value"] is not None:
                    yield json.dumps(record, ensure_ascii=False) + "\n"

    write_text(output, lines())
    return counts[0], counts[1]


def score_records(row: ScoredRow) -> Iterator[dict[str, Any]]:
    """Yield what the scorer reads of each completion of a row; `value` is None if it has no total."""
    sample, scores = row.group.sample, row.scores
    epochs = columns_of_members(sample.fields, len(scores["total"])).get("epoch")
    for index, total in enumerate(scores["total"]):
        entries = {
            name: {key: column[index] for key, column in entry.items()} for name, entry in scores["components"].items()
        }
        yield {
            "id": sample.fields.get("problem", sample.id),
            "epoch": epochs[index] if epochs else index + 1,
            "value": total,
            "explanation": "; ".join(f"{name}: {_words(entry)}" for name, entry in entries.items()),
            "metadata": {"shaped": scores["shaped"][index], "components": entries},
        }


def _words(entry: Mapping[str, Any]) -> str:
    value = "no value" if entry["value"] is None else f"{entry['value']:g}"
    reason = entry.get("error") or (entry.get("info") or {}).get("reason")
    return f"{value} ({reason})" if reason else value
