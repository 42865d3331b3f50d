"""Fixtures: a real server that speaks the Messages API, and judges as the registry builds them."""

import asyncio

import pytest
from helpers.messages_server import MessagesServer
from rewardlab import Ask, Context, find


@pytest.fixture
def serve(request):
    """`serve("yes")`, `serve(message(...))`, `serve(lambda asked: ...)`: a server that runs until the test ends."""

    def start(answers="yes"):
        server = MessagesServer(answers if callable(answers) else lambda _: answers)
        request.addfinalizer(server.stop)
        return server

    return start


@pytest.fixture(scope="session")
def spec():
    return find("judge", "anthropic/messages")


@pytest.fixture(scope="session")
def ask(spec):
    """`ask(server, "Is it?", temperature=0)`: the reply to a question; what the judge raises is raised."""

    def one(server, question="Is it?", **options):
        given = {"model": "claude-test", "max_tokens": 64, "base_url": server.url, **options}

        async def run():
            judge = spec.build(spec.config.model_validate(given), Context())
            whole = question if isinstance(question, Ask) else Ask(messages=({"role": "user", "content": question},))
            try:
                return await judge.ask(whole)
            finally:
                await judge.aclose()

        return asyncio.run(asyncio.wait_for(run(), 20))

    return one
