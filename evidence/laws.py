"""Which laws of rewardlab.testing find which faults, and what the installed components say of the laws.

    python evidence/laws.py [--tries 10] [--only NAME ...] [--processes 2] [--ray] [--json FILE]

Every mutant of evidence/law_mutants (one fault each, written before the laws) goes through all the laws of its kind.
The table tells which laws found it; survivors follow, then the controls (components without a fault, which must keep
every law), then for each installed first-party component how many laws held, and those that it switches off or that
could not be tried, with why. Exit code 1 if a mutant survives, or if a law is broken that should hold.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from textwrap import indent

import law_mutants
from rewardlab.registry import Registry
from rewardlab_testing.laws.run_laws import EXAMPLE_OF_KIND, try_laws
from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND

FIRST_PARTY = "rewardlab"
TRIES = 10


@dataclass(frozen=True, kw_only=True)
class Result:
    """Of one component: law -> its state ("broken" if under any example), why, and the seconds that it took."""

    name: str
    kind: str
    summary: str
    states: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def those(self, state: str) -> list[str]:
        """The laws in this state."""
        return [law for law, found in self.states.items() if found == state]


def main() -> int:
    options = _options()
    work = [("mutant", spec.kind, spec.name) for spec in law_mutants.specs()]
    work += [("installed", kind, use) for kind, use in _installed()]
    work = [one for one in work if not options.only or one[2] in options.only]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, mp_context=context) as pool:
        futures = [pool.submit(tried, *one, tries=options.tries, ray=options.ray) for one in work]
        results = [future.result() for future in futures]
    found = [(origin, result) for (origin, _, _), result in zip(work, results, strict=True)]
    mutants = [r for origin, r in found if origin == "mutant" and not r.name.startswith(law_mutants.CONTROL)]
    controls = [r for origin, r in found if origin == "mutant" and r.name.startswith(law_mutants.CONTROL)]
    installed = [r for origin, r in found if origin == "installed"]
    if options.json:
        parts = {"mutants": mutants, "controls": controls, "installed": installed}
        told = {part: [asdict(r) for r in listed] for part, listed in parts.items()}
        Path(options.json).write_text(json.dumps(told, indent=1), encoding="utf-8")
    return _told(mutants, controls, installed)


def tried(origin: str, kind: str, name: str, *, tries: int, ray: bool) -> Result:
    """All the laws of one component, in this process."""
    plugin = None
    if origin == "mutant":
        spec = next(spec for spec in law_mutants.specs() if (spec.kind, spec.name) == (kind, name))
    else:
        registry = Registry()
        spec, plugin = registry.find(kind, name), registry.plugin(name.partition("/")[0])
    laws = [law for law in LAWS_OF_KIND[kind] if ray or law != "ray"]
    result = Result(name=name, kind=kind, summary=spec.summary)
    begin = time.perf_counter()
    for one in try_laws(spec, plugin=plugin, tries=tries, only=laws):
        for outcome in one.outcomes:  # of several examples the outcome that tells most
            if _tells_more(outcome.state, result.states.get(outcome.law)):
                result.states[outcome.law], result.why[outcome.law] = outcome.state, outcome.why
    return Result(**{**asdict(result), "seconds": time.perf_counter() - begin})


def _tells_more(state: str, than: str | None) -> bool:
    order = ("broken", "held", "off", "untried", "nothing")
    return than is None or order.index(state) < order.index(than)


def _installed() -> Iterator[tuple[str, str]]:
    """(kind, "plugin/name") of what this repository's distributions offer."""
    for plugin in Registry():
        if plugin.distribution.startswith(FIRST_PARTY):
            uses = [(kind, f"{plugin.name}/{name}") for kind, name in plugin.specs]
            yield from (use for use in uses if use[0] in EXAMPLE_OF_KIND)


def _told(mutants: Sequence[Result], controls: Sequence[Result], installed: Sequence[Result]) -> int:
    width = max((len(r.name) for r in [*mutants, *controls, *installed]), default=0)
    print(f"{'mutant':<{width}}  {'kind':<10}  seconds  found by")
    for r in mutants:
        print(f"{r.name:<{width}}  {r.kind:<10}  {r.seconds:>7.1f}  {', '.join(r.those('broken')) or 'SURVIVED'}")
    survivors = [r for r in mutants if not r.those("broken")]
    print(f"\n{len(mutants)} mutants, {len(survivors)} survived{':' if survivors else ''}")
    for r in survivors:
        print(f"  {r.name}: {r.summary}")
    _each_law(mutants)
    print("\ncontrols, which have no fault:")
    wrong = _states(controls, width)
    print("\ninstalled components:")
    wrong += _states(installed, width)
    return int(bool(survivors or wrong))


def _each_law(mutants: Sequence[Result]) -> None:
    """How many mutants each law found, and how many it alone."""
    print("\nmutants that a law found, and those that no other did:")
    for kind, laws in LAWS_OF_KIND.items():
        if kind not in EXAMPLE_OF_KIND:
            continue
        broken = [r.those("broken") for r in mutants if r.kind == kind]
        counts = [f"{law} {sum(law in b for b in broken)} ({sum(b == [law] for b in broken)})" for law in laws]
        print(f"  {kind}: {', '.join(counts)}")


def _states(results: Sequence[Result], width: int) -> int:
    """Prints what became of each one's laws; how many have a broken one."""
    for r in results:
        counts = ", ".join(f"{len(r.those(state))} {state}" for state in ("held", "off", "untried", "broken"))
        print(f"  {r.name:<{width}}  {r.kind:<10}  {r.seconds:>5.1f} s  {counts}")
        for state in ("off", "untried", "broken"):
            for why in dict.fromkeys(r.why[law] for law in r.those(state)):
                laws = ", ".join(law for law in r.those(state) if r.why[law] == why)
                print(f"      {state}: {laws}: {indent(why, ' ' * 10).lstrip()}")
    return sum(bool(r.those("broken")) for r in results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tries", type=int, default=TRIES, help="generated cases a law (default %(default)s)")
    parser.add_argument("--only", action="append", metavar="NAME", help="this mutant, control or plugin/name")
    parser.add_argument("--processes", type=int, default=2, help="at once (default %(default)s)")
    parser.add_argument("--ray", action="store_true", help="try the law `ray`, too: seconds for every reward")
    parser.add_argument("--json", metavar="FILE", help="write all outcomes there")
    options = parser.parse_args()
    known = {spec.name for spec in law_mutants.specs()} | {use for _, use in _installed()}
    if unknown := [name for name in options.only or () if name not in known]:
        parser.error(f"no component {', '.join(unknown)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
