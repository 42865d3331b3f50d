"""A model's values, prompt by prompt, read into memory: eight bytes for each measure of each prompt."""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Literal

from rewardlab.errors import Problem, UserError

from rewardlab_measure.tables.layout import Cell
from rewardlab_measure.tables.measures import Measure
from rewardlab_measure.tables.prompts import PromptIndex
from rewardlab_measure.tables.readings import PromptAnswers, Scores, open_answers
from rewardlab_measure.tables.sources import ModelSource

MissingPolicy = Literal["refuse", "leave-out", "zero"]
"""what a completion without a score does: it stops the table, it counts nowhere, or it counts as 0"""


@dataclass(kw_only=True)
class MissingScores:
    """Completions of a model without a score of one component: how many of all, and the first."""

    component: str
    count: int = 0
    place: str = ""
    why: str = ""

    def add(self, scores: Scores, place: str) -> None:
        """Count the missing scores of a prompt's completions."""
        errors = [error for value, error in zip(scores.values, scores.errors, strict=True) if value is None]
        if errors and not self.count:
            self.place, self.why = place, next((f"failed: {error}" for error in errors if error), "no value")
        self.count += len(errors)


@dataclass(kw_only=True)
class Model:
    """A model as it was read.

    Args:
        values: measure -> a value for each prompt, NaN if it has none.
        seen: 1 for each prompt that its file has.
        printed: measure -> averages of cells that a file gave, if it has no prompts.
        samples: completions -> prompts.
        note: what a reader of the table must know of its file.
    """

    source: ModelSource
    values: dict[str, "array[float]"] = field(default_factory=dict)
    seen: bytearray = field(default_factory=bytearray)
    printed: Mapping[str, Mapping[Cell, float]] | None = None
    samples: Counter[int] = field(default_factory=Counter)
    missing: dict[str, MissingScores] = field(default_factory=dict)
    note: str = ""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.source.name


class ModelReader:
    """A reader of the models of one table, which notes their prompts on the way.

    known_fields: whether rows or a run said where prompts belong, so that a prompt that they do not have is a mistake.
    share: whether scores must lie in [0, 1].
    """

    def __init__(self, prompts: PromptIndex, measures: Sequence[Measure], missing: MissingPolicy, share: bool) -> None:
        self._prompts, self._measures, self._missing, self._share = prompts, measures, missing, share
        self.known_fields = False

    def read(self, source: ModelSource) -> Model:
        """Return a model with all its values. A UserError says which row is wrong, or which scores are missing."""
        model = Model(source=source)
        model.values = {measure.name: array("d") for measure in self._measures}
        model.missing = {measure.name: MissingScores(component=measure.component) for measure in self._measures}
        answers = open_answers(source)
        model.note = answers.note
        for answer in answers:
            self._add(model, answer, self._number(answer))
        self._refuse_missing(model)
        return model

    def _number(self, answer: PromptAnswers) -> int:
        if answer.fields is not None:
            return self._prompts.add(answer.id, answer.fields, answer.prompt, answer.place)
        number = self._prompts.numbers.get(answer.id)
        if number is not None:
            return number
        if self.known_fields:
            problem = f"no row has the id {answer.id!r}; give --rows with the rows that were scored here"
            raise UserError(problem, where=answer.place)
        return self._prompts.add(answer.id, {}, None, answer.place)

    def _add(self, model: Model, answer: PromptAnswers, number: int) -> None:
        if number >= len(model.seen):
            model.seen.extend(bytes(number + 1 - len(model.seen)))
        if model.seen[number]:
            raise UserError(f"the id {answer.id!r} stands here a second time", where=answer.place)
        model.seen[number] = 1
        for measure in self._measures:
            scores = answer.scores(measure.component)
            values = model.values[measure.name]
            while len(values) <= number:
                values.append(nan)
            values[number] = self._value(measure, scores, model.missing[measure.name], answer.place)
        model.samples[len(scores.values)] += 1

    def _value(self, measure: Measure, scores: Scores, missing: MissingScores, place: str) -> float:
        known: Sequence[float] = scores.values  # type: ignore[assignment]
        if None in scores.values:
            missing.add(scores, place)
            known = [value for value in scores.values if value is not None]
            if self._missing == "zero":
                known = [0.0 if value is None else value for value in scores.values]
            if not known:
                return nan
        try:
            value = measure.of(known)
        except ValueError as error:
            raise UserError(str(error), where=place) from None
        if self._share and not -1e-9 <= value <= 1 + 1e-9:
            problem = f"{value:g}, the mean of {measure.component}, is not a share; --raw shows numbers as they are"
            raise UserError(problem, where=place)
        return value

    def _refuse_missing(self, model: Model) -> None:
        if not model.samples:
            raise UserError("has no scores", where=model.source.path)
        if self._missing != "refuse":
            return
        completions = sum(size * prompts for size, prompts in model.samples.items())
        problems = [
            Problem(
                where=m.place,
                what=f"{m.count} of {completions} completions of {model.name} have no score of {m.component} "
                f"({m.why}); score them, or say what they count: --missing leave-out or --missing zero",
            )
            for m in model.missing.values()
            if m.count
        ]
        if problems:
            raise UserError(problems)
