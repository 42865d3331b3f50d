"""The causes of rewards in a file of rows: which components moved the reward, and which do not do their part.

In go a plan and a file: a run's ledger, the output of `score`, or rows with completions. Out comes the `Movement` of
its groups, and its lines for people.

    movement        sums over groups, and findings in words: dead, dominating and duplicate components
    records         what each component did in a group: scored, of a ledger, or of the output of `score`
    from_rows       the movement of a file, whichever of the three it is
    from_ledger     the movement of a ledger's groups
    from_sample     the movement of rows without scores: a few of them are scored first
    movement_table  the movement as a table and as JSON
    summary         the movement as lines that a command prints
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_measure.causes.from_ledger import LedgerMovement as LedgerMovement
    from rewardlab_measure.causes.movement import GroupRecord as GroupRecord
    from rewardlab_measure.causes.movement import findings_of as findings_of
    from rewardlab_measure.causes.movement_table import describe_rest as describe_rest
    from rewardlab_measure.causes.movement_table import movement_rows as movement_rows
    from rewardlab_measure.causes.records import OutputRecords as OutputRecords

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
