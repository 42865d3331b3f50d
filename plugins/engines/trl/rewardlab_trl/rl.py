"""Stage `rl`: reinforcement learning with the recipe's reward, by TRL's GRPOTrainer.

TRL generates and optimises; the reward and the advantages come from rewardlab. One trainer serves every algorithm,
since `algorithm` names the advantage only.
"""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

import torch
from datasets import Dataset
from rewardlab import Completion, Group, Sample
from rewardlab.recipe import RlStage
from rewardlab_training import PromptFormat, StageReward, Training
from trl import GRPOConfig, GRPOTrainer

from rewardlab_trl.adapters import peft_config
from rewardlab_trl.dropout import switch_off_dropout
from rewardlab_trl.joint_sampling import sampled_as_one, state_behind_shuffle
from rewardlab_trl.models import CausalModel
from rewardlab_trl.options import options_of
from rewardlab_trl.position_ids import count_from_the_first_token
from rewardlab_trl.processes import Processes
from rewardlab_trl.rl_arguments import rl_arguments
from rewardlab_trl.sampling import MAX_CONCURRENT
from rewardlab_trl.stop_texts import cut_at_stop, stopping
from rewardlab_trl.trainer_arguments import configuration, shared_arguments
from rewardlab_trl.turns import Turns

REFERENCE = "reference.pt"
"""in a checkpoint: the weights of a reference that moves"""
STOCK_REWARD = ("rewards/", "reward_", "frac_reward_")
"""prefixes of TRL's metrics of its reward, which here is the advantage; rewardlab's metrics begin with `reward/`"""


def make_trainer(
    training: Training, model: CausalModel, processes: Processes, prompt_format: PromptFormat, turns: Turns | None
) -> GRPOTrainer:
    """Return a trainer of `model` that reads the prompts in the curriculum's order, and trains on our advantages.

    Args:
        turns: plays the completions of a stage with an agent.
    """
    stage = training.stage
    assert isinstance(stage, RlStage)
    prompts = [{"prompt": prompt_format.text(sample), "row": row} for row, sample in enumerate(training.samples)]
    reward = StepReward(training, stage, prompt_format, processes)
    trainer = _Trainer(
        model=model.model,
        reward_funcs=reward,  # type: ignore[arg-type]  # TRL's annotation takes list[float | None], not list[float]
        args=_arguments(training, stage, processes.count),
        train_dataset=Dataset.from_list(prompts).select(training.order),
        processing_class=model.tokenizer,
        peft_config=peft_config(training.job, model.model),
        rollout_func=None if turns is None else partial(_play, turns, training.samples, stage),
    )
    switch_off_dropout(trainer.model)  # of adapters, too
    trainer.prompt_format = prompt_format
    trainer.reward = reward
    trainer.moves_reference = stage.kl.sync_every is not None
    if trainer.ref_model is not None:
        count_from_the_first_token(trainer.ref_model)
    return trainer


def _play(
    turns: Turns, samples: Sequence[Sample], stage: RlStage, _: Sequence[str], trainer: "_Trainer"
) -> dict[str, Any]:
    """Return completions of several turns as TRL takes them; it leaves out of the loss what `env_mask` has 0 for."""
    asked = [samples[row] for row in trainer.rows_asked]
    played = turns.play(asked, trainer.generate_turn, stage.max_new_tokens, stage.stop)
    return {
        "prompt_ids": [completion.prompt for completion in played],
        "completion_ids": [completion.ids for completion in played],
        "logprobs": None,
        "env_mask": [completion.own for completion in played],
        "conversation": [completion.completion() for completion in played],
    }


def _arguments(training: Training, stage: RlStage, processes: int) -> GRPOConfig:
    own = rl_arguments(stage, options_of(training.job.plan).generation, processes)
    return configuration(GRPOConfig, training, **shared_arguments(training, processes), **own)


Part = tuple[Sequence[str], Sequence[list[int]], Sequence[int]]
"""of each completion of a process: its prompt, its token ids, and the row of its sample"""


