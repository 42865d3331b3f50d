"""Judges that several servers ask within one limit and one budget: checked at the judge's own server."""

import json
import threading

import pytest
from rewardlab.errors import UserError
from rewardlab.judging import Share
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_serve.judge_share import shared_scorer

from .test_groups import error


@pytest.fixture
def judge(judge_server):
    with judge_server.Serving(judge_server.JudgeServer(latency=0.02)) as server:
        yield server


def recipe(judge, **limits):
    use = {"use": "openai/chat", "with": {"model": "m", "base_url": judge.url, "max_tokens": 20}, **limits}
    components = {"preference": {"use": "pairwise/win_rate", "with": {"judge": "j"}}}
    return {"version": 1, "judges": {"j": use}, "reward": {"components": components, "total": "preference"}}


def ask_all(servers, groups):
    """The answers of groups that are asked at once, in turn by each of the servers."""
    found = {}

    def ask(number):
        row = {"id": f"g{number}", "prompt": f"{number}?", "answer": "2", "completions": [f"{number}", f"{number} 2"]}
        found[number] = servers[number % len(servers)].ask("/v1/groups", row)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(groups)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(groups)]


def test_the_judge_never_has_more_questions_than_the_recipe_allows(serving, judge):
    servers = [serving(recipe(judge, concurrency=4), shared={"share": share}) for share in ("1/3", "2/3", "3/3")]
    found = ask_all(servers, 30)
    assert [one.status for one in found] == [200] * 30
    assert judge.answered == 60, "both orders of each pair"
    assert judge.most_under_way == 4


def test_the_budget_is_that_of_all_servers_and_lasts_over_restarts(serving, judge, tmp_path):
    few, shares = recipe(judge, budget={"tokens": 12_000}), ("1/2", "2/2")
    servers = [serving(few, shared={"share": share, "state": tmp_path}) for share in shares]
    refused = [one for one in ask_all(servers, 40) if one.status != 200]
    assert {error(one) for one in refused} == {(503, "scoring_failed")}
    assert " of what was left of its budget of 6000 tokens is used up" in refused[0].body["error"]["message"]
    assert 8_000 < judge.tokens <= 12_000
    spent, new = judge.tokens, {"prompt": "new?", "answer": "2", "completions": ["a", "b"]}
    for server in servers:
        assert error(server.ask("/v1/groups", new)) == (503, "scoring_failed")
        assert "its budget" in server.ask("/readyz").body["reason"]
    with pytest.raises(UserError, match="another server has share 1/2 of the judges here"):
        serving(few, shared={"share": "1/2", "state": tmp_path})
    servers[0].end()
    again = serving(few, shared={"share": "1/2", "state": tmp_path})
    assert error(again.ask("/v1/groups", new)) == (503, "scoring_failed")
    assert judge.tokens == spent
    for server in (servers[1], again):
        server.end()
    usage = [json.loads(path.read_text("utf-8")) for path in tmp_path.glob("j.usage.*-of-2.json")]
    assert sum(one["prompt_tokens"] + one["completion_tokens"] for one in usage) == spent


@pytest.mark.parametrize(("runs", "begins"), [("1/1", "1/2"), ("1/2", "1/1"), ("1/2", "3/4")])
def test_a_server_of_another_number_of_shares_is_refused(judge, tmp_path, runs, begins):
    (tmp_path / "lock.usage.1-of-9.json").write_text("{}")  # of a judge of that name
    plan = make_plan(load(recipe(judge), [], strict=False), purpose="score")
    with shared_scorer(plan, Share.parse(runs), tmp_path):
        why = f"a server with share {runs} of the judges here runs: end all of its kind before one with share {begins}"
        with (
            pytest.raises(UserError, match=why),
            shared_scorer(plan, Share.parse(begins), tmp_path),
        ):
            pass
    with shared_scorer(plan, Share.parse(begins), tmp_path):  # the other has ended
        pass


def test_of_two_that_begin_at_the_same_time_one_has_the_judges(judge, tmp_path):
    plan = make_plan(load(recipe(judge), [], strict=False), purpose="score")
    rounds, shares = 40, ("1/3", "1/4")
    together, refused = threading.Barrier(len(shares)), []

    def begin(share):
        for number in range(rounds):
            together.wait()
            try:
                with shared_scorer(plan, Share.parse(share), tmp_path / str(number)):
                    together.wait()
            except UserError as error:
                refused.append(str(error))
                together.wait()

    threads = [threading.Thread(target=begin, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == rounds
    assert all("of the judges here runs: end all of its kind before one with share 1/" in why for why in refused)


def test_a_limit_that_is_too_small_to_be_divided_is_said(serving, judge):
    with pytest.raises(
        UserError, match=r"judge 'j': concurrency 3 cannot be divided between 4 processes; let at most 3"
    ):
        serving(recipe(judge, concurrency=3), shared={"share": "2/4"})


def test_what_is_no_share_is_said():
    for text in ("", "2", "0/4", "5/4", "1/0", "a/b", "1/-2", "1.0/2", "1/2/3"):
        with pytest.raises(UserError, match="such as 1/4 for the first of four parts, not"):
            Share.parse(text)
