"""`rewardlab run`: training by a recipe."""

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from rewardlab import CommandResult, Config, Flag, Overrides, Positional, PythonOnly, note
from rewardlab.commands import AnyRecipe, ScoredOn, ShardOf, scorer_on, share_of
from rewardlab.concurrency import stop_code
from rewardlab.errors import PLUGIN_FAULTS, JobError, RewardlabError, UserError, one_line_at
from rewardlab.plan import Plan
from rewardlab.recipe import RESOLVED
from rewardlab.registry import FINISHED, installed, pip_install
from rewardlab.text import name_variables, shell_command
from rewardlab_shards.elsewhere import WITHOUT_ON
from rewardlab_shards.ray_hosts import pool_on
from rewardlab_shards.run_shards import Spread

from rewardlab_training import RunJob, RunResult
from rewardlab_training.alarms.alarm_file import alarm_sentences
from rewardlab_training.backend import lacking
from rewardlab_training.run_folders import written_models

SUMMARY = "train by a recipe"


class JobOptions(Config):
    """The options of the commands that make a run directory."""

    recipe: Annotated[AnyRecipe | None, Positional("RECIPE")] = None
    """a YAML file, the name of a recipe of ours, or the folder of a run"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """such as seed=3 or stages.1.steps=50"""
    resume: Annotated[str | Path | None, Flag(metavar="DIR")] = None
    """continue the run in this folder; latest: the recipe's newest unfinished one in runs/ (./latest is a folder)"""
    folder: Annotated[Path | None, Flag("--run-dir", metavar="DIR")] = None
    """a new folder for the run (runs/NAME-TIME)"""
    root: Annotated[Path, PythonOnly()] = Path("runs")
    """the folder in which a new folder is made"""
    dry_run: bool = False
    """print the plan; start nothing"""
    shard: ShardOf = None
    """ask about part I of N of the rows, in DIR.I-of-N; `rewardlab merge DIR` runs on all answers"""
    on: ScoredOn = None
    """have hosts on a cluster score what a served policy answers, and ask for data stages: ray, or ray://HOST:10001"""
    answers: Annotated[tuple[Path, ...], PythonOnly()] = ()
    """folders of judges' answers that others got for this run"""
    unlicensed: bool = False
    """ask judges that lack the licence that they require; the ledger, the report and the last lines say so"""
    as_json: Annotated[bool, PythonOnly()] = False
    """whether the lines of a run go to stderr"""
    say: Annotated[Callable[[str], None] | None, PythonOnly()] = None
    """called with each line that the command prints"""

    def where(self) -> dict[str, Any]:
        """Return where a job runs and what it says its lines to."""
        resume = Path(self.resume) if self.resume not in (None, "latest") else self.resume
        return {"resume": resume, "root": self.root, "folder": self.folder, "say": self.told()}

    def let(self, job: RunJob, name: str) -> RunJob:
        """Return a job that asks about these options' part of the rows, and the judges that they let it ask."""
        job.spread, job.unlicensed = self.spread(name), self.unlicensed
        return job

    def spread(self, name: str) -> Spread:
        """Return the part of the rows to ask about; name: of the command."""
        shard = share_of(self.shard)
        if self.on is not None:
            if shard is not None:
                raise UserError(WITHOUT_ON, where="--on")
            return Spread(on=self.on, open_scorer=scorer_on(self.on), open_pool=pool_on(self.on))
        own = {"shard", "resume", "say", "answers", "as_json", "dry_run"}
        given = self.model_dump(mode="json", exclude_defaults=True, exclude=own)
        return Spread(shard=shard, answers=self.answers, command={"name": name, "options": given})

    def told(self) -> Callable[[str], None]:
        """Return what each line is said to: a program's function, or a standard stream."""
        return self.say or partial(print, file=sys.stderr if self.as_json else sys.stdout, flush=True)


class Options(JobOptions):
    """Run a recipe's stages in a new run directory, or continue a run.

    A run that is continued knows its recipe: `rewardlab run --resume DIR` is enough. `rewardlab run RECIPE --resume
    latest` continues the newest run of that recipe in runs/ that is not finished, with the overrides that it was
    begun with if none are given.
    --on ray has hosts on a cluster ask the judges of data stages: --stage N names one.
    --dry-run prints the plan (with --stage N, of that stage alone) and what the backend will do, and starts nothing.
    """

    stage: Annotated[int | None, Flag(metavar="N")] = None
    """run only stage N, counted from 0"""


