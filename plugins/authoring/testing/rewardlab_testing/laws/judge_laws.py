"""The laws of a judge. One that is not local is asked few questions: each may cost money."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Any

from hypothesis import strategies as st
from rewardlab import Ask, Config, Reply
from rewardlab.errors import one_line
from rewardlab.judging import judge_identity
from rewardlab.recipe import JudgeUse

from rewardlab_testing.examples.search import search
from rewardlab_testing.examples.strategies import texts
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.judge_harness import (
    ask_as_json,
    ask_judge,
    close_judge,
    describe_ask,
    describe_reply,
    open_judge,
    questions,
    require_answer,
    running_loop,
)
from rewardlab_testing.harness.other_process import call_in_process
from rewardlab_testing.laws.judge_secrets import secrets
from rewardlab_testing.outcomes.messages import cut
from rewardlab_testing.outcomes.outcome import LawViolation, NothingToTry, UnmetNeed

PAID = 3
"""generated questions to a judge that is not local"""
AT_ONCE = 8
"""generated questions that are asked at once"""
ELSEWHERE = 12
"""generated questions that are asked in another process"""


def reply(tested: ComponentUnderTest) -> int:
    asks = questions(tested)
    with open_judge(tested) as (judge, run):
        for ask, answer in zip_longest(asks, tested.example.says[: len(asks)]):
            text = require_answer(ask, run(ask_judge(judge, ask))).text
            if answer is not None and text != answer:
                raise LawViolation(f"asked {describe_ask(ask)}\ngot the text {cut(text)}\nexpected {cut(answer)}")

        def check(ask: Ask) -> None:
            run(ask_judge(judge, ask))

        return len(asks) + search(check, _asks(tested), tries=_tries(tested))


def repeat(tested: ComponentUnderTest) -> int:
    _require_local(tested)
    with open_judge(tested) as (judge, run), open_judge(tested) as (another, run_another):

        def check(ask: Ask) -> None:
            first = run(ask_judge(judge, ask))
            _same(ask, first, run(ask_judge(judge, ask)), "asked again")
            _same(ask, first, run_another(ask_judge(another, ask)), "asked a judge built again")

        return _check_asks(tested, check)


def apart(tested: ComponentUnderTest) -> int:
    """Compare answers to questions asked one at a time with those to the same questions asked at once.

    A judge that is not local may draw its answers: only those questions count that it answers the same twice.
    """
    asks = questions(tested)
    if tested.spec.local:
        search(asks.append, _asks(tested), tries=min(AT_ONCE, tested.tries))
    with open_judge(tested) as (judge, run):
        alone = [run(ask_judge(judge, ask)) for ask in asks]
        steady = list(zip(asks, alone, strict=True))
        if not tested.spec.local:
            for ask, reply in steady:
                require_answer(ask, reply)
            steady = [
                (ask, reply) for ask, reply in steady if _decisive(reply) == _decisive(run(ask_judge(judge, ask)))
            ]
        if not steady:
            raise UnmetNeed("needs a judge that answers a question the same twice; this one draws its answers")
        if len({_decisive(reply) for _, reply in steady}) < 2:
            raise UnmetNeed("needs questions whose answers differ; its example's have the same answer")
        together = run(_together(judge, [ask for ask, _ in steady]))
    both = list(zip(steady, together, strict=True))
    if tested.spec.local:  # and if nothing is known yet, the example's last question first
        given = len(questions(tested))
        turned = [*reversed(steady[:given]), *steady[given:]]
        with open_judge(tested) as (another, run_another):
            both += zip(turned, run_another(_together(another, [ask for ask, _ in turned])), strict=True)
    for (ask, reply), other in both:
        _same(ask, reply, other, f"asked together with {len(steady) - 1} others")
    return len(steady)


def worker(tested: ComponentUnderTest) -> int:
    _require_local(tested)
    asks = questions(tested)
    search(asks.append, _asks(tested), tries=min(ELSEWHERE, tested.tries))
    asks = [ask for ask in asks if _is_json(ask_as_json(ask))]
    with open_judge(tested) as (judge, run):
        here = [run(ask_judge(judge, ask)) for ask in asks]
    there = call_in_process(tested, f"{__name__}:replies_as_json", list(map(ask_as_json, asks)))
    for ask, reply, other in zip(asks, here, there, strict=True):
        _same(ask, reply, Reply(**other), "asked in another process")
    return len(asks)


def replies_as_json(judge: Any, payload: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the replies to questions, both as JSON objects; called in the other process."""
    with running_loop() as run:
        replies = [run(ask_judge(judge, Ask(**ask))) for ask in payload]
        run(close_judge(judge))
        return [asdict(reply) for reply in replies]


