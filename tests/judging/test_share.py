"""Several processes that ask one judge: its limits hold for all of them together, and nothing that was paid is lost."""

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import pytest
from rewardlab import Ask, JudgeSpec, Reply
from rewardlab.files import is_held
from rewardlab.judging import Share, usage
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.judging.judges import Judges
from rewardlab.judging.settings import JudgingSettings
from rewardlab.judging.usage import Usage, UsageFile, read_usage
from rewardlab.recipe.use import JudgeUse

SPEC = JudgeSpec(name="made", summary="made", build=lambda *_: None, most_tokens=lambda options: 8)


class Server:
    """A judge that counts the tokens of its answers; `hold` leaves questions without one, as a kill does."""

    def __init__(self):
        self.asked, self.tokens, self.under_way, self.most, self.hold = [], 0, 0, 0, False

    async def ask(self, ask):
        self.asked.append(ask.messages[0]["content"])
        self.tokens += 11
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(60.0 if self.hold else 0.002)
        finally:
            self.under_way -= 1
        return Reply(text="yes", prompt_tokens=8, completion_tokens=3)


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def opened(home, tmp_path, server):
    """`opened(Share(1, 2), budget={...})`: the judge "main" as a process with that share asks it."""

    def make(share=None, **limits):
        use = JudgeUse.model_validate({"use": "test/made", "retries": 0, **limits})
        settings = JudgingSettings(folder=tmp_path, share=share or Share())
        return HostedJudge("main", server, SPEC, use, home, None, settings)

    return make


def ask(home, *judges_and_texts):
    """The replies to texts, each asked at once of its judge."""

    async def all_of_them():
        questions = ((judge, Ask(messages=({"role": "user", "content": text},))) for judge, text in judges_and_texts)
        return await asyncio.gather(*(judge.ask(question) for judge, question in questions))

    return home.run(all_of_them())


def close(home, *judges):
    for judge in judges:
        Judges({"main": judge}, home).close()


@pytest.mark.parametrize("parts", [1, 2, 3, 5])
def test_parts_are_the_whole_and_differ_by_one_at_most(parts):
    use = JudgeUse(use="test/made", concurrency=7, requests_per_minute=100, tokens_per_minute=None)
    divided = [Share(part, parts).limits("main", use) for part in range(1, parts + 1)]
    assert sum(one.concurrency for one in divided) == 7
    assert sum(one.requests_per_minute for one in divided) == 100
    assert {one.tokens_per_minute for one in divided} == {None}
    assert max(one.concurrency for one in divided) - min(one.concurrency for one in divided) <= 1


def test_together_they_ask_as_much_at_once_as_the_recipe_allows(home, opened, server):
    judges = [opened(Share(part, 3), concurrency=4) for part in (1, 2, 3)]
    ask(home, *((judges[number % 3], f"{number}") for number in range(60)))
    assert server.most == 4
    close(home, *judges)


def test_answers_of_others_serve_those_that_open_later(home, opened, server, tmp_path):
    first, second = opened(Share(1, 2)), opened(Share(2, 2))
    ask(home, (first, "a"), (second, "b"))
    close(home, first, second)
    for share in (Share(1, 2), Share(2, 2), Share(1, 3), Share()):
        again = opened(share)
        assert [reply.text for reply in ask(home, (again, "a"), (again, "b"))] == ["yes", "yes"]
        close(home, again)
    assert server.asked == ["a", "b"]
    assert sorted(path.name for path in tmp_path.glob("*.1-of-2.answers.jsonl")) == ["main.1-of-2.answers.jsonl"]


@pytest.mark.parametrize("seed", range(2))
def test_a_budget_is_never_passed_however_processes_die(home, opened, server, tmp_path, seed):
    """Processes die with questions under way, are started again, and are as many as ever the next attempt wants."""
    drawn, limit, number = random.Random(seed), 3_000, 0
    for parts in (2, 3, 1, 2):
        UsageFile(tmp_path, "main")  # as whoever starts an attempt does
        shares = [Share(part, parts) for part in range(1, parts + 1)]
        judges = [opened(share, budget={"tokens": limit}) for share in shares]
        for _ in range(6):
            number += 5
            ask(home, *((drawn.choice(judges), f"{number + k}") for k in range(5)))
            place = drawn.randrange(parts)
            died(home, server, judges[place])
            judges[place] = opened(shares[place], budget={"tokens": limit})
        close(home, *judges)
    whole = UsageFile(tmp_path, "main").usage
    assert server.tokens <= limit
    assert 0 < whole.prompt_tokens + whole.completion_tokens <= server.tokens


