"""`rewardlab eval`: the stages of a recipe that evaluate."""

from typing import Annotated

from rewardlab import CommandResult, Flag

from rewardlab_training import load_evaluation
from rewardlab_training.commands.run import JobOptions, finish

SUMMARY = "evaluate a model, local or served, by a recipe"


class Options(JobOptions):
    """Run only the `eval` stages of a recipe, in a new run directory: sample, score, print tables, write rows.

    If the recipe has no such stage, the `eval` of its `rl` stages is run.
    --policy replaces the model that those stages evaluate: a judge of the recipe (a model behind any
    OpenAI-compatible server), a model folder, or a name on the hub. If RECIPE is the folder of a run, its last model is
    evaluated. Continue a stopped evaluation with `rewardlab eval --resume DIR`: answers are never paid for
    twice. evaluation/*.rows.jsonl has the completions, as `rewardlab score` reads them.
    """

    policy: Annotated[str | None, Flag(metavar="NAME")] = None
    """a judge of the recipe, a model folder or a hub name"""


def run(options: Options) -> CommandResult:
    """Evaluate to the end; return the folder and how it ended. A UserError lists every mistake."""
    job = load_evaluation(options.recipe, options.overrides, policy=options.policy, **options.where())
    return finish(options.let(job, "eval"), options, [])
