"""`rewardlab probe`: degenerate completions against honest ones."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator
from rewardlab import CommandResult, Config, Flag, Overrides, Positional, note
from rewardlab.commands import (
    AnyRecipe,
    AnyRows,
    Count,
    RolloutName,
    Say,
    ScoredOn,
    ShardOf,
    file_of,
    scorer_on,
)
from rewardlab.errors import UserError
from rewardlab.plan import Plan, make_plan
from rewardlab.recipe import load
from rewardlab.scorefile import output_path_problem
from rewardlab.scoring import MissingGuard
from rewardlab_shards.kept_shard import KeptShard

from rewardlab_probe.attempts.degenerate import LONG
from rewardlab_probe.callables.callable_probe import DEADLINE, MEMORY, CallableProbe
from rewardlab_probe.callables.callable_report import callable_as_dict, format_callable
from rewardlab_probe.callables.signatures import SignatureName
from rewardlab_probe.findings import reward_findings
from rewardlab_probe.job import ROWS, THOROUGH, ProbeJob
from rewardlab_probe.measure import probing_plan
from rewardlab_probe.report import format_probe, probe_as_dict
from rewardlab_probe.report_files import JUNIT, SARIF, ProbeReport, write_report
from rewardlab_probe.search.confirm import QUESTIONS, SearchSettings
from rewardlab_probe.verdicts import WinRule

SUMMARY = "test whether degenerate completions win"
OF_CALLABLES = {name: f"--{name}" for name in ("signature", "python", "path", "deadline", "memory", "network", "known")}
OF_CALLABLES["callable_rows"] = "--rows"


class Options(Config):
    """Test whether degenerate completions win under a recipe's reward; the exit code is 1 if one does.

    Each row's honest completion is scored beside an empty one, the untouched prompt, every answer at once, padding,
    instructions to the judge, forged test results and others. The honest completion is in the column `honest`,
    `completions` (the first one) or `response`, or the one that --honest names. Without ROWS the recipe's dataset is
    read, its held-out rows if it has any. Judges are asked as in training. Nothing is written but the cassettes that
    the recipe names.
    """

    recipe: Annotated[AnyRecipe | None, Positional("RECIPE")] = None
    """the recipe with the reward, but for --callable"""
    rows: Annotated[AnyRows, Positional("ROWS.jsonl")] = None
    """rows to probe with"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    callable: Annotated[str | None, Flag(metavar="MODULE:NAME")] = None
    """probe this grader and no recipe: package.module:function, or file.py:function"""
    callable_rows: Annotated[str | None, Flag("--rows", metavar="ROWS.jsonl")] = None
    """with --callable: rows to probe with"""
    signature: SignatureName | None = None
    """with --callable: how it is called (seen from the names of its parameters)"""
    python: Annotated[Path | None, Flag(metavar="PATH")] = None
    """with --callable: the bin/python of its environment"""
    path: Annotated[tuple[str, ...], Flag(metavar="FOLDER")] = ()
    """with --callable: a folder with its modules, beside this one; repeatable"""
    deadline: Annotated[float, Field(gt=0, le=3600), Flag(metavar="SECONDS")] = DEADLINE
    """with --callable: for a call"""
    memory: Annotated[float, Field(gt=0, le=1e6), Flag(metavar="GB")] = MEMORY
    """with --callable: what a call may add"""
    network: bool = False
    """with --callable: let it open connections"""
    known: Annotated[dict[str, str], Flag(metavar="NAME=WHY")] = Field(default_factory=dict)
    """with --callable: what wins or fails on purpose; repeatable"""
    report: Annotated[Path | None, Flag(metavar="FILE")] = None
    """also write the findings as SARIF (FILE.sarif) or JUnit (FILE.xml)"""
    limit: Annotated[Count, Flag(metavar="N")] = ROWS
    """how many rows to probe at most, evenly over languages"""
    thorough: Annotated[int, Field(ge=0, le=1_000_000), Flag(metavar="N")] = THOROUGH
    """rows that all variants of each completion are tried on"""
    honest: Annotated[str | None, Flag(metavar="FIELD")] = None
    """the column of the honest completion"""
    reference: Annotated[str, Flag(metavar="FIELD")] = "reference"
    """the reference's column: in English, or in the row's language"""
    by: Annotated[tuple[str, ...], Flag(metavar="FIELD")] = ()
    """also judge each value's rows separately: language; repeatable"""
    tolerance: Annotated[float, Field(ge=0, le=1e9), Flag(metavar="T")] = 1e-6
    """totals closer than this are equal; a tie counts as a win"""
    max_won: Annotated[float, Field(ge=0, le=1), Flag(metavar="SHARE")] = 0.25
    """share of rows that a completion may win without counting as a winner"""
    margin: Annotated[float, Field(ge=0, le=1e9), Flag(metavar="M")] = 0.0
    """mean total by which the honest one must be ahead of doing nothing"""
    long: Annotated[Count, Flag(metavar="N")] = LONG
    """characters of very_long"""
    format: RolloutName = None
    """the tool whose rollouts the rows are (detected)"""
    skip_bad: bool = False
    """leave rows out that do not fit"""
    shard: ShardOf = None
    """score part I of N of the rows, into OUT.I-of-N.jsonl; `rewardlab merge OUT.jsonl` tests all parts"""
    output: Annotated[Path | None, Flag("-o", metavar="OUT.jsonl")] = None
    """with --shard: the file that the parts are of"""
    resume: bool = False
    """with --shard: go on with a part"""
    search: Annotated[Count | None, Flag(metavar="N")] = None
    """also search for completions that win, and score N at most for it"""
    search_judge: Annotated[str | None, Flag(metavar="JUDGE")] = None
    """with --search: the recipe's judge that is asked for ideas; it needs a budget"""
    search_questions: Annotated[Count, Flag(metavar="N")] = QUESTIONS
    """with --search-judge: questions to it at most"""
    search_blind: bool = False
    """with --search-judge: show it no source of rewards that are Python functions"""
    truth: Annotated[str | None, Flag(metavar="COMPONENT")] = None
    """with --search: the component that knows what is right; without it what is surely not the row's answer is wrong"""
    on: ScoredOn = None
    """score on a cluster: ray, or ray://HOST:10001"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""

    @model_validator(mode="after")
    def _go_together(self) -> "Options":
        if (self.shard is None) != (self.output is None) or (self.resume and self.shard is None):
            raise ValueError("--shard, -o OUT.jsonl and --resume go together: a part keeps its scores there")
        if self.search is None and (self.search_judge or self.truth):
            raise ValueError("--search-judge and --truth need --search N, the completions that may be scored for it")
        if self.search_judge is None and "search_questions" in self.model_fields_set:
            raise ValueError("--search-questions are those to a --search-judge; name one")
        if self.search_judge is None and self.search_blind:
            raise ValueError("--search-blind keeps the source from a --search-judge; name one")
        if self.report is not None and self.shard is not None:
            raise ValueError("--report says what wins on all rows, and a --shard tries a part; leave one of them out")
        if self.search is not None and (self.shard is not None or self.on is not None):
            raise ValueError(
                "--search goes from one score to the next, on this machine alone: not with --shard or --on"
            )
        return self

    @model_validator(mode="after")
    def _one_reward(self) -> "Options":
        if self.callable is None:
            if self.recipe is None:
                raise ValueError("RECIPE is needed, or --callable MODULE:NAME with --rows ROWS.jsonl")
            if given := self.model_fields_set & OF_CALLABLES.keys():
                raise ValueError(f"{OF_CALLABLES[min(given)]} goes with --callable")
        elif any(value is not None for value in (self.recipe, self.shard, self.on, self.search)):
            raise ValueError("--callable is a grader alone: no RECIPE, --shard, --on or --search")
        return self

    @field_validator("report")
    @classmethod
    def _of_a_known_form(cls, report: Path | None) -> Path | None:
        if report is not None and report.suffix not in (SARIF, JUNIT):
            raise ValueError(f"{report}: the name ends in {SARIF} or {JUNIT}, which says the form")
        return report


def run(options: Options) -> CommandResult:
    """Return whether degenerate completions win. A JobError if too many rows have no total."""
    if options.report is not None and (problem := output_path_problem(options.report)):
        raise UserError(problem)
    if options.callable is not None:
        return _probe_callable(options, options.callable)
    assert options.recipe is not None
    plan = make_plan(load(options.recipe, options.overrides, strict=False), purpose="score")
    for line in plan.notes:
        options.say(line)
    with file_of(options.rows, options.say, options.format, options.skip_bad) as (path, say):
        job = ProbeJob(
            plan=plan,
            rows=path,
            **_of_any_probe(options),
            search=_search(options),
            open_scorer=scorer_on(options.on),
            say=say,
        )
        if options.shard is not None:
            rows = [group.input_row() for group in job.groups()]
            return KeptShard("probe", options, probing_plan(plan), rows, MissingGuard({})).run()
        probed = job.run()
    if options.report is not None:
        place = _place_of_total(plan)
        report = ProbeReport(name=place[0], place=place, probed=probed, findings=reward_findings(probed))
        write_report(report, options.report)
    return CommandResult(ok=probed.ok, text=format_probe(probed), data=probe_as_dict(probed))


def _place_of_total(plan: Plan) -> tuple[str, int]:
    """Return the recipe's file and the line of its total; the first, if that stands in a recipe that it extends."""
    file, total = str(plan.document.path), ("reward", "total")
    own = plan.document.where(total).startswith(f"{file}:")
    return file, plan.document.line(total) or 1 if own else 1


