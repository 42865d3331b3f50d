"""What the stages of a recipe and the rest of it must agree on, whatever the engine."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab.errors import Problem, nearest
from rewardlab.plan import POLICY, Component, Draft, Plan, declared
from rewardlab.recipe import ColumnNames, EvalStage, Finding, Recipe, RlStage, Stage, needs_engine

from rewardlab_training.dataset_checks import step_findings, target_findings
from rewardlab_training.licences.judge_licences import require_findings
from rewardlab_training.stage_datasets import scores

OWN_SCALING = {
    "grpo": "divides by the group's standard deviation",
    "rloo": "multiplies by G / (G - 1)",
    "reinforce_baseline": "whitens over the batch",
    "ppo": "whitens over the batch",
}


def recipe_problems(draft: Draft, purpose: str) -> list[Problem]:
    """Return what the stages of a recipe lack, or do not go with in the rest of it; "run" needs stages."""
    if draft.plan is None:
        return []
    document, lost = draft.document, draft.lost
    findings = [finding for finding in _stage_findings(draft.plan) if lost.stands(finding[0])]
    if purpose == "run" and not document.tree.get("stages"):
        findings.append(
            (("stages",), "missing; say what to do (`rewardlab new recipe --from quickstart` writes an example)")
        )
    for index, stage in enumerate(draft.plan.recipe.stages):
        if lost.stands(("stages", index)):
            findings += _lacking(draft.plan, index, stage)
    return [Problem(where=document.where(path), what=problem, path=path) for path, problem in findings]


def _lacking(plan: Plan, index: int, stage: Stage) -> Iterator[Finding]:
    """Yield the parts that a stage needs and the recipe lacks."""
    tree = plan.document.tree
    if needs_engine(stage) and getattr(stage, "policy", None) is None and tree.get("model") is None:
        yield ("model",), "missing; a folder or hub name of a causal LM, or {use: tiny}"
    if scores(stage) and tree.get("reward") is None:
        needs = stage.use if getattr(stage, "validation", None) is None else "`validation`"
        yield ("stages", index), f"{needs} needs a reward; add `reward:` to the recipe"
    if _has_own_dataset(tree["stages"][index]):
        return
    if tree.get("dataset") is None:
        yield ("stages", index), f"{stage.use} needs a dataset; add `dataset:` to the recipe"
    elif isinstance(plan.recipe.dataset, ColumnNames):
        problem = "missing; stages read this dataset: <plugin>/<name>, as `rewardlab plugins` lists them"
        yield ("dataset", "use"), problem


def _has_own_dataset(stage: Mapping[str, Any]) -> bool:
    """Return whether a stage, as its file has it, names a dataset, or each of its sets does."""
    sets = stage.get("sets") or {}
    return stage.get("dataset") is not None or (bool(sets) and all(dataset is not None for dataset in sets.values()))


def _stage_findings(plan: Plan) -> Iterator[Finding]:
    """Yield what is wrong with stages beside the rewards, judges and datasets of their recipe."""
    for place, dataset in plan.datasets.items():
        yield from step_findings(plan.recipe, place, dataset)
    yield from target_findings(plan)
    yield from require_findings(plan)
    yield from _served_findings(plan)
    yield from _validation_findings(plan)
    yield from _sampler_findings(plan)
    yield from _normalize_findings(plan)
    yield from _critic_findings(plan)
    yield from _size_findings(plan)


def _normalize_findings(plan: Plan) -> Iterator[Finding]:
    """Yield findings for stages whose trainer rescales rewards itself, and for factors that do not fit the loss."""
    factors = [planned.use.use for planned in plan.normalizers if planned.spec.scales_loss]
    for index, stage in enumerate(plan.recipe.stages):
        if not isinstance(stage, RlStage):
            continue
        if plan.recipe.reward is not None and plan.recipe.reward.normalize and stage.algorithm != "dr_grpo":
            yield (
                ("reward", "normalize"),
                "needs dr_grpo, which subtracts the group's mean unless a normalizer does, and does nothing else; "
                f"{stage.algorithm} (stages.{index}) {OWN_SCALING[stage.algorithm]} itself",
            )
        for use in factors if stage.loss == "seq_mean" else ():
            yield (
                ("stages", index, "loss"),
                f"seq_mean divides by each completion's own tokens, and {use} by the group's as well; use constant, or "
                "token_mean, which divides all groups of an update by one number",
            )


def _critic_findings(plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each component of the total that leaves completions out, which a critic cannot do."""
    stages, reward = plan.recipe.stages, plan.recipe.reward
    if plan.expression is None or reward is None:
        return
    ppo = [index for index, stage in enumerate(stages) if isinstance(stage, RlStage) and stage.algorithm == "ppo"]
    used = {name: reward.components[name] for name in plan.expression.names if ppo and name in reward.components}
    policies: dict[tuple[str, str], object] = {(name, "on_missing"): use.on_missing for name, use in used.items()}
    policies |= {(name, "on_unstable"): use.on_unstable.then for name, use in used.items() if use.on_unstable}
    for place, policy in policies.items():
        if policy == "zero_advantage":
            yield (
                ("reward", "components", *place),
                f"zero_advantage does not work with ppo (stages.{ppo[0]}): the advantages of a critic come from "
                "every reward, and no completion can be left out; use fail, group_mean or a number, or dr_grpo, grpo, "
                "rloo or reinforce_baseline, which need no critic",
            )


