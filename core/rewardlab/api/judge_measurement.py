"""`rewardlab judge` from Python."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rewardlab.analysis.judge_agreement import JudgeJob, format_agreement, measured_plan
from rewardlab.api.given import file_of
from rewardlab.api.result import CommandResult, note
from rewardlab.plan import make_plan
from rewardlab.recipe import RecipeSource, load
from rewardlab.scoring import Rows


def judge(
    recipe: RecipeSource,
    rows: Rows,
    *overrides: str,
    components: Sequence[str] = (),
    output: Path | None = None,
    resume: bool = False,
    skip_bad: bool = False,
    say: Callable[[str], None] = note,
) -> CommandResult:
    """Return how a recipe's judges do on rows with gold: accuracy by language and kind, position bias, agreement.

    rows: dicts or a path, each with `prompt`, `chosen` and `rejected`, or completions and scores. components: those to
    measure; none for all that ask a judge. output: a new file with the values and verdicts of each row; resume: go on
    with it, which needs a path for `rows`. data: {"components": {name: tables}}. Raises a UserError for wrong rows
    before anything is asked, and a JobError where a component has no value for more than its max_missing.
    """
    plan = measured_plan(make_plan(load(recipe, overrides, strict=False), purpose="score"), components)
    with file_of(rows) as path:
        assert path is not None
        job = JudgeJob(plan=plan, rows=path, output=output, resume=resume, skip_bad=skip_bad, say=say)
        measured = job.run()
    text = "\n\n".join(format_agreement(name, found) for name, found in measured.items())
    return CommandResult(ok=True, text=text, data={"components": measured})
