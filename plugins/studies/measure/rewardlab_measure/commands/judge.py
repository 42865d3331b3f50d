"""`rewardlab judge`: judges measured against gold, and pairs made to measure them by."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

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
from rewardlab.judging import JudgingSettings
from rewardlab.plan import Plan, cross_warnings, make_plan
from rewardlab.recipe import MAX_REPEATS, load
from rewardlab.scorefile import to_line
from rewardlab.text import counted
from rewardlab_shards.kept_shard import KeptShard
from rewardlab_training import golden_scores, goldens_of, measured_plan

from rewardlab_measure.judge_agreement.grafting import Grafting
from rewardlab_measure.judge_agreement.job import JudgeJob, refuse_output
from rewardlab_measure.judge_agreement.report import format_agreement
from rewardlab_measure.judge_agreement.rubric_goldens import (
    format_goldens,
    golden_data,
    recipe_of_rubric,
)
from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS
from rewardlab_measure.judge_benchmarks.job import BenchmarkJob
from rewardlab_measure.judge_benchmarks.report import format_benchmark
from rewardlab_measure.judge_biases.job import BiasJob
from rewardlab_measure.judge_biases.report import bias_result
from rewardlab_measure.judge_licence.job import LicenceJob
from rewardlab_measure.judge_licence.pool import LabelChoice
from rewardlab_measure.judge_licence.report import format_licences, licence_data

SUMMARY = "measure judges against gold labels"


class Options(Config):
    """Measure a recipe's judges on rows with gold: accuracy by language and kind, position bias, agreement.

    A row has `prompt`, `chosen` and `rejected`; or `prompt`, `completions` and `scores`; or one `completion` and its
    `score`, gathered by prompt. `language` (or lang) and `kind` (or subset, category) split the tables.

    --benchmark NAME measures on a published benchmark (RewardBench, MM-Eval, HelpSteer3 ...), with its official score:
    on ROWS in its published form or, without ROWS, on those of the hub. NAME may be a YAML file of your own.

    Without rows it asks about the goldens of the recipe's rubrics, the examples of their levels, and fails if a value
    is not the right one. RECIPE may then be a rubric, with its judge behind it: `judges.main.use=openai/chat
    judges.main.with.model=NAME`.

    --licence measures each judge that has `require` on the labels that it names, and keeps the result beside its
    cassette, where `run` looks; it fails if a bound is not kept. --next N chooses N pairs of ROWS, which have two
    completions or more, whose labels would decide it soonest.

    --biases asks about an answer of each row as it is and rewritten (longer, formatted, flattering, with a reference,
    signed), and by place and language; rows need no gold. It prints the number of questions first.

    --graft asks no judge. It makes such rows from the rows of `score` and what it wrote for them: right or wrong
    reasoning with a right or wrong answer in its box (SP3F, table 3). Judge the file that it writes, and read
    the table by kind.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """the recipe whose judges are measured"""
    rows: Annotated[AnyRows, Positional("PAIRS.jsonl")] = None
    """rows with gold"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    components: Annotated[tuple[str, ...], Flag("--component", metavar="NAME")] = ()
    """measure this one; repeatable; none: all with a judge"""
    output: Annotated[Path | None, Flag("-o", metavar="OUT.jsonl")] = None
    """a new file: values and verdicts of each row"""
    resume: bool = False
    """write -o again; answers that were paid for stay"""
    format: RolloutName = None
    """the tool whose rollouts the rows are (detected)"""
    skip_bad: bool = False
    """leave bad rows out; the first 20 are listed"""
    repeats: Annotated[Count | None, Flag(metavar="N")] = None
    """ask each question N times: how often its verdict flips (as the recipe says)"""
    benchmark: Annotated[str | None, Flag(metavar="NAME")] = None
    """a published benchmark, or a YAML file that describes one"""
    positions: Literal["official", "both"] | None = None
    """with --benchmark: orders of a pair that count (official)"""
    seeds: Annotated[Count | None, Flag(metavar="N")] = None
    """with --benchmark: runs with other seeds; mean and deviation (1)"""
    languages: Annotated[tuple[str, ...], Flag(metavar="de,sw")] = ()
    """with --benchmark: languages to measure; none: all"""
    limit: Annotated[Count | None, Flag(metavar="N")] = None
    """with --benchmark or --biases: the first N rows of each language"""
    cluster: Annotated[str | None, Flag(metavar="FIELD")] = None
    """rows with one value count as one in intervals (problem, else id and prompt); none: each alone"""
    licence: bool = False
    """measure the judges for the licence that they require (`judges.*.require`), and keep it"""
    next_labels: Annotated[Count | None, Flag("--next", metavar="N")] = None
    """choose N pairs of ROWS to label next, and write them to -o"""
    biases: bool = False
    """measure what the judges give for place, length, formatting, authority, flattery, their own name and language"""
    max_bias: Annotated[float | None, Field(ge=0, lt=1), Flag(metavar="SHARE")] = None
    """with --biases: fail if the whole interval of one lies beyond this share of its range, or rows are too few"""
    graft: Annotated[Path | None, Flag(metavar="SCORED.jsonl")] = None
    """make pairs for -o from the rows of `score` and this, its output"""
    correctness: Annotated[str | None, Flag(metavar="NAME")] = None
    """--graft: the component that says 1 (right) or 0 (wrong)"""
    shard: ShardOf = None
    """judge part I of N, into OUT.I-of-N.jsonl; `rewardlab merge OUT.jsonl` measures on all parts"""
    on: ScoredOn = None
    """judge on a cluster: ray, or ray://HOST:10001"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""

    @field_validator("languages")
    @classmethod
    def _apart(cls, languages: list[str]) -> list[str]:
        return [language.strip() for texts in languages for language in texts.split(",")]

    @model_validator(mode="after")
    def _go_together(self) -> "Options":
        given = [name for name in ("positions", "seeds", "languages") if getattr(self, name)]
        if given and self.benchmark is None:
            raise ValueError(f"--{given[0]} goes only with --benchmark")
        if self.limit and self.benchmark is None and not self.biases:
            raise ValueError("--limit goes only with --benchmark or --biases")
        if self.max_bias is not None and not self.biases:
            raise ValueError("--max-bias goes only with --biases")
        alone = ("benchmark", "graft", "licence", "next_labels", "shard")
        if self.biases and (other := next((other for other in alone if getattr(self, other)), None)):
            raise ValueError(f"--biases is a measurement of its own; leave out --{other.removesuffix('_labels')}")
        if self.biases and self.rows is None:
            raise ValueError("--biases rewrites the answers of rows; name a file of them")
        if self.graft is not None and self.benchmark is not None:
            raise ValueError("--graft measures nothing; leave --benchmark out")
        if self.resume and (self.output is None or self.graft is not None):
            raise ValueError("--resume goes on with a measurement that was begun with -o")
        if self.graft is None and self.correctness is not None:
            raise ValueError("--correctness goes only with --graft")
        if self.graft is not None and self.repeats is not None:
            raise ValueError("--graft asks nothing; leave --repeats out")
        if self.benchmark is not None and self.repeats is not None:
            raise ValueError("--repeats goes without --benchmark, whose runs --seeds repeats")
        if self.repeats is not None and self.repeats > MAX_REPEATS:
            raise ValueError(f"--repeats is at most {MAX_REPEATS}")
        if self.graft is not None and self.components:
            raise ValueError("--graft measures nothing; leave --component out")
        if self.graft is not None and self.output is None:
            raise ValueError("--graft writes pairs; name a new file with -o")
        if self.shard is not None and (self.benchmark or self.graft or self.rows is None or self.output is None):
            raise ValueError("--shard goes with rows with gold and -o; those of a benchmark are judged with --on")
        for name, asked in (("licence", self.licence), ("next", self.next_labels is not None)):
            others = ("benchmark", "graft", "repeats", "components", "shard", "resume")
            if asked and (other := next((other for other in others if getattr(self, other)), None)):
                flag = "component" if other == "components" else other
                raise ValueError(f"--{name} goes by what the recipe requires; leave out --{flag}")
        if self.licence and (self.rows is not None or self.output is not None or self.next_labels is not None):
            raise ValueError("--licence reads the labels that `require` names, and keeps what it measures beside them")
        if self.next_labels is not None and (self.rows is None or self.output is None):
            raise ValueError("--next chooses among rows with completions; name them, and a new file with -o")
        if self.rows is None and self.graft is not None:
            raise ValueError("--graft needs the rows of `score`")
        if self.rows is None and self.benchmark is None and self.output is not None:
            raise ValueError("-o is for rows with gold, or a published benchmark; name one")
        return self


