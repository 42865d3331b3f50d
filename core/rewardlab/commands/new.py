"""Write a recipe to start from, in this folder.

    rewardlab new recipe ROWS.jsonl [--model MODEL]   for your rows: guesses which column is which, and says so
    rewardlab new recipe --from NAME                  a copy of one that comes with rewardlab: quickstart, sp3f, ...

The recipe for your rows takes the rewards that fit them, and passes `rewardlab check`. `rewardlab plugins new` starts a
plugin.
"""

import json
from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rewardlab.authoring.new_recipe.writing import NewRecipe

RECIPE = "recipe"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="recipe [ROWS.jsonl]", help=SUPPRESS)
    parser.add_argument("--model", help="a folder or a hub name of a causal language model")
    parser.add_argument("--from", dest="source", metavar="NAME", help="copy a recipe that comes with rewardlab")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a new file (ROWS.yaml or NAME.yaml)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: Namespace) -> int:
    from rewardlab.authoring.new_recipe.copying import copy_recipe
    from rewardlab.authoring.new_recipe.writing import write_recipe

    rows = _rows(options)
    if rows is None:
        made = copy_recipe(options.source, options.output)
    else:
        made = write_recipe(rows, model=options.model, output=options.output)
    if options.json:
        print(json.dumps(_as_dict(made), ensure_ascii=False))
        return 0
    print(f"{made.file} is written{''.join(f', {file}' for file in made.also)}")
    for ours, guess in made.columns.items():
        print(f"  {ours}: column {guess.column!r}, {guess.why}")
    for name, why in made.left_out.items():
        print(f"  without {name}: {why}")
    print("Next:")
    print("\n".join(f"  {command}" for command in _next(made)))
    return 0


def _rows(options: Namespace) -> str | None:
    """Return the file of rows; None where a shipped recipe is to be copied."""
    from rewardlab.errors import UserError
    from rewardlab.recipe.shipped import shipped_recipes

    words = options.words
    if not words or words[0] != RECIPE:
        plugin = "; a plugin: `rewardlab plugins new NAME`" if words[:1] == ["plugin"] else ""
        raise UserError(
            f"what is to be new? `rewardlab new {RECIPE} ROWS.jsonl`, or `rewardlab new {RECIPE} --from NAME`{plugin}"
        )
    rows = words[1:]
    if options.source is not None and (rows or options.model):
        raise UserError("--from copies a recipe as it is; leave out the rows and --model, and change them in the copy")
    if options.source is None and not rows:
        names = ", ".join(shipped_recipes())
        raise UserError(
            f"which rows? `rewardlab new {RECIPE} ROWS.jsonl`; for a copy of ours, --from with one of {names}"
        )
    if len(rows) > 1:
        raise UserError(f"one file of rows, not {' '.join(rows)!r}")
    return None if options.source is not None else rows[0]


def _next(made: "NewRecipe") -> list[str]:
    file = quote(str(made.file))
    return [f"rewardlab check {file}", f"rewardlab run {file} --dry-run", f"rewardlab run {file}"]


def _as_dict(made: "NewRecipe") -> dict:
    columns = {ours: {"column": guess.column, "why": guess.why} for ours, guess in made.columns.items()}
    found = {"columns": columns, "unused": list(made.unused), "left_out": dict(made.left_out)}
    return {"file": str(made.file), "also": list(map(str, made.also)), **found, "next": _next(made)}
