"""Run a recipe's stages in a new run directory, or continue a run.

A run that is continued knows its recipe: `rewardlab run --resume DIR` is enough. `rewardlab run RECIPE --resume latest`
continues the newest run of that recipe in runs/.
--dry-run prints the plan (with --stage N, of that stage alone) and what the backend will do, and starts nothing.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardlab.plan import Plan
    from rewardlab.training import RunJob, RunResult


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", help="a YAML file")
    parser.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE", help="such as seed=3 or stages.1.steps=50"
    )
    parser.add_argument("--stage", type=int, metavar="N", help="run only stage N, counted from 0")
    resumed = "continue the run in this folder; latest: the recipe's newest in runs/ (./latest is a folder)"
    parser.add_argument("--resume", type=folder_or_latest, metavar="DIR", help=resumed)
    parser.add_argument("--run-dir", type=Path, metavar="DIR", help="a new folder for the run (runs/NAME-TIME)")
    parser.add_argument("--dry-run", action="store_true", help="print the plan; start nothing")
    parser.add_argument("--json", action="store_true", help="print how it ended as JSON, and all else on stderr")


def folder_or_latest(text: str) -> "Path | str":
    """Return the argument of --resume: a folder, or "latest"."""
    return text if text == "latest" else Path(text)


def run(options: Namespace) -> int:
    from rewardlab.training import RunJob
    from rewardlab.training.backend import lacking

    recipe, overrides = options.recipe, options.overrides
    if options.resume is not None and recipe is not None and "=" in recipe and not Path(recipe).exists():
        recipe, overrides = None, [recipe, *overrides]
    told = partial(print, file=sys.stderr, flush=True) if options.json else say
    where = {"stage": options.stage, "resume": options.resume, "folder": options.run_dir}
    job = RunJob.load(recipe, overrides, **where, say=told)
    for warning in job.plan.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.dry_run:
        if missing := lacking(job.plan):
            print(f"warning: {missing}", file=sys.stderr)
        print(job.describe())
        return 0
    return run_job(job, told, options.json)


def run_job(job: "RunJob", told: Callable[[str], None], as_json: bool) -> int:
    """Run a job to its end, with its report, say what to do next, and return the exit code."""
    from rewardlab.analysis.report.page import write_report
    from rewardlab.errors import JobError, RewardlabError
    from rewardlab.redaction import name_variables, shell_command
    from rewardlab.text.printable import print_json

    try:
        result = job.run()
        findings = [] if result.stopped else write_report(result.directory, result.directory / "report.html")
    except (RewardlabError, OSError) as error:
        for line in job.continuation():
            print(line, file=sys.stderr)
        if isinstance(error, RewardlabError) and job.directory is not None:
            error.details["directory"] = name_variables(str(job.directory))
        raise
    if as_json:
        print_json(_as_json(result))
    directory = name_variables(str(result.directory))
    if result.stopped:
        print(f"stopped; what was done is in {directory}", file=sys.stderr)
        print(f"continue with: {shell_command([*job.command, '--resume', str(result.directory)])}", file=sys.stderr)
        return JobError.exit_code
    for finding in (*result.diverged, *findings):
        told(f"note: {finding}")
    told(f"results: {directory} (open report.html)")
    for line in _next_steps(result.directory, job.plan):
        told(line)
    if result.failed:
        print("error: a stage with on_divergence: fail has diverged", file=sys.stderr)
        return JobError.exit_code
    return 0


def _as_json(result: "RunResult") -> dict[str, Any]:
    from rewardlab.redaction import name_variables
    from rewardlab.training import written_models

    directory, *models = (name_variables(str(path)) for path in (result.directory, *written_models(result.directory)))
    found = sorted(p for p in result.directory.glob("evaluation/*.json"))
    evaluations = [name_variables(str(path)) for path in found]
    return {"ok": not (result.stopped or result.failed), "directory": directory, "stopped": result.stopped} | {
        "models": models,
        "evaluations": evaluations,
        "diverged": [*result.diverged],
    }


def say(line: str) -> None:
    """Print a line and flush it."""
    print(line, flush=True)


def _next_steps(directory: Path, plan: "Plan") -> list[str]:
    from rewardlab.recipe.loading import RESOLVED
    from rewardlab.redaction import name_variables, shell_command
    from rewardlab.training import written_models

    models = written_models(directory)
    lines = [f"model: {name_variables(str(models[-1]))}"] if models else []
    named = [*directory.glob("evaluation/*-after.rows.jsonl"), *directory.glob("evaluation/*-eval-*.rows.jsonl")]
    if rows := max(named, default=None):
        recipe, output = str(directory / RESOLVED), str(directory / "rescored.jsonl")
        why = shell_command(["rewardlab", "score", recipe, str(rows), "-o", output])
        lines.append(f"next, see why each completion got its reward: {why}")
        judges = [plan.judges[name] for name in plan.asked_by_rewards]
        if any(not judge.spec.local and judge.use.cassette is None for judge in judges):
            lines.append("(which asks the judge anew; a cassette in the recipe keeps its answers for other commands)")
    return lines
