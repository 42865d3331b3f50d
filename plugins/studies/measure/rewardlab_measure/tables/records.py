"""The tables for programs: JSON values, CSV, and files whose ending says the format."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rewardlab.errors import Problem, UserError
from rewardlab.files import write_text
from rewardlab.scorefile import output_path_problem
from rewardlab_records.ledger import inert

from rewardlab_measure.tables.averages import TableAverage
from rewardlab_measure.tables.comparisons import sentences
from rewardlab_measure.tables.job import TablesResult
from rewardlab_measure.tables.pages import format_latex, format_markdown, format_tables

PLACE = ("kind", "model", "against", "measure", "task", "language")
COLUMNS = (*PLACE, "mean", "low", "high", "prompts", "p", "corrected", "verdict", "clusters")


def tables_as_dict(result: TablesResult, digits: int = 1) -> dict[str, Any]:
    """Return the result as JSON values; averages and intervals are not scaled, and null if there is none."""
    return {
        "models": list(result.models),
        "measures": list(result.measures),
        "tasks": result.layout.tasks,
        "languages": result.layout.languages(),
        "averages": [
            {"model": model, "measure": measure, **place._asdict(), **_as_dict(average)}
            for (model, measure, place), average in result.averages.items()
        ],
        "comparisons": [
            {"model": c.model, "against": c.against, "measure": c.measure, **c.place._asdict()}
            | _as_dict(c.difference)
            | {"p": c.p, "corrected": c.corrected, "verdict": c.verdict, "floor": c.floor, "family": c.family}
            for c in result.comparisons
        ],
        "sentences": sentences(result.comparisons, result.scale, digits),
        "notes": list(result.notes),
        "clustering": None if result.clustering is None else asdict(result.clustering),
        "draws": result.draws,
        "seed": result.seed,
    }


def _as_dict(average: TableAverage) -> dict[str, Any]:
    return {name: getattr(average, name) for name in ("mean", "low", "high", "prompts", "clusters")}


def format_csv(result: TablesResult, digits: int = 1) -> str:
    """Return a line for each average and each comparison, unscaled. An empty task or language: the average over all."""
    values = tables_as_dict(result, digits)
    text = io.StringIO()
    lines = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    lines.writeheader()
    for kind in ("averages", "comparisons"):
        lines.writerows(
            {"kind": kind.removesuffix("s"), **{name: inert(cell) for name, cell in row.items() if name in COLUMNS}}
            for row in values[kind]
        )
    return text.getvalue()


def format_json(result: TablesResult, digits: int = 1) -> str:
    """Return the result as a JSON text."""
    return json.dumps(tables_as_dict(result, digits), ensure_ascii=False, indent=2) + "\n"


FORMATS: Mapping[str, Callable[[TablesResult, int], str]] = {
    ".txt": format_tables,
    ".csv": format_csv,
    ".md": format_markdown,
    ".tex": format_latex,
    ".json": format_json,
}


def refuse_outputs(paths: Sequence[Path]) -> None:
    """Raise a UserError that lists the files which cannot be written, before anything is read."""
    problems = []
    for path in paths:
        if path.suffix not in FORMATS:
            problem_text = f"the ending says the format: {', '.join(FORMATS)}"
            problems.append(Problem(where=str(path), what=problem_text))
        elif problem := output_path_problem(path, new=True):
            problems.append(problem)
    if problems:
        raise UserError(problems)


def write_tables(result: TablesResult, path: Path, digits: int = 1) -> None:
    """Write the tables to a new file, in the format that its ending says."""
    write_text(path, FORMATS[path.suffix](result, digits))
