"""A stage with TRL: it starts from the model that the last one wrote."""

from typing import TYPE_CHECKING

from rewardlab.errors import JobError
from rewardlab.recipe import DpoStage, EvalStage, Evaluation, RlStage, SftStage, Stage
from rewardlab.training import StageJob, keep_asked

from rewardlab_trl.options import options_of
from rewardlab_trl.trainer_arguments import device, free_memory, prepare_process, quiet_libraries

if TYPE_CHECKING:
    from rewardlab_trl.evaluation import Evaluator

EVALUATION_TEMPERATURE = 1.0


def run_stage(job: StageJob) -> None:
    """Train, or evaluate. Raises KeyboardInterrupt if the user stopped it; what was done is kept."""
    prepare_process()
    # the engine is imported from here on
    quiet_libraries()
    device(options_of(job.plan))
    from rewardlab_trl.engine_errors import resource_errors

    with resource_errors(job.name):
        _train_or_evaluate(job, job.stage)
    free_memory()


def _train_or_evaluate(job: StageJob, stage: Stage) -> None:
    source = job.starting_model()
    job.say(f"stage {job.index} ({stage.use}) starts from {source}")
    if isinstance(stage, EvalStage):
        _evaluate(job, stage, source)
        return
    samples = job.training_samples()
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
        samples=job.evaluation_samples(),
        temperature=next(t for t in temperatures if t is not None),
        top_p=stage.top_p,
        top_k=stage.top_k,
        max_new_tokens=stage.max_new_tokens,
    )
