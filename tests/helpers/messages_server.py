"""A server on the loopback that speaks Anthropic's Messages API, as its documentation of November 2026 has it."""

import asyncio
import json
import threading

from aiohttp import web

KEY = "sk-ant-key-of-the-judge"
KEYS = {"model", "max_tokens", "messages", "system", "temperature", "top_p", "top_k", "stop_sequences", "thinking"}
KEYS |= {"cache_control", "tools"}

NOTHING_CACHED = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}


def message(text="yes", stop_reason="end_turn", **more):
    """The body of an answer."""
    body = {
        "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-test",
        "content": [{"type": "text", "text": text, "citations": None}],
        "stop_reason": stop_reason, "stop_sequence": None, "stop_details": None,
        "usage": {"input_tokens": 12, "output_tokens": 3, **NOTHING_CACHED},
    }  # fmt: skip
    return body | more


def failure(kind, words, **more):
    """The body of a refusal."""
    return {"type": "error", "error": {"type": kind, "message": words, **more}, "request_id": "req_01"}


class MessagesServer:
    """A server on the loopback: it refuses what the API refuses, and else sends `answers(request)`.

    That is the text of a message, a whole message, or (status, body, headers). requests, headers: what it was sent.
    """

    def __init__(self, answers):
        self.answers = answers
        self.requests, self.headers = [], []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)

    async def _start(self):
        app = web.Application()
        app.router.add_post("/v1/messages", self._messages)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    def stop(self):
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(20)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _messages(self, http):
        request = json.loads(await http.read())
        self.requests.append(request)
        self.headers.append(dict(http.headers))
        wrong = self._wrong(http, request)
        answer = wrong or self.answers(request)
        if isinstance(answer, str):
            answer = message(answer)
        status, body, headers = answer if isinstance(answer, tuple) else (200, answer, {})
        return web.json_response(body, status=status, headers=headers)

    def _wrong(self, http, request):
        """What the API says of a request that it does not take."""
        if http.headers.get("x-api-key", KEY) != KEY:
            return 401, failure("authentication_error", f"invalid x-api-key {http.headers['x-api-key']}"), {}
        words = None
        if "anthropic-version" not in http.headers:
            words = "anthropic-version: header is required"
        elif missing := {"model", "max_tokens", "messages"} - {*request}:
            words = f"{min(missing)}: Field required"
        elif unknown := {*request} - KEYS:
            words = f"{min(unknown)}: Extra inputs are not permitted"
        elif not request["messages"] or request["messages"][0]["role"] == "system":
            words = 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter'
        return None if words is None else (400, failure("invalid_request_error", words), {})
