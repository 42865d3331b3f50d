"""A judge's outage, of which every scorer tells for itself, is one outage to whoever reads the terminal."""

import asyncio

import pytest
from rewardlab.judging.circuit_breaker import OutageNotice
from rewardlab_ray.job import outage_lines
from rewardlab_ray.job.outage_lines import OutageLines
from rewardlab_ray.job.stage_log import StageLog
from rewardlab_ray.user_lines import marked

WHY = "refused the connection"


def began(judge="main"):
    return f"warning: judge '{judge}' {WHY}; its questions wait for it, for 60 s at most"


def lasts(waiting, questions="questions", seconds=20):
    return f"warning: judge 'main' has been down for {seconds} s, {waiting} {questions} waiting: it {WHY}"


def ended(waited, questions="questions"):
    return f"judge 'main' answers again after 40 s; {waited} {questions} waited"


@pytest.fixture
def said():
    """Return what the user reads of [(scorer, line), ...]."""
    lines = OutageLines()
    return lambda *told: [line for line in (lines.read(*one) for one in told) if line is not None]


def test_it_begins_and_ends_once_and_says_how_many_wait_at_all_scorers(said):
    assert said(("a", began()), ("b", began())) == [began()]
    assert said(("a", lasts("1,000")), ("b", lasts(1, "question"))) == [lasts("1,000")]
    assert said(("a", lasts(2, seconds=40)), ("b", lasts(3, seconds=40))) == [lasts(3, seconds=40)]
    assert said(("b", ended(1, "question")), ("a", ended("1,000"))) == [ended("1,001")]
    assert said(("b", began())) == [began()], "the next outage"


def test_a_scorer_of_which_nothing_waits_any_more_holds_back_nobodys_lines(said):
    said(("a", began()), ("b", began()), ("a", lasts(1, "question")), ("b", lasts(4)))
    assert said(("b", lasts(4, seconds=40))) == [lasts(5, seconds=40)]
    assert said(("b", lasts(4, seconds=60))) == [lasts(5, seconds=60)]


def test_a_dead_scorer_keeps_no_outage_open(said, monkeypatch):
    said(("dead", began()), ("a", began()))
    monkeypatch.setattr(outage_lines, "FORGOTTEN_S", -1.0)
    assert said(("a", ended(4))) == [ended(4)]


def test_judges_are_told_apart_and_other_lines_are_as_they_are(said):
    other = "judge 'main': 4 calls, 20 tokens"
    assert said(("a", began()), ("b", began("second")), ("b", other), ("b", other)) == [
        began(),
        began("second"),
        other,
        other,
    ]


def test_the_lines_of_a_notice_are_those_that_are_read(said, monkeypatch):
    """What OutageNotice says, in the form in which a judge hands it on."""
    monkeypatch.setenv("REWARDLAB_PROGRESS_S", "0.01")
    told = []

    async def outage():
        notice = OutageNotice(lambda: 3, lambda what, warns: told.append(f"{'warning: ' * warns}judge 'main' {what}"))
        notice.began(WHY, 60)
        while len(told) < 2:
            await asyncio.sleep(0.01)
        notice.ended()

    asyncio.run(asyncio.wait_for(outage(), 20))
    both = [(scorer, line) for line in (told[0], told[1], told[-1]) for scorer in "ab"]
    assert said(*both) == [told[0], told[1], told[-1].replace("3 questions", "6 questions")]


def test_the_log_has_every_scorers_line_and_the_user_one(tmp_path):
    read = []
    with StageLog(tmp_path / "0-rl.log", read.append) as log:
        for process in (7, 8):
            log.take(f"(PlacedScorer pid={process}) {marked(began())}")
    assert read == [began()]
    assert (tmp_path / "0-rl.log").read_text(encoding="utf-8").count(began()) == 2
