"""The options of the data steps that make rubrics, wrong answers and summaries."""

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, field_validator, model_validator
from rewardlab import Config

from rewardlab_rubric.data_steps.judging_options import Share
from rewardlab_rubric.levels import Kind
from rewardlab_rubric.options import Field_

KINDS: dict[str, Kind] = {"pointwise": "scale", "binary": "binary", "pairwise": "pair"}
Corruption = Literal["brackets", "words", "number", "count"]


class NumberOptions(Config):
    """How wrong numbers are drawn: from a normal distribution, until one is not the right one."""

    deviation: Annotated[float, Field(gt=0, lt=1e15)]
    """its standard deviation, such as that of all right answers"""
    mean: Annotated[float, Field(gt=-1e15, lt=1e15)] | None = None
    """its mean, such as that of all right answers, as R3 says; null: the right answer, as R3's published code does"""


class NegativesOptions(Config):
    """Options of rubric/negatives."""

    answer: Field_ = "answer"
    """the field with the right answer: a text or a number; of a row with options one of them, or its label"""
    options: Field_ | None = "options"
    """the field in which a row has its options, where it has any: a list of texts, a mapping of labels to texts,
    or {text: [...], label: [...]}. Another one is then the wrong answer. null: no row has any"""
    corruption: Corruption | dict[Literal["field"], Field_] | None = None
    """a wrong answer without a model. brackets: one deleted, swapped or inserted; words: two swapped; number, count:
    another number, a count not below 0. {field: NAME}: each row names its own, or null"""
    numbers: NumberOptions | None = None
    """how far wrong numbers are off; number and count need it"""
    judge: Field_ | None = None
    """the name of the judge that makes up a wrong answer where a row has no options and no corruption; null: none"""
    params: dict[str, Any] = Field(default_factory=dict)
    """what is sent with its questions, such as {temperature: 0.7}"""
    attempts: PositiveInt = 3
    """the most wrong answers asked for, until one is no right one; each takes two questions"""
    write: Literal["both", "one", "wrong"] = "both"
    """both: a row with the right answer and one with the wrong one. one: either of them, by a hash of seed and id, as
    R3 has it. wrong: the wrong one"""
    max_dropped: Share = 0.2
    """a larger share of rows than this without a usable reply, once there are 50, stops the job"""

    @property
    def corruption_field(self) -> str | None:
        """The field in which each row names its corruption; None where all have one or none."""
        return self.corruption["field"] if isinstance(self.corruption, dict) else None

    @field_validator("corruption", mode="after")
    @classmethod
    def _check_corruption(cls, corruption: Any) -> Any:
        if isinstance(corruption, dict) and set(corruption) != {"field"}:
            raise ValueError("a corruption is a name or {field: NAME}")
        return corruption

    @model_validator(mode="after")
    def _check(self) -> "NegativesOptions":
        if self.corruption in ("number", "count") and self.numbers is None:
            raise ValueError(f"corruption {self.corruption} needs `numbers: {{deviation: ...}}`, how far they are off")
        if self.options is None and self.corruption is None and self.judge is None:
            raise ValueError("nothing makes wrong answers: name options, corruption or judge")
        return self


class SummarisedOptions(Config):
    """Options of rubric/summarised."""

    judge: Field_
    """the name of the judge that shortens thoughts, as declared under `judges`"""
    limit: PositiveInt = 4096
    """the most tokens that a response may have, thoughts and answer"""
    tokenizer: Field_ | None = None
    """what counts them: a folder or repository with the tokenizer of the model that is trained. null: words, marks, and
    characters of scripts without blanks are counted, which are fewer than a model's tokens"""
    response: Field_ = "response"
    """the field with the response to train on"""
    trace: Field_ = "trace"
    """the field with the thoughts, which the response holds once"""
    params: dict[str, Any] = Field(default_factory=dict)
    """what is sent with its questions, such as {temperature: 0.7}"""
    attempts: PositiveInt = 3
    """the most summaries asked for, until one is short enough"""
    max_dropped: Share = 0.2
    """a larger share of rows than this without a usable summary, once there are 50, stops the job"""


class RubricsOptions(Config):
    """Options of rubric/rubrics."""

    writer: Field_
    """the name of the judge that writes rubrics, as declared under `judges`"""
    asks: Literal["pointwise", "binary", "pairwise"] = "pointwise"
    """what the rubrics are for: rubric/pointwise, rubric/binary or rubric/pairwise"""
    levels: Annotated[int, Field(ge=2, le=20, strict=True)] | None = None
    """how many levels a scale has, from 1; of pointwise rubrics alone. null: 5"""
    variants: PositiveInt = 1
    """how many different rubrics each row gets; R3 takes 5"""
    task: Field_ | None = None
    """the field in which a row says what is to be judged, such as "Say how helpful the response is."; null: none"""
    input: bool = True
    """whether the writer is shown the row's prompt; without it, rows with one task get one rubric"""
    examples: str | None = None
    """a file with rubrics of other tasks, a list of {description, scoring}, YAML or JSON; null: none"""
    nearest: PositiveInt = 5
    """how many of them are shown: those whose descriptions share most words with task and input"""
    write: Field_ = "rubric"
    """the field that gets the list of rubrics"""
    params: dict[str, Any] = Field(default_factory=dict)
    """what is sent with the questions, such as {temperature: 0.7}"""
    attempts: PositiveInt = 3
    """the most replies asked for each rubric, until one is a rubric"""
    max_dropped: Share = 0.2
    """a larger share of rows than this without a rubric, once there are 50, stops the job"""

    @property
    def highest(self) -> int:
        """The highest level of a scale."""
        return 5 if self.levels is None else self.levels

    @model_validator(mode="after")
    def _check(self) -> "RubricsOptions":
        if self.task is None and not self.input:
            raise ValueError("without task and input there is nothing to write a rubric for")
        if self.asks != "pointwise" and self.levels is not None:
            raise ValueError(f"levels goes with pointwise rubrics; those of {self.asks} ones have names")
        if self.examples is not None:
            from rewardlab_rubric.data_steps.example_rubrics import read_examples

            read_examples(self.examples, KINDS[self.asks])
        return self
