"""`rewardlab new recipe`: a recipe to start from."""

from pathlib import Path
from shlex import quote
from typing import Annotated

from rewardlab.authoring.new_recipe.copying import copy_recipe
from rewardlab.authoring.new_recipe.writing import NewRecipe, write_recipe
from rewardlab.command_spec import CommandResult, Flag, Positional
from rewardlab.errors import UserError
from rewardlab.recipe.shipped import shipped_recipes
from rewardlab.specs import Config

RECIPE = "recipe"


class Options(Config):
    """Write a recipe to start from, in this folder.

        rewardlab new recipe ROWS.jsonl [--model MODEL]   for your rows: guesses which column is which, and says so
        rewardlab new recipe --from NAME                  a copy of one that comes with rewardlab: quickstart, sp3f, ...

    The recipe for your rows takes the rewards that fit them, and passes `rewardlab check`. `rewardlab plugins new`
    starts a plugin.
    """

    words: Annotated[tuple[str, ...], Positional("recipe [ROWS.jsonl]")] = ()
    """what is to be new, and for which rows"""
    model: str | None = None
    """a folder or a hub name of a causal language model"""
    source: Annotated[str | None, Flag("--from", metavar="NAME")] = None
    """copy a recipe that comes with rewardlab"""
    output: Annotated[Path | None, Flag("-o", metavar="FILE")] = None
    """a new file (ROWS.yaml or NAME.yaml)"""


def run(options: Options) -> CommandResult:
    """Write the recipe; data: the file, the columns that were guessed and why, and what to do next."""
    rows = _rows(options)
    if rows is None:
        made = copy_recipe(str(options.source), options.output)
    else:
        made = write_recipe(rows, model=options.model, output=options.output)
    lines = [f"{made.file} is written{''.join(f', {file}' for file in made.also)}"]
    lines += [f"  {ours}: column {guess.column!r}, {guess.why}" for ours, guess in made.columns.items()]
    lines += [f"  without {name}: {why}" for name, why in made.left_out.items()]
    lines += ["Next:", *(f"  {command}" for command in _next(made))]
    return CommandResult(text="\n".join(lines), data=_as_dict(made))


def _rows(options: Options) -> str | None:
    """Return the file of rows; None where a shipped recipe is to be copied."""

    words = options.words
    if not words or words[0] != RECIPE:
        plugin = "; a plugin: `rewardlab plugins new NAME`" if words[:1] == ("plugin",) else ""
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


def _next(made: NewRecipe) -> list[str]:
    file = quote(str(made.file))
    return [f"rewardlab check {file}", f"rewardlab run {file} --dry-run", f"rewardlab run {file}"]


def _as_dict(made: NewRecipe) -> dict:
    columns = {ours: {"column": guess.column, "why": guess.why} for ours, guess in made.columns.items()}
    found = {"columns": columns, "unused": list(made.unused), "left_out": dict(made.left_out)}
    return {"file": str(made.file), "also": list(map(str, made.also)), **found, "next": _next(made)}
