"""What a judge was asked and what it cost, over all attempts of a job."""

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import asdict
from textwrap import dedent

import pytest
from rewardlab import Ask, JudgeSpec, Reply
from rewardlab.errors import JobError, TryAgain
from rewardlab.judging import retries, usage
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.judges import Judges
from rewardlab.judging.settings import JudgingSettings
from rewardlab.judging.usage import Usage, UsageFile
from rewardlab.recipe.use import JudgeUse


@pytest.fixture
def judges(home, tmp_path, monkeypatch):
    """The judge "main/1" of a job, whose `ask` is a function."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)

    def opened(answer, **settings):
        class Judge:
            async def ask(self, ask):
                await asyncio.sleep(0.001)
                return answer(ask)

        spec = JudgeSpec(name="made", summary="made", build=lambda *_: Judge())
        use = JudgeUse.model_validate({"use": "test/made", "price": {"prompt": 1, "completion": 10}, **settings})
        hosted = HostedJudge("main/1", Judge(), spec, use, home, None, JudgingSettings(folder=tmp_path / "judges"))
        return Judges({"main/1": hosted}, home)

    return opened


def ask(home, judges, *draws):
    async def scenario():
        return [await judges["main/1"].ask(Ask(draw=draw)) for draw in draws]

    return home.run(asyncio.wait_for(scenario(), 10))


def answer(ask):
    return Reply(text="yes", prompt_tokens=100, completion_tokens=20)


class TestCounts:
    def test_of_answers_and_their_cost(self, home, judges):
        opened = judges(answer)
        ask(home, opened, 0, 1, 1)
        counted = opened.usage()["main/1"]
        tokens = {"prompt_tokens": 200, "completion_tokens": 40}
        assert counted == Usage(calls=2, answers=2, reused=1, usd=pytest.approx(6e-4), **tokens)
        assert counted.seconds > 0
        opened.close()

    def test_of_failures_and_further_tries(self, home, judges, monkeypatch):
        monkeypatch.setattr(retries, "PATIENCE_A_RETRY_S", 0)
        fails = [True] * 2

        def failing(ask):
            if ask.draw == 9 or (fails and fails.pop()):
                raise TryAgain("is busy")
            return Reply(error="refused", prompt_tokens=3) if ask.draw == 8 else answer(ask)

        opened = judges(failing, retries=2)
        ask(home, opened, 0, 9, 8)
        counted = opened.usage()["main/1"]
        assert (counted.calls, counted.answers, counted.retries, counted.failed) == (3 + 3 + 1, 1, 2 + 2, 2)
        assert counted.prompt_tokens == 103, "what a server counts is paid, whatever it answers"
        opened.close()

    def test_of_questions_under_way_that_somebody_else_asks_too(self, home, judges):
        opened = judges(lambda ask: Reply(error="refused") if ask.draw else answer(ask))

        async def scenario():
            await asyncio.gather(*(opened["main/1"].ask(Ask(draw=draw)) for draw in (0, 0, 0, 1, 1)))

        home.run(scenario())
        counted = opened.usage()["main/1"]
        assert (counted.calls, counted.reused, counted.failed) == (2, 2, 2)
        opened.close()

    def test_go_on_in_the_next_attempt(self, home, judges):
        for attempt in (1, 2, 3):
            opened = judges(answer)
            ask(home, opened, attempt)
            assert opened.usage()["main/1"].calls == attempt
            opened.close()

    def test_since_an_earlier_time(self):
        now, then = Usage(calls=5, usd=0.5, reused=1), Usage(calls=3, usd=0.25, reused=1)
        assert now.minus(then) == Usage(calls=2, usd=0.25)

    @pytest.mark.parametrize(
        ("counted", "told"),
        [
            (Usage(calls=1234, prompt_tokens=1000, completion_tokens=234), "1,234 calls, 1,234 tokens"),
            (Usage(calls=1, usd=0.5, reused=2), "1 call, 0 tokens, $0.5000, 2 answers reused"),
            (Usage(calls=3, retries=2, failed=1), "3 calls, 0 tokens, 2 retries, 1 question without an answer"),
        ],
    )
    def test_as_people_read_them(self, counted, told):
        assert counted.line() == told

    def test_are_summed_up_for_judges_that_were_asked(self, home, judges):
        opened = judges(answer)
        assert (opened.usage(), opened.summary()) == ({}, [])
        ask(home, opened, 0)
        assert opened.summary() == ["judge main/1: 1 call, 120 tokens, $0.0003"]
        opened.close()


class TestFile:
    def test_has_the_counts_under_the_judges_name_once_the_job_has_ended(self, home, judges, tmp_path):
        opened = judges(answer)
        ask(home, opened, 0)
        expected = asdict(opened.usage()["main/1"])
        opened.close()
        opened.close()
        assert json.loads((tmp_path / "judges" / "main%2F1.usage.json").read_text()) == expected

    def test_is_written_under_way_too_but_not_at_every_call(self, tmp_path, monkeypatch):
        file = UsageFile(tmp_path, "u")
        file.usage.calls = 1
        file.tick()
        assert not (tmp_path / "u.usage.json").exists()
        monkeypatch.setattr(usage, "SAVE_EVERY_S", 0.01)
        time.sleep(0.02)
        file.tick()
        file.usage.calls = 2
        assert UsageFile(tmp_path, "u").usage.calls == 1

    @pytest.mark.parametrize(
        "content", ["", "[]", "{", '{"calls": 1, "more": 2}', '{"at_most": 3}', '{"calls": "x"}', "5"]
    )
    def test_that_cannot_be_read_is_an_error_and_no_new_count(self, tmp_path, content):
        (tmp_path / "u.usage.json").write_text(content)
        with pytest.raises(JobError, match=r"u\.usage\.json is damaged \(.*\); move it away to go on without it"):
            UsageFile(tmp_path, "u")

    def test_that_cannot_be_written_is_an_error_and_leaves_the_last_one(self, tmp_path):
        file = UsageFile(tmp_path, "u")
        file.save()
        code = """
            import resource, sys
            from pathlib import Path
            from rewardlab.errors import JobError
            from rewardlab.judging.usage import UsageFile
            file = UsageFile(Path(sys.argv[1]), "u")
            file.usage.calls = 7
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
            try:
                file.save()
            except JobError as error:
                print(error)
        """
        run = [sys.executable, "-c", dedent(code), str(tmp_path)]
        told = subprocess.run(run, capture_output=True, text=True, timeout=60).stdout
        assert told == f"{tmp_path / 'u.usage.json'} cannot be written: File too large\n"
        assert UsageFile(tmp_path, "u").usage == Usage()

    def test_what_a_budget_may_have_spent_stands_beside_the_counts(self, tmp_path):
        file = UsageFile(tmp_path, "u")
        file.usage.prompt_tokens, file.usage.usd = 100, 0.5
        file.save({"tokens": 400.0})
        again = UsageFile(tmp_path, "u")
        assert again.usage == file.usage
        assert again.spent() == {"tokens": 400.0, "usd": 0.5}

    def test_a_job_without_a_folder_writes_none(self):
        file = UsageFile(None, "u")
        file.save({"tokens": 1.0})
        assert file.usage == Usage()


class TestClosing:
    def test_a_judge_that_cannot_be_closed_is_named_and_the_others_are_closed(self, home):
        closed = []

        class Closing:
            def __init__(self, error=None):
                self.error = error

            async def ask(self, ask):
                return Reply()

            async def aclose(self):
                closed.append(self)
                if self.error is not None:
                    raise self.error

        spec = JudgeSpec(name="made", summary="made", build=lambda *_: None)
        use = JudgeUse(use="test/made")
        parts = {"bad": Closing(ValueError("no")), "good": Closing()}
        judges = Judges({name: HostedJudge(name, judge, spec, use, home) for name, judge in parts.items()}, home)
        with pytest.raises(JobError, match="judge 'bad' could not be closed: ValueError: no"):
            judges.close()
        assert closed == list(parts.values())

    def test_one_that_hangs_is_left_behind(self, home, monkeypatch):
        monkeypatch.setattr("rewardlab.judging.judges.CLOSE_LIMIT", 0.05)

        class Hanging:
            async def ask(self, ask):
                return Reply()

            async def aclose(self):
                await asyncio.sleep(3600)

        spec = JudgeSpec(name="made", summary="made", build=lambda *_: None)
        judges = Judges({"a": HostedJudge("a", Hanging(), spec, JudgeUse(use="test/made"), home)}, home)
        judges.close()
