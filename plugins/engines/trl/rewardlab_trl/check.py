"""Checks of a recipe for the trl backend, without importing an engine: every number is used or refused."""

from collections.abc import Iterator, Sequence

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, EvalStage, Finding, RlStage, SftStage, Stage
from rewardlab_training import Lora, StageBatches

from rewardlab_trl.accelerate_options import accelerate_findings, count_of, section_of, sharding_of
from rewardlab_trl.agent_check import agent_findings
from rewardlab_trl.arguments import argument_findings
from rewardlab_trl.options import Options, options_of


def findings(plan: Plan) -> Iterator[Finding]:
    """Yield every reason why this backend cannot do what the recipe says, beyond its capabilities."""
    yield from _backend(plan)
    for index, stage in enumerate(plan.recipe.stages):
        yield from ((("stages", index, *path), problem) for path, problem in _stage(stage, options_of(plan)))
        if isinstance(stage, RlStage | EvalStage) and stage.agent is not None:
            problems = agent_findings(plan, stage.agent, options_of(plan), trains=isinstance(stage, RlStage))
            yield from ((("stages", index, "agent", *path), problem) for path, problem in problems)


def _backend(plan: Plan) -> Iterator[Finding]:
    backend = options_of(plan)
    if backend.nodes not in (1, backend.machines):
        problem = f"say it by accelerate: {{num_machines: {backend.nodes}, num_processes: ..., main_process_ip: ...}}"
        yield ("backend", "nodes"), problem
    if backend.accelerate is not None:
        yield from ((("backend", "accelerate", *path), problem) for path, problem in _accelerate(plan, backend))
    if backend.gpus_per_node and backend.gpus_per_node * backend.machines != backend.ranks:
        problem = f"{backend.ranks} is not the {backend.gpus_per_node} of gpus_per_node: each process trains on one GPU"
        yield ("backend", "processes"), f"{problem}; leave one of the two out"
    if backend.lora is not None:
        yield from ((("backend", *path), problem) for path, problem in _lora(backend.lora, plan.recipe.stages))
    if backend.generation is not None:
        yield from ((("backend", "generation", *path), problem) for path, problem in _generation(plan, backend))
    if backend.quantization is not None and backend.lora is None:
        problem = "trainable weights are kept in 32 bits; add `lora`, whose adapters are trained instead"
        yield ("backend", "quantization"), problem
    if backend.attention == "flash_attention_2" and backend.device == "cpu":
        yield ("backend", "attention"), "flash_attention_2 needs a GPU; sdpa and eager do without"
    if backend.attention == "flash_attention_2" and backend.precision == "fp32":
        problem = "flash_attention_2 computes in bf16 only; set backend.attention: sdpa with fp32"
        yield ("backend", "precision"), problem
    if backend.device == "cpu" and backend.precision == "bf16":
        yield ("backend", "precision"), "bf16 needs a GPU; use fp32 on a CPU"
    yield from backend.lacking()


def _accelerate(plan: Plan, backend: Options) -> Iterator[Finding]:
    config = backend.accelerate
    assert config is not None
    yield from accelerate_findings(config)
    if backend.machines > 1:
        if not isinstance(config.get("main_process_ip"), str):
            yield ("main_process_ip",), "missing; say by which address the other machines reach the first"
        if backend.ranks % backend.machines:
            problem = f"{backend.ranks} processes do not divide over {backend.machines} machines"
            yield ("num_processes",), f"{problem}; it counts those of all of them"
    processes = backend.processes or (backend.gpus_per_node and backend.gpus_per_node * backend.machines)
    count = count_of(config, "num_processes")
    if processes is not None and count is not None and processes != count:
        yield ("num_processes",), f"{count} is not the {processes} that the recipe says; leave one of the two out"
    if config.get("use_cpu") and backend.device == "cuda":
        yield ("use_cpu",), "backend.device is cuda; leave one of the two out"
    if config.get("mixed_precision") == "bf16" and (backend.precision == "fp32" or backend.device == "cpu"):
        yield ("mixed_precision",), "bf16 is not the recipe's precision, fp32; leave it out"
    if config.get("mixed_precision") == "no" and backend.precision == "bf16":
        yield ("mixed_precision",), "'no' is not the recipe's precision, bf16; leave it out"
    kind = sharding_of(config)
    if kind is None:
        return
    if backend.ranks == 1:
        yield ("num_processes",), f"{kind} shares a model among two processes or more"
    if kind == "DEEPSPEED" and (backend.device == "cpu" or config.get("use_cpu")):
        yield ("distributed_type",), "accelerate runs DeepSpeed on GPUs only; FSDP runs on a CPU, too"
    yield from _not_shared(plan, backend, kind)


