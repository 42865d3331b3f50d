"""Planning: find the plugins that a recipe names, validate their options and run every cross-check.

No model is loaded, no reward or judge is built and no row is read here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rewardlab.errors import MAX_LISTED, Problem, UserError, nearest, one_line
from rewardlab.plan.component import Component, secret_variables
from rewardlab.plan.cross_checks import OF_WORKERS, cross_findings, cross_warnings, declared
from rewardlab.plan.dataset_places import dataset_uses
from rewardlab.plan.misplaced import name_owners, name_places
from rewardlab.plan.plan import Plan
from rewardlab.plan.policy_judge import POLICY, policy_judge, refuse_outside
from rewardlab.plan.total_range import ALL_PROGRESS, Interval, effective_range, total_range
from rewardlab.recipe.annotations import RecipePath, lookup
from rewardlab.recipe.expression import PROGRESS, Expression, check_name, parse
from rewardlab.recipe.loading import Document
from rewardlab.recipe.models import Recipe, RewardSection, needs_engine
from rewardlab.recipe.partial_validation import LostParts, read, valid_parts
from rewardlab.recipe.use import ComponentUse, Use
from rewardlab.recipe.validation import option_help, validate
from rewardlab.registry.loading import Plugin
from rewardlab.registry.registry import Registry, installed
from rewardlab.specs import Config, DatasetSpec, RewardSpec
from rewardlab.text.redaction import environment_values, note_variables

Purpose = Literal["check", "score", "run", "job"]
"""what a plan is for: "job" is a process of a job that was checked when it began"""

APPEAL = "rubric/appeal"  # of a rule that a recipe's key `appeal` stands beside
LOGGED = ("total", "groups_without_variance")
"""names under reward/ in logs that are no component's"""


