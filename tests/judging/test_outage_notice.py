"""What is said of a judge that is down: once at the start, now and then while it lasts, once at the end."""

import asyncio

import pytest
from rewardlab import Ask, JudgeSpec, Reply
from rewardlab.judging import circuit_breaker, retries
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.settings import JudgingSettings
from rewardlab.recipe.use import JudgeUse

COUNT = 12


class Judge:
    """Is up from the event on."""

    def __init__(self):
        self.up = asyncio.Event()

    async def ask(self, ask):
        if not self.up.is_set():
            raise ConnectionError("refused")
        return Reply(text="yes")


@pytest.fixture
def told(home, monkeypatch):
    """`told(lines)`: what is said of an outage that ends once so many lines were said."""
    monkeypatch.setattr(circuit_breaker, "FIRST_PAUSE_S", 0.05)
    monkeypatch.setattr(circuit_breaker, "MAX_PAUSE_S", 0.05)
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.01)

    def said_until(lines):
        said, judge = [], Judge()
        spec = JudgeSpec(name="made", summary="made", build=lambda *_: judge)

        def say(line):
            said.append(line)
            if len(said) == lines:
                judge.up.set()

        use = JudgeUse.model_validate({"use": "test/made", "timeout": 30})
        hosted = HostedJudge("main", judge, spec, use, home, judging=JudgingSettings(say=say))

        async def scenario():
            replies = await asyncio.gather(*(hosted.ask(Ask(draw=draw)) for draw in range(COUNT)))
            await asyncio.sleep(0.05)
            await hosted.aclose()
            return replies

        replies = home.run(asyncio.wait_for(scenario(), 20))
        assert [reply.text for reply in replies] == ["yes"] * COUNT
        return said

    return said_until


def test_how_long_and_how_many_wait_is_said_while_it_lasts_and_its_end_once(told, monkeypatch):
    monkeypatch.setenv("REWARDLAB_PROGRESS_S", "0.02")
    first, *middle, last = told(lines=3)
    down = "raised ConnectionError: refused"
    assert first == f"warning: judge 'main' {down}; its questions wait for it, for 60 s at most"
    assert set(middle) == {f"warning: judge 'main' has been down for 0 s, {COUNT} questions waiting: it {down}"}
    assert last == f"judge 'main' answers again after 0 s; {COUNT} questions waited"


def test_lines_in_between_can_be_turned_off(told, monkeypatch):
    monkeypatch.setenv("REWARDLAB_PROGRESS_S", "0")
    assert len(told(lines=1)) == 2