def run(options: Options) -> CommandResult:
    """Return the measures of each component; data: {"components": {name: tables}}, and the benchmark if one was named.

    Without rows: {"goldens": {name: a list of place, values, right, problem}}; it is not ok if one is not right.
    With biases: {"biases": {name: see `MeasuredBiases`}}; it is not ok if one lies beyond max_bias.
    Raises a UserError for wrong rows before anything is asked, and a JobError if a component has no value for more than
    its max_missing.
    """
    of_rubric = recipe_of_rubric(options.recipe)
    if of_rubric is not None and not any(override.startswith("judges.") for override in options.overrides):
        problem = "a rubric needs a judge: add judges.main.use=openai/chat judges.main.with.model=NAME"
        raise UserError(problem, where=str(options.recipe))
    source = options.recipe if of_rubric is None else of_rubric
    plan = make_plan(load(source, options.overrides, strict=False), purpose="score")
    if options.licence:
        return _licences(plan, options)
    if options.rows is None and options.benchmark is None:
        return _goldens(measured_plan(plan, options.components, options.repeats), options)
    with file_of(options.rows, options.say, options.format, options.skip_bad) as (path, say):
        if options.graft is not None:
            return _graft(plan, str(path), options)
        if options.next_labels is not None:
            return _next_labels(LabelChoice(plan=plan, rows=str(path), skip_bad=options.skip_bad, say=say), options)
        plan = measured_plan(plan, options.components, options.repeats)
        for place, why in cross_warnings(plan):
            say(f"warning: {plan.document.where(place)}: {why}")
        how: dict[str, Any] = {
            "output": options.output,
            "resume": options.resume,
            "skip_bad": options.skip_bad,
            "cluster": options.cluster,
            "open_scorer": scorer_on(options.on),
            "say": say,
        }
        if options.biases:
            biases = BiasJob(plan=plan, rows=str(path), most=options.limit, **how).run()
            return bias_result(biases, options.max_bias)
        if options.benchmark is None:
            job = JudgeJob(plan=plan, rows=str(path), **how)
            if options.shard is not None:
                return KeptShard("judge", options, plan, [case.row for case in job.read_cases()]).run()
            measured = job.run()
            text = "\n\n".join(format_agreement(name, tables) for name, tables in measured.items())
            return CommandResult(text=text, data={"components": measured})
        on_benchmark = BenchmarkJob(
            plan=plan,
            benchmark=options.benchmark,
            rows=path,
            positions=options.positions or "official",
            seeds=options.seeds or 1,
            languages=tuple(options.languages),
            most=options.limit,
            **how,
        )
        return _on_benchmark(options.benchmark, on_benchmark.positions, on_benchmark.run())


