"""`rewardlab new recipe`: a recipe to start from."""

import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

from rewardlab import CommandResult, Config, Flag, Positional
from rewardlab.errors import UserError
from rewardlab.recipe import shipped_recipes

from rewardlab_testing.new_recipe.copying import copy_recipe
from rewardlab_testing.new_recipe.writing import NewRecipe, write_recipe

SUMMARY = "write a recipe for your rows and your model, or a copy of ours"
RECIPE = "recipe"
FIELDS = ("prompt", "answer", "reference", "language", "response", "id")


class Options(Config):
    """Write a recipe to start from, in this folder.

        rewardlab new recipe ROWS.jsonl [--model MODEL]   for your rows: finds which column is which by names and values
        rewardlab new recipe --from NAME                  a copy of one that comes with rewardlab: quickstart, sp3f, ...

    The recipe for your rows takes the rewards that fit them, and passes `rewardlab check`. Between several columns it
    does not guess: it asks on a terminal, else --prompt COLUMN and its like decide. `rewardlab plugins new` starts a
    plugin.
    """

    words: Annotated[tuple[str, ...], Positional("recipe [ROWS.jsonl]")] = ()
    """the kind of thing to create, and its rows"""
    model: str | None = None
    """a folder or a hub name of a causal language model; tiny: one that is built here"""
    source: Annotated[str | None, Flag("--from", metavar="NAME")] = None
    """copy a recipe that comes with rewardlab"""
    prompt: Annotated[str | None, Flag(metavar="COLUMN")] = None
    """the column that is the prompt; "" for none"""
    answer: Annotated[str | None, Flag(metavar="COLUMN")] = None
    """the column that is the answer; "" for none"""
    reference: Annotated[str | None, Flag(metavar="COLUMN")] = None
    """the column that is the reference; "" for none"""
    language: Annotated[str | None, Flag(metavar="COLUMN")] = None
    """the column that is the language; "" for none"""
    response: Annotated[str | None, Flag(metavar="COLUMN")] = None
    """the column that is the response; "" for none"""
    id: Annotated[str | None, Flag(metavar="COLUMN")] = None
    """the column that is the id; "" for none"""
    output: Annotated[Path | None, Flag("-o", metavar="FILE")] = None
    """a new file (ROWS.yaml or NAME.yaml)"""


def run(options: Options) -> CommandResult:
    """Write the recipe; data: the file, the columns that were guessed and why, and what to do next."""
    rows = _rows(options)
    if rows is None:
        made = copy_recipe(str(options.source), options.output)
    else:
        columns = {field: getattr(options, field) for field in FIELDS if getattr(options, field) is not None}
        choose = _ask if sys.stdin.isatty() and sys.stderr.isatty() else None
        made = write_recipe(rows, model=options.model, output=options.output, columns=columns, choose=choose)
    lines = [f"{made.file} is written{''.join(f', {file}' for file in made.also)}"]
    lines += [f"  {field}: column {guess.column!r}, {guess.why}" for field, guess in made.columns.items()]
    lines += [f"  without {name}: {why}" for name, why in made.left_out.items()]
    lines += ["Next:", *(f"  {command}" for command in _next(made))]
    return CommandResult(text="\n".join(lines), data=_as_dict(made), warnings=[*made.doubts])


def _rows(options: Options) -> str | None:
    """Return the file of rows; None if a shipped recipe is to be copied."""
    words = options.words
    if not words or words[0] != RECIPE:
        plugin = "; a plugin: `rewardlab plugins new NAME`" if words[:1] == ("plugin",) else ""
        raise UserError(
            f"what should it make? `rewardlab new {RECIPE} ROWS.jsonl`, or `rewardlab new {RECIPE} --from NAME`{plugin}"
        )
    rows = words[1:]
    if options.source is not None and (rows or options.model or any(getattr(options, field) for field in FIELDS)):
        advice = "leave out the rows, --model and columns, and change them in the copy"
        raise UserError(f"--from copies a recipe as it is; {advice}")
    if options.source is None and not rows:
        names = ", ".join(name for name in shipped_recipes() if "/" not in name)
        raise UserError(
            f"which rows? `rewardlab new {RECIPE} ROWS.jsonl`; for a copy of ours, --from with one of {names}"
        )
    if len(rows) > 1:
        raise UserError(f"one file of rows, not {' '.join(rows)!r}")
    return None if options.source is not None else rows[0]


def _ask(field: str, columns: Sequence[str]) -> str:
    """Return the column that somebody at the terminal chooses; "" if they chose none."""
    print(f"Which column is the {field}?", file=sys.stderr)
    for number, column in enumerate(columns, 1):
        print(f"  {number}  {column}", file=sys.stderr)
    least = 1 if field == "prompt" else 0
    if not least:
        print("  0  none of them", file=sys.stderr)
    while True:
        print("Its number: ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if answer.strip().isdecimal() and least <= int(answer) <= len(columns):
            return columns[int(answer) - 1] if int(answer) else ""
        if not answer:
            raise UserError(f"no column was chosen; name it: --{field} COLUMN")


def _next(made: NewRecipe) -> list[str]:
    file = quote(str(made.file))
    return [f"rewardlab check {file}", f"rewardlab run {file} --dry-run", f"rewardlab run {file}"]


def _as_dict(made: NewRecipe) -> dict[str, Any]:
    columns = {field: {"column": guess.column, "why": guess.why} for field, guess in made.columns.items()}
    summary = {
        "columns": columns,
        "unused": list(made.unused),
        "left_out": dict(made.left_out),
        "doubts": [*made.doubts],
    }
    return {"file": str(made.file), "also": list(map(str, made.also)), **summary, "next": _next(made)}
