"""`rewardlab export`: scores in the forms that other tools read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from rewardlab import CommandResult, Config, Flag, Positional, note
from rewardlab.commands import AnyRows, RolloutName, Say, file_of
from rewardlab.errors import UserError
from rewardlab.scorefile import StateFolder, output_path_problem
from rewardlab.text import counted

from rewardlab_records.export.dataset_folder import write_folder
from rewardlab_records.export.inspect_log import write_log
from rewardlab_records.export.precomputed import write_precomputed
from rewardlab_records.export.score_table import write_table
from rewardlab_records.export.scored_rows import ScoredRows
from rewardlab_records.export.stored_output import Written, stored_output
from rewardlab_records.rollouts.stored_files import STORED

SUMMARY = "write scores for other tools"


class Options(Config):
    """Write scores beside their rows for other tools: a table, a dataset for the hub, or scores for inspect_ai.

    The extension of OUT selects the form. .parquet and .csv: a row for each completion, with columns for each
    component. .jsonl: what inspect_ai's scorer precomputed_scores reads, if ROWS is its log; .eval: that log with these
    scores. No extension: a new folder with a parquet file and a card that says how the reward is composed.
    """

    rows: Annotated[AnyRows, Positional("ROWS.jsonl")]
    """the rows that were scored"""
    scored: Annotated[Path, Positional("SCORED.jsonl")]
    """what `score` wrote for them"""
    output: Annotated[str | Path, Flag("-o", metavar="OUT")]
    """a new file or folder, here or in a store (s3://bucket/scores)"""
    rows_per_file: Annotated[int | None, Flag(metavar="N")] = None
    """of a folder: completions of each of its parquet files, of which there are several then (one file)"""
    format: RolloutName = None
    """the tool whose rollouts the rows are (detected)"""
    say: Say = note
    """called with each note, such as records that are left out"""


def run(options: Options) -> CommandResult:
    """Write the scores; data: how many. Raises UserError if rows and scores do not belong together."""
    divided = options.rows_per_file
    if divided is not None and (Path(options.output).suffix or divided < 1):
        raise UserError("it divides the parquet file of a folder, and is 1 or more", where="--rows-per-file")
    state, unscored = StateFolder(options.scored), 0
    with (
        _place_of(str(options.output)) as (output, written),
        file_of(options.rows, options.say, options.format, skip_bad=True) as (path, _),
    ):
        origin = state.read() if state.path.is_dir() else None
        scored = ScoredRows(rows=str(path), scored=str(options.scored), origin=origin)
        if output.suffix == ".jsonl":
            count, unscored = write_precomputed(scored, output)
        elif output.suffix == ".eval":
            count, unscored = write_log(scored, options.rows, output)
        elif output.suffix:
            count = write_table(scored, output)
        else:
            count = write_folder(scored, output, divided, written)
    message = f"; {unscored:,} have no total and stay unscored" if unscored else ""
    data = {"ok": True, "output": str(options.output), "completions": count, "unscored": unscored}
    return CommandResult(text=f"{counted(count, 'completion')}: {options.output}{message}", data=data)


@contextmanager
def _place_of(output: str) -> Iterator[tuple[Path, Written]]:
    """Give the path of this machine to write to, and what is told of each file of several."""
    if STORED.match(output):
        with stored_output(output) as place:
            yield place
        return
    path = Path(output)
    if path.exists():
        raise UserError("exists already; give -o another name", where=output)
    if problem := output_path_problem(path):
        raise UserError([problem])
    yield path, lambda file, name: None
