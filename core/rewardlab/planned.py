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
