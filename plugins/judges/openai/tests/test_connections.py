"""Connections that break, hang, are kept, shared and closed."""

import asyncio
import json
import subprocess
import sys
import textwrap
import time
from dataclasses import replace

import pytest
from aiohttp import web
from rewardlab import Ask
from rewardlab.concurrency import LoopThread
from rewardlab.errors import TryAgain
from rewardlab.judging import HostedJudge
from rewardlab.recipe import JudgeUse

WHOLE = json.dumps({"choices": [{"message": {"content": "yes"}}]}).encode()


def raw(*pieces):
    """Return a fault that sends these bytes as they are and closes the connection."""

    async def send(http):
        for piece in pieces:
            http.transport.write(piece)
            await asyncio.sleep(0.01)
        http.transport.close()
        return web.Response()

    return send


def head(length):
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % length


@pytest.fixture
def hosted(spec, build):
    """A judge as rewards see it; closed at the end."""
    home = LoopThread("home")
    opened = []

    def host(server, **settings):
        use = JudgeUse.model_validate({"use": "openai/chat", **settings})
        options = spec.config(model="m", base_url=server.url)
        judge = HostedJudge("main", build(server), spec, use, home, options)
        opened.append(judge)
        return judge

    yield host
    for judge in opened:
        home.run(judge.aclose())
    home.close()


def ask_all(hosted, count):
    async def run():
        asks = [Ask(messages=({"role": "user", "content": f"Is it {n}?"},)) for n in range(count)]
        return await asyncio.gather(*map(hosted.ask, asks))

    return asyncio.run(asyncio.wait_for(run(), 60))


