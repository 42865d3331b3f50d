"""Write what lm-evaluation-harness (`--log_samples`) or inspect_ai logged as rows, for `score` and `tables`.

A row has the prompt, the model's texts as completions, the right answer, and the document's columns or the sample's
metadata. Its task and language often stand in the file's name alone: --name 'samples_{task}_direct_{language}_{}.jsonl'
makes fields of them.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path


def arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("samples", nargs="+", metavar="LOG", help="of lm_eval --log_samples (.jsonl) or inspect_ai (.eval, .json)")
    add("-o", "--output", type=Path, required=True, metavar="ROWS.jsonl", help="a new file")
    add("--gold", metavar="COLUMN", help="the column with the right answer (the task's target)")
    add("--name", metavar="PATTERN", help="the form of the files' names; what {places} stand for become fields")
    add("--set", action="append", default=[], metavar="FIELD=TEXT", help="a field of every row; repeatable")
    add("--filtered", action="store_true", help="lm_eval: what the filter left of a text is the completion")
    add("--filter", metavar="NAME", help="lm_eval: the filter whose lines count (the first in each file)")
    add("--skip-bad", action="store_true", help="leave bad samples out; the first 20 are listed")
    add("--json", action="store_true", help="print what was written as JSON")


def run(options: Namespace) -> int:
    from rewardlab.api.sample_conversion import convert
    from rewardlab.text.printable import print_json

    found = convert(
        options.samples,
        options.output,
        gold=options.gold,
        name=options.name,
        fields=_fields(options.set),
        filtered=options.filtered,
        filter=options.filter,
        skip_bad=options.skip_bad,
    )
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.json:
        print_json(found.data)
    else:
        print(found)
    return 0


def _fields(texts: list[str]) -> dict[str, str]:
    from rewardlab.errors import UserError

    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or name in ("id", "prompt", "completions"):
            raise UserError("a field is NAME=TEXT, and not id, prompt or completions", where=f"--set {text}")
        found[name] = value
    return found