class StepReward:
    """The function that TRL calls once a step with B x G completions, the G of a prompt one after the other.

    It hands the host their groups and TRL their advantages. Of several processes each has a part of the completions;
    the groups are put together, and scored, in the first. collects: whether a group sampler chooses the completions.
    advantages, dropped: of the last B x G completions of all processes; whether a completion is left out of the loss,
    as one of a dropped group is, or with `on_truncated: mask` a truncated one.
    """

    __name__ = "advantage"  # TRL's name for the function in its logs

    def __init__(self, training: Training, stage: RlStage, prompt_format: PromptFormat, processes: Processes) -> None:
        self.host = cast(StageReward, training.reward)  # None in the other processes, which do not ask it
        self.processes, self.collects = processes, training.job.plan.sampler is not None
        self._samples, self._stage, self._prompt_format = training.samples, stage, prompt_format
        self.size, self.stop = stage.group_size, stage.stop
        self.advantages: Sequence[float] = ()
        self.dropped: Sequence[bool] = ()

    def __call__(
        self,
        prompts: Sequence[str],
        completion_ids: Sequence[list[int]],
        row: Sequence[int],
        trainer_state: Any,
        log_metric: Any,
        conversation: Sequence[Completion] | None = None,
        **_: Any,
    ) -> list[float]:
        """Return this process's advantages. JobError if the policy for missing values of a component says so."""
        step = self.step(trainer_state)
        parts = self.processes.gathered((prompts, completion_ids, row))
        rewards, dropped = self.processes.from_first(lambda: self._scored(step, self.groups(parts, conversation)))
        for name, value in rewards.metrics.items():
            log_metric(name, value)
        self.advantages, self.dropped = rewards.advantages, dropped
        return list(self.processes.share(rewards.advantages))

    def _scored(self, step: int, groups: Sequence[Group]) -> tuple[Any, list[bool]]:
        """Return the step's rewards, and of each completion whether it is left out of the loss."""
        rewards = self.host.score(step, () if self.collects else groups)
        truncated = [
            completion.truncated and self._stage.on_truncated == "mask" for g in groups for completion in g.completions
        ]
        return rewards, [drop or cut for drop, cut in zip(rewards.dropped, truncated, strict=True)]

    def step(self, trainer_state: Any) -> int:
        """Return the step that the trainer is in, from 1."""
        done: int = trainer_state.global_step // self._stage.updates
        return done + 1

    def groups(self, parts: Sequence[Part], conversations: Sequence[Completion] | None = None) -> list[Group]:
        """Return the groups of the processes' completions, the G of a prompt one after the other.

        Args:
            conversations: the completions, if they are of several turns.
        """
        prompts, completion_ids, rows = (list(chain.from_iterable(column)) for column in zip(*parts, strict=True))
        size, completions = self.size, conversations or self._prompt_format.completions(prompts, completion_ids)
        groups = []
        for start in range(0, len(rows), size):
            if len(set(rows[start : start + size])) != 1:
                raise AssertionError("TRL did not keep the completions of a prompt together")
            groups.append(
                Group(sample=self._samples[rows[start]], completions=tuple(completions[start : start + size]))
            )
        return groups


