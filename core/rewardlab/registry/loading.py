"""Load a plugin: its module's specs, those of `@reward` too, or the reason why it cannot be used."""

import difflib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path
from typing import Any

import pluggy

from rewardlab import hookspecs
from rewardlab.errors import PLUGIN_FAULTS, one_line_at
from rewardlab.references import references_of
from rewardlab.registry.function_reward import FunctionReward
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

HOOKS: dict[str, type[Spec]] = {
    "rewardlab_rewards": RewardSpec,
    "rewardlab_judges": JudgeSpec,
    "rewardlab_datasets": DatasetSpec,
    "rewardlab_curricula": CurriculumSpec,
    "rewardlab_normalizers": NormalizerSpec,
    "rewardlab_backends": BackendSpec,
}
"""the hooks of components, and what each returns"""
FINISHED, ENVIRONMENT, SERVED = "rewardlab_run_finished", "rewardlab_environment", "rewardlab_evaluate_served"
TRACK = "rewardlab_track"
COMMANDS = '[project.entry-points."rewardlab.commands"]'
ACTIONS = (FINISHED, ENVIRONMENT, SERVED, TRACK)


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """An installed plugin: its specs by kind and name, or the reason why it cannot be used.

    Args:
        actions: its implementations of the hooks of ACTIONS.
        home: the folder of its module; packaged files are relative to it.
    """

    name: str
    distribution: str
    version: str
    specs: dict[tuple[str, str], Spec] = field(default_factory=dict)
    actions: Mapping[str, Sequence[Callable[..., Any]]] = field(default_factory=lambda: dict.fromkeys(ACTIONS, ()))
    broken: str | None = None
    home: Path | None = None

    def use(self, spec: Spec) -> str:
        """Return the name of a spec in recipes: plugin/name, or the plugin alone for its only backend."""
        alone = isinstance(spec, BackendSpec) and [kind for kind, _ in self.specs].count("backend") == 1
        return self.name if alone else f"{self.name}/{spec.name}"

    @property
    def backends(self) -> dict[str, BackendSpec]:
        """Its backends by the names that recipes use."""
        return {self.use(spec): spec for spec in self.specs.values() if isinstance(spec, BackendSpec)}


def owner_of(point: EntryPoint) -> tuple[str, str]:
    """Return the distribution of an entry point and its version, as far as they are known."""
    return _name_and_version(point.dist) if point.dist else (point.value, "")


@lru_cache(maxsize=256)
def _name_and_version(distribution: Distribution) -> tuple[str, str]:
    return distribution.name, distribution.version  # each parses the whole metadata


def load(name: str, points: Sequence[EntryPoint]) -> Plugin:
    """Return the plugin that the entry points of this name mean; several distributions with the name break it."""
    owners = [owner_of(point) for point in points]
    plugin = Plugin(name=name, distribution=" + ".join(d for d, _ in owners), version=owners[0][1])
    point = points[0]
    if len(points) > 1:
        both = " and ".join(f"{d} {v}".strip() for d, v in owners)
        return replace(plugin, broken=f"the name {name!r} is offered by {both}; uninstall one of them")
    if not COMPONENT_NAME.match(name):
        broken = f"no recipe can name {name!r}; an entry point's name has letters, digits and _ . - only"
        return replace(plugin, broken=broken)
    meant = f"the entry point {name!r} of {plugin.distribution}"
    if not EntryPoint.pattern.match(point.value):
        return replace(plugin, broken=f"{meant} is {point.value!r}; it should name a module")
    try:
        with redirect_stdout(sys.stderr):  # a plugin's prints must not end up in output that a program reads
            module = point.load()
            specs, actions = offers_of(module)
        for (kind, spec_name), spec in specs.items():
            for reference in references_of(spec):
                reference.owner = f"{kind} {name}/{spec_name} ({plugin.distribution})"
    except PLUGIN_FAULTS as error:  # a plugin may raise anything while it is imported
        broken = one_line_at(error)
        if isinstance(error, ModuleNotFoundError) and error.name in (point.module, point.module.split(".")[0]):
            broken += (
                f"; {meant} names a module that does not exist. If the file is beside pyproject.toml, say so in it, "
                f'[tool.setuptools] py-modules = ["{error.name}"] (of a package, packages = [...]); '
                "then install it again"
            )
        return replace(plugin, broken=broken)
    file = getattr(module, "__file__", None)
    home = Path(file).parent if file else None
    return replace(plugin, specs=specs, actions=actions, home=home)


def offers_of(module: object) -> tuple[dict[tuple[str, str], Spec], dict[str, list[Callable[..., Any]]]]:
    """Register one plugin in a manager of its own, so that its faults stay its own.

    Return its specs, and its implementations of the other hooks.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(module)
    _refuse_lookalikes(module)
    manager.check_pending()
    specs: dict[tuple[str, str], Spec] = {}
    for hook, spec_type in HOOKS.items():
        for implementation in getattr(manager.hook, hook).get_hookimpls():
            for spec in _checked(hook, spec_type, implementation.function()):
                if (spec.kind, spec.name) in specs:
                    raise ValueError(f"{hook} offers {spec.name!r} twice")
                specs[spec.kind, spec.name] = spec
    for spec in _decorated(module):
        if specs.setdefault((spec.kind, spec.name), spec) is not spec:
            raise ValueError(f"@reward offers {spec.name!r}, and a hook or another @reward does, too")
    actions = {
        hook: [get_hookimpl.function for get_hookimpl in getattr(manager.hook, hook).get_hookimpls()]
        for hook in ACTIONS
    }
    return specs, actions


def _decorated(module: object) -> list[FunctionReward]:
    """Return the rewards that `@reward` made in this module or its package, and that stand in it."""
    package = getattr(module, "__name__", "")
    functions = {id(var): var for var in vars(module).values() if isinstance(var, FunctionReward)}
    return [function for function in functions.values() if f"{function.function.__module__}.".startswith(f"{package}.")]


def _refuse_lookalikes(module: object) -> None:
    """Raise ValueError if a function of the module looks like a hook but would never be called."""
    own = getattr(module, "__name__", None)
    for name, member in getattr(module, "__dict__", {}).items():
        if inspect.isfunction(member) and member.__module__ == own and name.startswith(f"{hookspecs.PROJECT}_"):
            if name == f"{hookspecs.PROJECT}_commands":
                raise ValueError(f"{name} is no hook: name a command's module under {COMMANDS} in pyproject.toml")
            known = (*HOOKS, *ACTIONS)
            if name in known and not hasattr(member, f"{hookspecs.PROJECT}_impl"):
                raise ValueError(f"{name} is never called; write @hookimpl (from rewardlab) above it")
            if name not in known and (close := difflib.get_close_matches(name, known, n=1)):
                raise ValueError(f"{name} is not a hook; did you mean {close[0]}, with @hookimpl above it?")


def _checked(hook: str, spec_type: type[Any], returned: object) -> Sequence[Any]:
    """Return what a hook returned. Raises TypeError if that is not a list of its specs."""
    if inspect.iscoroutine(returned):
        returned.close()
        raise TypeError(f"{hook} is a coroutine function, and it is never awaited; write `def {hook}`")
    if not isinstance(returned, list | tuple):
        raise TypeError(f"{hook} returned {returned!r}, not a list of {spec_type.__name__}")
    for spec in returned:
        if not isinstance(spec, spec_type):
            raise TypeError(f"{hook} returned {spec!r} in its list, not a {spec_type.__name__}")
    return returned
