"""What a recipe asks of the trl backend, checked without importing an engine; a number is used or refused."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from rewardlab.backends import model_folder
from rewardlab.errors import Problem, one_line
from rewardlab.plan import Plan
from rewardlab.recipe import Chat, DpoStage, EvalStage, Evaluation, RlStage, SftStage, Stage, TinyModel

Finding = tuple[tuple[str | int, ...], str]

LOSSES = {"token_mean": "dapo", "seq_mean": "grpo", "constant": "dr_grpo"}
"""our `loss` -> TRL's loss_type"""

PAPER_LOSS = {
    "grpo": "seq_mean",
    "dr_grpo": "constant",
    "rloo": "constant",
    "reinforce_baseline": "token_mean",
}
"""the loss nearest to each paper: RLOO sums log-probabilities by sequence, REINFORCE++ averages them"""


def check(plan: Plan) -> list[Problem]:
    """Every reason why this backend cannot do what the recipe says."""
    findings = [*_model(plan.recipe.model), *_backend(plan)]
    context = _context(plan.recipe.model)
    for index, stage in enumerate(plan.recipe.stages):
        found = [*_stage(stage), *_lengths(stage, context)]
        findings += [(("stages", index, *path), what) for path, what in found]
    return [Problem(where=plan.document.where(path), what=what, path=path) for path, what in findings]


def _model(model: str | TinyModel | None) -> Iterator[Finding]:
    if isinstance(model, TinyModel):
        if model.hidden_size % model.heads:
            yield (
                ("model", "heads"),
                f"hidden_size {model.hidden_size} does not divide into {model.heads} heads",
            )
        elif model.hidden_size // model.heads % 2:
            size = model.hidden_size // model.heads
            yield ("model", "heads"), f"{model.heads} heads of {size}: the size of a head must be even"
    elif model is not None and model_folder.looks_local(model):
        why = model_folder.problem(Path(model).expanduser())
        if why is not None:
            yield ("model",), f"{model!r} is no model folder: {why}"


def _context(model: str | TinyModel | None) -> int | None:
    """The most tokens that the model takes, where this can be known without loading it."""
    if isinstance(model, TinyModel):
        return model.context
    if model is None or not model_folder.looks_local(model):
        return None
    try:
        config = model_folder.read_config(Path(model).expanduser())
    except (OSError, ValueError):  # `_model` has told
        return None
    found = config.get("max_position_embeddings", config.get("n_positions"))
    return found if isinstance(found, int) and found > 0 else None


def _backend(plan: Plan) -> Iterator[Finding]:
    backend = plan.recipe.backend
    if backend.nodes > 1:
        yield ("backend", "nodes"), "trl trains on one machine; several need `use: openrlhf`"
    if backend.gpus_per_node is not None and backend.gpus_per_node > 1:
        yield (
            ("backend", "gpus_per_node"),
            "trl trains in one process with one GPU at most; more need `use: openrlhf`",
        )
    for name in ("address", "secrets"):
        if getattr(backend, name):
            yield ("backend", name), "is for openrlhf; trl trains here, with this environment"
    if backend.device == "cpu" and backend.precision == "bf16":
        yield ("backend", "precision"), "bf16 needs a GPU; use fp32 on a CPU"
    if backend.tensorboard and find_spec("tensorboard") is None:
        yield ("backend", "tensorboard"), "TensorBoard is not installed; pip install 'rewardlab[tensorboard]'"


def _stage(stage: Stage) -> Iterator[Finding]:
    if isinstance(stage, RlStage):
        yield from _rl(stage)
    elif isinstance(stage, SftStage):
        yield from _divides(stage.batch_size, stage.micro_batch_size, "rows")
    elif isinstance(stage, DpoStage):
        yield (), "the trl backend of this version runs data, sft, rl and eval stages, not dpo"
    if isinstance(stage, EvalStage):
        yield from _benchmark((), stage)
    if isinstance(stage, RlStage | SftStage | EvalStage):
        yield from _template(stage.chat)


def _rl(stage: RlStage) -> Iterator[Finding]:
    if stage.algorithm == "ppo":
        yield (
            ("algorithm",),
            "TRL 1.16 has no PPO; use dr_grpo, grpo, rloo or reinforce_baseline, or `use: openrlhf`",
        )
    if stage.group_size < 2:
        yield ("group_size",), "1 leaves nothing to compare with: every advantage would be 0; use 2 or more"
    if stage.kl.coef:
        if stage.kl.into == "reward":
            yield ("kl", "in"), "trl puts the penalty into the loss; use `in: loss`"
        if stage.kl.estimator != "k3":
            yield ("kl", "estimator"), f"trl estimates it with k3, not {stage.kl.estimator}"
    if stage.eval_every and stage.evaluation is None:
        yield ("eval_every",), "needs `eval:` in this stage, which says what to evaluate on"
    if stage.evaluation is not None:
        yield from _benchmark(("eval",), stage.evaluation)
    completions = stage.batch_size * stage.group_size
    if completions % stage.updates_per_batch:
        yield (
            ("updates_per_batch",),
            f"{stage.batch_size} prompts x {stage.group_size} = {completions} completions do not divide into "
            f"{stage.updates_per_batch} updates{_divisors(completions)}",
        )
        return
    yield from _divides(completions // stage.updates_per_batch, stage.micro_batch_size, "completions an update")


def _divides(batch: int, micro: int | None, what: str) -> Iterator[Finding]:
    if micro and batch % micro:
        yield (
            ("micro_batch_size",),
            f"{batch} {what} do not divide into micro-batches of {micro}{_divisors(batch)}",
        )


def _divisors(number: int) -> str:
    found = [n for n in range(1, number + 1) if number % n == 0]
    return f"; {number} divides by {', '.join(map(str, found[:16]))}"


def _lengths(stage: Stage, context: int | None) -> Iterator[Finding]:
    if context is None:
        return
    if isinstance(stage, RlStage | EvalStage) and stage.max_new_tokens >= context:
        what = f"{stage.max_new_tokens} leaves no room for a prompt in the model's context of {context} tokens"
        yield ("max_new_tokens",), what
    if isinstance(stage, SftStage) and stage.max_tokens is not None and stage.max_tokens > context:
        yield ("max_tokens",), f"{stage.max_tokens} is more than the model's context of {context} tokens"


def _benchmark(path: tuple[str, ...], evaluation: Evaluation) -> Iterator[Finding]:
    name = evaluation.benchmark
    if name is not None and (not name or name != Path(name).name):
        yield (*path, "benchmark"), f"{name!r} cannot be part of a file's name"


def _template(chat: Chat) -> Iterator[Finding]:
    if chat.template is None or find_spec("jinja2") is None:
        return
    import jinja2
    from jinja2.ext import Extension, loopcontrols

    class Generation(Extension):
        """The tag that transformers adds to Jinja: {% generation %} ... {% endgeneration %}."""

        tags = frozenset({"generation"})

        def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    try:
        jinja2.Environment(extensions=[loopcontrols, Generation]).parse(chat.template)
    except jinja2.TemplateSyntaxError as error:
        yield ("chat", "template"), f"line {error.lineno}: {one_line(error)}"