class _Trainer(GRPOTrainer):
    """A GRPOTrainer that takes a prompt's token ids from the prompt format, and does not log advantages as "reward".

    It trains on the reward's values as they are, in the place of TRL's own advantages, which are less the group's mean.
    With a group sampler it generates further completions until that has enough, and trains on those that it chooses.
    What the reward drops is left out of the loss, as TRL itself leaves out truncated completions. A stop text ends a
    completion. A reference that moves is kept with each checkpoint.
    """

    prompt_format: PromptFormat
    reward: StepReward
    moves_reference: bool
    _asked: Sequence[dict[str, Any]] = ()
    _behind_shuffle: torch.Tensor | None = None

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        made = super()._prepare_inputs(generation_batch)
        if self._behind_shuffle is not None:  # TRL has generated, and shuffled this process's part
            torch.set_rng_state(self._behind_shuffle)
            self._behind_shuffle = None
        return made

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self._asked = inputs
        batch = super()._generate_and_score_completions(inputs)
        given = batch["advantages"]
        share = self.reward.processes.share
        batch["advantages"] = torch.tensor(share(self.reward.advantages), device=given.device, dtype=given.dtype)
        if any(self.reward.dropped):  # of any process: all of them gather
            mask = batch["completion_mask"]
            kept = [not drop for drop in share(self.reward.dropped)]
            batch["completion_mask"] = mask * torch.tensor(kept, device=mask.device, dtype=mask.dtype).unsqueeze(1)
            learnt = batch["completion_mask"] * batch.get("tool_mask", 1)
            batch["num_items_in_batch"] = self.accelerator.gather(learnt.sum()).sum()
        self._behind_shuffle = state_behind_shuffle(self.reward.processes, len(inputs))
        return batch

    @property
    def rows_asked(self) -> list[int]:
        """The row of the sample of each completion that is asked for."""
        return [row["row"] for row in self._asked]

    def generate_turn(self, rows: list[list[int]], most: int) -> list[list[int]]:
        """Return the token ids that the policy writes after each row, `most` or less."""
        settings = self.generation_config
        self.generation_config = copy(settings)
        self.generation_config.max_new_tokens = most
        try:
            made: list[list[int]] = self._generate_single_turn(rows, None, {}, 1)[0]
        finally:
            self.generation_config = settings
        return made

    def _generate_single_turn(self, prompt_ids: list[list[int]], *rest: Any, **options: Any) -> Any:
        sample, processes, stop = super()._generate_single_turn, self.reward.processes, self.reward.stop
        policy = self.accelerator.unwrap_model(self.model_wrapped)

        def generate(prompt_ids: list[list[int]], *rest: Any, **options: Any) -> Any:
            with stopping(policy, () if self.use_vllm else stop, self.prompt_format.decode):
                made, log_probs = sample(prompt_ids, *rest, **options)
            cut = [cut_at_stop(ids, stop, self.prompt_format.decode) for ids in made]
            kept = log_probs and [row[: len(ids)] for row, ids in zip(log_probs, cut, strict=True)]
            return cut, kept

        with sampled_as_one(Processes() if self.use_vllm else processes, self.accelerator.device):
            completion_ids, log_probs = generate(prompt_ids, *rest, **options)
        if not self.reward.collects:
            return completion_ids, log_probs
        prompts, rows = ([row[name] for row in self._asked] for name in ("prompt", "row"))
        parts = processes.gathered((prompts, completion_ids, rows))
        at_once = min(len(prompt_ids) * processes.count, MAX_CONCURRENT)  # however many processes there are

        def more(prompts: Sequence[str]) -> list[list[int]]:
            asked, made = [self.prompt_format.tokens(prompt) for prompt in prompts], []
            for start in range(0, len(asked), at_once):
                made += generate(asked[start : start + at_once], *rest, **options)[0]
            return made

        return processes.share(processes.from_first(lambda: self._chosen(parts, more))), None

    def _chosen(self, parts: Sequence[Part], more: Callable[[Sequence[str]], list[list[int]]]) -> list[list[int]]:
        """Return the token ids that the group sampler keeps for all processes; the first makes what it wants more."""
        size, groups = self.reward.size, self.reward.groups(parts)
        prompts, completion_ids, _ = (list(chain.from_iterable(column)) for column in zip(*parts, strict=True))
        pools = [list(completion_ids[start : start + size]) for start in range(0, len(prompts), size)]

        def further(places: Sequence[int]) -> list[Completion]:
            asked = [prompts[place * size] for place in places]
            made = more(asked)
            for place, ids in zip(places, made, strict=True):
                pools[place].append(ids)
            return self.prompt_format.completions(asked, made)

        kept = self.reward.host.collect(self.reward.step(self.state), groups, further)
        return [pool[index] for pool, chosen in zip(pools, kept, strict=True) for index in chosen]

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
        return [self.prompt_format.tokens(prompt) for prompt in prompts], None, {}

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        if self.moves_reference and self.reward.processes.is_first:  # before what makes the checkpoint a whole one
            folder = Path(self._get_output_dir(trial)) / f"checkpoint-{self.state.global_step}"
            folder.mkdir(parents=True, exist_ok=True)
            torch.save(self.accelerator.unwrap_model(self.ref_model).state_dict(), folder / REFERENCE)
        super()._save_checkpoint(model, trial)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        super()._load_from_checkpoint(resume_from_checkpoint, model)
        if self.moves_reference:
            kept = torch.load(Path(resume_from_checkpoint) / REFERENCE, map_location="cpu", weights_only=True)
            self.accelerator.unwrap_model(self.ref_model).load_state_dict(kept)

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        for name in [name for name in self._metrics["train"] if name == "reward" or name.startswith(STOCK_REWARD)]:
            del self._metrics["train"][name]
        super().log(logs, start_time)
