"""A server ends at its signal whatever goes wrong in its end, and says what that was."""

import threading

import pytest
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer
from rewardlab_http import bound_socket
from rewardlab_serve.gate import GateRules
from rewardlab_serve.reward_service import ServiceLimits
from rewardlab_serve.server import RewardServer, ServerSettings, reward_app

RECIPE = {"version": 1, "reward": {"components": {"box": {"use": "format/boxed"}}, "total": "box"}}


def say_to_a_closed_file(service):
    raise ValueError("I/O operation on closed file")


def break_the_drain(service):
    service._pending = None


def lose_the_reader(service):
    raise BrokenPipeError("nobody reads it")


@pytest.mark.parametrize(
    ("ending", "raised"),
    [(say_to_a_closed_file, ValueError), (break_the_drain, AttributeError), (lose_the_reader, None)],
)
def test_a_server_ends_whatever_its_end_raises(ending, raised):
    plan, started, errors = make_plan(load(RECIPE, (), strict=False), purpose="score"), threading.Event(), []
    with Scorer(plan) as scorer, bound_socket("127.0.0.1", 0) as listening:
        app, service = reward_app(plan, scorer, ServerSettings(rules=GateRules(), limits=ServiceLimits()))
        server = RewardServer(app, service, 1.0, started.set, ending=lambda: ending(service))

        def serve():
            try:
                server.serve_at(listening)
            except Exception as error:
                errors.append(type(error))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        assert started.wait(30)
        server.stop()
        thread.join(30)
        assert not thread.is_alive(), "it ends"
        assert errors == ([] if raised is None else [raised]), "and says what went wrong"
        assert service.draining
