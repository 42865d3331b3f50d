"""The interface of training engines (`Backend`), and the function that builds the one that a plan names."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from rewardlab.errors import PLUGIN_FAULTS, JobError, Problem, RewardlabError, UserError, one_line_at
from rewardlab.plan import Plan
from rewardlab.recipe.models import needs_engine
from rewardlab.training.no_engine import NoEngine
from rewardlab.training.run_directory import RunDirectory


class Backend(Protocol):
    """A training engine: the object that `build` of a BackendSpec returns.

    Only `ready` and `run` may import the engine. `only` is the index of the only stage to look at; None means all.

    An engine may also have `warnings(plan) -> Sequence[Problem]`: what it can do as a recipe without problems says, and
    the recipe's author may not mean. `check` and `run` print them.
    """

    def check(self, plan: Plan) -> Sequence[Problem]:
        """Return every reason why this engine cannot run the recipe; empty if it can.

        What it says of a stage that runs without an engine (`needs_engine`) is left out.
        """

    def describe(self, plan: Plan, only: int | None) -> str:
        """Return the text that `run --dry-run` prints of all stages or of stage `only`; write nothing."""

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError if this machine cannot start what the stages (or stage `only`) need."""

    def trains_here(self, plan: Plan) -> bool:
        """Return True if the rewards of training stages are scored on this machine, False if on those of a cluster."""

    def run(self, plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
        """Run the stages that are not done (of these only stage `only`, if given).

        `say` prints a line for the user. Raises KeyboardInterrupt if the user stopped the run, by Ctrl-C or by
        `directory.stop`; finished work is kept.
        """


def lacking(plan: Plan) -> str | None:
    """Return what this environment lacks of the engine that a plan's stages train with, as a line with its place.

    None where nothing is missing, or no stage needs the engine. Raises JobError if the backend cannot say.
    """
    backend = plan.backend
    if backend is None or backend.spec.lacks is None or not any(map(needs_engine, plan.recipe.stages)):
        return None
    missing = backend.ask("what it lacks", backend.spec.lacks, backend.options)
    return None if missing is None else f"{plan.document.where(('backend',))}: {missing}"


def backend_warnings(backend: Backend, plan: Plan) -> Sequence[Problem]:
    """Return the warnings of an engine about a plan without problems; none where it has no `warnings`."""
    warnings = getattr(backend, "warnings", None)
    return warnings(plan) if callable(warnings) else []


def open_backend(plan: Plan) -> Backend:
    """Build the backend that a plan names; where it is not installed and no stage needs it, one without an engine.

    Raises UserError for a mistake in its options, and JobError if it cannot be built or lacks a method of `Backend`.
    """
    if plan.backend is None:
        return NoEngine()
    what = f"backend {plan.backend.use.use}"
    try:
        backend: Any = plan.backend.spec.build(plan.backend.options)
    except RewardlabError as error:
        kind = UserError if isinstance(error, UserError) else JobError
        raise kind(f"{what}: {error}") from error
    except PLUGIN_FAULTS as error:
        raise JobError(f"{what} could not be built: {one_line_at(error)}") from error
    for needed in ("check", "describe", "ready", "trains_here", "run"):
        if not callable(getattr(backend, needed, None)):
            raise JobError(f"{what} could not be built: `build` gave {type(backend).__name__} without `{needed}`")
    engine: Backend = backend
    return engine
