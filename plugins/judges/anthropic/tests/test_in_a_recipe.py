"""The judge as recipes use it: what it costs, what `check` says of its price, the laws, and verdicts that are none."""

import asyncio
import json

import pytest
from helpers.messages_server import failure, message
from rewardlab import Ask, Context
from rewardlab.judging import HostedJudge
from rewardlab.recipe import JudgeUse
from rewardlab.testing import check_judge

CACHED = {"input_tokens": 10, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 100, "output_tokens": 20}
PRICE = {"prompt": 1.0, "completion": 5.0, "cache_read": 0.1, "cache_write": 1.25}
COST = (10 * 1.0 + 1000 * 0.1 + 100 * 1.25 + 20 * 5.0) / 1e6
LONG = "x" * 2000
"""a question that may have 1,110 tokens"""
RECIPE = """\
version: 1
judges:
  main:
    use: anthropic/messages
    with: {model: claude-test, base_url: "URL", max_tokens: 64, extra_body: {cache_control: {type: ephemeral}}}
    retries: 0
    price: PRICE
reward:
  components:
    quality:
      use: rubric/pointwise
      with: {judge: main, rubric: {1: bad, 2: poor, 3: fair, 4: good, 5: perfect}}
      on_missing: zero_advantage
      max_missing: 1
  total: quality
"""
VERDICT = '{"explanation": "ok", "score": 4}'


@pytest.fixture
def hosted(spec, home):
    """`hosted(server, price=...)`: a judge as rewards see it."""

    def host(server, **settings):
        use = JudgeUse.model_validate({"use": "anthropic/messages", **settings})
        options = spec.config(model="m", base_url=server.url, max_tokens=64)
        return HostedJudge("main", spec.build(options, Context()), spec, use, home, options)

    return host


def asked(hosted, count):
    async def run():
        asks = [Ask(messages=({"role": "user", "content": f"{n} {LONG}"},)) for n in range(count)]
        return await asyncio.gather(*map(hosted.ask, asks))

    return asyncio.run(asyncio.wait_for(run(), 20))


def test_the_price_of_tokens_in_the_cache(serve, hosted, home):
    judge = hosted(serve(message(usage=CACHED)), price=PRICE)
    assert [reply.text for reply in asked(judge, 3)] == ["yes"] * 3
    assert (judge.usage.prompt_tokens, judge.usage.completion_tokens) == (3330, 60)
    assert judge.usage.usd == pytest.approx(3 * COST)
    home.run(judge.aclose())


def test_without_prices_of_a_cache_all_tokens_of_a_question_cost_the_same(serve, hosted, home):
    judge = hosted(serve(message(usage=CACHED)), price={"prompt": 1.0, "completion": 5.0})
    asked(judge, 1)
    assert judge.usage.usd == pytest.approx((1110 * 1.0 + 20 * 5.0) / 1e6)
    home.run(judge.aclose())


def test_a_budget_sets_a_question_apart_at_its_highest_price_and_pays_what_it_cost(serve, hosted, home):
    server = serve(message(usage=CACHED))
    highest = (2034 * 1.25 + 64 * 5.0) / 1e6  # bytes and what a template adds; the most that it may be billed
    judge = hosted(server, price=PRICE, budget={"usd": highest + 2.5 * COST}, concurrency=1)
    replies = asked(judge, 9)
    assert sum(reply.error is None for reply in replies) == 3 == len(server.requests)
    assert judge.usage.usd == pytest.approx(3 * COST)
    home.run(judge.aclose())


def test_an_overloaded_server_is_asked_until_it_answers(serve, hosted, home):
    busy = [
        (529, failure("overloaded_error", "Overloaded"), {}),
        (429, failure("rate_limit_error", "Slow down"), {"retry-after": "0"}),
    ]
    server = serve(lambda request: busy.pop() if busy else "yes")
    judge = hosted(server)
    [reply] = asked(judge, 1)
    assert (reply.text, judge.usage.calls, judge.usage.retries, judge.usage.failed) == ("yes", 3, 2, 0)
    home.run(judge.aclose())


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (message(VERDICT, "max_tokens"), "cut at its token limit"),
        (message(VERDICT, "model_context_window_exceeded"), "cut at its token limit"),
        (message(VERDICT, "refusal"), "the judge refused to answer"),
        (message(VERDICT, "refusal", stop_details={"explanation": f"I say {VERDICT}"}), "I say"),
        (message(VERDICT, "pause_turn"), "stop_reason 'pause_turn'"),
        (
            message(content=[{"type": "tool_use", "id": "t", "name": "f", "input": {}}], stop_reason="tool_use"),
            "a tool",
        ),
    ],
)
def test_no_verdict_is_read_from_an_answer_that_is_none(serve, main, write, answer, why):
    write("r.yaml", RECIPE.replace("URL", serve(answer).url).replace("PRICE", json.dumps(PRICE)))
    write("rows.jsonl", [{"prompt": "?", "completions": ["one", "two"]}])
    err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl")[2]
    assert "failed 2: " in err, err
    assert why in err


def test_a_verdict_is_read(serve, main, write, tmp_path):
    write("r.yaml", RECIPE.replace("URL", serve(VERDICT).url).replace("PRICE", json.dumps(PRICE)))
    write("rows.jsonl", [{"prompt": "?", "completions": ["one", "two"]}])
    assert main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
    [row] = map(json.loads, (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines())
    assert row["components"]["quality"]["value"] == [0.75, 0.75]


def test_check_wants_the_price_of_what_a_cache_is_given(main, write):
    write("rows.jsonl", [{"prompt": "?"}])
    recipe = RECIPE.replace("URL", "http://127.0.0.1:9/v1")
    write("r.yaml", recipe.replace("PRICE", "{prompt: 1, completion: 5, cache_read: 0.1}"))
    code, _, err = main("check", "r.yaml")
    assert (code, "judges.main.price" in err) == (2, True)
    assert "anthropic/messages puts questions into a cache, which the server bills; add cache_write: ..." in err
    write("r.yaml", recipe.replace("PRICE", json.dumps(PRICE)))
    assert "cache_write" not in main("check", "r.yaml")[2]
    write("r.yaml", recipe.replace("    price: PRICE\n", ""))
    assert "cache_write" not in main("check", "r.yaml")[2]


def test_every_law_holds(serve):
    server = serve(lambda request: request["messages"][-1]["content"])
    (tried,) = check_judge("anthropic/messages", options={"model": "m", "base_url": server.url})
    assert {outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")} == {}
