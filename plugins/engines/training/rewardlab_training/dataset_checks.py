"""Checks of the datasets of a recipe: data steps and what they start from, and the files that data stages write."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardlab.files import expanded
from rewardlab.plan import OUTSIDE, POLICY, Component, Plan
from rewardlab.recipe import DatasetUse, DataStage, Finding, Recipe, RecipePath


def step_findings(recipe: Recipe, place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for a dataset that asks the policy, a misplaced data step, and a missing or extra `from`."""
    use = planned.use
    for option in planned.spec.judges:
        judge = recipe.judges.get(str(getattr(planned.options, option, None)))
        if judge is not None and judge.use == POLICY:
            yield (*place, "with", option), f"{OUTSIDE}; a dataset is made before it"
    yield from _source_findings(place, planned)
    if not planned.spec.step and (use.source is None or planned.spec.sources is None):
        return
    if place[0] != "stages" or recipe.stages[int(place[1])].use != "data":
        yield place, f"{use.use} is a data step; write its rows to a file in a stage `data`, and read that file here"


def _source_findings(place: RecipePath, planned: Component) -> Iterator[Finding]:
    """Yield findings for what stands under `from`: nothing, one dataset, or several by their names."""
    use, spec = planned.use, planned.spec
    if spec.sources is not None:
        wanted = planned.ask("what it starts from", spec.sources, planned.options)
        yield from _named_source_findings(place, use, wanted)
    elif not spec.step:
        if use.source is not None:
            yield (*place, "from"), f"{use.use} reads no other dataset; only a data step takes `from`"
    elif use.source is None:
        yield place, f"{use.use} is a data step; say what it starts `from`: {{use: data/jsonl, with: ...}}"
    elif not isinstance(use.source, DatasetUse):
        problem = f"{use.use} starts from one dataset, {{use: ..., with: ...}}; data/mix makes one of several"
        yield (*place, "from"), problem


def _named_source_findings(place: RecipePath, use: DatasetUse, wanted: Sequence[str]) -> Iterator[Finding]:
    if isinstance(use.source, DatasetUse):
        yield (*place, "from"), f"{use.use} takes several datasets, each by its name: {{NAME: {{use: ...}}}}"
        return
    given = use.source or {}
    lacking = [name for name in wanted if name not in given]
    if lacking:
        names = ", ".join(f"{name}: {{use: ...}}" for name in lacking)
        yield place, f"{use.use} needs {'these datasets' if given else 'datasets'} under `from`: {{{names}}}"
    for name in given:
        if name not in wanted:
            takes = f"it takes {', '.join(wanted)}" if wanted else "it takes none under these options"
            yield (*place, "from", name), f"{use.use} reads no dataset of this name; {takes}"


def target_findings(plan: Plan) -> Iterator[Finding]:
    """Yield findings for data stages that write to a folder, or to a file that they read."""
    for index, stage in enumerate(plan.recipe.stages):
        if not isinstance(stage, DataStage):
            continue
        target = expanded(stage.to)
        if target.is_dir():
            yield ("stages", index, "to"), f"{stage.to} is a folder; name a .jsonl file"
        for _, planned in with_sources(plan.datasets, ("stages", index, "dataset")):
            path = getattr(planned.options, "path", None)
            if isinstance(path, str) and expanded(path).resolve() == target.resolve():
                yield (
                    ("stages", index, "to"),
                    f"{stage.to} is what this stage reads; its rows would be added to their source",
                )


def with_sources(datasets: Mapping[RecipePath, Any], place: RecipePath) -> Iterator[tuple[RecipePath, Any]]:
    """Return (place, dataset) for the dataset at `place` and for all that it starts from, each before its sources."""
    return ((path, dataset) for path, dataset in datasets.items() if path[: len(place)] == place)
