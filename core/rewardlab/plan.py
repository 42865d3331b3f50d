"""A recipe together with the plugins that it names: every cross-check, and what the rest of the library runs from.

No model is loaded and no reward or judge is built here; of the datasets the first rows are read (`preview`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab.errors import Problem, UserError, nearest
from rewardlab.expression import Expression, check_name, parse
from rewardlab.loading import Document
from rewardlab.redaction import from_environment, note_secrets
from rewardlab.recipe import ComponentUse, DatasetUse, Recipe, RlStage, Use
from rewardlab.registry import Plugin, Registry
from rewardlab.specs import RewardSpec
from rewardlab.validation import Path, option_help, salvage, validate

Interval = tuple[float, float]

OWN_SCALING = {
    "grpo": "divides by the group's standard deviation",
    "rloo": "multiplies by G / (G - 1)",
    "reinforce_baseline": "whitens over the batch",
    "ppo": "whitens over the batch",
}


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A component that a recipe names: its settings there, its spec, its validated options."""

    use: Any
    spec: Any
    options: Any


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A recipe and the components that it names, checked.

    `datasets` is keyed by place: ("dataset",), ("stages", 0, "dataset"), ("stages", 1, "eval", "dataset").
    """

    document: Document
    recipe: Recipe
    plugins: Mapping[str, Plugin] = field(default_factory=dict)
    judges: Mapping[str, Planned] = field(default_factory=dict)
    components: Mapping[str, Planned] = field(default_factory=dict)
    normalizers: Sequence[Planned] = ()
    datasets: Mapping[Path, Planned] = field(default_factory=dict)
    curriculum: Planned | None = None
    expression: Expression | None = None
    total_range: Interval | None = None
    warnings: Sequence[str] = ()

    @property
    def required_fields(self) -> dict[str, list[str]]:
        """field -> the names of the components that need it."""
        required: dict[str, list[str]] = {}
        for name, planned in self.components.items():
            for wanted in planned.spec.required_fields(planned.options):
                required.setdefault(wanted, []).append(name)
        return required

    def shaped_range(self, group_size: int) -> Interval | None:
        """Bounds of what a trainer receives; None where a normalizer knows none."""
        bounds = self.total_range
        for planned in self.normalizers:
            if bounds is None or planned.spec.range is None:
                return None
            bounds = planned.spec.range(planned.options, bounds, group_size)
        return bounds

    def stage_dataset(self, index: int) -> Planned:
        """The dataset that stage `index` trains on: its own or the recipe's."""
        own = self.datasets.get(("stages", index, "dataset"))
        return own if own is not None else self.datasets[("dataset",)]

    def evaluation_dataset(self, index: int) -> tuple[Planned, bool]:
        """(the dataset that stage `index` evaluates on, whether only its held-out rows count)."""
        place = "dataset" if self.recipe.stages[index].use == "eval" else "eval"
        path = ("stages", index, "dataset") if place == "dataset" else ("stages", index, "eval", "dataset")
        own = self.datasets.get(path)
        return (own, False) if own is not None else (self.stage_dataset(index), True)


def make_plan(document: Document, registry: Registry | None = None, purpose: str = "check") -> Plan:
    """The plan of a recipe; a UserError with every problem found. purpose: "check", "score" or "run"."""
    note_secrets(document.secrets)
    planner = _Planner(document, registry or Registry(), purpose)
    plan = planner.plan()
    if plan is not None and purpose != "score":
        from rewardlab.backends import check_backend
        from rewardlab.preview import preview

        warnings, problems = preview(plan, None) if purpose == "run" else preview(plan)
        planner.problems += problems + check_backend(plan)
        plan = replace(plan, warnings=warnings)
    if planner.problems or plan is None:
        raise UserError(list(dict.fromkeys(planner.problems)))
    return plan


def effective_range(spec: RewardSpec, use: ComponentUse) -> Interval:
    """The interval of what `total` sees of a component: its range and the numbers that stand in for no value."""
    stand_ins = [float(v) for v in (use.on_missing, use.on_abstain) if isinstance(v, float | int)]
    if spec.runs == "worker" and spec.on_timeout != "fail":
        stand_ins.append(float(spec.on_timeout))
    return min(spec.range[0], *stand_ins, spec.range[1]), max(*spec.range, *stand_ins)


