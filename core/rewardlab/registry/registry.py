"""The registry of plugins: which are installed, and what each offers under the names of recipes and command lines."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from importlib.metadata import EntryPoint, EntryPoints
from importlib.util import find_spec
from typing import Any, TypeVar

from rewardlab.errors import UserError, nearest
from rewardlab.first_party import first_party, installation, plugin_with
from rewardlab.references import references_of
from rewardlab.registry.loading import Plugin, load, owner_of
from rewardlab.specs import BackendSpec, Spec
from rewardlab.specs.entry_points import scanned_entry_points, states_of_path

ENTRY_POINT_GROUP = "rewardlab"
DEFAULT_BACKEND_GROUP = "rewardlab.default_backend"
"""entry points of plugins whose backend is the default, so that no other plugin is loaded to find it"""
DISTRIBUTION = "rewardlab"
_S = TypeVar("_S")


class Registry:
    """The installed plugins, by name. `points` replaces the installed entry points."""

    def __init__(self, points: Iterable[EntryPoint] | None = None) -> None:
        self._given = None if points is None else EntryPoints(points)
        self._loaded: dict[str, Plugin] = {}

    @cached_property
    def _scanned(self) -> tuple[Any, Sequence[str]]:
        return scanned_entry_points() if self._given is None else (self._given, ())

    @property
    def unreadable(self) -> Sequence[str]:
        """A line for each installed distribution whose entry points cannot be read."""
        return self._scanned[1]

    @cached_property
    def _points(self) -> dict[str, list[EntryPoint]]:
        entry_points: dict[str, list[EntryPoint]] = {}
        for point in self._scanned[0].select(group=ENTRY_POINT_GROUP):
            # the same distribution can be seen twice on sys.path; two distributions are a conflict
            others = entry_points.setdefault(point.name, [])
            if all(owner_of(point) != owner_of(other) for other in others):
                others.append(point)
        return dict(sorted(entry_points.items()))

    def names(self) -> list[str]:
        """Return the names of the installed plugins, broken ones too."""
        return list(self._points)

    def plugin(self, name: str) -> Plugin:
        """Load and return the plugin of this name. Raises KeyError if it is not installed."""
        if name not in self._loaded:
            self._loaded[name] = load(name, self._points[name])
        return self._loaded[name]

    def usable(self, name: str) -> Plugin:
        """Return the plugin of this name, loaded; a KeyError if none is installed, a UserError if it is broken."""
        plugin = self.plugin(name)
        if plugin.broken:
            raise UserError(f"plugin {name!r} ({plugin.distribution}) cannot be used: {plugin.broken}")
        return plugin

    def not_installed(self, name: str, hint: str = "") -> UserError:
        """Return the error for a plugin that is not installed; it says how to get it, else the hint, else what is."""
        row = first_party().get(name)
        if row is not None and not row["components"]:
            return UserError(f"no plugin {name!r}; {row['distribution']} has no components")
        malformed = f" ({'; '.join(self.unreadable)})" if self._given is None and self.unreadable else ""
        hint = _hint(installation(name)) or hint or _without_entry_point(name)
        named = [plugin.use(spec) for plugin in self for spec in plugin.specs.values() if spec.name == name]
        if not hint:
            hint = nearest(name, named or self._points)
            hint += "; a plugin of your own is found once pip has installed it" * (not named and "did you" not in hint)
        return UserError(f"no plugin {name!r}{hint}{malformed}")

    def __iter__(self) -> Iterator[Plugin]:
        return (self.plugin(name) for name in self.names())

    def find(self, kind: str, use: str) -> Spec:
        """Return the spec that a recipe means by `use`, such as "math/accuracy".

        Raises UserError that says what is wrong.

        So it does if the spec names a function that is not there; what a name stands for is imported when it is used.
        """
        name, slash, component = use.partition("/")
        if not slash:
            offering = [f"{p.name}/{use}" for p in self if (kind, use) in p.specs]
            offering += _offered(self.plugin(use), kind) if use in self._points else []
            hint = nearest(use, offering) if offering else "; write <plugin>/<name>"
            raise UserError(f"no {kind} {use!r}{hint}")
        if name not in self._points:
            offered = [n for p in self for n in _offered(p, kind)]
            known = any(n.split("/")[1] == component for n in offered)
            raise self.not_installed(name, nearest(use, offered) if known else "")
        plugin = self.usable(name)
        if (kind, component) not in plugin.specs:
            elsewhere = [k for k, n in plugin.specs if n == component]
            hint = f"; {use} is a {elsewhere[0]}" if elsewhere else nearest(use, _offered(plugin, kind))
            raise UserError(f"plugin {name!r} has no {kind} {component!r}{hint}")
        return _looked_at(plugin.specs[kind, component])

    def backends(self) -> dict[str, BackendSpec]:
        """Return the installed backends by their names in recipes: the plugin's name if it has one backend."""
        return {name: spec for plugin in self for name, spec in plugin.backends.items()}

    def action(self, hook: str, lacking: str) -> Callable[..., Any]:
        """Return the implementation of a hook that does something; of plugins that are loaded already, if they have it.

        A UserError that begins with `lacking` says which pip install brings one.
        """
        for name in sorted(self.names(), key=lambda name: name not in self._loaded):
            for implementation in self.plugin(name).actions[hook]:
                return implementation
        brings = installation(plugin_with("actions", hook) or "")
        raise UserError(f"{lacking}{_hint(brings)}")

    def find_backend(self, use: str | None) -> tuple[str, BackendSpec]:
        """Return the name and spec of the backend that a recipe means by `use`; None means the default one.

        Raises UserError that says what is wrong and, if a backend that this distribution knows of is not installed,
        which pip install brings it.
        """
        if use is None:
            return self._default_backend()
        name, slash, component = use.partition("/")
        if name not in self._points:
            hint = _backend_installations(name) or nearest(use, self.backends())
            raise UserError(f"no backend {use!r} is installed{hint}")
        plugin = self.usable(name)
        backends = plugin.backends
        named = plugin.specs.get(("backend", component)) if slash else backends.get(name)
        if not isinstance(named, BackendSpec):
            problem = f"no backend {component!r}" if slash else "several backends" if backends else "no backend"
            raise UserError(f"plugin {name!r} has {problem}{nearest(use, backends or self.backends())}")
        return use, _looked_at(named)

    def _default_backend(self) -> tuple[str, BackendSpec]:
        claimed = sorted(self._scanned[0].select(group=DEFAULT_BACKEND_GROUP).names)
        plugins = [self.usable(name) for name in claimed if name in self._points] or list(self)
        known = {name: spec for plugin in plugins for name, spec in plugin.backends.items()}
        named = [name for name, spec in known.items() if spec.default] or list(known)
        if not named:
            raise UserError(f"missing, and no backend is installed{_backend_installations(None)}")
        if len(named) > 1:
            raise UserError(f"missing; say which of these is to train: {', '.join(named)}")
        return named[0], _looked_at(known[named[0]])


