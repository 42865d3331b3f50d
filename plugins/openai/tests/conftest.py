"""A real server, and a judge as the registry builds it."""

import asyncio
import importlib.util
import json
from pathlib import Path

import pytest
from aiohttp import web
from rewardlab import Ask, Context
from rewardlab.registry import Registry
from rewardlab.validation import validate

SERVER = Path(__file__).parents[3] / "tests" / "judge_server.py"


@pytest.fixture(scope="session")
def judge_server():
    """The module with JudgeServer and Serving."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def serve(judge_server, request):
    """A running server until the end of the test: `serve(fault=..., keys=...)`, `serve(port=...)`."""

    def start(port=0, **settings):
        serving = judge_server.Serving(judge_server.JudgeServer(**settings), port)
        server = serving.__enter__()
        server.end = lambda: serving._thread.is_alive() and serving.__exit__()
        request.addfinalizer(server.end)
        return server

    return start


@pytest.fixture
def replying(serve):
    """A server that gives the same answer to all: `replying(body, status=429, headers={...})`.

    The body is bytes, a text or what becomes JSON. The server's `wanted` counts the calls.
    """

    def start(body=b"", status=200, headers=None):
        async def reply(http):
            given = body if isinstance(body, bytes | str) else json.dumps(body)
            raw = given.encode() if isinstance(given, str) else given
            return web.Response(
                body=raw, status=status, headers={"Content-Type": "application/json", **(headers or {})}
            )

        return serve(fault=lambda *_: reply)

    return start


@pytest.fixture(scope="session")
def spec():
    return Registry().find("judge", "openai/chat")


@pytest.fixture(scope="session")
def problems(spec):
    """What is wrong with options, as the command line says it."""

    def found(**options):
        _, problems = validate(spec.config, {"model": "m", **options}, lambda path: ".".join(map(str, path)), ())
        return [str(problem) for problem in problems]

    return found


@pytest.fixture(scope="session")
def build(spec):
    """`build(server, temperature=0)`: a judge that asks this server, or the address `base_url`."""

    def chat(server=None, **options):
        given = {"model": "m", **({} if server is None else {"base_url": server.url}), **options}
        return spec.build(spec.config.model_validate(given), Context())

    return chat


@pytest.fixture(scope="session")
def ask(build):
    """Ask one question, or several at once, and close the judge: `ask(server, "Is it?", temperature=0)`.

    The reply; a list where there are several questions. What `Chat.ask` raises is raised.
    """

    def asked(server=None, *questions, **options):
        async def run():
            judge = build(server, **options)
            try:
                return await asyncio.gather(*(judge.ask(_ask(one)) for one in questions or ["Is it?"]))
            finally:
                await judge.aclose()

        replies = asyncio.run(asyncio.wait_for(run(), 20))
        return replies if len(questions) > 1 else replies[0]

    return asked


def _ask(question):
    return question if isinstance(question, Ask) else Ask(messages=({"role": "user", "content": question},))