class _Planner:
    def __init__(self, document: Document, registry: Registry, purpose: str):
        self._document = document
        self._registry = registry
        self._purpose = purpose
        self._plugins: dict[str, Plugin] = {}
        self.problems: list[Problem] = []

    def plan(self) -> Plan | None:
        tree = self._document.tree
        recipe, self.problems = validate(Recipe, tree, self._document.where)
        if recipe is None:
            recipe = salvage(Recipe, {**tree, "version": 1}, self.problems)
        if recipe is None:
            return None
        self._check_presence(recipe)
        judges = {n: self._find("judge", use, ("judges", n)) for n, use in recipe.judges.items()}
        datasets = {path: self._find("dataset", use, path) for path, use in _dataset_uses(recipe)}
        curriculum = recipe.curriculum and self._find("curriculum", recipe.curriculum, ("curriculum",))
        plan = Plan(
            document=self._document,
            recipe=recipe,
            plugins=self._plugins,
            judges=_found(judges),
            datasets=_found(datasets),
            curriculum=curriculum or None,
        )
        return self._with_reward(plan) if recipe.reward is not None else plan

    def _with_reward(self, plan: Plan) -> Plan:
        components = {
            name: self._find("reward", use, ("reward", "components", name))
            for name, use in plan.recipe.reward.components.items()
        }
        self._check_components(components)
        normalizers = []
        for index, use in enumerate(plan.recipe.reward.normalize):
            use = Use(use=use) if isinstance(use, str) else use
            normalizers.append(self._find("normalizer", use, ("reward", "normalize", index)))
        self._check_normalize(plan.recipe)
        expression, total_range = self._total(plan.recipe, components)
        return replace(
            plan,
            components=_found(components),
            normalizers=[n for n in normalizers if n],
            expression=expression,
            total_range=total_range,
        )

    def _find(self, kind: str, use: Use, path: Path) -> Planned | None:
        if use.use == "policy/self":
            self._add((*path, "use"), "policy/self is put in by a backend that can ask the policy; trl cannot")
            return None
        try:
            spec = self._registry.find(kind, use.use)
        except UserError as error:
            for problem in error.problems:
                self._add((*path, "use"), problem.what)
            return None
        plugin = self._registry.plugin(use.use.partition("/")[0])
        self._plugins[plugin.name] = plugin
        options, problems = validate(spec.config, use.options, self._document.where, (*path, "with"))
        if problems:
            help_text = f" [{use.use} takes {option_help(spec.config)}]"
            self.problems += [*problems[:-1], replace(problems[-1], what=problems[-1].what + help_text)]
            return None
        note_secrets(from_environment(v for k, v in options if k.endswith("_env") and isinstance(v, str)))
        return Planned(use=use, spec=spec, options=options)

    def _check_presence(self, recipe: Recipe) -> None:
        """What the purpose and the stages need must be in the file (a part that is there but wrong is told of)."""
        tree, stages = self._document.tree, recipe.stages
        if self._purpose == "score" and "reward" not in tree:
            self._add(("reward",), "missing; say which components score a completion and how they make a total")
        if self._purpose == "run" and not tree.get("stages"):
            self._add(("stages",), "missing; a recipe that runs says what to do (see recipes/quickstart.yaml)")
        if self._purpose == "score":
            return
        for index, stage in enumerate(stages):
            if stage.use != "data" and "model" not in tree:
                self._add(("model",), "missing; a folder or hub name of a causal language model, or {use: tiny}")
            if stage.use in ("rl", "eval") and "reward" not in tree:
                self._add(("stages", index), f"{stage.use} needs a reward; add `reward:` to the recipe")
            if stage.dataset_of_recipe() and "dataset" not in tree:
                self._add(("stages", index), f"{stage.use} needs a dataset; add `dataset:` to the recipe")

    def _check_components(self, components: Mapping[str, Planned | None]) -> None:
        judges = self._declared("judges")
        for name, planned in components.items():
            path = ("reward", "components", name)
            if why := check_name(name):
                self._add(path, why)
            for option in planned.spec.judges if planned else ():
                judge = getattr(planned.options, option, None)
                if judge is not None and judge not in judges:
                    self._add((*path, "with", option), f"no judge {judge!r}{nearest(judge, judges)}")
        correctness = self._document.tree["reward"].get("correctness")
        if isinstance(correctness, str) and correctness not in self._declared("reward", "components"):
            hint = nearest(correctness, components)
            self._add(("reward", "correctness"), f"no component {correctness!r}{hint}")

    def _declared(self, *path: str) -> Sequence[str]:
        """The names that the file gives, also those whose definition is wrong."""
        tree = self._document.tree
        for step in path:
            tree = tree.get(step) if isinstance(tree, dict) else None
        return list(tree) if isinstance(tree, dict) else []

    def _total(
        self, recipe: Recipe, components: Mapping[str, Planned | None]
    ) -> tuple[Expression | None, Interval | None]:
        path = ("reward", "total")
        try:
            expression = parse(recipe.reward.total)
        except ValueError as error:
            self._add(path, str(error))
            return None, None
        declared = self._declared("reward", "components")
        unknown = [n for n in expression.names if n not in declared]
        for name in unknown:
            self._add(path, f"no component {name!r}{nearest(name, declared)}")
        planned = {n: components.get(n) for n in expression.names}
        if unknown or None in planned.values():
            return expression, None
        try:
            return expression, expression.range({n: effective_range(p.spec, p.use) for n, p in planned.items()})
        except ValueError as error:
            self._add(path, str(error))
            return expression, None

    def _check_normalize(self, recipe: Recipe) -> None:
        for index, stage in enumerate(recipe.stages):
            if recipe.reward.normalize and isinstance(stage, RlStage) and stage.algorithm != "dr_grpo":
                self._add(
                    ("reward", "normalize"),
                    f"goes only with dr_grpo, which centres and does nothing else; {stage.algorithm} "
                    f"(stages.{index}) {OWN_SCALING[stage.algorithm]} itself",
                )

    def _add(self, path: Path, what: str) -> None:
        self.problems.append(Problem(where=self._document.where(path), what=what, path=path))


def _dataset_uses(recipe: Recipe) -> Iterator[tuple[Path, DatasetUse]]:
    if recipe.dataset is not None:
        yield ("dataset",), recipe.dataset
    for index, stage in enumerate(recipe.stages):
        if stage.dataset is not None:
            yield ("stages", index, "dataset"), stage.dataset
        evaluation = stage.evaluation if isinstance(stage, RlStage) else None
        if evaluation is not None and evaluation.dataset is not None:
            yield ("stages", index, "eval", "dataset"), evaluation.dataset


def _found(planned: Mapping[Any, Planned | None]) -> dict[Any, Planned]:
    return {key: value for key, value in planned.items() if value is not None}
