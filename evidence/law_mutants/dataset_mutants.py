"""Datasets with rows that are not theirs, come in other orders, or come late."""

import random
from collections.abc import Callable, Iterator

from rewardlab import Config, DatasetSpec, Sample, hookimpl
from rewardlab.laws import DatasetExample, Laws


class Options(Config):
    rows: int = 40
    """how many"""


class Sums:
    """Problems a + b with their answers, by the seed."""

    def __init__(self, options: Options, seed: int):
        self.rows, self.seed = options.rows, seed

    def __iter__(self) -> Iterator[Sample]:
        for index in range(self.rows):
            yield self.row(index)

    def row(self, index: int) -> Sample:
        a, b = index + 1, (7 * index + self.seed) % 10
        return self.sample(f"sum-{self.seed}-{index}", a, b)

    def sample(self, identity: str, a: int, b: int) -> Sample:
        prompt = ({"role": "user", "content": f"What is {a} + {b}?"},)
        return Sample(id=identity, prompt=prompt, fields={"answer": str(a + b), "language": "en"})


class RepeatedIds(Sums):
    def row(self, index):
        return super().row(index - 1 if index == self.rows // 2 else index)


class IdsByWindow(Sums):
    """Numbers rows within windows of 16."""

    def row(self, index):
        return self.sample(f"sum-{index % 16}", index + 1, index % 10)


class OneMapping(Sums):
    """Writes every row into the same mapping."""

    def __init__(self, options, seed):
        super().__init__(options, seed)
        self._fields = {}

    def row(self, index):
        row = super().row(index)
        self._fields |= row.fields
        return Sample(id=row.id, prompt=row.prompt, fields=self._fields)


class Unseeded(Sums):
    """Draws with a generator that nobody seeds, once."""

    def __init__(self, options, seed):
        super().__init__(options, random.randrange(1_000_000))


class UnseededRows(Sums):
    def row(self, index):
        return self.sample(f"sum-{index}", index + 1, random.randrange(10))


class SaltedOrder(Sums):
    def __iter__(self):
        return iter(sorted(super().__iter__(), key=lambda row: hash(row.id)))


class Once(Sums):
    """Makes its iterator when it is built."""

    def __init__(self, options, seed):
        super().__init__(options, seed)
        self._left = super().__iter__()

    def __iter__(self):
        return self._left


class GoesOn(Sums):
    """Shuffles with a generator that goes on at the next iteration."""

    def __init__(self, options, seed):
        super().__init__(options, seed)
        self._random = random.Random(seed)

    def __iter__(self):
        rows = list(range(self.rows))
        self._random.shuffle(rows)
        return map(self.row, rows)


class AllFirst(Sums):
    def __iter__(self):
        return iter([self.row(index) for index in range(self.rows)])


class NoAnswer(Sums):
    def row(self, index):
        row = super().row(index)
        return Sample(id=row.id, prompt=row.prompt, fields={"language": "en"} if index % 10 == 9 else row.fields)


class TextPrompt(Sums):
    def row(self, index):
        row = super().row(index)
        return Sample(id=row.id, prompt=row.prompt[0]["content"], fields=row.fields)


class SetOfAnswers(Sums):
    def row(self, index):
        row = super().row(index)
        return Sample(id=row.id, prompt=row.prompt, fields={**row.fields, "answers": {row.fields["answer"]}})


class NumbersAsIds(Sums):
    def row(self, index):
        row = super().row(index)
        return Sample(id=index, prompt=row.prompt, fields=row.fields)


class Mappings(Sums):
    def row(self, index):
        row = super().row(index)
        return {"id": row.id, "prompt": row.prompt, **row.fields}


def _forty() -> list[DatasetExample]:
    return [DatasetExample(options={"rows": 40})]


def _dataset(name: str, summary: str, made: Callable[[Options, int], object]) -> DatasetSpec:
    return DatasetSpec(
        name=name,
        summary=summary,
        config=Options,
        provides=("answer", "language"),
        build=lambda options, context: made(options, context.seed),
        laws=Laws(examples=_forty),
    )


@hookimpl
def rewardlab_datasets():
    return [
        _dataset("correct_sums", "sums by the seed", Sums),
        _dataset("repeated_ids", "one id twice", RepeatedIds),
        _dataset("ids_by_window", "ids that begin anew with every window", IdsByWindow),
        _dataset("one_mapping", "all rows share one mapping, which each overwrites", OneMapping),
        _dataset("unseeded", "ignores the seed for one of its own", Unseeded),
        _dataset("unseeded_rows", "rows by the global generator", UnseededRows),
        _dataset("salted_order", "in the order of hash()", SaltedOrder),
        _dataset("once", "can be iterated once", Once),
        _dataset("goes_on", "shuffles otherwise at the second iteration", GoesOn),
        _dataset("all_first", "makes all rows before it gives the first", AllFirst),
        _dataset("no_answer", "lacks a field that it says it provides, in one row of ten", NoAnswer),
        _dataset("text_prompt", "a text in place of messages", TextPrompt),
        _dataset("set_of_answers", "a set in a field", SetOfAnswers),
        _dataset("numbers_as_ids", "numbers as ids", NumbersAsIds),
        _dataset("mappings", "mappings in place of Samples", Mappings),
    ]
