"""The alarms of a run as one reads it afterwards: those that went off, and those that nobody watched for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.errors import RewardlabError
from rewardlab.plan import Plan, draft_plan
from rewardlab.recipe import AlarmName, DpoStage, RlStage, SftStage, load

from rewardlab_training.alarms.alarm_file import OF_KIND, row_of, rows_of, sentence
from rewardlab_training.alarms.alarm_kinds import AlarmDetector
from rewardlab_training.alarms.alarm_policy import AlarmPolicy
from rewardlab_training.alarms.alarm_settings import settings_of
from rewardlab_training.alarms.series import Numbers

Steps = Iterable[tuple[int, Numbers]]


@dataclass(frozen=True, kw_only=True)
class RunAlarm:
    """An alarm of a run.

    Args:
        run: its folder.
        name: as recipes call it.
        ignored: whether its recipe wants it unheard.
    """

    run: str
    name: AlarmName
    stage: str
    step: int
    component: str | None
    sentence: str
    advice: str
    ignored: bool = False


def run_alarms(run: Path, steps: Mapping[str, Steps]) -> list[RunAlarm]:
    """Return the alarms of the run in folder `run`, by stage and step, each once.

    Args:
        steps: of each stage, such as "1-rl", its steps in order, with the numbers that were logged or that
            `metrics_of_step` makes of the ledger: so a run of a version without alarms has its own, too, by its own
            recipe.
    """
    rows = [(row, False) for row in rows_of(run)]
    written = {(row["stage"], row["kind"], row["number"]) for row, _ in rows}
    plan = _plan_of(run)
    signs = (
        []
        if plan is None
        else [sign for stage, stage_steps in steps.items() for sign in _signs(plan, stage, stage_steps)]
    )
    rows += [(row, ignored) for row, ignored in signs if (row["stage"], row["kind"], row["number"]) not in written]
    rows.sort(
        key=lambda row_and_ignored: (
            row_and_ignored[0]["stage"].find("-"),
            row_and_ignored[0]["stage"],
            row_and_ignored[0]["step"],
        )
    )  # 10-rl behind 2-rl
    return [_alarm(str(run), row, ignored) for row, ignored in rows]


def _signs(plan: Plan, stage: str, steps: Steps) -> Iterable[tuple[dict[str, Any], bool]]:
    index = int(stage.partition("-")[0])
    if index >= len(plan.recipe.stages) or not isinstance(plan.recipe.stages[index], SftStage | DpoStage | RlStage):
        return
    detector, policy = AlarmDetector(settings_of(plan, index)), AlarmPolicy.of(plan.recipe, index)
    for step, numbers in steps:
        for sign in detector.add(step, numbers):
            yield row_of(sign, stage, 0), not policy.hears(sign)


def _plan_of(run: Path) -> Plan | None:
    """Return the plan of a run's recipe; None if this version, or what is installed, does not know all of it."""
    try:
        return draft_plan(load(run, strict=False), None, "run").plan
    except RewardlabError:
        return None


def _alarm(run: str, row: Mapping[str, Any], ignored: bool) -> RunAlarm:
    return RunAlarm(
        run=run,
        name=row["alarm"],
        stage=row["stage"],
        step=row["step"],
        component=row["component"],
        sentence=sentence(row),
        advice=OF_KIND[row["kind"]].advice,
        ignored=ignored,
    )