@pytest.mark.parametrize("parts_in_turn", [(2, 1, 2), (3, 2, 4, 3)])
def test_a_budget_is_that_of_all_parts_whatever_their_number_was(home, opened, server, parts_in_turn):
    for number, parts in enumerate(parts_in_turn):
        judges = [opened(Share(part, parts), budget={"tokens": 3_000}) for part in range(1, parts + 1)]
        for question in range(300):
            ask(home, *((judge, f"{number} {question} {place}") for place, judge in enumerate(judges)))
        close(home, *judges)
    assert 2_000 < server.tokens <= 3_000


def died(home, server, judge):
    """Let a judge's process die with a question under way: nothing of it is closed, and its last counts are lost."""
    server.hold = True
    lost = home.submit(judge.ask(Ask(messages=({"role": "user", "content": f"lost {len(server.asked)}"},))))
    home.run(asyncio.sleep(0.005))
    lost.cancel()
    server.hold = False


def test_what_one_leaves_of_its_part_is_free_for_the_next_attempt(home, opened, server, tmp_path):
    judges = [opened(Share(part, 2), budget={"tokens": 400}) for part in (1, 2)]
    replies = [reply for number in range(20) for reply in ask(home, (judges[0], f"{number}"))]
    assert "part 1/2 of what was left of its budget of 200 tokens is used up" in replies[-1].error
    close(home, *judges)
    spent = UsageFile(tmp_path, "main").usage
    assert spent.prompt_tokens + spent.completion_tokens == server.tokens < 200
    again = opened(Share(1, 2), budget={"tokens": 400})
    assert ask(home, (again, "new"))[0].error is None
    close(home, again)


class TestFiles:
    def counted(self, folder, share, calls):
        file = UsageFile(folder, "main", share)
        file.usage.calls += calls
        file.save({"tokens": 10.0 * file.usage.calls})

    def test_of_parts_are_added_to_the_whole_and_removed(self, tmp_path):
        self.counted(tmp_path, Share(), 1)
        self.counted(tmp_path, Share(1, 2), 2)
        self.counted(tmp_path, Share(2, 2), 4)
        (tmp_path / "main2.usage.1-of-2.json").write_text("{}")
        whole = UsageFile(tmp_path, "main")
        assert (whole.usage.calls, whole.earlier.calls, whole.spent()["tokens"]) == (7, 7, 70.0)
        assert sorted(path.name for path in tmp_path.glob("*.json")) == ["main.usage.json", "main2.usage.1-of-2.json"]

    @pytest.mark.slow
    @pytest.mark.parametrize("cut_off", [Share(), Share(1, 4), Share(1, 2)])
    @pytest.mark.parametrize("again", [Share(), Share(1, 4), Share(1, 2)])
    def test_each_counts_once_wherever_that_is_cut_off(self, tmp_path, monkeypatch, cut_off, again):
        for cut in range(8):
            folder = tmp_path / f"{cut}"
            folder.mkdir()
            self.counted(folder, Share(), 1)
            self.counted(folder, Share(1, 2), 2)
            self.counted(folder, Share(2, 2), 4)
            steps = iter(range(100))

            def unless_cut(real, steps=steps, cut=cut):
                def step(*arguments, **more):
                    if next(steps) == cut:
                        raise KeyboardInterrupt
                    return real(*arguments, **more)

                return step

            with monkeypatch.context() as patch:
                patch.setattr(usage, "write_json", unless_cut(usage.write_json))
                patch.setattr(Path, "unlink", unless_cut(Path.unlink))
                with suppress(KeyboardInterrupt):
                    UsageFile(folder, "main", cut_off)
            self.counted(folder, again, 8)  # may be in a file of the same name as one that was settled
            whole = UsageFile(folder, "main")
            assert (whole.usage.calls, whole.spent()["tokens"]) == (15, 150.0), cut

    def test_of_another_number_of_parts_are_added_by_one_process_at_a_time(self, tmp_path, monkeypatch):
        self.counted(tmp_path, Share(1, 2), 2)
        held, write = [], usage.write_json

        def writing(*arguments):
            held.append(is_held(tmp_path / "usage.lock"))
            write(*arguments)

        monkeypatch.setattr(usage, "write_json", writing)
        UsageFile(tmp_path, "main", Share(1, 4))
        assert held
        assert all(held)
        assert not is_held(tmp_path / "usage.lock")

    def test_are_read_as_they_are_while_others_count(self, tmp_path):
        self.counted(tmp_path, Share(), 1)
        self.counted(tmp_path, Share(2, 2), 4)
        assert read_usage(tmp_path, ["main"]) == {"main": Usage(calls=1)}
        assert read_usage(tmp_path, ["main"], Share(2, 2)) == {"main": Usage(calls=4)}
        assert read_usage(tmp_path, ["main"], Share(1, 2)) == {"main": Usage()}
