"""Rewards by checklist: a judge's critique by dimension, with quotations that must stand in the work."""

from typing import Any

from rewardlab import Ask, DatasetSpec, RewardSpec, Sample, hookimpl
from rewardlab.laws import Laws

from rewardlab_checklist.options import (
    AnswerOptions,
    ChecklistOptions,
    CritiqueOptions,
    CritiquesOptions,
    ReasoningOptions,
    TaskOptions,
)


def _fields(options: CritiqueOptions) -> list[str]:
    """Return the fields that rows must have: the task, unless all answers have one checklist and none is recognised."""
    if isinstance(options, TaskOptions):
        return [options.task_field]
    if options.checklist is not None or (isinstance(options, AnswerOptions) and options.task == "recognised"):
        return []
    return [options.task_field] if options.critique == "joint" or isinstance(options, AnswerOptions) else []


def _abstains(options: CritiqueOptions, sample: Sample) -> str | None:
    """Return why a row cannot be judged if no checklist fits its task."""
    from rewardlab_checklist.checklist_file import ChecklistError
    from rewardlab_checklist.critic import answer_list
    from rewardlab_checklist.critique_form import recognised

    named = sample.fields.get(options.task_field)
    asked = options.reasoning_list.recognised
    if isinstance(options, TaskOptions) and asked and isinstance(named, str) and recognised(asked, named) is None:
        return f"field {options.task_field!r} holds {named[:40]!r}, which is not a task that a trace can recognise"
    of_trace_alone = isinstance(options, TaskOptions) and options.critique == "separate"
    if not isinstance(named, str) or not _fields(options) or of_trace_alone:
        return None
    try:
        answer_list(options, sample)
    except ChecklistError as error:
        return str(error)
    return None


def _question(options: ChecklistOptions) -> Ask:
    from rewardlab_checklist.checklist_file import find_checklist
    from rewardlab_checklist.question import ANSWER, TRACE, Work, question

    answers = find_checklist(options.checklist or "chat")
    lists = {TRACE: options.reasoning_list, ANSWER: answers}
    texts = {TRACE: "2 and 3 is 5.", ANSWER: "5"}
    return question(Work(query="How much is 2 + 3?", texts=texts, lists=lists), options.structured, options.template)


def _shares(options: CritiqueOptions) -> Any:
    """Return what decides a component's questions; those of a joint critique are the same for all three."""
    asked = options.model_dump(include=set(CritiqueOptions.model_fields))
    for unasked in ("on_unsupported", "on_unquoted", "on_missing_score"):
        asked.pop(unasked)
    return asked if options.critique == "joint" else {**asked, "of": type(options).__name__}


def _calls(options: CritiqueOptions, size: int) -> int:
    return 2 * size if isinstance(options, AnswerOptions) and options.task == "recognised" else size


def _spec(name: str, summary: str, config: type[CritiqueOptions], build: str) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        config=config,
        range=(0.0, 1.0),
        requires=_fields,
        abstains=_abstains,
        judges=("judge",),
        calls=_calls,
        dedup_key=_shares,
        question=_question,
        runs="async",
        counted_info=("empty",),
        build=build,
        laws=Laws(examples=f"rewardlab_checklist.examples:{name}"),
        packaged=_checklists,
    )


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        _spec(
            "reasoning",
            "a critique of the trace by a checklist, in [0, 1]",
            ReasoningOptions,
            "rewardlab_checklist.scored:ChecklistScore",
        ),
        _spec(
            "answer",
            "a critique of the answer by its task's checklist, in [0, 1]",
            AnswerOptions,
            "rewardlab_checklist.scored:ChecklistScore",
        ),
        _spec(
            "task",
            "whether the trace takes the question for the task that it is",
            TaskOptions,
            "rewardlab_checklist.task:TaskRecognition",
        ),
    ]


def _checklists() -> dict[str, str]:
    """Return what each packaged checklist is for."""
    from rewardlab_checklist.checklist_file import find_checklist, packaged_names

    return {name: find_checklist(name).describe() for name in packaged_names()}


def _critiques_need(options: CritiquesOptions) -> list[str]:
    by_task = [options.task_field] if options.by_task else []
    return [options.completion, *by_task, *([] if options.given is None else [options.given])]


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    return [
        DatasetSpec(
            name="critiques",
            summary="rows to train a critic on: critiques by checklist, a teacher's or those at hand (a data step)",
            config=CritiquesOptions,
            step=True,
            requires=_critiques_need,
            judges=("teacher",),
            calls=lambda options, rows: 0 if options.teacher is None else rows * options.questions,
            makes=lambda options, rows: rows * options.questions,
            question=lambda options: None if options.teacher is None else _question(options),
            build="rewardlab_checklist.critiques:CritiqueRows",
            laws=Laws(examples="rewardlab_checklist.examples:critiques"),
            packaged=_checklists,
        )
    ]
