"""Try the laws on every component of an installed plugin, and measure what importing the plugin costs."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewardlab import Context, Spec, references_of
from rewardlab.errors import PLUGIN_FAULTS, UserError, nearest
from rewardlab.registry import Plugin, Registry, installed

from rewardlab_testing.check.import_cost import LAW as IMPORT
from rewardlab_testing.check.import_cost import ImportCost, measure_import_cost
from rewardlab_testing.check.options import options_by_component
from rewardlab_testing.check.progress import TrialProgress, show_progress
from rewardlab_testing.check.table import LawTable
from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND, check_laws_off

if TYPE_CHECKING:
    from rewardlab_testing.outcomes.outcome import LawOutcome, State, TrialResult

MAIN_LAWS: dict[str, Sequence[str]] = {
    "reward": ("range", "order"),
    "judge": ("reply",),
    "dataset": ("samples",),
    "curriculum": ("order", "select"),
    "normalizer": ("finite", "order"),
    "backend": ("whole",),
}
"""kind -> the laws without which a check has proved nothing: each held or is off, or has nothing to try"""


@dataclass(frozen=True, kw_only=True)
class PluginCheck:
    """The result of a check of a plugin.

    Args:
        results: one for each component and example.
        import_cost: None if only other laws were asked for.
        unproved: (component, main law, what it takes) for each main law that was asked for and not tried under any
            example.
    """

    plugin: Plugin
    results: "Sequence[TrialResult]"
    import_cost: ImportCost | None
    seconds: float
    unproved: Sequence[tuple[str, str, str]] = ()

    def count(self, state: "State") -> int:
        """Return how many laws, over all components and examples, are in this state."""
        return sum(len(result.of(state)) for result in self.results)

    @property
    def passed(self) -> bool:
        """Whether all is built, nothing is broken, and each main law was tried: else nothing is known."""
        broken_import = self.import_cost is not None and self.import_cost.broken
        if self.unproved or self.count("broken") or self.count("unbuilt") or broken_import:
            return False
        only_the_import = bool(self.plugin.specs) and not self.results
        return only_the_import or self.count("held") > 0


def check_plugin(
    name: str,
    settings: Sequence[str],
    *,
    tries: int,
    only: Sequence[str] | None = None,
    write: Callable[[str], None] = lambda line: None,
) -> PluginCheck:
    """Try the laws of `name`, a plugin or <plugin>/<component>, under the options `settings` (KEY=VALUE).

    Args:
        tries: how many cases are generated for each law.
        only: try these laws and no others.
        write: called with each line of the table of laws, once it is known.

    Raises UserError for unknown names and options, for a broken plugin, for examples that cannot be made, and if
    hypothesis is not installed.
    """
    _prepare_hypothesis()
    from rewardlab_testing.laws.run_laws import try_laws

    started = time.monotonic()
    plugin, specs = _chosen(installed(), name)
    if only is not None:
        _refuse_unknown_laws(only, specs)
    for spec in specs:
        _import_all(spec)
        check_laws_off(spec, plugin.use(spec))
    options = options_by_component(plugin, specs, settings)
    tried = [spec for spec in specs if spec.kind != "backend"]  # a backend's laws take whole runs, not examples
    table = LawTable([plugin.name, *map(plugin.use, specs)], _titles(tried, plugin), write)
    import_cost = measure_import_cost(plugin.name) if only is None or IMPORT in only else None
    if import_cost is not None:
        table.add_import(plugin.name, import_cost)
    results: list[TrialResult] = []
    for number, spec in enumerate(tried, 1):
        laws = None if only is None else [law for law in only if law in LAWS_OF_KIND[spec.kind]]
        if laws == []:
            continue
        with show_progress(f"{number} of {len(tried)}") as progress, redirect_stdout(sys.stderr):
            listener = _Listener(table, progress)  # what plugins print is not part of our output
            of_spec = try_laws(
                spec, plugin=plugin, given=options[spec.kind, spec.name], tries=tries, only=laws, listener=listener
            )
            if not of_spec:
                of_spec = [_result_without_examples(plugin, spec, laws)]
                listener.laws_end(of_spec[0].use, "", of_spec[0].outcomes)
        results += of_spec
    unproved = [*_unproved(results), *_unproved_backends(plugin, specs, only)]
    seconds = time.monotonic() - started
    return PluginCheck(plugin=plugin, results=results, unproved=unproved, import_cost=import_cost, seconds=seconds)


def _unproved(results: "Sequence[TrialResult]") -> Iterator[tuple[str, str, str]]:
    """Yield (component, main law, what it takes) for each that was tried under no example."""
    owners: dict[tuple[str, str], dict[str, list[LawOutcome]]] = {}
    for result in results:
        for outcome in result.outcomes:
            owners.setdefault((result.use, result.kind), {}).setdefault(outcome.law, []).append(outcome)
    for (use, kind), laws in owners.items():
        for law in MAIN_LAWS[kind]:
            outcomes = laws.get(law, [])
            if outcomes and not any(outcome.state in ("held", "broken", "unbuilt", "off") for outcome in outcomes):
                untried = [outcome.why for outcome in outcomes if outcome.state == "untried"]
                yield from ((use, law, why) for why in untried[:1])


def _unproved_backends(
    plugin: Plugin, specs: Sequence[Spec], only: Sequence[str] | None
) -> Iterator[tuple[str, str, str]]:
    """Yield what the laws of the backends among these take, which `check` does not try."""
    for spec in specs if only is None else ():
        if spec.kind == "backend":
            how = "takes whole runs: run pytest with a test that calls rewardlab_testing.check_backend(RECIPE)"
            yield plugin.use(spec), MAIN_LAWS["backend"][0], how


class _Listener:
    """Prints the rows of laws as they are known, and says on stderr what is being tried."""

    def __init__(self, table: LawTable, progress: TrialProgress) -> None:
        self._table, self._progress = table, progress

    def law_begins(self, use: str, law: str) -> None:
        """Say from now on that this law is being tried."""
        self._progress.begin(f"{use} {law}")

    def laws_end(self, use: str, example: str, outcomes: "Sequence[LawOutcome]") -> None:
        """Print the rows of these outcomes."""
        with self._progress.pause():
            self._table.add(use, example, outcomes)


def _titles(specs: Sequence[Spec], plugin: Plugin) -> list[str]:
    """Return the titles of all examples, which decide how wide the table is."""
    from rewardlab_testing.laws.run_laws import examples_of
    from rewardlab_testing.outcomes.outcome import UnmetNeed

    titles = []
    for spec in specs:
        with suppress(UnmetNeed), redirect_stdout(sys.stderr):
            titles += [example.title for example in examples_of(spec, plugin)]
    return titles


def _import_all(spec: Spec) -> None:
    """Import every function that a spec names; a UserError names the first that is wrong.

    What goes wrong inside of a module is reported by whoever builds the component: it may need another environment.
    """
    for reference in references_of(spec):
        try:
            reference.resolve()
        except UserError:
            raise
        except PLUGIN_FAULTS:
            continue


def _prepare_hypothesis() -> None:
    """Have hypothesis keep its cache among our other files, not in the user's folder."""
    try:
        import hypothesis  # noqa: F401
    except ImportError:
        raise UserError("trying laws needs hypothesis: pip install hypothesis pytest") from None
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Context().cache_dir / "hypothesis"))


