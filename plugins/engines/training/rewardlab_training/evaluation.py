"""Evaluations of a policy of this process: sampled, scored with the recipe's reward, every completion kept."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab import Sample
from rewardlab.recipe import EvalStage, Evaluation, RlStage
from rewardlab.scoring import Scorer

from rewardlab_training.ledger import Phase
from rewardlab_training.policy import Policy, Sampling
from rewardlab_training.results import Results, write_evaluation
from rewardlab_training.sampling import stratified_sample
from rewardlab_training.stage import StageJob

TEMPERATURE = 1.0
"""of an evaluation that says none, in a stage that says none"""


class Evaluator:
    """The evaluations of one stage before, during and after training, or alone, on the same samples and seeds."""

    def __init__(self, job: StageJob, policy: Policy, scorer: Scorer, samples: Sequence[Sample]) -> None:
        stage = job.stage
        assert isinstance(stage, RlStage | EvalStage)
        settings: Evaluation | None = stage if isinstance(stage, EvalStage) else stage.evaluation
        assert settings is not None
        drawn = stage.evaluation_sampling if isinstance(stage, RlStage) else stage
        trained_at = stage.temperature if isinstance(stage, RlStage) else None
        self._job, self._policy, self._scorer, self._settings = job, policy, scorer, settings
        self._samples = samples
        self._sampling = Sampling(
            count=settings.samples,
            temperature=next(t for t in (settings.temperature, trained_at, TEMPERATURE) if t is not None),
            top_p=drawn.top_p,
            top_k=drawn.top_k,
            min_p=drawn.min_p,
            repetition_penalty=drawn.repetition_penalty,
            stop=drawn.stop,
            max_new_tokens=stage.max_new_tokens,
            seed=job.plan.recipe.seed,
        )

    def before(self) -> None:
        """Evaluate the untrained policy, unless an earlier attempt of this run has done so."""
        if not self._path("before").exists():
            self._evaluate("before", "before", 0)

    def during(self, step: int) -> None:
        """Evaluate at a training step."""
        self._evaluate(f"step-{step}", "during", step)

    def after(self, step: int) -> None:
        """Evaluate the trained policy, after the last step, and print what has changed."""
        results, before = self._evaluate("after", "after", step), self._path("before")
        self._job.say(results.table(Results.load(before) if before.exists() else None))

    def alone(self) -> None:
        """Evaluate for a stage `eval` and print the results."""
        self._job.say(self._evaluate(self._settings.benchmark or "results", "eval", None).table())

    def _path(self, when: str) -> Path:
        return self._job.run.folder("evaluation") / f"{self._job.name}-{when}.json"

    def _evaluate(self, when: str, phase: Phase, step: int | None) -> Results:
        job, settings = self._job, self._settings
        say = silent if phase in ("during", "after") else job.say  # else the first evaluation has said it
        where = f"{job.where} (evaluation)"
        samples = fitting(self._policy, self._samples, self._sampling.max_new_tokens, None, where, say)
        samples = stratified_sample(samples, settings.prompts, settings.split_by)
        self._scorer.warm()
        groups = self._policy.sample(samples, self._sampling, f"{job.name} evaluation ({when})")
        scored = self._scorer.score_groups(groups, evaluation=True)
        job.usage.write(job.index, step if phase == "during" else None, self._scorer.judges.usage())
        job.ledger.write(job.index, step, scored, trained="no", phase=phase)
        counted = job.plan.counted_info
        return write_evaluation(self._path(when), scored, settings.split_by, f"{job.name} {when}", counted)


def fitting(
    policy: Policy,
    samples: Sequence[Sample],
    max_new_tokens: int,
    max_prompt_tokens: int | None,
    where: str,
    say: Callable[[str], None],
) -> Sequence[Sample]:
    """Return the samples whose prompts fit into a policy's context, as PromptFormat.fitting says."""
    if policy.prompt_format is None:
        return samples
    return policy.prompt_format.fitting(samples, policy.context, max_new_tokens, max_prompt_tokens, where, say)


def silent(line: str) -> None:
    """Print nothing: it has been printed already."""
