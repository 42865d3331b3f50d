"""Stage `rl`: reinforcement learning with the recipe's reward, by TRL's GRPOTrainer.

TRL generates, subtracts the group's mean and optimises; the reward and the advantage are ours (`advantages`).
One trainer serves every algorithm, since `algorithm` names the advantage only.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from rewardlab.backends.trl.advantages import advantages
from rewardlab.backends.trl.check import LOSSES, PAPER_LOSS
from rewardlab.backends.trl.evaluation import Evaluator
from rewardlab.backends.trl.models import load_model, load_tokenizer
from rewardlab.backends.trl.progress import Progress, StopKindly, last_checkpoint
from rewardlab.backends.trl.prompts import PromptFormat
from rewardlab.backends.trl.settings import common
from rewardlab.backends.trl.stage import StageJob, reading_order
from rewardlab.composition import MissingGuard, ScoredGroup
from rewardlab.errors import UserError
from rewardlab.recipe import RlStage
from rewardlab.scoring import Scorer
from rewardlab.types import Completion, Group, Sample


def train(
    job: StageJob, stage: RlStage, samples: Sequence[Sample], model: str, output: Path, evaluator: Evaluator | None
) -> None:
    """Train `model` (a folder or hub name) on the prompts of `samples` and write the result to `output`.

    Raises KeyboardInterrupt after a kind stop, with a checkpoint kept.
    """
    tokenizer = load_tokenizer(model)
    shape = PromptFormat(tokenizer, stage.chat)
    samples = _short_enough(job, stage, samples, shape)
    steps = stage.steps or max(1, math.floor(len(samples) * stage.epochs / stage.batch_size))
    order = reading_order(job.plan, samples, steps * stage.batch_size)
    checkpoints = job.run.folder("checkpoints", job.name)
    log = job.run.folder("logs") / f"{job.name}.jsonl"
    policy, stop = load_model(model), StopKindly(stage.updates_per_batch)
    if evaluator is not None:
        evaluator.before(policy, tokenizer, shape)
    with Scorer(job.plan, zero_truncated=stage.on_truncated == "zero") as scorer:
        scorer.warm()
        reward = StepReward(job, stage, samples, scorer, shape)
        callbacks = [Progress(job.name, log, job.run.attempt, stage.updates_per_batch), stop]
        if evaluator is not None and stage.eval_every:
            callbacks.append(_EvaluateEvery(stage.eval_every, stage.updates_per_batch, evaluator, shape))
        trainer = _OwnOrder(
            model=policy,
            reward_funcs=reward,
            args=_arguments(job, stage, shape, steps, checkpoints),
            train_dataset=Dataset.from_list([{"prompt": shape.prompt(samples[i]), "row": i} for i in order]),
            processing_class=tokenizer,
            callbacks=callbacks,
        )
        trainer.remove_callback(PrinterCallback)
        reward.ends = frozenset([*trainer.eos_token_ids, tokenizer.pad_token_id])
        trainer.train(resume_from_checkpoint=last_checkpoint(checkpoints))
    if stop.stopped:
        raise KeyboardInterrupt
    if evaluator is not None:
        evaluator.after(trainer.model, tokenizer, shape)
    trainer.save_model(str(output))
    tokenizer.save_pretrained(str(output))


def _arguments(job: StageJob, stage: RlStage, shape: PromptFormat, steps: int, checkpoints: Path) -> GRPOConfig:
    completions = stage.batch_size * stage.group_size
    update = completions // stage.updates_per_batch
    micro = stage.micro_batch_size or update
    recipe, save = job.plan.recipe, stage.save_every or steps
    return GRPOConfig(
        **common(stage, recipe.backend, recipe.seed, checkpoints, job.run.folder("logs")),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=update // micro,
        steps_per_generation=completions // micro,
        num_generations=stage.group_size,
        # a checkpoint between two updates of one batch could not be resumed bit for bit
        max_steps=steps * stage.updates_per_batch,
        save_strategy="steps",
        save_steps=save * stage.updates_per_batch,
        logging_steps=stage.updates_per_batch,
        max_completion_length=stage.max_new_tokens,
        temperature=stage.temperature,
        top_p=1.0,
        top_k=0,
        loss_type=LOSSES[stage.loss or PAPER_LOSS[stage.algorithm]],
        scale_rewards="none",
        epsilon=stage.clip[0],
        epsilon_high=stage.clip[1],
        beta=stage.kl.coef,
        mask_truncated_completions=stage.on_truncated == "mask",
        chat_template_kwargs=shape.template_options,
        shuffle_dataset=False,
        use_vllm=False,
        remove_unused_columns=False,
    )


def _short_enough(job: StageJob, stage: RlStage, samples: Sequence[Sample], shape: PromptFormat) -> Sequence[Sample]:
    if stage.max_prompt_tokens is None:
        return samples
    kept = [sample for sample in samples if len(shape.tokens(sample)) <= stage.max_prompt_tokens]
    if not kept:
        raise UserError(
            f"stages.{job.index}.max_prompt_tokens: all {len(samples)} prompts are longer than "
            f"{stage.max_prompt_tokens} tokens"
        )
    if len(kept) < len(samples):
        left_out = len(samples) - len(kept)
        job.say(f"left out {left_out} of {len(samples)} prompts longer than {stage.max_prompt_tokens} tokens")
    return kept


class StepReward:
    """The reward function that TRL calls once a step with B x G completions, groups contiguous.

    Scores them, writes the ledger, logs a mean for each component, and returns the advantages.
    """

    __name__ = "advantage"  # TRL's name for the function in its logs

    def __init__(
        self, job: StageJob, stage: RlStage, samples: Sequence[Sample], scorer: Scorer, shape: PromptFormat
    ):
        self._job = job
        self._stage = stage
        self._samples = samples
        self._scorer = scorer
        self._shape = shape
        uses = job.plan.recipe.reward.components
        self._guard = MissingGuard({name: uses[name] for name in job.plan.expression.names})
        self.ends: frozenset[int] = frozenset()

    def __call__(
        self, completion_ids: Sequence[list[int]], row: Sequence[int], trainer_state: Any, log_metric: Any, **_: Any
    ) -> list[float]:
        """B x G advantages. A JobError where a component failed and its policy says so."""
        scored = self._scorer.score_groups(self._groups(completion_ids, row))
        self._guard.reset()
        for group in scored:
            self._guard.count(group)
        step = trainer_state.global_step // self._stage.updates_per_batch + 1
        self._job.ledger.write(self._job.index, step, scored, trained="yes")
        self._guard.check()
        for name, value in step_metrics(scored).items():
            log_metric(name, value)
        return advantages(self._stage.algorithm, scored)

    def _groups(self, completion_ids: Sequence[list[int]], rows: Sequence[int]) -> list[Group]:
        size, groups = self._stage.group_size, []
        texts = self._shape.decode(completion_ids)
        for start in range(0, len(rows), size):
            if len(set(rows[start : start + size])) != 1:
                raise AssertionError("TRL did not keep the completions of a prompt together")
            sample = self._samples[rows[start]]
            opened = self._shape.opened(sample)
            completions = tuple(
                Completion(text=opened + texts[i], token_count=len(ids), truncated=ids[-1] not in self.ends)
                for i, ids in enumerate(completion_ids[start : start + size], start)
            )
            groups.append(Group(sample=sample, completions=completions))
        return groups


def step_metrics(scored: Sequence[ScoredGroup]) -> dict[str, float]:
    """Means over a step, with the same keys at every step; a component without any value is NaN."""
    totals = [total for group in scored for total in group.total if total is not None]
    metrics = {"reward/total": _mean(totals)}
    flat = sum(len({t for t in group.total if t is not None}) <= 1 for group in scored)
    metrics["reward/groups_without_variance"] = flat / len(scored)
    for name in scored[0].components:
        scores = [score for group in scored for score in group.components[name]]
        metrics[f"reward/{name}"] = _mean([s.value for s in scores if s.value is not None])
        metrics[f"missing/{name}"] = sum(s.value is None and s.error is not None for s in scores) / len(scores)
    return metrics


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


class _OwnOrder(GRPOTrainer):
    """GRPOTrainer whose logs do not call our advantages "reward"."""

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        for name in [k for k in self._metrics["train"] if k.startswith(("rewards/", "reward_")) or k == "reward"]:
            del self._metrics["train"][name]
        super().log(logs, start_time)


class _EvaluateEvery(TrainerCallback):
    def __init__(self, every: int, updates_per_step: int, evaluator: Evaluator, shape: PromptFormat):
        self._every = every
        self._per_step = updates_per_step
        self._evaluator = evaluator
        self._shape = shape

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        step, rest = divmod(state.global_step, self._per_step)
        if rest == 0 and step % self._every == 0 and state.global_step < state.max_steps:
            self._evaluator.during(step, given["model"], given["processing_class"], self._shape)
