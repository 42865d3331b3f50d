"""A recipe and the plugins that it names: every cross-check, and what the rest of the library runs from.

No model is loaded and no reward or judge is built here; of the datasets the first rows are read (`preview`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab.cross_checks import (
    POLICY,
    Finding,
    judge_findings,
    normalize_findings,
    policy_judge,
    sampler_findings,
    step_findings,
    target_findings,
)
from rewardlab.datasets import dataset_uses
from rewardlab.errors import JobError, Problem, UserError, nearest, one_line
from rewardlab.expression import Expression, check_name, parse
from rewardlab.loading import Document
from rewardlab.planned import Planned, secret_variables
from rewardlab.recipe import Recipe, Reward
from rewardlab.redaction import from_environment, note_secrets
from rewardlab.registry import Plugin, Registry
from rewardlab.salvage import Lost, read
from rewardlab.specs import DatasetSpec, RewardSpec
from rewardlab.total import Interval, effective_range, total_range
from rewardlab.uses import Use
from rewardlab.validation import Path, lookup, option_help, validate


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
            for wanted in planned.ask("what it requires", planned.spec.required_fields, planned.options):
                required.setdefault(wanted, []).append(name)
        return required

    @property
    def asked_by_rewards(self) -> set[str]:
        """The names of the judges that the components ask."""
        return {name for planned in self.components.values() for name in planned.judges()}

    def shaped_range(self, group_size: int) -> Interval | None:
        """Bounds of what a trainer receives; None where a normalizer knows none."""
        bounds = self.total_range
        for planned in self.normalizers:
            if bounds is None or planned.spec.range is None:
                return None
            bounds = planned.ask("its range", planned.spec.range, planned.options, bounds, group_size)
        return bounds

    def stage_dataset(self, index: int) -> Planned:
        """The dataset that stage `index` trains on: its own or the recipe's."""
        return self.datasets[self.stage_dataset_place(index)]

    def stage_dataset_place(self, index: int) -> Path:
        """Where the file says what stage `index` trains on."""
        own = ("stages", index, "dataset")
        return ("dataset",) if lookup(self.document.tree, own) is None else own

    def evaluation_dataset(self, index: int) -> tuple[Planned, bool]:
        """(the dataset that stage `index` evaluates on, whether only its held-out rows count)."""
        place, held_out = self.evaluation_dataset_place(index)
        return self.datasets[place], held_out

    def evaluation_dataset_place(self, index: int) -> tuple[Path, bool]:
        """(where the file says what stage `index` evaluates on, whether only its held-out rows count)."""
        inside = () if self.recipe.stages[index].use == "eval" else ("eval",)
        own = ("stages", index, *inside, "dataset")
        if lookup(self.document.tree, own) is None:
            return self.stage_dataset_place(index), True
        return own, False


def make_plan(document: Document, registry: Registry | None = None, purpose: str = "check") -> Plan:
    """The plan of a recipe; a UserError with every problem found.

    purpose: "check", "score", "run", or "job" for a process of a job that was checked when it began.
    """
    note_secrets(document.secrets)
    planner = _Planner(document, registry or Registry(), purpose)
    plan = planner.plan()
    if plan is not None and purpose not in ("score", "job"):
        try:
            plan = replace(plan, warnings=planner.look_further(plan))
        except JobError as error:
            if not planner.problems:
                raise
            planner.problems.append(Problem(where=str(document.path), what=str(error)))
    if planner.problems or plan is None:
        in_file_order = sorted(planner.problems, key=lambda problem: document.line(problem.path) or 0)
        raise UserError(list(dict.fromkeys(in_file_order)))
    return plan


