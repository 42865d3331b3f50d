"""The measurement of judges' biases as a job: it asks them about rows as they are, and rewritten."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.plan import Plan
from rewardlab.scoring import OpenScorer, Scorer
from rewardlab.text import counted
from rewardlab_training import measured_plan, most_questions

from rewardlab_measure.judge_agreement.gold_rows import GoldCase, read_cases
from rewardlab_measure.judge_agreement.job import JudgeJob
from rewardlab_measure.judge_biases.measures import Bias, biases, changes_of, same_verdicts
from rewardlab_measure.judge_biases.rewrites import CONTROL, ENGLISH, flattery_language, rewrites
from rewardlab_measure.judge_biases.rewritten_rows import ORIGINAL, first_of_each_language, rewritten_cases


@dataclass(frozen=True, kw_only=True)
class MeasuredBiases:
    """The biases of one component.

    Args:
        unchanged: by bias, rows that its rewrite leaves as they are, such as a list for formatting.
        same: see `same_verdicts`.
    """

    use: str
    rows: int
    questions: Mapping[str, int | None]
    biases: Sequence[Bias]
    unchanged: Mapping[str, int]
    same: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class BiasJob:
    """A measurement of the biases of a plan's judges, through each component that asks one.

    Args:
        plan: from `measured_plan`.
        rows: a file of rows with answers; gold is used where it is there.
        most: rows of each language, the first ones; None for all.
        output, resume, skip_bad, cluster, open_scorer, say: as of `JudgeJob`.
    """

    plan: Plan
    rows: str
    most: int | None = None
    output: Path | None = None
    resume: bool = False
    skip_bad: bool = False
    cluster: str | None = None
    open_scorer: OpenScorer = Scorer
    say: Callable[[str], None] = lambda text: None

    def run(self) -> dict[str, MeasuredBiases]:
        """Return the biases of each component. Raises what `JudgeJob.judged` raises."""
        if self.output is not None and len(self.plan.components) > 1:
            names = ", ".join(self.plan.components)
            raise UserError(f"-o holds the rows of one component with --biases; name one of {names} with --component")
        cases, bad = read_cases(self.rows, self.plan, unlabelled=True)
        bad.refuse(self.rows, len(cases), "to rewrite", self.skip_bad, self.say)
        cases = first_of_each_language(cases, self.most)
        self._say_languages(cases)
        asked = {name: self._rewritten(name, cases) for name in self.plan.components}
        questions = {name: self._questions(name, made) for name, made in asked.items()}
        for name, by_judge in questions.items():
            self._say_questions(name, len(cases), by_judge)
        return {name: self._measured(name, made, questions[name]) for name, made in asked.items()}

    def _rewritten(self, name: str, cases: Sequence[GoldCase]) -> list[GoldCase]:
        compares = self.plan.components[name].spec.scope == "group"
        model = self._model(name)
        if model is None:
            self.say(f"{name}: no self_preference, since its judges have no one name of a model (`model`)")
        bad = [case for case in cases if compares and not _two_answers(case)]
        if bad and not self.skip_bad:
            problem = f"{name} compares answers, and the row has no two different ones; --skip-bad leaves it out"
            raise UserError([Problem(where=case.row.group.sample.source, what=problem) for case in bad])
        good = [case for case in cases if not compares or _two_answers(case)]
        if not good:
            raise UserError(f"no row has two different answers, which {name} compares", where=self.rows)
        return rewritten_cases(good, model, compares, self.cluster)

    def _model(self, name: str) -> str | None:
        """Return the name of the judges' model, without its organisation; None if it has none, or they have several."""
        options = (self.plan.judges[judge].options for judge in self.plan.components[name].judges())
        names = {str(model).rpartition("/")[2] for own in options if (model := getattr(own, "model", None))}
        return names.pop() if len(names) == 1 else None

    def _questions(self, name: str, cases: Sequence[GoldCase]) -> dict[str, int | None]:
        """Return how many questions each judge is asked at most; None if the component does not say it."""
        totals: dict[str, int | None] = {}
        for size, groups in Counter(len(case.gold) for case in cases).items():
            for judge, calls in most_questions(self.plan, name, size).items():
                before = totals.get(judge, 0)
                totals[judge] = None if calls is None or before is None else before + calls * groups
        return totals

    def _say_questions(self, name: str, rows: int, questions: Mapping[str, int | None]) -> None:
        for judge, count in questions.items():
            asked = "an unknown number of questions" if count is None else f"at most {count:,} questions"
            self.say(f"{name} asks {judge} {asked} about {counted(rows, 'row')} and their rewrites")

    def _say_languages(self, cases: Sequence[GoldCase]) -> None:
        given = {case.language for case in cases if case.language is not None}
        english = sorted(name for name in given if flattery_language(name) == ENGLISH and not name.startswith(ENGLISH))
        if english:
            self.say(f"warning: the flattery of sycophancy is English in answers in {', '.join(english)}")

    def _measured(self, name: str, cases: Sequence[GoldCase], questions: Mapping[str, int | None]) -> MeasuredBiases:
        planned = self.plan.components[name]
        job = JudgeJob(
            plan=measured_plan(self.plan, [name]),
            rows=self.rows,
            cases=cases,
            output=self.output,
            resume=self.resume,
            cluster=self.cluster,
            open_scorer=self.open_scorer,
            say=self.say,
        )
        judged = job.judged()[name]
        low, high = planned.spec.range
        made = Counter(case.kind for case in cases)
        expected = set(rewrites(self._model(name), None)) - {CONTROL}
        return MeasuredBiases(
            use=planned.use.use,
            rows=made[ORIGINAL],
            questions=questions,
            biases=biases(changes_of(judged, high - low)),
            unchanged={bias: gap for bias in sorted(expected) if (gap := made[ORIGINAL] - made[bias])},
            same=same_verdicts(judged),
        )


def _two_answers(case: GoldCase) -> bool:
    return len({completion.text for completion in case.row.group.completions}) > 1
