"""`rewardlab judge` from Python."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.analysis.judge_agreement.job import JudgeJob, measured_plan
from rewardlab.analysis.judge_agreement.report import format_agreement
from rewardlab.analysis.judge_benchmarks.benchmark_files import load_benchmark
from rewardlab.analysis.judge_benchmarks.job import BenchmarkJob
from rewardlab.analysis.judge_benchmarks.outcomes import Positions
from rewardlab.analysis.judge_benchmarks.report import format_benchmark
from rewardlab.api.given import file_of
from rewardlab.api.result import CommandResult, note
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import RecipeSource, load
from rewardlab.scoring.given_rows import Rows


def judge(
    recipe: RecipeSource,
    rows: Rows | None = None,
    *overrides: str,
    components: Sequence[str] = (),
    output: Path | None = None,
    resume: bool = False,
    skip_bad: bool = False,
    benchmark: str | None = None,
    positions: Positions = "official",
    seeds: int = 1,
    languages: Sequence[str] = (),
    most: int | None = None,
    say: Callable[[str], None] = note,
) -> CommandResult:
    """Return how a recipe's judges do on rows with gold: accuracy by language and kind, position bias, agreement.

    benchmark: the name of a published one, or a file that describes one; `rows` are then in one of its published forms,
    or None for those on the hub. positions: the orders of a pair that count: the official one or both. seeds: how many
    runs, of which each number is the mean. languages: those to measure; most: rows of each. data: {"benchmark",
    "positions", "components": {name: {"score", "sections", "slices", ...}}}.

    Without a benchmark:

    rows: dicts or a path, each with `prompt`, `chosen` and `rejected`, or completions and scores. components: those to
    measure; none for all that ask a judge. output: a new file with the values and verdicts of each row; resume: go on
    with it, which needs a path for `rows`. data: {"components": {name: tables}}. Raises a UserError for wrong rows
    before anything is asked, and a JobError where a component has no value for more than its max_missing.
    """
    plan = measured_plan(make_plan(load(recipe, overrides, strict=False), purpose="score"), components)
    how: dict[str, Any] = {"output": output, "resume": resume, "skip_bad": skip_bad, "say": say}
    if benchmark is not None:
        with file_of(rows) as path:
            job = BenchmarkJob(
                plan=plan,
                benchmark=benchmark,
                rows=path,
                positions=positions,
                seeds=seeds,
                languages=tuple(languages),
                most=most,
                **how,
            )
            return _on_benchmark(benchmark, positions, job.run())
    if rows is None:
        raise UserError("name a file of rows with gold, or a published benchmark")
    with file_of(rows) as path:
        assert path is not None
        measured = JudgeJob(plan=plan, rows=path, **how).run()
    text = "\n\n".join(format_agreement(name, found) for name, found in measured.items())
    return CommandResult(ok=True, text=text, data={"components": measured})


def _on_benchmark(name: str, positions: str, measured: Mapping[str, Any]) -> CommandResult:
    read = load_benchmark(name)
    text = "\n\n".join(format_benchmark(component, read, name, found) for component, found in measured.items())
    return CommandResult(
        ok=True, text=text, data={"benchmark": name, "positions": positions, "components": dict(measured)}
    )
