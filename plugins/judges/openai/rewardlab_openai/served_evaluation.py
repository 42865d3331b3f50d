"""The stage `eval` of a served policy: prompts are sampled and scored at once, and no engine is needed."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rewardlab import Group, GroupStream, Sample, ScoredGroup
from rewardlab.concurrency import gather_or_cancel
from rewardlab.errors import JobError
from rewardlab.files import write_text
from rewardlab.judging import HostedJudge
from rewardlab.recipe import MISSING_FIELD, EvalStage
from rewardlab.scoring import MissingGuard, Scorer
from rewardlab.text import Progress
from rewardlab_training import StageJob, stratified_sample, write_evaluation

from rewardlab_openai.served_policy import Answers, ServedPolicy

AHEAD = 4
"""questions begun for each that the judge may have under way, so that no slow prompt leaves it idle"""
MIN_PROMPTS = 16
"""prompts begun at once"""
FIRST_ANSWERS = 50
"""without any among so many, the policy does not answer at all"""


def evaluate_served(job: StageJob) -> None:
    """Run a stage: evaluate the served policy that it names, and write results, rows and the ledger.

    Raises JobError if too many completions are missing or the judge must end the job, and KeyboardInterrupt if
    the user stopped it; the answers so far are kept in the run directory.
    """
    with job.open_scorer() as scorer:
        _evaluate(job, scorer)


def _evaluate(job: StageJob, scorer: Scorer) -> None:
    stage = job.stage
    assert isinstance(stage, EvalStage)
    assert stage.served is not None
    judge = scorer.judges[stage.served]
    samples = stratified_sample(job.evaluation_samples(), stage.prompts, stage.split_by)
    samples = [sample for sample in samples if job.run.spread.share.has(sample.id)]
    if not samples:
        job.say(f"stage {job.index} (eval): no prompt belongs to shard {job.run.spread.share}")
        return
    policy = ServedPolicy(judge, job.plan, stage)
    job.say(
        f"stage {job.index} (eval) asks {stage.served} ({job.plan.judges[stage.served].use.use}): {len(samples):,} "
        f"prompts, {stage.samples} completions each; {describe_params(policy.params)}"
    )
    scorer.warm()
    with Progress(f"{job.name} evaluation", len(samples), unit="prompt", leave=False) as progress:
        evaluation = _Evaluation(job, stage, scorer, policy, judge, samples, progress)
        try:
            scorer.run(evaluation.run())
        finally:
            job.usage.write(job.index, None, scorer.judges.usage())
    if job.run.stop.is_set():
        raise KeyboardInterrupt
    for line in scorer.judges.summary():
        job.say(line)
    _write(job, stage, evaluation.answers, evaluation.scored)


class _Evaluation:
    """The evaluation under way: its prompts, in the order of the samples, with their answers and scores."""

    def __init__(
        self,
        job: StageJob,
        stage: EvalStage,
        scorer: Scorer,
        policy: ServedPolicy,
        judge: HostedJudge,
        samples: Sequence[Sample],
        progress: Progress,
    ) -> None:
        assert stage.policy is not None
        self._job = job
        self._scorer = scorer
        self._policy = policy
        self._judge = judge
        self._samples = samples
        self._progress = progress
        self._guard = MissingGuard.over_rows(job.plan.uses_in_total)
        self._name, self._most_missing = stage.served, stage.policy.max_missing
        self._asked = self._missing = 0
        self._all = len(samples) * stage.samples
        at_once = job.plan.judges[stage.served or ""].use.concurrency
        self._at_once = min(len(samples), max(MIN_PROMPTS, math.ceil(AHEAD * at_once / stage.samples)))
        self._answers: dict[int, Answers] = {}
        self._scored: dict[int, ScoredGroup] = {}

    @property
    def answers(self) -> list[Answers]:
        """The answers to all prompts."""
        return [self._answers[place] for place in sorted(self._answers)]

    @property
    def scored(self) -> list[ScoredGroup]:
        """The scored groups of the prompts that have an answer."""
        return [self._scored[place] for place in sorted(self._scored)]

    async def run(self) -> None:
        """Sample and score all prompts, or leave early once the run is stopped."""
        places = iter(range(len(self._samples)))
        await gather_or_cancel(self._work(places) for _ in range(self._at_once))
        self._guard.check_end()

    async def _work(self, places: Iterator[int]) -> None:
        for place in places:
            if self._job.run.stop.is_set():
                return
            answers = await self._policy.sample(self._samples[place])
            self._answers[place] = answers
            self._check_missing(answers)
            if answers.completions:
                group = Group(sample=_counted(answers), completions=tuple(answers.completions))
                scored = await self._scorer.score(GroupStream.of(group), evaluation=True)
                self._scored[place] = scored
                self._guard.add(scored)
            self._tell()

    def _check_missing(self, answers: Answers) -> None:
        """Raise JobError as soon as it is certain that too many completions will be missing."""
        self._asked += len(answers.completions) + len(answers.missing)
        self._missing += len(answers.missing)
        none = self._missing == self._asked and self._asked >= min(FIRST_ANSWERS, self._all) and self._most_missing < 1
        if answers.missing and (none or self._missing > self._most_missing * self._all):
            draw, why = next(iter(answers.missing.items()))
            raise JobError(
                f"{self._job.where}: {self._name} gave no answer to {self._missing:,} of {self._asked:,} questions, of "
                f"{self._all:,} in all (policy.max_missing is {self._most_missing:.1%}); last: "
                f"{answers.sample.place(draw)}: {why}; the answers so far are kept, and --resume asks for the others"
            )

    def _tell(self) -> None:
        usage = self._judge.usage
        numbers = {"M tokens": (usage.prompt_tokens + usage.completion_tokens) / 1e6}
        numbers |= {"usd": usage.usd} if usage.usd else {}
        self._progress.note(numbers | ({"missing": self._missing} if self._missing else {}))
        self._progress.update()


def _counted(answers: Answers) -> Sample:
    """Return the sample; if completions are missing, with their number in a field, for whoever reads the rows."""
    if not answers.missing:
        return answers.sample
    return replace(answers.sample, fields={**answers.sample.fields, MISSING_FIELD: len(answers.missing)})


def _write(job: StageJob, stage: EvalStage, answers: Sequence[Answers], scored: Sequence[ScoredGroup]) -> None:
    """Write the ledger, rows, results and what is missing, and print the table."""
    name = stage.benchmark or "results"
    path = job.run.folder("evaluation") / f"{job.name}-{name}.json"
    lacking = [answer for answer in answers if answer.missing]
    if not scored:
        raise JobError(f"{job.where}: {stage.served} gave no answer at all")
    job.ledger.write(job.index, None, scored, trained="no", phase="eval")
    _write_missing(path.with_suffix(".missing.jsonl"), lacking)
    missing = [answer.sample for answer in lacking for _ in answer.missing]
    title = f"{job.name} {name}"
    results = write_evaluation(path, scored, stage.split_by, title, job.plan.counted_info, missing)
    job.say(results.table())
    if lacking:
        job.say(f"what is missing, and why: {path.with_suffix('.missing.jsonl')}")


def _write_missing(path: Path, lacking: Sequence[Answers]) -> None:
    """Write a line for each missing completion: {"id", "draw", "error"}; no file if nothing is missing."""
    lines = [
        json.dumps({"id": answer.sample.id, "draw": draw, "error": why}, ensure_ascii=False)
        for answer in lacking
        for draw, why in answer.missing.items()
    ]
    if lines:
        write_text(path, "".join(f"{line}\n" for line in lines))
    else:
        path.unlink(missing_ok=True)


def describe_params(params: dict[str, object]) -> str:
    """Return the sampling settings that every request has, such as "temperature 0.7, max_tokens 2048"."""
    shown = ", ".join(f"{name} {value}" for name, value in params.items())
    return f"{shown or 'no sampling settings'}; all else as the judge's options or the server have it"
