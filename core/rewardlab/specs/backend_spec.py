"""The spec of a backend: an engine that trains, and what can be known of it without importing it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rewardlab.references import Function
from rewardlab.specs.context import Spec
from rewardlab.specs.judge_spec import JudgeSpec


@dataclass(frozen=True, kw_only=True)
class BackendSpec(Spec):
    """An engine that trains. `build(settings)` returns a `rewardlab.training.Backend`; it imports no engine.

    Args:
        config: the options under `backend` in a recipe, besides `use`.
        judges: the judges that only this backend can answer, by the whole name that a recipe uses, such as
            "policy/self".
        environments: for `rewardlab env create NAME`: name -> a function that returns the environment's
            `rewardlab.workers.EnvironmentDefinition`. One called NAME-cpu is built by `rewardlab env create NAME
            --cpu`.
        packages: distributions whose versions a run's manifest keeps, if they are installed.
        lacks: a function of the settings: what this environment lacks to train, and how to install it, or None. It
            imports nothing of the engine. `check` and a dry run warn of it; a run is refused by the backend's `ready`.
        trains_longer: whether a stage may go on with more steps than it began with, when its run is resumed so.
        chooses_checkpoints: whether it can hand on the best checkpoint of a stage, `keep: best`
            (rewardlab.training.best_checkpoint); `check` refuses that of any other.
        default: whether a recipe that names no backend trains with this one; of all that are installed, one may say so.
            An entry point of the group `rewardlab.default_backend`, named like the plugin, saves loading all others.
    """

    kind: ClassVar[str] = "backend"
    build: Function[Callable[[Any], Any]] = Function()
    judges: Mapping[str, JudgeSpec] = field(default_factory=dict)
    environments: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    packages: Sequence[str] = ()
    lacks: Function[Callable[[Any], str | None] | None] = Function(None)
    trains_longer: bool = False
    chooses_checkpoints: bool = False
    default: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if "use" in self.config.model_fields:
            raise ValueError(f"{self.name}: `use` names the backend itself; call this option otherwise")
        if isinstance(self.packages, str):
            raise TypeError(f"{self.name}: packages is a list of names, not one text")
