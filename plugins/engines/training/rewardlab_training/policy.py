"""The policy of a stage as an engine of this process offers it: it trains, samples, and is saved."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rewardlab import Group, Sample
from rewardlab.errors import JobError
from rewardlab.recipe import DpoStage, RlStage, SftStage

from rewardlab_training.prompts import PromptFormat
from rewardlab_training.stage import StageJob
from rewardlab_training.stage_batches import StageBatches
from rewardlab_training.step_log import StepLog
from rewardlab_training.step_reward import StageReward
from rewardlab_training.token_rows import TokenRow


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The sampling of completions: `count` a prompt, at temperature 0 greedily. Equal seeds give equal completions."""

    count: int
    temperature: float
    max_new_tokens: int
    top_p: float = 1.0
    top_k: int | None = None
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    stop: Sequence[str] = ()
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Training:
    """A training stage as the host hands it to `Policy.train`.

    Args:
        samples: the rows that are trained on; of rl those whose prompts fit.
        rows: of sft and dpo, the same as token ids.
        order: places in these, batch_size for each of the `steps`.
        reward: of rl, else None.
        log: takes the numbers of each step.
        after_step: to be called with the number of each step that is over, once the policy has learnt from it;
            returns whether the engine must keep a checkpoint now, and return.
    """

    job: StageJob
    samples: Sequence[Sample]
    rows: Sequence[TokenRow]
    order: Sequence[int]
    steps: int
    reward: StageReward | None
    log: StepLog
    after_step: Callable[[int], bool]

    @property
    def stage(self) -> SftStage | DpoStage | RlStage:
        """The stage as the recipe describes it."""
        stage = self.job.stage
        assert isinstance(stage, SftStage | DpoStage | RlStage)
        return stage

    @property
    def batches(self) -> StageBatches:
        """The batch sizes of the stage in one process."""
        return StageBatches.of(self.stage)

    @property
    def checkpoints(self) -> Path:
        """The folder for the engine's checkpoints, the same in each attempt at the stage."""
        return self.job.run.folder("checkpoints", self.job.name)

    def batch(self, step: int) -> list[Sample]:
        """Return the samples of a step, which counts from 1."""
        end = step * self.stage.batch_size
        return [self.samples[row] for row in self.order[end - self.stage.batch_size : end]]


class Policy(ABC):
    """A model in this process, loaded by an engine for one stage; the base class of an engine's own.

    The host enters the policy with `with`, and leaves it when the stage is over or has failed.

    Args:
        prompt_format, context: of a model that reads tokens, with the stage's `chat`; without a format all prompts fit.
    """

    prompt_format: PromptFormat | None = None
    context: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(  # noqa: B027 - may be left out
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free what the policy holds; an engine that holds nothing needs no method of its own."""

    @abstractmethod
    def train(self, training: Training) -> None:
        """Train from the last checkpoint on, if there is one, to the last step, or until `after_step` says to return.

        Whatever `training.reward` and `training.log` raise ends the run; it is not caught.
        """

    def sample(self, samples: Sequence[Sample], sampling: Sampling, title: str) -> list[Group]:
        """Return a group of completions for each sample, in order; nothing changes for a training under way.

        An engine that evaluates nothing needs no method of its own.

        Args:
            title: the name of a progress bar.
        """
        raise NotImplementedError

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the model to `folder`, whole or not at all; later stages start from it."""

    def checkpoints(self) -> Mapping[int, Path]:
        """Return step -> checkpoint; of an engine whose spec says `chooses_checkpoints`."""
        raise NotImplementedError

    def at(self, checkpoint: Path) -> "Policy":
        """Return the policy of a checkpoint, likewise."""
        raise NotImplementedError

    def judge(self, options: Any) -> Any:
        """Return the judge that this policy is; of an engine whose spec offers `policy/self`."""
        raise JobError("the policy of this engine answers no judge's questions")
