"""`rewardlab ledger`: every completion of a run as a row of a table."""

from pathlib import Path
from typing import Annotated

from rewardlab import CommandResult, Config, Flag, Positional, note
from rewardlab.commands import Say
from rewardlab.text import counted

from rewardlab_records.ledger.export import export_ledger

SUMMARY = "write every completion of a run as a table"


class Options(Config):
    """Write every completion of a run as a row of a table that pandas and polars read without options.

    A row has the prompt, the sample's fields, the completion, and each component's value and contribution. The
    extension of OUT selects the format. docs/ledger.md has the columns.
    """

    run: Annotated[Path, Positional("RUN")]
    """a run directory, or a ledger.jsonl"""
    output: Annotated[Path, Flag("-o", metavar="OUT")]
    """a new file: .parquet, .csv or .jsonl"""
    raw: bool = False
    """CSV: leave texts as they are, also those that a spreadsheet would run"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""


def run(options: Options) -> CommandResult:
    """Write the table; data: how many rows and columns it has."""
    result = export_ledger(options.run, options.output, say=options.say, raw=options.raw)
    replaced = f", {result.superseded:,} of them superseded by a resume" if result.superseded else ""
    discarded = f", {result.discarded:,} of them made for training and not trained on" if result.discarded else ""
    size = f"{counted(result.rows, 'row')} of {len(result.columns)} columns"
    data = {"ok": True, "output": str(options.output)} | result.as_dict()
    return CommandResult(text=f"wrote {size}{replaced}{discarded}: {options.output}", data=data)
