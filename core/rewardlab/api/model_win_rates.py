"""`rewardlab winrates` from Python."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from rewardlab.analysis.tables.prompts import PromptFields
from rewardlab.analysis.win_rates.job import WinRatesJob
from rewardlab.analysis.win_rates.pages import format_win_rates, win_rates_as_dict
from rewardlab.api.result import CommandResult, note
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import RecipeSource, load


def winrates(
    recipe: RecipeSource,
    models: Mapping[str, str | Path],
    *overrides: str,
    output: str | Path,
    resume: bool = False,
    component: str | None = None,
    reference: str | None = None,
    prompts: Literal["same", "common"] = "same",
    missing: Literal["refuse", "leave-out"] = "refuse",
    cluster: str | None = None,
    draws: int = 1000,
    seed: int = 0,
    command: Sequence[str] = (),
    say: Callable[[str], None] = note,
) -> CommandResult:
    """Return how often each model's answers win against each other's, by a recipe's reward that compares a group.

    models: {name: file of rows with completions}, at least two; answer i of one meets answer i of the other.
    reference: the model that each other one is compared with, as in Arena-Hard, instead of all with all; its only
    answer to a prompt meets all of a model's. cluster: the field whose values name what counts as one (`problem`, where
    rows have it); "none" for each prompt by itself. output: a new folder that keeps pairs, scores and what the judge
    said; resume: go on with it. command: what to type to go on, for messages. data: win rates in [0, 1] with intervals
    and p-values. Raises a UserError before anything is asked, and a JobError where a comparison has no verdict and
    `missing` refuses that.
    """
    result = WinRatesJob(
        plan=make_plan(load(recipe, overrides, strict=False), purpose="score"),
        models={name: str(path) for name, path in models.items()},
        folder=Path(output),
        component=component,
        reference=reference,
        fields=PromptFields(cluster=cluster),
        resume=resume,
        common=prompts == "common",
        leave_out=missing == "leave-out",
        draws=draws,
        seed=seed,
        command=command,
        say=say,
    ).run()
    return CommandResult(
        ok=True, text=format_win_rates(result).rstrip("\n"), data={"ok": True} | win_rates_as_dict(result)
    )
