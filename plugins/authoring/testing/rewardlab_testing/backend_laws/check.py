"""The laws of a backend as one assertion, for engine authors' own tests."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from rewardlab.errors import UserError
from rewardlab.laws import Laws
from rewardlab.recipe import load
from rewardlab_training import check_recipe

from rewardlab_testing.assertions.checks import assert_kept
from rewardlab_testing.backend_laws import advantage_laws, before_laws, ending_laws, whole_laws
from rewardlab_testing.backend_laws.advantage_laws import Received
from rewardlab_testing.backend_laws.trial import RECIPE, BackendTrial
from rewardlab_testing.laws.run_laws import outcome_of
from rewardlab_testing.outcomes.law_words import BACKEND, check_names
from rewardlab_testing.outcomes.outcome import TrialResult

LIMIT_S = 600.0
LAWS: dict[str, Callable[[BackendTrial], int]] = {
    "free": before_laws.free,
    "mistakes": before_laws.mistakes,
    "whole": whole_laws.whole,
    "scores": whole_laws.scores,
    "masked": advantage_laws.masked,
    "taught": advantage_laws.taught,
    "resume": ending_laws.resume,
    "stop": ending_laws.stop,
    "same": ending_laws.same,
    "failures": ending_laws.failures,
}
assert [*LAWS] == [*BACKEND]


def check_backend(
    recipe: Path | str,
    overrides: Sequence[str] = (),
    *,
    off: Mapping[str, str] | None = None,
    only: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    received: Received | None = None,
    limit: float = LIMIT_S,
) -> list[TrialResult]:
    """Assert that the backend of a recipe keeps the laws of docs/plugins.md.

    The recipe is run nine times, in folders that are deleted, by commands in other processes. It has an rl stage
    of a few steps, three at least, and a model that is small; files that it names have absolute paths. Its judges are
    asked, so they are scripted ones. A reward of 0 is added to its total, by which runs are held up and fail.

    Returns the outcome of each law in one result; what this machine cannot start, since the engine or a GPU is
    missing, is "untried". Raises LawsBroken with the failing example of each broken law, and UserError for a recipe
    that has mistakes or no stages.

    Args:
        recipe: a file's path, or the text of a recipe.
        overrides: such as "stages.0.steps=4".
        off: law -> why it does not apply to this engine under this recipe, besides those that the spec's own
            Laws(off=...) names: `same` is not for engines whose sampling depends on time, such as batches on a GPU.
        only: try these laws and no others.
        environment: variables of the commands, besides those of this process.
        received: a function of a run directory that returns what the engine's trainer received: (stage, step,
            sample id) -> the advantage of each completion of the group, by the ledger's indices. It reads the
            trainer's own batch, by way of what a test has it write. Without it `masked` and `taught` are untried.
        limit: seconds for each command.
    """
    __tracebackhide__ = True
    off = Laws(off=off or {}).off
    check_names([*off, *(only or ())], "backend")
    with tempfile.TemporaryDirectory(prefix="check_backend_") as folder:
        trial = (environment or {}, limit, received)
        result = _try_laws(_written(recipe, Path(folder)), overrides, off, only, trial, Path(folder))
    return assert_kept([result])


def _written(recipe: Path | str, folder: Path) -> Path:
    """Return the path of a recipe that is given by its path or as text."""
    if isinstance(recipe, Path) or "\n" not in recipe:
        return Path(recipe)
    path = folder / RECIPE
    path.write_text(recipe, encoding="utf-8")
    return path


def _try_laws(
    recipe: Path,
    overrides: Sequence[str],
    off: Mapping[str, str],
    only: Sequence[str] | None,
    trial: tuple[Mapping[str, str], float, Received | None],
    folder: Path,
) -> TrialResult:
    plan = check_recipe(load(recipe, list(overrides), strict=False), purpose="run")
    if plan.backend is None:
        raise UserError("a recipe with stages is needed, which a backend runs", where=str(recipe))
    tested = BackendTrial(plan, folder, *trial)
    why_off = {**plan.backend.spec.laws.off, **off}
    names = [name for name in LAWS if only is None or name in only]
    try:
        outcomes = [outcome_of(name, partial(LAWS[name], tested), why_off.get(name)) for name in names]
    finally:
        tested.commands.close()
    title = "" if recipe.parent == folder else recipe.name
    return TrialResult(use=plan.backend.use.use or "", kind="backend", example=title, outcomes=outcomes)
