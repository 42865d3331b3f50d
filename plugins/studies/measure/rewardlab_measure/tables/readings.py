"""The answers of a model, prompt by prompt, from the ledger of a run or from the output of `score`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rewardlab.data import BadRows, parse_row
from rewardlab.errors import Problem, UserError, nearest
from rewardlab_records.ledger import current_steps, find_ledger
from rewardlab_records.scored_lines import ADVICE, scored_lines

from rewardlab_measure.tables.evaluation_files import Evaluation, evaluation_notes
from rewardlab_measure.tables.measures import TOTAL
from rewardlab_measure.tables.sources import ModelSource

BEGINNING = 400
"""bytes of a ledger's line in which its phase stands"""


class Scores(NamedTuple):
    """The scores of one component for the completions of one prompt; `errors` say why one is missing, if it failed."""

    values: Sequence[float | None]
    errors: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class PromptAnswers:
    """The scores of a model's answers to one prompt. fields, prompt: None if the file has none of them."""

    place: str
    id: str
    components: Mapping[str, Scores]
    fields: Mapping[str, Any] | None = None
    prompt: Any = None

    def scores(self, component: str) -> Scores:
        """Return the scores of a component. A UserError if there is none of that name."""
        scores = self.components.get(component)
        if scores is None:
            there = ", ".join(self.components)
            problem = f"no component {component!r}{nearest(component, self.components)}; there are {there}"
            raise UserError(problem, where=self.place)
        return scores


class ModelAnswers(Protocol):
    """The answers of a model, prompt by prompt. note: what a reader of the table must know of them, or nothing."""

    note: str

    def __iter__(self) -> Iterator[PromptAnswers]: ...


def open_answers(source: ModelSource) -> ModelAnswers:
    """Return the answers of a model. A UserError, at once or while they are read, for a file that holds none."""
    return RunAnswers(source) if source.kind == "ledger" else ScoredAnswers(source.path)


def component_names(source: ModelSource) -> list[str]:
    """Return the names of the components that scored a model's answers, without the total."""
    first = next(iter(open_answers(source)), None)
    if first is None:
        raise UserError("has no scores", where=source.path)
    return [name for name in first.components if name != TOTAL]


class ScoredAnswers:
    """The answers in a file that `score` wrote."""

    note = ""

    def __init__(self, path: str) -> None:
        self._path = path

    def __iter__(self) -> Iterator[PromptAnswers]:
        bad = BadRows()
        for number, row in scored_lines(self._path):
            if isinstance(row, Problem):
                bad.add(row)
            else:
                yield _scored(row, f"{self._path}:{number}")
        if bad.count:
            raise bad.error(self._path, ADVICE)


def _scored(row: Mapping[str, Any], place: str) -> PromptAnswers:
    components = {name: Scores(entry["value"], entry["error"]) for name, entry in row["components"].items()}
    return PromptAnswers(place, str(row["id"]), {**components, TOTAL: Scores(row["total"], [None] * len(row["total"]))})


class RunAnswers:
    """The answers of one evaluation of a run, read from its ledger; lines that a resume replaced do not count."""

    def __init__(self, source: ModelSource) -> None:
        """Find the evaluation: the last that `source` allows. A UserError if there is none."""
        self._ledger = find_ledger(Path(source.path))
        self._steps = current_steps(self._ledger)
        every = self._evaluations()
        wanted = (source.stage, source.phase, source.step)
        fitting = [e for e in every if all(choice in (None, own) for choice, own in zip(wanted, e, strict=True))]
        if not fitting:
            there = ", ".join(map(_describe, every))
            problem = f"has no such evaluation; there are: {there}" if every else "has no evaluation; add a stage eval"
            raise UserError(problem, where=source.path)
        self._chosen = fitting[-1]
        others = ", ".join(_describe(evaluation) for evaluation in every if evaluation != self._chosen)
        notes = [f"the evaluation {_describe(self._chosen)}; there are also {others}"] if others else []
        self.note = "; ".join([*notes, *evaluation_notes(Path(source.path), self._chosen)])

    def __iter__(self) -> Iterator[PromptAnswers]:
        group: list[Mapping[str, Any]] = []
        place = ""
        for where, line in self._lines():
            if _evaluation(line) != self._chosen:
                continue
            if group and (line["attempt"], line["group"]) != (group[0]["attempt"], group[0]["group"]):
                yield _answers_of_group(group, place)
                group = []
            place = place if group else where
            group.append(line)
        if group:
            yield _answers_of_group(group, place)

    def _evaluations(self) -> list[Evaluation]:
        """Return the run's evaluations in the order of their last lines."""
        ordered: dict[Evaluation, None] = {}
        for _, line in self._lines():
            ordered.pop(_evaluation(line), None)
            ordered[_evaluation(line)] = None
        return list(ordered)

    def _lines(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield (place, line) for each line of an evaluation that counts; one that is cut off is left out."""
        for place, text in () if self._ledger is None else self._ledger.raw_lines():
            if b'"phase": "training"' in text[:BEGINNING] or not text.endswith(b"\n"):
                continue
            line = parse_row(text, place, any_text=True)
            if isinstance(line, Problem):
                raise UserError([line])
            if line.get("phase", "training") != "training" and line in self._steps:
                yield place, line


def _evaluation(line: Mapping[str, Any]) -> Evaluation:
    return line["stage"], line["phase"], line["step"]


def _describe(evaluation: Evaluation) -> str:
    """Return an evaluation as it is chosen: "1-after:500"."""
    stage, phase, step = evaluation
    return f"{stage}-{phase}" if step is None else f"{stage}-{phase}:{step}"


def _answers_of_group(lines: Sequence[Mapping[str, Any]], place: str) -> PromptAnswers:
    first = lines[0]
    names = first["components"]
    components = {
        name: Scores(
            [line["components"][name]["value"] for line in lines],
            [line["components"][name].get("error") for line in lines],
        )
        for name in names
    }
    components[TOTAL] = Scores([line["total"] for line in lines], [None] * len(lines))
    return PromptAnswers(place, str(first["id"]), components, first.get("fields"), first.get("prompt"))
