"""The job of `rewardlab score`: from a file of rows to a file of scores in the same order, resumable at any point."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardlab.data import read_lines, refuse_stream
from rewardlab.errors import JobError, Problem, StoppedError, UserError
from rewardlab.files import LineAppender
from rewardlab.judging.settings import JudgingSettings
from rewardlab.judging.share import WHOLE, Share
from rewardlab.plan import Plan
from rewardlab.plan.policy_judge import refuse_policy
from rewardlab.scorefile.index import RowIndex
from rewardlab.scorefile.output import (
    PartialOutput,
    leave_out_incomplete,
    output_path_problem,
    output_row,
    put_in_order,
    read_partial_output,
    to_line,
)
from rewardlab.scorefile.rows import abstention_problems, check_rows, rows_to_score
from rewardlab.scorefile.state import StateFolder, changes, origin
from rewardlab.scorefile.summary import Summary
from rewardlab.scoring.given_rows import RowCheck
from rewardlab.scoring.recipe_reward import OpenScorer, RecipeReward
from rewardlab.scoring.scorer import Scorer
from rewardlab.text import Progress
from rewardlab.text.plural import counted
from rewardlab.text.redaction import redactor, shell_command


@dataclass(frozen=True, kw_only=True)
class ScoreJob:
    """A job that scores a file of rows.

    Args:
        rows, output: files.
        resume: go on with `output`.
        skip_bad: leave bad rows out.
        command: the command line that goes on after a stop, for messages.
        shard: whose rows are scored, into a file of its own beside `output` (`Share.path`).
        open_scorer: opens what scores them, as `Scorer` does.
        say: called with notes for the user.
        summary: of all rows in `output`.
    """

    plan: Plan
    rows: str
    output: Path
    resume: bool = False
    skip_bad: bool = False
    command: Sequence[str] = ()
    shard: Share | None = None
    open_scorer: OpenScorer = Scorer
    say: Callable[[str], None] = lambda text: None
    summary: Summary = field(init=False)

    def __post_init__(self) -> None:
        if self.shard is not None:
            object.__setattr__(self, "output", self.shard.path(self.output))
        object.__setattr__(self, "summary", Summary.of(self.plan))

    def run(self) -> Summary:
        """Score the rows that have no scores yet. UserError before anything is written, JobError later."""
        refuse_policy(self.plan.judges, self.plan.document.where)
        self._refuse_places()
        state, now = StateFolder(self.output), origin(self.plan, self.rows)
        with closing(state), closing(RowIndex(self.shard or WHOLE)) as index:
            begun = self._begun(state, now)
            check = self._check_rows(index)
            # a file that appears where none was begun is another process's, and its lock is not held
            kept = self._read_partial_output(index, state) if begun else PartialOutput()
            with self._resumable(len(index)):
                if not begun and state.set_replies_aside():
                    note = "has the judges' answers for an earlier file of this name, which this job does not use"
                    self.say(f"{state.earlier_judges}: {note}")
                if kept.rows < len(index) or not begun:
                    judging = JudgingSettings(folder=state.judges, say=self.say, share=self.shard or WHOLE)
                    with RecipeReward(self.plan, judging=judging, open_scorer=self.open_scorer) as reward:
                        if not begun:  # only now, when everything of the user's has been checked
                            self._begin(state, now, index)
                        self._score_rest(reward, index, check)
                        self.summary.judges = reward.usage()
                        self.summary.judge_lines = reward.usage_lines()
                if not kept.in_order:
                    put_in_order(self.output, state.scratch, index, list(self.plan.components))
        return self.summary

    def _refuse_places(self) -> None:
        refuse_stream(self.rows)
        with closing(read_lines(self.rows)) as lines:
            next(lines, None)  # says why a file cannot be read
        if problem := output_path_problem(self.output):
            raise UserError(problem)
        if not self.resume:
            self._refuse_output()

    def _refuse_output(self) -> None:
        if self.output.exists():
            problem = "exists already; --resume continues it, or give -o another name"
            raise UserError(problem, where=str(self.output))

    def _begun(self, state: StateFolder, now: dict[str, Any]) -> bool:
        """Return whether the output was begun before, from the same recipe and rows; UserError if from others."""
        if not self.resume:
            return False
        then = None
        if state.path.is_dir():
            state.hold()
            then = state.read()
        if then is None:
            if self.output.exists():
                problem = f"there is no {state.path} that says what made this file; give -o another name"
                raise UserError(problem, where=str(self.output))
            return False
        if problems := changes(then, now, self.plan, self.rows):
            problem = "was started with other settings; continue with those, or give -o another name"
            raise UserError([*problems, Problem(where=str(self.output), what=problem)])
        return True

    def _begin(self, state: StateFolder, now: dict[str, Any], index: RowIndex) -> None:
        state.hold()
        self._refuse_output()
        if self.shard is not None:
            state.write_places(index.among_all())
            whole = redactor().tree(self.plan.document.raw)  # for the merge's summary, which needs its policies, too
            now = now | {"shard": str(self.shard), "all_rows": index.all_rows, "whole_recipe": whole}
        state.write(now)

    def _check_rows(self, index: RowIndex) -> RowCheck:
        check = RowCheck(self.plan, trained=True)
        with Progress("checking rows") as bar:
            bad = check_rows(self.rows, check, index, bar.update)
        more = abstention_problems(self.plan, check)
        bad.refuse(self.rows, index.all_rows, "to score", self.skip_bad, self.say, more)
        return check

    def _read_partial_output(self, index: RowIndex, state: StateFolder) -> PartialOutput:
        if not self.output.exists():
            return PartialOutput()
        names = list(self.plan.components)
        kept = read_partial_output(self.output, index, names, self.summary.add, self.plan.uses_in_total)
        self.say(f"{self.output}: {kept.rows} of {len(index)} rows have scores")
        if kept.incomplete:
            self.say(
                f"{self.output}: scores {counted(kept.incomplete, 'row')} again, in which a part of a total is missing"
            )
            leave_out_incomplete(self.output, state.scratch, index, names)
        if kept.dropped:
            self.say(f"warning: {self.output}: {kept.dropped} broken or repeated lines dropped")
        return kept

    def _score_rest(self, reward: RecipeReward, index: RowIndex, check: RowCheck) -> None:
        bar = Progress("scoring", total=len(index), initial=self.summary.rows)
        rows = rows_to_score(self.rows, check, index)
        with bar, closing(rows), closing(LineAppender(self.output)) as file:
            for row, scored in reward.in_order(rows):
                written = output_row(row.given_id, scored)
                file.write(to_line(written))
                self.summary.add(written)
                bar.update()

    @contextmanager
    def _resumable(self, count: int) -> Iterator[None]:
        """Turn an interruption into a JobError with the rows that are there and how to go on, if any were begun."""
        try:
            yield
        except (JobError, OSError, KeyboardInterrupt) as error:
            if not self.output.exists():
                raise
            kind, text = (StoppedError, "stopped") if isinstance(error, KeyboardInterrupt) else (JobError, str(error))
            there = f"{self.summary.rows} of {count} rows are in {self.output}"
            raise kind(f"{text}\n{there}; to go on: {shell_command(self.command)}") from error
