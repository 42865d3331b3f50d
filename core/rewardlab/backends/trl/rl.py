"""Stage `rl`: reinforcement learning with the recipe's reward, by TRL's GRPOTrainer.

TRL generates, subtracts the group's mean and optimises; the reward and the advantage are ours (`advantages`).
One trainer serves every algorithm, since `algorithm` names the advantage only.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from rewardlab.backends.lengths import fitting_prompts
from rewardlab.backends.prompts import PromptFormat
from rewardlab.backends.stage import StageJob, reading_order, steps_of
from rewardlab.backends.trl.check import LOSSES, PAPER_LOSS
from rewardlab.backends.trl.dropout import switch_off
from rewardlab.backends.trl.evaluation import Evaluator
from rewardlab.backends.trl.models import Policy, load_policy
from rewardlab.backends.trl.positions import count_from_the_first_token
from rewardlab.backends.trl.settings import common, device, one_gpu
from rewardlab.backends.trl.step_reward import StepReward
from rewardlab.backends.trl.training import train_to_the_end
from rewardlab.recipe import RlStage
from rewardlab.scoring import Scorer
from rewardlab.types import Sample

STOCK_REWARD = ("rewards/", "reward_", "frac_reward_")
"""how TRL's metrics of what it takes for the reward begin; ours begin with `reward/`"""


def train(job: StageJob, stage: RlStage, samples: Sequence[Sample], source: str, evaluator: Evaluator | None) -> None:
    """Train the policy of `source` (a folder or hub name) on the prompts and write it to the stage's output.

    Raises KeyboardInterrupt after a kind stop, with a checkpoint kept.
    """
    policy = load_policy(source, device(job.plan.recipe.backend))
    shape = PromptFormat(policy.tokenizer, stage.chat, policy.ends)
    samples = fitting_prompts(
        policy.context, shape, samples, stage.max_new_tokens, stage.max_prompt_tokens, job.where, job.say
    )
    with job.open_scorer(zero_truncated=stage.on_truncated == "zero") as scorer:
        scorer.warm()
        if evaluator is not None:
            evaluator.before(policy, shape, scorer)
        reward = StepReward(job, stage, samples, scorer, shape, policy.ends)
        trainer = make_trainer(job, stage, samples, policy, shape, reward)
        if evaluator is not None and stage.eval_every:
            trainer.add_callback(_EvaluateEvery(stage, evaluator, policy, shape, scorer))
        train_to_the_end(trainer, job, stage.updates_per_batch)
        if evaluator is not None:
            evaluator.after(policy, shape, scorer)
        for line in scorer.judges.summary():
            job.say(line)
    policy.save(job.output)


def make_trainer(
    job: StageJob, stage: RlStage, samples: Sequence[Sample], policy: Policy, shape: PromptFormat, reward: StepReward
) -> GRPOTrainer:
    """A GRPOTrainer that reads the prompts in the curriculum's order; `reward` is its reward function."""
    steps = steps_of(stage, len(samples))
    order = reading_order(job.plan, samples, steps * stage.batch_size)
    switch_off(policy.model)
    prompts = [{"prompt": shape.text(sample), "row": row} for row, sample in enumerate(samples)]
    trainer = _Trainer(
        model=policy.model,
        reward_funcs=reward,  # type: ignore[arg-type]  # TRL's annotation takes list[float | None], not list[float]
        args=one_gpu(_arguments(job, stage, steps, job.run.folder("checkpoints", job.name))),
        train_dataset=Dataset.from_list(prompts).select(order),
        processing_class=policy.tokenizer,
    )
    trainer.shape = shape
    if trainer.ref_model is not None:
        count_from_the_first_token(trainer.ref_model)
    return trainer


def _arguments(job: StageJob, stage: RlStage, steps: int, checkpoints: Path) -> GRPOConfig:
    completions, updates = stage.batch_size * stage.group_size, stage.updates_per_batch
    micro = stage.micro_batch_size or completions // updates
    recipe = job.plan.recipe
    return GRPOConfig(
        **common(stage, recipe.backend, recipe.seed, checkpoints, updates),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=completions // updates // micro,
        steps_per_generation=completions // micro,
        num_generations=stage.group_size,
        # a checkpoint between two updates of one batch could not be resumed bit for bit
        max_steps=steps * updates,
        save_steps=(stage.save_every or steps) * updates,
        logging_steps=updates,
        max_completion_length=stage.max_new_tokens,
        temperature=stage.temperature,
        top_p=1.0,
        top_k=0,
        repetition_penalty=1.0,
        loss_type=LOSSES[stage.loss or PAPER_LOSS[stage.algorithm]],
        scale_rewards="none",
        epsilon=stage.clip[0],
        epsilon_high=stage.clip[1],
        beta=stage.kl.coef,
        mask_truncated_completions=stage.on_truncated == "mask",
        shuffle_dataset=False,
        use_vllm=False,
        remove_unused_columns=False,
    )


class _Trainer(GRPOTrainer):
    """GRPOTrainer that takes our token ids of a prompt, and does not log our advantages as "reward"."""

    shape: PromptFormat

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
        return [self.shape.tokens(prompt) for prompt in prompts], None, {}

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        for name in [name for name in self._metrics["train"] if name == "reward" or name.startswith(STOCK_REWARD)]:
            del self._metrics["train"][name]
        super().log(logs, start_time)


class _EvaluateEvery(TrainerCallback):
    def __init__(self, stage: RlStage, evaluator: Evaluator, policy: Policy, shape: PromptFormat, scorer: Scorer):
        self._every = stage.eval_every
        self._updates = stage.updates_per_batch
        self._evaluator = evaluator
        self._policy = policy
        self._shape = shape
        self._scorer = scorer

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step, rest = divmod(state.global_step, self._updates)
        if rest == 0 and step % self._every == 0 and state.global_step < state.max_steps:
            self._evaluator.during(step, self._policy, self._shape, self._scorer)
