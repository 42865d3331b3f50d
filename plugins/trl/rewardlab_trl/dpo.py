"""Stage `dpo`: direct preference optimisation on rows with `chosen` and `rejected`, by TRL's DPOTrainer."""

from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from rewardlab import Sample
from rewardlab.recipe import DpoStage
from rewardlab.training import StageJob, reading_order, steps_of
from torch.utils.data import SequentialSampler
from trl import DPOConfig, DPOTrainer

from rewardlab_trl.adapters import peft_config, restore_adapter_dropout
from rewardlab_trl.finished_model import write_model
from rewardlab_trl.models import load_policy
from rewardlab_trl.options import options_of
from rewardlab_trl.position_ids import count_from_the_first_token
from rewardlab_trl.token_rows import token_rows
from rewardlab_trl.trackers import Trackers, tracked_name
from rewardlab_trl.train import train_to_the_end
from rewardlab_trl.trainer_arguments import device, one_gpu, shared_arguments


class _InOrderDPOTrainer(DPOTrainer):
    """A DPOTrainer that reads rows of token ids, in the order given, which the curriculum has decided."""

    def _prepare_dataset(self, dataset: Dataset, *_: Any, **__: Any) -> Dataset:
        return dataset

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> SequentialSampler:
        rows = self.train_dataset if train_dataset is None else train_dataset
        return SequentialSampler(rows)  # type: ignore[arg-type]  # transformers' annotation has it without a length


def train(job: StageJob, stage: DpoStage, samples: Sequence[Sample], source: str) -> None:
    """Train the policy of `source` (a folder or hub name) on pairs and write it to the stage's output.

    The reference is the policy as it is in `source`, also after a resume. Raises KeyboardInterrupt after a graceful
    stop, with a checkpoint kept.
    """
    recipe, options = job.plan.recipe, options_of(job.plan)
    policy = load_policy(source, device(options))
    rows = token_rows(job, stage, samples, policy, ("chosen", "rejected"))
    steps = steps_of(stage, len(rows))
    order = reading_order(job.plan, job.index, [row.sample for row in rows])
    checkpoints = job.run.folder("checkpoints", job.name)
    micro = stage.micro_batch_size or stage.batch_size
    arguments = DPOConfig(
        **shared_arguments(stage, options, recipe.seed, checkpoints, steps),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=stage.batch_size // micro,
        max_steps=steps,
        save_steps=stage.save_every or steps,
        logging_steps=max(1, min(20, steps // 20)),
        beta=stage.beta,
        max_length=None,
        run_name=tracked_name(job),
    )
    pairs = [{"prompt_ids": row.prompt, "chosen_ids": row.texts[0], "rejected_ids": row.texts[1]} for row in rows]
    trainer = _InOrderDPOTrainer(
        model=policy.model,
        args=one_gpu(arguments),
        train_dataset=Dataset.from_list(pairs).select(order),
        processing_class=policy.tokenizer,
        peft_config=peft_config(job, policy.model),
    )
    restore_adapter_dropout(job, trainer.model)
    if trainer.ref_model is not None:
        count_from_the_first_token(trainer.ref_model)
    with Trackers(job) as trackers:
        train_to_the_end(trainer, job, trackers)
    write_model(job, trainer.model, policy, source)
