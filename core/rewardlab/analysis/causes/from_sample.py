"""The movement of the reward in rows that have completions and no scores yet: a few of them are scored first."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

from rewardlab.data import BadRows, Identifier, read_lines
from rewardlab.errors import Problem, UserError
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Plan
from rewardlab.plan.policy_judge import refuse_policy
from rewardlab.scorefile import InputRow
from rewardlab.scoring import MissingGuard, RowCheck, Scorer, record_of_scored, scored_in_order
from rewardlab.scoring.attribution import Movement
from rewardlab.types import Group


def sampled_movement(plan: Plan, path: str, most: int, say: Callable[[str], None]) -> Movement:
    """Score the first `most` rows of a file and return their movement.

    A UserError says what is wrong with them, before anything is asked.
    say: prints how many rows are scored, and how many questions judges that may cost money are asked at most.
    """
    refuse_policy(plan.judges, plan.document.where)
    groups, more = _first_groups(plan, path, most)
    scoring = f"scoring the first {len(groups)} rows; --rows takes more" if more else f"scoring {len(groups)} rows"
    say(f"{path}: {scoring}")
    _announce_questions(plan, groups, say)
    movement = Movement()
    guard = MissingGuard.over_rows(plan.uses_in_total)
    with Scorer(plan, judging=JudgingSettings(say=say)) as scorer:
        rows = (InputRow(given_id=group.sample.id, group=group) for group in groups)
        for _, scored in scored_in_order(scorer, rows):
            movement.add(record_of_scored(scored))
            guard.count(scored)
            guard.check()
        guard.check_end()
        for line in scorer.judges.summary():
            say(line)
    return movement


def _first_groups(plan: Plan, path: str, most: int) -> tuple[list[Group], bool]:
    """Return (the groups of the first `most` rows, whether the file has more)."""
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


def _announce_questions(plan: Plan, groups: Sequence[Group], say: Callable[[str], None]) -> None:
    """Print how many questions judges that may cost money are asked at most."""
    for name, planned in plan.components.items():
        if planned.spec.calls is None:
            continue
        sizes = [len(group.completions) for group in groups]
        asked = sum(planned.ask("how often it asks", planned.spec.calls, planned.options, size) for size in sizes)
        for judge in planned.judges():
            if not plan.judges[judge].spec.local:
                say(f"{name} asks {judge} up to {asked:,} questions; fewer with --rows")
