"""The comparison as a job: it checks the rows, scores them by both sides and collects the measures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from rewardlab import Group
from rewardlab.data import BadRows, refuse_stream
from rewardlab.errors import JobError, Problem, StoppedError, UserError
from rewardlab.files import LineAppender
from rewardlab.judging import Usage
from rewardlab.plan import Plan
from rewardlab.scorefile import RowIndex, abstention_problems, check_rows, to_line
from rewardlab.scoring import results_in_order
from rewardlab.text import Progress

from rewardlab_measure.compare.gain import GroupGain
from rewardlab_measure.compare.measures import GroupMeasures, measure, rewards_of
from rewardlab_measure.compare.most_different import ComparedGroup, MostDifferent
from rewardlab_measure.compare.rows import (
    BothChecks,
    ComparedRow,
    RowSelection,
    add_unknown,
    match_scored_files,
    read_again,
    rows_of_scored_file,
)
from rewardlab_measure.compare.scored_file import ScoredFile
from rewardlab_measure.compare.shared_judges import SharedJudges, open_shared
from rewardlab_measure.compare.side import RecipeSide, ScoredSide, Side, SideFutures
from rewardlab_measure.compare.tally import SIDES, Tally
from rewardlab_measure.compare.teaching import ALL, Slice, TruthAnswer, TruthComparison, TruthQuestion
from rewardlab_measure.judge_agreement.job import refuse_output


@dataclass(frozen=True, kw_only=True)
class RewardComparison:
    """The result of a comparison.

    Args:
        slices: "all" first, then those that share a value of a field ("language de").
        cost: of A and of B, None for a side that was scored before.
        paid: (judge, Usage) of all that was asked, by either side.
        taught: what each side teaches of the truth; None if none was named.
    """

    slices: Mapping[str, Tally]
    most_different: Sequence[ComparedGroup]
    cost: tuple[dict[str, Any] | None, dict[str, Any] | None]
    paid: Sequence[tuple[str, Usage]]
    taught: TruthAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class CompareJob:
    """A comparison to run. `sides` are A and B, each a plan or a scored file.

    Args:
        rows: a file, None if both sides were scored before.
        most: how many rows to compare, evenly over the file.
        by: fields whose values make slices.
        output: a new file with a line for each group.
        question: about a truth, and whether to stop once it is answered.
        say: prints notes. Writes nothing but `output` and the cassettes that the recipes name.
    """

    sides: tuple[Plan | ScoredFile, Plan | ScoredFile]
    rows: str | None = None
    most: int | None = None
    by: Sequence[str] = ()
    output: Path | None = None
    skip_bad: bool = False
    question: TruthQuestion | None = None
    say: Callable[[str], None] = lambda text: None
    _slices: dict[Slice, Tally] = field(default_factory=lambda: {ALL: Tally()}, init=False)
    _different: MostDifferent = field(default_factory=MostDifferent, init=False)

    def run(self) -> RewardComparison:
        """Run the comparison. A UserError for wrong rows or files, before anything is scored; a JobError later."""
        if self.output is not None:
            refuse_output(self.output)
        with ExitStack() as stack:
            teaching = (
                None if self.question is None else TruthComparison(self.question, self.sides, self.rows is not None)
            )
            rows, count = self._rows(stack, teaching)
            judges = open_shared(self._plans, self.say)
            stack.callback(judges.close)
            sides: list[Side] = []
            for place in (0, 1):
                sides.append(self._open(place, judges, sides, stack))
            file = None if self.output is None else stack.enter_context(closing(LineAppender(self.output, new=True)))
            with self._explaining(judges, count):
                self._compare(rows, count, sides, judges, file, teaching)
            a, b = (side.cost() for side in sides)
            return RewardComparison(
                slices={label: tally for (_, label), tally in sorted(self._slices.items(), key=itemgetter(0))},
                most_different=self._different.cases(),
                cost=(a, b),
                paid=judges.paid(),
                taught=None if teaching is None else teaching.result(count),
            )

    @property
    def _plans(self) -> dict[str, Plan]:
        return {letter: side for letter, side in zip("ab", self.sides, strict=True) if isinstance(side, Plan)}

    def _open(self, place: int, judges: SharedJudges, others: Sequence[Side], stack: ExitStack) -> Side:
        side = self.sides[place]
        if isinstance(side, ScoredFile):
            return ScoredSide(side)
        beside = next((other for other in others if isinstance(other, RecipeSide)), None)
        opened = RecipeSide(side, place, judges.of_recipe["ab"[place]], self.say, beside)
        stack.enter_context(closing(opened))
        opened.warm()
        return opened

    # --- Rows

    def _rows(self, stack: ExitStack, teaching: TruthComparison | None) -> tuple[Iterator[ComparedRow], int]:
        """Return (the rows to compare, their number); all of them fit both sides."""
        if self.rows is None:
            return self._rows_of_scored()
        refuse_stream(self.rows)
        index = stack.enter_context(closing(RowIndex()))
        plans = [side if isinstance(side, Plan) else None for side in self.sides]
        files = [side if isinstance(side, ScoredFile) else None for side in self.sides]
        checks = BothChecks(plans, files)
        with Progress("checking rows") as bar:
            fits = checks.fits if teaching is None else partial(_fits, checks, teaching)
            bad = check_rows(self.rows, checks, index, bar.update, fits)
        self._add_unknown(bad, files, index)
        bad.refuse(self.rows, len(index), "to compare", self.skip_bad, self.say, self._abstentions(checks))
        if teaching is not None:
            teaching.refuse_constant(self.rows)
        for name in self.by:
            if name not in checks.seen_fields:
                self.say(f"warning: --by {name}: no row has this field")
        chosen = RowSelection(len(index), self.most)
        return stack.enter_context(closing(read_again(self.rows, checks, index, chosen))), len(chosen)

    def _rows_of_scored(self) -> tuple[Iterator[ComparedRow], int]:
        a, b = self.sides
        assert isinstance(a, ScoredFile)
        assert isinstance(b, ScoredFile)
        if self.by:
            raise UserError("--by splits by a field of the rows; name the file of rows after A and B")
        ids, bad = match_scored_files(a, b)
        bad.refuse(f"{a.path} and {b.path}", len(ids), "to compare", self.skip_bad, self.say)
        chosen = RowSelection(len(ids), self.most)
        return rows_of_scored_file(a, ids, chosen), len(chosen)

    def _add_unknown(self, bad: BadRows, files: Sequence[ScoredFile | None], index: RowIndex) -> None:
        """Add scores whose rows are missing, unless bad rows or --skip-bad may be the reason."""
        if bad.count or self.skip_bad:
            return
        for file in files:
            if file is not None and len(file) != len(index):
                add_unknown(bad, file, {row_id for _, row_id, _ in index.rows()}, str(self.rows))

    def _abstentions(self, checks: BothChecks) -> list[Problem]:
        problems = [
            problem
            for side, check in zip(self.sides, checks.of_side, strict=True)
            if isinstance(side, Plan) and check is not None
            for problem in abstention_problems(side, check)
        ]
        return list(dict.fromkeys(problems))

    # --- Comparing

    def _compare(
        self,
        rows: Iterator[ComparedRow],
        count: int,
        sides: Sequence[Side],
        judges: SharedJudges,
        file: LineAppender | None,
        teaching: TruthComparison | None,
    ) -> None:
        def submit(row: ComparedRow) -> SideFutures:
            judges.progress.begun = row.number
            return SideFutures((sides[0].submit(row), sides[1].submit(row)))

        with Progress("comparing", total=count) as bar:
            for rows_to_look in [rows] if teaching is None else teaching.parts(rows, count):
                for row, results in results_in_order(rows_to_look, submit):
                    judges.check()
                    a, b = (side.scores(row, result) for side, result in zip(sides, results, strict=True))
                    judges.progress.done = row.number
                    measures = measure(rewards_of(a), rewards_of(b))
                    slices = list(self._slices_of(row))
                    gain = {} if teaching is None else gain_as_dict(teaching.add(row, a, b, slices))
                    if file is not None:
                        file.write(to_line({"id": a["id"], **as_dict(measures), **gain}))
                    self._count(ComparedGroup(row=row, measures=measures, a=a, b=b), slices)
                    bar.update()
        for side in sides:
            side.check_end()

    def _count(self, case: ComparedGroup, slices: Sequence[Slice]) -> None:
        self._different.add(case)
        for key in slices:
            self._slices.setdefault(key, Tally()).add(case.measures)

    def _slices_of(self, row: ComparedRow) -> Iterator[Slice]:
        yield ALL
        for place, name in enumerate(self.by):
            if name in row.sample.fields:
                yield place, f"{name} {row.sample.fields[name]}"

    @contextmanager
    def _explaining(self, judges: SharedJudges, count: int) -> Iterator[None]:
        """Add to an error how far the job came, and what becomes of the answers that were paid for."""
        try:
            yield
        except (JobError, OSError, KeyboardInterrupt) as error:
            done = f"{self._slices[ALL].groups} of {count} groups were compared"
            kind = StoppedError if isinstance(error, KeyboardInterrupt) else JobError
            raise kind("\n".join([_why(error, judges), done, *_answers(judges), *self._left()])) from error

    def _left(self) -> Iterator[str]:
        if self.output is not None:
            yield f"their measures are in {self.output}; give -o another name to start again"


def _why(error: BaseException, judges: SharedJudges) -> str:
    """Return the cause of an error in words: a judge that has stopped, if any, since rows fail without its answers."""
    if isinstance(error, KeyboardInterrupt):
        return "stopped"
    try:
        judges.check()
    except JobError as cause:
        return str(cause)
    return str(error)


def _answers(judges: SharedJudges) -> Iterator[str]:
    kept, lost = judges.cassettes()
    if kept:
        yield f"answers that were paid for are in {', '.join(kept)}; the same command asks only for the others"
    if lost:
        yield f"answers of {', '.join(lost)} are kept nowhere; set `cassette: {{path: FILE}}` on the judge to keep them"


def _fits(checks: BothChecks, teaching: TruthComparison, row_id: str, group: Group) -> str | None:
    return checks.fits(row_id, group) or teaching.misfit(group)


def gain_as_dict(gain: GroupGain | None) -> dict[str, Any]:
    """Return what a group teaches of the truth as JSON values, as -o writes it after the measures."""
    return {"gain": None if gain is None else {"a": gain.a, "b": gain.b, "at_most": gain.at_most}}


def as_dict(measures: GroupMeasures) -> dict[str, Any]:
    """Return the measures of one group as JSON values, as -o writes them after its id."""
    return {
        "completions": measures.size,
        "compared": measures.compared,
        "left_out": measures.left_out,
        "pearson": measures.pearson,
        "spearman": measures.spearman,
        "distance": measures.distance,
        "flips": measures.flips,
        "best_changes": measures.best_changes,
        "zero_variance": SIDES.get(measures.flat),
        "std": {"a": measures.std[0], "b": measures.std[1]},
    }