class TestBrokenConnections:
    def test_nobody_listens(self, serve, ask):
        server = serve()
        server.end()
        with pytest.raises(TryAgain, match=rf"^cannot be reached at {server.url}: Connection refused$"):
            ask(server)

    def test_a_name_that_nobody_knows(self, ask):
        with pytest.raises(
            TryAgain, match=r"^cannot be reached at http://judge\.invalid/v1: ClientConnectorDNSError: "
        ):
            ask(base_url="http://judge.invalid/v1")

    def test_a_server_that_speaks_no_tls(self, serve, ask):
        url = serve().url.replace("http:", "https:")
        with pytest.raises(TryAgain, match=rf"^cannot be reached at {url}: ClientConnectorSSLError: "):
            ask(base_url=url)

    @pytest.mark.parametrize(
        "pieces",
        [
            (),
            (b"HTTP/1.1 200 OK\r\n",),
            (head(len(WHOLE)), WHOLE[:20]),
            (head(len(WHOLE) + 1), WHOLE),
            (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"cho\r\n',),
            (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",),
            (b"SSH-2.0-OpenSSH_9.6\r\n",),
        ],
        ids=["at once", "in the head", "in the body", "length too long", "in a chunk", "no gzip", "no http"],
    )
    def test_off_before_the_whole_answer_was_there(self, serve, ask, pieces):
        server = serve(fault=lambda number, _: raw(*pieces) if number == 0 else None)
        message = f"^closed the connection before the answer of {server.url} was complete: "
        with pytest.raises(TryAgain, match=message):
            ask(server)
        assert ask(server).text == "ready"

    def test_a_length_that_is_too_short_cuts_the_json(self, serve, ask):
        with pytest.raises(TryAgain, match=r"^answered with no completion: "):
            ask(serve(fault=lambda *_: raw(head(len(WHOLE) - 5), WHOLE)))

    def test_more_than_any_model_writes(self, serve, ask):
        async def endless(http):
            response = web.StreamResponse()
            await response.prepare(http)
            with pytest.raises(ConnectionError):  # the client hangs up
                while True:
                    await response.write(b" " * (1 << 20))
            return response

        with pytest.raises(TryAgain, match=r"^answered with more than 32 MB, far above"):
            ask(serve(fault=lambda *_: endless))

    def test_more_than_was_asked_for(self, serve, ask):
        long = serve(answer=lambda _: "x" * (3 << 20))
        assert len(ask(long, max_tokens=1 << 16).text) == 3 << 20
        assert len(ask(long, max_tokens=8_000, extra_body={"logprobs": True}).text) == 3 << 20
        with pytest.raises(TryAgain, match=r"^answered with more than 1 MB, far above what was asked for$"):
            ask(long, max_tokens=8_000)

    @pytest.mark.slow
    def test_an_answer_just_below_that_is_an_answer(self, serve, ask):
        server = serve(answer=lambda _: "x" * (31 << 20))
        assert len(ask(server).text) == 31 << 20


class TestHangs:
    def test_the_hosts_time_limit_ends_it_and_the_next_question_is_answered(self, serve, hosted):
        server = serve(fault=lambda number, _: "hang" if number == 0 else None)
        judge = hosted(server, timeout=0.2, retries=0)
        [reply] = ask_all(judge, 1)
        assert reply.error == "judge 'main' gave no answer within 0.2 s"
        wait_until(lambda: server.under_way == 0, "the connection is still open")
        assert ask_all(judge, 1)[0].text == "ready"
        assert server.connections == 2

    def test_one_hang_does_not_hold_the_others(self, serve, hosted):
        server = serve(fault=lambda number, _: "hang" if number == 0 else None)
        judge = hosted(server, timeout=3600, retries=0, concurrency=2)
        question = Ask(messages=({"role": "user", "content": "?"},))

        async def run():
            hanging = asyncio.create_task(judge.ask(question))
            while not server.under_way:
                await asyncio.sleep(0.01)
            replies = await asyncio.gather(*(judge.ask(replace(question, draw=draw)) for draw in range(1, 20)))
            hanging.cancel()
            return replies

        replies = asyncio.run(asyncio.wait_for(run(), 60))
        assert [reply.text for reply in replies] == ["ready"] * 19


class TestConnectionReuse:
    def test_one_after_the_other_goes_over_one_connection(self, serve, hosted):
        server = serve()
        judge = hosted(server, concurrency=1)
        assert all(reply.text == "ready" for reply in ask_all(judge, 20))
        assert (server.connections, server.most_under_way) == (1, 1)

    @pytest.mark.parametrize("concurrency", [3, 16])
    def test_never_more_than_the_questions_at_once(self, serve, hosted, concurrency):
        server = serve(latency=0.005)
        assert all(reply.text == "ready" for reply in ask_all(hosted(server, concurrency=concurrency), 100))
        assert (server.connections, server.most_under_way) == (concurrency, concurrency)

    def test_a_refusal_keeps_its_connection(self, serve, hosted):
        server = serve(keys=("another",))
        replies = ask_all(hosted(server, concurrency=1), 5)
        assert all(reply.error for reply in replies)
        assert server.connections == 1

    def test_a_server_that_was_started_again_costs_no_answer(self, serve, hosted):
        """The client notices that the old server's connections are dead before it uses them."""
        server = serve()
        judge = hosted(server, concurrency=4, retries=0)
        ask_all(judge, 8)
        server.end()
        again = serve(port=server.port)
        assert all(reply.text == "ready" for reply in ask_all(judge, 8))
        assert again.answered == 8

    def test_two_judges_of_a_loop_share_them(self, serve, build):
        server = serve()

        async def run():
            one, two = build(server), build(server, model="n")
            question = Ask(messages=({"role": "user", "content": "Is it?"},))
            for judge in (one, two, one):
                assert (await judge.ask(question)).text == "ready"
            await one.aclose()
            await one.aclose()
            assert (await two.ask(question)).text == "ready", "its connections went with another judge"
            await two.aclose()
            assert (await two.ask(question)).error == "openai/chat is closed"

        asyncio.run(run())
        assert server.connections == 1
        assert [request["model"] for request in server.requests] == ["m", "n", "m", "n"]

    def test_two_loops_share_nothing(self, serve, ask):
        server = serve()
        ask(server)
        ask(server)
        assert server.connections == 2

    def test_no_cookie_ties_questions_to_each_other(self, serve, build):
        async def reply(http):
            return web.Response(body=WHOLE, headers={"Set-Cookie": "session=1"})

        server = serve(fault=lambda *_: reply)

        async def run():
            judge = build(base_url=server.url.replace("127.0.0.1", "localhost"))  # clients keep none of a number
            for _ in range(3):
                assert (await judge.ask(Ask(messages=({"role": "user", "content": "Is it?"},)))).text == "yes"
            await judge.aclose()

        asyncio.run(run())
        assert ["Cookie" in headers for headers in server.headers] == [False] * 3


@pytest.mark.slow
def test_all_is_closed_at_the_end(serve):
    """The check runs in a process of its own, where a warning about an open socket is an error."""
    server = serve(fault=lambda number, _: "hang" if number == 0 else "half" if number == 1 else None)
    code = """
        import asyncio, gc, sys
        from rewardlab import Ask, Context
        from rewardlab.errors import TryAgain
        from rewardlab import find

        spec = find("judge", "openai/chat")
        judges = [spec.build(spec.config(model="m", base_url=sys.argv[1]), Context()) for _ in range(2)]
        question = Ask(messages=({"role": "user", "content": "Is it?"},))

        async def run():
            try:
                await asyncio.wait_for(judges[0].ask(question), 0.1)
            except TimeoutError:
                pass
            try:
                await judges[0].ask(question)
            except TryAgain:
                pass
            print(*[(await judge.ask(question)).text for judge in judges])
            for judge in judges:
                await judge.aclose()

        asyncio.run(run(), debug=True)
        gc.collect()
    """
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", textwrap.dedent(code), server.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready ready\n", "")
    wait_until(lambda: server.under_way == 0, "a connection is left")


def wait_until(true, otherwise):
    ends = time.monotonic() + 60
    while not true():
        assert time.monotonic() < ends, otherwise
        time.sleep(0.01)
