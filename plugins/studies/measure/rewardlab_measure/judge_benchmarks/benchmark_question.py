"""The question of a benchmark, put to each component of a recipe that can be told what it asks."""

from collections.abc import Callable
from dataclasses import replace

from rewardlab.errors import PLUGIN_FAULTS, JobError, Problem, UserError, one_line
from rewardlab.plan import Component, Plan

from rewardlab_measure.judge_benchmarks.benchmark_format import RUBRIC, JudgeBenchmark


def asked_by(plan: Plan, benchmark: JudgeBenchmark, name: str, say: Callable[[str], None]) -> Plan:
    """Return the plan with components that ask the benchmark's question.

    A UserError names those whose own rubric cannot answer it, with what to set.
    """
    field = RUBRIC if benchmark.wordings or benchmark.question == "row" else None
    components, problems = {}, []
    for component, planned in plan.components.items():
        try:
            components[component] = _for_benchmark(planned, benchmark, field)
        except ValueError as error:
            problems.append(Problem(where=f"reward.components.{component}", what=f"{name} {error}"))
            continue
        if components[component] is not planned:
            say(f"{component} is asked {name}'s own question")
    if problems:
        raise UserError(problems)
    return replace(plan, components=components)


def _for_benchmark(planned: Component, benchmark: JudgeBenchmark, field: str | None) -> Component:
    for_benchmark = getattr(planned.spec, "for_benchmark", None)
    if for_benchmark is None:
        return planned
    try:
        options = for_benchmark(planned.options, benchmark.levels, benchmark.compares, field)
    except ValueError:
        raise
    except PLUGIN_FAULTS as error:
        raise JobError(f"{planned.use.use} cannot say how it asks a benchmark's question: {one_line(error)}") from error
    if options is planned.options:
        return planned
    before = dict(planned.options)
    changed = {key: value for key, value in options if before[key] != value}
    use = planned.use.model_copy(update={"options": {**planned.use.options, **changed}})
    return replace(planned, use=use, options=options)
