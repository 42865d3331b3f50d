"""Stage `dpo`: direct preference optimisation on rows with `chosen` and `rejected`, by TRL's DPOTrainer."""

from typing import Any

from datasets import Dataset
from rewardlab.recipe import DpoStage
from rewardlab_training import Training
from torch.utils.data import SequentialSampler
from trl import DPOConfig, DPOTrainer

from rewardlab_trl.adapters import peft_config, restore_adapter_dropout
from rewardlab_trl.models import CausalModel
from rewardlab_trl.position_ids import count_from_the_first_token
from rewardlab_trl.processes import Processes
from rewardlab_trl.trainer_arguments import configuration, shared_arguments


class _InOrderDPOTrainer(DPOTrainer):
    """A DPOTrainer that reads rows of token ids, in the order given, which the curriculum has decided."""

    def _prepare_dataset(self, dataset: Dataset, *_: Any, **__: Any) -> Dataset:
        return dataset

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> SequentialSampler:
        rows = self.train_dataset if train_dataset is None else train_dataset
        return SequentialSampler(rows)  # type: ignore[arg-type]  # transformers' annotation has it without a length


def make_trainer(training: Training, model: CausalModel, processes: Processes) -> DPOTrainer:
    """Return a trainer of `model` on the pairs; the reference is the model as it was loaded, also after a resume."""
    stage = training.stage
    assert isinstance(stage, DpoStage)
    pairs = [
        {"prompt_ids": row.prompt, "chosen_ids": row.texts[0], "rejected_ids": row.texts[1]} for row in training.rows
    ]
    trainer = _InOrderDPOTrainer(
        model=model.model,
        args=configuration(
            DPOConfig, training, **shared_arguments(training, processes.count), beta=stage.beta, max_length=None
        ),
        train_dataset=Dataset.from_list(pairs).select(training.order),
        processing_class=model.tokenizer,
        peft_config=peft_config(training.job, model.model),
    )
    restore_adapter_dropout(training.job, trainer.model)
    if trainer.ref_model is not None:
        count_from_the_first_token(trainer.ref_model)
    return trainer
