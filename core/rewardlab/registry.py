"""The registry of plugins: entry points of the group `rewardlab`, first-party and third-party alike.

A plugin is loaded when something names it. A broken one is a row in `rewardlab plugins` and an error only for
the recipe that uses it; a name that two distributions offer is never settled silently.
"""

import difflib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import Distribution, EntryPoint, EntryPoints, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pluggy

from rewardlab import hookspecs
from rewardlab.command_spec import CommandSpec
from rewardlab.errors import PLUGIN_FAULTS, UserError, nearest, one_line, one_line_at
from rewardlab.first_party import command_owner, first_party, installation
from rewardlab.function_reward import FunctionReward
from rewardlab.references import references
from rewardlab.specs import (
    COMPONENT_NAME,
    BackendSpec,
    CurriculumSpec,
    DatasetSpec,
    JudgeSpec,
    NormalizerSpec,
    RewardSpec,
    Spec,
)

__all__ = [
    "COMMANDS",
    "DEFAULT_BACKEND_GROUP",
    "DISTRIBUTION",
    "ENTRY_POINT_GROUP",
    "FINISHED",
    "HOOKS",
    "Plugin",
    "Registry",
    "command_of_ours",
    "find",
    "find_command",
    "installed",
    "offers_of",
]

ENTRY_POINT_GROUP = "rewardlab"
DEFAULT_BACKEND_GROUP = "rewardlab.default_backend"
"""entry points of plugins whose backend is the default, so that no other plugin is loaded to find it"""
DISTRIBUTION = "rewardlab"
_S = TypeVar("_S")
HOOKS: dict[str, type[Spec]] = {
    "rewardlab_rewards": RewardSpec,
    "rewardlab_judges": JudgeSpec,
    "rewardlab_datasets": DatasetSpec,
    "rewardlab_curricula": CurriculumSpec,
    "rewardlab_normalizers": NormalizerSpec,
    "rewardlab_backends": BackendSpec,
}
COMMANDS = "rewardlab_commands"
"""the hook whose specs are not components: a command has a name on the command line but not in a recipe"""

FINISHED = "rewardlab_run_finished"

_AnySpec = TypeVar("_AnySpec")


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """An installed plugin: its specs by kind and name, or the reason why it cannot be used.

    commands: those that it offers, by name. finished: called with the folder of a run that has ended. home: the folder
    of its module; packaged files are relative to it.
    """

    name: str
    distribution: str
    version: str
    specs: dict[tuple[str, str], Spec] = field(default_factory=dict)
    commands: dict[str, CommandSpec] = field(default_factory=dict)
    finished: Sequence[Callable[[Path], Sequence[str]]] = ()
    broken: str | None = None
    home: Path | None = None

    def use(self, spec: Spec) -> str:
        """Return the name of a spec in recipes: plugin/name, or the plugin alone for its only backend."""
        alone = isinstance(spec, BackendSpec) and [kind for kind, _ in self.specs].count("backend") == 1
        return self.name if alone else f"{self.name}/{spec.name}"


