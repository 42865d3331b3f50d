"""Stage `rl`: reinforcement learning with the recipe's reward, by TRL's GRPOTrainer.

TRL generates and optimises; the reward and the advantages come from rewardlab. One trainer serves every algorithm,
since `algorithm` names the advantage only.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from rewardlab import Sample
from rewardlab.recipe import RlStage
from rewardlab.scoring import Scorer
from rewardlab.training import PromptFormat, StageJob, fitting_prompts, reading_order, steps_of
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from rewardlab_trl.adapters import peft_config
from rewardlab_trl.check import LOSSES, PAPER_LOSS
from rewardlab_trl.completions import CompletionReader
from rewardlab_trl.dropout import switch_off_dropout
from rewardlab_trl.evaluation import Evaluator
from rewardlab_trl.finished_model import write_model
from rewardlab_trl.models import Policy, load_policy
from rewardlab_trl.options import options_of
from rewardlab_trl.policy_judge import policy_answers
from rewardlab_trl.position_ids import count_from_the_first_token
from rewardlab_trl.sampled_groups import SampledGroups
from rewardlab_trl.step_reward import StepReward
from rewardlab_trl.trackers import Trackers, tracked_name
from rewardlab_trl.train import train_to_the_end
from rewardlab_trl.trainer_arguments import device, one_gpu, shared_arguments

STOCK_REWARD = ("rewards/", "reward_", "frac_reward_")
"""prefixes of TRL's metrics of its reward, which here is the advantage; rewardlab's metrics begin with `reward/`"""


def train(job: StageJob, stage: RlStage, samples: Sequence[Sample], source: str, evaluator: Evaluator | None) -> None:
    """Train the policy of `source` (a folder or hub name) on the prompts and write it to the stage's output.

    Raises KeyboardInterrupt after a graceful stop, with a checkpoint kept.
    """
    policy = load_policy(source, device(options_of(job.plan)))
    prompt_format = PromptFormat(policy.tokenizer, stage.chat, policy.ends)
    samples = fitting_prompts(
        policy.context, prompt_format, samples, stage.max_new_tokens, stage.max_prompt_tokens, job.where, job.say
    )
    updates = stage.updates
    with (
        policy_answers(job, policy, source) as answers,
        job.open_scorer(zero_truncated=stage.on_truncated == "zero", policy=answers) as scorer,
        Trackers(job, updates) as trackers,
    ):
        scorer.warm()
        if evaluator is not None:
            evaluator.trackers = trackers
            if stage.eval_before:
                evaluator.before(policy, prompt_format, scorer)
        reader = CompletionReader(samples, prompt_format, policy.ends, stage.group_size)
        sampled = SampledGroups(scorer, reader) if job.plan.sampler is not None else None
        reward = StepReward(job, stage, scorer, reader, sampled)
        trainer = make_trainer(job, stage, samples, policy, prompt_format, reward)
        if evaluator is not None and stage.eval_every:
            trainer.add_callback(_PeriodicEvaluation(stage, evaluator, policy, prompt_format, scorer))
        train_to_the_end(trainer, job, trackers, updates)
        if evaluator is not None:
            evaluator.after(trainer.state.global_step // updates, policy, prompt_format, scorer)
        for line in scorer.judges.summary():
            job.say(line)
    write_model(job, trainer.model, policy, source)


def make_trainer(
    job: StageJob,
    stage: RlStage,
    samples: Sequence[Sample],
    policy: Policy,
    prompt_format: PromptFormat,
    reward: StepReward,
) -> GRPOTrainer:
    """Return a GRPOTrainer that reads the prompts in the curriculum's order; `reward` is its reward function."""
    steps = steps_of(stage, len(samples))
    order = reading_order(job.plan, job.index, samples)
    prompts = [{"prompt": prompt_format.text(sample), "row": row} for row, sample in enumerate(samples)]
    trainer = _Trainer(
        model=policy.model,
        reward_funcs=reward,  # type: ignore[arg-type]  # TRL's annotation takes list[float | None], not list[float]
        args=one_gpu(_arguments(job, stage, steps, job.run.folder("checkpoints", job.name))),
        train_dataset=Dataset.from_list(prompts).select(order),
        processing_class=policy.tokenizer,
        peft_config=peft_config(job, policy.model),
    )
    switch_off_dropout(trainer.model)  # of adapters, too
    trainer.prompt_format = prompt_format
    trainer.reward = reward
    if trainer.ref_model is not None:
        count_from_the_first_token(trainer.ref_model)
    return trainer


