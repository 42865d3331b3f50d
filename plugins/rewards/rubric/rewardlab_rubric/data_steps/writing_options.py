"""The options of the data steps that make rubrics, wrong answers and summaries."""

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, model_validator
from rewardlab import Config

from rewardlab_rubric.data_steps.judging_options import Share
from rewardlab_rubric.levels import Kind
from rewardlab_rubric.options import Field_

KINDS: dict[str, Kind] = {"pointwise": "scale", "binary": "binary", "pairwise": "pair"}


class NumberOptions(Config):
    """The right answers that are numbers, by whose normal distribution wrong ones are drawn."""

    mean: Annotated[float, Field(gt=-1e15, lt=1e15)]
    """their mean"""
    deviation: Annotated[float, Field(gt=0, lt=1e15)]
    """their standard deviation"""
    least: int = 0
    """the least of them; if it is not below 0, no wrong one is"""


class NegativesOptions(Config):
    """Options of rubric/negatives."""

    answer: Field_ = "answer"
    """the field with the right answer: a text or a number; of a row with options one of them, or its label"""
    options: Field_ | None = "options"
    """the field with a row's options, if it has any: a list of texts, a mapping of labels to texts,
    or {text: [...], label: [...]}. Another option is then the wrong answer. null: no row has options"""
    corruption: bool = False
    """whether a row without options gets a wrong answer without a model if its answer is of a kind that R3 corrupts: an
    option that its question has, or its label; yes or no, true or false; a whole number, by `numbers`; closing
    brackets; words that the question has"""
    numbers: NumberOptions | None = None
    """with corruption: how whole numbers are distributed; null: none is corrupted"""
    judge: Field_ | None = None
    """the name of the judge that makes up the wrong answer of a row that gets none by options or corruption"""
    params: dict[str, Any] = Field(default_factory=dict)
    """sampling parameters of its questions, such as {temperature: 0.7}"""
    attempts: PositiveInt = 3
    """maximum number of wrong answers asked for until one is not right; each takes two questions"""
    write: Literal["both", "one", "wrong"] = "both"
    """both: a row with the right answer and one with the wrong one. one: either of them, by a hash of seed and id, as
    R3 has it. wrong: the wrong one"""
    max_dropped: Share = 0.2
    """a larger share of rows than this without a usable reply, once there are 50, stops the job"""

    @model_validator(mode="after")
    def _check(self) -> "NegativesOptions":
        if self.numbers is not None and not self.corruption:
            raise ValueError("numbers goes with `corruption: true`")
        if self.options is None and not self.corruption and self.judge is None:
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
    """sampling parameters of its questions, such as {temperature: 0.7}"""
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
    """sampling parameters of the questions, such as {temperature: 0.7}"""
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
