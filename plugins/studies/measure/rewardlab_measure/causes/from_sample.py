"""The movement of the reward in rows that have completions and no scores yet: a few of them are scored first."""

from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice

from rewardlab.errors import UserError
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Plan, refuse_policy
from rewardlab.scoring import InputRow, RecipeReward, rows_one_by_one, sorted_rows
from rewardlab.text import counted
from rewardlab_training import most_questions

from rewardlab_measure.causes.movement import Movement
from rewardlab_measure.causes.records import record_of_scored


def sampled_movement(plan: Plan, path: str, most: int, say: Callable[[str], None]) -> Movement:
    """Score the first `most` rows of a file and return their movement.

    Args:
        say: prints how many rows are scored, and how many questions judges that may cost money are asked at most.

    A UserError says what is wrong with them, before anything is asked.
    """
    refuse_policy(plan.judges, plan.document.where)
    rows, more = _first_rows(plan, path, most)
    scoring = (
        f"scoring the first {counted(len(rows), 'row')}; --limit takes more"
        if more
        else f"scoring {counted(len(rows), 'row')}"
    )
    say(f"{path}: {scoring}")
    _announce_questions(plan, rows, say)
    movement = Movement()
    with RecipeReward(plan, judging=JudgingSettings(say=say)) as reward:
        for _, scored in reward.in_order(rows):
            movement.add(record_of_scored(scored))
        for line in reward.usage_lines():
            say(line)
    return movement


def _first_rows(plan: Plan, path: str, most: int) -> tuple[list[InputRow], bool]:
    """Return (the first `most` rows, whether the file has more)."""
    with closing(rows_one_by_one(path, plan)) as rows:
        good, bad = sorted_rows(islice(rows, most))
        more = next(rows, None) is not None
    if bad.count:
        raise bad.error(path, "fix them")
    if not good:
        raise UserError("it has no rows", where=path)
    return good, more


def _announce_questions(plan: Plan, rows: Sequence[InputRow], say: Callable[[str], None]) -> None:
    """Print how many questions judges that may cost money are asked at most."""
    for name, planned in plan.components.items():
        if planned.spec.calls is None:
            continue
        sizes = [len(row.group.completions) for row in rows]
        most = [most_questions(plan, name, size) for size in sizes]
        for judge in planned.judges():
            if not plan.judges[judge].spec.local:
                asked = sum(of_group[judge] or 0 for of_group in most)
                say(f"{name} asks {judge} up to {asked:,} questions; fewer with --limit")
