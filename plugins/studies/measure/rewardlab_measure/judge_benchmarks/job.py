"""The measurement of a recipe's judges on a benchmark, once or with several seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from rewardlab import Sample
from rewardlab.errors import Problem, UserError
from rewardlab.plan import Component, Plan
from rewardlab.scoring import OpenScorer, Scorer

from rewardlab_measure.judge_agreement.gold_rows import GoldCase, GoldReader
from rewardlab_measure.judge_agreement.job import JudgeJob, refuse_output
from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS, JudgeBenchmark
from rewardlab_measure.judge_benchmarks.benchmark_question import asked_by
from rewardlab_measure.judge_benchmarks.benchmark_rows import PlacedCase, read_benchmark
from rewardlab_measure.judge_benchmarks.official_scores import benchmark_tables
from rewardlab_measure.judge_benchmarks.outcomes import Positions, outcome_of

SEED_STRIDE = 1000
"""between the seeds of two runs, so that the further draws of a question in one are not draws of the next"""
SINGLE = ("binary", "score")
BOTH_ORDERS = ("both", "a_only")
"""what an option `orders` is if a reward asks about each pair in both orders"""


@dataclass(frozen=True, kw_only=True)
class BenchmarkJob:
    """A measurement of judges on a benchmark.

    Args:
        plan: from `measured_plan`.
        benchmark: a packaged one or a file.
        rows: a file in one of its forms; None reads the hub.
        seeds: how many runs, each with seeds of its own.
        languages: those to measure.
        most: rows of each language.
        output: a new file of each case's values and verdicts; of several seeds one each, NAME.seed-0.jsonl ...
        cluster: see `case_clusters`.
        open_scorer: opens what scores them, as `Scorer` does.
    """

    plan: Plan
    benchmark: str
    rows: str | None = None
    positions: Positions = "official"
    seeds: int = 1
    languages: tuple[str, ...] = ()
    most: int | None = None
    output: Path | None = None
    resume: bool = False
    skip_bad: bool = False
    cluster: str | None = None
    open_scorer: OpenScorer = Scorer
    say: Callable[[str], None] = lambda text: None

    def run(self) -> dict[str, Any]:
        """Return {component: {"use", "seeds", "deviation", ...tables}}, see `benchmark_tables`.

        Of several seeds, each number is the mean and stands again under "deviation" with the runs' population standard
        deviation. A UserError for wrong rows, files or components before anything is asked; a JobError if a
        component has no value for more than its max_missing.
        """
        benchmark = BENCHMARKS.load(self.benchmark)
        self._refuse_components(benchmark)
        asked = replace(self, plan=asked_by(self.plan, benchmark, self.benchmark, self.say))
        return asked._measured(benchmark)

    def _measured(self, benchmark: JudgeBenchmark) -> dict[str, Any]:
        for output in map(self._output, range(self.seeds)):
            if output is not None:
                refuse_output(output, self.resume)
        placed, cases = self._cases()
        runs = [self._run(benchmark, placed, cases, number) for number in range(self.seeds)]
        return {
            name: {"use": planned.use.use, "measure": benchmark.measure, "seeds": self.seeds, **_averaged(name, runs)}
            for name, planned in self.plan.components.items()
        }

    def _cases(self) -> tuple[list[PlacedCase], list[GoldCase]]:
        placed, bad = read_benchmark(self.benchmark, self.rows, self.languages, self.most)
        reader, cases, kept = GoldReader(self.plan, renamed=False), list[GoldCase](), list[PlacedCase]()
        for place, case in placed:
            try:
                made = reader.case(case.as_row(), place)
                self._refuse_unasked(made.row.group.sample)
            except ValueError as error:
                bad.add(Problem(where=place, what=str(error)))
            else:
                cases.append(replace(made, problem=case.problem))
                kept.append((place, case))
        bad.refuse(self.rows or self.benchmark, len(cases), "to judge", self.skip_bad, self.say)
        return kept, cases

    def _refuse_unasked(self, sample: Sample) -> None:
        """Raise ValueError for a row that a component cannot be asked the benchmark's question about."""
        for name, why in self.plan.row_needs.abstentions(sample, fatal_only=False):
            if getattr(self.plan.components[name].spec, "for_benchmark", None) is not None:
                raise ValueError(f"{name} asks no question about it: {why}")

    def _run(
        self, benchmark: JudgeBenchmark, placed: Sequence[PlacedCase], cases: Sequence[GoldCase], number: int
    ) -> dict[str, Any]:
        if self.seeds > 1:
            self.say(f"seed {number} of {self.seeds}")
        job = JudgeJob(
            plan=self.plan if self.seeds == 1 else seeded(self.plan, number),
            rows=self.rows or self.benchmark,
            cases=cases,
            output=self._output(number),
            resume=self.resume and _begun(self._output(number)),
            cluster=self.cluster,
            open_scorer=self.open_scorer,
            say=self.say,
        )
        return {
            name: benchmark_tables(
                benchmark,
                [
                    outcome_of(benchmark, case, judged_case, self.positions)
                    for (_, case), judged_case in zip(placed, judged, strict=True)
                ],
            )
            for name, judged in job.judged().items()
        }

    def _output(self, number: int) -> Path | None:
        if self.output is None or self.seeds == 1:
            return self.output
        return self.output.with_name(f"{self.output.stem}.seed-{number}{self.output.suffix}")

    def _refuse_components(self, benchmark: JudgeBenchmark) -> None:
        problems = []
        for name, planned in self.plan.components.items():
            if benchmark.measure in SINGLE and planned.spec.scope == "group":
                problem = f"{self.benchmark} asks about single answers, and {planned.use.use} compares several"
                problems.append(Problem(where=name, what=f"{problem}; name another with --component"))
            orders = getattr(planned.options, "orders", None)
            if benchmark.measure == "pairs" and orders is not None and orders not in BOTH_ORDERS:
                problem = f"`orders: {orders}` asks in one order that it draws; --positions {self.positions} needs both"
                problems.append(Problem(where=name, what=f"{problem}: `orders: both`"))
        if self.seeds > 1 and not any("seed" in type(j.options).model_fields for j in self.plan.judges.values()):
            judges = ", ".join(f"{name} ({judge.use.use})" for name, judge in self.plan.judges.items()) or "none"
            problem = f"--seeds {self.seeds}: no judge has an option `seed`: {judges}; all runs would be the same"
            problems.append(Problem(where="", what=problem))
        if problems:
            raise UserError(problems)


