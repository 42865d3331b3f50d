"""Prompts that one model lacks and others answered: refused, left out for all, or reported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan
from typing import Literal

from rewardlab.errors import Problem, UserError, nearest

from rewardlab_measure.tables.averages import TableAverage
from rewardlab_measure.tables.layout import Cell, Merge, TableLayout, TablePlace
from rewardlab_measure.tables.model import Model
from rewardlab_measure.tables.prompts import PromptIndex

PromptPolicy = Literal["same", "common", "own"]
"""`same`: all models must have all prompts. `common`: prompts that some model lacks count for none. `own`: each model
is averaged over what it has"""
TOLD_CELLS = 8


def settle_prompts(models: Sequence[Model], prompts: PromptIndex, policy: PromptPolicy) -> list[str]:
    """Make the models fit each other as `policy` says, and return what was done, in words.

    Under `common` the values of other prompts become NaN. A UserError under `same`, if a model lacks some.
    """
    answered = [model for model in models if model.printed is None]
    lacking = {model.name: _lacked(model, prompts) for model in answered}
    if not any(lacking.values()):
        return []
    if policy == "same":
        raise UserError([_problem(model, lacking[model.name], prompts) for model in answered if lacking[model.name]])
    notes = [
        f"{name} lacks {_listed(numbers, prompts)}" + ("" if policy == "common" else "; its averages are without these")
        for name, numbers in lacking.items()
        if numbers
    ]
    if policy == "own":
        return notes
    left_out = set().union(*lacking.values())
    if len(left_out) == len(prompts):
        raise UserError("no prompt was answered by all models")
    for model in answered:
        for values in model.values.values():
            for number in left_out:
                if number < len(values):
                    values[number] = nan
    return [*notes, f"all averages are over the {len(prompts) - len(left_out):,} prompts that every model answered"]


def _lacked(model: Model, prompts: PromptIndex) -> list[int]:
    seen = model.seen + bytes(len(prompts) - len(model.seen))
    return [number for number, there in enumerate(seen) if not there] if 0 in seen else []


def _problem(model: Model, numbers: Sequence[int], prompts: PromptIndex) -> Problem:
    first = next(row_id for row_id, number in prompts.numbers.items() if number == numbers[0])
    problem = (
        f"{model.name} lacks {_listed(numbers, prompts)}, such as the id {first!r}; answer and score them, or compare "
        "what all have (--prompts common), or average each over what it has (--prompts own)"
    )
    return Problem(where=model.source.path, what=problem)


def _listed(numbers: Sequence[int], prompts: PromptIndex) -> str:
    every = Counter(prompts.cell_of)
    cells = Counter(prompts.cell_of[number] for number in numbers)
    parts = [f"{_named(prompts.cells[cell])} {count} of {every[cell]}" for cell, count in cells.most_common(TOLD_CELLS)]
    more = f", and {len(cells) - TOLD_CELLS} more" if len(cells) > TOLD_CELLS else ""
    return f"{len(numbers):,} of {len(prompts):,} prompts ({', '.join(parts)}{more})"


def _named(cell: Cell) -> str:
    return " ".join(part for part in cell if part) or "all"


def settle_cells(
    cells: Mapping[str, Sequence[Cell]], merges: Sequence[Merge], policy: PromptPolicy
) -> tuple[set[Cell], list[str]]:
    """Return the shown cells that count for every model, and what was done, in words.

    Args:
        cells: model -> the cells of the data that it has. The cells that count are all under `own`. A UserError
            under `same`, where a model lacks one, such as a printed table without English.
    """
    shown = {name: {TableLayout(cells_of, merges).shown(cell) for cell in cells_of} for name, cells_of in cells.items()}
    every = set().union(*shown.values())
    lacking = {name: sorted(every - cells_of) for name, cells_of in shown.items() if every - cells_of}
    if not lacking:
        return every, []
    listed = {name: ", ".join(map(_named, cells_of)) for name, cells_of in lacking.items()}
    if policy == "same":
        advice = "compare what all have (--prompts common), or average each over what it has (--prompts own)"
        raise UserError(
            [Problem(where=name, what=f"lacks {cells_text}; {advice}") for name, cells_text in listed.items()]
        )
    if policy == "own":
        return every, [f"{name} is averaged without {cells_text}" for name, cells_text in listed.items()]
    common = every.intersection(*shown.values())
    if not common:
        raise UserError("no task in any language was answered by all models")
    return common, [f"no average has {', '.join(map(_named, sorted(every - common)))}, which some model lacks"]


def describe_empty_cells(asked: Sequence[Cell], cells: Mapping[str, Sequence[Cell]]) -> list[str]:
    """Return what is left out since no model has a value there, in words. cells: model -> cells in which it has one."""
    known = {cell for cells_of in cells.values() for cell in cells_of}
    empty = [cell for cell in asked if cell not in known]
    return [f"no average has {', '.join(map(_named, empty))}, where no completion has a score"] if empty else []


def describe_pairs(pairs: Sequence[tuple[str, str]], models: Mapping[str, Model]) -> list[str]:
    """Return which pairs whose prompts are known are compared over fewer of them than either has, in words."""
    notes: dict[str, None] = {}
    for name, against in pairs:
        if models[name].printed is not None or models[against].printed is not None:
            continue
        for measure, values in models[name].values.items():
            prompts, other = _with_values(values), _with_values(models[against].values[measure])
            both, union = len(prompts & other), len(prompts | other)
            if not both:
                notes[f"{name} and {against} have no prompt in common, and are not compared"] = None
            elif both < union:
                notes[f"{name} and {against} are compared over the {both:,} of {union:,} prompts that both have"] = None
    return list(notes)


def describe_unknown(averages: Mapping[tuple[str, str, TablePlace], TableAverage]) -> list[str]:
    """Return how many averages have prompts but no interval, and why, in words."""
    unknown = [
        place for (_, _, place), average in averages.items() if average.prompts is not None and average.low is None
    ]
    if not unknown:
        return []
    return [
        f"{len(unknown):,} averages have no interval (-): one prompt, prompts that all count as one, or equal values "
        "that are not shares do not say how much others would vary"
    ]


def _with_values(values: Sequence[float]) -> set[int]:
    return {number for number, value in enumerate(values) if value == value}  # not NaN


def refuse_idle_merges(merges: Sequence[Merge], cells: Sequence[Cell]) -> None:
    """Raise a UserError if none of the languages that a merge names are among the cells."""
    there = {cell.language for cell in cells}
    for name in dict.fromkeys(merge.group_of for merge in merges if merge.group_of is not None):
        if there.isdisjoint(part for merge in merges if merge.group_of == name for part in merge.parts):
            raise UserError("none of its languages is there", where=f"--merge @{name}")
    for merge in merges:
        if merge.group_of is not None:
            continue
        tasks = {cell.task for cell in cells}
        if merge.task is not None and merge.task not in tasks:
            raise UserError(f"no task {merge.task!r}{nearest(merge.task, tasks)}", where=f"--merge {merge}")
        languages = {cell.language for cell in cells if merge.task in (None, cell.task)}
        if not languages.intersection((*merge.parts, merge.language)):
            problem = f"none of these languages is there{nearest(merge.parts[0], languages)}"
            raise UserError(problem, where=f"--merge {merge}")
