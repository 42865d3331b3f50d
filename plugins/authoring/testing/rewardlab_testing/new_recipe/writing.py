"""A recipe for somebody's rows and model: its fields are the columns that the rows have, its rewards what fits them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from shlex import quote
from typing import Any

from pydantic import ValidationError
from rewardlab import Context, RewardSpec, Sample
from rewardlab.data import Identifier, columns_of, to_sample
from rewardlab.errors import UserError, nearest
from rewardlab.registry import Registry, installed
from rewardlab_training import field_named, is_held_out, prompt_findings

from rewardlab_testing.new_recipe.column_guess import Choose, ColumnGuess, guess_columns
from rewardlab_testing.new_recipe.text import RecipeParts, recipe_text, scalar

DATASET = "data/jsonl"
MODEL = "Qwen/Qwen2.5-0.5B-Instruct"
ROWS = 2000
"""rows that are looked at, the first ones"""
SHARES = (0.1, 0.2, 0.3, 0.5)
"""of the rows to hold out: the first that leaves some for either side"""
REWARDS = {
    "accuracy": ("math/accuracy", "answer"),
    "format": ("format/boxed", None),
    "language": ("language/fidelity", "language"),
    "preference": ("pairwise/win_rate", "reference"),
}
"""component -> (reward, the field without which it is left out)"""


@dataclass(frozen=True, kw_only=True)
class NewRecipe:
    """A recipe as written.

    Args:
        file: where.
        columns: our field -> the column and what the guess rests on.
        unused: the other columns.
        left_out: the rewards that do not fit these rows -> why.
        also: further files that were written.
        doubts: about the prompts.
    """

    file: Path
    columns: Mapping[str, ColumnGuess] = field(default_factory=dict)
    unused: Sequence[str] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    also: Sequence[Path] = ()
    doubts: Sequence[str] = ()


def write_recipe(
    rows: str,
    *,
    model: str | None = None,
    output: Path | None = None,
    registry: Registry | None = None,
    columns: Mapping[str, str] | None = None,
    choose: Choose | None = None,
) -> NewRecipe:
    """Write a recipe that trains a model on the rows of a file, and return what was found in them.

    Args:
        rows: a path as the recipe will hold it.
        model: a folder or a hub name; absent: a small one to begin with.
        output: a new file; absent: the name of the rows with .yaml, numbered if that is a recipe for other rows.
        columns: our field -> the column that it is, "" for none; the others are guessed.
        choose: asked between several columns; absent: they are an error.

    Raises UserError if the rows cannot be read, none of their columns can be the prompt, or the file is there already.
    """
    registry = registry or installed()
    output = output or _free_name(rows)
    refuse_existing(output)
    samples_read = _read(rows, registry)
    given, there = dict(columns or {}), list(dict.fromkeys(name for row in samples_read for name in row))
    for name, column in given.items():
        if column and column not in there:
            raise UserError(f"--{name}: no column {column!r}{nearest(column, there)}", where=rows)
    columns_found = guess_columns(samples_read, choose or _refuse_to_choose(rows), given)
    if "prompt" not in columns_found:
        names = ", ".join(map(repr, there))
        problem = f"which column is the prompt? None of these has a text, or messages, in every row: {names}"
        raise UserError(problem, where=rows)
    try:
        samples = _samples(samples_read, columns_found)
    except ValueError as error:
        raise UserError(str(error), where=rows) from error
    left_out = {name: why for name in REWARDS if (why := _why_not(name, columns_found, samples, registry)) is not None}
    held_out = next((share for share in SHARES if _splits(samples, share)), None)
    used = {guess.column for guess in columns_found.values()}
    unused = [name for name in samples_read[0] if name not in used]
    parts = RecipeParts(
        rows=rows,
        read=len(samples_read),
        file=output,
        model=model,
        default_model=MODEL,
        columns=columns_found,
        first=samples_read[0],
        unused=unused,
        rewards={name: use for name, (use, _) in REWARDS.items() if name not in left_out},
        left_out=left_out,
        held_out=held_out,
        has_split=all(row.get("split") is not None for row in samples_read),
    )
    write_new(output, recipe_text(parts))
    return NewRecipe(
        file=output, columns=columns_found, unused=unused, left_out=left_out, doubts=[*prompt_findings(samples)]
    )


def _refuse_to_choose(rows: str) -> Choose:
    """Return a `choose` that raises UserError: between several columns nothing is guessed."""

    def refuse(field: str, columns: Sequence[str]) -> str:
        options = " or ".join(f"--{field} {quote(column)}" for column in columns)
        none = "" if field == "prompt" else f", or --{field} '' for none of them"
        raise UserError(f"which column is the {field}? Add {options}{none}", where=rows)

    return refuse


def _free_name(rows: str) -> Path:
    """Return the name of a recipe for rows: theirs, with a number if other rows of that name have a recipe."""
    stem = Path(rows).name.removesuffix(".gz").rpartition(".")[0] or "recipe"
    for number in count(1):
        file = Path(f"{stem}.yaml" if number == 1 else f"{stem}-{number}.yaml")
        if not file.exists() or f"path: {scalar(rows)}" in file.read_text(encoding="utf-8", errors="replace"):
            return file
    raise AssertionError


def refuse_existing(file: Path) -> None:
    """Raise UserError if a file is there already."""
    if file.exists():
        raise UserError("it is there already; name a new file with -o", where=str(file))


def write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet; raise UserError if it is, or cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        refuse_existing(file)
        raise
    except OSError as error:
        raise UserError(f"it cannot be written: {error.strerror or error}", where=str(file)) from error


def _read(rows: str, registry: Registry) -> list[dict[str, Any]]:
    spec = registry.find("dataset", DATASET)
    try:
        dataset = spec.build(spec.config(path=rows), Context())  # type: ignore[call-arg]
    except ValueError as error:
        raise UserError(_first_error(error), where=rows) from None
    columns = [columns_of(sample) for sample in islice(dataset, ROWS)]
    if not columns:
        raise UserError("it has no rows", where=rows)
    return columns


def _first_error(error: ValueError) -> str:
    return (
        str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        if isinstance(error, ValidationError)
        else str(error)
    )


def _samples(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, ColumnGuess]) -> list[Sample]:
    """Return the rows as the recipe will read them."""
    fields = {field: guess.column for field, guess in columns.items()}
    identify = Identifier()
    return [identify(to_sample(row, fields, f"row {number}")) for number, row in enumerate(rows, 1)]


def _inside(needed: str, sample: Sample) -> str:
    """Return a hint if a column holds an object with a key that is called like the field; else nothing."""
    for column, value in sample.fields.items():
        for key in value if isinstance(value, Mapping) else ():
            if field_named(str(key)) == needed:
                return f"; {column!r} holds {key!r}: make that a column of its own, since a recipe names whole columns"
    return ""


def _splits(samples: Sequence[Sample], share: float) -> bool:
    return len({is_held_out(sample, share) for sample in samples}) == 2


def _why_not(
    name: str, columns: Mapping[str, ColumnGuess], samples: Sequence[Sample], registry: Registry
) -> str | None:
    """Return why a reward does not fit the rows, as a part of a sentence; None if it fits."""
    use, needed = REWARDS[name]
    if needed is not None and needed not in columns:
        return f"no column looks like the {needed}{_inside(needed, samples[0]) or f'; --{needed} COLUMN names it'}"
    try:
        spec = registry.find("reward", use)
    except UserError as error:
        return str(error)
    assert isinstance(spec, RewardSpec)
    for sample in samples if spec.abstains is not None else ():
        assert spec.abstains is not None
        if reason := spec.abstains(spec.config(), sample):
            return f"{reason} ({sample.source})"
    return None
