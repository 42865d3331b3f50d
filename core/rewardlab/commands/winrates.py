"""Let a judge compare the answers of models, two by two, and write how often each wins (SP3F, figure 6).

RECIPE has a reward that compares the answers of a group, such as pairwise/win_rate. ROWS.jsonl are the rows of an
evaluation, with completions: answer i of one model meets answer i of the other. With --reference NAME each other model
is compared with that one alone, as in MT-Bench, Arena-Hard or WildBench, and its only answer to a prompt meets all.
FOLDER keeps the pairs, their scores and what the judge said, so that a stopped job goes on with --resume and nothing is
paid for twice.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rewardlab.commands.argument_types import count


def arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("arguments", nargs="+", metavar="RECIPE [KEY=VALUE ...]", help="what compares the answers")
    add("--model", action="append", default=[], metavar="NAME=ROWS.jsonl", help="a model's answers; twice or more")
    add("--reference", metavar="NAME", help="compare each other model with this one alone (all with all)")
    add("-o", "--output", required=True, type=Path, metavar="FOLDER", help="a new folder")
    add("--resume", action="store_true", help="go on with an interrupted FOLDER")
    add("--component", metavar="NAME", help="the reward that compares (the only one of scope group)")
    add("--prompts", choices=("same", "common"), default="same", help="what if a model lacks some (same: stop)")
    add("--missing", choices=("refuse", "leave-out"), default="refuse", help="comparisons without a verdict")
    add(
        "--cluster",
        metavar="FIELD",
        help="prompts with one value count as one (problem, if there); none: each alone",
    )
    add("--draws", type=count, default=1000, help="of the bootstrap of numbers that are no shares (1000)")
    add("--seed", type=int, default=0, help="of the bootstrap (0)")
    add("--json", action="store_true", help="print everything as JSON")


def run(options: Namespace) -> int:
    from rewardlab.api.model_win_rates import winrates
    from rewardlab.errors import UserError
    from rewardlab.recipe.command_line import apart
    from rewardlab.text.printable import print_json

    recipes, overrides = apart(options.arguments)
    if len(recipes) != 1:
        raise UserError(f"one recipe is needed; found {', '.join(recipes) or 'none'}")
    found = winrates(
        recipes[0],
        _models(options.model),
        *overrides,
        output=options.output,
        resume=options.resume,
        component=options.component,
        reference=options.reference,
        prompts=options.prompts,
        missing=options.missing,
        cluster=options.cluster,
        draws=options.draws,
        seed=options.seed,
        command=_resume_command(options),
    )
    if options.json:
        print_json(found.data)
    else:
        print(found)
    return 0


def _models(texts: list[str]) -> dict[str, str]:
    from rewardlab.errors import UserError

    found: dict[str, str] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not sign or not name or name in found:
            raise UserError("a model is NAME=ROWS.jsonl, each with a name of its own", where=f"--model {text}")
        found[name] = path
    return found


def _resume_command(options: Namespace) -> list[str]:
    models = [part for model in options.model for part in ("--model", model)]
    texts = {"component": None, "reference": None, "prompts": "same", "missing": "refuse", "cluster": None}
    defaults = {**texts, "draws": 1000, "seed": 0}
    given = [(name, getattr(options, name)) for name, default in defaults.items() if getattr(options, name) != default]
    more = [part for name, value in given for part in (f"--{name}", str(value))]
    return ["rewardlab", "winrates", *options.arguments, *models, "-o", str(options.output), *more, "--resume"]
