"""The reasons why verl cannot do what a recipe says, without importing it: every number is used or refused."""

from collections.abc import Iterator

from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe import Agent, EvalStage, Finding, RlStage, SftStage
from rewardlab_training import context_of, load_code, tool_problems, whitening, whitens

from rewardlab_verl.agent_tools import YAML
from rewardlab_verl.compile.batches import batch_findings
from rewardlab_verl.engine_settings.passed import passed_findings
from rewardlab_verl.options import Options, options_of


def findings(plan: Plan) -> Iterator[Finding]:
    """Yield every reason why this backend cannot do what the recipe says, beyond its capabilities."""
    backend = options_of(plan)
    if not backend.gpus_per_node:
        none = "verl trains on GPUs; without one, use: trl"
        missing = "missing; say how many GPUs each node has, such as 8"
        yield ("backend", "gpus_per_node"), missing if backend.gpus_per_node is None else none
        return
    yield from ((("backend", *path), problem) for path, problem in (*_backend(plan, backend), *_refill(plan, backend)))
    for index, stage in enumerate(plan.recipe.stages):
        if isinstance(stage, RlStage | EvalStage) and stage.agent is not None:
            yield from ((("stages", index, "agent", *path), problem) for path, problem in _agent(stage.agent))
        if isinstance(stage, RlStage | SftStage):
            problems = [*_training(plan, backend, stage), *batch_findings(backend, stage)]
            yield from ((("stages", index, *path), problem) for path, problem in problems)
    if plan.sampler is not None and any(isinstance(stage, RlStage) for stage in plan.recipe.stages):
        yield (
            ("sampler",) if plan.recipe.sampler is not None else ("curriculum",),
            "verl decides before it generates how many completions a prompt has; a group sampler needs trl or openrlhf",
        )


def _backend(plan: Plan, backend: Options) -> Iterator[Finding]:
    engine, context = backend.engine, context_of(plan.recipe.model)
    turns = any(getattr(stage, "agent", None) is not None for stage in plan.recipe.stages)
    for kind, option in (("rl", "arguments"), ("sft", "sft_arguments")):
        for name, why in passed_findings(engine.program(kind), engine.arguments_of(kind), turns):
            yield ("engine", option, name), why
    if context is not None and engine.context is not None and engine.context > context:
        yield ("engine", "context"), f"{engine.context} is more than the model's, {context} tokens"
    if engine.packing and "flash_attention" not in engine.attention:
        yield ("engine", "packing"), f"needs flash attention, not {engine.attention}; set packing: false to do without"
    if backend.precision == "fp32" and engine.strategy == "fsdp2" and "flash_attention" in engine.attention:
        problem = f"{engine.attention} computes in bf16 only; set engine.attention: sdpa and packing: false with fp32"
        yield ("precision",), problem
    if engine.sequence_parallel > 1 and (engine.strategy == "megatron" or not engine.packing):
        yield ("engine", "sequence_parallel"), "needs fsdp2 with packing; Megatron's is megatron.context_parallel"
    if engine.megatron.ranks > 1 and engine.strategy != "megatron":
        yield ("engine", "megatron"), "is for strategy: megatron; fsdp2 shares a model among all ranks by itself"
    shared = engine.megatron.ranks if engine.strategy == "megatron" else engine.sequence_parallel
    for path, size in ((("tensor_parallel",), engine.tensor_parallel), (("sequence_parallel",), shared)):
        if backend.gpus % size:
            yield ("engine", *path), f"the {backend.gpus} GPUs do not divide into parts of {size}"
    if engine.tensor_parallel > (backend.gpus_per_node or 1):
        yield ("engine", "tensor_parallel"), "an engine's GPUs must be of one node"
    if engine.lora is not None:
        if engine.strategy == "megatron":
            yield ("engine", "lora"), "with Megatron, verl has LoRA layers of its own names; use fsdp2 for adapters"
        if engine.lora.dropout:
            yield ("engine", "lora", "dropout"), "verl's adapters have none; leave it out"
        if engine.checkpoint_models:
            problem = (
                "verl writes a model with adapters under peft's names, which transformers does not read; leave it out"
            )
            yield ("engine", "checkpoint_models"), f"{problem}: the stage's model, in models/, has them merged"