class Registry:
    """The installed plugins, by name. `points` replaces the installed entry points, for tests."""

    def __init__(self, points: Iterable[EntryPoint] | None = None) -> None:
        self._given = points
        self._loaded: dict[str, Plugin] = {}

    @property
    def unreadable(self) -> Sequence[str]:
        """A line for each installed distribution whose entry points cannot be read."""
        return self._scanned[1]

    @property
    def _installed(self) -> Any:
        return self._scanned[0]

    @cached_property
    def _scanned(self) -> tuple[Any, Sequence[str]]:
        return _scan_distributions()

    @cached_property
    def _points(self) -> dict[str, list[EntryPoint]]:
        found: dict[str, list[EntryPoint]] = {}
        for point in self._installed.select(group=ENTRY_POINT_GROUP) if self._given is None else self._given:
            # the same distribution can be seen twice on sys.path; two distributions are a conflict
            others = found.setdefault(point.name, [])
            if all(_owner(point) != _owner(other) for other in others):
                others.append(point)
        return dict(sorted(found.items()))

    def names(self) -> list[str]:
        """Return the names of the installed plugins, broken ones too."""
        return list(self._points)

    def plugin(self, name: str) -> Plugin:
        """Load and return the plugin of this name. Raises KeyError if it is not installed."""
        if name not in self._loaded:
            self._loaded[name] = _load(name, self._points[name])
        return self._loaded[name]

    def usable(self, name: str) -> Plugin:
        """Return the plugin of this name, loaded; a KeyError if none is installed, a UserError if it is broken."""
        plugin = self.plugin(name)
        if plugin.broken:
            raise UserError(f"plugin {name!r} ({plugin.distribution}) cannot be used: {plugin.broken}")
        return plugin

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
            hint = nearest(offering[0], offering) if offering else "; write <plugin>/<name>"
            raise UserError(f"no {kind} {use!r}{hint}")
        if name not in self._points:
            everything = [n for p in self for n in _offered(p, kind)]
            hint = nearest(use, everything) if any(n.split("/")[1] == component for n in everything) else ""
            malformed = f" ({'; '.join(self.unreadable)})" if self._given is None and self.unreadable else ""
            hint = hint or _hint(installation(name)) or _without_entry_point(name) or nearest(name, self._points)
            raise UserError(f"no plugin {name!r}{hint}{malformed}")
        plugin = self.usable(name)
        if (kind, component) not in plugin.specs:
            elsewhere = [k for k, n in plugin.specs if n == component]
            hint = f"; {use} is a {elsewhere[0]}" if elsewhere else nearest(use, _offered(plugin, kind))
            raise UserError(f"plugin {name!r} has no {kind} {component!r}{hint}")
        return _looked_at(plugin.specs[kind, component])

    def backends(self) -> dict[str, BackendSpec]:
        """Return the installed backends by their names in recipes: the plugin's name if it has one backend."""
        return {name: spec for plugin in self for name, spec in _backends_of(plugin).items()}

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
        found = _backends_of(plugin)
        named = plugin.specs.get(("backend", component)) if slash else found.get(name)
        if not isinstance(named, BackendSpec):
            what = f"no backend {component!r}" if slash else "several backends" if found else "no backend"
            raise UserError(f"plugin {name!r} has {what}{nearest(use, found or self.backends())}")
        return use, _looked_at(named)

    def _default_backend(self) -> tuple[str, BackendSpec]:
        claimed = self._installed.select(group=DEFAULT_BACKEND_GROUP).names if self._given is None else ()
        plugins = [self.usable(name) for name in sorted(set(claimed)) if name in self._points] or list(self)
        known = {name: spec for plugin in plugins for name, spec in _backends_of(plugin).items()}
        named = [name for name, spec in known.items() if spec.default] or list(known)
        if not named:
            raise UserError(f"missing, and no backend is installed{_backend_installations(None)}")
        if len(named) > 1:
            raise UserError(f"missing; say which of these is to train: {', '.join(named)}")
        return named[0], _looked_at(known[named[0]])


def _looked_at(spec: _S) -> _S:
    """Return the spec. A UserError tells the first function that it names and that is not there, its laws' apart."""
    for reference in references(spec, with_laws=False):
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
    return _registry(tuple(_state_of(folder) for folder in sys.path))


@lru_cache(maxsize=4)
def _registry(_places: tuple[tuple[str, int, int], ...]) -> Registry:
    return Registry()


def find_command(name: str, registry: Registry) -> CommandSpec | None:
    """Return the command that a plugin offers under this name; None if none does.

    A UserError names both distributions if two offer it. A broken plugin offers none.
    """
    found = [(plugin, plugin.commands[name]) for plugin in registry if name in plugin.commands]
    if len(found) > 1:
        both = " and ".join(f"{plugin.distribution} {plugin.version}".strip() for plugin, _ in found)
        raise UserError(f"the command {name!r} is offered by {both}; uninstall one of them")
    return _looked_at(found[0][1]) if found else None


