"""The extra arguments of `backend.engine.arguments`: what a recipe may add to a command, by OpenRLHF's exact names.

Listed here are those that the rest of a recipe does not set and that leave rewards, placement and files to rewardlab.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rewardlab.errors import nearest
from rewardlab_ray.engine_settings import EngineSetting

from rewardlab_openrlhf.compile.command import Value
from rewardlab_openrlhf.engine_arguments import WHEEL
from rewardlab_openrlhf.engine_settings import argument, setters
from rewardlab_openrlhf.stage_files import TrainingStage

_EVERYWHERE = (
    "ckpt.max_mem",
    "ckpt.save_hf",
    "data.dataloader_num_workers",
    "data.disable_fast_tokenizer",
    "ds.deepcompile",
    "ds.experts_implementation",
    "ds.grad_accum_dtype",
    "ds.overlap_comm",
    "ds.ring_attn_head_stride",
    "ds.use_liger_kernel",
    "ds.zpg",
    "logger.logging_steps",
    "logger.wandb.group",
    "logger.wandb.org",
    "train.full_determinism_enable",
)


def _optimiser(prefix: str) -> tuple[str, ...]:
    names = ("adam.eps", "optim", "muon.lr", "muon.momentum", "muon.ns_steps", "muon.no_nesterov")
    return tuple(prefix + name for name in names)


_SFT_DPO = (
    *_EVERYWHERE,
    *_optimiser(""),
    "ds.load_in_4bit",
    "model.aux_loss_coef",
    "model.gradient_checkpointing_reentrant",
)

EXTRA_ARGUMENTS: Mapping[str, Collection[str]] = {
    "sft": _SFT_DPO,
    "dpo": (*_SFT_DPO, "model.ipo_enable", "model.label_smoothing", "model.nll_loss_coef"),
    "rl": (
        *_EVERYWHERE,
        *_optimiser("actor."),
        *_optimiser("critic."),
        "actor.aux_loss_coef",
        "actor.entropy_coef",
        "actor.freeze_visual_encoder",
        "actor.gradient_checkpointing_reentrant",
        "actor.policy_loss_type",
        "algo.advantage.no_std_norm",
        "algo.kl.horizon",
        "algo.kl.target",
        "algo.kl.unbiased_gradient",
        "critic.freezing_steps",
        "critic.save_value_network",
        "ds.value_head_prefix",
        "train.ema_beta",
        "train.enable_ema",
        "vllm.sync_backend",
        "vllm.sync_with_ray",
    ),
}
"""kind of a stage -> the arguments that its program takes and a recipe may add"""
ELSEWHERE = {
    "max_num_seqs": "verl has actor_rollout_ref.rollout.max_num_seqs",
    "max_num_batched_tokens": "verl has actor_rollout_ref.rollout.max_num_batched_tokens",
    "enable_chunked_prefill": "verl has actor_rollout_ref.rollout.enable_chunked_prefill",
    "quantization": "verl has actor_rollout_ref.rollout.quantization",
    "cispo": "trl and verl have it, as `loss: cispo` of a stage",
}
"""end of an argument's name, or a value, that OpenRLHF lacks -> who has it, verl under its own `engine.arguments`"""


def extra_arguments_of(stage: TrainingStage, given: Mapping[str, Value]) -> dict[str, Value]:
    """Return those of `given` that are for the program of `stage`."""
    return {name: value for name, value in given.items() if name in EXTRA_ARGUMENTS[stage.use]}


def extra_argument_findings(stages: Sequence[TrainingStage], given: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Yield (name, why it cannot be added) for arguments of the programs of `stages`."""
    known = {name: stage.use for stage in stages for name in EXTRA_ARGUMENTS[stage.use]}
    for name, value in given.items():
        if name.startswith("-"):
            yield name, f"write it without dashes, {name.lstrip('-')}"
        elif (kind := known.get(name)) is None:
            yield name, _refusal(name, known)
        elif (setting := argument(kind, name)) is not None and (why := setting.problem(_read(setting, value))):
            yield name, why.partition("; did you mean")[0] + hint if (hint := _elsewhere(str(value))) else why


def extra_argument_lines(stage: TrainingStage, given: Mapping[str, Value]) -> Iterator[str]:
    """Yield a line for each of those of `given` that are for the program of `stage`: its value, and what it does."""
    for name, value in extra_arguments_of(stage, given).items():
        setting = argument(stage.use, name) or EngineSetting("any")
        words = setters().get(name, {}).get("arguments", setting.about)
        yield setting._replace(about=str(words)).line("OpenRLHF", name, value)


def _read(setting: EngineSetting, value: Value) -> Value:
    """Return a value as the parser reads it, which takes every word for a text."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if setting.kind == "text" and number else value


def _refusal(name: str, known: Iterable[str]) -> str:
    """Return why an argument cannot be added: what sets it, why nothing does, or that there is none."""
    row = setters().get(name, {})
    if key := row.get("recipe"):
        return f"cannot be added: the recipe says it, `{key}` (N is the number of the stage)"
    if value := row.get("rewardlab"):
        return f"cannot be added: rewardlab sets {value}"
    if why := row.get("not"):
        return f"cannot be added: {why}"
    if any(argument(kind, name) for kind in EXTRA_ARGUMENTS):
        return "cannot be added: the recipe says it elsewhere, rewardlab sets it, or it is for another kind of stage"
    near = _elsewhere(name.rpartition(".")[2]) or nearest(name, known)
    return f"cannot be added: OpenRLHF {WHEEL} has none of that name{near}"


def _elsewhere(name: str) -> str:
    return f"; {ELSEWHERE[name]}" if name in ELSEWHERE else ""
