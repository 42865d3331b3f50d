"""AdamW and the learning rate."""

import math

from rewardlab.backends.openrlhf.compile.command import Value
from rewardlab.engine_settings import Critic
from rewardlab.recipe import DpoStage, RlStage, SftStage


def optimiser(stage: SftStage | DpoStage | RlStage, prefix: str, updates: int) -> dict[str, Value]:
    """Of the model that `prefix` names ("actor.", or "" in sft and dpo); `updates` is the optimizer's in the stage."""
    warm_up = stage.warmup_steps * (stage.updates_per_batch if isinstance(stage, RlStage) else 1)
    return _adam(stage, prefix, stage.learning_rate, warm_up, updates)


def critic_optimiser(stage: RlStage, critic: Critic, updates: int) -> dict[str, Value]:
    """Of ppo's value model: the stage's settings but for its rate and its warm-up."""
    return _adam(stage, "critic.", critic.learning_rate, critic.warmup_steps, updates)


def warm_up_ratio(warm_up: int, updates: int) -> float:
    """The share of `updates` that OpenRLHF, which rounds its product up, takes for exactly `warm_up` updates."""
    share = warm_up / updates
    return share if math.ceil(updates * share) == warm_up else (warm_up - 0.5) / updates


def _adam(
    stage: SftStage | DpoStage | RlStage, prefix: str, rate: float, warm_up: int, updates: int
) -> dict[str, Value]:
    # transformers' "constant" knows no warm-up
    schedule = "constant_with_warmup" if stage.schedule == "constant" and warm_up else stage.schedule
    return {
        f"{prefix}adam.lr": rate,
        f"{prefix}adam.betas": [0.9, stage.adam_beta2],
        f"{prefix}adam.weight_decay": stage.weight_decay,
        f"{prefix}lr_scheduler": schedule,
        f"{prefix}lr_warmup_ratio": warm_up_ratio(warm_up, updates),
        f"{prefix}max_norm": stage.max_grad_norm,
    }