def _arguments(job: StageJob, stage: RlStage, steps: int, checkpoints: Path) -> GRPOConfig:
    completions, updates = stage.batch_size * stage.group_size, stage.updates
    each = completions // stage.updates_per_batch
    micro = stage.micro_batch_size or each
    recipe = job.plan.recipe
    return GRPOConfig(
        **shared_arguments(stage, options_of(job.plan), recipe.seed, checkpoints, steps, updates),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=each // micro,
        steps_per_generation=completions // micro,
        num_iterations=stage.epochs_per_batch,
        num_generations=stage.group_size,
        # a checkpoint between two updates of one batch could not be resumed bit for bit
        max_steps=steps * updates,
        save_steps=(stage.save_every or steps) * updates,
        logging_steps=updates,
        max_completion_length=stage.max_new_tokens,
        temperature=stage.temperature,
        top_p=stage.top_p,
        top_k=stage.top_k or 0,
        repetition_penalty=1.0,
        loss_type=LOSSES[stage.loss or PAPER_LOSS[stage.algorithm]],
        scale_rewards="none",
        epsilon=stage.clip[0],
        epsilon_high=stage.clip[1],
        beta=stage.kl.coef,
        mask_truncated_completions=stage.on_truncated == "mask",
        shuffle_dataset=False,
        use_vllm=False,
        run_name=tracked_name(job),
        remove_unused_columns=False,
    )


class _Trainer(GRPOTrainer):
    """A GRPOTrainer that takes a prompt's token ids from the prompt format, and does not log advantages as "reward".

    It trains on the reward's values as they are, in the place of TRL's own advantages, which are less the group's mean.
    With a group sampler it generates further completions until that has enough, and trains on those that it chooses.
    What the reward drops is left out of the loss, as TRL itself leaves out truncated completions.
    """

    prompt_format: PromptFormat
    reward: StepReward
    _asked: Sequence[dict[str, Any]] = ()

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self._asked = inputs
        batch = super()._generate_and_score_completions(inputs)
        given = batch["advantages"]
        batch["advantages"] = torch.tensor(self.reward.advantages, device=given.device, dtype=given.dtype)
        if any(self.reward.dropped):
            mask = batch["completion_mask"]
            kept = [not drop for drop in self.reward.dropped]
            batch["completion_mask"] = mask * torch.tensor(kept, device=mask.device, dtype=mask.dtype).unsqueeze(1)
            batch["num_items_in_batch"] = batch["completion_mask"].sum()
        return batch

    def _generate_single_turn(self, prompt_ids: list[list[int]], *rest: Any, **options: Any) -> Any:
        generate = super()._generate_single_turn
        completion_ids, log_probs = generate(prompt_ids, *rest, **options)
        if self.reward.sampled is None:
            return completion_ids, log_probs

        def further(places: Sequence[int]) -> list[list[int]]:
            made: list[list[int]] = []
            for start in range(0, len(places), len(prompt_ids)):  # as many at once as fit into memory before
                some = [prompt_ids[place] for place in places[start : start + len(prompt_ids)]]
                made += generate(some, *rest, **options)[0]
            return made

        prompts, rows = ([row[name] for row in self._asked] for name in ("prompt", "row"))
        return self.reward.sampled.choose(prompts, rows, completion_ids, further), None

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
        return [self.prompt_format.tokens(prompt) for prompt in prompts], None, {}

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        for name in [name for name in self._metrics["train"] if name == "reward" or name.startswith(STOCK_REWARD)]:
            del self._metrics["train"][name]
        super().log(logs, start_time)


class _PeriodicEvaluation(TrainerCallback):
    """Evaluations every `eval_every` steps of the recipe, except after the last."""

    def __init__(
        self, stage: RlStage, evaluator: Evaluator, policy: Policy, prompt_format: PromptFormat, scorer: Scorer
    ) -> None:
        self._every = stage.eval_every
        self._updates = stage.updates
        self._evaluator = evaluator
        self._policy = policy
        self._prompt_format = prompt_format
        self._scorer = scorer

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step, rest = divmod(state.global_step, self._updates)
        if rest == 0 and step % self._every == 0 and state.global_step < state.max_steps:
            self._evaluator.during(step, self._policy, self._prompt_format, self._scorer)
