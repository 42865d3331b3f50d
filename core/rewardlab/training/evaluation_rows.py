"""The files of an evaluation: its results, and its completions as rows that `rewardlab score` reads."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rewardlab.scoring.composition import ScoredGroup
from rewardlab.training.results import Results, summarise
from rewardlab.types import Sample


def write_evaluation(
    path: Path,
    scored: Sequence[ScoredGroup],
    by: Sequence[str],
    name: str,
    counted: Mapping[str, Sequence[str]],
    missing: Sequence[Sample] = (),
) -> Results:
    """Return the results of an evaluation, `summarise` says of what; they and its rows are written.

    path: of the results, NAME.json; the rows go to NAME.rows.jsonl beside it. Existing files are overwritten.
    """
    _write_rows(path.with_suffix(".rows.jsonl"), scored)
    results = summarise(scored, by, name=name, missing=missing, counted=counted)
    results.save(path)
    return results


def _write_rows(path: Path, scored: Iterable[ScoredGroup]) -> None:
    """Write one line for each prompt: the sample's own columns, and `completions`, a list of G.

    A completion is {"text", "token_count", "truncated"}.
    """
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for group in scored:
            row = group.sample.as_row()
            row["completions"] = [
                {"text": c.text, "token_count": c.token_count, "truncated": c.truncated} for c in group.completions
            ]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
