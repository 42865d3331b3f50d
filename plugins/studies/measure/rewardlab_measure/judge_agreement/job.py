"""The measurement of a recipe's judges as a job: it asks them about rows with gold."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardlab import redact
from rewardlab.errors import JobError, StoppedError, UserError
from rewardlab.files import FileLock, LineAppender
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Plan
from rewardlab.scorefile import output_path_problem, to_line
from rewardlab.scoring import OpenScorer, RecipeReward, ScoredGroup, Scorer
from rewardlab.text import Progress

from rewardlab_measure.judge_agreement.case_clusters import case_clusters
from rewardlab_measure.judge_agreement.contradictions import contradictions
from rewardlab_measure.judge_agreement.gold_rows import GoldCase, read_cases
from rewardlab_measure.judge_agreement.judge_verdicts import judge_calls
from rewardlab_measure.judge_agreement.retests import repeated_values
from rewardlab_measure.judge_agreement.slices import JudgedCase, tables

SHOWN = 5
"""labels that contradict others, in warnings"""


@dataclass(frozen=True, kw_only=True)
class JudgeJob:
    """A measurement of judges to run.

    The judges' answers are kept in OUTPUT.state, so that `resume` pays only for questions without an answer.

    Args:
        plan: from `measured_plan`.
        rows, output: files.
        say: prints notes.
        cases: those to judge, if something else has read them; None reads `rows`.
        cluster: see `case_clusters`.
        open_scorer: opens what scores them, as `Scorer` does.
    """

    plan: Plan
    rows: str
    cases: Sequence[GoldCase] | None = None
    output: Path | None = None
    resume: bool = False
    skip_bad: bool = False
    cluster: str | None = None
    open_scorer: OpenScorer = Scorer
    say: Callable[[str], None] = lambda text: None
    _judged: dict[str, list[JudgedCase]] = field(default_factory=dict, init=False)

    def run(self) -> dict[str, Any]:
        """Return {component: {"use", "all", "language", "kind"}}, see `tables`. Raises what `judged` raises."""
        return {
            name: {"use": self.plan.components[name].use.use, **tables(judged)}
            for name, judged in self.judged().items()
        }

    def judged(self) -> dict[str, list[JudgedCase]]:
        """Return each component's judged cases, in the order of the rows.

        A UserError for wrong rows or files, before anything is asked. A JobError if a component has no value for
        more than its max_missing, or for nothing.
        """
        if self.output is not None:
            refuse_output(self.output, self.resume)
        cases = self.read_cases() if self.cases is None else self.cases
        clusters = case_clusters(cases, self.cluster)
        self._judged.update({name: [] for name in self.plan.components})
        with ExitStack() as stack:
            kept = None if self.output is None else self._held(self.output, stack) / "judges"
            judging = JudgingSettings(folder=kept, say=self.say)
            reward = stack.enter_context(RecipeReward(self.plan, judging=judging, open_scorer=self.open_scorer))
            if self.output is not None and self.resume:
                self.output.unlink(missing_ok=True)  # it is written again, from the answers that are kept
            file = None if self.output is None else stack.enter_context(closing(LineAppender(self.output, new=True)))
            try:
                self._ask(reward, list(zip(cases, clusters, strict=True)), file)
            except (JobError, KeyboardInterrupt) as error:
                kind, message = (JobError, str(error)) if isinstance(error, JobError) else (StoppedError, "stopped")
                raise kind(f"{message}\n{self._done(cases)}") from error
            for line in reward.usage_lines():
                self.say(line)
        return self._judged

    @staticmethod
    def _held(output: Path, stack: ExitStack) -> Path:
        """Return the folder beside the output, which no other process holds until the stack is closed."""
        folder = output.with_name(f"{output.name}.state")
        folder.mkdir(exist_ok=True)
        try:
            stack.callback(FileLock(folder / "lock").close)
        except BlockingIOError:
            raise UserError("another process is writing it", where=str(output)) from None
        return folder

    def read_cases(self) -> list[GoldCase]:
        """Return the cases of the file. A UserError lists what is wrong with its rows."""
        cases, bad = read_cases(self.rows, self.plan)
        bad.refuse(self.rows, len(cases), "to judge", self.skip_bad, self.say)
        against = [problem for _, problem in contradictions(cases)]
        for problem in against[:SHOWN]:
            self.say(f"warning: {problem}")
        if len(against) > SHOWN:
            self.say(f"warning: {len(against) - SHOWN} more labels contradict others")
        return cases

    def _ask(self, reward: RecipeReward, cases: Sequence[tuple[GoldCase, int]], file: LineAppender | None) -> None:
        with Progress("judging", total=len(cases)) as bar:
            scored = reward.in_order(case.row for case, _ in cases)
            for (case, cluster), (_, group) in zip(cases, scored, strict=True):
                for name, judged in self._split(case, cluster, group):
                    self._judged[name].append(judged)
                    if file is not None:
                        file.write(to_line(output_row(name, judged)))
                bar.update()

    def _split(self, case: GoldCase, cluster: int, group: ScoredGroup) -> list[tuple[str, JudgedCase]]:
        """Return each component with its scores, back in the row's order."""
        places = sorted(range(len(case.order)), key=lambda place: case.order[place])
        return [
            (
                name,
                JudgedCase(
                    case=case,
                    cluster=cluster,
                    scores=[scores[place] for place in places],
                    calls=judge_calls(scores, self.plan.components[name].spec.scope),
                ),
            )
            for name, scores in group.components.items()
        ]

    def _done(self, cases: Sequence[GoldCase]) -> str:
        """Return how many rows have a value of each component, and how to ask for the others."""
        per_row = zip(*self._judged.values(), strict=False)
        done = sum(all(any(score.value is not None for score in case.scores) for case in row) for row in per_row)
        there = f"; their values are in {self.output}, and --resume asks for the others" if self.output else ""
        return f"{done} of {len(cases)} rows were judged{there}"


def output_row(component: str, judged: JudgedCase) -> dict[str, Any]:
    """Return the line that -o keeps of a row, with all lists (G,) in the row's order.

    won: the share of the row's pairs with different gold that the values order rightly, ties half; null if there are
    none. verdicts: for each completion {index of the second answer: the verdict when this one stood first}.
    repeats: with several draws or judges, for each completion {judge: its value in each draw}.
    """
    case, scores = judged.case, judged.scores
    known = [outcome for outcome in judged.outcomes() if outcome is not None]
    repeats = list(map(repeated_values, scores))
    verdicts: list[dict[str, str]] = [{} for _ in scores]
    for (first, second), verdict in judged.calls.verdicts.items():
        verdicts[case.order[first]][str(case.order[second])] = verdict
    return {
        "id": case.row.given_id,
        "language": case.language,
        "kind": case.kind,
        "component": component,
        "gold": list(case.gold),
        "values": [score.value for score in scores],
        "won": sum(known) / len(known) if known else None,
        "verdicts": verdicts,
        **({"repeats": repeats} if any(repeats) else {}),
        "error": [None if score.error is None else redact(score.error) for score in scores],
    }


def refuse_output(path: Path, resume: bool | None = None) -> None:
    """Raise a UserError if no new file can be made at `path`, or with `resume` none again; None: nothing resumes it."""
    if problem := output_path_problem(path):
        raise UserError(problem)
    begun = resume is not None and path.with_name(f"{path.name}.state").is_dir()
    if path.exists() and not (resume and begun):
        go_on = ", or go on with --resume" if begun else ""
        raise UserError(f"exists already; give -o another name{go_on}", where=str(path))
