"""A component that a recipe names, and building it: an exception in `build` becomes an error that names it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self

from typing_extensions import TypeVar

from rewardlab.errors import PLUGIN_FAULTS, JobError, RewardlabError, UserError, one_line, one_line_at
from rewardlab.plan.unused_async import unawaited
from rewardlab.recipe.use import JudgeUse, Use
from rewardlab.specs import Context, JudgeSpec, RewardSpec
from rewardlab.types import Ask

UseT = TypeVar("UseT", bound=Use, default=Any, covariant=True)
SpecT = TypeVar("SpecT", default=Any, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Component(Generic[UseT, SpecT]):
    """A component that a recipe names: its settings there, its spec, its validated options.

    Without parameters it is a component of any kind.

    Args:
        panel: of a reward that asks several judges the same: each judge's name, and the option that names it then.
    """

    use: UseT
    spec: SpecT
    options: Any
    panel: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def ask(self, subject: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the spec; its exception becomes a JobError that names the component."""
        try:
            return function(*arguments)
        except PLUGIN_FAULTS as error:
            raise JobError(f"{self.use.use} cannot say {subject}: {one_line(error)}") from error

    def under_options(self) -> Self:
        """Return the component with what its spec says under its options."""
        if not isinstance(self.spec, RewardSpec):
            return self
        return replace(self, spec=self.ask("its range", self.spec.under, self.options))

    def judges(self) -> list[str]:
        """Return the names of the judges that the component asks."""
        options = (getattr(self.options, option, None) for option in getattr(self.spec, "judges", ()))
        named = [name for name in options if isinstance(name, str)]
        return [*named, *(name for name in self.panel if name not in named)]

    def questions(self) -> dict[str, list[Ask]]:
        """Map the judges that the component asks to small questions as it asks them, if its spec has `question`."""
        function = getattr(self.spec, "question", None)
        asked = None if function is None else self.ask("what it asks its judges", function, self.options)
        by_option = asked if isinstance(asked, Mapping) else dict.fromkeys(getattr(self.spec, "judges", ()), asked)
        by_judge: dict[str, list[Ask]] = {}
        for option, asks in by_option.items():
            name = getattr(self.options, option, None)
            if isinstance(name, str) and asks is not None:
                for judge in self.panel if name in self.panel else [name]:
                    by_judge.setdefault(judge, []).extend([asks] if isinstance(asks, Ask) else asks)
        return by_judge

    def supports_prefill(self: "Component[JudgeUse, JudgeSpec]") -> bool:
        """Return whether this judge goes on writing a last message of role assistant if a question asks for it."""
        function = self.spec.supports_prefill
        return function is not None and bool(self.ask("whether it continues a reply", function, self.options))

    def writes_cache(self: "Component[JudgeUse, JudgeSpec]") -> bool:
        """Return whether this judge's server bills questions that it puts into a cache at a price of their own."""
        function = self.spec.writes_cache
        return function is not None and bool(self.ask("whether its server keeps questions", function, self.options))

    def most_tokens(self: "Component[JudgeUse, JudgeSpec]") -> int | None:
        """Return the most tokens that one answer of this judge can have; None if nothing bounds it."""
        bounds = self.spec.most_tokens
        return None if bounds is None else self.ask("how long its answers can be", bounds, self.options)


def build(planned: Component, context: Context, subject: str, needs: str) -> Any:
    """Build a component, an object with the method `needs`; a UserError or JobError begins with `subject`."""
    try:
        built = planned.spec.build(planned.options, context)
    except RewardlabError as error:
        kind = UserError if isinstance(error, UserError) else JobError
        raise kind(f"{subject}: {error}") from error
    except PLUGIN_FAULTS as error:
        raise JobError(f"{subject} could not be built: {one_line_at(error)}") from error
    if wrong := unawaited(planned.spec, built):
        raise JobError(f"{subject} could not be built: {wrong}")
    if not callable(getattr(built, needs, None)):
        raise JobError(f"{subject} could not be built: `build` gave {type(built).__name__} without `{needs}`")
    return built


def secret_variables(options: Any) -> dict[str, str]:
    """Map each option that ends in `_env`, also inside a mapping, to the environment variable that it names."""
    variables: dict[str, str] = {}
    for name, value in options:
        if name.endswith("_env"):
            named = (
                {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
            )
            variables |= {option: variable for option, variable in named.items() if isinstance(variable, str)}
    return variables
