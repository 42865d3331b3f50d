"""The format of a judge benchmark, as a small YAML file says it: its columns, the cases of a row, its score."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator
from rewardlab import Config
from rewardlab.errors import nearest
from rewardlab_data.benchmark_files import BenchmarkFiles, ColumnTemplate, HubSource, Name

Measure = Literal["pairs", "preference", "binary", "score", "choices"]
AnswerIs = Literal["label", "index_from_0", "index_from_1"]
SHAPES: dict[Measure, tuple[tuple[str, ...], ...]] = {
    "pairs": (("chosen", "rejected"), ("answers", "better")),
    "preference": (("answers", "preference"),),
    "binary": (("response", "gold"), ("right", "wrong"), ("right", "wrong_is"), ("choices", "answer")),
    "score": (("response", "gold"),),
    "choices": (("choices", "answer"),),
}
"""the keys of a form of rows, by what a benchmark measures"""
RUBRIC = "rubric"
"""the field in which rows have the rubric of a question that is not the usual one"""
DERIVED = ("language", "difficulty")
"""slices that no file declares: the row's language, and of lists of answers in styles how hard their pair is"""


class HubConfigurations(HubSource):
    """The place of a judge benchmark on the Hugging Face hub."""

    configurations: tuple[Name, ...] = ()
    """its configurations, if all of them are read, one after the other"""


class RowForm(Config):
    """One form that a benchmark's rows are published in. Columns inside others are named with dots, as in `a.b`."""

    prompt: Name | None = None
    """the prompt: a text with columns as $name"""
    conversation: Name | None = None
    """the column with the prompt's messages, instead of `prompt`"""
    chosen: Name | None = None
    """the column with the better answer, or with several of rising style, each of which meets all rejected ones"""
    rejected: Name | None = None
    """the column with the worse answer, or with as many"""
    first: Literal["alternating", "chosen"] = "alternating"
    """which answer is shown first officially. alternating: the chosen one of every second pair, from the first on"""
    answers: tuple[Name, Name] | None = None
    """the columns of two answers, in their official order"""
    better: Name | None = None
    """the column that names the better one of `answers`"""
    better_is: dict[Name, Literal[1, 2]] = Field(default_factory=dict)
    """what that column holds: 1 or 2"""
    preference: Name | None = None
    """the column with a grade on `scale`, negative if the first one of `answers` is better"""
    response: Name | None = None
    """the answer to judge: a text with columns as $name"""
    gold: Name | None = None
    """the column with the right judgement of `response`: a number, or whether it is true"""
    true: tuple[Name, ...] = ("true", "1")
    """what `gold` holds of a true one, in lower case; everything else must be in `false`"""
    false: tuple[Name, ...] = ("false", "0")
    """what `gold` holds of a false one, in lower case"""
    true_above: float | None = None
    """`gold` is a number, and true above this one"""
    right: Name | None = None
    """the column with a right answer, which makes a case of its own"""
    wrong: Name | None = None
    """the column with a wrong answer, which makes another"""
    wrong_is: Literal["corrupted"] | None = None
    """how a wrong answer is made of the right one if no column has it"""
    choices: Name | tuple[Name, ...] | None = None
    """the columns with the choices, or one column that lists them. Of `binary`, the right and one other are cases"""
    choice: Name = "$label. $text"
    """a choice as the prompt's $options list it"""
    choice_as_answer: Name | None = None
    """a choice as an answer, if that is another text"""
    answer: Name | None = None
    """the column with the right choice"""
    answer_is: AnswerIs = "label"
    """label: A, B ...; index_from_0 or _1: its number"""
    language: Name | None = None
    """the language, a text with columns as $name; absent: the benchmark's"""
    slices: dict[Name, Name] | None = None
    """the benchmark's `slices`, if other columns have them"""

    @field_validator("prompt", "response", "language")
    @classmethod
    def _is_template(cls, text: str | None) -> str | None:
        if text is not None and not ColumnTemplate(text).is_valid():
            raise ValueError("a $ stands before no name; write $$ for a dollar")
        return text

    @model_validator(mode="after")
    def _has_prompt(self) -> Self:
        if (self.prompt is None) == (self.conversation is None):
            raise ValueError("a form needs prompt or conversation, and not both")
        return self


class OwnQuestion(Config):
    """One wording of the question that only this benchmark asks, as a rubric: what it is about, and its levels."""

    description: Name
    """what the judge has to decide"""
    scoring: Annotated[dict[Name, Name], Field(min_length=2)]
    """what each level stands for: true and false, or the whole numbers of `scale`, of preference from 1 on"""


Question = Literal["better", "right", "row"] | Annotated[tuple[OwnQuestion, ...], Field(min_length=1)]
"""The question to a judge. better: which of two answers is the better one. right: whether an answer is right. row: by
the rubric that each row has in its field `rubric`. Or wordings of the benchmark's own, of which each row gets one."""


class Average(Config):
    """The averaging of the cases to the official score: means inside means."""

    over: tuple[Name, ...] = ()
    """slices, outermost first: the score is the mean of the values' scores"""
    weights_of: Name | None = None
    """the slice whose values have weights"""
    weights: dict[Name, dict[Name, Annotated[float, Field(gt=0)]]] = Field(default_factory=dict)
    """section -> value -> its weight in the section; the score is the mean of the sections"""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.weights_of is None) != (not self.weights):
            raise ValueError("weights_of and weights go together")
        return self


