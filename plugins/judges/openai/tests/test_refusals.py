"""Answers with any other status: whether to ask again, when, and what the user reads."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from helpers.each_case import each_case
from helpers.long_texts import assert_linear
from rewardlab import Reply
from rewardlab.errors import TryAgain

BUSY = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 501, 502, 503, 504, 529])
def test_a_busy_or_failing_server_is_asked_again(replying, ask, status):
    with pytest.raises(TryAgain, match=rf"^answered HTTP {status}: Rate limit reached$") as caught:
        ask(replying(BUSY, status))
    assert caught.value.after is None


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, ""),
        (401, " (does `api_key_env` name the variable with the right key?)"),
        (402, ""),
        (403, " (does `api_key_env` name the variable with the right key?)"),
        (404, " (are `base_url` and `model` right?)"),
        (405, " (are `base_url` and `model` right?)"),
        (413, ""),
        (422, ""),
    ],
)
def test_a_refusal_stands_in_the_servers_words(replying, ask, status, hint):
    server = replying({"error": {"message": "The model `m` does not exist", "code": "x"}}, status)
    message = f"{server.url} answered HTTP {status}: The model `m` does not exist{hint}"
    assert ask(server) == Reply(error=message, refused=status in (400, 413, 422))
    assert server.seen["requests"] == 1


@each_case(
    "status, body, refused",
    [
        (400, {"error": {"message": "maximum context length is 4096 tokens", "code": "context_length_exceeded"}}, True),
        (400, {"error": {"message": "filtered", "code": "content_filter"}}, True),
        (413, "<html><title>413 Request Entity Too Large</title></html>", True),
        (422, {"error": "inputs tokens + max_new_tokens must be <= 4096", "error_type": "validation"}, True),
        (200, {"error": {"message": "too long", "code": 400}}, True),
        (400, {"error": {"message": "hard limit", "code": "billing_hard_limit_reached"}}, False),
        (400, {"error": {"message": "Your credit balance is too low to access the Anthropic API"}}, False),
        (400, {"error": {"message": "the balance of this argument is too low", "details": ["enforced"]}}, True),
        (429, {"error": {"message": "no money", "code": "insufficient_quota"}}, False),
        (401, {"error": {"message": "no key"}}, False),
        (402, {"error": {"message": "no credits"}}, False),
        (404, {"error": {"message": "no model"}}, False),
        (200, {"error": {"message": "no model", "code": 404}}, False),
    ],
)
def test_a_refusal_is_about_the_question_or_about_all_of_them(replying, ask, status, body, refused):
    assert ask(replying(body, status)).refused is refused


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "too long"}}, "too long"),
        ({"error": "too long"}, "too long"),  # TGI
        ({"object": "error", "message": "too long", "type": "BadRequestError", "code": 400}, "too long"),  # vLLM
        ({"detail": "too long"}, "too long"),  # FastAPI
        ({"detail": [{"loc": ["body"], "msg": "too long"}]}, '{"detail": [{"loc": ["body"], "msg": "too long"}]}'),
        ({"error": None, "message": "too long"}, "too long"),
        ({"error": {"code": 7}}, '{"code": 7}'),
        ({"error": {}}, '{"error": {}}'),
        ([1], "[1]"),
        ("too\n  long", "too long"),
        ("<html><head><title>400 Bad\nRequest</title></head><body>" + "x" * 999, "400 Bad Request"),
        ("<p>no title", "<p>no title"),
        ({"message": "zu läng 长"}, "zu läng 长"),
        (b"\xff\xfe", "��"),
        ("x" * 999, "x" * 297 + "..."),
        ("[" * 100_000, "[" * 297 + "..."),
    ],
)
def test_words_are_found_in_every_form_of_body(replying, ask, body, words):
    server = replying(body, 400)
    assert ask(server).error == f"{server.url} answered HTTP 400: {words}"


@pytest.mark.parametrize("piece", ["<title>", "<title", "<title >a", "</title", "x", "[", "{"])
def test_a_huge_page_is_read_no_further_than_its_beginning(replying, ask, piece):
    """All of 20 MB took hours to search, and nothing could interrupt it."""
    with pytest.raises(TryAgain, match=r"^answered HTTP 502: ") as caught:
        ask(replying(piece * (20_000_000 // len(piece)), 502))
    assert len(str(caught.value)) < 400


@pytest.mark.slow
def test_a_page_of_any_shape_is_read_in_linear_time():
    assert_linear("from rewardlab_http.refusals import Refusal; Refusal(502, {}, text, 'http://x', str)")


def test_an_empty_body_is_reported(replying, ask):
    server = replying(b"", 400)
    assert ask(server).error == f"{server.url} answered HTTP 400 with an empty body"


@pytest.mark.parametrize(
    "error",
    [
        {"code": "insufficient_quota", "type": "insufficient_quota"},
        {"code": 429, "type": "insufficient_quota"},
        {"code": "billing_hard_limit_reached", "type": None},
        {"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}},
    ],
)
def test_an_empty_account_is_no_busy_server(replying, ask, error):
    server = replying({"error": {"message": "You exceeded your current quota", **error}}, 429)
    assert ask(server) == Reply(error=f"{server.url} answered HTTP 429: You exceeded your current quota")


@pytest.fixture
def far_from_greenwich():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Jakarta")
        time.tzset()
        yield
    time.tzset()


class TestAfter:
    @pytest.mark.parametrize(
        ("headers", "after"),
        [
            ({"Retry-After": "7"}, 7.0),
            ({"Retry-After": "0.5"}, 0.5),
            ({"Retry-After": " 7 "}, 7.0),
            ({"retry-after-ms": "1500", "Retry-After": "7"}, 1.5),
            ({"retry-after-ms": "soon", "Retry-After": "7"}, 7.0),
            ({"Retry-After": "-7"}, 0.0),
            ({"Retry-After": "86400"}, 86400.0),
        ],
    )
    def test_seconds(self, replying, ask, headers, after):
        with pytest.raises(TryAgain) as caught:
            ask(replying(BUSY, 429, headers))
        assert caught.value.after == after

    @pytest.mark.parametrize(("value", "hint"), [("86400", " (it asks to wait for 86400 s)"), ("0.5", "")])
    def test_a_long_wait_is_reported(self, replying, ask, value, hint):
        with pytest.raises(TryAgain) as caught:
            ask(replying(BUSY, 503, {"Retry-After": value}))
        assert str(caught.value) == f"answered HTTP 503: Rate limit reached{hint}"

    @pytest.mark.parametrize("value", ["", "soon", "nan", "inf", "7, 9", "1e999", "Wed, 99 Foo 2026 07:28:00 GMT"])
    def test_nonsense_is_ignored(self, replying, ask, value):
        with pytest.raises(TryAgain) as caught:
            ask(replying(BUSY, 429, {"Retry-After": value}))
        assert caught.value.after is None

    @pytest.mark.parametrize("form", ["GMT", "-0000", "+0200", "naive"])
    def test_a_date(self, replying, ask, form, far_from_greenwich):
        when = datetime.now(UTC) + timedelta(seconds=30)
        header = format_datetime(when, usegmt=True)
        if form == "+0200":
            header = (when + timedelta(hours=2)).strftime("%a, %d %b %Y %H:%M:%S +0200")
        elif form != "GMT":
            header = header.replace("GMT", "" if form == "naive" else form)
        with pytest.raises(TryAgain) as caught:
            ask(replying(BUSY, 429, {"Retry-After": header}))
        assert 25 < caught.value.after <= 30

    def test_a_date_in_the_past_is_now(self, replying, ask):
        with pytest.raises(TryAgain) as caught:
            ask(replying(BUSY, 503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}))
        assert caught.value.after == 0.0


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_are_reported_and_not_followed(self, serve, replying, ask, monkeypatch, status):
        monkeypatch.setenv("JUDGE_KEY", "sk-key-of-the-judge")
        elsewhere = serve()
        place = f"{elsewhere.url}/chat/completions"
        server = replying(b"", status, {"Location": place})
        message = f"HTTP {status} with an empty body (give `base_url` as the address that it leads to, {place})"
        assert ask(server, api_key_env="JUDGE_KEY") == Reply(error=f"{server.url} answered {message}")
        assert elsewhere.requests == []

    def test_to_nowhere(self, replying, ask):
        server = replying(b"", 304)
        assert ask(server).error.endswith(
            "HTTP 304 with an empty body (give `base_url` as the address that it leads to)"
        )


def test_an_address_without_a_path_gets_a_hint(serve, ask):
    """This is the usual slip: http://host:8000 where the server listens at /v1."""
    server = serve()
    message = ask(base_url=f"http://127.0.0.1:{server.port}").error
    assert message == (
        f"http://127.0.0.1:{server.port} answered HTTP 404: 404: Not Found "
        "(are `base_url` and `model` right? The address usually ends in /v1.)"
    )


def test_the_same_server_is_asked_anew_after_a_refusal(serve, ask):
    async def refuse(http):
        return web.json_response(BUSY, status=400)

    server = serve(fault=lambda number, request: refuse if number == 0 else None)
    assert ask(server).error is not None
    assert ask(server) == Reply(text="ready", finish_reason="stop", prompt_tokens=2, completion_tokens=1)


@pytest.mark.parametrize(
    "words",
    [
        "System role not supported",
        "System message is not supported by this model",
        "this template does not support a system message",
        "Conversation roles must alternate user/assistant/user/assistant/...",
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_model_that_takes_no_system_message_is_told_with_what_to_do(replying, ask, words, status):
    error = ask(replying({"error": {"message": words, "code": status}}, status)).error
    assert error.partition(words)[2] == (
        " (the model's chat template takes no system message: if the component that asks has `prompt`, set `prompt: "
        "bare`; else give it a `template` with the user message alone, without a line ---)"
    )


@pytest.mark.slow
def test_the_search_for_a_refused_system_message_is_linear():
    assert_linear("from rewardlab_http.refusals import _SYSTEM_ROLE; _SYSTEM_ROLE.search(text)")
