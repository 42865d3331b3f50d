"""`rewardlab score`: rewards for a file of completions, streaming, in order, and resumable after any kind of end.

In go a plan and rows with completions, all of which are checked first; out come scores in their order, and a summary.

    job           the job itself: check, score, go on after an interruption
    rows          the input rows, checked and read again
    index         the rows' ids and the places of their scores, for files of any length
    output        the file of scores: its lines, its order, what an interrupted job left in it
    stream        the same between pipes, row by row: nothing is checked ahead, and nothing can be resumed
    state         the folder beside the output: who writes it, what it is made from
    summary       counts and means at the end, and what plugins find odd
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.scorefile.index import RowIndex as RowIndex
    from rewardlab.scorefile.job import ScoreJob as ScoreJob
    from rewardlab.scorefile.output import lacks_part as lacks_part
    from rewardlab.scorefile.output import output_path_problem as output_path_problem
    from rewardlab.scorefile.output import output_row as output_row
    from rewardlab.scorefile.output import parsed_row as parsed_row
    from rewardlab.scorefile.output import store_problem as store_problem
    from rewardlab.scorefile.output import to_line as to_line
    from rewardlab.scorefile.rows import abstention_problems as abstention_problems
    from rewardlab.scorefile.rows import check_rows as check_rows
    from rewardlab.scorefile.rows import rows_to_score as rows_to_score
    from rewardlab.scorefile.state import StateFolder as StateFolder
    from rewardlab.scorefile.state import changes as changes
    from rewardlab.scorefile.state import origin as origin
    from rewardlab.scorefile.summary import Summary as Summary

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