def _looked_at(spec: _S) -> _S:
    """Return the spec. A UserError names the first of its functions that is not there, its laws' apart."""
    for reference in references_of(spec, with_laws=False):
        reference.look()
    return spec


def find(kind: str, use: str) -> Spec:
    """Return the spec of an installed component, such as "math/accuracy" of kind "reward".

    A UserError says what is wrong.
    """
    return installed().find(kind, use)


def installed() -> Registry:
    """Return the installed plugins; each is loaded when it is asked for.

    It is the same registry until something is installed or sys.path changes: a scan takes 4 ms.
    """
    return _registry(states_of_path())


@lru_cache(maxsize=4)
def _registry(_places: tuple[tuple[str, int, int], ...]) -> Registry:
    return Registry()


def _without_entry_point(name: str) -> str:
    """Return a hint if a module of this name exists but no entry point makes it a plugin; else ""."""
    if not name.isidentifier():
        return ""
    for module in (f"{DISTRIBUTION}_{name}", name):
        if module not in sys.builtin_module_names and module not in sys.stdlib_module_names and find_spec(module):
            entry = f'{name} = "{module}"'
            return (
                f"; the module {module} is there, but no entry point makes it a plugin: write {entry} under "
                f"[project.entry-points.{ENTRY_POINT_GROUP}] in its pyproject.toml, and install it again"
            )
    return ""


def _hint(text: str) -> str:
    return f"; {text}" if text else ""


def _backend_installations(name: str | None) -> str:
    """Return a hint: the pip install for a backend of ours (None: any of them)."""
    brought = [
        installation(own)
        for own, plugin in first_party().items()
        if name in (None, own) and any(component.startswith("backend ") for component in plugin["components"])
    ]
    return _hint(" or ".join(brought))


def _offered(plugin: Plugin, kind: str) -> list[str]:
    return [f"{plugin.name}/{n}" for k, n in plugin.specs if k == kind]
