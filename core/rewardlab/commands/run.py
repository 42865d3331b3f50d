"""Train by a recipe: run its stages in a new run directory, or continue one.

--dry-run prints the plan (with --stage N of that stage alone) and what the backend will do, and starts nothing.
"""

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", help="a YAML file")
    parser.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE", help="such as seed=3 or stages.1.steps=50"
    )
    parser.add_argument("--stage", type=int, metavar="N", help="run only stage N, counted from 0")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="continue the run in this folder")
    parser.add_argument("--dry-run", action="store_true", help="print the plan; start nothing")


def run(options: Namespace) -> int:
    from rewardlab.backends import check_runnable, describe, run_backend, trained_elsewhere
    from rewardlab.errors import JobError, RewardlabError, UserError
    from rewardlab.judging.probe import probe_judges
    from rewardlab.ledger import RunDirectory
    from rewardlab.loading import load
    from rewardlab.plan import make_plan
    from rewardlab.readiness import get_ready
    from rewardlab.report import write_report

    plan = make_plan(load(options.recipe, options.overrides, strict=False), purpose="run")
    for warning in plan.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.stage is not None and not 0 <= options.stage < len(plan.recipe.stages):
        raise UserError(f"--stage {options.stage}: the recipe has stages 0 to {len(plan.recipe.stages) - 1}")
    if options.dry_run:
        print(describe(plan, options.stage))
        return 0
    check_runnable(plan, options.stage)
    if not trained_elsewhere(plan):
        get_ready(plan, say, options.stage)
    for stage in _asking_here(plan, options.stage):
        probe_judges(plan, say, stage)
    command = ["rewardlab", "run", options.recipe, *options.overrides]
    if options.stage is not None:
        command += ["--stage", str(options.stage)]
    if options.resume is not None:
        directory = RunDirectory.resume(options.resume, plan, command)
    else:
        directory = RunDirectory.create(plan, command)
    say(f"run directory: {directory.path}")
    try:
        run_backend(plan, directory, options.stage, say)
        findings = write_report(directory.path, directory.path / "report.html")
    except KeyboardInterrupt:
        print(f"stopped; what was done is in {directory.path}", file=sys.stderr)
        print(_continue(command, directory.path), file=sys.stderr)
        return JobError.exit_code
    except (RewardlabError, OSError):
        for line in _after_mending(command, directory.path):
            print(line, file=sys.stderr)
        raise
    finally:
        directory.close()
    for finding in findings:
        say(f"note: {finding}")
    say(f"results: {directory.path} (open report.html)")
    for line in _next_steps(directory.path, plan):
        say(line)
    return 0


def _asking_here(plan: Any, only: int | None) -> list[int | None]:
    """Stages (None: all) whose judges this machine asks; where a cluster trains, it asks those of rl itself."""
    from rewardlab.backends import trained_elsewhere
    from rewardlab.recipe import DataStage

    if not trained_elsewhere(plan):
        return [only]
    stages = enumerate(plan.recipe.stages)
    return [index for index, stage in stages if isinstance(stage, DataStage) and only in (None, index)]


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def _models(directory: Path) -> list[Path]:
    """What the training stages wrote, first to last."""
    found = [path for path in (directory / "models").glob("[0-9]*-*") if path.is_dir()]
    return sorted(found, key=lambda path: int(path.name.partition("-")[0]))


def _continue(command: Sequence[str], directory: Path) -> str:
    return f"continue with: {shlex.join([*command, '--resume', str(directory)])}"


def _after_mending(command: Sequence[str], directory: Path) -> Iterator[str]:
    """What was done, and how to go on from it: a resume refuses a changed recipe."""
    yield f"what was done is in {directory}; after mending, {_continue(command, directory)}"
    if models := _models(directory):
        stage = int(models[-1].name.partition("-")[0]) + 1
        yield f"or, with a changed recipe, from its last model: model={models[-1]} --stage {stage}"


def _next_steps(directory: Path, plan: Any) -> list[str]:
    models = _models(directory)
    lines = [f"model: {models[-1]}"] if models else []
    if rows := max((directory / "evaluation").glob("*-after.rows.jsonl"), default=None):
        paths = (directory / "recipe.resolved.yaml", rows, directory / "rescored.jsonl")
        recipe, scored, output = (shlex.quote(str(path)) for path in paths)
        why = f"rewardlab score {recipe} {scored} -o {output}"
        lines.append(f"next, see why each completion got its reward: {why}")
        judges = [plan.judges[name] for name in plan.asked_by_rewards]
        if any(not judge.spec.local and judge.use.cassette is None for judge in judges):
            lines.append("(which asks the judge anew; a cassette in the recipe keeps its answers for other commands)")
    return lines
