"""The extra arguments of `backend.engine.arguments`: what a recipe may add to a command, by OpenRLHF's exact names.

Listed here are those that the rest of a recipe does not set and that leave rewards, placement and files to rewardlab.
"""

from collections.abc import Iterator, Mapping, Sequence

from rewardlab.errors import nearest

from rewardlab_openrlhf.compile.command import Value
from rewardlab_openrlhf.engine_arguments import WHEEL
from rewardlab_openrlhf.stage_files import TrainingStage

FLAG, VALUE = True, False

_EVERYWHERE = {
    "ckpt.max_mem": VALUE,
    "ckpt.save_hf": FLAG,
    "data.dataloader_num_workers": VALUE,
    "data.disable_fast_tokenizer": FLAG,
    "ds.deepcompile": FLAG,
    "ds.experts_implementation": VALUE,
    "ds.grad_accum_dtype": VALUE,
    "ds.overlap_comm": FLAG,
    "ds.ring_attn_head_stride": VALUE,
    "ds.use_liger_kernel": FLAG,
    "ds.zpg": VALUE,
    "logger.logging_steps": VALUE,
    "logger.wandb.group": VALUE,
    "logger.wandb.org": VALUE,
    "train.full_determinism_enable": FLAG,
}


def _optimiser(prefix: str) -> dict[str, bool]:
    muon = {f"{prefix}muon.{name}": VALUE for name in ("lr", "momentum", "ns_steps")}
    return {f"{prefix}adam.eps": VALUE, f"{prefix}optim": VALUE, **muon, f"{prefix}muon.no_nesterov": FLAG}


_SFT_DPO = {
    **_EVERYWHERE,
    **_optimiser(""),
    "ds.load_in_4bit": FLAG,
    "model.aux_loss_coef": VALUE,
    "model.gradient_checkpointing_reentrant": FLAG,
}

EXTRA_ARGUMENTS: Mapping[str, Mapping[str, bool]] = {
    "sft": _SFT_DPO,
    "dpo": {**_SFT_DPO, "model.ipo_enable": FLAG, "model.label_smoothing": VALUE, "model.nll_loss_coef": VALUE},
    "rl": {
        **_EVERYWHERE,
        **_optimiser("actor."),
        **_optimiser("critic."),
        "actor.aux_loss_coef": VALUE,
        "actor.dual_clip": VALUE,
        "actor.entropy_coef": VALUE,
        "actor.freeze_visual_encoder": FLAG,
        "actor.gradient_checkpointing_reentrant": FLAG,
        "actor.policy_loss_type": VALUE,
        "algo.advantage.no_std_norm": FLAG,
        "algo.kl.horizon": VALUE,
        "algo.kl.target": VALUE,
        "algo.kl.unbiased_gradient": FLAG,
        "critic.freezing_steps": VALUE,
        "critic.save_value_network": FLAG,
        "ds.value_head_prefix": VALUE,
        "train.ema_beta": VALUE,
        "train.enable_ema": FLAG,
        "vllm.sync_backend": VALUE,
        "vllm.sync_with_ray": FLAG,
    },
}
"""kind of a stage -> the arguments that its program takes and a recipe may add, and whether each is a bare flag"""


def extra_arguments_of(stage: TrainingStage, given: Mapping[str, Value]) -> dict[str, Value]:
    """Return those of `given` that are for the program of `stage`."""
    return {name: value for name, value in given.items() if name in EXTRA_ARGUMENTS[stage.use]}


def extra_argument_findings(stages: Sequence[TrainingStage], given: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Yield (name, why it cannot be added) for arguments of the programs of `stages`."""
    known = {name: flag for stage in stages for name, flag in EXTRA_ARGUMENTS[stage.use].items()}
    for name, value in given.items():
        if name.startswith("-"):
            yield name, f"write it without dashes, {name.lstrip('-')}"
        elif name not in known:
            yield name, _unknown(name, known)
        elif known[name] and value is not True:
            yield name, "is a flag: true, or leave it out"
        elif not known[name] and isinstance(value, bool):
            yield name, "takes a value, not true or false"


def _unknown(name: str, known: Mapping[str, bool]) -> str:
    why = f"the recipe says it elsewhere, rewardlab sets it, or OpenRLHF {WHEEL} has none of that name"
    return f"cannot be added: {why}{nearest(name, known)}"