def command_of_ours(name: str) -> CommandSpec:
    """Return a command that a plugin of ours has (`command_owner`). Raises UserError if that is not installed."""
    owner, registry = command_owner(name), installed()
    assert owner is not None, name
    if owner not in registry.names():
        raise UserError(f"the command {name!r} is not installed; {installation(owner)}")
    return registry.usable(owner).commands[name]


def _state_of(folder: str) -> tuple[str, int, int]:
    """Return what changes about a folder of sys.path when a distribution is put into it or taken away."""
    try:
        found = os.stat(folder or ".")
    except OSError:
        return folder, 0, 0
    return folder, found.st_ino, found.st_mtime_ns


def _scan_distributions() -> tuple[Any, Sequence[str]]:
    """Return the installed entry points, and a line for each distribution whose entry points are malformed.

    Of two distributions of one name the first on sys.path counts.
    """
    with suppress(Exception):
        return entry_points(), ()  # all groups at once, because each scan of the installed distributions is slow
    points: list[EntryPoint] = []
    unreadable: list[str] = []
    seen: set[str | None] = set()
    for found in distributions():  # one malformed file had ended the scan of all
        name = None
        try:
            name = found.metadata["Name"]
            points += [] if name in seen else found.entry_points
        except Exception as error:
            where = found.locate_file("") if name is None else name
            unreadable.append(f"the entry points of {where} cannot be read: {one_line(error)}; install it again")
        seen.add(name)
    return EntryPoints(points), unreadable


def _backends_of(plugin: Plugin) -> dict[str, BackendSpec]:
    """Return a plugin's backends by the names that recipes use."""
    return {plugin.use(spec): spec for spec in plugin.specs.values() if isinstance(spec, BackendSpec)}


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
        f"pip install '{DISTRIBUTION}[{plugin['extra']}]'"
        for own, plugin in first_party().items()
        if name in (None, own) and any(one.startswith("backend ") for one in plugin["components"])
    ]
    return _hint(" or ".join(brought))


def _offered(plugin: Plugin, kind: str) -> list[str]:
    return [f"{plugin.name}/{n}" for k, n in plugin.specs if k == kind]


def _owner(point: EntryPoint) -> tuple[str, str]:
    return _name_and_version(point.dist) if point.dist else (point.value, "")


@lru_cache(maxsize=256)
def _name_and_version(distribution: Distribution) -> tuple[str, str]:
    return distribution.name, distribution.version  # each parses the whole metadata


def _load(name: str, points: list[EntryPoint]) -> Plugin:
    owners = [_owner(point) for point in points]
    distribution, version = owners[0]
    if len(points) > 1:
        both = " and ".join(f"{d} {v}".strip() for d, v in owners)
        broken = f"the name {name!r} is offered by {both}; uninstall one of them"
        return Plugin(name=name, distribution=" + ".join(d for d, _ in owners), version=version, broken=broken)
    if not COMPONENT_NAME.match(name):
        broken = f"no recipe can name {name!r}; an entry point's name has letters, digits and _ . - only"
        return Plugin(name=name, distribution=distribution, version=version, broken=broken)
    if not EntryPoint.pattern.match(points[0].value):
        broken = f"the entry point {name!r} of {distribution} is {points[0].value!r}; it should name a module"
        return Plugin(name=name, distribution=distribution, version=version, broken=broken)
    try:
        with redirect_stdout(sys.stderr):  # a plugin's prints must not end up in output that a program reads
            module = points[0].load()
            specs, commands, finished = offers_of(module)
        offered = {f"{kind} {name}/{spec_name}": spec for (kind, spec_name), spec in specs.items()}
        for what, spec in {**offered, **{f"command {command!r}": spec for command, spec in commands.items()}}.items():
            for reference in references(spec):
                reference.owner = f"{what} ({distribution})"
    except PLUGIN_FAULTS as error:  # a plugin may raise anything while it is imported
        broken = one_line_at(error)
        if isinstance(error, ModuleNotFoundError) and error.name in (points[0].module, points[0].module.split(".")[0]):
            broken += f"; the entry point {name!r} of {distribution} names a module that is not there; install it again"
        return Plugin(name=name, distribution=distribution, version=version, broken=broken)
    file = getattr(module, "__file__", None)
    home = Path(file).parent if file else None
    offers: Any = {"specs": specs, "commands": commands, "finished": finished}
    return Plugin(name=name, distribution=distribution, version=version, **offers, home=home)


