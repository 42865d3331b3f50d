"""The text that `run --dry-run` prints for the trl backend: the settings that TRL gets, and where papers differ."""

from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, SftStage
from rewardlab.text import counted
from rewardlab_training import (
    ADVANTAGES,
    StageBatches,
    clip_text,
    describe_training,
    evaluation_datasets,
    evaluation_sampling,
    model_line,
)

from rewardlab_trl.accelerate_options import section_of, sharding_of
from rewardlab_trl.arguments import argument_lines
from rewardlab_trl.generation_options import VllmGeneration
from rewardlab_trl.memory import memory_line
from rewardlab_trl.options import options_of
from rewardlab_trl.rl_arguments import LOSSES, loss_of, rl_arguments

KINDS = {"FSDP": "FSDP 2", "DEEPSPEED": "DeepSpeed ZeRO"}
TRAINERS = {"sft": "SFTTrainer", "dpo": "DPOTrainer", "rl": "GRPOTrainer"}


def headline(plan: Plan) -> str:
    """Return where TRL runs, the model and the adapters."""
    ranks = options_of(plan).ranks
    where = "in this process" if ranks == 1 else f"in {ranks} processes of {_machines(options_of(plan).machines)}"
    if (kind := sharding_of(options_of(plan).accelerate)) is not None:
        where += f", which share the model by {KINDS[kind]}"
    message = f"{where}; model {model_line(plan)}"
    if attention := options_of(plan).attention:
        message += f"; attention {attention}"
    if (lora := options_of(plan).lora) is None:
        return message
    modules = "every linear layer" if lora.targets == ["all-linear"] else ", ".join(lora.targets)
    if (kept := options_of(plan).quantization) is not None:
        modules += f", over weights in {kept.bits} bits ({kept.type}{', double' * kept.double})"
    dropout = f", dropout {lora.dropout:g} (none in rl)" if lora.dropout else ""
    return f"{message}; LoRA of rank {lora.rank}, alpha {lora.alpha}{dropout}, in {modules}, merged at a stage's end"


def _machines(count: int) -> str:
    return "this machine" if count == 1 else f"{count} machines"


def describe_stage(plan: Plan, index: int) -> Iterator[str]:
    """Yield the settings that TRL gets for a training stage; no command of its own runs it."""
    stage = plan.recipe.stages[index]
    if not isinstance(stage, SftStage | DpoStage | RlStage):
        return
    ranks = options_of(plan).ranks
    each = "" if ranks == 1 else " a process"
    first, *rest = describe_training(plan, index, f"{StageBatches.of(stage, ranks).micro}{each}")
    yield f"{TRAINERS[stage.use]} on {first}"
    yield from rest
    if shared := section_of(options_of(plan).accelerate or {}):
        yield f"accelerate: {', '.join(f'{name} = {value}' for name, value in shared.items())}"
    yield from memory_line(plan, index)
    if isinstance(stage, DpoStage):
        yield f"beta {stage.beta:g}, against the model as this stage finds it"
    elif isinstance(stage, RlStage):
        yield from _rl(plan, index, stage)
    yield from argument_lines(stage.use, stage.arguments)


def _evaluated(plan: Plan, index: int) -> str:
    """Return in words which rows a stage evaluates on: "hard: data/jsonl, ours: data/jsonl (held-out rows)"."""
    return ", ".join(
        f"{name}{': ' if name else ''}{planned.use.use}{' (held-out rows)' if held_out else ''}"
        for name, (planned, held_out) in evaluation_datasets(plan, index).items()
    )


def _rl(plan: Plan, index: int, stage: RlStage) -> Iterator[str]:
    loss = loss_of(stage)
    yield f"{stage.algorithm}: {ADVANTAGES[stage.algorithm]}"
    why = "" if stage.loss else ", the nearest to its paper"
    yield f"loss {loss} (TRL's {LOSSES[loss]}){why}; {clip_text(stage)}"
    if stage.importance_sampling_level == "sequence":
        usual = "; GSPO's paper averages by seq_mean" if loss != "seq_mean" else ""
        yield f"the ratio is that of a whole completion (GSPO){usual}; GSPO's paper clips at [0.0003, 0.0004]"
    if stage.entropy_coef:
        yield f"entropy bonus {stage.entropy_coef:g}: of the mean over a micro-batch's tokens"
    if stage.kl.coef:
        yield f"KL {stage.kl.coef:g} in the loss (k3), against {_reference(stage)}"
    yield from _generation(stage, options_of(plan).generation)
    if stage.evaluation is not None:
        every = f", every {counted(stage.eval_every, 'step')}" if stage.eval_every else ""
        before = "before and " if stage.eval_before else ""
        yield f"evaluated {before}after{every}: {evaluation_sampling(stage, _evaluated(plan, index))}"


def _reference(stage: RlStage) -> str:
    kl = stage.kl
    if kl.sync_every is None:
        return "the model as this stage finds it"
    return f"a reference that takes on {kl.mixup_alpha:.0%} of the policy every {kl.sync_every} steps"


def _generation(stage: RlStage, generation: VllmGeneration | None) -> Iterator[str]:
    if generation is None:
        return
    where = f"of the server {generation.url}" if generation.mode == "server" else "in the trainer's processes"
    yield f"completions are sampled by vLLM {where}; evaluations by the model that trains"
    settings = rl_arguments(stage, generation, 1)
    yield ", ".join(f"{name} = {value!r}" for name, value in settings.items() if "vllm" in name and value is not None)
    if generation.correction is not None and (stage.top_p < 1 or stage.top_k or stage.min_p):
        yield "the correction weighs what top_p, top_k and min_p cut off, too: vLLM tells probabilities after the cut"
