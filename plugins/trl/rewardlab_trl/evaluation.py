"""Evaluations of a policy: held-out prompts are sampled, scored with the recipe's reward, and every completion kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab import Sample
from rewardlab.data import stratified_sample
from rewardlab.recipe import Evaluation
from rewardlab.scoring import Scorer
from rewardlab.training import (
    Phase,
    PromptFormat,
    Results,
    StageJob,
    fitting_prompts,
    results_table,
    summarise,
    write_evaluation_rows,
)

from rewardlab_trl.models import Policy
from rewardlab_trl.options import options_of
from rewardlab_trl.sampling import sample_groups
from rewardlab_trl.trackers import Trackers
from rewardlab_trl.trainer_arguments import precision


@dataclass(kw_only=True)
class Evaluator:
    """The evaluations of one stage before, during and after training, on the same prompts and seeds."""

    job: StageJob
    settings: Evaluation
    samples: Sequence[Sample]
    temperature: float
    top_p: float
    top_k: int | None
    max_new_tokens: int
    trackers: Trackers | None = None
    """gets every evaluation; one of a stage `eval` counts as step 0"""

    def before(self, policy: Policy, prompt_format: PromptFormat, scorer: Scorer) -> None:
        """Evaluate the untrained policy, unless an earlier attempt of this run has done so."""
        if not self._path("before").exists():
            self._evaluate("before", "before", policy, prompt_format, scorer, 0)

    def during(self, step: int, policy: Policy, prompt_format: PromptFormat, scorer: Scorer) -> None:
        """Evaluate at a training step."""
        self._evaluate(f"step-{step}", "during", policy, prompt_format, scorer, step)

    def after(self, step: int, policy: Policy, prompt_format: PromptFormat, scorer: Scorer) -> None:
        """Evaluate the trained policy, after the last step, and print what has changed."""
        results, before = self._evaluate("after", "after", policy, prompt_format, scorer, step), self._path("before")
        self.job.say(results_table(results, Results.load(before) if before.exists() else None))

    def alone(self, policy: Policy, prompt_format: PromptFormat, scorer: Scorer) -> None:
        """Evaluate for a stage `eval` and print the results."""
        name = self.settings.benchmark or "results"
        self.job.say(results_table(self._evaluate(name, "eval", policy, prompt_format, scorer, None)))

    def _path(self, when: str) -> Path:
        return self.job.run.folder("evaluation") / f"{self.job.name}-{when}.json"

    def _evaluate(
        self, when: str, phase: Phase, policy: Policy, prompt_format: PromptFormat, scorer: Scorer, step: int | None
    ) -> Results:
        recipe = self.job.plan.recipe
        where = f"{self.job.where} (evaluation)"
        say = _silent if phase in ("during", "after") else self.job.say
        samples = fitting_prompts(policy.context, prompt_format, self.samples, self.max_new_tokens, None, where, say)
        samples = stratified_sample(samples, self.settings.prompts, self.settings.split_by)
        scorer.warm()
        groups = sample_groups(
            policy,
            prompt_format,
            samples,
            count=self.settings.samples,
            temperature=self.temperature,
            top_p=self.top_p,
            top_k=self.top_k,
            max_new_tokens=self.max_new_tokens,
            seed=recipe.seed,
            bf16=precision(options_of(self.job.plan), policy.model.device.type) == "bf16",
            what=f"{self.job.name} evaluation ({when})",
        )
        scored = scorer.score_groups(groups, zero_truncated=False)
        self.job.usage.write(self.job.index, step if phase == "during" else None, scorer.judges.usage())
        self.job.ledger.write(self.job.index, step, scored, trained="no", phase=phase)
        write_evaluation_rows(self._path(when).with_suffix(".rows.jsonl"), scored)
        title = f"{self.job.name} {when}"
        results = summarise(scored, self.settings.split_by, name=title, counted=self.job.plan.counted_info)
        results.save(self._path(when))
        if self.trackers is not None:
            self.trackers.evaluated(step or 0, results)
        return results


def _silent(line: str) -> None:
    """Print nothing: the first evaluation has printed the line already."""
