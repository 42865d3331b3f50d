"""`rewardlab causes`: which components moved the reward."""

from typing import Annotated

from rewardlab import CommandResult, Config, Flag, Overrides, Positional, note
from rewardlab.commands import AnyRecipe, Count, RolloutName, Say, file_of
from rewardlab.plan import make_plan
from rewardlab.recipe import load

from rewardlab_measure.causes.from_rows import movement_of
from rewardlab_measure.causes.movement_table import movement_as_dict
from rewardlab_measure.causes.summary import finding_lines, summary_lines

SUMMARY = "show which components moved the reward"


class Options(Config):
    """Show which components moved the reward, and which are constant, dominate the others or duplicate one another.

    ROWS is a run's folder, its ledger.jsonl, or the output of `score`. It may also be rows without scores; up to
    --limit of them are scored first, which may ask judges that cost money.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """a recipe"""
    rows: Annotated[str, Positional("ROWS.jsonl")]
    """a run's folder, scores, or rows"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    format: RolloutName = None
    """the tool whose rollouts the rows are (detected)"""
    limit: Annotated[Count | None, Flag(metavar="N")] = 64
    """how many unscored rows to score at most"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""


def run(options: Options) -> CommandResult:
    """Return what moved the reward; data: findings and causes, warnings: the findings."""
    plan = make_plan(load(options.recipe, options.overrides, strict=False), purpose="score")
    with file_of(options.rows, options.say, options.format) as (path, say):
        movement = movement_of(plan, str(path), options.limit, say=say)
    causes = movement_as_dict(movement)
    data = {"ok": True, "findings": causes.pop("findings"), "causes": causes}
    return CommandResult(text="\n".join(summary_lines(movement)), data=data, warnings=list(finding_lines(movement)))