def identity(tested: ComponentUnderTest) -> int:
    own, again = _identity(tested, tested.options), _identity(tested, tested.options)
    rebuilt = tested.spec.config.model_validate(json.loads(tested.options.model_dump_json(by_alias=True)))
    for how, other in (("asked again", again), ("of the same options, read again", _identity(tested, rebuilt))):
        if other != own:
            raise LawViolation(f"its identity is {cut(own)}\n{how}\ngot {cut(other)}\nexpected the same")
    for others in tested.example.other_options:
        if _identity(tested, _with(tested, others)) == own:
            raise LawViolation(
                f"its identity is {cut(own)}\nunder {dict(others)!r}\ngot the same\n"
                "expected another one, or a cassette gives the answers of one to the other"
            )
    return 1 + len(tested.example.other_options)


def close(tested: ComponentUnderTest) -> int:
    if not hasattr(tested.build(), "aclose"):
        raise NothingToTry("it has no `aclose`")
    _close_twice(tested, [])
    _close_twice(tested, questions(tested)[:1])
    return 2


LAWS: dict[str, Callable[[ComponentUnderTest], int]] = {
    "reply": reply,
    "repeat": repeat,
    "apart": apart,
    "worker": worker,
    "identity": identity,
    "secrets": secrets,
    "close": close,
}


def _require_local(tested: ComponentUnderTest) -> None:
    if not tested.spec.local:
        raise NothingToTry("it is not local, and may draw its answers")


def _tries(tested: ComponentUnderTest) -> int:
    return tested.tries if tested.spec.local else min(PAID, tested.tries)


def _check_asks(tested: ComponentUnderTest, check: Callable[[Ask], None]) -> int:
    """Check the example's questions, then generated ones; return how many."""
    asks = questions(tested)
    for ask in asks:
        check(ask)
    return len(asks) + search(check, _asks(tested), tries=_tries(tested))


def _asks(tested: ComponentUnderTest) -> st.SearchStrategy[Ask]:
    """Return a strategy for the example's questions with other texts in their messages and parts, or without a part."""
    known = questions(tested)
    written = texts(also=[value for ask in known for value in ask.parts.values() if isinstance(value, str)])

    @st.composite
    def asks(draw: st.DrawFn) -> Ask:
        ask = draw(st.sampled_from(known))
        messages = [
            {**message, "content": draw(written)} if draw(st.booleans()) else message for message in ask.messages
        ]
        kept = [name for name in ask.parts if draw(st.integers(0, 7)) < 7]
        changed = {name for name in kept if isinstance(ask.parts[name], str) and draw(st.booleans())}
        parts = {name: draw(written) if name in changed else ask.parts[name] for name in kept}
        return replace(ask, messages=tuple(messages), parts=parts)

    return asks()


async def _together(judge: Any, asks: Sequence[Ask]) -> list[Reply]:
    return await asyncio.gather(*(ask_judge(judge, ask) for ask in asks))


def _decisive(reply: Reply) -> tuple[Any, ...]:
    """Return what must be the same: token counts may differ, and logprobs in their last digits."""
    return reply.text, reply.reasoning, reply.finish_reason, reply.error


def _same(ask: Ask, reply: Reply, other: Reply, how: str) -> None:
    if _decisive(reply) != _decisive(other):
        first, then = describe_reply(reply), describe_reply(other)
        raise LawViolation(f"asked {describe_ask(ask)}\ngot {first}\n{how}\ngot {then}\nexpected the same")


def _is_json(value: Any) -> bool:
    try:
        return json.loads(json.dumps(value)) == value
    except (TypeError, ValueError):
        return False


def _identity(tested: ComponentUnderTest, options: Config) -> dict[str, Any]:
    """Return the judge's identity under these options; raise LawViolation if it is not JSON."""
    given = judge_identity(tested.spec, JudgeUse(use=tested.use), options)
    try:
        json.dumps(given, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LawViolation(f"its identity is {cut(given)}\nexpected JSON values: {error}") from error
    return given


def _with(tested: ComponentUnderTest, others: Mapping[str, Any]) -> Config:
    own = tested.options.model_dump(by_alias=True, exclude_unset=True)
    return tested.spec.config.model_validate({**own, **others})


def _close_twice(tested: ComponentUnderTest, asks: Sequence[Ask]) -> None:
    after = f"after {describe_ask(asks[0])}" if asks else "before any question"
    with open_judge(tested) as (judge, run):
        for ask in asks:
            run(ask_judge(judge, ask))
        for time in ("once", "twice"):
            try:
                run(judge.aclose())
            except Exception as error:
                raise LawViolation(f"closed {time}, {after}\ngot {one_line(error)}\nexpected no error") from error
