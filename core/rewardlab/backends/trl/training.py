"""Running a trainer of TRL's: from the last checkpoint on, with progress and a kind stop."""

from transformers import PrinterCallback, Trainer

from rewardlab.backends.stage import StageJob
from rewardlab.backends.trl.checkpoints import last_checkpoint
from rewardlab.backends.trl.progress import Progress
from rewardlab.backends.trl.stopping import StopKindly


def train_to_the_end(trainer: Trainer, job: StageJob, updates: int = 1) -> None:
    """Train until `max_steps`; `updates` are the optimizer's in one step of the recipe.

    Raises KeyboardInterrupt after a kind stop, with a checkpoint kept.
    """
    checkpoint = last_checkpoint(job.run.folder("checkpoints", job.name))
    tensorboard = job.plan.recipe.backend.tensorboard
    progress = Progress(job.name, job.run.folder("logs"), job.run.attempt, updates, tensorboard)
    with progress, StopKindly(updates) as stop:
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(progress)
        # last, so that an interrupt while another callback evaluates counts for this step
        trainer.add_callback(stop)
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    if stop.stopped:
        raise KeyboardInterrupt