class JudgeBenchmark(Config):
    """The format of a judge benchmark: how its rows become cases, and how the official score comes from those."""

    version: Literal[1]
    """version of this format"""
    about: str = ""
    """what it measures, in a sentence"""
    source: str = ""
    """where its format is documented"""
    hub: HubConfigurations | None = None
    """where it is on the hub; absent: local files only"""
    measure: Measure
    """pairs: the better one of two answers. preference: how much better. binary: whether an answer is right. score: a
    score of one answer. choices: the right one of several"""
    question: Question | None = None
    """what the judge is asked; rewards by rubric that have no `rubric` in the recipe ask it. null: better of pairs,
    right of binary and choices, and else whatever the recipe's rubric says"""
    forms: Annotated[tuple[RowForm, ...], Field(min_length=1)]
    """the forms of rows; a row has the first one whose columns are all there"""
    id: tuple[Name, ...] = ()
    """the columns that name a row, as far as it has them; without the last of them, its number is added"""
    language: Name = "en"
    """the language: a text with columns as $name"""
    slices: dict[Name, Name] = Field(default_factory=dict)
    """what the tables are split by: name -> a text with columns as $name"""
    names: dict[Name, dict[Name, Name]] = Field(default_factory=dict)
    """our names of a slice's values, or of `language`: slice -> theirs -> ours; "*" is every other one"""
    only: dict[Name, Name] = Field(default_factory=dict)
    """column -> a pattern that its whole text has; other rows are left out"""
    leave_out: dict[Name, Name] = Field(default_factory=dict)
    """column -> a pattern; rows whose whole text has it are left out"""
    keep: tuple[Name, ...] = ()
    """further columns that rewards see; no other is shown to them"""
    fields: dict[Name, Any] = Field(default_factory=dict)
    """further fields, as texts with columns as $name, also inside mappings: a rubric, a reference"""
    scale: tuple[float, float] = (1, 5)
    """of score and preference: the lowest and the highest gold"""
    unparsable_as: float | None = None
    """the number that a reply without a verdict counts as in correlations; absent: it is left out of them"""
    average: Average = Average()
    """how the official score is averaged; absent: over all cases"""
    score: Literal["accuracy", "kendall_tau", "pearson"] = "accuracy"
    """the official measure"""
    score_name: str | None = None
    """what the benchmark calls its score, if that is another word"""

    @property
    def wordings(self) -> tuple[OwnQuestion, ...]:
        """The wordings of the benchmark's own question; none if it has none."""
        return self.question if isinstance(self.question, tuple) else ()

    @property
    def compares(self) -> bool:
        """Whether a question is about two answers."""
        return self.measure in ("pairs", "preference")

    @property
    def levels(self) -> tuple[str, ...]:
        """The answers that a judge may give, as levels of a rubric are called."""
        if self.measure == "pairs":
            return ("response_1", "response_2")
        if self.measure in ("binary", "choices"):
            return ("true", "false")
        lowest, highest = map(int, self.scale)
        if self.measure == "preference":  # the first one far better comes first
            lowest, highest = 1, highest - lowest + 1
        return tuple(str(level) for level in range(lowest, highest + 1))

    @field_validator("only", "leave_out")
    @classmethod
    def _are_patterns(cls, patterns: dict[str, str]) -> dict[str, str]:
        for column, pattern in patterns.items():
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{column}: {pattern!r} is not a pattern: {error}") from None
        return patterns

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for number, form in enumerate(self.forms):
            self._check_form(number, form)
        known = {*DERIVED, *self.slices, *(name for form in self.forms for name in form.slices or ())}
        used = [*self.average.over, *([self.average.weights_of] if self.average.weights_of else [])]
        for name in used:
            if name not in known:
                raise ValueError(f"average: no slice {name!r}{nearest(name, known)}")
        if self.score != "accuracy" and self.measure not in ("score", "preference"):
            raise ValueError(f"score: {self.score} is of score and preference, and not of {self.measure}")
        if self.scale[0] >= self.scale[1]:
            raise ValueError("scale: the lowest gold comes first")
        self._check_question()
        return self

    def _check_question(self) -> None:
        for number, wording in enumerate(self.wordings):
            if set(wording.scoring) != set(self.levels):
                problem = f"has the levels {', '.join(wording.scoring)}, and measure {self.measure} needs"
                raise ValueError(f"question.{number}: {problem} {', '.join(self.levels)}")
        if self.question == "row" and RUBRIC not in self.fields:
            raise ValueError("question: row needs a rubric under `fields`")
        wrong = {"better": not self.compares, "right": self.compares or self.measure == "score"}
        if isinstance(self.question, str) and wrong.get(self.question):
            raise ValueError(f"question: {self.question} does not fit measure {self.measure}")

    def _check_form(self, number: int, form: RowForm) -> None:
        if shape_of(self.measure, form) is None:
            shapes = " or ".join(" and ".join(shape) for shape in SHAPES[self.measure])
            raise ValueError(f"forms.{number}: measure {self.measure} needs {shapes}")
        if form.better is not None and set(form.better_is.values()) != {1, 2}:
            raise ValueError(f"forms.{number}: better_is says what column {form.better!r} holds: 1 or 2 for each text")


def shape_of(measure: Measure, form: RowForm) -> tuple[str, ...] | None:
    """Return the keys that make the cases of a row of this form; None if the form has not all of any."""
    return next((shape for shape in SHAPES[measure] if all(getattr(form, key) is not None for key in shape)), None)


BENCHMARKS = BenchmarkFiles(JudgeBenchmark, "rewardlab_measure.judge_benchmarks", "formats", "judge benchmark")
