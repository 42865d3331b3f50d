"""Training longer: a run that is resumed with more steps, or epochs, for the last stage that it has trained."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.plan import Difference, Plan
from rewardlab.recipe import DataStage, EvalStage, Stage

LENGTHS = ("steps", "epochs")
TRACES = ("checkpoints", "evaluation", "logs", "models")
"""folders in which a stage that has begun leaves something"""


@dataclass(frozen=True, kw_only=True)
class LongerStage:
    """A stage that is to train longer.

    Args:
        key: "steps" or "epochs".
        then, now: their values.
    """

    index: int
    key: str
    then: float
    now: float


def longer_stages(differences: Sequence[Difference]) -> list[LongerStage]:
    """Return the stages that train longer, if that is all in which two recipes differ; else none."""
    longer = []
    for difference in differences:
        match difference.path:
            case ("stages", int(index), str(key)) if key in LENGTHS:
                pass
            case _:
                return []
        then, now = _number(difference.then), _number(difference.now)
        if then is None or now is None or now <= then:
            return []
        longer.append(LongerStage(index=index, key=key, then=then, now=now))
    return longer


def refuse_unfit(longer: Sequence[LongerStage], plan: Plan, run: Path, done: Collection[int]) -> None:
    """Raise UserError if a stage cannot train longer: its engine cannot, or a later stage began from its model."""
    for stage in longer:
        begun = _has_begun(plan, run, stage.index) or stage.index in done
        place = f"stages.{stage.index}.{stage.key}"
        if begun and plan.backend is not None and not plan.backend.spec.trains_longer:
            raise UserError(
                f"{place}: {plan.backend.use.use} plans a stage for the steps that it starts with, and cannot add "
                f"any; {_instead(run)}"
            )
        for later in range(stage.index + 1, len(plan.recipe.stages)):
            if not isinstance(plan.recipe.stages[later], DataStage | EvalStage) and _has_begun(plan, run, later):
                raise UserError(
                    f"{place}: stage {later} has begun from the model that stage {stage.index} wrote; {_instead(run)}"
                )


def to_do_again(longer: Sequence[LongerStage], plan: Plan) -> set[int]:
    """Return the stages that are no longer done: those that train longer, and evaluations after them."""
    first = min(stage.index for stage in longer)
    evaluations = {i for i, stage in enumerate(plan.recipe.stages) if i > first and isinstance(stage, EvalStage)}
    return {stage.index for stage in longer} | evaluations


def describe_longer(stage: LongerStage, plan: Plan) -> str:
    """Return what it means for a stage to train longer, on a line."""
    trained = plan.recipe.stages[stage.index]
    line = f"stage {stage.index} ({trained.use}) trains longer: {stage.key} was {stage.then:g}, is {stage.now:g}"
    changes = "; ".join(_changed_rates(trained))
    return f"{line}; {changes}: one run of this length would have trained otherwise" if changes else line


def _changed_rates(stage: Stage) -> Iterator[str]:
    """Yield how a stage's learning rate depends on its length."""
    schedule, ratio = getattr(stage, "schedule", "constant"), getattr(stage, "warmup_ratio", None)
    if ratio:
        yield f"its warm-up is {ratio:.3g} of the new length"
    if schedule != "constant":
        yield (
            f"its learning rate ({schedule}) now falls until the new end, and is higher from here on than where it was "
            "left"
        )


def _instead(run: Path) -> str:
    models = sorted(run.glob("models/[0-9]*-*"), key=lambda path: int(path.name.partition("-")[0]))
    begin = f"model={models[-1]}" if models else "its last model as `model`"
    return f"train further in a new run that begins with {begin}"


def _has_begun(plan: Plan, run: Path, index: int) -> bool:
    name = f"{index}-{plan.recipe.stages[index].use}"
    return any(next((run / folder).glob(f"{name}*"), None) is not None for folder in TRACES)


def _number(text: str) -> float | None:
    try:
        value = json.loads(text)
    except ValueError:  # "absent"
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
