"""A log of inspect_ai with the scores of a recipe beside its own: the same file, with one scorer more.

A `.eval` is a zip. Scores stand in each sample and in `summaries.json`, which its viewer lists; their mean is among the
results of `header.json`. Source: inspect_ai/log, version 0.3.285.
"""

import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from rewardlab.errors import JobError, Problem, UserError, one_line

from rewardlab_records.export.precomputed import score_records
from rewardlab_records.export.scored_rows import ScoredRows
from rewardlab_records.rollouts.inspect_file import open_members

SCORER = "rewardlab"
Scores = Mapping[tuple[str, int], Mapping[str, Any]]
"""(id of a sample, its epoch) -> value, explanation and metadata of its score"""


def write_log(scored: ScoredRows, log: Any, output: Path) -> tuple[int, int]:
    """Write a log with these scores; return how many samples have one, and how many completions have no total.

    A sample without a total has no score: it is unscored, and not low. Raises UserError if the rows are no `.eval`.
    """
    if not str(log).endswith(".eval"):
        raise UserError(
            "an .eval needs the .eval that was scored in the place of ROWS; or write .jsonl", where=str(log)
        )
    records = [record for row in scored for record in score_records(row)]
    scores = {(str(record["id"]), record["epoch"]): record for record in records if record["value"] is not None}
    try:
        with TemporaryDirectory(dir=output.parent, prefix=".rewardlab-", ignore_cleanup_errors=True) as scratch:
            made = Path(scratch, "log.eval")
            with open_members(str(log)) as members, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
                for name in members.names:
                    content = members.content(name)
                    if isinstance(content, Problem):
                        raise UserError([content])
                    new.writestr(name, _part(str(log), name, content, scores))
            made.rename(output)
    except OSError as error:
        raise JobError(f"{output} cannot be written: {error.strerror or error}") from error
    return len(scores), len(records) - len(scores)


def _part(log: str, name: str, content: bytes, scores: Scores) -> bytes:
    """Return a part of the new log. Raises UserError if it is not as inspect_ai writes it."""
    try:
        return _with_scores(name, content, scores)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        if name.startswith("samples/"):  # it was left out, and told, when the log was read
            return content
        raise UserError(f"is not as inspect_ai writes it: {one_line(error)}", where=f"{log}: {name}") from None


def _with_scores(name: str, content: bytes, scores: Scores) -> bytes:
    """Return a part of the log with these scores, if it has any."""
    if name == "header.json":
        header = json.loads(content)
        _add_results(header, scores)
        return _bytes(header)
    if name == "summaries.json":
        return _bytes([_scored(summary, scores) for summary in json.loads(content)])
    if name.startswith("samples/"):
        return _bytes(_scored(json.loads(content), scores))
    return content


def _bytes(values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "backslashreplace")  # NaN as inspect_ai writes it


def _scored(sample: dict[str, Any], scores: Scores) -> dict[str, Any]:
    record = scores.get((str(sample["id"]), sample["epoch"]))
    own = {name: score for name, score in (sample.get("scores") or {}).items() if name != SCORER}
    own_score = {} if record is None else {SCORER: {key: record[key] for key in ("value", "explanation", "metadata")}}
    return {**sample, "scores": {**own, **own_score}}


def _add_results(header: dict[str, Any], scores: Scores) -> None:
    """Add the mean over samples of the mean over their epochs, as inspect_ai reduces them."""
    results = header.get("results") or {"total_samples": len(scores), "completed_samples": len(scores), "scores": []}
    by_sample: dict[str, list[float]] = {}
    for (sample, _), score in scores.items():
        by_sample.setdefault(sample, []).append(score["value"])
    others: Iterable[Mapping[str, Any]] = (result for result in results.get("scores") or () if result["name"] != SCORER)
    own_result: dict[str, Any] = {"name": SCORER, "scorer": SCORER, "scored_samples": len(by_sample), "params": {}}
    if by_sample:
        own_result["metrics"] = {"mean": {"name": "mean", "value": fmean(map(fmean, by_sample.values())), "params": {}}}
    header["results"] = {**results, "scores": [*others, own_result]}
