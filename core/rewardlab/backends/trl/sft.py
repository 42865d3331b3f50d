"""Stage `sft`: supervised fine-tuning on rows with `response`, by TRL's SFTTrainer."""

import math
from collections.abc import Sequence
from pathlib import Path

from datasets import Dataset
from torch.utils.data import SequentialSampler
from transformers import PrinterCallback
from trl import SFTConfig, SFTTrainer

from rewardlab.backends.trl.models import load_model, load_tokenizer
from rewardlab.backends.trl.progress import Progress, StopKindly, last_checkpoint
from rewardlab.backends.trl.prompts import PromptFormat
from rewardlab.backends.trl.settings import common
from rewardlab.backends.trl.stage import StageJob, reading_order
from rewardlab.recipe import SftStage
from rewardlab.types import Sample


class _InOrder(SFTTrainer):
    """SFTTrainer that reads the rows in the order given: the curriculum has decided it."""

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> SequentialSampler:
        return SequentialSampler(self.train_dataset if train_dataset is None else train_dataset)


def train(job: StageJob, stage: SftStage, samples: Sequence[Sample], model: str, output: Path) -> None:
    """Train `model` (a folder or hub name) on `samples` and write the result to `output`.

    Raises KeyboardInterrupt after a kind stop, with a checkpoint kept.
    """
    steps = stage.steps or max(1, math.ceil(len(samples) * stage.epochs / stage.batch_size))
    micro = stage.micro_batch_size or stage.batch_size
    tokenizer = load_tokenizer(model)
    shape = PromptFormat(tokenizer, stage.chat)
    rows = [samples[i] for i in reading_order(job.plan, samples, steps * stage.batch_size)]
    checkpoints, logs = job.run.folder("checkpoints", job.name), job.run.folder("logs")
    arguments = SFTConfig(
        **common(stage, job.plan.recipe.backend, job.plan.recipe.seed, checkpoints, logs),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=stage.batch_size // micro,
        max_steps=steps,
        save_strategy="steps",
        save_steps=stage.save_every or steps,
        logging_steps=max(1, min(20, steps // 20)),
        max_length=stage.max_tokens,
        completion_only_loss=True,
    )
    stop = StopKindly()
    trainer = _InOrder(
        model=load_model(model),
        args=arguments,
        train_dataset=Dataset.from_list(
            [{"prompt": shape.prompt(s), "completion": shape.response(s.fields["response"])} for s in rows]
        ),
        processing_class=tokenizer,
        callbacks=[Progress(job.name, logs / f"{job.name}.jsonl", job.run.attempt), stop],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=last_checkpoint(checkpoints))
    if stop.stopped:
        raise KeyboardInterrupt
    trainer.save_model(str(output))
    tokenizer.save_pretrained(str(output))
