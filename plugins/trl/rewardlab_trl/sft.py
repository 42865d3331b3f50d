"""Stage `sft`: supervised fine-tuning on rows with `response`, by TRL's SFTTrainer."""

from collections.abc import Sequence

import numpy as np
from datasets import Dataset
from rewardlab import Sample
from rewardlab.recipe import SftStage
from rewardlab.training import StageJob, reading_order, steps_of
from torch.utils.data import SequentialSampler
from trl import SFTConfig, SFTTrainer

from rewardlab_trl.adapters import peft_config
from rewardlab_trl.finished_model import write_model
from rewardlab_trl.models import load_policy
from rewardlab_trl.options import options_of
from rewardlab_trl.token_rows import TokenRow, token_rows
from rewardlab_trl.trackers import Trackers, tracked_name
from rewardlab_trl.train import train_to_the_end
from rewardlab_trl.trainer_arguments import device, one_gpu, shared_arguments

IGNORED = -100
"""label of the tokens that are read but not learnt: the prompt's"""


class _InOrderTrainer(SFTTrainer):
    """An SFTTrainer that reads the rows in the order given, which the curriculum has decided."""

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> SequentialSampler:
        rows = self.train_dataset if train_dataset is None else train_dataset
        return SequentialSampler(rows)  # type: ignore[arg-type]  # transformers' annotation has it without a length


def train(job: StageJob, stage: SftStage, samples: Sequence[Sample], source: str) -> None:
    """Train the policy of `source` (a folder or hub name) on `samples` and write it to the stage's output.

    Raises KeyboardInterrupt after a graceful stop, with a checkpoint kept.
    """
    recipe, options = job.plan.recipe, options_of(job.plan)
    policy = load_policy(source, device(options))
    rows = token_rows(job, stage, samples, policy, ("response",))
    steps = steps_of(stage, len(rows))
    order = reading_order(job.plan, job.index, [row.sample for row in rows])
    checkpoints = job.run.folder("checkpoints", job.name)
    micro = stage.micro_batch_size or stage.batch_size
    arguments = SFTConfig(
        **shared_arguments(stage, options, recipe.seed, checkpoints, steps),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=stage.batch_size // micro,
        max_steps=steps,
        save_steps=stage.save_every or steps,
        logging_steps=max(1, min(20, steps // 20)),
        max_length=None,
        run_name=tracked_name(job),
    )
    trainer = _InOrderTrainer(
        model=policy.model,
        args=one_gpu(arguments),
        train_dataset=Dataset.from_list(list(map(_labelled, rows))).select(order),
        processing_class=policy.tokenizer,
        peft_config=peft_config(job, policy.model),
    )
    with Trackers(job) as trackers:
        train_to_the_end(trainer, job, trackers)
    write_model(job, trainer.model, policy, source)


def _labelled(row: TokenRow) -> dict[str, np.ndarray]:
    ids = np.array([*row.prompt, *row.texts[0]], dtype=np.int32)
    labels = ids.copy()
    labels[: len(row.prompt)] = IGNORED
    return {"input_ids": ids, "labels": labels}
