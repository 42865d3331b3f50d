"""`rewardlab run` from Python, to its end and with its report."""

from collections.abc import Callable
from pathlib import Path

from rewardlab.analysis.report.page import write_report
from rewardlab.errors import RewardlabError
from rewardlab.recipe.loading import RecipeSource
from rewardlab.training import RunJob, RunResult


def run(
    recipe: RecipeSource | None = None,
    *overrides: str,
    stage: int | None = None,
    resume: str | Path | None = None,
    root: Path = Path("runs"),
    folder: str | Path | None = None,
    say: Callable[[str], None] = print,
) -> RunResult:
    """Run a recipe's stages to the end and write report.html; return the folder and how it ended.

    recipe: None where `resume` names the folder of a run to go on with. stage: the only stage to run, from 0. root:
    where a new folder is made; folder: the new folder itself. say: called with each line that the command prints.
    Ctrl-C stops it after the step under way, with a checkpoint. Raises a UserError that lists every mistake, or a
    JobError; its notes say how to go on. `rewardlab.training.RunJob` runs in the background, too.
    """
    there, new = (None if path is None else Path(path) for path in (resume, folder))
    job = RunJob.load(recipe, overrides, stage=stage, resume=there, root=root, folder=new, say=say)
    for warning in job.plan.warnings:
        say(f"warning: {warning}")
    try:
        result = job.run()
    except RewardlabError as error:
        for line in job.continuation():
            error.add_note(line)
        raise
    if not result.stopped:
        for finding in (*result.diverged, *write_report(result.directory, result.directory / "report.html")):
            say(f"note: {finding}")
    return result
