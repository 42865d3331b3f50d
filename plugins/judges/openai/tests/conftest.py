"""Fixtures: a real server, and judges as the registry builds them."""

import asyncio
import importlib.util
import json
from pathlib import Path

import pytest
from aiohttp import web
from rewardlab import Ask, Context, find
from rewardlab.recipe import validate

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"


@pytest.fixture(scope="session")
def judge_server():
    """The module with JudgeServer and Serving."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def serve(judge_server, request):
    """`serve(fault=..., keys=...)`, `serve(port=...)`: a server that runs until the end of the test."""

    def start(port=0, **settings):
        serving = judge_server.Serving(judge_server.JudgeServer(**settings), port)
        server = serving.__enter__()
        server.end = lambda: serving._thread.is_alive() and serving.__exit__()
        request.addfinalizer(server.end)
        return server

    return start


@pytest.fixture
def replying(serve):
    """`replying(body, status=429, headers={...})`: a server that gives the same answer to every request.

    The body is bytes, a text or a value to send as JSON. The server's `wanted` counts the calls.
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
    return find("judge", "openai/chat")


@pytest.fixture(scope="session")
def problems(spec):
    """`problems(**options)`: the messages of the command line about wrong options."""

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
    """`ask(server, "Is it?", temperature=0)`: the reply to one question, or those to several asked at once.

    The judge is closed afterwards. What `ChatJudge.ask` raises is raised.
    """

    def ask_all(server=None, *questions, **options):
        async def run():
            judge = build(server, **options)
            try:
                return await asyncio.gather(*(judge.ask(_ask(one)) for one in questions or ["Is it?"]))
            finally:
                await judge.aclose()

        replies = asyncio.run(asyncio.wait_for(run(), 20))
        return replies if len(questions) > 1 else replies[0]

    return ask_all


def _ask(question):
    return question if isinstance(question, Ask) else Ask(messages=({"role": "user", "content": question},))
