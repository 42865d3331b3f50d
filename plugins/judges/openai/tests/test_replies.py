"""Answers with HTTP 200."""

import json

import pytest
from helpers.each_case import each_case
from rewardlab import Reply
from rewardlab.errors import TryAgain


def body(message=None, usage=None, **choice):
    message = {"role": "assistant", "content": "yes"} if message is None else message
    answer = {"id": "x", "choices": [{"index": 0, "message": message, **choice}]}
    return answer if usage is None else {**answer, "usage": usage}


def test_everything(replying, ask):
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    logprobs = {"content": [{"token": "yes", "logprob": -0.1, "bytes": None, "top_logprobs": []}]}
    message = {"role": "assistant", "content": " yes\n", "reasoning_content": "hm \n"}
    server = replying(body(message, usage, finish_reason="stop", logprobs=logprobs))
    assert ask(server) == Reply(
        text=" yes\n",
        reasoning="hm \n",
        logprobs=logprobs,
        finish_reason="stop",
        prompt_tokens=12,
        completion_tokens=3,
    )


def test_the_least(replying, ask):
    assert ask(replying({"choices": [{"message": {"content": "yes"}}]})) == Reply(text="yes")


PARTS = [
    {"type": "reasoning", "text": "hm"},
    {"type": "text", "text": "it is "},
    {"type": "image_url", "image_url": {"url": "data:"}},
    {"type": "output_text", "text": "A"},
    {"type": "text", "text": None},
]


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "yes", "reasoning_content": "why"}, "yes", "why"),  # vLLM, SGLang, DeepSeek
        ({"content": "yes", "reasoning": "why"}, "yes", "why"),  # OpenRouter, newer vLLM
        ({"content": "yes", "reasoning_content": None, "reasoning": "why"}, "yes", "why"),
        ({"content": "yes", "reasoning": {"steps": 3}}, "yes", None),
        ({"content": None, "reasoning_content": "all was thought"}, "", "all was thought"),
        ({"reasoning": "all was thought"}, "", "all was thought"),
        ({"content": "<think>x</think>yes"}, "<think>x</think>yes", None),
        ({"content": PARTS}, "it is A", "hm"),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}, "", "hm"),  # Magistral
        ({"content": []}, "", None),
        ({"content": ""}, "", None),
        ({"content": None, "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}, "", "hm"),  # OpenRouter
        ({"content": "yes", "thinking_blocks": [{"thinking": "hm", "signature": "x"}]}, "yes", "hm"),  # LiteLLM
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "No.", None),
        ({"content": [{"type": "thinking", "thinking": {"a": 1}}, {"type": "text", "text": "yes"}]}, "yes", None),
        ({"content": None, "refusal": "I will not judge this."}, "I will not judge this.", None),
        ({"content": "", "refusal": "I will not judge this."}, "I will not judge this.", None),
        ({"content": None, "tool_calls": [{"function": {"name": "f"}}]}, "", None),
        ({"content": "half \ud83d"}, "half \ud83d", None),
        ({"content": "ஆம் 你好 🙂"}, "ஆம் 你好 🙂", None),
    ],
)
def test_forms_of_a_message(replying, ask, message, text, reasoning):
    reply = ask(replying(body(message)))
    assert (reply.text, reply.reasoning, reply.error) == (text, reasoning, None)


@each_case(
    "usage, read, written",
    [
        ({"prompt_tokens_details": {"cached_tokens": 4}}, 4, None),
        ({"prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3}}, 4, 3),  # OpenRouter
        ({"prompt_tokens_details": {"cached_tokens": None, "audio_tokens": 0}}, None, None),
        ({"prompt_tokens_details": None, "prompt_cache_hit_tokens": 5}, 5, None),  # DeepSeek
        ({"prompt_tokens_details": [4]}, None, None),
        ({"prompt_tokens_details": {"cached_tokens": "4"}}, None, None),
        ({}, None, None),
    ],
)
def test_tokens_that_the_server_had_in_its_cache(replying, ask, usage, read, written):
    reply = ask(replying(body(usage={"prompt_tokens": 9, **usage})))
    assert (reply.prompt_tokens, reply.cache_read_tokens, reply.cache_write_tokens) == (9, read, written)


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (None, (None, None)),
        ({}, (None, None)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (0, 0)),
        ({"prompt_tokens": 5}, (5, None)),
        ({"prompt_tokens": None, "completion_tokens": "3"}, (None, None)),
        ({"prompt_tokens": -1, "completion_tokens": True}, (None, None)),
        ([1], (None, None)),
        ("none", (None, None)),
    ],
)
def test_usage_counts_where_it_is_there_and_never_costs_an_answer(replying, ask, usage, counts):
    reply = ask(replying(body(usage=usage)))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("yes", *counts)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("length", "length"), ("MAX_TOKENS", "length"), ("end_turn", "end_turn"), (None, None), (3, None)],
)
def test_why_it_ended(replying, ask, reason, expected):
    assert ask(replying(body(finish_reason=reason))).finish_reason == expected


