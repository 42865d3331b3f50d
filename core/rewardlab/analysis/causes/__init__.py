"""The causes of rewards in a file of rows: which components moved the reward, and which do not do their part.

In go a plan and a file: a run's ledger, the output of `score`, or rows with completions. Out comes the `Movement` of
its groups, and its lines for people.

    from_rows    the movement of a file, whichever of the three it is
    from_sample  the movement of rows without scores: a few of them are scored first
    summary      the movement as lines that a command prints
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.analysis.causes.from_rows import movement_of
    from rewardlab.analysis.causes.summary import finding_lines, summary_lines
else:
    __getattr__, __dir__ = lazy_names(
        __name__, {"from_rows": ["movement_of"], "summary": ["finding_lines", "summary_lines"]}
    )

__all__ = ["finding_lines", "movement_of", "summary_lines"]
