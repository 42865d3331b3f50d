"""The judge anthropic/messages: what it sends, and what it makes of each answer."""

import pytest
from helpers.each_case import each_case
from helpers.messages_server import KEY, failure, message
from rewardlab import Ask, Reply
from rewardlab.errors import TryAgain

SYSTEM, QUESTION = {"role": "system", "content": "Judge."}, {"role": "user", "content": "A or B?"}
ANSWER, LATER = {"role": "assistant", "content": "A"}, {"role": "user", "content": "Sure?"}


# --- Requests


@each_case(
    "messages, system, sent",
    [
        ([QUESTION], None, [QUESTION]),
        ([SYSTEM, QUESTION], "Judge.", [QUESTION]),
        ([SYSTEM, {"role": "system", "content": "Be brief."}, QUESTION], "Judge.\n\nBe brief.", [QUESTION]),
        ([SYSTEM, QUESTION, ANSWER, LATER], "Judge.", [QUESTION, ANSWER, LATER]),
        (
            [QUESTION, ANSWER, LATER, SYSTEM],
            None,
            [QUESTION, ANSWER, LATER, SYSTEM],
        ),  # as models since Opus 4.8 take it
        ([QUESTION, QUESTION], None, [QUESTION, QUESTION]),
    ],
)
def test_only_the_system_messages_at_the_beginning_stand_apart(serve, ask, messages, system, sent):
    server = serve()
    assert ask(server, Ask(messages=messages)).text == "yes"
    [request] = server.requests
    assert (request.get("system"), request["messages"]) == (system, sent)


def test_options_and_the_questions_own_parameters(serve, ask):
    server = serve()
    params = {"max_completion_tokens": 9, "stop": ["\n"], "top_k": 7}
    ask(server, Ask(messages=[QUESTION], params=params, draw=3), temperature=0.0, top_k=5, extra_body={"thinking": {}})
    [request] = server.requests
    assert request == {
        "model": "claude-test", "messages": [QUESTION], "max_tokens": 9, "temperature": 0.0, "top_k": 7,
        "stop_sequences": ["\n"], "thinking": {},
    }  # fmt: skip


def test_a_begun_answer_is_sent_without_the_words_of_other_servers(serve, ask):
    server = serve()
    params = {"continue_final_message": True, "add_generation_prompt": False}
    ask(server, Ask(messages=[QUESTION, ANSWER], params=params), continues=True)
    assert server.requests == [{"model": "claude-test", "max_tokens": 64, "messages": [QUESTION, ANSWER]}]


def test_headers(serve, ask, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    monkeypatch.setenv("BETA", "cache-diagnosis-2026-04-07")
    server = serve()
    ask(server, api_key_env="JUDGE_KEY", headers_env={"anthropic-beta": "BETA"})
    [headers] = server.headers
    wanted = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "anthropic-beta": "cache-diagnosis-2026-04-07"}
    assert wanted.items() <= headers.items()
    assert "Authorization" not in headers


# --- Replies


THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
DETAILS = {"type": "refusal", "category": "cyber", "explanation": "It may do harm."}


