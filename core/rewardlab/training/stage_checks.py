"""The checks of a recipe that are the same for every engine: model, lengths, chat template, names of results."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from rewardlab.errors import nearest, one_line
from rewardlab.files import expanded
from rewardlab.recipe.models import Chat, DpoStage, EvalStage, Evaluation, RlStage, SftStage, Stage, TinyModel
from rewardlab.recipe.validation import Finding
from rewardlab.training import model_folder


def model_findings(model: str | TinyModel | None) -> Iterator[Finding]:
    """Yield what is wrong with a model folder or a tiny model; names on the hub are not looked up."""
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
        why = model_folder.problem(expanded(model))
        if why is not None:
            yield ("model",), f"{model!r} is no model folder: {why}{_beside(expanded(model))}"


def _beside(folder: Path) -> str:
    """Return a hint for a folder that is not there: what is called like it beside it."""
    beside = [path.name for path in folder.parent.glob("*") if path.is_dir()]
    return nearest(folder.name, beside) if beside and not folder.exists() else ""


def context_of(model: str | TinyModel | None) -> int | None:
    """Return the model's context length in tokens; None if it cannot be known without loading the model."""
    if isinstance(model, TinyModel):
        return model.context
    if model is None or not model_folder.looks_local(model):
        return None
    try:
        config = model_folder.read_config(expanded(model))
    except (OSError, ValueError):  # reported by `model_findings`
        return None
    found = config.get("max_position_embeddings", config.get("n_positions"))
    return found if isinstance(found, int) and found > 0 else None


def length_findings(stage: Stage, context: int | None) -> Iterator[Finding]:
    """Yield the lengths of a stage that do not fit into the model's context of `context` tokens (None: unknown)."""
    if context is None:
        return
    if isinstance(stage, RlStage | EvalStage) and stage.max_new_tokens >= context:
        what = f"{stage.max_new_tokens} leaves no room for a prompt in the model's context of {context} tokens"
        yield ("max_new_tokens",), what
    if isinstance(stage, SftStage | DpoStage) and stage.max_tokens is not None and stage.max_tokens > context:
        yield ("max_tokens",), f"{stage.max_tokens} is more than the model's context of {context} tokens"


def benchmark_findings(path: tuple[str, ...], evaluation: Evaluation) -> Iterator[Finding]:
    """Yield a finding if an evaluation's `benchmark`, which becomes part of a file's name, cannot be that."""
    name = evaluation.benchmark
    if name is not None and (not name or name != Path(name).name):
        yield (*path, "benchmark"), f"{name!r} cannot be part of a file's name"


def template_findings(chat: Chat) -> Iterator[Finding]:
    """Yield the syntax error of the recipe's chat template; nothing if Jinja is not installed to read it."""
    if chat.template is None or find_spec("jinja2") is None:
        return
    import jinja2
    from jinja2.ext import Extension, loopcontrols

    class Generation(Extension):
        """A Jinja extension for the tag that transformers adds: {% generation %} ... {% endgeneration %}."""

        tags = {"generation"}  # noqa: RUF012 - a set, as Jinja declares it

        def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    try:
        jinja2.Environment(extensions=[loopcontrols, Generation]).parse(chat.template)
    except jinja2.TemplateSyntaxError as error:
        yield ("chat", "template"), f"line {error.lineno}: {one_line(error)}"


def update_findings(stage: RlStage) -> Iterator[Finding]:
    """Yield a finding if the completions of a step do not divide into `updates_per_batch` equal updates."""
    completions = stage.batch_size * stage.group_size
    if completions % stage.updates_per_batch:
        yield (
            ("updates_per_batch",),
            f"{stage.batch_size} prompts x {stage.group_size} = {completions} completions do not divide into "
            f"{stage.updates_per_batch} updates; {divisors(completions)}",
        )


def divisors(number: int) -> str:
    """Return the divisors of a positive number as text, the 16 smallest at most: "12 divides by 1, 2, 3, 4, 6, 12"."""
    found = [n for n in range(1, number + 1) if number % n == 0]
    return f"{number} divides by {', '.join(map(str, found[:16]))}"
