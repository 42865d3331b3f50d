"""Laws about what comes before a run: `free` and `mistakes`."""

from collections.abc import Sequence
from importlib.metadata import packages_distributions
from pathlib import Path

from rewardlab_testing.backend_laws.trial import RECIPE, BackendTrial, backend_options
from rewardlab_testing.outcomes.messages import violation

IMPORTED = "import time:"
"""how the lines begin that `python -X importtime` prints for each module that is imported"""


def free(tested: BackendTrial) -> int:
    """Checking and describing import none of the engine's packages and leave every file as it was."""
    assert tested.plan.backend is not None
    engine = _modules_of(tested.plan.backend.spec.packages)
    folder = tested.folder("free")
    before = _listing(folder)
    for arguments in (["check", RECIPE], ["run", RECIPE, "--dry-run"]):
        result = tested.commands.run(arguments, folder, "-X", "importtime")
        lines = result.err.splitlines()
        if result.code != 0:
            output = "\n".join(line for line in lines if not line.startswith(IMPORTED))
            raise violation(result.typed, f"exit code {result.code}\n{output}", "exit code 0")
        modules = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines if line.startswith(IMPORTED)}
        if imported := sorted(modules & engine):
            raise violation(result.typed, f"it imports {', '.join(imported)}", "no package of the engine is imported")
        if changed := sorted(path for path, _ in before ^ _listing(folder)):
            raise violation(result.typed, f"it writes {', '.join(changed)}", "no file is written or changed")
    return 2


def mistakes(tested: BackendTrial) -> int:
    """An option that the backend does not have is refused, at its line."""
    known = backend_options(tested.plan)
    option = max(known, key=len, default="option")
    wrong = option[: len(option) // 2] + option[len(option) // 2 + 1 :]  # a letter in the middle is left out
    folder = tested.folder("mistakes", {wrong: 1})
    lines = (folder / RECIPE).read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if text.strip().startswith(f"{wrong}:"))
    result = tested.commands.run(["check", RECIPE], folder)
    wanted = f"{RECIPE}:{line}: backend.{wrong}: "
    line_of_mistake = next((text for text in result.err.splitlines() if wanted in text), "")
    meant = f"did you mean '{option}'?" if known else ""
    if result.code != 2 or not line_of_mistake or meant not in line_of_mistake:
        expected = f"exit code 2 and a line with {wanted!r}" + (f" and {meant!r}" if meant else "")
        raise violation(f"{result.typed}, with `{wrong}: 1` under `backend`", result.ending, expected)
    return 1


def _modules_of(packages: Sequence[str]) -> set[str]:
    """Return the top-level modules of distributions; of one that is not installed, its own name."""
    modules = {package.replace("-", "_") for package in packages}
    for module, distributions in packages_distributions().items():
        if {*distributions} & {*packages}:
            modules.add(module)
    return modules


def _listing(folder: Path) -> set[tuple[str, tuple[int, int]]]:
    """Return each path below a folder with its size and the time of its last change."""
    entries = ((path.relative_to(folder).as_posix(), path.stat()) for path in folder.rglob("*"))
    return {(path, (stat.st_size, stat.st_mtime_ns)) for path, stat in entries}
