"""`rewardlab score` between pipes: rows are read as they are needed, and scores go out in their order."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.judging.settings import JudgingSettings
from rewardlab.plan import Plan
from rewardlab.plan.policy_judge import refuse_policy
from rewardlab.scorefile.output import output_row
from rewardlab.scorefile.summary import Summary, watchers_of
from rewardlab.scoring.given_rows import InputRow, rows_one_by_one
from rewardlab.scoring.recipe_reward import RecipeReward
from rewardlab.text.plural import counted

STREAM = "-"
"""stands for standard input and output in the place of a file"""
STANDARD_INPUT = "/dev/stdin"


def score_stream(
    plan: Plan,
    rows: str,
    write: Callable[[Mapping[str, Any]], None],
    say: Callable[[str], None],
    skip_bad: bool = False,
) -> Summary:
    """Score the rows of a file, or of standard input, in order, and return the summary.

    Args:
        write: takes what is scored, row by row.
        say: called with notes for the user.

    Raises a UserError at a bad row, after the rows before it, unless skip_bad leaves it out; a JobError as `ScoreJob`
    does. Nothing can be resumed.
    """
    refuse_policy(plan.judges, plan.document.where)
    place = STANDARD_INPUT if rows == STREAM else rows
    summary = Summary(counted_info=plan.counted_info, watchers=watchers_of(plan))
    bad: list[Problem] = []
    with RecipeReward(plan, judging=JudgingSettings(say=say)) as reward:
        good = _good(rows_one_by_one(place, plan), bad, say if skip_bad else None)
        with closing(reward.in_order(good)) as scored:
            for row, group in scored:
                written = output_row(row.given_id, group)
                write(written)
                summary.add(written)
        summary.judges = reward.usage()
        summary.judge_lines = reward.usage_lines()
    if bad:
        raise UserError([*bad, Problem(where=place, what=f"scored before it: {counted(summary.rows, 'row')}")])
    if not summary.rows:
        raise UserError("no row is left to score", where=place)
    return summary


def _good(
    rows: Iterator[InputRow | Problem], bad: list[Problem], left_out: Callable[[str], None] | None
) -> Iterator[InputRow]:
    """Yield the good rows; a bad one is reported, or without `left_out` put into `bad` and the last that is read."""
    for row in rows:
        if not isinstance(row, Problem):
            yield row
        elif left_out is not None:
            left_out(f"warning: {row}; left out")
        else:
            bad.append(row)
            return
