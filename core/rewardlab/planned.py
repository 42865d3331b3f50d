"""A component that a recipe names."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rewardlab.errors import JobError, one_line


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A component that a recipe names: its settings there, its spec, its validated options."""

    use: Any
    spec: Any
    options: Any

    def ask(self, what: str, function: Callable, *arguments: Any) -> Any:
        """What a function of the spec says; its exception is a JobError that names the component."""
        try:
            return function(*arguments)
        except Exception as error:
            raise JobError(f"{self.use.use} cannot say {what}: {one_line(error)}") from error

    def judges(self) -> list[str]:
        """The names of the judges that it asks."""
        named = (getattr(self.options, option, None) for option in getattr(self.spec, "judges", ()))
        return [name for name in named if isinstance(name, str)]

    def most_tokens(self) -> int | None:
        """Of a judge: the most tokens that one answer can have; None where nothing bounds it."""
        bounds = self.spec.most_tokens
        return None if bounds is None else self.ask("how long its answers can be", bounds, self.options)


def secret_variables(options: Any) -> dict[str, str]:
    """option -> the environment variable that it names, of the options that end in `_env`, also inside a mapping."""
    found: dict[str, str] = {}
    for name, value in options:
        if name.endswith("_env"):
            named = (
                {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
            )
            found |= {option: variable for option, variable in named.items() if isinstance(variable, str)}
    return found
