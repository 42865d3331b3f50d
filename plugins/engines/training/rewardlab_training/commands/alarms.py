"""`rewardlab alarms`: what alarms say of a training that another tool ran, by its log."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import PositiveInt
from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.text import counted

from rewardlab_training.alarms.alarm_file import row_of
from rewardlab_training.alarms.alarm_kinds import AlarmDetector, Sign
from rewardlab_training.alarms.alarm_policy import ANY, named_alarms
from rewardlab_training.alarms.alarm_settings import AlarmSettings
from rewardlab_training.alarms.trainer_log import TrainerLog, read_trainer_log

SUMMARY = "what alarms say of another trainer's log"
QUIET = "saturated"
"""a recipe ignores it unless it says otherwise: a format that is learned saturates"""


class Options(Config):
    """Say which alarms would have gone off in a training that another tool ran.

    A log is a trainer_state.json, a CSV that a tracker exported, JSON lines, or what TRL, OpenRLHF or verl printed. It
    has means of steps and nothing inside of groups, so that some alarms cannot go off; its line names those that can.
    """

    logs: Annotated[tuple[Path, ...], Positional("LOG")]
    """the log of a training; of several, each is looked at by itself"""
    correctness: Annotated[str | None, Flag(metavar="NAME")] = None
    """the component that says whether an answer is right; reward_hacking needs it"""
    columns: Annotated[tuple[str, ...], Flag("--column", metavar="COLUMN=NAME")] = ()
    """a column of a name of your own, and what it is: total, length, entropy, kl, loss or a component; repeatable"""
    batch_size: PositiveInt = 1
    """prompts a step, if you know it; of few prompts a step says little, so that some alarms take more steps"""
    fail_on: Annotated[str | None, Flag(metavar="NAME[,NAME]|any")] = None
    """exit code 1 if one of these alarms went off, or any but `saturated`"""


@dataclass(frozen=True)
class LogAlarms:
    """The signs in a log."""

    path: Path
    log: TrainerLog
    signs: list[Sign]


def run(options: Options) -> CommandResult:
    """Look at each log; data: {"logs": [{"log", "steps", "components", "watched", "alarms"}]}.

    Not ok if an alarm of `fail_on` went off.
    """
    fail_on = named_alarms(options.fail_on)
    looked_at = [_looked_at(path, options, fail_on) for path in options.logs]
    failing = [sign for one in looked_at for sign in one.signs if {sign.alarm.name, ANY} & fail_on]
    lines = [line for one in looked_at for line in _lines(one, options.correctness)]
    data = {"ok": not failing, "logs": [_as_data(one, options.correctness) for one in looked_at]}
    return CommandResult(ok=not failing, text="\n".join(lines), data=data)


def _looked_at(path: Path, options: Options, fail_on: Collection[str]) -> LogAlarms:
    log = read_trainer_log(path, options.columns, options.correctness)
    detector = AlarmDetector(AlarmSettings(correctness=options.correctness, batch_size=options.batch_size))
    signs = [sign for step, numbers in log.steps for sign in detector.add(step, numbers)]
    return LogAlarms(path, log, [sign for sign in signs if sign.alarm.name != QUIET or QUIET in fail_on])


def _lines(one: LogAlarms, correctness: str | None) -> list[str]:
    watched = ", ".join(one.log.watched(correctness)) or "none"
    said = "no alarm" if not one.signs else counted(len(one.signs), "alarm")
    alarms = [
        f"  {sign.alarm.name}: {sign.alarm.meaning}: {sign.text} at step {sign.step}; {sign.alarm.advice}"
        for sign in one.signs
    ]
    return [f"{one.path}: {said} in {counted(len(one.log.steps), 'step')}; its numbers allow {watched}", *alarms]


def _as_data(one: LogAlarms, correctness: str | None) -> dict[str, Any]:
    return {
        "log": str(one.path),
        "steps": len(one.log.steps),
        "components": one.log.components,
        "watched": one.log.watched(correctness),
        "alarms": [row_of(sign, "", 0) for sign in one.signs],
    }
