"""Write every completion of a run as a row of a table that pandas and polars read without options.

A row has the prompt, the sample's fields, the completion, and what each component said and contributed. The ending
of OUT says the format. docs/ledger.md has the columns.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="a run directory, or a ledger.jsonl")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT", help="a new file: .parquet, .csv or .jsonl"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")


def run(options: Namespace) -> int:
    from rewardlab.analysis.ledger.export import export_ledger

    result = export_ledger(options.run, options.output, say=partial(print, file=sys.stderr))
    if options.json:
        print(json.dumps({"ok": True, "output": str(options.output)} | result.as_dict(), ensure_ascii=False))
        return 0
    replaced = f", {result.superseded:,} of them superseded by a resume" if result.superseded else ""
    discarded = f", {result.discarded:,} of them made for training and not trained on" if result.discarded else ""
    print(f"wrote {result.rows:,} rows of {len(result.columns)} columns{replaced}{discarded}: {options.output}")
    return 0
