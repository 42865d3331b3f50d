"""`rewardlab winrates`: how often each model's answers win against each other's."""

from pathlib import Path
from typing import Annotated, Literal

from rewardlab import CommandResult, Config, Flag, Overrides, Positional, note
from rewardlab.commands import AnyRecipe, Say, command_line
from rewardlab.plan import make_plan
from rewardlab.recipe import load

from rewardlab_measure.tables.prompts import PromptFields
from rewardlab_measure.win_rates.job import WinRatesJob
from rewardlab_measure.win_rates.pages import format_win_rates, win_rates_as_dict

SUMMARY = "let a judge compare models, answer by answer"


class Options(Config):
    """Let a judge compare the answers of models, two by two, and write how often each wins (SP3F, figure 6).

    RECIPE has a reward that compares the answers of a group, such as pairwise/win_rate. ROWS.jsonl are the rows of an
    evaluation, with completions: answer i of one model meets answer i of the other. With --reference NAME each other
    model is compared with that one alone, as in MT-Bench, Arena-Hard or WildBench, and its only answer to a prompt
    meets all. FOLDER keeps the pairs, their scores and what the judge said, so that a stopped job goes on with
    --resume and nothing is paid for twice.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """the recipe or judge that compares the answers"""
    models: Annotated[dict[str, str | Path], Flag("--model", metavar="NAME=ROWS.jsonl")]
    """a model's answers, rows with completions; twice or more"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    reference: Annotated[str | None, Flag(metavar="NAME")] = None
    """compare each other model with this one alone; none: all with all"""
    output: Annotated[Path, Flag("-o", metavar="FOLDER")]
    """a new folder"""
    resume: bool = False
    """go on with an interrupted FOLDER"""
    component: Annotated[str | None, Flag(metavar="NAME")] = None
    """the reward that compares (the only one of scope group)"""
    prompts: Literal["same", "common"] = "same"
    """what to do if a model lacks some; same: stop"""
    missing: Literal["refuse", "leave-out"] = "refuse"
    """comparisons without a verdict"""
    cluster: Annotated[str | None, Flag(metavar="FIELD")] = None
    """prompts with one value count as one (problem, if there); none: each alone"""
    say: Say = note
    """called with each note, such as how many questions will be asked"""


def run(options: Options) -> CommandResult:
    """Return win rates in [0, 1] with intervals and p-values.

    Raises a UserError before anything is asked, and a JobError if a comparison has no verdict and `missing` refuses it.
    """
    again = command_line("winrates", options.model_copy(update={"resume": False}), "--resume")
    result = WinRatesJob(
        plan=make_plan(load(options.recipe, options.overrides, strict=False), purpose="score"),
        models={name: str(path) for name, path in options.models.items()},
        folder=options.output,
        component=options.component,
        reference=options.reference,
        fields=PromptFields(cluster=options.cluster),
        resume=options.resume,
        common=options.prompts == "common",
        leave_out=options.missing == "leave-out",
        command=again,
        say=options.say,
    ).run()
    data = {"ok": True} | win_rates_as_dict(result)
    return CommandResult(text=format_win_rates(result).rstrip("\n"), data=data)
