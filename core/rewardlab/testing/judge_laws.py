"""The laws of a judge. One that makes network calls is asked little: each question may cost money."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Any

from hypothesis import strategies as st

from rewardlab.errors import one_line
from rewardlab.judging.answers import identity as identity_of
from rewardlab.specs import Config
from rewardlab.testing.elsewhere import answered_elsewhere
from rewardlab.testing.judge_secrets import secrets
from rewardlab.testing.outcome import Broken, NothingToTry, Untried
from rewardlab.testing.questions import (
    a_loop,
    answered,
    as_json,
    closed,
    opened,
    outcome_of,
    questions,
    shown,
    told,
)
from rewardlab.testing.searching import search
from rewardlab.testing.strategies import texts
from rewardlab.testing.told import cut
from rewardlab.testing.trial import Trial
from rewardlab.types import Ask, Reply
from rewardlab.uses import JudgeUse

PAID = 3
"""generated questions to a judge that is not local"""
AT_ONCE = 8
"""different questions at once"""
ELSEWHERE = 12


def reply(tested: Trial) -> int:
    asks = questions(tested)
    with opened(tested) as (judge, run):
        for ask, says in zip_longest(asks, tested.example.says[: len(asks)]):
            text = answered(ask, run(outcome_of(judge, ask))).text
            if says is not None and text != says:
                raise Broken(f"asked {told(ask)}\ngot the text {cut(text)}\nexpected {cut(says)}")

        def check(ask: Ask) -> None:
            run(outcome_of(judge, ask))

        return len(asks) + search(check, _asks(tested), tries=_tries(tested))


def repeat(tested: Trial) -> int:
    _need_a_local(tested)
    with opened(tested) as (judge, run), opened(tested) as (another, run_another):

        def check(ask: Ask) -> None:
            first = run(outcome_of(judge, ask))
            _same(ask, first, run(outcome_of(judge, ask)), "asked again")
            _same(ask, first, run_another(outcome_of(another, ask)), "asked a judge built again")

        return _over(tested, check)


def apart(tested: Trial) -> int:
    """Of a judge that is not local only those questions that it answers the same twice, one at a time."""
    asks = questions(tested)
    if tested.spec.local:
        search(asks.append, _asks(tested), tries=min(AT_ONCE, tested.tries))
    with opened(tested) as (judge, run):
        alone = [run(outcome_of(judge, ask)) for ask in asks]
        steady = list(zip(asks, alone, strict=True))
        if not tested.spec.local:
            for ask, one in steady:
                answered(ask, one)
            steady = [(ask, one) for ask, one in steady if _said(one) == _said(run(outcome_of(judge, ask)))]
        if not steady:
            raise Untried("needs a judge that answers a question the same twice; this one draws its answers")
        if len({_said(one) for _, one in steady}) < 2:
            raise Untried("needs questions whose answers differ; its example's have the same answer")
        together = run(_together(judge, [ask for ask, _ in steady]))
    both = list(zip(steady, together, strict=True))
    if tested.spec.local:  # and where nothing is known yet, the example's last question first
        given = len(questions(tested))
        turned = [*reversed(steady[:given]), *steady[given:]]
        with opened(tested) as (another, run_another):
            both += zip(turned, run_another(_together(another, [ask for ask, _ in turned])), strict=True)
    for (ask, one), other in both:
        _same(ask, one, other, f"asked together with {len(steady) - 1} others")
    return len(steady)


def worker(tested: Trial) -> int:
    _need_a_local(tested)
    asks = questions(tested)
    search(asks.append, _asks(tested), tries=min(ELSEWHERE, tested.tries))
    asks = [ask for ask in asks if _is_json(as_json(ask))]
    with opened(tested) as (judge, run):
        here = [run(outcome_of(judge, ask)) for ask in asks]
    there = answered_elsewhere(tested, f"{__name__}:answered_there", list(map(as_json, asks)))
    for ask, one, other in zip(asks, here, there, strict=True):
        _same(ask, one, Reply(**other), "asked in another process")
    return len(asks)


def answered_there(judge: Any, payload: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The replies to questions, both as JSON objects."""
    with a_loop() as run:
        replies = [run(outcome_of(judge, Ask(**ask))) for ask in payload]
        run(closed(judge))
        return [asdict(reply) for reply in replies]


