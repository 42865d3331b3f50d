"""Causes of rows that have completions and no scores yet: a few of them are scored, as `score` would."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

from rewardlab.causes.movement import Movement
from rewardlab.causes.records import of_scored
from rewardlab.composition import MissingGuard
from rewardlab.cross_checks import refuse_policy
from rewardlab.errors import Problem, UserError
from rewardlab.judging import Keeping
from rewardlab.lines import BadRows, read_lines
from rewardlab.plan import Plan
from rewardlab.rows import Identifier
from rewardlab.scorefile.job import GUARD_LEAST, GUARD_WINDOW
from rewardlab.scorefile.rows import Row, RowCheck
from rewardlab.scorefile.window import scored_in_order
from rewardlab.scoring import Scorer
from rewardlab.total import uses_in_total
from rewardlab.types import Group

GROUPS = 64


def sampled_movement(plan: Plan, path: str, most: int, say: Callable[[str], None]) -> Movement:
    """Of the first `most` rows of the file. A UserError with what is wrong with them, before anything is asked."""
    refuse_policy(plan.judges, plan.document.where)
    groups, more = _first(plan, path, most)
    said = f"scoring the first {len(groups)} rows; --rows takes more" if more else f"scoring {len(groups)} rows"
    say(f"{path}: {said}")
    _tell_of_questions(plan, groups, say)
    movement = Movement()
    guard = MissingGuard(uses_in_total(plan), window=GUARD_WINDOW, least=GUARD_LEAST)
    with Scorer(plan, keeping=Keeping(say=say)) as scorer:
        rows = (Row(given_id=group.sample.id, group=group) for group in groups)
        for _, scored in scored_in_order(scorer, rows):
            movement.add(of_scored(scored))
            guard.count(scored)
            guard.check()
        guard.check_end()
        for line in scorer.judges.summary():
            say(line)
    return movement


def _first(plan: Plan, path: str, most: int) -> tuple[list[Group], bool]:
    """(the groups of the first rows, whether the file has more)."""
    check, identify, bad = RowCheck(plan), Identifier(), BadRows()
    groups: list[Group] = []
    more = False
    with closing(read_lines(path)) as lines:
        for number, row in lines:
            if more := len(groups) + bad.count == most:
                break
            place = f"{path}:{number}"
            try:
                if isinstance(row, Problem):
                    bad.add(row)
                    continue
                group = check.group(row, place)
                groups.append(replace(group, sample=identify(group.sample)))
            except ValueError as error:
                bad.add(Problem(where=place, what=str(error)))
    if bad.count:
        raise bad.error(path, "mend them")
    if not groups:
        raise UserError("it has no rows", where=path)
    return groups, more


def _tell_of_questions(plan: Plan, groups: Sequence[Group], say: Callable[[str], None]) -> None:
    """How often judges that may cost money are asked at most."""
    for name, planned in plan.components.items():
        if planned.spec.calls is None:
            continue
        sizes = [len(group.completions) for group in groups]
        asked = sum(planned.ask("how often it asks", planned.spec.calls, planned.options, size) for size in sizes)
        for judge in planned.judges():
            if not plan.judges[judge].spec.local:
                say(f"{name} asks {judge} up to {asked:,} questions; fewer with --rows")