@dataclass(frozen=True, kw_only=True)
class EndOfRun(CommandResult, RunResult):
    """The end of a run, as a command and as a program see it."""


def run(options: Options) -> CommandResult:
    """Run the stages to the end and write report.html; return the folder and how it ended.

    Ctrl-C stops it after the step under way, with a checkpoint. Raises a UserError that lists every mistake, or a
    JobError; its notes say how to go on. `rewardlab_training.RunJob` runs in the background, too.
    """
    job = RunJob.load(options.recipe, options.overrides, stage=options.stage, **options.where())
    return finish(
        options.let(job, "run"), options, [missing] if options.dry_run and (missing := lacking(job.plan)) else []
    )


def finish(job: RunJob, options: JobOptions, warnings: list[str]) -> CommandResult:
    """Run a job to its end, with its report, and say what to do next; or say what it would do."""
    warnings = [*job.plan.warnings, *warnings]
    if options.dry_run:
        text, warnings = job.describe(), [*warnings, *job.unlicensed_judges()]
        return CommandResult(text=text, data={"ok": True, "plan": text}, warnings=warnings)
    tell = options.told()
    for warning in warnings:
        (options.say or note)(f"warning: {warning}")
    try:
        result = job.run()
        findings = [] if result.stopped else _finished(result.directory)
    except (RewardlabError, OSError) as error:
        if isinstance(error, JobError) and job.directory is not None and alarm_sentences(job.directory):
            with suppress(RewardlabError, OSError):  # alarms say what to read there
                _finished(job.directory)
        for line in job.continuation():
            error.add_note(line)
        if isinstance(error, RewardlabError) and job.directory is not None:
            error.details["directory"] = name_variables(str(job.directory))
        raise
    if not result.stopped:
        for finding in (*result.alarms, *findings):
            tell(f"note: {finding}")
    ending = _lines_of_stopped(job, result) if result.stopped else []
    directory = name_variables(str(result.directory))
    if not result.stopped:
        tell(f"results: {directory} ({_report(result.directory)})")
        for line in _next_steps(result.directory, job.plan):
            tell(line)
    ending += [f"warning: {sentence}" for sentence in result.unlicensed]
    if result.failed:
        ending.append("error: a stage with on_divergence: fail has diverged")
    for line in ending:
        note(line)
    ok, code = not (result.stopped or result.failed), stop_code() if result.stopped else None
    return EndOfRun(ok=ok, code=code, data=_as_json(result), **vars(result))


def _finished(directory: Path) -> list[str]:
    """Hand the folder to the plugins that do something with a run that has ended; return their notes."""
    notes: list[str] = []
    for plugin in installed():
        for finished in plugin.actions[FINISHED]:
            try:
                notes += finished(directory)
            except PLUGIN_FAULTS as error:
                if isinstance(error, RewardlabError | OSError):
                    raise
                notes.append(f"{plugin.distribution} fails on {directory}: {one_line_at(error)}")
    return notes


def _report(directory: Path) -> str:
    return (
        "open report.html" if (directory / "report.html").is_file() else f"{pip_install('viewer')} brings it: a report"
    )


def _lines_of_stopped(job: RunJob, result: RunResult) -> list[str]:
    again = shell_command([*job.started_with, "--resume", str(result.directory)])
    return [f"stopped; what was done is in {name_variables(str(result.directory))}", f"continue with: {again}"]


def _as_json(result: RunResult) -> dict[str, Any]:
    directory, *models = (name_variables(str(path)) for path in (result.directory, *written_models(result.directory)))
    files = sorted(p for p in result.directory.glob("evaluation/*.json"))
    evaluations = [name_variables(str(path)) for path in files]
    return {"ok": not (result.stopped or result.failed), "directory": directory, "stopped": result.stopped} | {
        "models": models,
        "evaluations": evaluations,
        "diverged": [*result.diverged],
        "alarms": [*result.alarms],
        "unlicensed": [*result.unlicensed],
    }


def _next_steps(directory: Path, plan: Plan) -> list[str]:
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
