"""A critic: a judge that is asked for critiques, and what it says by dimension."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardlab import Completion, Reply, Sample
from rewardlab.errors import RewardlabError, one_line
from rewardlab.text import sections

from rewardlab_checklist.checklist import Checklist
from rewardlab_checklist.checklist_choice import task_label
from rewardlab_checklist.checklist_file import ChecklistError, find_checklist
from rewardlab_checklist.critique_reply import read_critique
from rewardlab_checklist.evidence import is_in, normalised, quotations
from rewardlab_checklist.options import CritiqueOptions
from rewardlab_checklist.question import ANSWER, TRACE, Work, query_of, question


class NoCritique(Exception):
    """A critique that could not be had or read; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Critique:
    """What a critic says of one part of a work.

    scores: dimension -> its worth in [0, 1]; those without a usable one are in `missing`. unsupported: quotations that
    do not stand in the work, by dimension. unquoted: scored dimensions without any quotation. extra: names that the
    checklist does not have. task: the label that it recognises, where the checklist asks for one. tokens: of question
    and reply.
    """

    checklist: Checklist
    scores: Mapping[str, float]
    missing: tuple[str, ...] = ()
    unsupported: Mapping[str, int] = field(default_factory=dict)
    unquoted: int = 0
    extra: int = 0
    task: str | None = None
    tokens: int = 0


def parts_of(completion: Completion) -> dict[str, str]:
    """Return the parts of a completion that are there, stripped: its trace, and its answer."""
    text = completion.text
    tagged = sections.answer(text)
    found = {TRACE: sections.reasoning(text) or "", ANSWER: sections.response(text) if tagged is None else tagged}
    if "</think>" not in text and "<think>" in text:
        found[ANSWER] = ""  # a trace without an end
    return {part: body.strip() for part, body in found.items() if body.strip()}


def own_task(sample: Sample, field: str) -> str:
    """Return a row's task. Raises ChecklistError where it has none."""
    named = sample.fields.get(field)
    if not isinstance(named, str) or not named.strip():
        raise ChecklistError(f"field {field!r} is missing; it names the row's task")
    return named


class Critic:
    """Asks a judge about completions, by the checklists of the options."""

    def __init__(self, options: CritiqueOptions, judge: Any):
        self._options, self._judge = options, judge
        self._understood = getattr(judge, "understood", None)  # only a host's judge has it
        self._reasoning = options.reasoning_list

    async def critique(self, part: str, sample: Sample, parts: Mapping[str, str], task: str | None = None) -> Critique:
        """Return what the judge says of one part, which is there. Raises NoCritique, and what must end the job.

        task: whose checklist the answer is examined by; None: that of the row.
        """
        asked = parts if self._options.critique == "joint" else {part: parts[part]}
        lists = {name: self._reasoning if name == TRACE else self.answer_list(sample, task) for name in asked}
        work = Work(query=query_of(sample), texts=asked, lists=lists)
        ask = question(work, self._options.structured)
        try:
            reply: Reply = await self._judge.ask(ask)
        except RewardlabError:  # the job is to stop, with this message
            raise
        except Exception as error:  # whatever a judge raises
            raise NoCritique(one_line(error)) from error
        if reply.error is not None:
            raise NoCritique(reply.error or "the judge gave an error without a text")
        said = read_critique(reply, lists, ask.parts.values())
        if self._understood is not None:
            self._understood(reply, said is not None)
        if said is None:
            cut = reply.finish_reason == "length"
            raise NoCritique("the critique was cut off" if cut else "the reply holds no critique that can be read")
        tokens = (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        return self._read(lists[part], said[part], normalised("\n".join(asked.values())), tokens)

    def answer_list(self, sample: Sample, task: str | None = None) -> Checklist:
        """Return the checklist of the row's answers. Raises ChecklistError where there is none."""
        options = self._options
        if options.checklist is not None:
            return find_checklist(options.checklist)
        subtask = sample.fields.get(options.subtask_field)
        named = sample.fields.get(options.task_field)
        if task is None:
            return options.tasks.of(own_task(sample, options.task_field), None if subtask is None else str(subtask))
        same = isinstance(named, str) and task_label(task) == task_label(named)
        return options.tasks.of(task, str(subtask) if same and subtask is not None else None)

    def _read(self, checklist: Checklist, said: Mapping[str, Any], work: str, tokens: int) -> Critique:
        given = {str(name).strip().casefold(): value for name, value in said.items()}
        scores: dict[str, float] = {}
        unsupported: dict[str, int] = {}
        unquoted = 0
        for one in checklist.scored:
            entry = given.get(one.name.casefold())
            evidence = quotations(entry.get("evidence")) if isinstance(entry, dict) else []
            lost = sum(not is_in(quotation, work) for quotation in evidence)
            if lost:
                unsupported[one.name] = lost
            worth = one.worth_of(entry.get("score") if isinstance(entry, dict) else entry)
            if worth is None or (lost and self._options.on_unsupported == "missing"):
                continue
            scores[one.name] = worth
            unquoted += not evidence
        known = {one.name.casefold() for one in checklist.dimensions}
        return Critique(
            checklist=checklist,
            scores=scores,
            missing=tuple(one.name for one in checklist.scored if one.name not in scores),
            unsupported=unsupported,
            unquoted=unquoted,
            extra=sum(name not in known for name in given),
            task=_recognised(checklist, given),
            tokens=tokens,
        )


def _recognised(checklist: Checklist, given: Mapping[str, Any]) -> str | None:
    dimension = checklist.recognised
    said = None if dimension is None else given.get(dimension.name.casefold())
    said = said.get("score", said.get("label")) if isinstance(said, dict) else said
    label = task_label(said) if isinstance(said, str) else None
    if dimension is None or label is None:
        return None
    return next((one for one in dimension.recognises if (task_label(one) or one) == label), None)
