"""Running a trainer of TRL: from the last checkpoint on, with progress and a graceful stop."""

from rewardlab.training import DivergenceWatch, StageJob
from transformers import PrinterCallback, Trainer

from rewardlab_trl.checkpoints import last_checkpoint
from rewardlab_trl.interrupts import GracefulStop
from rewardlab_trl.progress import TrainingProgress, logged_steps
from rewardlab_trl.trackers import Trackers


def train_to_the_end(trainer: Trainer, job: StageJob, trackers: Trackers, updates: int = 1) -> None:
    """Train until `max_steps`; the trackers are told, and stay open.

    updates: of the optimizer in one step of the recipe. Raises KeyboardInterrupt after a graceful stop, with a
    checkpoint kept, and JobError if the training has diverged and must end.
    """
    checkpoint = last_checkpoint(job.run.folder("checkpoints", job.name))
    logs, attempt = job.run.folder("logs"), job.run.attempt
    history = logged_steps(job.name, logs)
    watch = DivergenceWatch(job.plan, job.run.path, job.index, attempt, job.say, history)
    progress = TrainingProgress(job.name, logs, attempt, watch, updates)
    with progress, GracefulStop(updates, job.run.stop) as stop:
        trainer.remove_callback(PrinterCallback)
        trackers.add_to(trainer)
        trainer.add_callback(progress)
        # added last, so that an interrupt while another callback evaluates counts for this step
        trainer.add_callback(stop)
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    if stop.stopped:
        raise KeyboardInterrupt
