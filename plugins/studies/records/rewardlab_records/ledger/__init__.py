"""The ledger of a run, for those who ask it: one flat row a completion, which any table library reads.

In go the lines that `training/ledger.py` writes, of this and earlier versions. Out come tables (`rewardlab ledger`)
and, for other plugins, the lines themselves and which of them a resume has replaced.

    ledger_file  the file, and its lines as they stand
    growing      the lines that are new, of a ledger that grows
    scan         the lines of a ledger, and which of them count
    line_check   whether a line is one of a ledger
    columns      the columns of the flat table, found in a first reading
    table        the rows of the flat table
    export       one file of them: parquet, CSV or JSON lines

docs/ledger.md has the columns.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_records.ledger.flat_file import inert as inert
    from rewardlab_records.ledger.growing import GrowingLedger as GrowingLedger
    from rewardlab_records.ledger.ledger_file import LedgerFile as LedgerFile
    from rewardlab_records.ledger.ledger_file import find_ledger as find_ledger
    from rewardlab_records.ledger.line_check import fault_of_line as fault_of_line
    from rewardlab_records.ledger.scan import current_steps as current_steps
    from rewardlab_records.ledger.scan import whole_lines as whole_lines
    from rewardlab_records.ledger.superseded_steps import CurrentSteps as CurrentSteps
    from rewardlab_records.ledger.superseded_steps import is_discarded as is_discarded

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
