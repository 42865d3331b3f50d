"""Measure a recipe's judges on rows with gold: accuracy by language and kind, position bias, agreement.

A row has `prompt`, `chosen` and `rejected`; or `prompt`, `completions` and `scores`; or one `completion` and its
`score`, gathered by prompt. `language` (or lang) and `kind` (or subset, category) split the tables.

--benchmark NAME measures on a published benchmark (RewardBench, MM-Eval, HelpSteer3 ...), with its official score: on
ROWS in its published form or, without ROWS, on those of the hub. NAME may be a YAML file of your own.

--graft asks no judge. It makes such rows from the rows of `score` and what it wrote for them: right or wrong
reasoning with a right or wrong answer in its box (SP3F, table 3). Judge the file that it writes, and read
the table by kind.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab.commands.argument_types import count
from rewardlab.recipe.command_line import sorted_out, with_rows_or_none

ON_BENCHMARKS = ("benchmark", "positions", "seeds", "languages", "most")
"""options that only --benchmark gives a meaning"""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "arguments", nargs="+", metavar="RECIPE [KEY=VALUE ...] [PAIRS.jsonl]", help="whose judges, and rows with gold"
    )
    parser.add_argument(
        "--component", action="append", default=[], metavar="NAME", help="measure this one (default: all with a judge)"
    )
    parser.add_argument("-o", "--output", metavar="OUT.jsonl", help="a new file: values and verdicts of each row")
    parser.add_argument("--resume", action="store_true", help="write -o again; answers that were paid for stay")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--skip-bad", action="store_true", help="leave bad rows out; the first 20 are listed")
    parser.add_argument("--benchmark", metavar="NAME", help="a published benchmark, or a YAML file that describes one")
    parser.add_argument("--positions", choices=("official", "both"), help="orders of a pair that count (official)")
    parser.add_argument("--seeds", type=count, metavar="N", help="runs with other seeds; mean and deviation (1)")
    parser.add_argument("--languages", metavar="de,sw", help="of a benchmark, those to measure (all)")
    parser.add_argument("--most", type=count, metavar="N", help="of a benchmark, the first N rows of each language")
    parser.add_argument(
        "--graft", metavar="SCORED.jsonl", help="make pairs for -o from the rows of `score` and this, its output"
    )
    parser.add_argument("--correctness", metavar="NAME", help="--graft: the component that says 1 (right) or 0 (wrong)")


def run(options: Namespace) -> int:
    _refuse_mixtures(options)
    say = partial(print, file=sys.stderr)
    if options.benchmark is not None:
        benchmarked, given, changes = with_rows_or_none(options.arguments)
        return _measure(benchmarked, given, changes, options, say)
    recipe, rows, overrides = sorted_out(options.arguments)
    if options.graft is None:
        return _measure(recipe, rows, overrides, options, say)
    from rewardlab.plan import make_plan
    from rewardlab.recipe.loading import load

    return _graft(make_plan(load(recipe, overrides, strict=False), purpose="score"), rows, options, say)


def _measure(
    recipe: str, rows: str | None, overrides: Sequence[str], options: Namespace, say: Callable[[str], None]
) -> int:
    from rewardlab.api.judge_measurement import judge
    from rewardlab.text.printable import print_json

    output = None if options.output is None else Path(options.output)
    how = {"output": output, "resume": options.resume, "skip_bad": options.skip_bad, "say": say}
    how |= {name: value for name in ON_BENCHMARKS if (value := getattr(options, name)) is not None}
    if options.languages is not None:
        how["languages"] = [language.strip() for language in options.languages.split(",")]
    found = judge(recipe, rows, *overrides, components=options.component, **how)
    if options.json:
        print_json(found.data)
    else:
        print(found)
    return 0


def _graft(plan: Any, rows: str, options: Namespace, say: Callable[[str], None]) -> int:
    from rewardlab.analysis.judge_agreement.grafting import Grafting
    from rewardlab.analysis.judge_agreement.job import refuse_output
    from rewardlab.errors import UserError
    from rewardlab.scorefile.output import to_line
    from rewardlab.text.printable import print_json

    output = Path(options.output)
    refuse_output(output)
    correctness = options.correctness or plan.recipe.reward.correctness
    if correctness is None:
        what = "which component says whether an answer is right? set reward.correctness, or give --correctness NAME"
        raise UserError(what)
    fields = plan.recipe.dataset.fields if plan.recipe.dataset else {}
    work = Grafting(rows=rows, scored=options.graft, correctness=correctness, fields=fields)
    lines = [to_line(pair) for pair in work.pairs()]
    if work.bad.count and not options.skip_bad:
        raise work.bad.error(rows, "mend them, or leave them out with --skip-bad")
    for problem in work.bad.listed:
        say(f"warning: {problem}")
    if work.without_scores:
        say(f"warning: {options.graft}: no scores for {work.without_scores} of {work.read} rows")
    if not lines:
        what = "no row has a right and a wrong completion, both boxed, with other reasoning and another answer"
        raise UserError(what, where=rows)
    output.write_bytes(b"".join(lines))
    if options.json:
        summary = {"rows": work.read, "grafted": work.grafted, "pairs": len(lines), "output": options.output}
        print_json(summary)
    say(f"{len(lines)} pairs from {work.grafted} of {work.read} rows: {options.output}")
    return 0


def _refuse_mixtures(options: Namespace) -> None:
    from rewardlab.errors import UserError

    given = [name for name in ON_BENCHMARKS[1:] if getattr(options, name) is not None]
    if given and options.benchmark is None:
        raise UserError(f"--{given[0]} goes only with --benchmark")
    if options.graft is not None and options.benchmark is not None:
        raise UserError("--graft measures nothing; leave --benchmark out")
    if options.resume and (options.output is None or options.graft is not None):
        raise UserError("--resume goes on with a measurement that was begun with -o")
    if options.graft is None and options.correctness is not None:
        raise UserError("--correctness goes only with --graft")
    if options.graft is not None and options.component:
        raise UserError("--graft measures nothing; leave --component out")
    if options.graft is not None and options.output is None:
        raise UserError("--graft writes pairs; name a new file with -o")
