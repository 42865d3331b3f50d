"""A server in a thread of this process, on a port of its own, and plain HTTP to ask it."""

import http.client
import json
import threading
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from rewardlab.judging import Share
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_http import bound_socket
from rewardlab_serve.doors import DoorOptions, door, refuse_recipe
from rewardlab_serve.gate import GateRules
from rewardlab_serve.judge_share import shared_scorer
from rewardlab_serve.reward_service import ServiceLimits
from rewardlab_serve.server import RewardServer, ServerSettings, reward_app

RECIPE = {
    "version": 1,
    "reward": {
        "components": {"accuracy": {"use": "math/accuracy", "workers": 1}, "box": {"use": "format/boxed"}},
        "total": "accuracy + 0.1 * box",
    },
}


class Server:
    """A running server: its port, its service, and `ask`."""

    def __init__(self, port, service, server, stack):
        self.port, self.service, self.stop, self.url = port, service, server.stop, f"http://127.0.0.1:{port}"
        self._stack = stack

    def end(self):
        """End one that shares its judges, with its scorer."""
        self.stop()
        self.stop()
        self._stack.close()

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


class _Session:
    """Servers with the scorers of their recipes, whose worker processes take longer to start than a test does.

    Each server is new, as what it keeps of groups is; nobody waits for its end before that of the session. One that
    shares its judges has a scorer of its own, and ends with its test.
    """

    def __init__(self, stack):
        self._stack, self._opened = stack, {}

    def _open(self, stack, recipe, share="1/1", state=None):
        plan = make_plan(load(recipe, (), strict=False), purpose="score")
        return plan, stack.enter_context(shared_scorer(plan, Share.parse(share), state))

    def start(self, test, recipe, settings, drain, shared, port):
        stack, key = test.enter_context(ExitStack()) if shared else self._stack, json.dumps(recipe, default=str)
        if shared:
            opened = self._open(stack, recipe, **shared)
        else:
            opened = self._opened[key] = self._opened.get(key) or self._open(stack, recipe)
        plan, scorer = opened
        for one in settings.doors:
            refuse_recipe(plan, one, settings.door_options)
        app, service = reward_app(plan, scorer, settings)
        started = threading.Event()
        server = RewardServer(app, service, drain, started.set)
        listening = bound_socket("127.0.0.1", port)
        port = listening.getsockname()[1]
        thread = threading.Thread(target=server.serve_at, args=(listening,))
        stack.callback(self._ended, thread)
        thread.start()
        assert started.wait(10)
        test.callback(server.stop)  # after the second one no group is waited for
        test.callback(server.stop)
        return Server(port, service, server, stack)

    @staticmethod
    def _ended(thread):
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def _session():
    with ExitStack() as stack:
        yield _Session(stack)


@pytest.fixture
def serving(_session):
    """`serving(recipe, doors=["slime"], cohort=1.0, token="t")`: a server that runs until the test ends."""
    with ExitStack() as stack:

        def start(recipe=RECIPE, doors=(), options=None, drain=5.0, shared=None, port=0, **settings):
            rules = {name: value for name, value in settings.items() if name in GateRules.__dataclass_fields__}
            limits = {name: value for name, value in settings.items() if name not in rules}
            settings = ServerSettings(
                rules=GateRules(**rules),
                limits=ServiceLimits(**limits),
                doors=[door(name) for name in doors],
                door_options=options or DoorOptions(end_tokens=["</s>"]),
            )
            return _session.start(stack, recipe, settings, drain, shared, port)

        yield start
