"""Write tables of evaluated models, as papers print them: averages over languages, then tasks, with intervals.

MODEL is NAME=PATH: a run (its last evaluation; PATH@before, @during:40, @after, @eval or, of stage 2, @2-eval chooses
one), the output of `score` (with --rows, the rows that were scored, which say task and language), or a file of printed
averages with the columns task, language and one for each measure. All models must have answered the same prompts.
docs/tables.md says how averages, intervals and p-values are made.
"""

from argparse import ArgumentParser, Namespace

from rewardlab.commands.argument_types import count


def arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("models", nargs="+", metavar="MODEL", help="NAME=PATH; the first is what the others are compared with")
    add("--rows", action="append", default=[], metavar="ROWS.jsonl", help="rows that were scored; repeatable")
    add(
        "--measure",
        action="append",
        default=[],
        metavar="NAME=COMPONENT",
        help="what to average, such as accuracy=correct or fidelity=language>=0.7; repeatable (all components)",
    )
    add("--pass-at", action="append", default=[], type=count, metavar="K", help="pass@K of the first measure, unbiased")
    add("--task", metavar="FIELD", help="the field with a prompt's task (task, else eval_set)")
    add("--language", default="language", metavar="FIELD", help="the field with its language (language)")
    add(
        "--cluster",
        metavar="FIELD",
        help="prompts with one value count as one (problem, if there); none: each alone",
    )
    add("--merge", action="append", default=[], metavar="[TASK/]zh=zh-cn+zh-tw", help="languages as one; @FILE: groups")
    add("--against", metavar="NAME", help="compare all others with this model; all: every pair (the first)")
    add("--prompts", choices=("same", "common", "own"), default="same", help="what if a model lacks some (same: stop)")
    add("--missing", choices=("refuse", "leave-out", "zero"), default="refuse", help="completions without a score")
    add("--raw", action="store_true", help="show numbers as they are, not as percent")
    add("--digits", type=int, choices=range(7), default=1, help="behind the point (1)")
    add("--draws", type=count, default=1000, help="of the bootstrap of numbers that are no shares (1000)")
    add("--seed", type=int, default=0, help="of the bootstrap (0)")
    add("-o", "--output", action="append", default=[], metavar="OUT", help="a new .txt, .csv, .md, .tex or .json")
    add("--json", action="store_true", help="print everything as JSON")


def run(options: Namespace) -> int:
    from rewardlab.api.model_tables import tables
    from rewardlab.text.printable import print_json

    found = tables(
        options.models,
        rows=options.rows,
        measures=options.measure,
        pass_at=options.pass_at,
        task=options.task,
        language=options.language,
        cluster=options.cluster,
        merges=options.merge,
        against=options.against,
        prompts=options.prompts,
        missing=options.missing,
        raw=options.raw,
        digits=options.digits,
        draws=options.draws,
        seed=options.seed,
        output=options.output,
    )
    if options.json:
        print_json(found.data)
    else:
        print(found)
    return 0
