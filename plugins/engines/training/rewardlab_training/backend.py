"""The interface of training engines (`Backend`), and the function that builds the one that a plan names."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from rewardlab.errors import PLUGIN_FAULTS, JobError, RewardlabError, UserError, one_line_at
from rewardlab.plan import Plan
from rewardlab.recipe import Finding, needs_engine
from rewardlab.registry import SERVED, installed

from rewardlab_training.policy import Policy
from rewardlab_training.stage import StageJob

METHODS = ("findings", "headline", "describe_stage", "ready", "trains_here")


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """The capabilities of an engine, as data; `check` refuses the rest with what it can.

    Args:
        stages: the kinds that it runs, of "sft", "dpo", "rl" and "eval"; data stages and evaluations of served
            policies are the host's.
        algorithms: those of rl.
        settings: which of those in training/optional_settings.py a stage may have, as written there.
        flat_groups: which values `reward.teach.flat` may have; a policy that may drop groups leaves out what
            `StepRewards.dropped` says.
        completions: of "token_count", "seconds" and "messages", what completions have beside their text; those of an
            `agent` have their messages anyway.
        transformers_models: whether it loads models as transformers writes them, so that folders, context lengths
            and chat templates are checked for it.
    """

    stages: Sequence[str]
    algorithms: Sequence[str] = ()
    settings: frozenset[str] = frozenset()
    flat_groups: Sequence[str] = ("keep",)
    completions: Sequence[str] = ("token_count",)
    transformers_models: bool = True


class Backend(Protocol):
    """A training engine: the object that `build` of a BackendSpec returns, a `PolicyBackend` or a `JobBackend`.

    The host checks, describes and records what is the same for every engine, takes the stages one after the other, and
    runs those that need none; it asks the engine about the others. Only `ready`, `load_policy` and `run_stage` may
    import the engine.

    An engine may also have `warnings(plan) -> Iterable[Finding]`: what it can do as a recipe without problems says, and
    the recipe's author may not mean. `check` and `run` print them.
    """

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the engine."""

    def findings(self, plan: Plan) -> Iterable[Finding]:
        """Yield (place in the recipe, why) for all that this engine cannot do, beyond what `capabilities` say."""

    def headline(self, plan: Plan) -> str:
        """Return the end of the first line of `run --dry-run`, after "backend NAME"."""

    def describe_stage(self, plan: Plan, index: int) -> Iterable[str]:
        """Yield the lines that `run --dry-run` prints of a stage that trains; write nothing."""

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise UserError if this machine cannot start what the stages (or stage `only`) need; some of them need it."""

    def trains_here(self, plan: Plan) -> bool:
        """Return True if the rewards of training stages are scored on this machine, False if on those of a cluster."""


@runtime_checkable
class PolicyBackend(Backend, Protocol):
    """An engine that trains in this process: it loads, trains, samples and saves a policy, and the host does the rest.

    The host scores, writes the ledger, evaluates, watches the numbers of steps, and handles Ctrl-C.
    """

    def load_policy(self, job: StageJob, source: str | None) -> AbstractContextManager[Policy]:
        """Load the policy that a stage starts from.

        Args:
            source: a model's folder or name on the hub; None for a new one, of an engine whose capabilities say
                that it has no transformers models.
        """


@runtime_checkable
class JobBackend(Backend, Protocol):
    """An engine whose trainer has a loop of its own, elsewhere: a stage is compiled to its job."""

    def run_stage(self, job: StageJob) -> None:
        """Run a stage that is not done, and leave what it trains in `job.output`.

        Raises KeyboardInterrupt if the user stopped the run, by Ctrl-C or by `job.run.stop`; finished work is kept.
        """


def lacking(plan: Plan) -> str | None:
    """Return what this environment lacks of the engine that a plan's stages train with, as a line with its place.

    None if nothing is missing, or no stage needs the engine. Raises JobError if the backend cannot say.
    """
    backend = plan.backend
    if backend is None or backend.spec.lacks is None or not any(map(needs_engine, plan.recipe.stages)):
        return None
    missing = backend.ask("what it lacks", backend.spec.lacks, backend.options)
    return None if missing is None else f"{plan.document.where(('backend',))}: {missing}"


def open_backend(plan: Plan) -> PolicyBackend | JobBackend:
    """Build the backend that a plan names; if it is not installed and no stage needs it, one without an engine.

    Raises UserError for a mistake in its options, and JobError if it cannot be built or lacks a method of `Backend`.
    """
    if plan.backend is None:
        return NoEngine()
    subject = f"backend {plan.backend.use.use}"
    try:
        backend: Any = plan.backend.spec.build(plan.backend.options)
    except RewardlabError as error:
        kind = UserError if isinstance(error, UserError) else JobError
        raise kind(f"{subject}: {error}") from error
    except PLUGIN_FAULTS as error:
        raise JobError(f"{subject} could not be built: {one_line_at(error)}") from error
    absent = [name for name in METHODS if not callable(getattr(backend, name, None))]
    absent += ["capabilities"] * (not isinstance(getattr(backend, "capabilities", None), Capabilities))
    absent += ["load_policy"] * (not isinstance(backend, PolicyBackend | JobBackend))
    if absent:
        raise JobError(f"{subject} could not be built: `build` gave {type(backend).__name__} without `{absent[0]}`")
    engine: PolicyBackend | JobBackend = backend
    return engine


def engines_that_have(setting: str) -> list[str]:
    """Return the installed engines whose capabilities name a setting of `optional_settings`."""
    having = []
    for name, spec in installed().backends().items():
        try:
            can = getattr(spec.build(spec.config()), "capabilities", None)
        except (RewardlabError, *PLUGIN_FAULTS):  # it would say so, if the recipe named it
            continue
        if isinstance(can, Capabilities) and setting in can.settings:
            having.append(name)
    return sorted(having)


def served_evaluation() -> Callable[[StageJob], None]:
    """Return what runs a stage that evaluates a served policy. Raises UserError if no plugin does."""
    return installed().action(SERVED, "nothing here samples from a judge")


class NoEngine:
    """The backend of a recipe whose stages need no engine, if the one that it names is not installed."""

    capabilities = Capabilities(stages=())

    def findings(self, plan: Plan) -> Iterable[Finding]:
        """Return nothing: a stage that needs an engine is refused when the recipe is planned."""
        return ()

    def headline(self, plan: Plan) -> str:
        """Return that there is none."""
        return "none installed"

    def describe_stage(self, plan: Plan, index: int) -> Iterable[str]:
        """Return nothing."""
        return ()

    def ready(self, plan: Plan, only: int | None) -> None:
        """Raise nothing: there is no engine that this machine could lack."""

    def trains_here(self, plan: Plan) -> bool:
        """Return True: rewards are scored in this process."""
        return True

    def run_stage(self, job: StageJob) -> None:
        """Raise JobError: there is no engine."""
        raise JobError(f"stage {job.index} needs an engine, and none is installed")


OFF = {
    "HF_HUB_DISABLE_TELEMETRY": "1",  # otherwise TRL reports at each trainer's start what it trains, and on what
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "RAY_USAGE_STATS_ENABLED": "0",
    "WANDB_ERROR_REPORTING": "false",
    "VLLM_NO_USAGE_STATS": "1",
}


def telemetry_variables() -> dict[str, str]:
    """Return the environment variables that turn telemetry off; those that this environment sets keep their values."""
    return {name: os.environ.get(name, value) for name, value in OFF.items()}
