"""Trying the laws of its kind on every component of an installed plugin, and what importing the plugin costs."""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewardlab.errors import UserError, nearest
from rewardlab.laws import OF_KIND
from rewardlab.plugin_check_options import options_of
from rewardlab.plugin_check_progress import told
from rewardlab.plugin_import import LAW as IMPORT
from rewardlab.plugin_import import Imported, imported
from rewardlab.registry import Plugin, Registry
from rewardlab.specs import Context, _Spec

if TYPE_CHECKING:
    from rewardlab.testing.outcome import State, Tried


@dataclass(frozen=True, kw_only=True)
class Checked:
    """tried: by component and example. imported: None where only other laws were asked for."""

    plugin: Plugin
    tried: "Sequence[Tried]"
    imported: Imported | None
    seconds: float

    def count(self, state: "State") -> int:
        """How many laws, over all components and examples, are in this state."""
        return sum(len(one.of(state)) for one in self.tried)

    @property
    def passed(self) -> bool:
        """Nothing is broken, and some law held: one that nobody could try is no good news."""
        if self.count("broken") or (self.imported is not None and self.imported.broken):
            return False
        only_the_import = bool(self.plugin.specs) and not self.tried
        return only_the_import or self.count("held") > 0


def check_plugin(name: str, settings: Sequence[str], *, tries: int, only: Sequence[str] | None = None) -> Checked:
    """The laws of `name`, a plugin or <plugin>/<component>, under the options `settings` (KEY=VALUE).

    tries: generated cases a law. only: these laws. UserError for names and options that there are not, a broken
    plugin, and where hypothesis is not installed.
    """
    _prepare_hypothesis()
    from rewardlab.testing.trying import try_laws

    started = time.monotonic()
    plugin, specs = _chosen(Registry(), name)
    if only is not None:
        _known(only, specs)
    options = options_of(plugin, specs, settings)
    costs = imported(plugin.name) if only is None or IMPORT in only else None
    tried: list[Tried] = []
    for number, spec in enumerate(specs, 1):
        ours = None if only is None else [law for law in only if law in OF_KIND[spec.kind]]
        if ours == []:
            continue
        what = f"{plugin.name}/{spec.name} ({number} of {len(specs)})"
        with told(what), redirect_stdout(sys.stderr):  # what plugins print is no part of our output
            found = try_laws(spec, plugin=plugin, given=options[spec.kind, spec.name], tries=tries, only=ours)
        tried += found or [_without_examples(plugin, spec, ours)]
    return Checked(plugin=plugin, tried=tried, imported=costs, seconds=time.monotonic() - started)


def _prepare_hypothesis() -> None:
    """What it has read of sources it keeps for the next time: among our other files, not in the user's folder."""
    try:
        import hypothesis  # noqa: F401
    except ImportError:
        raise UserError("trying laws needs hypothesis: pip install 'rewardlab[testing]'") from None
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Context().cache_dir / "hypothesis"))


def _chosen(registry: Registry, name: str) -> tuple[Plugin, list[_Spec]]:
    plugin_name, slash, component = name.partition("/")
    if plugin_name not in registry.names():
        hint = " (a new one is found once it is installed, with an entry point of the group `rewardlab`)"
        raise UserError(f"no plugin {plugin_name!r}{nearest(plugin_name, registry.names())}{hint}")
    plugin = registry.plugin(plugin_name)
    if plugin.broken:
        raise UserError(f"plugin {plugin_name!r} ({plugin.distribution}) cannot be used: {plugin.broken}")
    specs = [spec for _, spec in sorted(plugin.specs.items())]
    if not slash:
        return plugin, specs
    named = [spec for spec in specs if spec.name == component]
    if not named:
        raise UserError(f"no component {name!r}{nearest(name, [f'{plugin_name}/{spec.name}' for spec in specs])}")
    return plugin, named


def _without_examples(plugin: Plugin, spec: _Spec, only: Sequence[str] | None) -> "Tried":
    from rewardlab.testing.outcome import Outcome, Tried

    laws = [law for law in OF_KIND[spec.kind] if only is None or law in only]
    untried = [Outcome(law=law, state="untried", why="needs an example") for law in laws]
    return Tried(use=f"{plugin.name}/{spec.name}", kind=spec.kind, example="", outcomes=untried)


def _known(only: Sequence[str], specs: Sequence[_Spec]) -> None:
    laws = [IMPORT, *(law for spec in specs for law in OF_KIND[spec.kind])]
    for law in only:
        if law not in laws:
            raise UserError(f"no law {law!r}{nearest(law, laws)}")
