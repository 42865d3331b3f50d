"""OpenReward's requests as its client 0.1.167 sends them, and the events that it reads."""

import json
from types import SimpleNamespace

import pytest

from .test_groups import RIGHT, WRONG, error, faulty

ROW = {"prompt": [{"role": "system", "content": "Add."}, {"role": "user", "content": "1+1?"}], "answer": "2"}
GROUP = {
    "version": 1,
    "reward": {
        "components": {"accuracy": {"use": "math/accuracy"}},
        "total": "accuracy",
        "normalize": [{"use": "normalize/center"}],
    },
}


def events(found):
    """The task, and the value that the client puts together from the parts as it reads them."""
    assert (found.status, found.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
    read = []
    for block in found.body.strip().split("\n\n"):
        lines = [line.split(":", 1) for line in block.split("\n") if not line.startswith(":")]
        if lines:
            read.append({name: value.lstrip() for name, value in lines})
    assert [one["event"] for one in read[:-1]] == ["task_id", *["chunk"] * (len(read) - 2)]
    end = read[-1]
    text = "".join(one["data"] for one in read[1:])
    return SimpleNamespace(task=read[0]["data"], kind=end["event"], text=text, parts=len(read) - 1)


class Session:
    """What one client does."""

    def __init__(self, server, row=ROW, start="", key="k"):
        self.server, self.start = server, start
        self.headers = {"X-API-Key": key, "X-Session-ID": ""}
        self.headers["X-Session-ID"] = events(self.ask("/create_session", {})).task
        self.created = self.ask("/create", {"env_name": "rewardlab", "task_spec": row})

    def ask(self, path, body=None, method="POST"):
        return self.server.ask(path, body, method, self.headers)

    def score(self, *candidates):
        turns = [one if isinstance(one, list) else [said(one)] for one in candidates]
        body = {"candidates": [{"messages": one, "metadata": None} for one in turns]}
        return self.ask(f"{self.start}/score_group", body)


def said(text, *before):
    return {"role": "assistant", "blocks": [*before, {"type": "text", "text": text, "detail": None}]}


@pytest.mark.parametrize("start", ["", "/rewardlab"])
def test_a_session_has_its_group_scored(serving, start):
    session = Session(serving(GROUP, doors=["openreward"]), start=start)
    assert session.created.body == {"sid": session.headers["X-Session-ID"]}
    assert session.ask(f"{start}/task_tools", method="GET").body["supports_score_group"] is True
    assert session.ask("/ping").body == {"status": "ok"}
    thought = {"type": "reasoning", "text": f"perhaps {RIGHT}"}
    found = json.loads(events(session.score(RIGHT, [{"role": "user", "blocks": []}, said(WRONG, thought)])).text)
    assert [one["reward"] for one in found["scores"]] == [0.5, -0.5]
    assert [one["metadata"]["components"] for one in found["scores"]] == [{"accuracy": 1.0}, {"accuracy": 0.0}]


def test_the_prompt_is_the_rows(serving):
    session = Session(serving(doors=["openreward"]))
    turns = session.ask("/messages", method="GET").body
    assert turns[1] == {"role": "user", "blocks": [{"type": "text", "text": "1+1?"}]}
    assert [block["text"] for block in session.ask("/prompt", method="GET").body] == ["Add.", "1+1?"]


def test_a_last_message_ends_the_episode_without_a_reward_of_its_own(serving):
    session = Session(serving(doors=["openreward"]))
    output = json.loads(events(session.ask("/call", {"name": "answer", "input": {"text": RIGHT}})).text)["output"]
    assert (output["reward"], output["finished"]) == (None, True)
    assert error(session.ask("/call", {"name": "bash", "input": {}})) == (422, "bad_body")


def test_long_answers_come_in_parts(serving):
    read = events(Session(serving(doors=["openreward"])).score(*[f"{n} {RIGHT}" for n in range(300)]))
    assert read.parts > 3
    assert len(json.loads(read.text)["scores"]) == 300


class TestARowThatCannotBeScored:
    def test_is_said_before_a_rollout_is_paid_for(self, serving):
        session = Session(serving(doors=["openreward"]), row={"prompt": "1+1?"})
        assert error(session.created) == (422, "bad_row")
        assert error(session.score(RIGHT)) == (404, "unknown_session")

    @pytest.mark.parametrize("body", [{"split": "train", "index": 0}, {"task_spec": 3}, [], None])
    def test_nor_is_one_of_the_servers(self, serving, body):
        session = Session(serving(doors=["openreward"]))
        session.headers["X-Session-ID"] = "other"
        assert error(session.ask("/create", body)) == (422, "bad_body")


@pytest.mark.parametrize("turns", [[], [{"role": "user", "blocks": []}], [{"role": "assistant"}], [3]])
def test_a_candidate_without_an_answer_is_refused(serving, turns):
    assert error(Session(serving(doors=["openreward"])).score(turns)) == (422, "bad_body")


class TestAFailure:
    def test_at_once_is_a_status_that_the_client_repeats(self, serving, toy):
        recipe = faulty(**{"with": {"how": "fail"}})
        assert error(Session(serving(recipe, doors=["openreward"])).score("BAD")) == (503, "scoring_failed")

    def test_of_one_candidate_leaves_the_group_without_a_number(self, serving, toy):
        recipe = faulty(on_missing="zero_advantage", max_missing=1, **{"with": {"how": "fail"}})
        assert error(Session(serving(recipe, doors=["openreward"])).score("good", "BAD")) == (503, "missing_reward")

    def test_later_is_an_event(self, serving, toy, monkeypatch):
        monkeypatch.setattr("rewardlab_serve.doors.openreward.BEFORE_STREAM", 0.0)
        read = events(Session(serving(faulty(**{"with": {"how": "fail"}}), doors=["openreward"])).score("BAD"))
        assert read.kind == "error"
        assert "toy" in read.text


def test_a_closed_session_is_forgotten(serving):
    session = Session(serving(doors=["openreward"]))
    assert session.ask("/delete").status == session.ask("/delete_session").status == 200
    assert error(session.ask("/ping")) == (404, "unknown_session")


def test_sessions_that_nobody_asks_for_make_room(serving, monkeypatch):
    monkeypatch.setattr("rewardlab_serve.doors.sessions.MAX_MEMORY", 2500)
    server = serving(doors=["openreward"])
    first, second = Session(server), Session(server)
    assert error(second.created) == (429, "too_many_requests")
    monkeypatch.setattr("rewardlab_serve.doors.sessions.STALE", 0.0)
    assert Session(server).created.status == 200
    assert error(first.ask("/ping")) == (404, "unknown_session")


def test_a_session_that_was_asked_for_outlives_an_older_one_that_was_not(serving, monkeypatch):
    server, now = serving(doors=["openreward"]), 0.0
    monkeypatch.setattr("rewardlab_serve.doors.sessions.time", SimpleNamespace(monotonic=lambda: now))
    asked, left = Session(server), Session(server)
    now = 800.0
    assert asked.ask("/ping").status == 200
    now = 1000.0
    Session(server)
    assert [one.ask("/ping").status for one in (asked, left)] == [200, 404]


def test_the_token_may_come_as_the_clients_key(serving):
    server = serving(doors=["openreward"], token="t")
    assert Session(server, key="t").created.status == 200
    assert error(server.ask("/create_session", {}, headers={"X-API-Key": "other"})) == (401, "unauthorized")


def test_a_request_without_a_body_needs_no_type_and_another_does(serving):
    server = serving(doors=["openreward"])
    headers = {"Content-Type": "text/plain"}
    assert error(server.ask("/v1/groups", b"{}", headers=headers)) == (415, "bad_request")
    assert error(server.ask("/v1/groups", method="POST", headers=headers)) == (422, "bad_body")


def test_rewards_of_whole_conversations_read_what_tools_did(serving):
    read_all = {"box": {"use": "format/boxed", "reads": "all"}, "last": {"use": "format/boxed"}}
    recipe = {"version": 1, "reward": {"components": read_all, "total": "box - last"}}
    session = Session(serving(recipe, doors=["openreward"]))
    asked = [{"role": one["role"], "blocks": [{"type": "text", "text": one["content"]}]} for one in ROW["prompt"]]
    call = {"role": "assistant", "blocks": [{"type": "tool_call", "id": "c", "name": "calc", "input": {"of": "1+1"}}]}
    result = [{"type": "tool_result", "tool_call_id": "c", "blocks": [{"type": "text", "text": RIGHT}]}]
    talk = [call, {"role": "user", "blocks": result}, said("it is done")]
    found = json.loads(events(session.score([*asked, *talk], talk, [*asked, said("no box")])).text)
    assert [one["reward"] for one in found["scores"]] == [1.0, 1.0, 0.0]
    image = {"role": "user", "blocks": [{"type": "image", "data": "", "mimeType": "image/png"}]}
    assert error(session.score([image, said(RIGHT)])) == (422, "bad_body")