def _probe_callable(options: Options, target: str) -> CommandResult:
    """Return whether anything is wrong with a grader that is a function."""
    rows = options.callable_rows if options.rows is None else options.rows
    if rows is None:
        raise UserError("--callable wants rows: --rows ROWS.jsonl, each with an honest completion")
    with file_of(rows, options.say, options.format, options.skip_bad) as (path, say):
        assert path is not None
        report = CallableProbe(
            target=target,
            rows=path,
            signature=options.signature,
            python=None if options.python is None else str(options.python),
            path=(".", *options.path),
            deadline=options.deadline,
            memory=options.memory,
            network=options.network,
            known=options.known,
            **_of_any_probe(options),
            say=say,
        ).run()
    if options.report is not None:
        of_grader = ProbeReport(
            name=target,
            place=report.parameters.place,
            probed=report.probed,
            findings=report.findings,
            checks=report.checks,
        )
        write_report(of_grader, options.report)
    return CommandResult(ok=report.ok, text=format_callable(report), data=callable_as_dict(report))


def _of_any_probe(options: Options) -> dict[str, Any]:
    """Return what `ProbeJob` and `CallableProbe` are given alike."""
    return {
        "most": options.limit,
        "honest": options.honest,
        "reference": options.reference,
        "by": options.by,
        "rule": WinRule(tolerance=options.tolerance, most=options.max_won),
        "thorough": options.thorough,
        "long": options.long,
        "margin": options.margin,
        "skip_bad": options.skip_bad,
    }


def _search(options: Options) -> SearchSettings | None:
    if options.search is None:
        return None
    return SearchSettings(
        scorings=options.search,
        judge=options.search_judge,
        questions=options.search_questions,
        blind=options.search_blind,
        truth=options.truth,
    )
