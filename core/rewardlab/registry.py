"""Finding plugins: entry points of the group `rewardlab`, first-party and third-party alike.

A plugin is loaded when something names it. A broken one is a row in `rewardlab plugins` and an error only for
the recipe that uses it; a name that two distributions offer is never settled silently.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pluggy

from rewardlab import hookspecs
from rewardlab.errors import UserError, nearest, one_line
from rewardlab.specs import _NAME, CurriculumSpec, DatasetSpec, JudgeSpec, NormalizerSpec, RewardSpec, _Spec

ENTRY_POINT_GROUP = "rewardlab"
HOOKS: dict[str, type[_Spec]] = {
    "rewardlab_rewards": RewardSpec,
    "rewardlab_judges": JudgeSpec,
    "rewardlab_datasets": DatasetSpec,
    "rewardlab_curricula": CurriculumSpec,
    "rewardlab_normalizers": NormalizerSpec,
}


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """An installed plugin: its specs by kind and name, or the reason why it cannot be used.

    home: the folder of its module, where what it packages begins.
    """

    name: str
    distribution: str
    version: str
    specs: dict[tuple[str, str], _Spec] = field(default_factory=dict)
    broken: str | None = None
    home: Path | None = None


class Registry:
    """The installed plugins, by name. `points` replaces the installed entry points, for tests."""

    def __init__(self, points: Iterable[EntryPoint] | None = None):
        self._given = points
        self._loaded: dict[str, Plugin] = {}

    @cached_property
    def _points(self) -> dict[str, list[EntryPoint]]:
        found: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=ENTRY_POINT_GROUP) if self._given is None else self._given:
            # the same distribution can be seen twice on sys.path; two distributions are a conflict
            others = found.setdefault(point.name, [])
            if all(_owner(point) != _owner(other) for other in others):
                others.append(point)
        return dict(sorted(found.items()))

    def names(self) -> list[str]:
        """Names of the installed plugins, broken ones too."""
        return list(self._points)

    def plugin(self, name: str) -> Plugin:
        """The plugin of this name, loaded; a KeyError where none is installed."""
        if name not in self._loaded:
            self._loaded[name] = _load(name, self._points[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[Plugin]:
        return (self.plugin(name) for name in self.names())

    def find(self, kind: str, use: str) -> _Spec:
        """The spec that a recipe means by `use`, such as "math/accuracy". A UserError says what is wrong."""
        name, slash, component = use.partition("/")
        if not slash:
            offering = [f"{p.name}/{use}" for p in self if (kind, use) in p.specs]
            hint = nearest(offering[0], offering) if offering else "; write <plugin>/<name>"
            raise UserError(f"no {kind} {use!r}{hint}")
        if name not in self._points:
            everything = [n for p in self for n in _offered(p, kind)]
            hint = nearest(use, everything) if any(n.split("/")[1] == component for n in everything) else ""
            raise UserError(f"no plugin {name!r}{hint or nearest(name, self._points)}")
        plugin = self.plugin(name)
        if plugin.broken:
            raise UserError(f"plugin {name!r} ({plugin.distribution}) cannot be used: {plugin.broken}")
        if (kind, component) not in plugin.specs:
            elsewhere = [k for k, n in plugin.specs if n == component]
            hint = f"; {use} is a {elsewhere[0]}" if elsewhere else nearest(use, _offered(plugin, kind))
            raise UserError(f"plugin {name!r} has no {kind} {component!r}{hint}")
        return plugin.specs[kind, component]


def _offered(plugin: Plugin, kind: str) -> list[str]:
    return [f"{plugin.name}/{n}" for k, n in plugin.specs if k == kind]


def _owner(point: EntryPoint) -> tuple[str, str]:
    return (point.dist.name, point.dist.version) if point.dist else (point.value, "")


def _load(name: str, points: list[EntryPoint]) -> Plugin:
    owners = [_owner(point) for point in points]
    distribution, version = owners[0]
    if len(points) > 1:
        both = " and ".join(f"{d} {v}".strip() for d, v in owners)
        broken = f"the name {name!r} is offered by {both}; uninstall one of them"
        return Plugin(name=name, distribution=" + ".join(d for d, _ in owners), version=version, broken=broken)
    if not _NAME.match(name):
        broken = f"no recipe can name {name!r}; an entry point's name has letters, digits and _ . - only"
        return Plugin(name=name, distribution=distribution, version=version, broken=broken)
    try:
        with redirect_stdout(sys.stderr):  # what it prints must not end up in output that a program reads
            module = points[0].load()
            specs = _specs(module)
    except (Exception, SystemExit) as error:  # a plugin may raise anything while it is imported
        broken = one_line(error)
        return Plugin(name=name, distribution=distribution, version=version, broken=broken)
    file = getattr(module, "__file__", None)
    home = Path(file).parent if file else None
    return Plugin(name=name, distribution=distribution, version=version, specs=specs, home=home)


def _specs(module: object) -> dict[tuple[str, str], _Spec]:
    """Register one plugin in a manager of its own, so that its faults stay its own, and collect its specs."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(module)
    manager.check_pending()
    specs: dict[tuple[str, str], _Spec] = {}
    for hook, spec_type in HOOKS.items():
        for implementation in getattr(manager.hook, hook).get_hookimpls():
            for spec in _offers(hook, spec_type, implementation.function()):
                if (spec.kind, spec.name) in specs:
                    raise ValueError(f"{hook} offers {spec.name!r} twice")
                specs[spec.kind, spec.name] = spec
    return specs


def _offers(hook: str, spec_type: type[_Spec], returned: object) -> Iterable[_Spec]:
    if not isinstance(returned, list | tuple):
        raise TypeError(f"{hook} returned {returned!r}, not a list of {spec_type.__name__}")
    for spec in returned:
        if not isinstance(spec, spec_type):
            raise TypeError(f"{hook} returned {spec!r} in its list, not a {spec_type.__name__}")
    return returned
