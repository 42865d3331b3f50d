"""The arguments of AdamW and the learning rate."""

import math

from rewardlab.recipe import CriticSettings, DpoStage, RlStage, SftStage
from rewardlab_training import warm_up_steps

from rewardlab_openrlhf.compile.command import Value
from rewardlab_openrlhf.stage_files import UPDATES


def optimiser(stage: SftStage | DpoStage | RlStage, prefix: str, updates: int | None) -> dict[str, Value]:
    """Return the optimizer's arguments for the model that `prefix` names ("actor.", or "" in sft and dpo).

    Args:
        updates: of the optimizer in the whole stage; None in a dry run that does not know them.
    """
    each = stage.updates if isinstance(stage, RlStage) else 1
    if updates is None and stage.warmup_ratio is not None:
        return _adam(stage, prefix, stage.learning_rate, stage.warmup_ratio)
    return _adam(
        stage, prefix, stage.learning_rate, _share(warm_up_steps(stage, (updates or 0) // each) * each, updates)
    )


def critic_optimiser(stage: RlStage, critic: CriticSettings, updates: int | None) -> dict[str, Value]:
    """Return the optimizer's arguments for ppo's value model: the stage's, except for its rate and warm-up."""
    return _adam(stage, "critic.", critic.learning_rate, _share(critic.warmup_steps, updates))


def warm_up_ratio(warm_up: int, updates: int) -> float:
    """Return the share of `updates` that OpenRLHF, which rounds its product up, takes for exactly `warm_up` updates."""
    share = warm_up / updates
    return share if math.ceil(updates * share) == warm_up else (warm_up - 0.5) / updates


def _share(warm_up: int, updates: int | None) -> float | str:
    # no warm-up is a share of 0, whatever the number of updates
    return f"{warm_up}/{UPDATES}" if warm_up and updates is None else warm_up_ratio(warm_up, updates or 1)


def _adam(stage: SftStage | DpoStage | RlStage, prefix: str, rate: float, warm_up: float | str) -> dict[str, Value]:
    # transformers' "constant" has no warm-up
    schedule: str = "constant_with_warmup" if stage.schedule == "constant" and warm_up else stage.schedule
    if stage.min_learning_rate:
        schedule = "cosine_with_min_lr"
    return {
        f"{prefix}adam.lr": rate,
        f"{prefix}adam.betas": [0.9, stage.adam_beta2],
        f"{prefix}adam.weight_decay": stage.weight_decay,
        f"{prefix}lr_scheduler": schedule,
        f"{prefix}lr_warmup_ratio": warm_up,
        f"{prefix}min_lr_ratio": stage.min_learning_rate / stage.learning_rate if stage.min_learning_rate else None,
        f"{prefix}max_norm": stage.max_grad_norm,
    }
