"""The data step checklist/critiques: rows to train a critic on, from a teacher's critiques or from those at hand.

Source: SGCM (paper 004), section 5.1: critiques of traces, of answers, and of both.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from rewardlab import Completion, Context, Reply, Sample
from rewardlab.data import in_order
from rewardlab.errors import JobError, UserError
from rewardlab_data.dropped_rows import REFUSED, DroppedRow, DroppedRows, refusal

from rewardlab_checklist.checklist import Checklist, Dimension, name_key
from rewardlab_checklist.checklist_file import ChecklistError
from rewardlab_checklist.critic import parts_of, work_of
from rewardlab_checklist.critique import Critique, EvidencePolicy, by_name, examined
from rewardlab_checklist.critique_form import score_of
from rewardlab_checklist.critique_reply import read_critique
from rewardlab_checklist.evidence import Grounds, quotations
from rewardlab_checklist.options import CritiquesOptions, Kind
from rewardlab_checklist.question import ANSWER, TRACE, Work, question

ROWS_AT_ONCE = 256
"""rows under way at once; the teacher's `concurrency` limits the questions"""
PARTS: Mapping[Kind, tuple[str, ...]] = {"reasoning": (TRACE,), "answer": (ANSWER,), "joint": (TRACE, ANSWER)}


class CritiqueRows:
    """An iterable of samples, streaming; each iteration asks again.

    Each row gives one sample for each of `kinds`, or one of a drawn kind: `prompt` is the question that a reward
    of the same options asks, `response` the critique as that reward reads it, every dimension in the checklist's order
    and nothing else. Besides the source's fields, without the completion: `kind`, and `scores`, {part: {dimension:
    worth in [0, 1]}}. The id is the source's, with `/kind` behind it if there are several kinds.

    A row whose completion lacks a part of the kind is left out; so is a critique that cannot be read, lacks a score, or
    quotes what is not there; all are counted. Iterating raises UserError for a row without a completion or of a task
    without a checklist, and JobError if the teacher answers none of a row's questions, or too many must be left out.
    """

    def __init__(self, options: CritiquesOptions, context: Context) -> None:
        self._options, self._source, self._seed = options, context.source, context.seed
        self._teacher = None if options.teacher is None else context.judges[options.teacher]

    def __iter__(self) -> Iterator[Sample]:
        tally = DroppedRows("checklist/critiques", self._options.max_dropped, "got no critique that can be learnt")
        unanswered = 0
        with closing(in_order(self._source, self._row, ROWS_AT_ONCE)) as outcomes:
            for made, failed in outcomes:
                unanswered += failed
                yield from filter(tally.keeps, made)
        tally.close(unanswered)

    async def _row(self, sample: Sample) -> tuple[list[Sample | DroppedRow], int]:
        """Return the result for the row, and how many of its questions had no answer."""
        text = sample.fields.get(self._options.completion)
        if not isinstance(text, str):
            raise UserError(f"field {self._options.completion!r} must be the text to examine", where=sample.source)
        parts = parts_of(Completion(text=text))
        made: list[Sample | DroppedRow] = []
        errors: list[str] = []
        for kind in self._kinds_of(sample):
            wanted = PARTS[kind]
            if absent := [part for part in wanted if part not in parts]:
                made.append(_dropped(sample, kind, f"no {absent[0]} to examine", "", "source"))
                continue
            try:
                made.append(await self._critique(sample, kind, {part: parts[part] for part in wanted}))
            except ChecklistError as error:
                raise UserError(str(error), where=sample.source) from None
            except NoAnswer as error:
                errors.append(str(error))
        if errors and not made:
            problem = f"teacher {self._options.teacher!r} answered none of {len(errors)} questions: {errors[0]}"
            raise JobError(f"{sample.source or sample.id}: {problem}")
        return made, len(errors)

    def _kinds_of(self, sample: Sample) -> Sequence[Kind]:
        """Return the kinds of critique that the row becomes."""
        kinds = self._options.kinds
        if not isinstance(kinds, dict):
            return kinds
        draw = random.Random(json.dumps(["critiques", self._seed, sample.id]))
        return draw.choices([*kinds], [*kinds.values()])

    async def _critique(self, sample: Sample, kind: Kind, texts: Mapping[str, str]) -> Sample | DroppedRow:
        work = work_of(self._options, sample, texts)
        ask = question(work, self._options.structured, self._options.template)
        reply = self._given(sample) if self._teacher is None else await self._teacher.ask(ask)
        if (refused := refusal([reply])) is not None:
            return _dropped(sample, kind, REFUSED, refused, "judge")
        if reply.error is not None:
            raise NoAnswer(reply.error)
        entries, unread, planted = read_critique(reply, work.lists, ask.parts)
        read = {} if entries is None else _examined(work, entries)
        why = self._unusable(work, read)
        if self._teacher is not None:
            self._teacher.report_parsed(reply, planted or (entries is not None and _is_whole(read)))
        if entries is None or why is not None:
            fault = "source" if self._teacher is None or planted else "judge"
            return _dropped(sample, kind, *(why or (unread, repr(reply.text[-60:]))), fault)
        response = {part: _written(work.lists[part], entries[part], read[part]) for part in texts}
        fields = {name: value for name, value in sample.fields.items() if name != self._options.completion}
        fields.pop(self._options.given or "", None)
        fields |= {"response": json.dumps(response, ensure_ascii=False), "kind": kind}
        fields["scores"] = {part: dict(critique.scores) for part, critique in read.items()}
        name = sample.id if len(self._options.kinds) == 1 else f"{sample.id}/{kind}"
        return replace(sample, id=name, prompt=tuple(ask.messages), fields=fields)

    def _given(self, sample: Sample) -> Reply:
        given = sample.fields.get(self._options.given or "")
        if not isinstance(given, str | dict):
            problem = (
                f"field {self._options.given!r} must hold a critique, an object or its JSON, not {repr(given)[:40]}"
            )
            raise UserError(problem, where=sample.source)
        return Reply(text=given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))

    def _unusable(self, work: Work, read: Mapping[str, Critique]) -> tuple[str, str] | None:
        """Return why a critique that was read cannot be learnt, as a reason and what shows it; None if it can."""
        for part, critique in read.items():
            if critique.missing:
                return "no score", f"{part}: {', '.join(critique.missing)}"
            if work.lists[part].recognised is not None and critique.task is None:
                return "no task recognised", part
            if critique.unsupported and self._options.unsupported == "drop":
                return "a quotation that is not in the work", f"{part}: {', '.join(critique.unsupported)}"
            if critique.unquoted and self._options.unquoted == "drop":
                return "no quotation that says something", f"{part}: {', '.join(critique.unquoted)}"
        return None


