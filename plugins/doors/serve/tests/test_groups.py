"""Groups and their members: each is scored once, and its numbers are those of `rewardlab score`."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from helpers.advice import as_advised
from rewardlab import load_reward

from .conftest import RECIPE

ROW = {"prompt": "1+1?", "answer": "2"}
RIGHT, WRONG = "\\boxed{2}", "\\boxed{3}"


def faulty(**options):
    components = {"box": {"use": "format/boxed"}, "toy": {"use": "toy/faulty", **options}}
    return {"version": 1, "reward": {"components": components, "total": "box + toy"}}


def error(answer):
    return answer.status, answer.body["error"]["kind"]


def waiting_member(server, body, slot=0):
    """Ask about a member of group g, which waits for the others; what is returned waits for its answer."""
    found = []
    asking = threading.Thread(target=lambda: found.append(server.ask(f"/v1/groups/g/members/{slot}", body)))
    asking.start()
    while server.ask("/v1/groups/g").body.get("arrived") != slot + 1:
        time.sleep(0.01)

    def answer():
        asking.join()
        return found[0]

    return answer


class TestWholeGroups:
    @pytest.mark.slow
    def test_answer_is_the_line_that_score_writes(self, serving, main, write, tmp_path):
        texts = [RIGHT, "x", "\\boxed{4/2} ünï \u2028", ""]
        rows = [{"id": f"g{number}", **ROW, "completions": texts[: number + 1]} for number in range(4)]
        rows += [{"completions": [RIGHT], **row} for row in ({"id": 7, **ROW}, {**ROW, "prompt": "2+2?"})]
        assert main("score", write("r.yaml", json.dumps(RECIPE)), write("rows.jsonl", rows), "-o", "out.jsonl")[0] == 0
        server = serving()
        lines = [server.ask("/v1/groups", row).body for row in rows]
        assert lines == [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert server.ask("/v1/groups/7").body["total"] == [1.1]
        assert server.ask("/v1/groups", {**rows[4], "id": "7"}).body["id"] == "7"

    def test_a_conversation_is_read_by_its_last_answer_and_is_another_one_with_other_messages(self, serving):
        server = serving()
        talk = [{"role": "tool", "content": RIGHT}, {"role": "assistant", "content": WRONG}]
        row = {**ROW, "id": "g", "completions": [talk, {"messages": [talk[1]], "token_count": 3}, RIGHT]}
        assert server.ask("/v1/groups", row).body["total"] == [0.1, 0.1, 1.1]
        talk[0] = {"role": "tool", "content": WRONG}
        assert error(server.ask("/v1/groups", row)) == (409, "conflict")
        bad = server.ask("/v1/groups", {**ROW, "completions": [[talk[0]]]})
        assert bad.status == 422 or bad.status == 400
        assert "completions[0] has no assistant message" in bad.body["error"]["message"]

    def test_a_repeat_is_answered_from_what_is_there(self, serving, toy, tmp_path):
        server = serving()
        row = {**ROW, "completions": [RIGHT, WRONG]}
        first, again = (server.ask("/v1/groups", row).body for _ in range(2))
        assert first == again
        assert 'rewardlab_groups_total{outcome="scored"} 1.0' in server.ask("/metrics").body

    def test_an_integer_beyond_64_bits_stays_what_it_is(self, serving):
        large = 123456789012345678901234567890
        row = {"prompt": "?", "answer": large, "completions": [f"\\boxed{{{large}}}", f"\\boxed{{{large + 1}}}"]}
        assert serving().ask("/v1/groups", row).body["components"]["accuracy"]["value"] == [1.0, 0.0]

    def test_has_the_columns_that_the_recipe_names(self, serving):
        fields = {"id": "qid", "prompt": "question", "answer": "gold"}
        server = serving({**RECIPE, "dataset": {"use": "data/jsonl", "with": {"path": "x.jsonl"}, "fields": fields}})
        row = {"qid": "a", "question": "1+1?", "gold": "2"}
        assert server.ask("/v1/groups", {**row, "completions": [RIGHT]}).body["id"] == "a"
        assert error(server.ask("/v1/groups", {**row, "completions": [WRONG]})) == (409, "conflict")

    def test_has_a_bound(self, serving):
        found = serving().ask("/v1/groups", {**ROW, "completions": [""] * 5000})
        assert error(found) == (422, "bad_row")
        assert "a group has 1 to 4,096 completions, not 5,000" in found.body["error"]["message"]

    def test_that_is_refused_leaves_none_of_its_completions_behind(self, serving):
        server = serving()
        waiting_member(server, {"size": 3, **ROW, "completion": RIGHT})
        assert error(server.ask("/v1/groups", {"id": "g", **ROW, "completions": ["y", "x", "x"]})) == (409, "conflict")
        assert server.ask("/v1/groups/g").body["arrived"] == 1

    def test_batch_says_of_each_group_its_scores_or_why_not(self, serving):
        groups = [{**ROW, "completions": [RIGHT]}, {"prompt": "?", "completions": ["x"]}, 7]
        found = serving().ask("/v1/batch", {"groups": groups})
        assert found.status == 200
        first, second, third = found.body["groups"]
        assert first["total"] == [1.1]
        assert (second["error"]["kind"], third["error"]["kind"]) == ("bad_row", "bad_body")
        assert "field 'answer' is needed by accuracy" in second["error"]["message"]


def test_a_column_is_called_as_the_message_says(serving):
    row = {"prompt": "1+1?", "solution": "2", "completions": [RIGHT, "x"]}
    missing = serving().ask("/v1/groups", row)
    assert missing.status == 422
    named = serving(as_advised(RECIPE, missing.body["error"]["message"], "solution")).ask("/v1/groups", row)
    assert named.body["total"] == [1.1, 0]


def test_a_row_whose_field_a_reward_cannot_use_is_a_bad_row(serving):
    reward = {"components": {"choice": {"use": "choice/accuracy"}}, "total": "choice"}
    row = {"prompt": "?", "choices": ["a", "b"], "answer": "", "completions": ["\\boxed{A}"]}
    found = serving({"version": 1, "reward": reward}).ask("/v1/groups", row)
    assert error(found) == (422, "bad_row")
    assert "the right choice is ''" in found.body["error"]["message"]


class TestMembers:
    def test_wait_for_each_other_and_get_the_numbers_of_the_group(self, serving):
        recipe = {
            "version": 1,
            "reward": {
                "components": {"box": {"use": "format/boxed"}},
                "total": "box",
                "normalize": [{"use": "normalize/std"}],
            },
        }
        texts = [RIGHT, "x", "y", RIGHT]
        server = serving(recipe)
        answers = server.members("g", texts, **ROW)
        with load_reward(recipe) as reward:
            (whole,) = reward.score([{**ROW, "completions": texts}])
        assert [one.body["shaped"] for one in answers] == pytest.approx(list(whole.shaped))
        assert [one.body["components"]["box"]["value"] for one in answers] == [1.0, 0.0, 0.0, 1.0]
        assert [one.body["slot"] for one in answers] == [0, 1, 2, 3]

    def test_of_a_repeat_is_the_same_answer_and_of_another_text_a_conflict(self, serving):
        server = serving()
        server.members("g", [RIGHT, WRONG], **ROW)
        path, body = "/v1/groups/g/members/1", {"size": 2, **ROW, "completion": WRONG}
        assert server.ask(path, body).body["total"] == 0.1
        assert error(server.ask(path, {**body, "completion": "x"})) == (409, "conflict")
        assert error(server.ask(path, {**body, "size": 3})) == (409, "conflict")
        assert error(server.ask(path, {**body, "answer": "3"})) == (409, "conflict")
        assert error(server.ask("/v1/groups/g/members/2", body)) == (422, "bad_row")

    def test_of_a_group_that_stays_incomplete_end_at_the_deadline_and_can_come_again(self, serving):
        server = serving(cohort=0.3)
        body = {"size": 2, **ROW, "completion": RIGHT}
        late = server.ask("/v1/groups/g/members/0", body)
        assert error(late) == (503, "incomplete_group")
        assert "1 of 2 members of group 'g' have not come within 0.3 s: 1; send all" in late.body["error"]["message"]
        assert late.headers["Retry-After"] == "1"
        assert [one.body["total"] for one in server.members("g", [RIGHT, WRONG], **ROW)] == [1.1, 0.1]

    def test_that_came_are_a_group_of_their_own_if_the_server_says_so(self, serving, judge_server):
        """And one that comes while they are compared is too late."""
        go_on = threading.Event()
        with judge_server.Serving(judge_server.JudgeServer()) as judge:
            judge.fault = lambda *_: None if go_on.wait(30) else "500"
            components = {"preference": {"use": "pairwise/win_rate", "with": {"judge": "j"}}}
            use = {"use": "openai/chat", "with": {"model": "m", "base_url": judge.url}, "retries": 0}
            reward = {"components": components, "total": "preference"}
            server = serving({"version": 1, "judges": {"j": use}, "reward": reward}, cohort=1.5, on_partial="score")
            body = {"size": 3, "prompt": "1+1?"}
            texts = {0: "3", 2: "2 1"}
            with ThreadPoolExecutor() as asking:
                path = "/v1/groups/g/members/{}".format
                answers = [asking.submit(server.ask, path(at), {**body, "completion": texts[at]}) for at in texts]
                while server.ask("/v1/groups/g").body.get("arrived", 2) != 2:
                    time.sleep(0.01)
                time.sleep(1.5)  # the deadline is over now, whenever the first of them came
                assert error(server.ask(path(1), {**body, "completion": "1"})) == (409, "late_member")
                go_on.set()
            assert [(answer.result().body["slot"], answer.result().body["total"]) for answer in answers] == [
                (0, 0.0),
                (2, 1.0),
            ]
        kept = server.ask("/v1/groups/g").body
        assert (kept["members"], kept["total"]) == ([0, 2], [0.0, 1.0])

    def test_in_the_middle_of_a_group_that_lacks_its_first_get_their_own_rewards(self, serving):
        server = serving(cohort=0.3, on_partial="score")
        path, body = "/v1/groups/g/members/1", {"size": 2, **ROW, "completion": RIGHT}
        asked = [server.ask(path, body).body for _ in range(2)]  # at the deadline, and from what is kept
        assert [(one["slot"], one["total"]) for one in asked] == [(1, 1.1)] * 2

    def test_that_come_after_the_others_were_scored_begin_no_group(self, serving):
        server = serving(cohort=0.3, on_partial="score")
        body = {"size": 2, **ROW, "completion": RIGHT}
        assert server.ask("/v1/groups/g/members/0", body).status == 200
        late = server.ask("/v1/groups/g/members/1", body)
        assert error(late) == (409, "late_member")
        assert "slot 1 of group 'g' came after the others had been scored" in late.body["error"]["message"]
        whole = server.ask("/v1/groups", {"id": "g", **ROW, "completions": [RIGHT, RIGHT]})
        assert error(whole) == (409, "late_member")
        assert server.ask("/v1/groups/g").body["members"] == [0]

    def test_outside_of_its_group_begins_none(self, serving):
        server = serving(groups=1)
        found = server.ask("/v1/groups/g/members/2", {"size": 2, **ROW, "completion": RIGHT})
        assert error(found) == (422, "bad_row")
        assert server.ask("/v1/groups/g").status == 404
        for slot in ("9" * 5000, "-1", "\u0663".encode().decode("latin-1"), "x"):
            assert server.ask(f"/v1/groups/g/members/{quote(slot)}", {"size": 2}).status == 400

    def test_are_bounded_as_well_as_groups(self, serving):
        server = serving(memory=1500)
        body = {"size": 3, **ROW, "completion": "x" * 900}
        answers = [waiting_member(server, body, slot) for slot in range(2)]
        assert error(server.ask("/v1/groups/g/members/2", body)) == (429, "too_many_requests")
        assert error(server.ask("/v1/groups", {**ROW, "completions": [""]})) == (429, "too_many_requests")
        assert server.ask("/v1/groups/g/members/2", {**body, "completion": "x"}).status == 200
        assert [answer().status for answer in answers] == [200, 200]
        assert server.ask("/v1/groups", {**ROW, "completions": [RIGHT]}).status == 200

    def test_fields_count_as_well_as_completions(self, serving):
        server = serving(memory=1500)
        waiting_member(server, {"size": 2, **ROW, "completion": "x", "extra": "y" * 1000})
        assert error(server.ask("/v1/groups", {**ROW, "completions": [""]})) == (429, "too_many_requests")

    def test_of_many_values_hold_more_than_their_characters(self, serving):
        server = serving(memory=20_000)
        waiting_member(server, {"size": 2, **ROW, "completion": "x", "extra": [[]] * 300})
        assert error(server.ask("/v1/groups", {**ROW, "completions": [""]})) == (429, "too_many_requests")

    def test_give_their_place_back_when_their_clients_leave(self, serving):
        server = serving(requests=4)
        body = json.dumps({"size": 2, **ROW, "completion": RIGHT}).encode()
        head = "POST /v1/groups/g/members/0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for _ in range(12):
            with socket.create_connection(("127.0.0.1", server.port)) as gone:
                gone.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                while server.ask("/v1/groups/g").status != 202:
                    time.sleep(0.01)
        assert server.ask("/v1/groups/g/members/1", {"size": 2, **ROW, "completion": WRONG}).body["total"] == 0.1

    def test_one_whose_client_has_gone_still_counts(self, serving):
        server = serving()
        body = json.dumps({"size": 2, **ROW, "completion": RIGHT}).encode()
        head = "POST /v1/groups/g/members/0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            gone.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            while server.ask("/v1/groups/g").status != 202:
                time.sleep(0.01)
        assert server.ask("/v1/groups/g").body == {"id": "g", "size": 2, "arrived": 1}
        found = server.ask("/v1/groups/g/members/1", {"size": 2, **ROW, "completion": WRONG})
        assert (found.status, found.body["total"]) == (200, 0.1)
        assert server.ask("/v1/groups/g").body["total"] == [1.1, 0.1]


class TestFailures:
    def test_of_a_component_is_503_and_no_number(self, serving, toy):
        server = serving(faulty(**{"with": {"how": "fail"}}))
        found = server.ask("/v1/groups", {"prompt": "?", "completions": ["BAD", "x"]})
        assert error(found) == (503, "scoring_failed")
        assert "component 'toy'" in found.body["error"]["message"]
        assert found.headers["Retry-After"] == "1"

    def test_a_masked_member_has_no_total_and_does_not_vote(self, serving, toy):
        server = serving(faulty(on_missing="zero_advantage", max_missing=0.9, **{"with": {"how": "fail"}}))
        found = server.ask("/v1/groups", {"prompt": "?", "completions": [RIGHT, "BAD", "x", "y"]})
        assert found.body["total"] == [1.5, None, 0.5, 0.5]
        assert found.body["shaped"] == pytest.approx([1.5, 2.5 / 3, 0.5, 0.5])

    def test_too_many_of_them_end_the_answers_and_the_readiness(self, serving, toy):
        server = serving(faulty(on_missing="zero_advantage", max_missing=0.1, **{"with": {"how": "fail"}}))
        for number in range(8):
            found = server.ask("/v1/groups", {"id": number, "prompt": "?", "completions": [*["x"] * 7, "BAD"]})
        assert error(found) == (503, "scoring_failed")
        assert (
            "no value for 8 of the last 64 completions (12.5%; max_missing is 10.0%)" in found.body["error"]["message"]
        )
        assert server.ask("/readyz").status == 503
        assert "toy" not in server.ask("/readyz").body["reason"]  # without a token nobody is told more
        assert server.ask("/healthz").status == 200
        assert server.ask("/v1/groups", {"id": "good", "prompt": "?", "completions": ["x"]}).body["total"] == [0.5]

    def test_of_a_reward_that_blocks_its_thread_is_told_in_time(self, serving, toy, monkeypatch):
        monkeypatch.setattr("rewardlab.scoring.host.OVERDUE", 0.1)
        server = serving(faulty(**{"with": {"how": "hang", "seconds": 3}}), scoring=0.1)
        found = server.ask("/v1/groups", {"prompt": "?", "completions": ["BAD"]})
        assert error(found) == (503, "scoring_failed")
        assert "no scores within 0.2 s: a reward blocks its thread" in found.body["error"]["message"]

    def test_readiness_comes_back(self, serving, toy, monkeypatch):
        monkeypatch.setattr("rewardlab_serve.reward_service.UNREADY", 0.0)
        server = serving(faulty(on_missing="zero_advantage", max_missing=0.1, **{"with": {"how": "fail"}}))
        found = server.ask("/v1/groups", {"prompt": "?", "completions": ["BAD"] * 60})
        assert error(found) == (503, "scoring_failed")
        assert server.ask("/readyz").status == 200

    def test_a_failed_group_is_scored_anew(self, serving, toy, judge_server):
        with judge_server.Serving(judge_server.JudgeServer()) as judge:
            judge.fault = lambda *_: "500"
            components = {"preference": {"use": "pairwise/win_rate", "with": {"judge": "j"}}}
            use = {"use": "openai/chat", "with": {"model": "m", "base_url": judge.url}, "retries": 0}
            recipe = {"version": 1, "judges": {"j": use}}
            server = serving({**recipe, "reward": {"components": components, "total": "preference"}})
            row = {"prompt": "1+1?", "completions": ["2 1", "3"]}
            assert error(server.ask("/v1/groups", row)) == (503, "scoring_failed")
            judge.fault = None
            assert server.ask("/v1/groups", row).body["total"] == [1.0, 0.0]
            asked = len(judge.requests)
            server.ask("/v1/groups", row)
            assert len(judge.requests) == asked


class TestTheEnd:
    def test_answers_what_is_under_way_and_takes_no_new_group(self, serving):
        server = serving()
        body = {"size": 2, **ROW, "completion": RIGHT}
        answer = waiting_member(server, body)
        server.stop()
        assert error(server.ask("/v1/groups", {**ROW, "completions": [RIGHT]})) == (503, "shutting_down")
        assert server.ask("/readyz").status == 503
        assert server.ask("/v1/groups/g/members/1", {**body, "completion": WRONG}).body["total"] == 0.1
        assert answer().body["total"] == 1.1

    def test_is_hurried_by_a_second_signal(self, serving):
        server = serving(drain=30.0)
        body = {"size": 2, **ROW, "completion": RIGHT}
        answer = waiting_member(server, body)
        server.stop()
        server.stop()
        assert error(answer()) == (503, "shutting_down")

    def test_is_an_error_for_a_group_that_does_not_come_in_time(self, serving):
        server = serving(drain=0.2)
        body = {"size": 2, **ROW, "completion": RIGHT}
        answer = waiting_member(server, body)
        server.stop()
        assert error(answer()) == (503, "shutting_down")


def test_a_group_sampler_of_the_recipe_exchanges_no_rewards(serving):
    """Nothing is chosen of the completions that were asked about: each has its own reward, in their order."""
    sampler = {"use": "curriculum/balanced", "with": {"reasoning": "box", "answer": "box"}}
    texts = ["no", "\\boxed{1}", "nothing", "\\boxed{2}", "none", "\\boxed{3}"]
    reward = {"components": {"box": {"use": "format/boxed"}}, "total": "box"}
    server = serving({"version": 1, "reward": reward, "sampler": sampler})
    whole = server.ask("/v1/groups", {"id": "whole", "prompt": "?", "completions": texts})
    assert whole.body["total"] == [0.0, 1.0] * 3
    members = server.members("one-by-one", texts, prompt="?")
    assert [one.body["total"] for one in members] == [0.0, 1.0] * 3


@pytest.mark.parametrize(("second", "same"), [("b1", True), ("b c d e", False)])
def test_a_group_that_does_not_teach_gets_one_shaped_reward(serving, toy, second, same):
    """Its totals differ, by letters, and a trainer's baseline would make advantages of that."""
    components = {"short": {"use": "toy/brevity", "with": {"words": 2}}, "letters": {"use": "toy/letters"}}
    reward = {"components": components, "total": "short + letters", "teach": {"flat": "drop", "by": "short"}}
    answer = serving({"version": 1, "reward": reward}).ask("/v1/groups", {"prompt": "?", "completions": ["a", second]})
    first, other = answer.body["shaped"]
    assert (first == other) == same
    assert len({*answer.body["total"]}) == 2
