"""Who may ask, how much, and in which form: what a request is answered that may not pass."""

import gzip
import json
import socket

import pytest

from .test_groups import RIGHT, ROW, error, waiting_member

GROUP = {**ROW, "completions": [RIGHT]}


def test_a_token_is_needed_for_all_but_health(serving):
    server = serving(token="secret")
    assert error(server.ask("/v1/groups", GROUP)) == (401, "unauthorized")
    for wrong in ("Bearer other", "Bearer", "secret", "Basic secret", "Bearer sécret"):
        assert error(server.ask("/v1/groups", GROUP, headers={"Authorization": wrong})) == (401, "unauthorized")
    assert error(server.ask("/metrics")) == (401, "unauthorized")
    assert server.ask("/v1/groups", GROUP, headers={"Authorization": "Bearer secret"}).status == 200
    assert (server.ask("/healthz").status, server.ask("/readyz").status) == (200, 200)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:80", "localhost.evil.example", "", "[::1", "127.0.0.1.nip.io"),
        *("evil.com@localhost", "localhost/evil.com", "localhost?evil.com", "localhost#evil.com", "[::1%evil.com]"),
        *("localhost:80:80", "localhost:", "localhost:x", "localhost, evil.com", "localhost\\evil.com", "::1"),
    ],
)
def test_a_name_that_leads_here_by_dns_is_refused(serving, host):
    assert error(serving().ask("/v1/groups", GROUP, headers={"Host": host})) == (421, "forbidden")


def test_names_of_this_machine_pass(serving):
    server = serving(hosts=["Rewards.internal"])
    for host in ("localhost:1", "127.0.0.1", "[::1]:80", socket.gethostname(), "rewards.internal", "REWARDS.internal"):
        assert server.ask("/v1/groups", GROUP, headers={"Host": host}).status == 200


def test_pages_of_other_sites_are_refused(serving):
    server = serving()
    for origin in ("http://evil.example", "null", "http://[::1", f"http://localhost:{server.port + 1}"):
        assert error(server.ask("/v1/groups", GROUP, headers={"Origin": origin})) == (403, "forbidden")
    form = {"Content-Type": "text/plain"}  # what a page may send without being asked first
    assert error(server.ask("/v1/groups", GROUP, headers=form)) == (415, "bad_request")


def test_the_type_of_json_may_be_written_otherwise_and_no_body_may_be_packed(serving):
    server = serving()
    for kind in ("Application/JSON", "application/json; charset=utf-8", "APPLICATION/JSON;x=y"):
        assert server.ask("/v1/groups", GROUP, headers={"Content-Type": kind}).status == 200
    assert server.ask("/v1/groups", GROUP, headers={"Content-Encoding": "identity"}).status == 200
    for packed in ("gzip", "br", "deflate", "gzip, identity"):
        found = server.ask(
            "/v1/groups", gzip.compress(json.dumps(GROUP).encode()), headers={"Content-Encoding": packed}
        )
        assert error(found) == (415, "bad_request")


def test_a_request_of_two_lengths_is_refused_and_nothing_behind_it_is_read(serving):
    server = serving()
    head = "POST /v1/groups HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4\r\n"
    smuggled = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}".encode())
        answered = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answered.startswith(b"HTTP/1.1 400 ")
    assert (answered.count(b"HTTP/1.1"), b"live" in answered) == (1, False)


def test_many_small_values_count_for_the_memory_that_they_take(serving, monkeypatch):
    monkeypatch.setattr("rewardlab_serve.gate.MAX_HELD", 1_000_000)
    server = serving(requests=8)
    text = {**GROUP, "extra": "x" * 200_000}
    assert server.ask("/v1/groups", text).status == 200
    assert error(server.ask("/v1/groups", {**GROUP, "extra": [[]] * 40_000})) == (429, "too_many_requests")
    assert server.ask("/v1/groups", text).status == 200  # what was refused holds nothing


