"""Running a trainer of TRL: from the last checkpoint on, with its numbers handed to the host."""

from collections.abc import Callable, Mapping
from typing import Any

from rewardlab.recipe import RlStage
from rewardlab_training import Training
from transformers import PrinterCallback, Trainer, TrainerCallback

from rewardlab_trl.checkpoints import last_checkpoint
from rewardlab_trl.processes import Processes

SUMMARY = "train_runtime"
"""a key of the trainer's summary at its end, which is not a step"""


def train_to_the_end(
    trainer: Trainer, training: Training, processes: Processes, help: Callable[..., object] | None = None
) -> None:
    """Train until `max_steps`, or the end of a step after which the host wants no more, with a checkpoint kept.

    Args:
        help: what the other processes do when the first asks them, while it evaluates a model that they share.

    Raises JobError if the numbers end the stage.
    """
    checkpoint = processes.from_first(lambda: last_checkpoint(training.checkpoints, processes.count))
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(StepCallback(training, processes, help))
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))


class StepCallback(TrainerCallback):
    """The steps of the recipe, of which the host hears; an optimizer update of the trainer may be a part of one.

    The host is in the first process; all stop after the same step.
    """

    def __init__(self, training: Training, processes: Processes, help: Callable[..., object] | None) -> None:
        self._training, self._processes, self._help = training, processes, help
        self._updates = training.stage.updates if isinstance(training.stage, RlStage) else 1

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._processes.is_first:
            self._training.log.begin(state.global_step // self._updates)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step, rest = divmod(state.global_step, self._updates)
        if self._processes.is_first and not control.should_log:  # else the step's numbers come first, with `on_log`
            self._training.log.move_to(step)
        # a checkpoint between two updates of a step could not be resumed bit for bit
        if rest == 0 and self._processes.from_first(lambda: self._training.after_step(step), self._help):
            control.should_save = control.should_training_stop = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_: Any) -> None:
        if logs and SUMMARY not in logs and self._processes.is_first:
            self._training.log.write(state.global_step // self._updates, logs)
