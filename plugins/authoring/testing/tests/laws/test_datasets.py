"""The laws of datasets and data steps: one of each that keeps them, and a fault for each that does not."""

import copy
import itertools
import logging
import re
import sys
from dataclasses import replace

import pytest
from rewardlab import Ask, Config, DatasetSpec, Reply, Sample
from rewardlab.data import in_order
from rewardlab.laws import DatasetExample, Laws
from rewardlab_testing.laws.dataset_laws import LAWS
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import DATASET

COUNT = 30
STEP_LAWS = ("required", "going_on", "makes")


class Options(Config):
    rows: int = COUNT


def row(k, **fields):
    return Sample(
        id=f"r{k}", prompt=({"role": "user", "content": f"{k} + {k}?"},), fields={"answer": str(2 * k)} | fields
    )


class Sums:
    """Rows made one by one."""

    def __init__(self, options, context):
        self.rows = options.rows

    def __iter__(self):
        return map(self.row, range(self.rows))

    def row(self, k):
        return row(k)


def making(name, make):
    """Sums whose row k is `make(k)`."""
    return type(name, (Sums,), {"row": lambda self, k: make(k)})


class Once(Sums):
    def __init__(self, options, context):
        self.left = map(row, range(options.rows))

    def __iter__(self):
        return self.left


class GoingOn(Sums):
    """A second pass goes on where the first one is."""

    def __iter__(self):
        if not hasattr(self, "left") or (taken := next(self.left, None)) is None:
            self.left = map(row, range(self.rows))
        else:
            self.left = itertools.chain([taken], self.left)
        return self.left


class Whole(Sums):
    """All rows before the first."""

    def __iter__(self):
        rows = [row(k) for k in range(self.rows)]
        yield from rows


class Listed(Sums):
    """All rows before the first, as soon as it is iterated."""

    def __iter__(self):
        return iter([row(k) for k in range(self.rows)])


class Salted(Sums):
    def row(self, k):
        return row(k, order=hash(f"salt {k}") % 1009)


class OneMapping(Sums):
    """All rows share their fields, which each overwrites."""

    def __iter__(self):
        fields = {}
        for k in range(self.rows):
            fields["answer"] = str(2 * k)
            yield Sample(id=f"r{k}", prompt=row(k).prompt, fields=fields)


class Empty(Sums):
    def __iter__(self):
        return iter(())


class Answers:
    """A data step: each row of the source with what a judge says of its question, two at once."""

    at_once, times = 2, 1

    def __init__(self, options, context):
        self.source, self.judge = context.source, context.judges["judge"]

    def __iter__(self):
        return in_order(self.samples(), self.made, self.at_once)

    def samples(self):
        return self.source

    def question(self, sample):
        return sample.fields["question"]

    async def made(self, sample):
        for _ in range(self.times):
            reply = await self.judge.ask(Ask(parts={"query": self.question(sample)}))
        return Sample(id=sample.id, prompt=sample.prompt, fields={**sample.fields, "reply": reply.text})


class ReadsAll(Answers):
    def samples(self):
        return list(self.source)


class AsksAll(Answers):
    at_once = 1 << 30


class Lenient(Answers):
    def question(self, sample):
        return sample.fields.get("question", "")


class ByPlace(Answers):
    def samples(self):
        for place, sample in enumerate(self.source):
            yield Sample(id=sample.id, prompt=sample.prompt, fields={**sample.fields, "question": f"question {place}"})


class NotTheLast(Answers):
    """Leaves out the last row of whatever it is given."""

    def samples(self):
        kept = None
        for sample in self.source:
            if kept is not None:
                yield kept
            kept = sample


class Doubled(Answers):
    def samples(self):
        for sample in self.source:
            yield from (sample, Sample(id=f"{sample.id}-again", prompt=sample.prompt, fields=sample.fields))


class WritesIntoItsSource(Answers):
    async def made(self, sample):
        made = await super().made(sample)
        sample.fields["asked"] = True
        return made


class AsksTwice(Answers):
    times = 2


class AsksOn(Answers):
    """Until it gets a text, three times at most."""

    async def made(self, sample):
        for _ in range(3):
            row = await super().made(sample)
            if row.fields["reply"]:
                return row
        raise ValueError("no text")


class Shouting:
    """A judge."""

    async def ask(self, ask):
        return Reply(text=ask.parts["query"].upper())


def spec(of, **more):
    return DatasetSpec(
        name=of.__name__.lower(),
        summary="made",
        config=Options,
        build=lambda options, context: of(options, context),
        **more,
    )


def step(of, **more):
    asks_once = {"judges": ("judge",), "calls": lambda options, rows: rows}
    return spec(of, step=True, requires=["question"], provides=["reply"], **asks_once, **more)