def identity(tested: Trial) -> int:
    own, again = _identity(tested, tested.options), _identity(tested, tested.options)
    rebuilt = tested.spec.config.model_validate(json.loads(tested.options.model_dump_json(by_alias=True)))
    for what, other in (("asked again", again), ("of the same options, read again", _identity(tested, rebuilt))):
        if other != own:
            raise Broken(f"its identity is {cut(own)}\n{what}\ngot {cut(other)}\nexpected the same")
    for others in tested.example.other_options:
        if _identity(tested, _with(tested, others)) == own:
            raise Broken(
                f"its identity is {cut(own)}\nunder {dict(others)!r}\ngot the same\n"
                "expected another one, or a cassette gives the answers of one to the other"
            )
    return 1 + len(tested.example.other_options)


def close(tested: Trial) -> int:
    """Of a judge that has something to close."""
    if not hasattr(tested.built(), "aclose"):
        raise NothingToTry("it has no `aclose`")
    _closed_twice(tested, [])
    _closed_twice(tested, questions(tested)[:1])
    return 2


LAWS: dict[str, Callable[[Trial], int]] = {
    "reply": reply,
    "repeat": repeat,
    "apart": apart,
    "worker": worker,
    "identity": identity,
    "secrets": secrets,
    "close": close,
}


def _need_a_local(tested: Trial) -> None:
    if not tested.spec.local:
        raise NothingToTry("it is not local, and may draw its answers")


def _tries(tested: Trial) -> int:
    return tested.tries if tested.spec.local else min(PAID, tested.tries)


def _over(tested: Trial, check: Callable[[Ask], None]) -> int:
    """The example's questions, then generated ones."""
    asks = questions(tested)
    for ask in asks:
        check(ask)
    return len(asks) + search(check, _asks(tested), tries=_tries(tested))


def _asks(tested: Trial) -> st.SearchStrategy[Ask]:
    """The example's questions with other texts in their messages and parts, some parts left out."""
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
    return await asyncio.gather(*(outcome_of(judge, ask) for ask in asks))


def _said(reply: Reply) -> tuple[Any, ...]:
    """What decides: tokens may be counted otherwise, and logprobs differ in their last digits."""
    return reply.text, reply.reasoning, reply.finish_reason, reply.error


def _same(ask: Ask, one: Reply, other: Reply, what: str) -> None:
    if _said(one) != _said(other):
        raise Broken(f"asked {told(ask)}\ngot {shown(one)}\n{what}\ngot {shown(other)}\nexpected the same")


def _is_json(value: Any) -> bool:
    try:
        return json.loads(json.dumps(value)) == value
    except (TypeError, ValueError):
        return False


def _identity(tested: Trial, options: Config) -> dict[str, Any]:
    """Broken where it is no JSON."""
    given = identity_of(tested.spec, JudgeUse(use=tested.use), options)
    try:
        json.dumps(given, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Broken(f"its identity is {cut(given)}\nexpected JSON values: {error}") from error
    return given


def _with(tested: Trial, others: Mapping[str, Any]) -> Config:
    own = tested.options.model_dump(by_alias=True, exclude_unset=True)
    return tested.spec.config.model_validate({**own, **others})


def _closed_twice(tested: Trial, asks: Sequence[Ask]) -> None:
    after = f"after {told(asks[0])}" if asks else "before any question"
    with opened(tested) as (judge, run):
        for ask in asks:
            run(outcome_of(judge, ask))
        for time in ("once", "twice"):
            try:
                run(judge.aclose())
            except Exception as error:
                raise Broken(f"closed {time}, {after}\ngot {one_line(error)}\nexpected no error") from error
