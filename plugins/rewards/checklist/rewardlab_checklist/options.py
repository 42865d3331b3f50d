"""The options of the rewards."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator
from rewardlab import Config
from rewardlab_answers import template_of

from rewardlab_checklist.checklist import Checklist
from rewardlab_checklist.checklist_choice import REASONING, TaskChecklists
from rewardlab_checklist.checklist_file import find_checklist
from rewardlab_checklist.smoothing import Smoothing

Name = Annotated[str, Field(min_length=1)]
Given = Name | dict[str, Any]
"""a checklist: a packaged one's name, a YAML file, or the checklist itself"""


class ChecklistOptions(Config):
    """Options of all that asks for critiques: which checklists, and how they are put."""

    reasoning: Given = REASONING
    """the checklist of traces: a packaged one by its name, a YAML file, or the checklist itself"""
    checklist: Given | None = None
    """the checklist of all answers, likewise; null: that of each row's task"""
    checklists: tuple[Name, ...] = ()
    """YAML files for further tasks, which come before the packaged ones"""
    task_field: Name = "task"
    """the field with a row's task: NLI, CC, ODQA, Summ, Chat, TC, HTG, one of their names, or that of a file"""
    subtask_field: Name = "subtask"
    """the field with its subtask, such as News, if a task has several checklists"""
    structured: bool = False
    """send a JSON schema with the question, for servers with structured outputs"""
    template: Annotated[str | None, template_of("rewardlab_checklist.critique_prompt")] = None
    """a file with your own prompt; null takes the packaged one. docs/checklists.md has its form"""

    @field_validator("reasoning", "checklist")
    @classmethod
    def _is_there(cls, name: Given | None) -> Given | None:
        if name is not None:
            find_checklist(name)
        return name

    @model_validator(mode="after")
    def _files_are_fine(self) -> "ChecklistOptions":
        for path in self.checklists:
            find_checklist(path)
        return self

    @property
    def reasoning_list(self) -> Checklist:
        """The checklist of traces."""
        return find_checklist(self.reasoning)

    @property
    def tasks(self) -> TaskChecklists:
        """The checklists of answers, by task."""
        return TaskChecklists(self.checklists)


class CritiqueOptions(ChecklistOptions):
    """Options of every reward by critique; components of one recipe with equal options share a joint reply."""

    judge: Name
    """the judge's name under `judges`"""
    critique: Literal["joint", "separate"] = "joint"
    """joint: one question about trace and answer, whose reply the recipe's components share. separate: one for each"""
    on_unsupported: Literal["count", "missing"] = "count"
    """what to do with a dimension if a quotation is neither in the work nor in the question: it counts, and
    info says so; or it has no score"""
    on_unquoted: Literal["count", "missing"] = "count"
    """what to do with a dimension that has more than the lowest score and quotes nothing, or less than the information
    of four letters of English (two Chinese characters), unless that is a whole part: likewise"""
    on_missing_score: Literal["fail", "leave_out"] = "fail"
    """a dimension without a score that its checklist has. fail: so has the completion. leave_out: the others decide, by
    their weights; without any the completion has none"""


class ScoredOptions(CritiqueOptions):
    """Options of rewards that are a mean of subscores."""

    smoothing: Smoothing = Field(default_factory=Smoothing)
    """how subscores that lie apart lower the reward"""


class ReasoningOptions(ScoredOptions):
    """Options of checklist/reasoning."""


class AnswerOptions(ScoredOptions):
    """Options of checklist/answer."""

    task: Literal["field", "recognised"] = "field"
    """which task's checklist: the row's own, or that which a critique of the trace recognises, asked for first"""

    @model_validator(mode="after")
    def _asks_in_turn(self) -> "AnswerOptions":
        if self.task == "recognised" and self.critique == "joint":
            raise ValueError("task: recognised asks about the trace first; set critique: separate")
        if self.task == "recognised" and self.checklist is not None:
            raise ValueError("checklist is that of all answers; leave it out with task: recognised")
        return self


class TaskOptions(CritiqueOptions):
    """Options of checklist/task."""

    @model_validator(mode="after")
    def _recognises(self) -> "TaskOptions":
        if self.reasoning_list.recognised is None:
            raise ValueError(f"the checklist {self.reasoning!r} has no dimension with `recognises`")
        return self


Kind = Literal["reasoning", "answer", "joint"]
Weights = dict[Kind, Annotated[float, Field(gt=0, le=1e9)]]


class CritiquesOptions(ChecklistOptions):
    """Options of checklist/critiques."""

    teacher: Name | None = None
    """the name of the judge that writes the critiques, as declared under `judges`; null: the rows have them"""
    given: Name | None = None
    """the field with a row's critique, in place of a teacher: an object, or its JSON, with `reasoning` or `answer` or
    both"""
    kinds: Annotated[tuple[Kind, ...], Field(min_length=1)] | Annotated[Weights, Field(min_length=1)] = ("joint",)
    """the questions that a row becomes: about the trace, the answer, or both at once. Names: one of each. Weights, such
    as {reasoning: 240, answer: 300, joint: 150}: one of one kind, which a hash of the seed and the row's id draws"""
    completion: Name = "response"
    """the field with the text that is examined"""
    unsupported: Literal["drop", "keep"] = "drop"
    """a critique with a quotation that stands neither in the work nor in the question: it teaches to invent evidence"""
    unquoted: Literal["drop", "keep"] = "keep"
    """a critique with a dimension that has more than the least score and no quotation that says something, as
    `on_unquoted` of the rewards: it teaches to praise without evidence"""
    max_dropped: Annotated[float, Field(ge=0, le=1)] = 0.2
    """a larger share of critiques that cannot be learnt than this, once there are 50, stops the job"""

    @model_validator(mode="after")
    def _one_source(self) -> "CritiquesOptions":
        if (self.teacher is None) == (self.given is None):
            raise ValueError("give either teacher, who writes the critiques, or given, the field that has them")
        if len(set(self.kinds)) != len(self.kinds):
            raise ValueError("kinds: one is named twice")
        return self

    @property
    def questions(self) -> int:
        """The number of questions that a row becomes."""
        return 1 if isinstance(self.kinds, dict) else len(self.kinds)

    @property
    def by_task(self) -> bool:
        """Whether the row's task picks a checklist."""
        return self.checklist is None and set(self.kinds) != {"reasoning"}
