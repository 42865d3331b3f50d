"""docs/http_judges.md: the judge on the page asks a server that answers as Ollama does, and keeps its laws."""

import asyncio
import re

import pytest
from aiohttp import web
from helpers.each_case import each_case
from helpers.paths import ROOT
from rewardlab import Ask, Context, find
from rewardlab.errors import TryAgain
from rewardlab.judging.http import ServerOptions
from rewardlab.testing import check_judge

PAGE = (ROOT / "docs/http_judges.md").read_text(encoding="utf-8")
[CODE] = re.findall(r"^<!-- plugin ollama -->\n```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
WHOLE = {"message": {"role": "assistant", "content": "yes"}, "done": True, "done_reason": "stop"}
WHOLE |= {"prompt_eval_count": 9, "eval_count": 2}
QUESTION = ({"role": "user", "content": "Is it?"},)


@pytest.fixture
def ollama(offer, home):
    """The judge's plugin installed, and `ollama(answer)`: the address of a server, and what it is sent."""
    offer("ollama", CODE)
    runners = []

    def serve(answer):
        sent = []

        async def chat(http):
            sent.append(await http.json())
            return web.json_response(answer(sent[-1]) if callable(answer) else answer)

        async def start():
            app = web.Application()
            app.router.add_post("/api/chat", chat)
            runners.append(web.AppRunner(app, access_log=None))
            await runners[-1].setup()
            await web.TCPSite(runners[-1], "127.0.0.1", 0).start()
            return f"http://127.0.0.1:{runners[-1].addresses[0][1]}"

        return home.run(start()), sent

    yield serve
    for runner in runners:
        home.run(runner.cleanup())


@pytest.fixture
def judged(ollama):
    """`judged(answer, ask, **options)`: (the reply, what the server was sent)."""
    spec = find("judge", "ollama/chat")

    def judge(answer, ask=None, **options):
        url, sent = ollama(answer)

        async def run():
            built = spec.build(spec.config.model_validate({"model": "m", "base_url": url, **options}), Context())
            try:
                return await built.ask(ask or Ask(messages=QUESTION))
            finally:
                await built.aclose()

        return asyncio.run(asyncio.wait_for(run(), 20)), sent

    return judge


def test_what_it_asks(judged):
    ask = Ask(messages=QUESTION, params={"max_tokens": 7, "top_k": 3})
    reply, sent = judged(WHOLE, ask, temperature=0.0, extra_body={"keep_alive": "1h"})
    assert (reply.text, reply.finish_reason, reply.prompt_tokens, reply.completion_tokens) == ("yes", "stop", 9, 2)
    options = {"num_predict": 7, "temperature": 0.0, "top_k": 3}
    whole = {"model": "m", "messages": list(QUESTION), "stream": False, "options": options, "keep_alive": "1h"}
    assert sent == [whole]


@each_case(
    "answer", [{}, [], WHOLE | {"done_reason": "load"}, WHOLE | {"message": None}, WHOLE | {"message": {"content": 7}}]
)
def test_what_is_no_answer_is_asked_again(judged, answer):
    with pytest.raises(TryAgain, match=r"^answered with no answer: "):
        judged(answer)


def test_an_answer_that_was_cut_says_so(judged):
    cut = WHOLE | {"done_reason": "length", "message": {"content": "ye", "thinking": "hm"}}
    reply, _ = judged(cut)
    assert (reply.text, reply.reasoning, reply.cut_off) == ("ye", "hm", True)


def test_every_law_holds(ollama):
    url, _ = ollama(lambda sent: WHOLE | {"message": sent["messages"][-1]})
    (tried,) = check_judge("ollama/chat", options={"model": "m", "base_url": url})
    assert {outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")} == {}


def test_the_table_of_class_variables_is_whole():
    table = PAGE.partition("| class variable |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `(\w+)` ", table, re.MULTILINE)
    assert sorted([*named, "address_options"]) == sorted(set(ServerOptions.__class_vars__) - {"model_config"})
