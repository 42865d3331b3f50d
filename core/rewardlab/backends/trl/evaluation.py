"""Evaluating a policy: sample on held-out prompts, score with the recipe's reward, keep every completion."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardlab.backends.lengths import fitting_prompts
from rewardlab.backends.prompts import PromptFormat
from rewardlab.backends.stage import StageJob
from rewardlab.backends.trl.models import Policy
from rewardlab.backends.trl.sampling import sample_groups
from rewardlab.backends.trl.settings import precision
from rewardlab.composition import ScoredGroup
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
        self._keep_rows(when, scored)
        results = summarise(scored, self.settings.by, name=f"{self.job.name} {when}")
        results.save(self._path(when))
        return results

    def _keep_rows(self, when: str, scored: Sequence[ScoredGroup]) -> None:
        """The completions as rows that `rewardlab score` reads."""
        path = self._path(when).with_suffix(".rows.jsonl")
        with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            for group in scored:
                row = {
                    **group.sample.fields,
                    "id": group.sample.id,
                    "prompt": list(map(dict, group.sample.prompt)),
                }
                row["completions"] = [
                    {"text": c.text, "token_count": c.token_count, "truncated": c.truncated} for c in group.completions
                ]
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _silent(line: str) -> None:
    """What has been said at the first evaluation is not said at every one."""
