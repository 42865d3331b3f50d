"""Every law of judges, with a server that answers and with one that refuses every key."""

from rewardlab.testing import check_judge
from rewardlab_testing.laws.run_laws import TRIES


def echo(request):
    return request["messages"][-1]["content"]


def test_every_law_holds(serve):
    server = serve(answer=echo)
    (tried,) = check_judge("openai/chat", options={"model": "m", "base_url": server.url})
    assert {outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")} == {}
    looked = {outcome.law: outcome.tries for outcome in tried.outcomes}
    assert looked["apart"] == 3, "all questions, for the answers are steady"
    assert looked["secrets"] == 2, "api_key_env and headers_env"
    assert looked["close"] == 2
    assert len(server.requests) < TRIES, "each may cost money"


def test_a_key_that_the_server_repeats_in_its_refusal_is_not_shown(serve):
    server = serve(keys=["right"])
    (tried,) = check_judge("openai/chat", options={"model": "m", "base_url": server.url})
    states = {outcome.law: outcome for outcome in tried.outcomes}
    assert states["secrets"].state == "held"
    assert "answered HTTP 401" in states["reply"].why, "and what needs an answer is untried"
