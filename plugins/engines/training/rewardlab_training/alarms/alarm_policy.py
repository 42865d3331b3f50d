"""The policy of a stage's alarms: which end it and which nobody hears of. A condition knows nothing of this."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from rewardlab.errors import UserError, nearest
from rewardlab.recipe import ALARM_NAMES, AlarmName, DpoStage, Recipe, RlStage, SftStage

from rewardlab_training.alarms.alarm_kinds import Sign

DIVERGENCE: AlarmName = "divergence"
ANY = "any"


def named_alarms(text: str | None) -> set[str]:
    """Return the alarms that a flag `--fail-on` names, `any` among them. UserError if one is none."""
    names = {name.strip() for name in (text or "").split(",")} - {""}
    for name in sorted(names - {*ALARM_NAMES, ANY}):
        raise UserError(f"--fail-on: no alarm {name!r}{nearest(name, [*ALARM_NAMES, ANY])}")
    return names


@dataclass(frozen=True, kw_only=True)
class AlarmPolicy:
    """The policy of one stage. A sign after which no model is left ends it in any case."""

    stop: Collection[AlarmName]
    ignore: Collection[AlarmName]

    @classmethod
    def of(cls, recipe: Recipe, index: int) -> Self:
        """Return the policy of a stage; of divergence its own `on_divergence` goes before the recipe's `alarms`."""
        stage = recipe.stages[index]
        stop, ignore = {*recipe.alarms.stop}, {*recipe.alarms.ignore}
        if isinstance(stage, SftStage | DpoStage | RlStage) and "on_divergence" in stage.model_fields_set:
            ignore.discard(DIVERGENCE)
            stop.discard(DIVERGENCE)
            stop.update([DIVERGENCE] if stage.on_divergence == "stop" else [])
        return cls(stop=stop, ignore=ignore)

    def hears(self, sign: Sign) -> bool:
        """Return whether a sign is said and written."""
        return sign.fatal or sign.alarm.name not in self.ignore

    def ends(self, sign: Sign) -> bool:
        """Return whether a sign ends the stage."""
        return sign.fatal or sign.alarm.name in self.stop
