"""The checked plan of a recipe: the recipe, its components and everything derived from both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from rewardlab.data import RowNeeds
from rewardlab.plan.component import Component
from rewardlab.plan.total_range import ALL_PROGRESS, Interval, effective_range
from rewardlab.recipe.annotations import RecipePath
from rewardlab.recipe.expression import Expression, parse
from rewardlab.recipe.loading import Document
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.use import ComponentUse, DatasetUse, JudgeUse, Use
from rewardlab.registry.loading import Plugin
from rewardlab.specs import BackendSpec, CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec
from rewardlab.text.chat_markers import CHAT_MARKERS

UNSTABLE = "unstable"  # in `info` of a value that repeats, or the judges of a panel, do not agree on


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A checked recipe with the components that it names.

    Args:
        datasets: by place, such as ("dataset",), ("stages", 0, "dataset") or ("stages", 1, "eval", "dataset").
        curriculum: orders rows.
        sampler: collects groups; it may be the recipe's `curriculum`, if that does so.
        backend: its `options` are what stands under `backend` besides `use`, validated by the backend's own config;
            None if a recipe that only scores names a backend that is not installed.
    """

    document: Document
    recipe: Recipe
    plugins: Mapping[str, Plugin] = field(default_factory=dict)
    judges: Mapping[str, Component[JudgeUse, JudgeSpec]] = field(default_factory=dict)
    components: Mapping[str, Component[ComponentUse, RewardSpec]] = field(default_factory=dict)
    normalizers: Sequence[Component[Use, NormalizerSpec]] = ()
    datasets: Mapping[RecipePath, Component[DatasetUse, DatasetSpec]] = field(default_factory=dict)
    curriculum: Component[Use, CurriculumSpec] | None = None
    sampler: Component[Use, CurriculumSpec] | None = None
    backend: Component[Use, BackendSpec] | None = None
    expression: Expression | None = None
    total_range: Interval | None = None
    warnings: Sequence[str] = ()

    @property
    def required_fields(self) -> dict[str, list[str]]:
        """Map each field to the names of the components that need it."""
        required: dict[str, list[str]] = {}
        for name, planned in self.components.items():
            for wanted in planned.ask("what it requires", planned.spec.required_fields, planned.options):
                required.setdefault(wanted, []).append(name)
        return required

    @property
    def row_needs(self) -> RowNeeds:
        """Return what a row must have to be scored by the plan's reward."""
        uses = {name: planned.use.use for name, planned in self.components.items()}
        in_total = self.expression.names if self.expression else ()
        return RowNeeds(
            fields={
                field: ", ".join(f"{name} ({uses[name]})" for name in names)
                for field, names in self.required_fields.items()
            },
            refuses=self._of_options("refuses"),
            abstains=self._of_options("abstains"),
            uses=uses,
            cautions=self._of_options("cautions"),
            fatal=frozenset(n for n, p in self.components.items() if p.use.on_abstain == "fail" and n in in_total),
        )

    @property
    def training_row_needs(self) -> RowNeeds:
        """Return `row_needs` where groups may be left out: the outcome by which they are must not abstain either."""
        needs, by = self.row_needs, self.left_out_by
        if by is None or self.components[by].use.on_abstain != "fail":
            return needs
        return replace(needs, fatal=needs.fatal | {by})

    def _of_options(self, function: str) -> dict[str, Any]:
        """Return a function of the specs, with the options given, for each component whose spec has it."""
        functions = {
            name: (getattr(planned.spec, function), planned.options) for name, planned in self.components.items()
        }
        return {name: partial(ask, options) for name, (ask, options) in functions.items() if ask is not None}

    @property
    def asked_by_rewards(self) -> set[str]:
        """Return the names of the judges that the reward's components ask."""
        return {name for planned in self.components.values() for name in planned.judges()}

    def draws(self, name: str) -> dict[str, int]:
        """Return how often a component asks each question of each of its judges, unless its values are unstable."""
        part = self.components[name]
        times = {j: part.use.repeats or self.judges[j].use.repeats or 1 for j in part.judges() if j in self.judges}
        together = sum(times.get(judge, 0) for judge in part.panel) or max(times.values(), default=1)
        return {judge: times[judge] if judge in part.panel else together for judge in times}

    @property
    def counted_info(self) -> dict[str, list[str]]:
        """The keys of `info` that are counted: component -> keys, of components that have some."""
        keys = {
            name: [
                *planned.spec.counted_info,
                *([CHAT_MARKERS] if planned.judges() else []),
                *([UNSTABLE] if planned.use.on_unstable is not None else []),
            ]
            for name, planned in self.components.items()
        }
        return {name: counted for name, counted in keys.items() if counted}

    @property
    def comparisons(self) -> list[str]:
        """The parts that compare the completions of a prompt: components, each with its reward, and normalizers."""
        grouped = [f"{n} ({p.use.use})" for n, p in self.components.items() if p.spec.scope == "group"]
        return [*grouped, *(planned.use.use for planned in self.normalizers)]

    @property
    def readers_of_messages(self) -> list[str]:
        """The components that read all of a conversation, and not its last answer alone, each with its reward."""
        parts = self.components.items()
        return [f"{n} ({p.use.use})" for n, p in parts if p.use.reads == "all" or p.spec.scope == "trajectory"]

    @property
    def uses_in_total(self) -> dict[str, ComponentUse]:
        """Return the settings of the components that the total names; the plan must have a reward."""
        assert self.expression is not None
        return {name: self.components[name].use for name in self.expression.names}

    @property
    def guarded_uses(self) -> dict[str, ComponentUse]:
        """Return `uses_in_total`, and the outcome by which groups are left out: without values it leaves out all."""
        by = self.left_out_by
        return self.uses_in_total | ({} if by is None else {by: self.components[by].use})

    @property
    def left_out_by(self) -> str | None:
        """Return the component that is the outcome by which groups are left out; None if every group teaches."""
        reward = self.recipe.reward
        return None if reward is None or reward.teach.flat == "keep" else reward.outcome

    @property
    def centred(self) -> bool:
        """Whether a normalizer takes a mean off the totals, so that the shaped values are advantages."""
        return any(planned.spec.subtracts_mean for planned in self.normalizers)

    @property
    def notes(self) -> list[str]:
        """Return what is said before something is scored: warnings, and what holds without a training alone."""
        asked, said = self.asked_by_rewards, dict[RecipePath, str]()
        if self.expression is not None and self.expression.progress is not None:
            said["reward", "total"] = f"progress is {self.expression.progress:g} here, as reward.progress says"
        for name in [name for name, judge in self.judges.items() if name in asked and judge.use.require is not None]:
            said["judges", name, "require"] = "is not asked for here; `rewardlab check` says how this licence stands"
        places = [f"{self.document.where(place)}: {what}" for place, what in said.items()]
        return [*(f"warning: {line}" for line in self.warnings), *places]

    @property
    def by_component(self) -> bool:
        """Whether a normalizer shapes the components of the total one by one."""
        return any(planned.spec.by_component for planned in self.normalizers)

    @property
    def replaces_groups(self) -> bool:
        """Whether other prompts take the place of groups that do not teach."""
        return self.recipe.reward is not None and self.recipe.reward.teach.flat == "replace"

    def shaped_range(self, group_size: int) -> Interval | None:
        """Return the bounds of the rewards that a trainer receives; None if a normalizer has no known bounds."""
        bounds = self.total_range
        for planned in self.normalizers:
            if bounds is None or planned.spec.range is None:
                return None
            ask = partial(planned.ask, "its range", planned.spec.range, planned.options)
            bounds = self._range_by_component(ask, group_size) if planned.spec.by_component else ask(bounds, group_size)
        return bounds

    def _range_by_component(self, shaped: Callable[[Interval, int], Interval], group_size: int) -> Interval:
        """Return the bounds of the total of shaped components, without what the total only adds."""
        assert self.expression is not None
        ranges, total = {}, parse(self.expression.text)
        for name in self.expression.names:
            low, high = effective_range(self.components[name].spec, self.components[name].use)
            ranges[name] = shaped((min(low, 0.0), max(high, 0.0)), group_size)  # 0 is what a truncated one may count
        (low, high), added = (
            total.range({**ALL_PROGRESS, **of_each}) for of_each in (ranges, dict.fromkeys(ranges, (0.0, 0.0)))
        )
        return low - added[1], high - added[0]
