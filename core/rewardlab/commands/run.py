"""Train by a recipe: run its stages in a new run directory, or continue one.

--dry-run prints the plan and what the backend will do, and starts nothing.
"""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", help="a YAML file")
    parser.add_argument("overrides", nargs="*", default=[], metavar="KEY=VALUE", help="such as seed=3 or stages.1.steps=50")
    parser.add_argument("--stage", type=int, metavar="N", help="run only stage N, counted from 0")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="continue the run in this folder")
    parser.add_argument("--dry-run", action="store_true", help="print the plan; start nothing")


def run(options: Namespace) -> int:
    from rewardlab.backends import describe, run_backend
    from rewardlab.errors import JobError, RewardlabError, UserError
    from rewardlab.ledger import RunDirectory
    from rewardlab.loading import load
    from rewardlab.plan import make_plan
    from rewardlab.report import write_report

    plan = make_plan(load(options.recipe, options.overrides), purpose="run")
    for warning in plan.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.stage is not None and not 0 <= options.stage < len(plan.recipe.stages):
        raise UserError(f"--stage {options.stage}: the recipe has stages 0 to {len(plan.recipe.stages) - 1}")
    if options.dry_run:
        print(describe(plan))
        return 0
    command = ["rewardlab", "run", options.recipe, *options.overrides]
    if options.resume is not None:
        directory = RunDirectory.resume(options.resume, plan, command)
    else:
        directory = RunDirectory.create(plan, command)
    again = shlex.join([*command, "--resume", str(directory.path)])
    say(f"run directory: {directory.path}")
    try:
        run_backend(plan, directory, options.stage, say)
    except KeyboardInterrupt:
        print(f"stopped; what was done is in {directory.path}\ncontinue with: {again}", file=sys.stderr)
        return JobError.exit_code
    except RewardlabError:
        print(f"what was done is in {directory.path}; after mending, continue with: {again}", file=sys.stderr)
        raise
    write_report(directory.path, directory.path / "report.html")
    say(f"results: {directory.path} (open report.html)")
    for line in _next_steps(options.recipe, directory.path):
        say(line)
    return 0


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def _next_steps(recipe: str, directory: Path) -> list[str]:
    rows = sorted((directory / "evaluation").glob("*-after.rows.jsonl"))
    models = sorted(p for p in (directory / "models").glob("[0-9]*") if p.is_dir())
    lines = [f"model: {models[-1]}"] if models else []
    if rows:
        out = shlex.quote(str(directory / "rescored.jsonl"))
        command = f"rewardlab score {shlex.quote(recipe)} {shlex.quote(str(rows[-1]))} -o {out}"
        lines.append(f"next, see why each completion got its reward: {command}")
    return lines