def _chosen(registry: Registry, name: str) -> tuple[Plugin, list[Spec]]:
    plugin_name, slash, component = name.partition("/")
    if plugin_name not in registry.names():
        raise registry.not_installed(plugin_name)
    plugin = registry.usable(plugin_name)
    specs = [spec for _, spec in sorted(plugin.specs.items())]
    if not slash:
        return plugin, specs
    named = [spec for spec in specs if spec.name == component]
    if not named:
        raise UserError(f"no component {name!r}{nearest(name, [f'{plugin_name}/{spec.name}' for spec in specs])}")
    return plugin, named


def _result_without_examples(plugin: Plugin, spec: Spec, only: Sequence[str] | None) -> "TrialResult":
    from rewardlab_testing.outcomes.outcome import LawOutcome, TrialResult

    laws = [law for law in LAWS_OF_KIND[spec.kind] if only is None or law in only]
    untried = [LawOutcome(law=law, state="untried", why="needs an example") for law in laws]
    return TrialResult(use=f"{plugin.name}/{spec.name}", kind=spec.kind, example="", outcomes=untried)


def _refuse_unknown_laws(only: Sequence[str], specs: Sequence[Spec]) -> None:
    laws = [IMPORT, *(law for spec in specs if spec.kind != "backend" for law in LAWS_OF_KIND[spec.kind])]
    for law in only:
        if law not in laws:
            raise UserError(f"no law {law!r}{nearest(law, laws)}")
