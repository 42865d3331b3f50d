"""What a component and the rest of its recipe must agree on, beyond names and options."""

from collections.abc import Iterator, Mapping
from pathlib import Path as File

from rewardlab.planned import Planned
from rewardlab.recipe import DataStage, Recipe
from rewardlab.validation import Path

Finding = tuple[Path, str]
"""a place in the recipe, and what is wrong there"""


def budget_findings(place: Path, planned: Planned) -> Iterator[Finding]:
    """A judge's budget can only be kept where the cost of an answer is bounded beforehand."""
    use, spec = planned.use, planned.spec
    if use.budget is None or spec.local:
        return
    if use.budget.usd is not None and use.price is None:
        yield (
            (*place, "budget", "usd"),
            f"needs a price; add {'.'.join(map(str, place))}.price: {{prompt: ..., completion: ...}}",
        )
    if planned.most_tokens() is None:
        what = f"{use.use} has no bound on an answer's length; set `max_tokens` (or the like) in `with`"
        yield (*place, "budget"), what


def step_findings(recipe: Recipe, place: Path, planned: Planned) -> Iterator[Finding]:
    """A data step has a source, and stands where its rows are kept."""
    use = planned.use
    if not planned.spec.step:
        if use.source is not None:
            yield (*place, "from"), f"{use.use} starts from nothing; only a data step takes `from`"
        return
    if use.source is None:
        yield place, f"{use.use} is a data step; say what it starts `from`: {{use: data/jsonl, with: ...}}"
    if place[0] != "stages" or recipe.stages[place[1]].use != "data":
        yield place, f"{use.use} is a data step; write its rows to a file in a stage `data`, and read that file here"


def target_findings(recipe: Recipe, datasets: Mapping[Path, Planned]) -> Iterator[Finding]:
    """A data stage writes a file, and none that it reads."""
    for index, stage in enumerate(recipe.stages):
        if not isinstance(stage, DataStage):
            continue
        target = File(stage.to).expanduser()
        if target.is_dir():
            yield ("stages", index, "to"), f"{stage.to} is a folder; name a .jsonl file"
        place: Path = ("stages", index, "dataset")
        while (planned := datasets.get(place)) is not None:
            path = getattr(planned.options, "path", None)
            if isinstance(path, str) and File(path).expanduser().resolve() == target.resolve():
                yield (
                    ("stages", index, "to"),
                    f"{stage.to} is what this stage reads; its rows would be added to their source",
                )
            place = (*place, "from")
