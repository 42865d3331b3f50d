"""The laws of judges: one that keeps them, and a fault for each that does not."""

import asyncio
import itertools
import os

import pytest
from helpers.each_case import each_case
from pydantic import Field
from rewardlab import Ask, Config, JudgeSpec, Reply
from rewardlab.laws import JudgeExample
from rewardlab_testing.laws.judge_laws import LAWS
from rewardlab_testing.laws.run_laws import try_laws
from rewardlab_testing.outcomes.law_words import JUDGE

TRIES = 5


class Options(Config):
    prefers: str = "longer"
    key_env: str | None = None
    headers_env: dict[str, str] = Field(default_factory=dict)


class Lengths:
    """The longer answer wins; a key is read when it is asked and is told to nobody."""

    def __init__(self, options):
        self.options = options

    async def ask(self, ask):
        if "a" not in ask.parts or "b" not in ask.parts:
            return Reply(error="there are no two answers")
        await asyncio.sleep(0)
        return Reply(text=self.verdict(ask), finish_reason="stop", prompt_tokens=3)

    def verdict(self, ask):
        longer = len(ask.parts["a"]) > len(ask.parts["b"])
        return "A" if longer == (self.options.prefers == "longer") else "B"

    async def aclose(self):
        pass

    def key(self):
        names = [self.options.key_env, *self.options.headers_env.values()]
        return "".join(os.environ[name] for name in names if name)


def saying(name, reply):
    """A judge whose every answer is `reply`."""

    async def ask(self, ask):
        return reply

    return type(name, (Lengths,), {"ask": ask})


class Plain(Lengths):
    def ask(self, ask):
        return Reply(text="A")


class Leaving(Lengths):
    async def ask(self, ask):
        raise SystemExit(3)


class Swapped(Lengths):
    def verdict(self, ask):
        return {"A": "B", "B": "A"}[super().verdict(ask)]


class Counting(Lengths):
    asked = 0

    def verdict(self, ask):
        self.asked += 1
        return f"{self.asked}: {super().verdict(ask)}"


class OnePlace(Lengths):
    """Keeps the question where another one overwrites it."""

    async def ask(self, ask):
        self.asked = ask
        await asyncio.sleep(0.001)
        return await super().ask(self.asked)


class ByTheFirst(Lengths):
    """Remembers what it said of an answer, whatever it was compared with."""

    def __init__(self, options):
        super().__init__(options)
        self.known = {}

    def verdict(self, ask):
        return self.known.setdefault(ask.parts["b"], super().verdict(ask))


class Salted(Lengths):
    def verdict(self, ask):
        return str(hash(ask.parts["a"]))


class Shown(Lengths):
    def __repr__(self):
        return f"Shown(key={self.key()})"


class Telling(Lengths):
    async def ask(self, ask):
        return Reply(error=f"the key {self.key()} is wrong")


class Chained(Lengths):
    """The cause of what it raises holds the key."""

    async def ask(self, ask):
        try:
            raise ValueError(f"Authorization: {self.key()}")
        except ValueError as error:
            raise ConnectionError("the server broke off") from error


class ClosedOnce(Lengths):
    home = None

    async def ask(self, ask):
        self.home = self.home or "open"
        return await super().ask(ask)

    async def aclose(self):
        if self.home == "closed":
            raise RuntimeError("it is closed already")
        self.home = self.home and "closed"


class ClosedAsked(ClosedOnce):
    async def aclose(self):
        self.home.upper()


def spec(of, **more):
    return JudgeSpec(
        name=of.__name__.lower(), summary="made", config=Options, build=lambda options, context: of(options), **more
    )


