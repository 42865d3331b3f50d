"""A critic: a judge that is asked for critiques of completions."""

from collections.abc import Mapping
from typing import Any

from rewardlab import Completion, Reply, Sample
from rewardlab.errors import RewardlabError, one_line
from rewardlab_answers import is_blank, sections

from rewardlab_checklist.checklist import Checklist
from rewardlab_checklist.checklist_file import ChecklistError, find_checklist
from rewardlab_checklist.critique import Critique, EvidencePolicy, examined
from rewardlab_checklist.critique_form import task_key
from rewardlab_checklist.critique_reply import read_critique
from rewardlab_checklist.evidence import Grounds
from rewardlab_checklist.options import AnswerOptions, ChecklistOptions, CritiqueOptions, TaskOptions
from rewardlab_checklist.question import ANSWER, TRACE, Work, query_of, question


class NoCritique(Exception):
    """A critique that could not be had or read; the message says why."""


class PlantedCritique(Exception):
    """A critique that cannot be distinguished from one in the completion; the message says what the reply has."""


def parts_of(completion: Completion) -> dict[str, str]:
    """Return the parts of a completion that are there, stripped: its trace, and its answer."""
    text = completion.text
    tagged = sections.answer(text)
    parts = {TRACE: sections.reasoning(text) or "", ANSWER: sections.response(text) if tagged is None else tagged}
    if "</think>" not in text and "<think>" in text:
        parts[ANSWER] = ""  # a trace without an end
    return {part: body.strip() for part, body in parts.items() if not is_blank(body)}


def own_task(sample: Sample, field: str) -> str:
    """Return a row's task. Raises ChecklistError if it has none."""
    named = sample.fields.get(field)
    if not isinstance(named, str) or not named.strip():
        raise ChecklistError(f"field {field!r} is missing; it names the row's task")
    return named


def work_of(options: ChecklistOptions, sample: Sample, texts: Mapping[str, str], task: str | None = None) -> Work:
    """Return the parts to examine, each with its checklist. Raises ChecklistError if there is no checklist."""
    lists = {name: options.reasoning_list if name == TRACE else answer_list(options, sample, task) for name in texts}
    return Work(query=query_of(sample), texts=texts, lists=lists)


def answer_list(options: ChecklistOptions, sample: Sample, task: str | None = None) -> Checklist:
    """Return the checklist of the row's answers. Raises ChecklistError if none fits its task."""
    if options.checklist is not None:
        return find_checklist(options.checklist)
    subtask = sample.fields.get(options.subtask_field)
    named = sample.fields.get(options.task_field)
    if task is None:
        return options.tasks.of(own_task(sample, options.task_field), None if subtask is None else str(subtask))
    same = isinstance(named, str) and task_key(task) == task_key(named)
    return options.tasks.of(task, str(subtask) if same and subtask is not None else None)


class Critic:
    """Asks a judge about completions, by the checklists of the options."""

    def __init__(self, options: CritiqueOptions, judge: Any) -> None:
        self._options, self._judge = options, judge

    async def critique(self, part: str, sample: Sample, parts: Mapping[str, str], task: str | None = None) -> Critique:
        """Return what the judge says of one part, which is there.

        Args:
            task: whose checklist the answer is examined by; None: that of the row.

        Raises NoCritique, PlantedCritique, and what must end the job.
        """
        asked = parts if self._options.critique == "joint" else {part: parts[part]}
        work = work_of(self._options, sample, asked, task)
        ask = question(work, self._options.structured, self._options.template)
        try:
            reply: Reply = await self._judge.ask(ask)
        except RewardlabError:  # the job is to stop, with this message
            raise
        except Exception as error:  # whatever a judge raises
            raise NoCritique(one_line(error)) from error
        if reply.error is not None:
            raise NoCritique(reply.error or "the judge gave an error without a text")
        entries, fault, planted = read_critique(reply, work.lists, ask.parts)
        if entries is None:
            self._judge.report_parsed(reply, planted)  # no completion may end a job
            raise PlantedCritique(fault) if planted else NoCritique(fault)
        tokens = (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        policy = EvidencePolicy(
            supported=self._options.on_unsupported == "missing", quoted=self._options.on_unquoted == "missing"
        )
        critique = examined(work.lists[part], entries[part], Grounds(ask.parts.values()), policy, tokens)
        self._judge.report_parsed(reply, self._has_what_is_asked(part, critique))
        return critique

    def _has_what_is_asked(self, part: str, critique: Critique) -> bool:
        """Return whether a critique gives what its asker reads: a task, or scores of their scales."""
        options = self._options
        if isinstance(options, TaskOptions) or (isinstance(options, AnswerOptions) and part == TRACE):
            return critique.task is not None
        if options.on_missing_score == "leave_out":
            return len(critique.lacking) < len(critique.checklist.scored)
        return not critique.lacking
