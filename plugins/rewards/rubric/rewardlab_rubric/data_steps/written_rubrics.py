"""The data step rubric/rubrics: a rubric for each row's task, in several variants, written by a model.

Source: R3 (Anugraha et al. 2025), section 3.2.3 and appendix C.1; five variants, with the five nearest of known
rubrics as examples, are its published code's.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

from rewardlab import Ask, Context, Reply, Sample
from rewardlab.errors import UserError
from rewardlab.text import fence, fence_key
from rewardlab_answers import read_template
from rewardlab_data.dropped_rows import DroppedRows
from rewardlab_pairwise.pairwise_reward import query_of

from rewardlab_rubric.data_steps.asking import PatientAsker, UnusableReply, made_rows
from rewardlab_rubric.data_steps.example_rubrics import read_examples
from rewardlab_rubric.data_steps.nearest import NearestTexts
from rewardlab_rubric.data_steps.rubric_reply import read_rubric
from rewardlab_rubric.data_steps.writing_options import KINDS, RubricsOptions
from rewardlab_rubric.levels import Kind
from rewardlab_rubric.rubrics import Rubric

JUDGED = {
    "pointwise": "one response on a scale from 1 to {levels}, where {levels} is best",
    "binary": "whether one response is right",
    "pairwise": "which of two responses is better",
}
LEVELS: dict[Kind, tuple[str, ...]] = {"binary": ("true", "false"), "pair": ("response_1", "response_2")}


class RowsWithRubrics:
    """An iterable of samples, streaming; each iteration asks again.

    A row is its source's with `rubric`, a list of variants, each {description, scoring}, which `rubric: {field:
    rubric}` reads. No two variants are the same. Iterating raises UserError for a row without a task, and JobError
    if the writer answers none of the questions about a variant, or too many rows must be dropped.
    """

    def __init__(self, options: RubricsOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._writer = context.judges[options.writer]
        self._known = KnownRubrics(options)

    def __iter__(self) -> Iterator[Sample]:
        asker = PatientAsker(self._writer, self._options.writer, self._options.attempts)
        tally = DroppedRows("rubric/rubrics", self._options.max_dropped, "got no rubric")

        async def make(sample: Sample) -> list[Sample]:
            return [await self._row(sample, asker)]

        return made_rows(tally, self._source, make, asker)

    async def _row(self, sample: Sample, asker: PatientAsker) -> Sample:
        options, variants = self._options, list[Any]()
        ask = question(options, self._parts(sample), self._known)

        async def another(reply: Reply) -> dict[str, Any]:
            made = as_field(read_rubric(reply, KINDS[options.asks], options.highest))
            if made in variants:
                raise UnusableReply("the same rubric as another variant; several need a temperature above 0")
            return made

        for number in range(options.variants):
            where = sample.source or sample.id
            variants.append(await asker.ask(ask, another, where, first=number * options.attempts))
        return replace(sample, fields={**sample.fields, options.write: variants})

    def _parts(self, sample: Sample) -> dict[str, str]:
        parts, field = dict[str, str](), self._options.task
        if field is not None:
            task = sample.fields.get(field)
            if not isinstance(task, str) or not task.strip():
                raise UserError(f"field {field!r} should hold a task, not {repr(task)[:60]}", where=sample.source)
            parts["task"] = task
        if self._options.input:
            parts["query"] = query_of(sample)
        return parts


class KnownRubrics:
    """The rubrics of the file in `examples`, and which of them are nearest to a task."""

    def __init__(self, options: RubricsOptions) -> None:
        self._most = options.nearest
        self._rubrics = [] if options.examples is None else read_examples(options.examples, KINDS[options.asks])
        self._texts = NearestTexts([rubric.description or "" for rubric in self._rubrics])

    def near(self, task: str) -> list[dict[str, Any]]:
        """Return the nearest ones, the nearest first, as a row has them."""
        return [as_field(self._rubrics[place]) for place in self._texts.nearest(task, self._most)]


def as_field(rubric: Rubric) -> dict[str, Any]:
    """Return a rubric as a row has it."""
    return {"description": rubric.description, "scoring": dict(rubric.levels.texts)}


def question(options: RubricsOptions, parts: dict[str, str], known: KnownRubrics) -> Ask:
    """Return the question that asks for a rubric. parts: `task`, `query`, or both."""
    near = "\n".join(json.dumps(example, ensure_ascii=False) for example in known.near("\n".join(parts.values())))
    key = fence_key({**parts, "examples": near})
    shown = [fence(label, parts[name], key) for name, label in (("task", "TASK"), ("query", "INPUT")) if name in parts]
    filled = {
        "task": "\n\n".join(shown),
        "examples": fence("EXAMPLE RUBRICS", near, key) if near else "There are no examples.",
        "judged": JUDGED[options.asks].format(levels=options.highest),
        "format": _form(options),
        "key": key,
    }
    template = read_template(files("rewardlab_rubric") / "templates" / "write_rubric.txt", tuple(filled))
    return Ask(messages=template.messages(filled), parts=parts, params=options.params)


def first_question(options: RubricsOptions) -> Ask:
    """Return a small question in the form of those that the step asks."""
    parts = {"task": "Say how well a text is summed up.", "query": "Sum up this text: It rains."}
    chosen = {name: parts[name] for name, there in (("task", options.task), ("query", options.input)) if there}
    return question(options, chosen, KnownRubrics(options))


def _form(options: RubricsOptions) -> str:
    kind = KINDS[options.asks]
    names = LEVELS.get(kind) or tuple(map(str, range(1, options.highest + 1)))
    scoring = dict.fromkeys(names, "what this level stands for")
    return json.dumps(
        {"description": "what the judge has to decide, in a sentence or two", "scoring": scoring}, indent=2
    )
