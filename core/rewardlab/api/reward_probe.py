"""`rewardlab probe` from Python."""

from collections.abc import Callable, Sequence

from rewardlab.analysis.probe.degenerate import LONG
from rewardlab.analysis.probe.job import ROWS, ProbeJob
from rewardlab.analysis.probe.report import format_probe, probe_as_dict
from rewardlab.analysis.probe.verdicts import WinRule
from rewardlab.api.given import file_of
from rewardlab.api.result import CommandResult, note
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import RecipeSource, load
from rewardlab.scoring.given_rows import Rows


def probe(
    recipe: RecipeSource,
    rows: Rows | None = None,
    *overrides: str,
    most: int = ROWS,
    honest: str | None = None,
    reference: str = "reference",
    by: Sequence[str] = (),
    tolerance: float = 1e-6,
    most_won: float = 0.25,
    long: int = LONG,
    skip_bad: bool = False,
    say: Callable[[str], None] = note,
) -> CommandResult:
    """Return whether degenerate completions win under a recipe's reward: `ok` is false where one does.

    rows: dicts or a path, each with an honest completion; None for the recipe's dataset. most: rows to use, evenly
    over languages. honest, reference: the columns of the honest completion and the English reference. by: fields whose
    values are judged by themselves. tolerance: totals so near are equal. most_won: share of the rows that may be won
    without a win. long: characters of a very long completion. say: called with notes, such as how many questions will
    be asked. Raises a UserError for wrong rows before anything is scored, and a JobError where too many have no total.
    """
    plan = make_plan(load(recipe, overrides, strict=False), purpose="score")
    with file_of(rows) as path:
        probed = ProbeJob(
            plan=plan,
            rows=path,
            most=most,
            honest=honest,
            reference=reference,
            by=by,
            rule=WinRule(tolerance=tolerance, most=most_won),
            long=long,
            skip_bad=skip_bad,
            say=say,
        ).run()
    return CommandResult(ok=not probed.failing, text=format_probe(probed), data=probe_as_dict(probed))
