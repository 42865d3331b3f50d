"""Data steps that forget rows, make too many, or cannot go on where they stopped."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from rewardlab import Ask, Config, Context, DatasetSpec, Reply, Sample, hookimpl
from rewardlab.laws import DatasetExample, Laws


class Options(Config):
    translator: str = "german"


class Translated:
    """Each problem as the judge puts it into German; the source's answer stays."""

    def __init__(self, options: Options, context: Context):
        self.source, self.judge = context.source, context.judges[options.translator]

    def __iter__(self) -> Iterator[Sample]:
        for row in self.source:
            yield self.row(row)

    def row(self, row: Sample) -> Sample:
        fields = {**row.fields, "language": "de", "answer": self.answer(row)}
        prompt = ({"role": "user", "content": self.ask(row.prompt[-1]["content"])},)
        return Sample(id=f"{row.id}-de", prompt=prompt, fields=fields)

    def answer(self, row: Sample):
        if "answer" not in row.fields:
            raise ValueError(f"row {row.id!r} has no answer")
        return row.fields["answer"]

    def ask(self, text: str) -> str:
        return asyncio.run(self.judge.ask(Ask(parts={"text": text}))).text


class DropsLastBatch(Translated):
    def __iter__(self):
        rows = iter(self.source)
        while len(batch := list(islice(rows, 4))) == 4:
            yield from map(self.row, batch)


class AllFirst(Translated):
    def __iter__(self):
        return iter([self.row(row) for row in self.source])


class DefaultAnswer(Translated):
    def answer(self, row):
        return row.fields.get("answer", "")


class SkipsWithoutAnswer(Translated):
    def __iter__(self):
        return (self.row(row) for row in self.source if "answer" in row.fields)


class IdsByPlace(Translated):
    def __iter__(self):
        for place, row in enumerate(self.source):
            yield replace(self.row(row), id=f"row-{place}")


class TwoRows(Translated):
    def __iter__(self):
        for row in self.source:
            made = self.row(row)
            yield made
            yield replace(made, id=f"{made.id}-again")


class AsksTwice(Translated):
    def ask(self, text):
        first, second = super().ask(text), super().ask(text)
        return max(first, second, key=len)


class RowBefore(Translated):
    """Shows the translator's last text as an example."""

    _before = ""

    def ask(self, text):
        self._before = super().ask(text) + self._before[:40]
        return self._before


class ChangesSource(Translated):
    def row(self, row):
        row.fields["language"] = "de"
        return super().row(row)


class German:
    """A translator: one word for another."""

    async def ask(self, ask: Ask) -> Reply:
        return Reply(text=ask.parts["text"].replace("What is", "Was ist").replace("and", "und"), finish_reason="stop")


def _problems() -> list[DatasetExample]:
    source = [
        Sample(
            id=f"p{n}",
            prompt=({"role": "user", "content": f"What is {n} and {n + 1}?"},),
            fields={"answer": str(2 * n + 1), "language": "en"},
        )
        for n in range(12)
    ]
    return [DatasetExample(source=source, judges=lambda: {"german": German()})]


def _step(name: str, summary: str, made: Callable[[Options, Context], object]) -> DatasetSpec:
    return DatasetSpec(
        name=name,
        summary=summary,
        config=Options,
        step=True,
        provides=("answer", "language"),
        requires=("answer",),
        judges=("translator",),
        calls=lambda options, rows: rows,
        makes=lambda options, rows: rows,
        build=lambda options, context: made(options, context),
        laws=Laws(examples=_problems),
    )


@hookimpl
def rewardlab_datasets():
    return [
        _step("correct_step", "each row translated by itself", Translated),
        _step("drops_last_batch", "whole batches of 4 only", DropsLastBatch),
        _step("all_rows_first", "asks about every row before it gives the first", AllFirst),
        _step("step_default_answer", "an empty text for an answer that is not there", DefaultAnswer),
        _step("skips_without_answer", "leaves out rows without an answer, and says nothing", SkipsWithoutAnswer),
        _step("ids_by_place", "ids by the place in the source", IdsByPlace),
        _step("two_rows", "two rows where it says one", TwoRows),
        _step("asks_twice", "two questions where it says one", AsksTwice),
        _step("row_before", "a row that depends on the one before it", RowBefore),
        _step("changes_source", "writes into its source's rows", ChangesSource),
    ]