def test_a_large_body_is_refused_by_its_length_and_while_it_comes(serving):
    server = serving(body=1000)
    assert error(server.ask("/v1/groups", b"x" * 1001)) == (413, "too_large")
    chunked = iter([b"[" * 600, b"[" * 600])
    found = server.ask("/v1/groups", chunked, headers={"Transfer-Encoding": "chunked"})
    assert error(found) == (413, "too_large")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff",
        b'{"a": NaN}',
        b"[" * 100_000,
        b'{"prompt": "?", "answer": 1e999, "completions": ["x"]}',
        b'{"prompt": "?", "answer": "2", "answer": "3", "completions": ["x"]}',
        b'{"a": %s}' % (b"9" * 5000),
    ],
)
def test_garbage_is_told_what_is_wrong_with_it(serving, body):
    found = serving().ask("/v1/groups", body)
    assert error(found) == (400, "bad_request")
    assert found.body["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"7", b'{"prompt": "x"}', b'{"completions": "x"}'])
def test_json_that_is_no_group_is_told_what_it_lacks(serving, body):
    found = serving().ask("/v1/groups", body)
    assert error(found) == (422, "bad_body")
    assert found.body["error"]["message"]


def test_one_mistake_of_a_list_is_told(serving):
    found = serving().ask("/v1/groups", b'{"prompt": "?", "completions": [1, 1, 1]}')  # a million would fill the memory
    assert "completions.0" in found.body["error"]["message"]
    assert "completions.1" not in found.body["error"]["message"]


def test_more_than_the_rate_is_told_when_to_come_again(serving):
    server = serving(rate=2.0)
    statuses = [server.ask("/v1/groups", GROUP).status for _ in range(6)]
    assert statuses[0] == 200  # a second's worth may come at once
    assert 429 in statuses
    found = next(one for one in iter(lambda: server.ask("/v1/groups", GROUP), None) if one.status == 429)
    assert error(found) == (429, "too_many_requests")
    assert int(found.headers["Retry-After"]) >= 1


def test_more_groups_than_the_server_takes_are_told_to_wait(serving):
    server = serving(groups=1)
    body = {"size": 2, **ROW, "completion": RIGHT}
    answer = waiting_member(server, body)
    assert error(server.ask("/v1/groups", GROUP)) == (429, "too_many_requests")
    assert server.ask("/v1/groups/g/members/1", body).status == answer().status == 200
    assert server.members("h", [RIGHT, "x"], **ROW)[0].status == 200


def test_another_path_is_told_which_there_are(serving):
    found = serving().ask("/v1/group", GROUP)
    assert error(found) == (404, "unknown_route")
    assert "POST /v1/groups, " in found.body["error"]["message"]
    assert error(serving().ask("/v1/batch")) == (405, "unknown_route")


def test_bodies_of_all_requests_are_bounded_together(serving, monkeypatch):
    monkeypatch.setattr("rewardlab_serve.gate.MAX_HELD", 1500)
    server = serving()
    body = {"size": 2, **ROW, "completion": "x" * 600}
    answer = waiting_member(server, body)
    assert error(server.ask("/v1/groups", {**GROUP, "x": "y" * 600})) == (429, "too_many_requests")
    assert server.ask("/v1/groups/g/members/1", {**body, "completion": "x"}).status == answer().status == 200
    assert server.ask("/v1/groups", {**GROUP, "x": "y" * 600}).status == 200


@pytest.mark.slow
def test_a_connection_without_a_request_is_closed(serving, monkeypatch):
    monkeypatch.setattr("rewardlab_serve.server.HEADING", 0.5)
    server = serving()
    whole, half = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /he"
    for sent in ([], [half], [whole, half]):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as slow:
            for part in sent:
                slow.sendall(part)
                while part is whole and not slow.recv(4096).endswith(b"}\n"):
                    pass
            assert slow.recv(4096) == b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=1.0) as kept:
        kept.sendall(whole)
        while not kept.recv(4096).endswith(b"}\n"):
            pass
        with pytest.raises(TimeoutError):  # a trainer's step is long
            kept.recv(4096)
