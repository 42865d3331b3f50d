"""One address for several servers: real connections go round, and past a server that is away."""

import asyncio
import os
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from rewardlab_launch.balance import Balancer


@contextmanager
def server(name):
    """An HTTP server that answers with its name."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(name.encode())

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def balancing():
    """A context manager: the address of a balancer, a process of its own, before servers."""

    @contextmanager
    def start(*ports):
        servers = [f"127.0.0.1:{port}" for port in ports]
        command = [sys.executable, "-m", "rewardlab_launch.balance", *servers]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
            os.kill(process.pid, signal.SIGINT)

    return start


def ask(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read().decode()


def test_questions_go_to_the_server_with_the_fewest(balancing):
    with server("a") as a, server("b") as b, balancing(a.server_port, b.server_port) as address:
        # one after the other, all find both without a connection, and the first one takes them
        assert {ask(address) for _ in range(3)} <= {"a", "b"}
        assert ask(address)


def test_a_server_that_is_away_costs_no_question(balancing):
    with server("a") as a, server("gone") as gone:
        away = gone.server_port
        gone.shutdown()
        gone.server_close()
        with balancing(away, a.server_port) as address:
            assert Counter(ask(address) for _ in range(5)) == {"a": 5}


def test_open_connections_are_divided():
    """Of two servers each gets half of the connections that stay open."""

    async def run():
        taken = Counter()

        async def serve(name):
            async def take(reader, writer):
                taken[name] += 1
                writer.write(b"?")
                await reader.read()
                writer.close()

            return await asyncio.start_server(take, "127.0.0.1", 0)

        servers = [await serve(name) for name in "ab"]
        ports = [each.sockets[0].getsockname()[1] for each in servers]
        balancer = Balancer([f"127.0.0.1:{port}" for port in ports])
        front = await asyncio.start_server(balancer._take, "127.0.0.1", 0)
        port = front.sockets[0].getsockname()[1]
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(6)]
        assert [await reader.read(1) for reader, _ in opened] == [b"?"] * 6
        for _, writer in opened:
            writer.close()
        return taken

    assert asyncio.run(run()) == {"a": 3, "b": 3}