@each_case(
    "answer, expected",
    [
        (message(), {}),
        (message(stop_reason="stop_sequence"), {}),
        (message("ye", "max_tokens"), {"text": "ye", "finish_reason": "length"}),
        (message("ye", "model_context_window_exceeded"), {"text": "ye", "finish_reason": "length"}),
        (message(content=[], stop_reason="max_tokens"), {"text": "", "finish_reason": "length"}),
        (message(content=[{"type": "tool_use", "id": "t", "name": "f", "input": {}}], stop_reason="tool_use"),
         {"text": "", "finish_reason": "tool_calls"}),
        (message(content=[THINKING, {"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "y"},
                          {"type": "text", "text": "es"}]), {"reasoning": "hm"}),
        (message(content=[THINKING], stop_reason="max_tokens"),
         {"text": "", "reasoning": "hm", "finish_reason": "length"}),
        (message(content=[]), {"text": ""}),
        (message(content=[], stop_reason="refusal", stop_details=DETAILS),
         {"text": "It may do harm.", "finish_reason": "refusal"}),
        (message("\\boxed{A}", "refusal", stop_details=DETAILS),
         {"text": "It may do harm.", "finish_reason": "refusal"}),
        (message("\\boxed{A}", "refusal", stop_details={**DETAILS, "category": None, "explanation": None}),
         {"text": "", "finish_reason": "refusal"}),
        (message("\\boxed{A}", "refusal"), {"text": "", "finish_reason": "refusal"}),
    ],
)  # fmt: skip
def test_why_it_ended_and_what_it_says(serve, ask, answer, expected):
    whole = {"text": "yes", "finish_reason": "stop", "prompt_tokens": 12, "completion_tokens": 3}
    assert ask(serve(answer)) == Reply(**whole | {"cache_read_tokens": 0, "cache_write_tokens": 0} | expected)


@each_case("reason", ["pause_turn", "compaction", "a reason of next year", 7])
def test_an_answer_that_would_go_on_is_an_error_that_was_paid_for(serve, ask, reason):
    reply = ask(serve(message("\\boxed{A}", reason)))
    assert reply.error == f"anthropic/messages: the answer ended at stop_reason {reason!r}"
    assert (reply.refused, reply.prompt_tokens, reply.completion_tokens) == (False, 12, 3)


@each_case(
    "usage, counts",
    [
        ({"input_tokens": 5, "output_tokens": 2}, (5, 2, None, None)),
        ({"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 100}, (105, 2, 100, None)),
        ({"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 70,
          "cache_creation": {"ephemeral_5m_input_tokens": 70}}, (75, 2, 0, 70)),
        ({"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 70},
         (105, 2, 30, 70)),
        ({"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": None}, (5, 2, None, None)),
        ({"output_tokens": 2}, (None, 2, None, None)),
        ({"input_tokens": "5", "output_tokens": -2}, (None, None, None, None)),
        ({}, (None, None, None, None)),
        (None, (None, None, None, None)),
        ([5], (None, None, None, None)),
    ],
)  # fmt: skip
def test_tokens_of_a_prompt_are_those_of_the_cache_too(serve, ask, usage, counts):
    reply = ask(serve(message(usage=usage)))
    names = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
    assert (reply.text, *(getattr(reply, name) for name in names)) == ("yes", *counts)


@each_case(
    "answer",
    [
        message(content="yes"), message(content=None), message(content=["yes"]), message(content=[{"text": "yes"}]),
        message(content=[{"type": "text", "text": None}]), {"content": [{"type": "text", "text": "yes"}]}, [], {},
        {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]},
    ],
)  # fmt: skip
def test_what_is_no_message_is_asked_again(serve, ask, answer):
    with pytest.raises(TryAgain, match=r"^answered with no message: "):
        ask(serve(answer))


# --- Refusals


LIMIT = "You have reached your specified API usage limits. You will regain access on 2026-12-01."
CREDIT = "Your credit balance is too low to access the Anthropic API."


@each_case(
    "status, kind, words, refused",
    [
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", True),
        (400, "invalid_request_error", "temperature: is deprecated for this model", True),
        (413, "request_too_large", "Request exceeds the maximum size", True),
        (400, "invalid_request_error", LIMIT, False),
        (400, "invalid_request_error", LIMIT.replace("specified", "specified workspace"), False),
        (400, "invalid_request_error", CREDIT, False),
        (402, "billing_error", "Check your payment details", False),
        (403, "permission_error", "Your API key may not use this model", False),
        (404, "not_found_error", "model: claude-tset", False),
    ],
)
def test_a_refusal_is_final_in_the_servers_words(serve, ask, status, kind, words, refused):
    server = serve((status, failure(kind, words), {}))
    reply = ask(server)
    assert reply.error.startswith(f"{server.url} answered HTTP {status}: {words}")
    assert (reply.refused, len(server.requests)) == (refused, 1)


@each_case(
    "status, kind, headers, after",
    [
        (429, "rate_limit_error", {"retry-after": "7"}, 7.0),
        (429, "rate_limit_error", {}, None),
        (500, "api_error", {}, None),
        (504, "timeout_error", {}, None),
        (529, "overloaded_error", {}, None),
        (529, "overloaded_error", {"retry-after": "2"}, 2.0),
    ],
)
def test_a_busy_server_is_asked_again_when_it_says(serve, ask, status, kind, headers, after):
    with pytest.raises(TryAgain, match=f"^answered HTTP {status}: Later") as caught:
        ask(serve((status, failure(kind, "Later"), headers)))
    assert caught.value.after == after


def test_a_spend_cap_is_no_busy_server(serve, ask):
    spent = failure("rate_limit_error", "Spend limit reached", details={"error_code": "enforced_spend_limit_reached"})
    server = serve((429, spent, {}))
    assert ask(server) == Reply(error=f"{server.url} answered HTTP 429: Spend limit reached")


def test_a_wrong_key_is_not_repeated(serve, ask, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "sk-ant-wrong-key")
    server = serve()
    hint = "(does `api_key_env` name the variable with the right key?)"
    error = f"{server.url} answered HTTP 401: invalid x-api-key *** {hint}"
    assert ask(server, api_key_env="JUDGE_KEY") == Reply(error=error)


def test_a_model_that_repeats_the_key(serve, ask, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    content = [{**THINKING, "thinking": KEY}, {"type": "text", "text": f"It is {KEY}."}]
    reply = ask(serve(message(content=content)), api_key_env="JUDGE_KEY")
    assert (reply.text, reply.reasoning) == ("It is ***.", "***")
    refused = message("", "refusal", stop_details={**DETAILS, "explanation": KEY})
    assert ask(serve(refused), api_key_env="JUDGE_KEY").text == "***"
    assert KEY not in ask(serve(message("", KEY)), api_key_env="JUDGE_KEY").error