TURNS = itertools.count()
ASKS = [Ask(parts={"a": a, "b": b}) for a, b in (("yes", "no"), ("no", "maybe"), ("", "no"))]
LENGTHS, SALTED = spec(Lengths, local=True), spec(Salted, local=True)
FAULTS = [
    ("reply", spec(saying("Text", "A")), "got 'A'\nexpected a rewardlab.Reply"),
    ("reply", spec(saying("NoText", Reply(text=None))), "expected a text that is a str, not NoneType"),
    ("reply", spec(saying("Halves", Reply(completion_tokens=1.5))), "expected completion_tokens to be a whole number"),
    ("reply", spec(saying("Sets", Reply(logprobs={1, 2}))), "expected logprobs to be JSON values"),
    ("reply", spec(Plain), "expected `ask` to be a coroutine function"),
    ("reply", spec(Swapped), "got the text 'B'\nexpected 'A'"),
    ("reply", spec(Leaving), "got SystemExit: 3"),
    ("repeat", spec(Counting, local=True), "asked again"),
    ("apart", spec(OnePlace, local=True), "asked together with"),
    ("apart", spec(ByTheFirst, local=True), "asked together with"),
    ("identity", spec(Lengths, identity=lambda options: {"model": "m"}), "under {'prefers': 'shorter'}\ngot the same"),
    ("identity", spec(Lengths, identity=lambda options: {"model": {options.prefers}}), "expected JSON values"),
    ("identity", spec(Lengths, identity=lambda options: {"model": next(TURNS)}), "expected the same"),
    ("secrets", spec(Lengths, identity=lambda options: {"key": os.environ.get(options.key_env or "")}), "its identity"),
    ("secrets", spec(Shown), "looked into its text form\ngot 'Shown(key=$REWARDLAB_LAW_SECRET) "),
    ("secrets", spec(Telling), "looked into the error of its reply\ngot 'the key $REWARDLAB_LAW_SECRET is wrong'"),
    ("secrets", spec(Chained), "looked into what it raises\n"),
    ("close", spec(ClosedOnce), "closed twice, after Ask(a='yes'; b='no')\ngot RuntimeError: it is closed already"),
    ("close", spec(ClosedAsked), "closed once, before any question\ngot AttributeError"),
]


def outcomes(spec, *laws, asks=ASKS):
    example = JudgeExample(asks=asks, says=["A", None, "B"], other_options=[{"prefers": "shorter"}])
    (tried,) = try_laws(spec, examples=[example], only=laws or None, tries=TRIES)
    return {outcome.law: outcome for outcome in tried.outcomes}


def test_the_laws_are_those_that_are_told():
    assert list(LAWS) == list(JUDGE)


def test_a_judge_that_keeps_them():
    found = outcomes(LENGTHS, *(law for law in LAWS if law != "worker"))
    assert {law: outcome.why for law, outcome in found.items() if outcome.state != "held"} == {}
    assert {law: outcome.tries for law, outcome in found.items()} == {
        "reply": len(ASKS) + TRIES,
        "repeat": len(ASKS) + TRIES,
        "apart": len(ASKS) + TRIES,
        "identity": 2,
        "secrets": 2,
        "close": 2,
    }


@each_case("law, faulty, expected", FAULTS)
def test_a_fault_breaks_its_law(law, faulty, expected):
    broken = outcomes(faulty, law)[law]
    assert broken.state == "broken"
    assert expected in broken.why


@pytest.mark.slow
def test_in_another_process_a_hash_of_python_is_another():
    assert outcomes(LENGTHS, "worker")["worker"].tries == len(ASKS) + TRIES
    assert "asked in another process" in outcomes(SALTED, "worker")["worker"].why


def test_the_failing_example_reads_well():
    assert outcomes(spec(Counting, local=True), "repeat")["repeat"].why == (
        "asked Ask(a='yes'; b='no')\n"
        "got Reply(text='1: A', finish_reason='stop', prompt_tokens=3)\n"
        "asked again\n"
        "got Reply(text='2: A', finish_reason='stop', prompt_tokens=3)\n"
        "expected the same"
    )


class TestAJudgeOverTheNetwork:
    """is asked little, and may draw its answers."""

    def test_each_question_may_cost_money(self):
        asked = []

        class Paid(Lengths):
            async def ask(self, ask):
                asked.append(ask)
                return await super().ask(ask)

        found = outcomes(spec(Paid), *(law for law in LAWS if law != "worker"))
        others = {law: outcome.why for law, outcome in found.items() if outcome.state != "held"}
        assert others == {"repeat": "it is not local, and may draw its answers"}
        assert len(asked) < 30

    def test_answers_that_are_drawn_cannot_be_compared(self):
        class Drawn(Lengths):
            def verdict(self, ask):
                return str(next(TURNS))

        apart = outcomes(spec(Drawn), "apart")["apart"]
        assert (apart.state, apart.why[:47]) == ("untried", "needs a judge that answers a question the same ")

    def test_nor_can_those_that_are_all_alike(self):
        apart = outcomes(spec(Lengths), "apart", asks=ASKS[1:])["apart"]
        assert (apart.state, apart.why[:36]) == ("untried", "needs questions whose answers differ")

    def test_without_an_answer_nothing_is_tried(self):
        reply = outcomes(spec(Telling), "reply")["reply"]
        assert reply.why == ("needs a judge that answers: asked Ask(a='yes'; b='no'), its error is 'the key  is wrong'")


def test_a_secret_that_stood_there_is_there_after_it(monkeypatch):
    monkeypatch.setenv("REWARDLAB_LAW_SECRET", "mine")
    outcomes(LENGTHS, "secrets")
    assert os.environ["REWARDLAB_LAW_SECRET"] == "mine"