def _begun(output: Path | None) -> bool:
    return output is not None and output.with_name(f"{output.name}.state").is_dir()


def seeded(plan: Plan, number: int) -> Plan:
    """Return the plan with another seed, also of each judge that has one: those of run `number`, from 0."""
    moved = number * SEED_STRIDE
    judges = {name: _seeded(planned, plan.recipe.seed, moved) for name, planned in plan.judges.items()}
    recipe = plan.recipe.model_copy(update={"seed": plan.recipe.seed + moved})
    return replace(plan, recipe=recipe, judges=judges)


def _seeded(judge: Component, seed: int, moved: int) -> Component:
    if "seed" not in type(judge.options).model_fields:
        return judge
    change = {"seed": (seed if judge.options.seed is None else judge.options.seed) + moved}
    use = judge.use.model_copy(update={"options": {**judge.use.options, **change}})
    return replace(judge, use=use, options=judge.options.model_copy(update=change))


def _averaged(name: str, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    tables = [run[name] for run in runs]
    if len(tables) == 1:
        return {**tables[0], "deviation": None}
    return {**_joined(tables, fmean), "deviation": _joined(tables, pstdev)}


def _joined(values: Sequence[Any], how: Callable[[Sequence[float]], float]) -> Any:
    """Return the trees' numbers joined, each with the same one of the others; None if a run has none."""
    first = values[0]
    if isinstance(first, Mapping):
        return {key: _joined([value.get(key) for value in values], how) for key in first}
    if isinstance(first, list | tuple):
        return [_joined(list(numbers), how) for numbers in zip(*values, strict=True)] if None not in values else None
    return None if None in values else how([float(value) for value in values])
