"""Keys are read from the environment, sent, and never seen again, whatever the server does with them."""

import asyncio
import json
import logging
import traceback

import pytest
from aiohttp import web
from helpers.each_case import each_case
from rewardlab import Reply
from rewardlab.errors import TryAgain

KEY = 'sk-"key"/of\\the&judge'
"""A key with characters that JSON, HTML and PHP escape."""
PLAIN = "sk-key-of-the-judge"


@pytest.fixture
def keyed(ask, monkeypatch):
    """`keyed(server)`: the outcome of asking with a key, a Reply or a TryAgain, as a text with all that is attached."""

    def outcome(server, key=KEY, **options):
        monkeypatch.setenv("JUDGE_KEY", key)
        try:
            return repr(ask(server, api_key_env="JUDGE_KEY", **options))
        except TryAgain as error:
            return "".join(traceback.format_exception(error)) + _chain(error)

    return outcome


def _chain(error):
    """Return the texts of an exception and of all its causes and contexts, also those that a traceback leaves out."""
    seen, left = "", [error]
    while left:
        one = left.pop()
        seen += f"{one!r} {one} {vars(one)}"
        left += filter(None, (one.__cause__, one.__context__))
    return seen


class TestAKeyThatCannotBeSent:
    """The error names the variable, and the server is not asked."""

    @pytest.fixture
    def error_of(self, serve, ask):
        server = serve()

        def ask_for_error(**options):
            message = ask(server, **options).error
            assert server.requests == []
            return message.replace(server.url, "URL")

        return ask_for_error

    def test_absent(self, error_of, monkeypatch):
        monkeypatch.delenv("JUDGE_KEY", raising=False)
        missing = "the environment variable JUDGE_KEY is not set; it should hold the key of URL"
        assert error_of(api_key_env="JUDGE_KEY") == missing
        assert error_of(headers_env={"X-Key": "JUDGE_KEY"}) == missing

    @pytest.mark.parametrize("value", ["", " \n"])
    def test_empty(self, error_of, monkeypatch, value):
        monkeypatch.setenv("JUDGE_KEY", value)
        assert "JUDGE_KEY is not set" in error_of(api_key_env="JUDGE_KEY")

    @pytest.mark.parametrize("value", ["sk-one\nsk-two", "sk-one\r\nHost: x", "sk-schlüssel", "sk-\x07"])
    def test_what_no_header_can_carry(self, error_of, monkeypatch, value):
        monkeypatch.setenv("JUDGE_KEY", value)
        what = "the environment variable JUDGE_KEY holds what a header cannot carry, such as a line break"
        assert error_of(api_key_env="JUDGE_KEY") == what
        assert error_of(headers_env={"X-Key": "JUDGE_KEY"}) == what

    def test_it_may_be_set_later(self, serve, build, monkeypatch):
        from rewardlab import Ask

        server, question = serve(), Ask(messages=({"role": "user", "content": "Is it?"},))
        monkeypatch.delenv("JUDGE_KEY", raising=False)

        async def run():
            judge = build(server, api_key_env="JUDGE_KEY")
            first = await judge.ask(question)
            monkeypatch.setenv("JUDGE_KEY", KEY)
            second = await judge.ask(question)
            await judge.aclose()
            return first, second

        first, second = asyncio.run(run())
        assert (first.error is None, second.text) == (False, "ready")


ESCAPED = json.dumps(KEY)[1:-1]
FORMS = (KEY, ESCAPED, repr(KEY)[1:-1], repr(ESCAPED)[1:-1], KEY.replace("&", "&amp;"), 'sk-"', "sk-\\", "\\u0073")
ECHOES = [
    {"error": {"message": f"Incorrect API key provided: {KEY}"}},
    {"error": f"Incorrect API key provided: {KEY}"},
    {"detail": [f"key {KEY}"]},
    {"key": KEY},
    [KEY],
    f"key {KEY}",
    json.dumps({"k": KEY}).replace("/", "\\/"),
    "".join(f"\\u{ord(letter):04x}" for letter in KEY).join(['{"k": "', '"}']),
    '{"half": "' + ESCAPED.replace("/", "\\/"),
    f"<html><title>{KEY}</title>",
    "<html><title>" + KEY.replace("&", "&amp;").replace('"', "&quot;") + "</title>",
    {"error": {"message": "x" * 290 + KEY}},  # where the words are cut
    "x" * 190 + KEY,
]


@pytest.mark.parametrize("status", [200, 302, 400, 401, 404, 500])
@each_case("body", ECHOES)
def test_a_server_that_repeats_the_key_in_an_error(replying, keyed, status, body):
    seen = keyed(replying(body, status, {"Location": f"/{PLAIN}"}))
    for form in FORMS:
        assert form not in seen