@pytest.mark.parametrize(
    ("message", "ended", "reason"),
    [
        ({"content": None, "refusal": "No."}, "stop", "refusal"),
        ({"content": "yes", "refusal": "No."}, "stop", "stop"),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "stop", "refusal"),
        ({"content": "", "tool_calls": [{"id": "1"}]}, "stop", "tool_calls"),
        ({"content": "yes", "tool_calls": [{"id": "1"}]}, "tool_calls", "tool_calls"),
        ({"content": None, "function_call": {"name": "f"}}, "function_call", "tool_calls"),
        ({"content": None}, "tool_use", "tool_calls"),
        ({"content": None}, "SAFETY", "content_filter"),
        ({"content": None}, "refusal", "refusal"),
    ],
)
def test_why_it_ended_without_a_text(replying, ask, message, ended, reason):
    assert ask(replying(body(message, finish_reason=ended))).finish_reason == reason


@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls"])
def test_a_model_that_ended_before_it_wrote_anything_did_answer(replying, ask, reason):
    assert ask(replying(body({"content": None}, finish_reason=reason))) == Reply(text="", finish_reason=reason)


def test_further_choices_are_passed_over(replying, ask):
    answer = body()
    answer["choices"].append({"message": {"content": "no"}})
    assert ask(replying(answer)).text == "yes"


def test_a_byte_order_mark_is_no_part_of_json(replying, ask):
    assert ask(replying(b"\xef\xbb\xbf" + json.dumps(body()).encode())).text == "yes"


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (b"", "an empty body"),
        (b" \n", "an empty body"),
        (json.dumps(body())[:40], '\'{"id": "x", "choices": [{"index": 0, "me\''),
        ("<html><body>Welcome to our portal</body></html>", "Welcome to our portal"),
        ("data: [DONE]", "data: [DONE]"),
        ("[" * 100_000, "'[[["),
        ({"choices": []}, '{"choices": []}'),
        ({"choices": None}, '{"choices": null}'),
        ({"choices": [{"message": None}]}, '"message": null'),
        ({"choices": [{"text": "yes"}]}, '"text": "yes"'),  # of /completions
        (body({"content": 7}), '"content": 7'),
        (body({"content": ["yes"]}), '["yes"]'),
        ([], "[]"),
        ("null", "null"),
        (body({"content": None}), '"content": null'),
        (body({"role": "assistant"}, finish_reason="stop"), '"role": "assistant"'),
        (body({"content": None, "refusal": None, "tool_calls": [], "reasoning": ""}), '"content": null'),
        ({"choices": [], "error": None}, '"error": null'),
    ],
)
def test_what_is_no_completion_is_asked_again_and_shown(replying, ask, answer, shown):
    with pytest.raises(TryAgain, match=r"^answered with no completion: ") as caught:
        ask(replying(answer))
    assert shown in str(caught.value)
    assert len(str(caught.value)) < 250


class TestAnErrorThatAGatewayWrapsIntoHttp200:
    def test_may_pass(self, replying, ask):
        with pytest.raises(TryAgain, match=r"^answered HTTP 200: upstream is overloaded$"):
            ask(replying({"error": {"message": "upstream is overloaded"}}))

    def test_may_pass_by_its_code(self, replying, ask):
        with pytest.raises(TryAgain, match=r"^answered HTTP 200: slow down$"):
            ask(replying({"error": {"message": "slow down", "code": 429}}))

    def test_may_stand_in_the_place_of_the_choice(self, replying, ask):
        choice = {"error": {"message": "Provider returned error", "code": 502}, "message": {"content": ""}}
        with pytest.raises(TryAgain, match=r"^answered HTTP 200: Provider returned error$"):
            ask(replying({"choices": [choice]}))

    def test_stands_where_its_code_says_so(self, replying, ask):
        server = replying({"error": {"message": "no such model", "code": 404}})
        message = f"{server.url} answered HTTP 200: no such model (are `base_url` and `model` right?)"
        assert ask(server) == Reply(error=message)
