"""A server in a thread of this process, on a port of its own, and plain HTTP to ask it."""

import http.client
import json
import threading
from contextlib import ExitStack, closing, contextmanager, nullcontext
from types import SimpleNamespace

import pytest
from rewardlab.judging import JudgingSettings
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_serve.doors import DoorOptions, door, refuse_recipe
from rewardlab_serve.gate import GateRules
from rewardlab_serve.judge_lending import Borrower, JudgeLending, open_scorer
from rewardlab_serve.reward_service import ServiceLimits
from rewardlab_serve.server import RewardServer, ServerSettings, bound_socket, reward_app

RECIPE = {
    "version": 1,
    "reward": {
        "components": {"accuracy": {"use": "math/accuracy"}, "box": {"use": "format/boxed"}},
        "total": "accuracy + 0.1 * box",
    },
}


class Server:
    """A running server: its port, its service, and `ask`."""

    def __init__(self, port, service, server):
        self.port, self.service, self.stop, self.url = port, service, server.stop, f"http://127.0.0.1:{port}"

    def ask(self, path, body=None, method=None, headers=()):
        """(status, JSON or text, headers) of a request; `body` is JSON, or bytes as they are."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = json.dumps(body).encode() if isinstance(body, dict | list | int) else body
        try:
            connection.request(
                method or ("GET" if body is None else "POST"),
                path,
                sent,
                {"Content-Type": "application/json", **dict(headers)},
                encode_chunked="Transfer-Encoding" in dict(headers),
            )
            answer = connection.getresponse()
            text = answer.read().decode()
            parsed = json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text
            return SimpleNamespace(status=answer.status, body=parsed, headers=answer.headers)
        finally:
            connection.close()

    def members(self, group, completions, **row):
        """The answers of all members of a group, each asked by a thread of its own, in their order."""
        found = {}

        def ask(slot):
            body = {"size": len(completions), "completion": completions[slot], **row}
            found[slot] = self.ask(f"/v1/groups/{group}/members/{slot}", body)

        threads = [threading.Thread(target=ask, args=(slot,)) for slot in range(len(completions))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return [found[slot] for slot in range(len(completions))]


@contextmanager
def _running(recipe, doors, options, rules, limits, drain, lends=None, borrows=None):
    plan = make_plan(load(recipe, (), strict=False), purpose="score")
    lending = None if lends is None else JudgeLending(plan, lends)
    borrower = None if borrows is None else Borrower(plan, borrows, rules.get("token"))
    settings = ServerSettings(
        rules=GateRules(**rules),
        limits=ServiceLimits(**limits),
        doors=[door(name) for name in doors],
        door_options=options,
    )
    for one in settings.doors:
        refuse_recipe(plan, one, options)
    started = threading.Event()
    with (
        bound_socket("127.0.0.1", 0) as listening,
        closing(lending) if lending else nullcontext(),
        open_scorer(plan, JudgingSettings(), lending, borrower) as scorer,
    ):
        app, service = reward_app(plan, scorer, settings, lending)
        server = RewardServer(app, service, drain, started.set)
        thread = threading.Thread(target=server.serve_at, args=(listening,))
        thread.start()
        assert started.wait(10)
        yield Server(listening.getsockname()[1], service, server)
        server.stop()
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture
def serving():
    """`serving(recipe, doors=["slime"], cohort=1.0, token="t")`: a server that runs until the test ends."""
    with ExitStack() as stack:

        def start(recipe=RECIPE, doors=(), options=None, drain=5.0, sharing=None, **settings):
            rules = {name: value for name, value in settings.items() if name in GateRules.__dataclass_fields__}
            limits = {name: value for name, value in settings.items() if name not in rules}
            options = options or DoorOptions(end_tokens=["</s>"])
            return stack.enter_context(_running(recipe, doors, options, rules, limits, drain, **(sharing or {})))

        yield start
