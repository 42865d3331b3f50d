"""Checks of a recipe for the trl backend, without importing an engine: every number is used or refused."""

from collections.abc import Iterator, Sequence

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, Finding, RlStage, SftStage, Stage
from rewardlab.training import Lora, StageBatches

from rewardlab_trl.arguments import argument_findings
from rewardlab_trl.options import Options, options_of


def findings(plan: Plan) -> Iterator[Finding]:
    """Yield every reason why this backend cannot do what the recipe says, beyond its capabilities."""
    yield from _backend(plan)
    for index, stage in enumerate(plan.recipe.stages):
        yield from ((("stages", index, *path), what) for path, what in _stage(stage, options_of(plan)))


def _backend(plan: Plan) -> Iterator[Finding]:
    backend = options_of(plan)
    if backend.nodes > 1:
        yield ("backend", "nodes"), "trl trains on one machine; several need `use: openrlhf`"
    if backend.gpus_per_node and backend.gpus_per_node != backend.ranks:
        what = f"{backend.ranks} is not the {backend.gpus_per_node} of gpus_per_node: each process trains on one GPU"
        yield ("backend", "processes"), f"{what}; leave one of the two out"
    if backend.lora is not None:
        yield from ((("backend", *path), what) for path, what in _lora(backend.lora, plan.recipe.stages))
    if backend.generation is not None:
        yield from ((("backend", "generation", *path), what) for path, what in _generation(plan, backend))
    if backend.quantization is not None and backend.lora is None:
        what = "weights that learn are kept in 32 bits; add `lora`, whose adapters learn in their place"
        yield ("backend", "quantization"), what
    if backend.attention == "flash_attention_2" and backend.device == "cpu":
        yield ("backend", "attention"), "flash_attention_2 needs a GPU; sdpa and eager do without"
    if backend.attention == "flash_attention_2" and backend.precision == "fp32":
        what = "flash_attention_2 computes in bf16 alone; set backend.attention: sdpa with fp32"
        yield ("backend", "precision"), what
    if backend.device == "cpu" and backend.precision == "bf16":
        yield ("backend", "precision"), "bf16 needs a GPU; use fp32 on a CPU"
    yield from backend.lacking()


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
        what = f"the {backend.ranks} processes do not divide into engines of {generation.tensor_parallel}"
        yield ("tensor_parallel",), what
    bounds = [] if generation.correction is None else generation.correction.bounds
    if sorted(set(bounds)) != bounds:
        yield ("correction", "bounds"), "the low one must be less than the high one"


def _stage(stage: Stage, backend: Options) -> Iterator[Finding]:
    if isinstance(stage, RlStage):
        yield from _rl(stage, backend)
    if isinstance(stage, SftStage | DpoStage | RlStage):
        yield from StageBatches.findings(stage, backend.ranks)
        for name, what in argument_findings(stage.use, stage.arguments, backend.model_dump()):
            yield ("arguments", name), what


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
