"""Functions that a spec names as entry points do, "module:name", and that are imported when they are first called."""

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, TypeVar, overload

from rewardlab.errors import PLUGIN_FAULTS, UserError, nearest, one_line_at

F = TypeVar("F", covariant=True)
_WRITTEN = re.compile(r"(\w+(?:\.\w+)*):([^\W\d]\w*)\Z")
_REQUIRED: Any = object()


class Reference:
    """A function in the place of its name, "module:name": calling it imports the module.

    owner: the component and the distribution that offer it, for messages; the registry sets it.
    """

    def __init__(self, module: str, name: str, field: str) -> None:
        self.module = self.__module__ = module
        self.name, self.field, self.owner = name, field, ""

    def __repr__(self) -> str:
        return repr(f"{self.module}:{self.name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __call__(self, *arguments: Any) -> Any:
        return self.resolve()(*arguments)

    def look(self) -> None:
        """Raise a UserError if there is no such module, or no such name in it; the module is not run if avoidable."""
        try:
            loader: Any = None if self.module in sys.modules else getattr(find_spec(self.module), "loader", None)
            code = loader and loader.get_code(self.module)
        except PLUGIN_FAULTS:
            code = None
        if code is None or self.name not in code.co_names:  # by a star, by __getattr__, from C, or not at all
            try:
                self.resolve()
            except UserError:
                raise
            except PLUGIN_FAULTS as error:
                raise self._wrong(f"{self.module} cannot be imported: {one_line_at(error)}") from error

    def resolve(self) -> Any:
        """Import the module and return the function; a UserError says which part of the name is wrong."""
        try:
            module = import_module(self.module)
        except ModuleNotFoundError as error:
            if not f"{self.module}.".startswith(f"{error.name}."):
                raise
            raise self._wrong(f"there is no module {error.name}") from error
        target = getattr(module, self.name, _REQUIRED)
        if target is _REQUIRED:
            public = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
            raise self._wrong(f"{self.module} has no {self.name}{nearest(self.name, public)}")
        if not callable(target):
            raise self._wrong(f"it is of type {type(target).__name__}, which cannot be called")
        return target

    def _wrong(self, why: str) -> UserError:
        return UserError(f"{self.owner and f'{self.owner}: '}{self.field}={self!r}: {why}")


class Function(Generic[F]):
    """A field of a spec that may be written as "module:name"; it is read as a function all the same."""

    def __init__(self, default: Any = _REQUIRED) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Any: ...
    @overload
    def __get__(self, instance: object, owner: type) -> F: ...
    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is not None:
            return instance.__dict__[self._name]
        if self._default is _REQUIRED:
            raise AttributeError(self._name)
        return self._default

    def __set__(self, instance: object, value: F | str) -> None:
        if isinstance(value, str):
            if (match := _WRITTEN.match(value)) is None:
                spec = instance.__dict__.get("name", "laws")
                names = ", or a list of names" if self._default == () else ""
                raise TypeError(f"{spec}: {self._name} {value!r} is not a function: write 'package.module:name'{names}")
            instance.__dict__[self._name] = Reference(match[1], match[2], self._name)
        else:
            instance.__dict__[self._name] = value


def references_of(spec: Any, with_laws: bool = True) -> list[Reference]:
    """Return the references of a spec, and those of its laws."""
    laws = getattr(spec, "laws", None) if with_laws else None
    held = [*vars(spec).values(), *(() if laws is None else vars(laws).values())]
    return [value for value in held if isinstance(value, Reference)]
