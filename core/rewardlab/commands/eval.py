"""Run only the stages `eval` of a recipe, in a run directory of their own: sample, score, print tables, write rows.

Where there is none, what a stage `rl` says under `eval` is evaluated.
--policy names what is evaluated, in place of what those stages say: a judge of the recipe (a model behind any
OpenAI-compatible server), a model folder, or a name on the hub. RECIPE may be the folder of a run; its last model is
then what is evaluated. An evaluation that was stopped goes on with `rewardlab eval --resume DIR`: answers are never
paid for twice. evaluation/*.rows.jsonl has the completions, as `rewardlab score` reads them.
"""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from rewardlab.commands.run import folder_or_latest, run_job, say


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", help="a YAML file, or the folder of a run")
    parser.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE", help="such as seed=3 or stages.0.samples=16"
    )
    parser.add_argument("--policy", metavar="NAME", help="a judge of the recipe, a model folder or a hub name")
    continued = "continue the evaluation in this folder; latest: the recipe's newest in runs/"
    parser.add_argument("--resume", type=folder_or_latest, metavar="DIR", help=continued)
    parser.add_argument("--run-dir", type=Path, metavar="DIR", help="a new folder for the run (runs/NAME-TIME)")
    parser.add_argument("--dry-run", action="store_true", help="print what is asked of whom; start nothing")
    parser.add_argument("--json", action="store_true", help="print how it ended as JSON, and all else on stderr")


def run(options: Namespace) -> int:
    from rewardlab.training import load_evaluation

    recipe, overrides = options.recipe, options.overrides
    if options.resume is not None and recipe is not None and "=" in recipe and not Path(recipe).exists():
        recipe, overrides = None, [recipe, *overrides]
    told = partial(print, file=sys.stderr, flush=True) if options.json else say
    where = {"policy": options.policy, "resume": options.resume, "folder": options.run_dir}
    job = load_evaluation(recipe, overrides, **where, say=told)
    for warning in job.plan.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.dry_run:
        print(job.describe())
        return 0
    return run_job(job, told, options.json)