def offers_of(module: object) -> tuple[dict[tuple[str, str], Spec], dict[str, CommandSpec], list[Callable[..., Any]]]:
    """Register one plugin in a manager of its own, so that its faults stay its own.

    Return its specs, its commands, and what it does with a run that has ended.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(module)
    _refuse_lookalikes(module)
    manager.check_pending()
    specs: dict[tuple[str, str], Spec] = {}
    for hook, spec_type in HOOKS.items():
        for implementation in getattr(manager.hook, hook).get_hookimpls():
            for spec in _offers(hook, spec_type, implementation.function()):
                if (spec.kind, spec.name) in specs:
                    raise ValueError(f"{hook} offers {spec.name!r} twice")
                specs[spec.kind, spec.name] = spec
    for spec in _decorated(module):
        if specs.setdefault((spec.kind, spec.name), spec) is not spec:
            raise ValueError(f"@reward offers {spec.name!r}, and a hook or another @reward does, too")
    finished = [one.function for one in getattr(manager.hook, FINISHED).get_hookimpls()]
    return specs, _commands(manager), finished


def _commands(manager: pluggy.PluginManager) -> dict[str, CommandSpec]:
    found: dict[str, CommandSpec] = {}
    for implementation in getattr(manager.hook, COMMANDS).get_hookimpls():
        for spec in _offers(COMMANDS, CommandSpec, implementation.function()):
            if spec.name in found:
                raise ValueError(f"{COMMANDS} offers {spec.name!r} twice")
            found[spec.name] = spec
    return found


def _decorated(module: object) -> list[FunctionReward]:
    """Return the rewards that `@reward` made in this module or its package, and that stand in it."""
    package = getattr(module, "__name__", "")
    found = {id(one): one for one in vars(module).values() if isinstance(one, FunctionReward)}
    return [one for one in found.values() if f"{one.function.__module__}.".startswith(f"{package}.")]


def _refuse_lookalikes(module: object) -> None:
    """Raise ValueError if a function of the module looks like a hook but would never be called."""
    own = getattr(module, "__name__", None)
    for name, found in getattr(module, "__dict__", {}).items():
        if inspect.isfunction(found) and found.__module__ == own and name.startswith(f"{hookspecs.PROJECT}_"):
            known = (*HOOKS, COMMANDS, FINISHED)
            if name in known and not hasattr(found, f"{hookspecs.PROJECT}_impl"):
                raise ValueError(f"{name} is never called; write @hookimpl (from rewardlab) above it")
            if name not in known and (close := difflib.get_close_matches(name, known, n=1)):
                raise ValueError(f"{name} is not a hook; did you mean {close[0]}, with @hookimpl above it?")


def _offers(hook: str, spec_type: type[_AnySpec], returned: object) -> Iterable[_AnySpec]:
    if inspect.iscoroutine(returned):
        returned.close()
        raise TypeError(f"{hook} is a coroutine function, and nobody awaits it; write `def {hook}`")
    if not isinstance(returned, list | tuple):
        raise TypeError(f"{hook} returned {returned!r}, not a list of {spec_type.__name__}")
    for spec in returned:
        if not isinstance(spec, spec_type):
            raise TypeError(f"{hook} returned {spec!r} in its list, not a {spec_type.__name__}")
    return returned