SOURCE = [row(k, question=f"how much is {k} and {k}") for k in range(3)]
STEP = DatasetExample(source=SOURCE, judges=lambda: {"judge": Shouting()})
SUMS, SALTED = spec(Sums, provides=["answer"]), spec(Salted)
ANSWERS = step(Answers, laws=Laws(examples=lambda: [STEP]))
FAULTS = [
    ("samples", spec(making("Dicts", lambda k: {"id": f"r{k}"})), "expected a rewardlab.Sample"),
    ("samples", spec(making("Numbered", lambda k: Sample(id=k, prompt=row(k).prompt))), "texts as its id and source"),
    ("samples", spec(making("NoPrompt", lambda k: Sample(id=f"r{k}"))), "expected a prompt of messages: no prompt"),
    ("samples", spec(making("Texts", lambda k: Sample(id=f"r{k}", prompt="1 + 1?"))), "not a text"),
    ("samples", spec(making("Sets", lambda k: row(k, terms={k}))), "fields of JSON values: Object of type set"),
    ("samples", spec(making("Tuples", lambda k: row(k, terms=(k, k)))), "fields of JSON values: lists, not tuples"),
    ("samples", spec(Empty), "it has no rows"),
    ("samples", spec(OneMapping), "expected it to stay"),
    ("samples", step(WritesIntoItsSource), "row 1 of the source was Sample(id='r0'"),
    ("ids", spec(making("Tens", lambda k: row(k % 10))), "rows 1 and 11 have the id 'r0'"),
    ("again", spec(Once), "expected the same"),
    ("again", spec(GoingOn), "expected the same"),
    ("streaming", spec(Whole), "when its first row of 30 was out"),
    ("streaming", spec(Listed), "when its first row of 30 was out"),
    ("streaming", step(ReadsAll), "when all 4096 samples of its source had been read"),
    pytest.param(
        "streaming", step(AsksAll), "when all 4096 samples of its source had been read", marks=pytest.mark.slow
    ),
    ("provides", spec(making("Bare", lambda k: Sample(id=f"r{k}")), provides=["answer"]), "row 1 lacks 'answer'"),
    ("required", step(Lenient), "of a source whose row 1 of 3 lacks 'question'\ngot 3 rows and no error"),
    ("going_on", step(ByPlace), "of the source rows ["),
    ("going_on", step(NotTheLast), "of the source rows ["),
    ("makes", step(Doubled), "of a source of 1 row\ngot 2 rows\nexpected 1 at most"),
    ("makes", step(AsksTwice), "of a source of 1 row\ngot 2 questions\nexpected 1 at most, as its spec says (calls)"),
    ("makes", step(AsksOn), "of a source of 1 row\ngot 3 questions\nexpected 1 at most"),
]


def outcomes(spec, *laws, example=None):
    step = replace(STEP, source=copy.deepcopy(SOURCE))  # one of the faults writes into it
    example = example or (step if spec.step else DatasetExample())
    (tried,) = try_laws(spec, examples=[example], only=laws or None, tries=6)
    return {outcome.law: outcome for outcome in tried.outcomes}


def test_the_laws_are_those_that_are_told():
    assert list(LAWS) == list(DATASET)


@pytest.mark.parametrize("spec", [SUMS, ANSWERS], ids=lambda spec: spec.name)
def test_a_dataset_that_keeps_them(spec):
    found = outcomes(spec, *(law for law in LAWS if law != "seed"))
    others = {law: outcome.why for law, outcome in found.items() if outcome.state != "held"}
    assert others == ({} if spec.step else dict.fromkeys(STEP_LAWS, "it is not a data step"))


@pytest.mark.parametrize(("law", "faulty", "expected"), FAULTS, ids=lambda part: getattr(part, "name", None))
def test_a_fault_breaks_its_law(law, faulty, expected):
    broken = outcomes(faulty, law)[law]
    assert broken.state == "broken"
    assert expected in broken.why


@pytest.mark.slow
def test_in_another_process_a_hash_of_python_is_another():
    assert outcomes(SUMS, "seed")["seed"].tries == COUNT
    assert "in another process" in outcomes(SALTED, "seed")["seed"].why
    (tried,) = try_laws(ANSWERS, only=["seed"])
    assert [outcome.tries for outcome in tried.of("held")] == [len(SOURCE)], "with the judges that its spec declares"


def test_the_failing_example_reads_well():
    assert re.fullmatch(
        r"of the source rows \['r\d'.*\] and of \['r\d'.*\]\ngot 1 rows\nof all\ngot 2, these too: 'r\d'",
        outcomes(step(NotTheLast), "going_on")["going_on"].why,
    )


def test_what_cannot_be_seen_is_untried():
    few = outcomes(spec(Sums), "streaming", example=DatasetExample(options={"rows": 5}))["streaming"]
    assert few.why == "needs options under which it has 20 rows or more; it has 5"
    assert outcomes(ANSWERS, "makes", example=DatasetExample())["makes"].why == (
        "needs samples to start from: source=[Sample(...)]"
    )


def test_calls_are_not_counted_under_a_profiler_which_stays():
    def profiler(frame, event, argument):
        """Count nothing. (cProfile is not such a function on Python 3.12 and later, and hinders nobody there.)"""

    sys.setprofile(profiler)
    try:
        streaming = outcomes(SUMS, "streaming")["streaming"]
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert (streaming.state, streaming.why) == ("untried", "counts calls as a profiler does, and one is at work")
    assert outcomes(SUMS, "streaming")["streaming"].state == "held"


def test_what_a_dataset_warns_of_at_each_pass_is_not_told(caplog):
    class Warning(Sums):
        def __iter__(self):
            logging.getLogger("made").warning("3 rows dropped")
            return super().__iter__()

    outcomes(spec(Warning), "samples", "again")
    assert caplog.messages == []
    logging.getLogger("made").warning("heard again")
    assert caplog.messages == ["heard again"]