def test_half_an_answer_with_the_key_or_with_half_of_it(replying, keyed):
    whole = json.dumps({"choices": [{"message": {"content": f"Bearer {PLAIN}"}}]})
    first = whole.index(PLAIN)
    for cut in range(first + 4, len(whole)):
        assert PLAIN[:4] not in keyed(replying(whole[:cut]), key=PLAIN)


def test_a_redirect_that_carries_the_key(replying, keyed):
    seen = keyed(replying(b"", 307, {"Location": f"https://elsewhere.example/?key={PLAIN}"}), key=PLAIN)
    assert "leads to, https://elsewhere.example/?key=***)" in seen


@pytest.mark.parametrize("place", ["content", "reasoning", "reasoning_content", "refusal"])
def test_a_model_that_repeats_the_key(replying, keyed, place):
    logprobs = {"content": [{"token": piece} for piece in (KEY[:9], KEY[9:])]}
    message = {"content": None, place: f"Your key is {KEY}."}
    seen = keyed(replying({"choices": [{"message": message, "finish_reason": KEY, "logprobs": logprobs}]}))
    assert "Your key is ***." in seen
    assert "logprobs=None" in seen, "tokens spell the key"
    assert f"finish_reason='{'refusal' if place == 'refusal' else '***'}'" in seen


def test_a_key_in_parts_of_the_content(replying, keyed):
    parts = [{"type": "text", "text": KEY[:9]}, {"type": "text", "text": KEY[9:]}]
    assert "text='***'" in keyed(replying({"choices": [{"message": {"content": parts}}]}))


def test_a_header_of_the_environment_is_a_key_too(replying, ask, monkeypatch):
    monkeypatch.setenv("GATEWAY", PLAIN)
    server = replying({"choices": [{"message": {"content": f"You sent {PLAIN}"}}]})
    assert ask(server, headers_env={"X-Gateway": "GATEWAY"}) == Reply(text="You sent ***")


def test_a_key_that_begins_with_another_is_hidden_whole(replying, ask, monkeypatch):
    monkeypatch.setenv("GATEWAY", PLAIN)
    monkeypatch.setenv("JUDGE_KEY", f"{PLAIN}-2")
    server = replying({"choices": [{"message": {"content": f"{PLAIN}-2, {PLAIN}"}}]})
    for variables in (("GATEWAY", "JUDGE_KEY"), ("JUDGE_KEY", "GATEWAY")):
        headers = {f"X-{variable}": variable for variable in variables}
        assert ask(server, headers_env=headers) == Reply(text="***, ***")


@pytest.mark.parametrize("user", ["judge:pass-word-1", "token-of-the-judge", "judge:pass%2Fword-1"])
def test_a_password_in_the_address(serve, replying, ask, user):
    async def echo(http):
        return web.json_response(
            {"error": f"{http.headers['Authorization']} {http.url} pass-word-1 pass/word-1"}, status=401
        )

    server = serve(fault=lambda *_: echo)
    message = ask(base_url=server.url.replace("://", f"://{user}@")).error
    sent = server.headers[0]["Authorization"].removeprefix("Basic ")
    assert message.startswith(f"{server.url} answered HTTP 401: Basic *** ")
    assert user not in message
    assert sent not in message
    assert user.partition(":")[2] == "" or "***" in message.rpartition(server.url)[2]
    server.end()
    with pytest.raises(TryAgain) as caught:
        ask(base_url=server.url.replace("://", f"://{user}@"))
    assert str(caught.value) == f"cannot be reached at {server.url}: Connection refused"


def test_bytes_that_are_no_http(serve, keyed):
    async def send(http):
        http.transport.write(f"HTTP/1.1 sk {PLAIN}\r\n\r\n".encode())
        http.transport.close()
        return web.Response()

    seen = keyed(serve(fault=lambda *_: send), key=PLAIN)
    assert "closed the connection" in seen
    assert PLAIN not in seen


def test_nothing_is_logged(replying, keyed, caplog):
    caplog.set_level(logging.DEBUG)
    keyed(replying({"error": PLAIN}, 401), key=PLAIN)
    keyed(replying({"error": PLAIN}, 500), key=PLAIN)
    assert PLAIN not in caplog.text


@pytest.mark.parametrize("key", ["EMPTY", "1", "ready", "none"])
def test_a_key_that_is_an_everyday_word_changes_no_answer(serve, ask, monkeypatch, key):
    """Local servers accept any key; vLLM's documentation uses EMPTY."""
    monkeypatch.setenv("JUDGE_KEY", key)
    text = "The first box is EMPTY, the 1 of the other is ready, none is 10."
    server = serve(answer=lambda _: text)
    reply = ask(server, api_key_env="JUDGE_KEY")
    assert (reply.text, reply.finish_reason, reply.completion_tokens) == (text, "stop", len(text.split()))
