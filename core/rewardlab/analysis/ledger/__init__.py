"""The ledger of a run, for those who ask it: one flat row a completion, which any table library reads.

In go the lines that `training/ledger.py` writes, of this and earlier versions. Out come tables (`rewardlab ledger`)
and, for the studies beside this one, the lines themselves and which of them a resume has replaced.

    scan     the lines of a ledger, and which of them count
    columns  the columns of the flat table, found in a first reading
    table    the rows of the flat table
    export   one file of them: parquet, CSV or JSON lines

docs/ledger.md has the columns.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.analysis.ledger.export import ExportResult, export_ledger
    from rewardlab.analysis.ledger.scan import current_steps, readable_lines, whole_lines
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "export": ["ExportResult", "export_ledger"],
            "scan": ["current_steps", "readable_lines", "whole_lines"],
        },
    )

__all__ = [
    "ExportResult",
    "current_steps",
    "export_ledger",
    "readable_lines",
    "whole_lines",
]