def _not_shared(plan: Plan, backend: Options, kind: str) -> Iterator[Finding]:
    """Yield what the first process would do with a model of which it has but a share."""
    where = ("distributed_type",)
    if backend.quantization is not None:
        yield where, f"{kind} shares no weights in 4 bits here; leave `quantization` out"
    if backend.generation is not None:
        yield where, f"vLLM takes no weights that {kind} shares here; leave `generation` out"
    if plan.sampler is not None:
        yield where, "a group sampler generates in the first process alone, which needs the whole model"
    if any(judge.use == "policy/self" for judge in plan.recipe.judges.values()):
        yield where, "policy/self answers in the first process alone, which needs the whole model"
    for stage in plan.recipe.stages:
        if isinstance(stage, RlStage) and stage.kl.sync_every is not None:
            yield where, "a reference that moves (kl.sync_every) takes on whole weights; leave it out"
        if isinstance(stage, SftStage | DpoStage | RlStage) and stage.keep == "best" and _keeps_shares(backend):
            yield where, "keep: best reads whole models in checkpoints; set fsdp_state_dict_type: FULL_STATE_DICT"


def _keeps_shares(backend: Options) -> bool:
    section = section_of(backend.accelerate or {})
    return str(section.get("fsdp_state_dict_type", "")).upper() != "FULL_STATE_DICT"


def _lora(lora: Lora, stages: Sequence[Stage]) -> Iterator[Finding]:
    trained = [stage for stage in stages if isinstance(stage, SftStage | DpoStage | RlStage)]
    if lora.dropout and trained and all(isinstance(stage, RlStage) for stage in trained):
        yield (
            ("lora", "dropout"),
            "rl trains without dropout, so that the policy that learns is the one that was sampled; leave it out",
        )


def _generation(plan: Plan, backend: Options) -> Iterator[Finding]:
    generation = backend.generation
    assert generation is not None
    if backend.device == "cpu":
        yield ("engine",), "vLLM generates on a GPU here; leave `generation` out on a CPU"
    if plan.sampler is not None:
        yield ("engine",), "a sampler asks for completions one by one, which TRL's vLLM does not give; leave one out"
    given = generation.model_fields_set
    if generation.mode == "server":
        if generation.url is None:
            yield ("url",), "missing; say where `trl vllm-serve` answers, such as http://10.0.0.2:8000"
        for name in sorted(given & {"gpu_memory", "tensor_parallel", "context", "sleep"}):
            yield (name,), "is of mode: colocate; a server has it from its own command"
    elif generation.url is not None:
        yield ("url",), "is of mode: server"
    elif backend.ranks % generation.tensor_parallel:
        problem = f"the {backend.ranks} processes do not divide into engines of {generation.tensor_parallel}"
        yield ("tensor_parallel",), problem
    bounds = [] if generation.correction is None else generation.correction.bounds
    if sorted(set(bounds)) != bounds:
        yield ("correction", "bounds"), "the low one must be less than the high one"


def _stage(stage: Stage, backend: Options) -> Iterator[Finding]:
    if isinstance(stage, RlStage):
        yield from _rl(stage, backend)
    if isinstance(stage, SftStage | DpoStage | RlStage):
        yield from StageBatches.findings(stage, backend.ranks)
        for name, problem in argument_findings(stage.use, stage.arguments, backend.model_dump()):
            yield ("arguments", name), problem


def _rl(stage: RlStage, backend: Options) -> Iterator[Finding]:
    if stage.loss == "cispo" and stage.clip[0] < 1:
        high = stage.clip[1]
        yield (
            ("clip",),
            f"TRL's cispo bounds the ratio above only; write clip: [1, {high:g}], as a ratio is never below 0",
        )
    if stage.kl.sync_every is not None and backend.lora is not None:
        yield ("kl", "sync_every"), "with adapters the reference is the model without them, which does not move"
    if stage.kl.coef:
        if stage.kl.into == "reward":
            yield ("kl", "in"), "trl puts the penalty into the loss; use `in: loss`"
        elif stage.kl.estimator != "k3":
            yield ("kl", "estimator"), f"trl estimates it with k3, not {stage.kl.estimator}"