def _goldens(plan: Plan, options: Options) -> CommandResult:
    if not goldens_of(plan):
        problem = "no rubric has goldens; add some, or name a file of rows with gold or a published benchmark"
        raise UserError(problem, where="" if isinstance(options.recipe, Mapping) else str(options.recipe))
    scored = golden_scores(plan, JudgingSettings(say=options.say))
    lines = [format_goldens(name, plan.components[name].use.use, scores) for name, scores in scored.items()]
    data = {"goldens": {name: golden_data(scores) for name, scores in scored.items()}}
    right = all(score.right for scores in scored.values() for score in scores)
    return CommandResult(ok=right, text="\n".join(lines), data=data)


def _licences(plan: Plan, options: Options) -> CommandResult:
    job = LicenceJob(
        plan=plan,
        skip_bad=options.skip_bad,
        cluster=options.cluster,
        open_scorer=scorer_on(options.on),
        say=options.say,
    )
    licences = job.run()
    ok = all(licence.state == "licensed" for licence in licences)
    return CommandResult(ok=ok, text=format_licences(licences), data={"licences": list(map(licence_data, licences))})


def _next_labels(choice: LabelChoice, options: Options) -> CommandResult:
    assert options.output is not None
    assert options.next_labels is not None
    refuse_output(options.output)
    rows = choice.choose(options.next_labels)
    if not rows:
        return CommandResult(text="no pair to label next", data={"pairs": 0, "output": None})
    options.output.write_bytes(b"".join(map(to_line, rows)))
    text = f"{counted(len(rows), 'pair')} to label next: {options.output}"
    return CommandResult(text=text, data={"pairs": len(rows), "output": str(options.output)})


def _on_benchmark(name: str, positions: str, measured: Mapping[str, Any]) -> CommandResult:
    read = BENCHMARKS.load(name)
    text = "\n\n".join(format_benchmark(component, read, name, tables) for component, tables in measured.items())
    return CommandResult(text=text, data={"benchmark": name, "positions": positions, "components": dict(measured)})


def _graft(plan: Plan, rows: str, options: Options) -> CommandResult:
    assert options.output is not None
    assert options.graft is not None
    refuse_output(options.output)
    reward = plan.recipe.reward
    correctness = options.correctness or (reward.correctness if reward else None)
    if correctness is None:
        problem = "which component says whether an answer is right? set reward.correctness, or give --correctness NAME"
        raise UserError(problem)
    graft = str(options.graft)
    work = Grafting(rows=rows, scored=graft, correctness=correctness, fields=plan.recipe.columns)
    lines = [to_line(pair) for pair in work.pairs()]
    if work.bad.count and not options.skip_bad:
        raise work.bad.error(rows, "fix them, or leave them out with --skip-bad")
    warnings = list(map(str, work.bad.listed))
    if work.without_scores:
        warnings.append(f"{options.graft}: no scores for {work.without_scores} of {work.read} rows")
    if not lines:
        problem = "no row has a right and a wrong completion, both boxed, with other reasoning and another answer"
        raise UserError(problem, where=rows)
    options.output.write_bytes(b"".join(lines))
    data = {"rows": work.read, "grafted": work.grafted, "pairs": len(lines), "output": str(options.output)}
    text = f"{counted(len(lines), 'pair')} from {work.grafted} of {work.read} rows: {options.output}"
    return CommandResult(text=text, data=data, warnings=warnings)