class NoAnswer(Exception):
    """A question that the teacher did not answer; the message says why."""


def _examined(work: Work, entries: Mapping[str, Any]) -> dict[str, Critique]:
    grounds = Grounds([work.query, *work.texts.values()])
    return {part: examined(made, entries[part], grounds, EvidencePolicy()) for part, made in work.lists.items()}


def _is_whole(read: Mapping[str, Critique]) -> bool:
    """Return whether a critique has each score that was asked for, and the task if a checklist recognises one."""
    unnamed = (critique.checklist.recognised is not None and critique.task is None for critique in read.values())
    return not any(unnamed) and not any(critique.lacking for critique in read.values())


def _written(checklist: Checklist, entries: Mapping[str, Any], read: Critique) -> dict[str, Any]:
    given = by_name(entries)
    return {
        dimension.name: read.task if dimension.recognises else _entry(dimension, given[name_key(dimension.name)])
        for dimension in checklist.dimensions
    }


def _entry(dimension: Dimension, entry: Any) -> dict[str, Any]:
    """Return evidence, reason and score as a critic is to write them."""
    fields = entry if isinstance(entry, dict) else {}
    why, score = fields.get("why"), dimension.label_of(score_of(entry))
    return {"evidence": quotations(fields.get("evidence")), "why": why if isinstance(why, str) else "", "score": score}


def _dropped(sample: Sample, kind: str, reason: str, detail: str, fault: Any) -> DroppedRow:
    text = f"{reason}: {detail}" if detail else reason
    return DroppedRow(where=sample.source or sample.id, kind=kind, reason=reason, detail=text, fault=fault)
