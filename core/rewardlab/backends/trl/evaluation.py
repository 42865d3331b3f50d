"""Evaluating a policy: sample on held-out prompts, score with the recipe's reward, keep every completion."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab.backends.kept_rows import keep_rows
from rewardlab.backends.lengths import fitting_prompts
from rewardlab.backends.prompts import PromptFormat
from rewardlab.backends.stage import StageJob
from rewardlab.backends.trl.models import Policy
from rewardlab.backends.trl.sampling import sample_groups
from rewardlab.backends.trl.settings import precision
from rewardlab.recipe import Evaluation
from rewardlab.results import Results, spread, summarise, table
from rewardlab.scoring import Scorer
from rewardlab.types import Sample


@dataclass(frozen=True, kw_only=True)
class Evaluator:
    """Evaluations of one stage, before, during and after training, on the same prompts and seeds."""

    job: StageJob
    settings: Evaluation
    samples: Sequence[Sample]
    temperature: float
    max_new_tokens: int

    def before(self, policy: Policy, shape: PromptFormat, scorer: Scorer) -> None:
        """Evaluate the untrained policy, unless an earlier attempt of this run has done so."""
        if not self._path("before").exists():
            self._evaluate("before", policy, shape, scorer, None)

    def during(self, step: int, policy: Policy, shape: PromptFormat, scorer: Scorer) -> None:
        """Evaluate at a training step."""
        self._evaluate(f"step-{step}", policy, shape, scorer, step)

    def after(self, policy: Policy, shape: PromptFormat, scorer: Scorer) -> None:
        """Evaluate the trained policy and print what has changed."""
        results = self._evaluate("after", policy, shape, scorer, None)
        self.job.say(table(results, Results.load(self._path("before"))))

    def alone(self, policy: Policy, shape: PromptFormat, scorer: Scorer) -> None:
        """Evaluate for a stage `eval` and print the results."""
        self.job.say(table(self._evaluate(self.settings.benchmark or "results", policy, shape, scorer, None)))

    def _path(self, when: str) -> Path:
        return self.job.run.folder("evaluation") / f"{self.job.name}-{when}.json"

    def _evaluate(self, when: str, policy: Policy, shape: PromptFormat, scorer: Scorer, step: int | None) -> Results:
        recipe = self.job.plan.recipe
        where, say = (
            f"{self.job.where} (evaluation)",
            self.job.say if step is None and when != "after" else _silent,
        )
        samples = fitting_prompts(policy.context, shape, self.samples, self.max_new_tokens, None, where, say)
        samples = spread(samples, self.settings.prompts, self.settings.by)
        scorer.warm()
        groups = sample_groups(
            policy,
            shape,
            samples,
            count=self.settings.samples,
            temperature=self.temperature,
            max_new_tokens=self.max_new_tokens,
            seed=recipe.seed,
            bf16=precision(recipe.backend, policy.model.device.type) == "bf16",
            what=f"{self.job.name} evaluation ({when})",
        )
        scored = scorer.score_groups(groups, zero_truncated=False)
        self.job.usage.write(self.job.index, step, scorer.judges.usage())
        self.job.ledger.write(self.job.index, step, scored, trained="no")
        keep_rows(self._path(when).with_suffix(".rows.jsonl"), scored)
        results = summarise(scored, self.settings.by, name=f"{self.job.name} {when}")
        results.save(self._path(when))
        return results


def _silent(line: str) -> None:
    """What has been said at the first evaluation is not said at every one."""
