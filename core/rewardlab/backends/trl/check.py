"""What a recipe asks of the trl backend, checked without importing an engine: each number is used or refused."""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.errors import Problem
from rewardlab.plan import Plan
from rewardlab.recipe import DataStage, DpoStage, EvalStage, RlStage, SftStage, TinyModel

Finding = tuple[tuple[str | int, ...], str]

LOSSES = {"token_mean": "dapo", "seq_mean": "grpo", "constant": "dr_grpo"}
"""our `loss` -> TRL's loss_type"""

PAPER_LOSS = {"grpo": "seq_mean", "dr_grpo": "constant", "rloo": "constant", "reinforce_baseline": "token_mean"}
"""the loss nearest to each algorithm's paper: RLOO sums a sequence's log-probabilities, REINFORCE++ averages tokens"""


def check(plan: Plan) -> list[Problem]:
    """Every reason why this backend cannot do what the recipe says."""
    findings = [*_model(plan.recipe.model), *_backend(plan)]
    for index, stage in enumerate(plan.recipe.stages):
        path = ("stages", index)
        if isinstance(stage, RlStage):
            findings += [(path + p, what) for p, what in _rl(stage)]
        elif isinstance(stage, SftStage):
            findings += [(path + p, what) for p, what in _divides(stage.batch_size, stage.micro_batch_size, "rows")]
        elif isinstance(stage, DpoStage):
            findings.append((path, "the trl backend of this version runs data, sft, rl and eval stages, not dpo"))
        else:
            assert isinstance(stage, DataStage | EvalStage)
    return [Problem(where=plan.document.where(path), what=what, path=path) for path, what in findings]


def _model(model: str | TinyModel | None) -> Iterator[Finding]:
    """A name such as `Qwen/Qwen2.5-7B` is the hub's; whatever looks like a folder must be one with a model."""
    if isinstance(model, TinyModel):
        if model.hidden_size % model.heads:
            yield ("model", "heads"), f"hidden_size {model.hidden_size} does not divide into {model.heads} heads"
    elif model is not None:
        folder = Path(model).expanduser()
        looks_local = folder.exists() or model.startswith((".", "/", "~")) or model.count("/") > 1
        if looks_local and not (folder / "config.json").is_file():
            yield ("model",), f"{model!r} is no model folder: it has no config.json"


def _backend(plan: Plan) -> Iterator[Finding]:
    backend = plan.recipe.backend
    if backend.nodes > 1:
        yield ("backend", "nodes"), "trl trains on one machine; several need `use: openrlhf`"
    if backend.gpus_per_node is not None and backend.gpus_per_node > 1:
        yield ("backend", "gpus_per_node"), "trl trains in one process with one GPU at most; more need `use: openrlhf`"
    for name in ("address", "secrets"):
        if getattr(backend, name):
            yield ("backend", name), "is for openrlhf; trl trains here, with this environment"
    if backend.device == "cpu" and backend.precision == "bf16":
        yield ("backend", "precision"), "bf16 needs a GPU; use fp32 on a CPU"


def _rl(stage: RlStage) -> Iterator[Finding]:
    if stage.algorithm == "ppo":
        yield ("algorithm",), "TRL 1.16 has no PPO; use dr_grpo, grpo, rloo or reinforce_baseline, or `use: openrlhf`"
    if stage.group_size < 2:
        yield ("group_size",), "1 leaves nothing to compare with: every advantage would be 0; use 2 or more"
    if stage.kl.coef:
        if stage.kl.into == "reward":
            yield ("kl", "in"), "trl puts the penalty into the loss; use `in: loss`"
        if stage.kl.estimator != "k3":
            yield ("kl", "estimator"), f"trl estimates it with k3, not {stage.kl.estimator}"
    completions = stage.batch_size * stage.group_size
    if completions % stage.updates_per_batch:
        yield (
            ("updates_per_batch",),
            f"{stage.batch_size} prompts x {stage.group_size} = {completions} completions do not divide into "
            f"{stage.updates_per_batch} updates{_divisors(completions)}",
        )
        return
    yield from _divides(completions // stage.updates_per_batch, stage.micro_batch_size, "completions an update")
    if stage.eval_every and stage.evaluation is None:
        yield ("eval_every",), "needs `eval:` in this stage, which says what to evaluate on"


def _divides(batch: int, micro: int | None, what: str) -> Iterator[Finding]:
    if micro and batch % micro:
        yield ("micro_batch_size",), f"{batch} {what} do not divide into micro-batches of {micro}{_divisors(batch)}"


def _divisors(number: int) -> str:
    found = [n for n in range(1, number + 1) if number % n == 0]
    return f"; {number} divides by {', '.join(map(str, found[:16]))}"
