"""Stage `sft`: supervised fine-tuning on rows with `response`, by TRL's SFTTrainer."""

from collections.abc import Iterator, Sequence

import numpy as np
from datasets import Dataset
from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab.training import PromptFormat, SftStage, StageJob, kind_of, reading_order, steps_of
from torch.utils.data import SequentialSampler
from trl import SFTConfig, SFTTrainer

from rewardlab_trl.models import Policy, load_policy
from rewardlab_trl.options import options_of
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
    recipe = job.plan.recipe
    policy = load_policy(source, device(options_of(job.plan)))
    kept, rows = _rows(job, stage, samples, policy)
    steps = steps_of(stage, len(rows))
    order = reading_order(job.plan, kept, steps * stage.batch_size)
    checkpoints = job.run.folder("checkpoints", job.name)
    micro = stage.micro_batch_size or stage.batch_size
    arguments = SFTConfig(
        **shared_arguments(stage, options_of(job.plan), recipe.seed, checkpoints, updates=1),
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
        train_dataset=Dataset.from_list(rows).select(order),
        processing_class=policy.tokenizer,
    )
    with Trackers(job) as trackers:
        train_to_the_end(trainer, job, trackers)
    policy.save(job.output)


def _rows(
    job: StageJob, stage: SftStage, samples: Sequence[Sample], policy: Policy
) -> tuple[list[Sample], list[dict[str, np.ndarray]]]:
    """Return the samples that can be trained on and, for each, its tokens and labels; print how many cannot."""
    limit = stage.max_tokens or policy.context
    if policy.context is not None and limit is not None and limit > policy.context:
        raise UserError(f"max_tokens {limit} is more than the model's context, {policy.context}", where=job.where)
    kept, rows, cut = [], [], 0
    for sample, prompt, answer in _tokenized(stage, samples, policy):
        length = len(prompt) + len(answer)
        if limit is not None and length > limit:
            if stage.max_tokens is None or len(prompt) >= limit:
                continue
            cut += 1
        ids = np.array([*prompt, *answer][:limit], dtype=np.int32)
        labels = ids.copy()
        labels[: len(prompt)] = IGNORED
        kept.append(sample)
        rows.append({"input_ids": ids, "labels": labels})
    if not rows:
        raise UserError(f"none of the {len(samples)} rows fits into {limit} tokens", where=job.where)
    if cut:
        job.say(f"cut {cut} of {len(samples)} rows at max_tokens, {limit}")
    if left_out := len(samples) - len(rows):
        what = "with no room for the response in max_tokens" if stage.max_tokens else "longer than the context"
        job.say(f"left out {left_out} of {len(samples)} rows {what}, {limit}")
    return kept, rows


def _tokenized(
    stage: SftStage, samples: Sequence[Sample], policy: Policy
) -> Iterator[tuple[Sample, list[int], list[int]]]:
    prompt_format = PromptFormat(policy.tokenizer, stage.chat, policy.ends)
    for sample in samples:
        response = sample.fields.get("response")
        if not isinstance(response, str):
            raise UserError(f"response must be a text, not {kind_of(response)}", where=sample.source or sample.id)
        yield sample, prompt_format.tokens(prompt_format.text(sample)), prompt_format.answer(sample, response)
