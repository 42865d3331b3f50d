"""Runs of a recipe's stages, one after the other, each from the model that the last one wrote."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rewardlab.errors import JobError
from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, EvalStage, Evaluation, RlStage, SftStage, Stage
from rewardlab.training import (
    Ledger,
    RunDirectory,
    StageJob,
    UsageLog,
    evaluation_samples,
    find_starting_model,
    keep_asked,
    run_stages,
    training_samples,
)

from rewardlab_trl.options import options_of
from rewardlab_trl.trainer_arguments import device, free_memory, prepare_process, quiet_libraries

if TYPE_CHECKING:
    from rewardlab_trl.evaluation import Evaluator

EVALUATION_TEMPERATURE = 1.0


def run(plan: Plan, directory: RunDirectory, only: int | None, say: Callable[[str], None]) -> None:
    """Run the stages that are not done (of these only stage `only`, if given) in `directory`.

    Raises KeyboardInterrupt where the user stopped it; what was done is kept.
    """
    prepare_process()
    run_stages(plan, directory, only, say, lambda index: _run_stage(plan, directory, index, say))


def _run_stage(plan: Plan, directory: RunDirectory, index: int, say: Callable[[str], None]) -> None:
    # the engine is imported from here on, so that a data stage needs none
    quiet_libraries()
    device(options_of(plan))
    from rewardlab_trl.engine_errors import resource_errors

    ledger = Ledger(directory.path / "ledger.jsonl", directory.attempt)
    usage = UsageLog(directory.path / "usage.jsonl", directory.attempt)
    job = StageJob(plan=plan, run=directory, ledger=ledger, usage=usage, index=index, say=say)
    try:
        with resource_errors(job.name):
            _train_or_evaluate(job, job.stage)
    finally:
        ledger.close()
        usage.close()
    free_memory()


def _train_or_evaluate(job: StageJob, stage: Stage) -> None:
    source = find_starting_model(job.plan, job.run.path, job.index)
    job.say(f"stage {job.index} ({stage.use}) starts from {source}")
    if isinstance(stage, EvalStage):
        _evaluate(job, stage, source)
        return
    samples = training_samples(job.plan, job.index)
    if isinstance(stage, SftStage):
        from rewardlab_trl import sft

        sft.train(job, stage, samples, source)
    elif isinstance(stage, DpoStage):
        from rewardlab_trl import dpo

        dpo.train(job, stage, samples, source)
    elif isinstance(stage, RlStage):
        from rewardlab_trl import rl

        rl.train(job, stage, samples, source, _evaluator(job, stage))
    else:
        raise JobError(f"the trl backend runs no stage {stage.use!r}")
    keep_asked(job.output, samples)


def _evaluate(job: StageJob, stage: EvalStage, source: str) -> None:
    from rewardlab.training import PromptFormat

    from rewardlab_trl.models import load_policy
    from rewardlab_trl.policy_judge import policy_answers
    from rewardlab_trl.trackers import Trackers, tracked_name

    policy = load_policy(source, device(options_of(job.plan)))
    evaluator = _evaluator(job, stage)
    assert evaluator is not None  # an eval stage is its own settings
    with (
        policy_answers(job, policy, source) as answers,
        job.open_scorer(policy=answers) as scorer,
        Trackers(job) as trackers,
    ):
        trackers.open(tracked_name(job))
        evaluator.trackers = trackers
        evaluator.alone(policy, PromptFormat(policy.tokenizer, stage.chat, policy.ends), scorer)


def _evaluator(job: StageJob, stage: RlStage | EvalStage) -> "Evaluator | None":
    settings: Evaluation | None = stage.evaluation if isinstance(stage, RlStage) else stage
    if settings is None:
        return None
    from rewardlab_trl.evaluation import Evaluator

    trained_at = stage.temperature if isinstance(stage, RlStage) else None
    temperatures = [settings.temperature, trained_at, EVALUATION_TEMPERATURE]
    return Evaluator(
        job=job,
        settings=settings,
        samples=evaluation_samples(job.plan, job.index),
        temperature=next(t for t in temperatures if t is not None),
        top_p=stage.top_p,
        top_k=stage.top_k,
        max_new_tokens=stage.max_new_tokens,
    )
