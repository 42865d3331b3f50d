"""Rows with gold: pairs, lists and single answers, read as groups in an order that says nothing about gold."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from rewardlab import Group
from rewardlab.data import BadRows, kind_of, prompt_hash, read_lines, sample_id, to_completions
from rewardlab.errors import Problem
from rewardlab.plan import Plan
from rewardlab.scoring import InputRow, RowCheck

LANGUAGE = ("language", "lang")
KIND = ("kind", "subset", "category", "task")
ANSWER = ("completion", "response")
DIMENSIONS = "dimensions"
GOLD = ("chosen", "rejected", "scores", "score", DIMENSIONS, *ANSWER)
"""Columns that hold gold or the answers that it is about: no reward sees them."""
SHAPES = "chosen and rejected; completions and scores; or completion (or response) and score or dimensions"
Dimensions = Sequence[Mapping[str, float]]
"""(G,) {dimension: people's score} of each completion; {} if there are none"""


@dataclass(frozen=True, kw_only=True)
class GoldCase:
    """A group whose right order is known. `language` and `kind` are None if the row has none.

    Args:
        gold: (G,) in the row's order, higher is better.
        is_pair: the row only says which of two answers is better.
        dimensions: (G,) people's scores by dimension, likewise; empty if the row has none.
        row: the group to score; place p of it holds completion `order[p]` of the row.
        problem: what its row is about, which others may be, too, such as its translations.
    """

    row: InputRow
    gold: Sequence[float]
    order: Sequence[int]
    is_pair: bool = False
    dimensions: Dimensions = ()
    language: str | None = None
    kind: str | None = None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Answers:
    """The answers of one row with their gold, in the row's order. shape: "pair", "list" or "single"."""

    row: InputRow
    gold: tuple[float, ...]
    dimensions: tuple[Mapping[str, float], ...]
    shape: str
    language: str | None
    kind: str | None


def read_cases(path: str, plan: Plan, unlabelled: bool = False) -> tuple[list[GoldCase], BadRows]:
    """Read the cases of a file, in its order, and what is wrong with its other rows. Holds all rows in memory.

    Rows with one answer each are gathered by prompt, language and kind, at the place of the first one, whose other
    columns (id, a reference) the case takes. The same id may occur in several languages and kinds, as in a translated
    benchmark.

    Args:
        unlabelled: read rows without gold, too, with a gold of 0 for all their answers, and single answers.
    """
    bad, reader = BadRows(), GoldReader(plan, unlabelled=unlabelled)
    read: list[_Answers] = []
    for line, row in read_lines(path):
        source = f"{path}:{line}"
        try:
            if isinstance(row, Problem):
                bad.add(row)
            else:
                read.append(reader.read(row, source))
        except ValueError as error:
            bad.add(Problem(where=source, what=str(error)))
    return list(_cases(read, bad, 1 if unlabelled else 2)), bad


class GoldReader:
    """A reader of rows with gold, by the columns that a plan's recipe names; or by our own names.

    unlabelled: rows without gold are read, too.
    """

    def __init__(self, plan: Plan, renamed: bool = True, unlabelled: bool = False) -> None:
        self._check, self._unlabelled = RowCheck(plan), unlabelled
        self._fields: Mapping[str, str] = self._check.fields if renamed else {}
        # `read` puts a row's completions under the name "completions", whatever the recipe calls them
        self._check.fields = {field: column for field, column in self._fields.items() if field != "completions"}

    def case(self, row: Mapping[str, Any], source: str) -> GoldCase:
        """Read one row with an id as a case of its own, also a single answer. A ValueError says what is wrong."""
        answers = self.read(row, source)
        return _case(answers, answers.row.given_id)

    def read(self, row: Mapping[str, Any], source: str) -> _Answers:
        """Read one row. A ValueError says what is wrong with it."""
        shape, completions, gold, prefix = self._answers(row)
        columns = {**row, "completions": completions}
        if self._column(row, "prompt") is None and prefix:
            columns["prompt"] = prefix
        group = self._check.group(columns, source)
        fields = {name: value for name, value in group.sample.fields.items() if name not in GOLD}
        group = replace(group, sample=replace(group.sample, fields=fields))
        given = self._check.given_id(row)
        language, kind = _first(fields, LANGUAGE), _first(fields, KIND)
        return _Answers(
            row=InputRow(given_id="" if given is None else given, group=group),
            gold=gold,
            dimensions=_dimensions(self._column(row, DIMENSIONS), len(gold)),
            shape=shape,
            language=language,
            kind=kind,
        )

    def _answers(self, row: Mapping[str, Any]) -> tuple[str, list[Any], tuple[float, ...], list[Any]]:
        """Return (shape, completions, their gold, the messages that a chosen or rejected conversation begins with)."""
        chosen, rejected = self._column(row, "chosen"), self._column(row, "rejected")
        if chosen is not None and rejected is not None:
            return "pair", *_pair(chosen, rejected)
        completions, scores = self._column(row, "completions"), self._column(row, "scores")
        if completions is not None and scores is not None:
            return "list", *_list(completions, scores)
        single = next((column for name in ANSWER if (column := self._column(row, name)) is not None), None)
        score, by_dimension = self._column(row, "score"), self._column(row, DIMENSIONS)
        if single is not None and score is not None:
            return "single", [single], (_number(score, "score"),), []
        if single is not None and by_dimension is not None:
            return "single", [single], (fmean(_dimensions(by_dimension, 1)[0].values()),), []
        if self._unlabelled and (completions is not None or single is not None):
            answers = [single] if completions is None else completions
            size = len(to_completions(answers))
            return "single" if size == 1 else "list", answers, (0.0,) * size, []
        raise ValueError(f"a row needs {SHAPES}; columns: {', '.join(map(repr, list(row)[:12])) or 'none'}")

    def _column(self, row: Mapping[str, Any], name: str) -> Any:
        column = self._fields.get(name, name)
        return row[column] if column in row else row.get(name)


def _pair(chosen: Any, rejected: Any) -> tuple[list[Any], tuple[float, ...], list[Any]]:
    before, better = _split(chosen, "chosen")
    also_before, worse = _split(rejected, "rejected")
    start = _prompt_length(before, also_before)
    if start < max(len(before), len(also_before)):
        before, better, worse = before[:start], chosen[start:], rejected[start:]
        if not all(isinstance(messages, list) and _is_of(messages[0], "assistant") for messages in (better, worse)):
            raise ValueError("chosen and rejected are conversations that differ before the assistant's first message")
    first, other = to_completions([better, worse])
    if (first.text, first.messages) == (other.text, other.messages):
        raise ValueError("chosen and rejected are the same text; nothing can tell them apart")
    return [better, worse], (1.0, 0.0), before


def _prompt_length(before: Sequence[Any], also_before: Sequence[Any]) -> int:
    """Return with how many messages both conversations begin, up to the first call of a tool."""
    pairs = enumerate(zip(before, also_before, strict=False))
    ends = (
        at
        for at, (message, other) in pairs
        if message != other or (_is_of(message, "assistant") and message.get("tool_calls"))
    )
    return next(ends, min(len(before), len(also_before)))


def _is_of(message: Any, role: str) -> bool:
    return isinstance(message, Mapping) and message.get("role") == role


def _split(value: Any, name: str) -> tuple[list[Any], Any]:
    """Return (the messages before an answer, the answer). A text or an object with text has no messages before it."""
    if isinstance(value, str) or (isinstance(value, Mapping) and "text" in value):
        return [], value
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a text, an object with 'text' or a list of messages, not {kind_of(value)}")
    last: Any = value[-1] if value else None
    if not _is_of(last, "assistant") or not isinstance(last.get("content"), str):
        raise ValueError(f"the last message of {name} must be the assistant's, with a text as its content")
    return value[:-1], last["content"]


def _list(completions: Any, scores: Any) -> tuple[list[Any], tuple[float, ...], list[Any]]:
    if not isinstance(scores, list):
        raise ValueError(f"scores must be a list of numbers, not {kind_of(scores)}")
    size = len(to_completions(completions))
    if size != len(scores):
        raise ValueError(f"there are {size} completions and {len(scores)} scores")
    if size < 2:
        raise ValueError("there is 1 completion; 2 or more are needed to compare")
    gold = tuple(_number(score, f"scores[{index}]") for index, score in enumerate(scores))
    return completions, gold, []


def _dimensions(given: Any, size: int) -> tuple[Mapping[str, float], ...]:
    """Return what people say by dimension, of one completion or of each; {} for those without. ValueError if wrong."""
    each = [given] if isinstance(given, Mapping) and size == 1 else given
    if each is None:
        return ({},) * size
    if (
        not isinstance(each, list)
        or len(each) != size
        or not all(isinstance(scores, Mapping) and scores for scores in each)
    ):
        wanted = "an object" if size == 1 else f"a list of {size} objects"
        given_kind = "an empty one" if given == {} else kind_of(given)
        raise ValueError(f"dimensions must be {wanted} of names with scores, not {given_kind}")
    return tuple({str(name): _number(score, f"dimensions.{name}") for name, score in scores.items()} for scores in each)


def _number(value: Any, name: str) -> float:
    """Return a number, which a cell of CSV has as text. ValueError for anything else."""
    if isinstance(value, str):
        with suppress(ValueError):
            value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} must be a number, not {kind_of(value)}")
    return float(value)


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> str | None:
    value = next((fields[name] for name in names if fields.get(name) is not None), None)
    return None if value is None else str(value)


