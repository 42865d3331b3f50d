"""The options of the rewards."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator
from rewardlab import Config

from rewardlab_checklist.checklist import Checklist
from rewardlab_checklist.checklist_choice import REASONING, TaskChecklists
from rewardlab_checklist.checklist_file import find_checklist
from rewardlab_checklist.smoothing import Smoothing

Name = Annotated[str, Field(min_length=1)]


class CritiqueOptions(Config):
    """Options of every reward by critique; where they are equal, components of one recipe share a joint reply."""

    judge: Name
    """the judge's name under `judges`"""
    critique: Literal["joint", "separate"] = "joint"
    """joint: one question about trace and answer, whose reply the recipe's components share. separate: one for each"""
    reasoning: Name = REASONING
    """the checklist of traces: a packaged one by its name, or a YAML file"""
    checklist: Name | None = None
    """the checklist of all answers, likewise; null: that of each row's task"""
    checklists: tuple[Name, ...] = ()
    """YAML files for further tasks, which come before the packaged ones"""
    task_field: Name = "task"
    """the field with a row's task: NLI, CC, ODQA, Summ, Chat, TC, HTG, one of their names, or that of a file"""
    subtask_field: Name = "subtask"
    """the field with its subtask, such as News, where a task has several checklists"""
    structured: bool = False
    """send a JSON schema with the question, for servers with structured outputs"""
    on_unsupported: Literal["count", "missing"] = "count"
    """what becomes of a dimension with a quotation that is not in the work: it counts, and info says so; or it has no
    score"""
    on_missing_score: Literal["fail", "leave_out"] = "fail"
    """a dimension without a score that its checklist has. fail: so has the completion. leave_out: the others decide, by
    their weights; without any the completion has none"""

    @field_validator("reasoning", "checklist")
    @classmethod
    def _is_there(cls, name: str | None) -> str | None:
        if name is not None:
            find_checklist(name)
        return name

    @model_validator(mode="after")
    def _files_are_fine(self) -> "CritiqueOptions":
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