def _refill(plan: Plan, backend: Options) -> Iterator[Finding]:
    refill = backend.engine.refill
    if refill.at_once > refill.max_batches:
        yield ("engine", "refill", "at_once"), f"is more than max_batches, {refill.max_batches}"
    if "refill" in backend.engine.model_fields_set and not plan.replaces_groups:
        yield ("engine", "refill"), "is for `reward.teach: {flat: replace}`; without it every group trains"


def _agent(agent: Agent) -> Iterator[Finding]:
    if agent.use is not None and ".py:" in agent.use:
        problem = (
            "verl's loops are known by a name, like tool_agent, or as package.module:CLASS; environments are trl's"
        )
        yield ("use",), problem
    if sum(place.endswith(YAML) for place in agent.tools) > 1:
        yield ("tools",), "verl reads one YAML of its own tools; put them into one file"
    for number, place in enumerate(agent.tools):
        if place.endswith(YAML):
            continue
        try:
            tool = load_code(place)
        except UserError as error:
            yield ("tools", number), str(error)
        else:
            yield from ((("tools", number), f"{place} {problem}") for problem in tool_problems(tool))


def _training(plan: Plan, backend: Options, stage: RlStage | SftStage) -> Iterator[Finding]:
    if stage.schedule == "linear" and backend.engine.strategy == "fsdp2":
        yield ("schedule",), "verl's fsdp2 has constant and cosine; cosine is the nearest (Megatron has linear)"
    if not isinstance(stage, RlStage):
        if stage.keep == "best" and not backend.engine.checkpoint_models:
            yield ("keep",), "a checkpoint has a model to measure by `backend.engine.checkpoint_models: true`"
        return
    if stage.on_truncated == "mask":
        yield ("on_truncated",), "verl cannot leave a completion out of the loss; zero is the nearest"
    yield from _set_twice(backend, stage)
    if stage.dual_clip is not None and stage.importance_sampling_level == "sequence":
        yield (
            ("dual_clip",),
            "verl's gspo has none, only its loss with ratios of tokens; trl and openrlhf have it",
        )
    attention = backend.engine.attention
    if stage.algorithm == "ppo" and backend.engine.strategy == "fsdp2" and attention != "flash_attention_2":
        subject = f"verl loads a critic with flash_attention_2 alone, and `backend.engine.attention` is {attention}"
        yield ("algorithm",), f"{subject}; set that, with bf16, or take an algorithm without a critic, such as grpo"
    whitened = whitening(stage.algorithm, whitens(plan)) is not None
    if whitened and stage.kl.coef and stage.kl.into == "reward":
        subject = "reinforce_baseline" if stage.algorithm == "reinforce_baseline" else "`normalize`"
        yield ("kl", "in"), f"{subject} whitens rewards, and a penalty is no reward; `in: loss` is the nearest"
    if stage.keep == "best":
        yield (
            ("keep",),
            "is for sft and dpo; of an rl stage keep several checkpoints with `save_every` and `backend.engine."
            "checkpoint_models: true`, measure each with `rewardlab eval` and name the best one as `model`",
        )


def _set_twice(backend: Options, stage: RlStage) -> Iterator[Finding]:
    """Yield the settings of the loss that a stage has, and `engine.arguments` say, too."""
    settings = {
        "importance_sampling_level": (stage.importance_sampling_level == "sequence", "policy_loss.loss_mode"),
        "loss": (stage.loss == "cispo", "policy_loss.loss_mode"),
        "dual_clip": (stage.dual_clip is not None, "policy_loss.loss_mode"),
        "entropy_coef": (bool(stage.entropy_coef), "entropy_coeff"),
    }
    for key, (is_said, name) in settings.items():
        if is_said and f"actor_rollout_ref.actor.{name}" in backend.engine.arguments:
            yield (key,), f"backend.engine.arguments has actor_rollout_ref.actor.{name}, too; leave one of the two out"