class _Planner:
    def __init__(self, document: Document, registry: Registry, purpose: str):
        self._document = document
        self._registry = registry
        self._purpose = purpose
        self._plugins: dict[str, Plugin] = {}
        self._lost = Lost()
        self.problems: list[Problem] = []

    def plan(self) -> Plan | None:
        recipe, self.problems, self._lost = read(self._document)
        if recipe is None:
            return None
        self._recipe = recipe
        self._check_presence(recipe)
        judges = {n: self._find("judge", use, ("judges", n)) for n, use in recipe.judges.items()}
        for name, planned in _found(judges).items():
            self._add_all(judge_findings(("judges", name), planned))
        named = [(path, use) for path, use in dataset_uses(recipe) if self._lost.stands(path)]
        datasets = {path: self._find("dataset", use, path) for path, use in named}
        for path, planned in _found(datasets).items():
            self._add_all(step_findings(recipe, path, planned))
        targets = target_findings(recipe, _found(datasets))
        self._add_all(finding for finding in targets if self._lost.stands(finding[0]))
        curriculum = self._find("curriculum", recipe.curriculum, ("curriculum",)) if recipe.curriculum else None
        samplers = sampler_findings(recipe, curriculum)
        self._add_all(finding for finding in samplers if self._lost.is_whole(finding[0]))
        plan = Plan(
            document=self._document,
            recipe=recipe,
            plugins=self._plugins,
            judges=_found(judges),
            datasets=_found(datasets),
            curriculum=curriculum or None,
        )
        return self._with_reward(plan, recipe.reward) if recipe.reward is not None else plan

    def _with_reward(self, plan: Plan, reward: Reward) -> Plan:
        components = {
            name: self._find("reward", use, ("reward", "components", name)) for name, use in reward.components.items()
        }
        self._check_names(reward)
        normalizers = []
        for index, named in enumerate(reward.normalize):
            use = Use(use=named) if isinstance(named, str) else named
            normalizers.append(self._find("normalizer", use, ("reward", "normalize", index)))
        if reward.normalize:
            self._add_all(normalize_findings(plan.recipe))
        expression, total_range = self._total(reward.total, components)
        return replace(
            plan,
            components=_found(components),
            normalizers=[n for n in normalizers if n],
            expression=expression,
            total_range=total_range,
        )

    def look_further(self, plan: Plan) -> list[str]:
        """Adds what the rows of the datasets and the backend say against the recipe; the warnings."""
        from rewardlab.backends import check_backend
        from rewardlab.preview import preview

        warnings, problems = preview(plan, None) if self._purpose == "run" else preview(plan)
        if self._lost.is_whole(("backend", "use")):
            problems += [p for p in check_backend(plan) if self._lost.is_founded(p.path)]
        self.problems += problems
        return warnings

    def _find(self, kind: str, use: Use, path: Path) -> Planned | None:
        """What `use` names, if all that the file says of it is right."""
        named = path if isinstance(lookup(self._document.tree, path), str) else (*path, "use")
        spec = self._spec(kind, use, named)
        if spec is None:
            return None
        options = self._options(spec, use, path)
        if options is None:
            return None
        note_secrets(from_environment(secret_variables(options).values()))
        return Planned(use=use, spec=spec, options=options) if self._lost.is_whole(path) else None

    def _spec(self, kind: str, use: Use, named: Path) -> Any | None:
        try:
            if use.use == POLICY:
                return policy_judge(kind, self._recipe, self._purpose)
            spec = self._registry.find(kind, use.use)
        except UserError as error:
            if use.use != POLICY or self._lost.is_whole(("backend", "use")):
                for problem in error.problems:
                    self._add(named, problem.what)
            return None
        plugin = self._registry.plugin(use.use.partition("/")[0])
        self._plugins[plugin.name] = plugin
        return spec

    def _options(self, spec: Any, use: Use, path: Path) -> Any | None:
        place = (*path, "with")
        try:
            options, problems = validate(spec.config, use.options, self._document.where, place)
        except Exception as error:  # of a validator of the plugin
            self._add(place, f"{use.use} cannot check its options: {one_line(error)}")
            return None
        if not self._lost.is_whole(path):
            # what seems to be missing may stand in a part that cannot be read, which is told already
            here = [p for p in problems if lookup(use.options, p.path[len(place) :]) is not None]
            problems = [p for p in here if self._lost.stands(p.path)]
        if problems:
            help_text = f" [{use.use} takes {option_help(spec.config)}]"
            self.problems += [*problems[:-1], replace(problems[-1], what=problems[-1].what + help_text)]
        judges = self._declared("judges")
        for option in spec.judges if isinstance(spec, RewardSpec | DatasetSpec) else ():
            judge = use.options.get(option) if options is None else getattr(options, option, None)
            if isinstance(judge, str) and judge not in judges:
                self._add((*place, option), f"no judge {judge!r}{nearest(judge, judges)}")
        return options

    def _check_presence(self, recipe: Recipe) -> None:
        """What the purpose and the stages need must be in the file; a part there that is wrong is told of."""
        tree, stages = self._document.tree, recipe.stages
        if self._purpose == "score" and tree.get("reward") is None:
            self._add(("reward",), "missing; say which components score a completion and what the total is")
        if self._purpose == "run" and not tree.get("stages"):
            self._add(("stages",), "missing; say what to do (recipes/quickstart.yaml is an example)")
        if self._purpose in ("score", "job"):
            return
        for index, stage in enumerate(stages):
            if not self._lost.stands(("stages", index)):
                continue
            if stage.use != "data" and tree.get("model") is None:
                self._add(("model",), "missing; a folder or hub name of a causal LM, or {use: tiny}")
            if stage.use in ("rl", "eval") and tree.get("reward") is None:
                self._add(("stages", index), f"{stage.use} needs a reward; add `reward:` to the recipe")
            if lookup(tree, ("stages", index, "dataset")) is None and tree.get("dataset") is None:
                self._add(("stages", index), f"{stage.use} needs a dataset; add `dataset:` to the recipe")

    def _check_names(self, reward: Reward) -> None:
        """The names of the components, and those that stand for one."""
        declared = self._declared("reward", "components")
        for name in declared:
            if why := check_name(name):
                self._add(("reward", "components", name), why)
        right = reward.correctness
        if right is not None and right not in declared:
            self._add(("reward", "correctness"), f"no component {right!r}{nearest(right, declared)}")

    def _declared(self, *path: str) -> Sequence[str]:
        """The names that the file gives, also those whose definition is wrong."""
        mapping = lookup(self._document.tree, path)
        return list(mapping) if isinstance(mapping, dict) else []

    def _total(self, text: str, components: Mapping[str, Planned | None]) -> tuple[Expression | None, Interval | None]:
        path = ("reward", "total")
        try:
            expression = parse(text)
        except ValueError as error:
            self._add(path, str(error))
            return None, None
        declared = self._declared("reward", "components")
        for name in expression.names:
            if name not in declared:
                self._add(path, f"no component {name!r}{nearest(name, declared)}")
        ranges = {name: effective_range(p.spec, p.use) for name, p in components.items() if p}
        try:
            return expression, total_range(expression, ranges)
        except ValueError as error:
            self._add(path, str(error))
            return expression, None

    def _add_all(self, findings: Iterable[Finding]) -> None:
        for path, what in findings:
            self._add(path, what)

    def _add(self, path: Path, what: str) -> None:
        self.problems.append(Problem(where=self._document.where(path), what=what, path=path))


def _found(planned: Mapping[Any, Planned | None]) -> dict[Any, Planned]:
    return {key: value for key, value in planned.items() if value is not None}
