"""Judges that several servers ask within one limit and one budget: checked at the judge's own server."""

import json
import threading

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab.serving import bound_socket
from rewardlab_leases import judge_lender
from rewardlab_serve import judge_lending

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


def test_the_judge_never_has_more_questions_than_the_recipe_allows(serving, judge, tmp_path):
    lender = serving(recipe(judge, concurrency=3), sharing={"lends": tmp_path})
    others = [serving(recipe(judge, concurrency=3), sharing={"borrows": lender.url}) for _ in range(2)]
    found = ask_all([lender, *others], 30)
    assert [one.status for one in found] == [200] * 30
    assert judge.answered == 60, "both orders of each pair"
    assert judge.most_under_way == 3


@pytest.mark.slow
def test_the_budget_is_that_of_all_servers_and_lasts_over_a_restart(serving, judge, tmp_path, monkeypatch):
    monkeypatch.setattr(judge_lender, "RESTART_GRACE_S", 0.0)
    few = recipe(judge, budget={"tokens": 12_000})
    lender = serving(few, sharing={"lends": tmp_path})
    other = serving(few, sharing={"borrows": lender.url})
    found = ask_all([lender, other], 40)
    refused = [one for one in found if one.status != 200]
    assert {error(one) for one in refused} == {(503, "scoring_failed")}
    assert "its budget of 12000 tokens is used up" in refused[0].body["error"]["message"]
    assert 0 < judge.tokens <= 12_000
    spent, new = judge.tokens, {"prompt": "new?", "answer": "2", "completions": ["a", "b"]}
    assert error(other.ask("/v1/groups", new)) == (503, "scoring_failed")
    assert "its budget" in other.ask("/readyz").body["reason"]
    with pytest.raises(UserError, match="another server lends from this folder"):
        serving(few, sharing={"lends": tmp_path})
    lender.end()
    again = serving(few, sharing={"lends": tmp_path}, port=lender.port)
    assert error(again.ask("/v1/groups", new)) == (503, "scoring_failed")
    assert judge.tokens == spent
    for server in (other, again):
        server.end()
    usage = json.loads((tmp_path / "j.usage.json").read_text("utf-8"))
    assert usage["prompt_tokens"] + usage["completion_tokens"] == spent, "nothing is counted twice"


class TestAServerThatBorrows:
    def test_is_not_started_without_a_lender(self, serving, judge):
        nobody = serving(recipe(judge))
        with pytest.raises(UserError, match="no POST /v1/leases"):
            serving(recipe(judge), sharing={"borrows": nobody.url})
        nobody.stop()
        with pytest.raises(JobError, match="no answer of the server that lends its judges"):
            serving(recipe(judge), sharing={"borrows": "http://127.0.0.1:9"})

    def test_nor_by_one_that_says_nothing(self, serving, judge, monkeypatch):
        monkeypatch.setattr(judge_lending, "ANSWER", 0.2)
        with bound_socket("127.0.0.1", 0) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            with pytest.raises(JobError, match="no answer of the server that lends its judges after 2 tries"):
                serving(recipe(judge), sharing={"borrows": url})

    def test_nor_with_other_judges(self, serving, judge, tmp_path):
        lender = serving(recipe(judge, concurrency=3), sharing={"lends": tmp_path})
        with pytest.raises(UserError, match="judge 'j' is another one here: serve the same recipe"):
            serving(recipe(judge, concurrency=4), sharing={"borrows": lender.url})

    def test_needs_the_token(self, serving, judge, tmp_path):
        lender = serving(recipe(judge), sharing={"lends": tmp_path}, token="t")
        with pytest.raises(UserError, match="HTTP 401"):
            serving(recipe(judge), sharing={"borrows": lender.url}, token="other")
        assert serving(recipe(judge), sharing={"borrows": lender.url}, token="t").ask("/healthz").status == 200

    def test_loses_its_places_when_it_says_nothing(self, serving, judge, tmp_path, monkeypatch):
        monkeypatch.setattr(judge_lending, "SILENT", 0.0)
        lender = serving(recipe(judge, concurrency=1), sharing={"lends": tmp_path})
        digests = {"process": "gone", "judges": {}}
        held = lender.ask("/v1/leases", {**digests, "reports": {"j": {"permits": 0, "wanted": 1}}})
        assert held.body["grants"]["j"]["permits"] == 1
        assert ask_all([lender], 1)[0].status == 200

    def test_nor_does_it_keep_others_from_the_budget(self, serving, judge, tmp_path, monkeypatch):
        monkeypatch.setattr(judge_lending, "SILENT", 0.0)
        lender = serving(recipe(judge, budget={"tokens": 12_000}), sharing={"lends": tmp_path})

        def grant(process, **wishes):
            report = {"permits": 0, "wanted": 1, **wishes}
            asked = {"process": process, "judges": {}, "reports": {"j": report}}
            return lender.ask("/v1/leases", asked).body["grants"]["j"]

        assert grant("holds", needs=[[6_000, 0]])["lent"] == [6_000, 0]
        assert grant("gone", needs=[[7_000, 0]], first=[7_000, 0])["recall"], "it waits for the others' part"
        assert not grant("other")["recall"]
        often = [grant(f"{number}", wanted=0)["soonest"] for number in range(20)]
        assert often[-1] == often[0], "those that are gone do not make the others report more seldom"


def test_a_report_that_is_none_is_refused(serving, judge, tmp_path):
    lender = serving(recipe(judge, budget={"tokens": 12_000}), sharing={"lends": tmp_path})
    for report in (
        {"permits": 10**400, "wanted": 1},
        {"permits": -5, "wanted": 1},
        {"permits": 0, "wanted": -1},
        {"permits": 0, "wanted": 1, "spent": [-(10**6), 0]},
        {"permits": 0, "wanted": 1, "spent": [10**400, 0]},
        {"permits": 0, "wanted": 1, "needs": [[-5, 5]]},
        {"permits": 0, "wanted": 1, "refund": 1e300},
        {"permits": 0, "wanted": 1, "turns": [-1e300]},
        {"permits": 0, "wanted": 1, "usage": {"calls": -7}},
    ):
        body = {"process": "p", "judges": {}, "reports": {"j": report}}
        assert error(lender.ask("/v1/leases", body)) == (400, "bad_request"), report
    other = {"process": "p", "judges": {}, "reports": {"other": {"permits": 0, "wanted": 1}}}
    assert error(lender.ask("/v1/leases", other)) == (409, "conflict")
    for body in (
        {},
        [],
        {"process": 1, "judges": {}, "reports": {}},
        {"process": "p", "judges": {}, "reports": {"j": 3}},
    ):
        assert error(lender.ask("/v1/leases", body)) == (400, "bad_request")
    assert ask_all([lender], 1)[0].status == 200


def test_a_server_whose_way_to_the_lender_is_cut_ends_no_other(serving, judge, tmp_path):
    lender = serving(recipe(judge), sharing={"lends": tmp_path})
    stopped = {"permits": 0, "wanted": 0, "stopped": "no lender"}
    assert lender.ask("/v1/leases", {"process": "p", "judges": {}, "reports": {"j": stopped}}).status == 200
    assert ask_all([lender], 1)[0].status == 200
