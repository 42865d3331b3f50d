"""The checks of a recipe for an engine: what follows from its capabilities, and what is the same for every engine."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from rewardlab.errors import Problem, nearest, one_line
from rewardlab.files import expanded
from rewardlab.plan import Plan
from rewardlab.recipe import (
    Chat,
    CriticSettings,
    DataStage,
    DpoStage,
    EvalStage,
    Evaluation,
    Finding,
    RlStage,
    SftStage,
    Stage,
    TinyModel,
    needs_engine,
)

from rewardlab_training.backend import Backend, Capabilities, engines_that_have
from rewardlab_training.named_models import folder_problem, hub_warnings, looks_local, read_config
from rewardlab_training.optional_settings import unsupported_settings
from rewardlab_training.stage_datasets import scores


def engine_problems(plan: Plan, backend: Backend) -> list[Problem]:
    """Return every reason why an engine cannot run the stages that need it, each with its place in the recipe."""
    others = {("stages", i) for i, stage in enumerate(plan.recipe.stages) if not needs_engine(stage)}
    findings = [*_of_model(plan, backend), *_of_teach(plan, backend.capabilities)]
    findings += [finding for finding in backend.findings(plan) if finding[0][:2] not in others]
    for index, stage in enumerate(plan.recipe.stages):
        if ("stages", index) not in others:
            findings += [
                (("stages", index, *path), problem) for path, problem in _of_stage(plan, backend.capabilities, stage)
            ]
    return _problems(plan, dict.fromkeys(findings))


def engine_warnings(plan: Plan, backend: Backend) -> list[Problem]:
    """Return what an engine can do as a recipe without problems says, and its author may not mean."""
    warns = getattr(backend, "warnings", None)
    warnings = _problems(plan, warns(plan) if callable(warns) else ())
    warnings += _problems(plan, _unknown_to_rewards(plan, backend.capabilities))
    return [*warnings, *(hub_warnings(plan) if backend.capabilities.transformers_models else ())]


def _unknown_to_rewards(plan: Plan, can: Capabilities) -> Iterator[Finding]:
    """Yield (place, what follows) for components that need of a completion what the engine does not say of it."""
    stages = [stage for stage in plan.recipe.stages if scores(stage) and needs_engine(stage)]
    plays = all(getattr(stage, "agent", None) is not None for stage in stages)
    for name, planned in plan.components.items():
        lacking = [need for need in planned.spec.completion_needs if need not in can.completions]
        if plan.backend is None or not stages or not lacking or (lacking == ["messages"] and plays):
            continue
        ends = name in plan.uses_in_total and planned.use.on_abstain == "fail"
        problem = f"{planned.use.use} needs the {' and '.join(lacking)} of each completion, and {plan.backend.use.use}"
        end = "which ends the job at its first step; leave it out, or set on_abstain to a number" if ends else "always"
        yield ("reward", "components", name), f"{problem} does not say them: it abstains, {end}"


def _problems(plan: Plan, findings: Iterable[Finding]) -> list[Problem]:
    return [Problem(where=plan.document.where(path), what=problem, path=path) for path, problem in findings]


def _of_model(plan: Plan, backend: Backend) -> Iterator[Finding]:
    if backend.capabilities.transformers_models and backend.trains_here(plan):  # else it is where the nodes are
        yield from model_findings(plan.recipe.model)


def _of_stage(plan: Plan, can: Capabilities, stage: Stage) -> Iterator[Finding]:
    assert plan.backend is not None
    assert not isinstance(stage, DataStage)  # which needs no engine
    name = plan.backend.use.use
    if stage.use not in can.stages:
        yield (), f"the backend {name} runs {_listed(['data', *can.stages], 'and')} stages, not {stage.use}"
        return
    own = stage.policy.model if isinstance(stage, EvalStage) and stage.policy is not None else None
    if can.transformers_models:
        yield from length_findings(stage, context_of(plan.recipe.model if own is None else own))
        yield from template_findings(stage.chat)
        yield from ((("policy", *path), problem) for path, problem in model_findings(own))
    yield from unsupported_settings(stage, can.settings, name, engines_that_have)
    if isinstance(stage, EvalStage):
        yield from benchmark_findings((), stage)
    if isinstance(stage, RlStage):
        yield from _of_rl(stage, can, name)


def _of_rl(stage: RlStage, can: Capabilities, name: str) -> Iterator[Finding]:
    if stage.algorithm not in can.algorithms:
        yield ("algorithm",), f"the backend {name} has no {stage.algorithm}; use {_listed(can.algorithms, 'or')}"
    elif stage.algorithm != "ppo" and stage.critic != CriticSettings():
        yield ("critic",), f"is for ppo; {stage.algorithm} has none"
    if stage.group_size < 2 and ("ppo" not in can.algorithms or stage.algorithm != "ppo"):
        yield ("group_size",), "1 leaves nothing to compare with: every advantage would be 0; use 2 or more"
    if stage.evaluation is not None:
        yield from benchmark_findings(("eval",), stage.evaluation)
    elif stage.eval_every:
        yield ("eval_every",), "needs `eval:` in this stage, which says what to evaluate on"


def _of_teach(plan: Plan, can: Capabilities) -> Iterator[Finding]:
    """Yield what an engine cannot do with groups that do not teach."""
    reward, stages = plan.recipe.reward, [stage for stage in plan.recipe.stages if isinstance(stage, RlStage)]
    if reward is None or reward.teach.flat == "keep" or plan.backend is None or not stages:
        return
    if reward.teach.flat not in can.flat_groups:
        ways = " or ".join(way for way in can.flat_groups if way != "keep")
        nearest_one = f"; the nearest is {ways}" if ways else ""
        problem = f"the backend {plan.backend.use.use} cannot {reward.teach.flat} flat groups{nearest_one}"
        yield ("reward", "teach", "flat"), problem
    if any(stage.group_size < 2 for stage in stages):
        yield ("reward", "teach"), "needs groups of 2 or more: every group of one is flat"


def _listed(names: Sequence[str], word: str) -> str:
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "none"


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
    elif model is not None and model.strip().lower() == "tiny" and not expanded(model).exists():
        yield (
            ("model",),
            f"{model!r} would be a name on the hub; the model that is built here is `model: {{use: tiny}}`",
        )
    elif model is not None and looks_local(model):
        why = folder_problem(expanded(model))
        if why is not None:
            yield ("model",), f"{model!r} is not a model folder: {why}{_beside(expanded(model))}"


def _beside(folder: Path) -> str:
    """Return a hint for a folder that is not there: what is called like it beside it."""
    beside = [path.name for path in folder.parent.glob("*") if path.is_dir()]
    return nearest(folder.name, beside) if beside and not folder.exists() else ""


def context_of(model: str | TinyModel | None) -> int | None:
    """Return the model's context length in tokens; None if it cannot be known without loading the model."""
    if isinstance(model, TinyModel):
        return model.context
    if model is None or not looks_local(model):
        return None
    try:
        config = read_config(expanded(model))
    except (OSError, ValueError):  # reported by `model_findings`
        return None
    positions = config.get("max_position_embeddings", config.get("n_positions"))
    return positions if isinstance(positions, int) and positions > 0 else None


def length_findings(stage: Stage, context: int | None) -> Iterator[Finding]:
    """Yield the lengths of a stage that do not fit into the model's context of `context` tokens (None: unknown)."""
    if context is None:
        return
    if isinstance(stage, RlStage | EvalStage) and stage.max_new_tokens >= context:
        problem = f"{stage.max_new_tokens} leaves no room for a prompt in the model's context of {context} tokens"
        yield ("max_new_tokens",), problem
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
