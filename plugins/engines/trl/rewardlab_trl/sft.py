"""Stage `sft`: supervised fine-tuning on rows with `response`, by TRL's SFTTrainer."""

import numpy as np
from datasets import Dataset
from rewardlab_training import TokenRow, Training
from torch.utils.data import SequentialSampler
from trl import SFTConfig, SFTTrainer

from rewardlab_trl.adapters import peft_config
from rewardlab_trl.models import CausalModel
from rewardlab_trl.processes import Processes
from rewardlab_trl.trainer_arguments import configuration, shared_arguments

IGNORED = -100
"""label of the tokens that are read but not learnt: the prompt's"""


class _InOrderTrainer(SFTTrainer):
    """An SFTTrainer that reads the rows in the order given, which the curriculum has decided."""

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> SequentialSampler:
        rows = self.train_dataset if train_dataset is None else train_dataset
        return SequentialSampler(rows)  # type: ignore[arg-type]  # transformers' annotation has it without a length


def make_trainer(training: Training, model: CausalModel, processes: Processes) -> SFTTrainer:
    """Return a trainer of `model` on the rows."""
    return _InOrderTrainer(
        model=model.model,
        args=configuration(SFTConfig, training, **shared_arguments(training, processes.count), max_length=None),
        train_dataset=Dataset.from_list(list(map(_labelled, training.rows))).select(training.order),
        processing_class=model.tokenizer,
        peft_config=peft_config(training.job, model.model),
    )


def _labelled(row: TokenRow) -> dict[str, np.ndarray]:
    ids = np.array([*row.prompt, *row.texts[0]], dtype=np.int32)
    labels = ids.copy()
    labels[: len(row.prompt)] = IGNORED
    return {"input_ids": ids, "labels": labels}
