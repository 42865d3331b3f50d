"""The micro-batches of a stage: by the recipe's rows, or as many tokens as the options say; and its reward workers."""

from collections.abc import Iterator

from rewardlab.plan import Plan
from rewardlab.recipe import Finding, RlStage, SftStage
from rewardlab_training import StageBatches, divisors

from rewardlab_verl.compile.command import Value
from rewardlab_verl.options import Options, options_of

HELD = 800
"""completions that may wait for their groups in one of verl's reward workers, which are picked at random: Ray lets such
a process hold 1,000 calls, and a group of which a member has no place waits until completion_timeout"""


def reward_workers(plan: Plan, stage: RlStage, evaluation_rows: int) -> int:
    """Return how many reward workers verl starts: those of the recipe, or as many as all completions at once need."""
    engine = options_of(plan).engine
    trained = stage.batch_size * stage.group_size * (engine.refill.at_once if plan.replaces_groups else 1)
    evaluated = 0 if stage.evaluation is None else evaluation_rows * stage.evaluation.samples
    return max(engine.reward_workers, -(-max(trained, evaluated) // HELD))


def ranks_of(backend: Options) -> int:
    """Return into how many parts the trainer splits a batch: its GPUs over those that share a sequence or a model."""
    engine = backend.engine
    return backend.gpus // (engine.megatron.ranks if engine.strategy == "megatron" else engine.sequence_parallel)


def tokens_of(backend: Options, longest: int | None) -> int:
    """Return the tokens of a micro-batch on one GPU; `longest`: those of the longest row, which must fit."""
    sharing = 1 if backend.engine.strategy == "megatron" else backend.engine.sequence_parallel
    return max(backend.engine.tokens_per_gpu, -(-(longest or 0) // sharing))


def rl_batches(plan: Plan, stage: RlStage, longest: int | None) -> dict[str, Value]:
    """Return the settings of a step's batches; verl counts a batch and an update in prompts."""
    backend = options_of(plan)
    actor, ref, rollout = (f"actor_rollout_ref.{part}" for part in ("actor", "ref", "rollout"))
    settings: dict[str, Value] = {
        "data.train_batch_size": stage.batch_size,
        f"{rollout}.n": stage.group_size,
        f"{actor}.ppo_mini_batch_size": stage.batch_size // stage.updates_per_batch,
        f"{actor}.ppo_epochs": stage.epochs_per_batch,
        f"{actor}.use_dynamic_bsz": stage.micro_batch_size is None,
    }
    if stage.micro_batch_size is None:
        return settings | {f"{actor}.ppo_max_token_len_per_gpu": tokens_of(backend, longest)}
    forward = backend.engine.rollout_micro_batch_size or stage.micro_batch_size
    settings |= {
        f"{actor}.ppo_micro_batch_size_per_gpu": stage.micro_batch_size,
        f"{rollout}.log_prob_micro_batch_size_per_gpu": forward,
        f"{ref}.log_prob_micro_batch_size_per_gpu": forward,
    }
    return settings


def critic_batches(plan: Plan, stage: RlStage, longest: int | None) -> dict[str, Value]:
    """Return the same of ppo's value model, beside what verl takes from the policy's."""
    if stage.micro_batch_size is None:
        return {"critic.ppo_max_token_len_per_gpu": tokens_of(options_of(plan), longest)}
    return {"critic.ppo_micro_batch_size_per_gpu": stage.micro_batch_size}


def sft_batches(plan: Plan, stage: SftStage, longest: int | None) -> dict[str, Value]:
    """Return the settings of a step's batch of rows."""
    settings: dict[str, Value] = {
        "data.train_batch_size": stage.batch_size,
        "data.use_dynamic_bsz": stage.micro_batch_size is None,
    }
    if stage.micro_batch_size is None:
        return settings | {"data.max_token_len_per_gpu": tokens_of(options_of(plan), longest)}
    return settings | {"data.micro_batch_size_per_gpu": stage.micro_batch_size}


def batch_findings(backend: Options, stage: RlStage | SftStage) -> Iterator[Finding]:
    """Yield what does not divide, by places in the stage."""
    if isinstance(stage, RlStage) and stage.batch_size % stage.updates_per_batch:
        prompts = f"{stage.batch_size} do not divide into {stage.updates_per_batch}"
        yield ("updates_per_batch",), f"verl splits a step by prompts: {prompts}; {divisors(stage.batch_size)}"
    else:
        yield from StageBatches.findings(stage, ranks_of(backend))