def _cases(read: Sequence[_Answers], bad: BadRows, least: int) -> Iterator[GoldCase]:
    places: dict[tuple[str, str | None, str | None], str] = {}
    occurrences: dict[str, int] = {}
    for answers in _gathered(read):
        sample = answers.row.group.sample
        if len(answers.gold) < least and not any(answers.dimensions):
            problem = "no other row has this prompt, language and kind; 2 answers or more are needed to compare"
            bad.add(Problem(where=sample.source, what=problem))
            continue
        given = answers.row.given_id
        if given == "":
            digest = prompt_hash(sample.prompt)
            given = sample_id(sample, occurrences.get(digest, 0))
            occurrences[digest] = occurrences.get(digest, 0) + 1
        key = (str(given), answers.language, answers.kind)
        if key in places:
            bad.add(Problem(where=sample.source, what=f"the id {str(given)!r} is already used by {places[key]}"))
            continue
        places[key] = sample.source
        yield _case(answers, given)


def _gathered(read: Sequence[_Answers]) -> Iterator[_Answers]:
    """Yield the answers, with rows of one answer each put together at the place of the first."""
    gathered: dict[Any, list[_Answers]] = {}
    for number, answers in enumerate(read):
        key: tuple[int | str | None, ...] = (number,)
        if answers.shape == "single":
            key = (prompt_hash(answers.row.group.sample.prompt), answers.language, answers.kind)
        gathered.setdefault(key, []).append(answers)
    for members in gathered.values():
        first = members[0]
        completions = tuple(c for member in members for c in member.row.group.completions)
        gold = tuple(score for member in members for score in member.gold)
        dimensions = tuple(dimension for member in members for dimension in member.dimensions)
        row = replace(first.row, group=replace(first.row.group, completions=completions))
        yield replace(first, row=row, gold=gold, dimensions=dimensions)


def _case(answers: _Answers, given: int | str) -> GoldCase:
    group = answers.row.group
    order = _order(str(given), len(answers.gold))
    shown = Group(
        sample=replace(group.sample, id=str(given)),
        completions=tuple(group.completions[index] for index in order),
    )
    return GoldCase(
        row=InputRow(given_id=given, group=shown),
        gold=answers.gold,
        order=order,
        is_pair=answers.shape == "pair",
        dimensions=answers.dimensions if any(answers.dimensions) else (),
        language=answers.language,
        kind=answers.kind,
        problem=str(given),
    )


def _order(row_id: str, size: int) -> list[int]:
    """Return an order of the row's completions that follows from its id alone."""
    return sorted(range(size), key=lambda index: hashlib.sha256(f"{row_id}:{index}".encode()).digest())
