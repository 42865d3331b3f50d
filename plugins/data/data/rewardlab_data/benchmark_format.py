"""The format of a benchmark, as a small YAML file says it: its columns, languages, choices, prompt and examples."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, TypeAdapter, field_validator, model_validator
from rewardlab import Config
from rewardlab.errors import nearest

from rewardlab_data.benchmark_files import BenchmarkFiles, ColumnTemplate, HubSource, Name

SHOWN = ("question", "choices", "instruction")
"""what a prompt can show, as $question ..."""

AnswerIs = Literal["value", "number", "label", "text", "index_from_0", "index_from_1"]
FREE = ("value", "number")
YesOrNo = Annotated[bool, BeforeValidator(TypeAdapter(bool).validate_python)]
"""also the words of YAML 1.1: yes, no, True ..."""


class HubSplits(HubSource):
    """The place of a benchmark and its examples on the Hugging Face hub."""

    shots: Name | None = None
    """the split with examples for few-shot prompts"""


class BenchmarkFormat(Config):
    """The format of a benchmark: how its rows become prompts with a right answer."""

    version: Literal[1, "1"]
    """version of this format"""
    task: Name
    """the field `task` of every row"""
    about: str = ""
    """what it measures, in a sentence"""
    source: str = ""
    """where its format is documented"""
    hub: HubSplits | None = None
    """where it is on the hub; absent: local files only"""
    languages: Annotated[dict[Name, Name], Field(min_length=1)]
    """our code of a language: the name of its configuration or file, or of its column"""
    language_is: Literal["configuration", "column"] = "configuration"
    """configuration: each language has a configuration on the hub and a file of its own. column: a row has the question
    in every language, each in a column"""
    headerless: tuple[Name, ...] = ()
    """the columns of a local .tsv or .csv file without a line of names"""
    question: Name
    """the question: a text with columns as $name; with `language_is: column`, $question is the language's column"""
    answer: Name
    """the column with the right answer"""
    answer_is: AnswerIs = "value"
    """value: the answer itself; number: and it is one. label: A, B, ... of the right choice; text: its text;
    index_from_0 or _1: its number"""
    choices: Name | tuple[Name, ...] | None = None
    """the columns with the choices, or one column that lists them, also as lines such as `A. text`; empty ones are left
    out. Absent: no choices"""
    lacks_answers: YesOrNo = False
    """whether rows are known whose answer is none of the choices: they are left out, and are no error"""
    boxed: YesOrNo = True
    r"""whether examples show the answer in \boxed{}, as the instruction asks for it"""
    worked: Name | None = None
    """the column with a solution that ends in the answer, which examples show"""
    labelled: tuple[Literal["question", "worked"], ...] = ()
    """texts of examples that begin with a label and a colon ("Question: "), which others have not: it is left out"""
    shots_by: Name | None = None
    """the column whose value a question's examples share, such as a subject"""
    id: tuple[Name, ...] = ()
    """the columns that name a problem, alike in every language; none: the row's number"""
    parallel: YesOrNo = True
    """whether rows of one name or number in two languages are the same problem"""
    keep: tuple[Name, ...] = ()
    """further columns to keep as fields"""
    prompt: Name = "$question\n\n$choices\n\n$instruction"
    """the user's message; $choices are lines such as `A. text`, and are left out if there are no choices"""
    instruction: dict[Name, Name] = Field(default_factory=lambda: {"default": r"Put the final answer in \boxed{}."})
    """how to answer, in the language of the row, or `default`"""

    @field_validator("prompt", "question")
    @classmethod
    def _is_template(cls, text: str) -> str:
        if not ColumnTemplate(text).is_valid():
            raise ValueError("a $ stands before no name; write $$ for a dollar")
        return text

    @model_validator(mode="after")
    def _fits(self) -> Self:
        unknown = [name for name in ColumnTemplate(self.prompt).get_identifiers() if name not in SHOWN]
        if unknown:
            raise ValueError(f"prompt: ${unknown[0]} is not known{nearest(unknown[0], SHOWN)}")
        if "question" not in ColumnTemplate(self.prompt).get_identifiers():
            raise ValueError("prompt: $question is missing")
        if (self.choices is None) != (self.answer_is in FREE):
            raise ValueError(
                "answer_is: value and number are for free answers, all others for the right one of choices"
            )
        if "default" not in self.instruction and (missing := self.languages.keys() - self.instruction.keys()):
            raise ValueError(f"instruction: none for {min(missing)}, and no default")
        return self

    def instruct(self, language: str) -> str:
        """Return how to answer a question in a language."""
        return self.instruction.get(language) or self.instruction["default"]


BENCHMARKS = BenchmarkFiles(BenchmarkFormat, "rewardlab_data", "benchmarks")
