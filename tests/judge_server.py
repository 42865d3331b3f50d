"""A scripted OpenAI-compatible server on the loopback, with faults to order; or to try a judge recipe without a model.

    python tests/judge_server.py --port 8000 --latency 0.05

It reads the fenced prompt of pairwise/win_rate and votes for the response that shares more numbers with the
correct solution (or with the query, where there is none). A rubric with a scale gets its highest score for a response
with a boxed answer, and a lower one for each number that is not in the input. A question in another form is answered
with "ready".
"""

import argparse
import asyncio
import json
import random
import re
import threading
from collections import Counter
from contextlib import suppress

from aiohttp import web

FENCE = re.compile(
    r"=== BEGIN (?P<label>[A-Z ]+) (?P<key>[0-9a-f]{16}) ===\n(?P<text>.*?)\n=== END (?P=label) (?P=key) ===", re.S
)
SCALE = re.compile(r"a whole number from (-?\d+) to (-?\d+)")
NUMBER = re.compile(r"\d+")
ODD = ("boxed A", "**Verdict:** \\boxed{\\textbf{A}}", "Response B is better.", "\\boxed{A or B}", "")
OTHER_LANGUAGE = "Beide Antworten sind schwer zu vergleichen, ich kann mich nicht entscheiden."
KINDS = ("429", "500", "503", "drop", "hang", "half", "empty", "language", "odd")


def vote(request):
    """The text of an answer to one request."""
    shown = {m["label"]: m["text"] for message in request["messages"] for m in FENCE.finditer(message["content"])}
    scale = SCALE.search(request["messages"][0]["content"])
    if "RESPONSE" in shown and scale is not None:
        return score(shown["INPUT"], shown["RESPONSE"], int(scale[1]), int(scale[2]))
    if "RESPONSE A" not in shown:
        return "ready"
    wanted = set(NUMBER.findall(shown.get("CORRECT SOLUTION", shown["QUERY"])))
    a, b = (len(wanted & set(NUMBER.findall(shown[f"RESPONSE {name}"]))) for name in "AB")
    winner = "A" if (a, shown["RESPONSE A"]) > (b, shown["RESPONSE B"]) else "B"
    return f"Response A shares {a} numbers with the solution, response B {b}.\n\\boxed{{{winner}}}"


def score(query, response, low, high):
    """The verdict on one response by a rubric, as JSON."""
    strange = set(NUMBER.findall(response)) - set(NUMBER.findall(query))
    found = max(low, high - len(strange)) if "\\boxed" in response else low
    why = f"It has {len(strange)} numbers that the input does not have."
    return json.dumps({"explanation": why, "score": found})


class JudgeServer:
    """The server and what it saw.

    `fault(number, request)` names a kind of KINDS for a call, or gives `async (http) -> response` in place of an
    answer, or None.
    `keys`: accepted API keys (any, where empty). `answer(request)` writes the answers: a text, or a whole message that
    may say its `finish_reason`.

    requests, headers: of each call. answered: calls with a whole answer; `paid` counts them by (the hash of) their
    question, `tokens` sums their usage. connections: how many were opened by whoever asked.
    """

    def __init__(self, answer=vote, latency=0.0, fault=None, keys=(), retry_after="0"):
        self.answer, self.latency, self.fault, self.keys = answer, latency, fault, keys
        self.retry_after = retry_after
        self.requests, self.headers, self.answered = [], [], 0
        self.paid, self.tokens = Counter(), 0
        self.seen = Counter()
        self.under_way = self.most_under_way = self.connections = 0
        self._connections = set()
        self.port = None

    async def start(self, port=0, host="127.0.0.1"):
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_get("/stats", self._stats)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self):
        await self._runner.cleanup()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    async def _stats(self, http):
        names = ("answered", "most_under_way", "connections")
        return web.json_response({"requests": self.seen["requests"], **{name: getattr(self, name) for name in names}})

    async def _completions(self, http):
        self._connections.add(http.transport.get_extra_info("peername"))
        self.connections = len(self._connections)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            return await self._respond(http)
        finally:
            self.under_way -= 1

    async def _respond(self, http):
        body = await http.read()
        number = self.seen["requests"]
        self.seen["requests"] += 1
        if self.keys and http.headers.get("Authorization", "").removeprefix("Bearer ") not in self.keys:
            sent = http.headers.get("Authorization", "nothing")
            return _error(401, "invalid_api_key", f"Incorrect API key provided: {sent}")
        request = json.loads(body)
        if len(self.requests) < 20_000:
            self.requests.append(request)
            self.headers.append(dict(http.headers))
        kind = self.fault(number, request) if self.fault else None
        if kind:
            self.seen[getattr(kind, "__name__", kind)] += 1
        if self.latency:
            await asyncio.sleep(self.latency)
        return await self._outcome(kind, request, http)

    async def _outcome(self, kind, request, http):
        if callable(kind):
            return await kind(http)
        if kind in ("429", "500", "503"):
            headers = {"Retry-After": self.retry_after} if kind == "429" else {}
            return _error(int(kind), "busy", "the server has too much to do", headers)
        if kind == "drop":
            http.transport.close()
            return web.Response()
        if kind == "hang":
            with suppress(asyncio.CancelledError):
                while http.transport is not None:  # until whoever asked hangs up
                    await asyncio.sleep(0.02)
            return web.Response()
        if kind == "empty":
            return web.Response(body=b"", content_type="application/json")
        text = {"language": OTHER_LANGUAGE, "odd": random.Random(question(request)).choice(ODD)}.get(kind)
        answer = completion(self.answer(request) if text is None else text, request)
        if kind == "half":
            return web.Response(body=answer[: len(answer) // 2], content_type="application/json")
        self.answered += 1
        self.paid[hash(question(request))] += 1
        self.tokens += json.loads(answer)["usage"]["total_tokens"]
        return web.Response(body=answer, content_type="application/json")


def question(request):
    """What is asked, as one text: the same question, the same text."""
    return json.dumps(request, sort_keys=True)


def completion(text, request):
    """The body of an answer, with usage by words."""
    message = dict(text) if isinstance(text, dict) else {"role": "assistant", "content": text}
    finish = message.pop("finish_reason", "stop")
    prompt = sum(len(m["content"].split()) for m in request["messages"])
    words = len(str(message.get("content") or "").split())
    return json.dumps(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": request.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": words, "total_tokens": prompt + words},
        }
    ).encode()


def _error(status, code, message, headers=None):
    content = {"error": {"message": message, "code": code, "type": code}}
    return web.json_response(content, status=status, headers=headers)


class Serving:
    """A server in a thread of its own, for tests: `with Serving(JudgeServer(...)) as server`."""

    def __init__(self, server, port=0):
        self.server = server
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.start(self._port), self._loop).result(10)
        return self.server

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(20)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self):
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        hanging = [task for task in others if "_respond" in repr(task) or "start" in repr(task)]
        for task in hanging:
            task.cancel()
        await self.server.stop()


async def _serve(arguments):
    server = JudgeServer(latency=arguments.latency)
    await server.start(arguments.port, arguments.host)
    print(server.url, flush=True)
    await asyncio.sleep(arguments.seconds)
    await server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1", help="the address that it listens on")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds for every answer")
    parser.add_argument("--seconds", type=float, default=3600, help="ends by itself after these")
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args()))
