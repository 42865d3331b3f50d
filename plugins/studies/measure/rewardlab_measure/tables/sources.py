"""The models on the command line: NAME=PATH, where a path is a run, a file of scores, or averages that were printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from rewardlab.data import read_lines
from rewardlab.errors import Problem, UserError, nearest
from rewardlab_records.ledger import find_ledger

Kind = Literal["ledger", "scores", "averages"]
Phase = Literal["before", "during", "after", "eval"]


@dataclass(frozen=True, kw_only=True)
class ModelSource:
    """The source of a model's answers.

    Args:
        path: a run or its ledger, the output of `score`, or a file of averages, as `kind` says. stage, phase, step:
            of a ledger, which of its evaluations; None for the last one.
    """

    name: str
    path: str
    kind: Kind
    stage: int | None = None
    phase: str | None = None
    step: int | None = None


def parse_models(texts: Sequence[str]) -> list[ModelSource]:
    """Return the models that NAME=PATH or PATH say; of a run PATH@PHASE, PATH@PHASE:STEP or PATH@STAGE-PHASE, too.

    A UserError if a file is missing, is none that a table can be made of, or two models have one name.
    """
    models = [_parsed(text) for text in texts]
    names: set[str] = set()
    for model in models:
        if model.name in names:
            raise UserError(f"two models are called {model.name}; name them: NAME={model.path}", where=model.path)
        names.add(model.name)
    return models


def _parsed(text: str) -> ModelSource:
    name, sign, path = text.partition("=")
    if not sign or Path(text).exists():
        name, path = "", text
    path, chosen = _evaluation(path)
    kind = _kind(path)
    if chosen and kind != "ledger":
        raise UserError(f"@{chosen['phase']} chooses an evaluation of a run; this is a file of {kind}", where=path)
    return ModelSource(name=name.strip() or _name(path), path=path, kind=kind, **chosen)


def _evaluation(path: str) -> tuple[str, dict[str, Any]]:
    """Return the path, and the stage, phase and step that stand behind its last @."""
    before, sign, after = path.rpartition("@")
    if not sign or Path(path).exists():
        return path, {}
    stage, dash, rest = after.partition("-")
    numbered = dash and stage.isdecimal()
    phase, colon, step = (rest if numbered else after).partition(":")
    if phase not in get_args(Phase):
        phases = ", ".join(get_args(Phase))
        raise UserError(
            f"no evaluation is called {phase!r}{nearest(phase, get_args(Phase))}; it is one of {phases}", path
        )
    if colon and not step.isdecimal():
        raise UserError(f"the step must be a whole number, not {step!r}", where=path)
    return before, {"stage": int(stage) if numbered else None, "phase": phase, "step": int(step) if colon else None}


def _name(path: str) -> str:
    return Path(path).resolve().name.split(".")[0] or path


def _kind(path: str) -> Kind:
    """Return what a path is, by the first row of a file. A UserError if no table can be made of it."""
    if Path(path).is_dir():
        if find_ledger(Path(path)) is None:
            raise UserError("there is no ledger here; name the folder of a run that evaluated something", where=path)
        return "ledger"
    lines = read_lines(path, any_text=True)
    _, row = next(lines, (0, None))
    lines.close()
    if row is None:
        raise UserError("has no rows", where=path)
    if isinstance(row, Problem):
        raise UserError([row])
    if "components" in row and "total" in row:
        return "ledger" if "attempt" in row else "scores"
    if "completions" in row:
        problem = "has completions without scores; score it first: rewardlab score RECIPE ROWS.jsonl -o SCORES.jsonl"
        raise UserError(problem, where=path)
    if "prompt" in row:
        problem = (
            "has prompts without scores; name rows with --rows, and a model by its run or what `rewardlab score` wrote"
        )
        raise UserError(problem, where=path)
    if "language" in row or "task" in row:
        return "averages"
    there = ", ".join(map(repr, list(row)[:8]))
    problem = "is neither a run, nor what `rewardlab score` wrote, nor averages by task and language"
    raise UserError(f"{problem}; columns: {there}", where=path)
