"""The cost of importing a plugin, measured in a process of its own.

Every listing and every recipe imports the installed plugins, so everybody pays for one that imports torch.
"""

import json
import subprocess
import sys
from dataclasses import dataclass, field

LAW = "import"
WORDS = "importing the plugin brings in none of torch, transformers, trl and ray"
HEAVY = ("torch", "transformers", "trl", "ray")
MAX_SECONDS = 120.0
PROGRAM = """
import json, sys, time
name, heavy, sys.path[:] = json.loads(sys.argv[1])
from importlib.metadata import entry_points
from rewardlab.registry import ENTRY_POINT_GROUP, Registry
registry = Registry(entry_points(group=ENTRY_POINT_GROUP, name=name))
names = registry.names()
before, started = set(sys.modules), time.perf_counter()
plugin = registry.plugin(name)
seconds = time.perf_counter() - started
new = {module.partition(".")[0] for module in set(sys.modules) - before}
print(json.dumps({"seconds": seconds, "heavy": sorted(new & set(heavy)), "failure": plugin.broken or ""}))
"""


@dataclass(frozen=True, kw_only=True)
class ImportCost:
    """The cost of importing a plugin.

    Args:
        seconds: wall time for the plugin's module and hooks, with rewardlab imported already.
        heavy: the packages of HEAVY that it brings in.
        failure: why the import failed.
    """

    seconds: float = 0.0
    heavy: list[str] = field(default_factory=list)
    failure: str = ""

    @property
    def broken(self) -> str:
        """The fault of the import, in words; "" if there is none."""
        if self.failure:
            return f"in a fresh process: {self.failure}"
        return f"it imports {', '.join(self.heavy)}; do so inside `build`" if self.heavy else ""


def measure_import_cost(name: str) -> ImportCost:
    """Import the plugin `name` and call its hooks in a fresh process with this one's path."""
    question = json.dumps([name, HEAVY, sys.path])
    command = [sys.executable, "-c", PROGRAM, question]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return ImportCost(failure=f"it is not imported after {MAX_SECONDS:g} s")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it printed no error"]
        return ImportCost(failure=f"exit code {done.returncode}: {last[0]}")
    return ImportCost(**json.loads(done.stdout.splitlines()[-1]))
