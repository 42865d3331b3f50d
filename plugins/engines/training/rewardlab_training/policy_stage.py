"""A stage whose policy an engine has loaded in this process: trained, evaluated, and written as the recipe says."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from rewardlab import Group, Sample
from rewardlab.recipe import DataStage, DpoStage, EvalStage, RlStage, SftStage

from rewardlab_training.asked_rows import keep_asked
from rewardlab_training.checkpoint_choice import best_checkpoint
from rewardlab_training.evaluation import Evaluator, fitting, silent
from rewardlab_training.policy import Policy, Sampling, Training
from rewardlab_training.stage import StageJob
from rewardlab_training.stage_rows import reading_order, steps_of
from rewardlab_training.step_log import StepLog
from rewardlab_training.step_reward import StageReward
from rewardlab_training.token_rows import TokenRow, tokenized_rows

PolicyLoader = Callable[[StageJob, str | None], AbstractContextManager[Policy]]
"""load_policy(job, source): source is a folder or hub name; None is a new policy"""


def run_policy_stage(job: StageJob, load_policy: PolicyLoader, transformers_models: bool = True) -> None:
    """Train and write the stage's model, or evaluate.

    Raises KeyboardInterrupt if the user stopped it; what was done is kept.
    """
    source = job.starting_model() if transformers_models else job.written_model()
    job.say(f"stage {job.index} ({job.stage.use}) starts from {'a new policy' if source is None else source}")
    stage = job.stage
    assert not isinstance(stage, DataStage)
    samples = () if isinstance(stage, EvalStage) else job.training_samples()
    held_out = job.evaluation_samples() if isinstance(stage, EvalStage) or _evaluates(stage) else ()
    with load_policy(job, source) as policy:
        if isinstance(stage, EvalStage):
            with job.open_scorer(policy=policy) as scorer:
                Evaluator(job, policy, scorer, held_out).alone()
            return
        if isinstance(stage, RlStage):
            _reinforce(job, stage, policy, samples, held_out)
        else:
            _fine_tune(job, stage, policy, samples)
        _write_model(job, stage, policy)
    keep_asked(job.output, samples)


def _evaluates(stage: SftStage | DpoStage | RlStage) -> bool:
    return isinstance(stage, RlStage) and stage.evaluation is not None


def _fine_tune(job: StageJob, stage: SftStage | DpoStage, policy: Policy, samples: Sequence[Sample]) -> None:
    assert policy.prompt_format is not None  # an engine whose capabilities have these stages reads tokens
    rows = tokenized_rows(stage, samples, policy.prompt_format, policy.context, job.where, job.say)
    _train(job, stage, policy, [row.sample for row in rows], rows, None, lambda step: None)


def _reinforce(
    job: StageJob, stage: RlStage, policy: Policy, samples: Sequence[Sample], held_out: Sequence[Sample]
) -> None:
    samples = fitting(policy, samples, stage.max_new_tokens, stage.max_prompt_tokens, job.where, job.say)
    with job.open_scorer(zero_truncated=stage.on_truncated == "zero", policy=policy) as scorer:
        scorer.warm()
        evaluator = None if stage.evaluation is None else Evaluator(job, policy, scorer, held_out)
        if evaluator is not None and stage.eval_before:
            evaluator.before()

        def evaluate(step: int) -> None:
            if evaluator is not None and stage.eval_every and step % stage.eval_every == 0:
                evaluator.during(step)

        reward = StageReward(job, scorer, steps_of(stage, len(samples)))
        steps = _train(job, stage, policy, samples, (), reward, evaluate)
        if evaluator is not None:
            evaluator.after(steps)
        for line in scorer.judges.summary():
            job.say(line)


def _train(
    job: StageJob,
    stage: SftStage | DpoStage | RlStage,
    policy: Policy,
    samples: Sequence[Sample],
    rows: Sequence[TokenRow],
    reward: StageReward | None,
    evaluate: Callable[[int], None],
) -> int:
    """Train, and return the number of steps; evaluate: called after each of them but the last."""
    steps = steps_of(stage, len(samples))
    with StepLog(job, steps) as log, _graceful_stop(job.run.stop) as stopped:

        def after_step(step: int) -> bool:
            if step < steps:
                evaluate(step)  # an interrupt while it evaluates counts for this step
            return stopped()

        policy.train(
            Training(
                job=job,
                samples=samples,
                rows=rows,
                order=reading_order(job.plan, job.index, samples),
                steps=steps,
                reward=reward,
                log=log,
                after_step=after_step,
            )
        )
        if stopped():
            raise KeyboardInterrupt
    return steps


@contextmanager
def _graceful_stop(requested: threading.Event) -> Iterator[Callable[[], bool]]:
    """Give a function that says whether the user wants the stage to stop after the running step.

    The first Ctrl-C asks for that, as `requested` does once it is set; the second one raises KeyboardInterrupt at once.
    """
    interrupted = threading.Event()

    def note(*_: Any) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        print("\nstopping after this step; Ctrl-C again stops at once", flush=True)

    is_main = threading.current_thread() is threading.main_thread()  # the only one that can handle signals
    before = signal.signal(signal.SIGINT, note) if is_main else None
    try:
        yield lambda: interrupted.is_set() or requested.is_set()
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)


def _write_model(job: StageJob, stage: SftStage | DpoStage | RlStage, policy: Policy) -> None:
    """Write the stage's model to its output: the policy as its training ended, or the best of its checkpoints."""
    if stage.keep == "last":
        policy.save(job.output)
        return
    validation, say = stage.validation, job.say
    assert validation is not None

    def sample(checkpoint: Path, rows: Sequence[Sample]) -> list[Group]:
        nonlocal say
        policy_then, where = policy.at(checkpoint), f"{job.where} (validation)"
        rows = fitting(policy_then, rows, validation.max_new_tokens, None, where, say)
        say = silent  # rows that do not fit are named for the first checkpoint alone
        greedy = Sampling(count=1, temperature=0.0, max_new_tokens=validation.max_new_tokens, seed=job.plan.recipe.seed)
        return policy_then.sample(rows, greedy, f"{job.name} validation ({checkpoint.name})")

    policy.at(best_checkpoint(job, policy.checkpoints(), sample)).save(job.output)
