"""The client against a real server: numbers, tries, tokens, and members from several threads."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab_http import bound_socket
from rewardlab_serve import RewardClient

from .test_groups import RIGHT, ROW, WRONG, faulty


def test_scores_groups_and_members(serving):
    server = serving(token="secret")
    with RewardClient(server.url, "secret") as client, ThreadPoolExecutor(4) as threads:
        assert client.score({**ROW, "completions": [RIGHT, WRONG]})["total"] == [1.1, 0.1]
        rows = [{**ROW, "completion": text} for text in (RIGHT, WRONG, "x", RIGHT)]
        members = [threads.submit(client.score_member, "a/b c", slot, 4, row) for slot, row in enumerate(rows)]
        assert [one.result()["total"] for one in members] == [1.1, 0.1, 0.0, 1.1]


@pytest.mark.slow
def test_members_of_many_groups_in_any_order(serving):
    server = serving()

    async def ask():
        with RewardClient(server.url) as client:
            row = {**ROW, "completion": RIGHT}
            slots = [(str(group), slot) for slot in range(2) for group in range(110)]  # a connection each
            return await asyncio.gather(*(client.ascore_member(group, slot, 2, row) for group, slot in slots))

    assert [one["total"] for one in asyncio.run(asyncio.wait_for(ask(), 60))] == [1.1] * 220


def test_an_answer_of_a_proxy_is_told_as_it_is():
    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(503)
            self.send_header("Retry-After", unquote(self.path.split("/")[1]))
            self.send_header("Content-Length", "15")
            self.end_headers()
            self.wfile.write(b"<html>full</html>"[:15])

        def log_message(self, *_):
            pass

    def ask(again):
        with RewardClient(f"http://127.0.0.1:{proxy.server_port}/{quote(again)}", retries=1) as client:
            with pytest.raises(JobError, match="no reward after 2 tries; last: HTTP 503: <html>full</ht"):
                client.score({**ROW, "completions": [RIGHT]})
            return True

    headers = ["Wed, 21 Oct 2015 07:28:00 GMT", "inf", "nan", "-1", "soon", ""]
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy, ThreadPoolExecutor(len(headers)) as threads:
        threading.Thread(target=proxy.serve_forever, args=(0.01,)).start()
        try:
            assert all(threads.map(ask, headers))
        finally:
            proxy.shutdown()


def test_on_an_event_loop(serving):
    server = serving()

    async def ask():
        with RewardClient(server.url) as client:
            rows = [{"id": str(number), **ROW, "completions": [RIGHT]} for number in range(50)]
            return await asyncio.gather(*map(client.ascore, rows))

    assert [group["total"] for group in asyncio.run(ask())] == [[1.1]] * 50


def test_a_mistake_is_not_repeated_and_says_what_it_is(serving):
    server = serving(token="secret")
    with RewardClient(server.url, "wrong") as client, pytest.raises(UserError, match="HTTP 401: the token is missing"):
        client.score({**ROW, "completions": [RIGHT]})
    lacking = pytest.raises(UserError, match="HTTP 422: field 'answer' is needed by accuracy")
    with RewardClient(server.url, "secret") as client, lacking:
        client.score({"prompt": "?", "completions": [RIGHT]})
    assert (
        'rewardlab_requests_total{door="native",status="422"} 1.0'
        in server.ask("/metrics", headers={"Authorization": "Bearer secret"}).body
    )


def test_what_fails_is_tried_again_and_then_an_error(serving, toy, monkeypatch):
    monkeypatch.setattr("rewardlab_serve.requests.MAX_PAUSE", 0.0)
    server = serving(faulty(**{"with": {"how": "fail"}}))
    failed = pytest.raises(JobError, match="no reward after 2 tries; last: HTTP 503: component 'toy'")
    with RewardClient(server.url, retries=1) as client, failed:
        client.score({"prompt": "?", "completions": ["BAD"]})
    with bound_socket("127.0.0.1", 0) as unused:
        port = unused.getsockname()[1]
    absent = pytest.raises(JobError, match="no reward after 2 tries; last: ClientConnectorError")
    with RewardClient(f"http://127.0.0.1:{port}", retries=1) as client, absent:
        client.score({"prompt": "?", "completions": ["x"]})
