"""The format of a benchmark, as a small YAML file says it: its columns, languages, choices, prompt and examples."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator
from rewardlab import Config
from rewardlab.errors import Problem, UserError, nearest
from rewardlab.text import ColumnTemplate

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHOWN = ("question", "choices", "instruction")
"""what a prompt can show, as $question ..."""


Name = Annotated[str, Field(min_length=1)]
AnswerIs = Literal["value", "number", "label", "text", "index_from_0", "index_from_1"]
FREE = ("value", "number")


class HubSource(Config):
    """Where a benchmark is on the Hugging Face hub."""

    path: Name
    """its name there"""
    name: str | None = None
    """its configuration, if that is not the language"""
    split: str = "test"
    """the split that is evaluated"""
    shots: str | None = None
    """the split with examples for few-shot prompts"""
    revision: str | None = None
    """a commit, tag or branch"""


class BenchmarkFormat(Config):
    """The format of a benchmark: how its rows become prompts with a right answer."""

    version: Literal["1"]
    """of this format"""
    task: Name
    """the field `task` of every row"""
    about: str = ""
    """what it measures, in a sentence"""
    source: str = ""
    """where its format is documented"""
    hub: HubSource | None = None
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
    """the columns with the choices, or one column that lists them; empty ones are left out. Absent: no choices"""
    worked: Name | None = None
    """the column with a solution that ends in the answer, which examples show"""
    labelled: tuple[Literal["question", "worked"], ...] = ()
    """texts of examples that begin with a label and a colon ("Question: "), which others have not: it is left out"""
    shots_by: Name | None = None
    """the column whose value a question's examples share, such as a subject"""
    id: tuple[Name, ...] = ()
    """the columns that name a problem, alike in every language; none: the row's number"""
    parallel: bool = True
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


def packaged() -> list[str]:
    """Return the names of the benchmarks that come with this package."""
    return sorted(path.name.removesuffix(".yaml") for path in _folder().iterdir() if path.name.endswith(".yaml"))


@cache
def load_benchmark(name: str) -> BenchmarkFormat:
    """Return a packaged benchmark by its name, or the one of a file. Raises UserError that says what is wrong, with its
    place."""
    if name in packaged():
        return _parse(_folder().joinpath(f"{name}.yaml").read_text(encoding="utf-8"), name)
    path = Path(name).expanduser()
    if not name.endswith((".yaml", ".yml")):
        raise UserError(f"no benchmark {name!r}{nearest(name, packaged())}; one of your own is a file, NAME.yaml")
    try:
        return _parse(path.read_text(encoding="utf-8"), name)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=name) from None
    except UnicodeDecodeError:
        raise UserError("is not text in UTF-8", where=name) from None


def _parse(text: str, place: str) -> BenchmarkFormat:
    try:
        tree: Any = yaml.load(text, Loader=yaml.BaseLoader)  # texts alone: `no` is Norwegian
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{place}:{mark.line + 1}" if mark is not None else place
        raise UserError(getattr(error, "problem", None) or "is not YAML", where=where) from None
    except RecursionError:
        raise UserError("is nested too deeply to be read", where=place) from None
    if not isinstance(tree, dict):
        raise UserError("is not a benchmark: its keys are version, task, languages, question, answer ...", where=place)
    try:
        return BenchmarkFormat.model_validate(tree)
    except ValidationError as error:
        raise UserError([_problem(place, one) for one in error.errors()]) from None


def _problem(place: str, error: Any) -> Problem:
    keys = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return Problem(where=place, what=f"{keys}: unknown key{nearest(keys, BenchmarkFormat.model_fields)}")
    what = error["msg"].removeprefix("Value error, ")
    return Problem(where=place, what=f"{keys}: {what}" if keys else what)


def _folder() -> Any:
    return files("rewardlab_data") / "benchmarks"