def _size_findings(plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each component that cannot score groups as large as those of a stage rl."""
    sizes = {stage.group_size: index for index, stage in enumerate(plan.recipe.stages) if isinstance(stage, RlStage)}
    for name, planned in plan.components.items():
        if planned.spec.refuses_size is None:
            continue
        for size, index in sizes.items():
            why = planned.ask("which groups it can score", planned.spec.refuses_size, planned.options, size)
            if why is not None:
                yield ("reward", "components", name, "with"), f"{why} (group_size of stages.{index})"


def subset_warnings(plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each normalizer whose subset is not smaller than the pool that the group sampler collects."""
    sampler = plan.sampler
    for place, planned in enumerate(plan.normalizers):
        if sampler is None or planned.spec.subset is None:
            continue
        subset = planned.ask("how many totals it looks at", planned.spec.subset, planned.options)
        for number, size, collected in _collected(plan.recipe, sampler):
            if (most := max(size, collected)) <= subset:
                yield (
                    ("reward", "normalize", place),
                    f"the subset of {subset} of {planned.use.use} never acts in stages.{number}: "
                    f"{sampler.use.use} collects {most} completions at most; let it collect more, or lower the subset",
                )


def _collected(recipe: Recipe, sampler: Component) -> Iterator[tuple[int, int, int]]:
    """Yield (index, group size, the most completions that the sampler collects for a group) of each rl stage."""
    for index, stage in enumerate(recipe.stages):
        if isinstance(stage, RlStage):
            size = stage.group_size
            yield index, size, sampler.ask("how many it may collect", sampler.spec.most, sampler.options, size)


def _validation_findings(plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each stage whose best checkpoint is chosen by a component or an engine that is not there."""
    components, backend = declared(plan.document, "reward", "components"), plan.backend
    for index, stage in enumerate(plan.recipe.stages):
        validation = getattr(stage, "validation", None)
        if validation is None:
            continue
        if backend is not None and not backend.spec.chooses_checkpoints:
            problem = f"{backend.use.use} hands on the last checkpoint; keep several with `save_every`, measure each"
            yield ("stages", index, "keep"), f"{problem} with `rewardlab eval` and name the best one as `model`"
        if components and validation.component not in components:
            problem = f"no component {validation.component!r}{nearest(validation.component, components)}"
            yield ("stages", index, "validation", "component"), problem


def _sampler_findings(plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each stage that trains on larger groups than the sampler collects."""
    sampler = plan.sampler
    if sampler is None:
        return
    for index, size, most in _collected(plan.recipe, sampler):
        if most < size:
            problem = f"{size} is more than {sampler.use.use} collects ({most}); raise what it may collect"
            yield ("stages", index, "group_size"), problem


def _served_findings(plan: Plan) -> Iterator[Finding]:
    """Yield findings for policies that are no judge or cannot answer, and for settings that a server cannot apply."""
    names = declared(plan.document, "judges")
    for index, stage in enumerate(plan.recipe.stages):
        if isinstance(stage, EvalStage) and stage.served is not None:
            for path, problem in _served(stage, stage.served, plan.judges, names):
                yield ("stages", index, *path), problem


def _served(stage: EvalStage, name: str, judges: Mapping[str, Component], names: Sequence[str]) -> Iterator[Finding]:
    place = ("policy", "judge")
    judge = judges.get(name)
    if name not in names:
        yield place, f"no judge {name!r}{nearest(name, names)}; a folder or hub name goes to policy.model"
    elif judge is not None and judge.use.use == POLICY:
        yield place, f"{POLICY} is the model in training; leave out `policy` to evaluate that"
    elif judge is not None and judge.spec.reads != "messages":
        yield place, f"{judge.use.use} reads the parts of a comparison and no prompts; name one that is a model"
    if stage.chat.template is not None:
        problem = "a server applies the template that it was started with; set it there, or leave this out"
        yield ("chat", "template"), problem