def make_plan(document: Document, registry: Registry | None = None, purpose: Purpose = "score") -> Plan:
    """Return the plan of a recipe. Raises a UserError with every problem found.

    No row is read and no backend is asked: `rewardlab.training.check_recipe` does both.
    """
    draft = draft_plan(document, registry, purpose)
    if draft.problems or draft.plan is None:
        raise draft.error()
    return draft.plan


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A draft: the plan of a recipe's valid parts, and every problem of the rest.

    plan: None if not even a part of the recipe can be read.
    """

    document: Document
    plan: Plan | None
    problems: Sequence[Problem]
    lost: LostParts

    def error(self, further: Iterable[Problem] = ()) -> UserError:
        """Return an error with every problem once, in the order of the file."""
        problems = [*self.problems, *further]
        in_file_order = sorted(problems, key=lambda problem: self.document.line(problem.path) or 0)
        return UserError(list(dict.fromkeys(in_file_order)))


def draft_plan(document: Document, registry: Registry | None, purpose: Purpose) -> Draft:
    """Return a draft: the plan of the parts of a recipe that can be read, with the problems of the rest."""
    note_variables(document.variables)
    planner = _Planner(document, registry or installed(), purpose)
    plan = planner.plan()
    return Draft(
        document=document,
        plan=plan,
        problems=name_places(planner.problems, document.tree, planner.configs),
        lost=planner.lost,
    )


class _Planner:
    def __init__(self, document: Document, registry: Registry, purpose: Purpose) -> None:
        self._document = document
        self._registry = registry
        self._purpose = purpose
        self._plugins: dict[str, Plugin] = {}
        self._components: dict[RecipePath, Component] = {}
        self.configs: dict[RecipePath, type[Config]] = {}
        self.lost = LostParts()
        self.problems: list[Problem] = []

    def plan(self) -> Plan | None:
        recipe, self.problems, self.lost = read(self._document)
        if recipe is None:
            return None
        self._recipe = recipe
        if self._purpose == "score" and self._document.tree.get("reward") is None:
            self._add(("reward",), "missing; say which components score a completion and what the total is")
        self._backend = self._find_backend(recipe)
        judges = {name: self._find("judge", use, ("judges", name)) for name, use in recipe.judges.items()}
        named = [(path, use) for path, use in dataset_uses(recipe) if self.lost.stands(path)]
        datasets = {path: self._find("dataset", use, path) for path, use in named}
        curriculum = self._find("curriculum", recipe.curriculum, ("curriculum",)) if recipe.curriculum else None
        own = self._find("curriculum", recipe.sampler, ("sampler",)) if recipe.sampler else None
        plan = Plan(
            document=self._document,
            recipe=recipe,
            plugins=self._plugins,
            judges=_without_missing(judges),
            datasets=_without_missing(datasets),
            curriculum=curriculum,
            sampler=next((part for part in (own, curriculum) if part and part.spec.most is not None), None),
            backend=self._backend,
        )
        if recipe.reward is not None:
            plan = self._with_reward(plan, recipe.reward)
        for path, problem in cross_findings(plan, self._components):
            if self.lost.stands(path):
                self._add(path, problem)
        doubtful = cross_warnings(plan)
        return replace(plan, warnings=[f"{self._document.where(path)}: {problem}" for path, problem in doubtful])

    def _with_reward(self, plan: Plan, reward: RewardSection) -> Plan:
        components = {
            name: self._reward(use, ("reward", "components", name)) for name, use in reward.components.items()
        }
        self._check_names(reward)
        normalizers = []
        for index, named in enumerate(reward.normalize):
            use = Use(use=named) if isinstance(named, str) else named
            normalizers.append(self._find("normalizer", use, ("reward", "normalize", index)))
        expression, total_range = self._total(reward, components)
        return replace(
            plan,
            components=_without_missing(components),
            normalizers=[n for n in normalizers if n],
            expression=expression,
            total_range=total_range,
        )

    def _reward(self, use: ComponentUse, path: RecipePath) -> Component | None:
        """Return the reward that `use` names; with an `appeal` the one that asks a judge about this rule's values."""
        rule = self._find("reward", use, path)
        if rule is None or use.appeal is None:
            return rule
        if "of" in use.appeal:
            self._add((*path, "appeal", "of"), "is this component itself; leave it out")
        keys = use.model_dump(by_alias=True, exclude_unset=True, exclude={"appeal"})
        of = {key: keys.pop(key) for key in ("use", "with", *OF_WORKERS) if key in keys}
        appeal = ComponentUse.model_validate({**keys, "use": APPEAL, "with": {**use.appeal, "of": of}})
        return self._find("reward", appeal, path, "appeal")

    def _find(self, kind: str, use: Use, path: RecipePath, key: str = "with") -> Component | None:
        """Return the component that `use` names, its options at `key`; None if anything about it is wrong, or much."""
        if len(self.problems) >= MAX_LISTED:
            if len(self.problems) == MAX_LISTED:
                self._add(path, "nothing from here on was checked; fix the other mistakes first")
            return None
        named = path if isinstance(lookup(self._document.tree, path), str) else (*path, "use" if key == "with" else key)
        spec = self._spec(kind, use, named)
        if spec is None:
            return None
        self.configs[(*path, key)] = spec.config
        option, panel = self._panel(spec, use, (*path, key))
        first = use if not panel else use.model_copy(update={"options": {**use.options, option: panel[0]}})
        options = self._options(spec, first, path, key)
        if options is None:
            return None
        note_variables(environment_values(secret_variables(options).values()))
        if not self.lost.is_whole(path):
            return None
        of_panel = {judge: {option: judge} for judge in panel}
        self._components[path] = Component(use=use, spec=spec, options=options, panel=of_panel).under_options()
        return self._components[path]

    def _find_backend(self, recipe: Recipe) -> Component | None:
        """Return the backend with its valid settings; None if it is not found, or a plan for scoring names none."""
        use = recipe.backend
        no_engine = self._purpose == "score" or not any(map(needs_engine, recipe.stages))
        if not self.lost.stands(("backend",)) or not self.lost.is_whole(("backend", "use")):
            return None
        if use.use is None and self._purpose == "score":
            return None
        try:
            name, spec = self._registry.find_backend(use.use)
        except UserError as error:
            if not no_engine:
                for problem in error.problems:
                    self._add(("backend", "use"), problem.what)
                self.lost = LostParts(self.lost.places | {("backend", "use")})
            return None
        plugin = self._registry.plugin(name.partition("/")[0])
        self._plugins[plugin.name] = plugin
        self.configs[("backend",)] = spec.config
        settings, problems = validate(spec.config, use.settings, self._document.where, ("backend",))
        if problems:
            self.problems += [name_owners(p, name, self._registry) for p in problems if self.lost.stands(p.path)]
            inside = [replace(problem, path=problem.path[1:]) for problem in problems]
            settings, places = valid_parts(spec.config, use.settings, inside, {})
            self.lost = LostParts(self.lost.places | {("backend", *place) for place in places})
        if settings is None:
            return None
        return Component(use=use.model_copy(update={"use": name}), spec=spec, options=settings)

    def _spec(self, kind: str, use: Use, named: RecipePath) -> Any | None:
        try:
            if use.use == POLICY:
                refuse_outside(kind, self._recipe, self._purpose)
                return policy_judge(self._backend, self._recipe.backend.use, self._registry)
            spec = self._registry.find(kind, use.use)
        except UserError as error:
            if use.use != POLICY or self.lost.is_whole(("backend", "use")):
                for problem in error.problems:
                    self._add(named, problem.what)
            return None
        plugin = self._registry.plugin(use.use.partition("/")[0])
        self._plugins[plugin.name] = plugin
        return spec

    def _panel(self, spec: Any, use: Use, path: RecipePath) -> tuple[str, list[str]]:
        """Return the option of a reward that lists judges, and the judges; none if no option is such a list."""
        for name in spec.judges if isinstance(spec, RewardSpec) else ():
            judges, place = use.options.get(name), (*path, name)
            if not (isinstance(judges, list) and judges and all(isinstance(judge, str) for judge in judges)):
                continue
            if len(judges) == 1:
                self._add(place, f"a panel has two judges or more; of one write {name}: {judges[0]}, and `repeats`")
            elif len({*judges}) < len(judges):
                self._add(place, "a panel names a judge twice; `repeats: 2` asks each of them twice")
            for judge in judges[1:]:  # the first is looked at with the other options
                if judge not in declared(self._document, "judges"):
                    self._add(place, f"no judge {judge!r}{self._hint(judge, 'judges')}")
            return name, judges
        return "", []

    def _options(self, spec: Any, use: Use, path: RecipePath, key: str) -> Any | None:
        place = (*path, key)
        try:
            options, problems = validate(spec.config, use.options, self._document.where, place)
        except Exception as error:  # raised by a validator of the plugin
            self._add(place, f"{use.use} cannot check its options: {one_line(error)}")
            return None
        if not self.lost.is_whole(path):
            # what seems to be missing may be in a part that cannot be read, which is reported already
            here = [p for p in problems if lookup(use.options, p.path[len(place) :]) is not None]
            problems = [p for p in here if self.lost.stands(p.path)]
        if problems:
            help_text = f" [{use.use} takes {option_help(spec.config)}]"
            self.problems += [*problems[:-1], replace(problems[-1], what=problems[-1].what + help_text)]
        judges = declared(self._document, "judges")
        for option in spec.judges if isinstance(spec, RewardSpec | DatasetSpec) else ():
            judge = use.options.get(option) if options is None else getattr(options, option, None)
            if isinstance(judge, str) and judge not in judges:
                self._add((*place, option), f"no judge {judge!r}{self._hint(judge, 'judges')}")
        return options

    def _check_names(self, reward: RewardSection) -> None:
        """Report components with a bad name, and a `correctness` or `teach` that names no component."""
        names = declared(self._document, "reward", "components")
        for name in names:
            logged = f"{name} is the name of another number in logs and tables; choose another name"
            if why := logged if name in LOGGED else check_name(name):
                self._add(("reward", "components", name), why)
        for path, right in ((("correctness",), reward.correctness), (("teach", "by"), reward.teach.by)):
            if right is not None and right not in names:
                self._add(("reward", *path), f"no component {right!r}{self._hint(right, 'reward', 'components')}")
        if reward.teach.flat != "keep" and reward.outcome is None:
            self._add(("reward", "teach"), "needs the outcome by which a group is flat: `reward.correctness`, or `by`")

    def _hint(self, name: str, *path: str, also: Sequence[str] = ()) -> str:
        """Return what follows "no judge 'x'": which override removed it, else the nearest name at `path` or `also`."""
        if override := self._document.removed_by((*path, name)):
            return f": {override} removed it; override this key, too"
        return nearest(name, [*declared(self._document, *path), *also])

    def _total(
        self, reward: RewardSection, components: Mapping[str, Component | None]
    ) -> tuple[Expression | None, Interval | None]:
        path = ("reward", "total")
        names = declared(self._document, "reward", "components")
        try:
            of_names = parse(reward.total)
            scheduled = PROGRESS in of_names.names and PROGRESS not in names
            expression = of_names.at(reward.progress) if scheduled else of_names
        except ValueError as error:
            self._add(path, str(error))
            return None, None
        for name in expression.names:
            if name not in names and len(self.problems) < MAX_LISTED:
                self._add(path, f"no component {name!r}{self._hint(name, 'reward', 'components', also=[PROGRESS])}")
        ranges = {name: effective_range(p.spec, p.use) for name, p in components.items() if p}
        try:
            return expression, total_range(of_names, {**ranges, **(ALL_PROGRESS if scheduled else {})})
        except ValueError as error:
            self._add(path, str(error))
            return expression, None

    def _add(self, path: RecipePath, problem: str) -> None:
        self.problems.append(Problem(where=self._document.where(path), what=problem, path=path))


def _without_missing(planned: Mapping[Any, Component | None]) -> dict[Any, Component]:
    return {key: value for key, value in planned.items() if value is not None}
