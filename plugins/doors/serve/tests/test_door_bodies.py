"""One table of bodies for all doors: right ones, answers that failed, and what no door understands."""

import json
from copy import deepcopy

import pytest
from helpers.each_case import each_case
from rewardlab_serve.doors import door

from .test_doors import NUMBERS, RECIPE, USER, request
from .test_groups import RIGHT, WRONG, error
from .test_openreward import Session, events, said

DOORS = ["openrlhf", "slime", "nemo_gym", "google", "aws", "eval_protocol"]
MALFORMED, FAILED = (422, "bad_body"), (422, "failed_response")
TEXT = {"type": "text", "text": RIGHT}
MODEL = {"role": "model", "parts": [{"text": RIGHT}]}


def message(*items, **more):
    """A response of the Responses API with these items."""
    return {"response": {"output": [*items], **more}}


def reply(*parts, **more):
    """A reply of Google's with one candidate."""
    return {"response": {"candidates": [{"content": {"role": "model", "parts": [*parts]}, **more}]}}


def chat(content):
    return {"messages": [USER, {"role": "assistant", "content": content}]}


CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f"}}],
}
CALLED = {
    "messages": [USER, CALL, {"role": "tool", "tool_call_id": "1", "content": WRONG}, *chat(RIGHT)["messages"][1:]]
}
THOUGHTS = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": WRONG}]}
ANSWER = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": RIGHT}]}
RIGHT_BODIES = {
    "openrlhf": [{}, {"labels": ["2"]}],
    "slime": [{}, {"prompt": [USER]}],
    "nemo_gym": [
        message(ANSWER, status="completed"),
        message({**ANSWER, "status": "completed"}),
        message({"role": "assistant", "content": RIGHT}),
        message(ANSWER, {"type": "reasoning", "summary": []}),
        message(ANSWER, {"type": "message", "role": "user", "content": WRONG}),
        message({"type": "mcp_call", "output": WRONG}, ANSWER),
        {"responses_create_params": {"input": [USER, THOUGHTS, {"type": "function_call", "name": "f"}]}},
    ],
    "google": [
        {"response": RIGHT},
        {"response": MODEL},
        reply({"text": WRONG, "thought": True}, {"text": RIGHT}),
        reply({"text": RIGHT}, finishReason="STOP"),
        reply({"text": RIGHT}, finishReason="MAX_TOKENS"),
        {"response": {"candidates": [{"content": MODEL}], "promptFeedback": {"safetyRatings": []}}},
        {"response": [{"text": RIGHT}]},
    ],
    "aws": [{}, chat([TEXT]), CALLED],
    "eval_protocol": [{}, chat([TEXT]), chat([{"text": "so "}, TEXT]), CALLED],
}
"""door -> what replaces entries of its request about an answer; each is worth 1"""
MALFORMED_BODIES = {
    "openrlhf": [
        {"labels": "2"}, {"labels": {"2": "x"}}, {"labels": 1}, {"labels": True}, {"labels": 1.5}, {"labels": []},
        {"labels": ["2", "2"]}, {"query": "1+1?"}, {"query": []}, {"query": [3]}, {"prompts": [None]},
    ],
    "slime": [{"response": None}, {"response": [TEXT]}, {"response": {"text": RIGHT}}, {"prompt": 3}],
    "nemo_gym": [
        message(None), message(1, 2), message(RIGHT), message({"text": RIGHT}), message({"content": RIGHT}),
        message({"type": "image", "text": RIGHT}), message({"type": 7, "role": "assistant", "content": RIGHT}),
        message({**ANSWER, "content": []}), message({**ANSWER, "content": None}), message({**ANSWER, "role": "tool"}),
        message({**ANSWER, "content": [{"type": "input_image", "image_url": "x"}]}), {"response": []},
        message({**ANSWER, "status": "in_progress"}),
        message(ANSWER, status="in_progress"), message(ANSWER, status="queued"), {"response": {"output": "x"}},
    ],
    "google": [
        {"response": []}, {"response": None}, {"response": {}}, {"response": {"candidates": []}}, {"response": 7},
        reply(), reply({"inlineData": {"data": "", "mimeType": "image/png"}}), reply({"text": 3}),
        reply({"functionCall": {"name": "f"}}), {"response": {"candidates": [{}]}},
        {"response": {"candidates": [None]}}, {"example": {"contents": []}},
        {"example": {"contents": [{"role": "tool", "parts": [{"text": "x"}]}]}},
        {"response": {**MODEL, "role": "user"}}, {"response": {"content": {**MODEL, "role": "user"}}},
        {"response": {"candidates": [{"content": {**MODEL, "role": "user"}}]}},
    ],
    "aws": [
        chat([]), chat(None), chat([{"type": "image", "text": RIGHT}]), chat([{"type": "thinking", "text": RIGHT}]),
        {"messages": []}, {"messages": [USER]}, {"messages": [USER, CALL]}, {"messages": [3]}, {"metadata": "x"},
    ],
    "eval_protocol": [
        chat([]), chat(None), chat([{"type": "image_url", "text": RIGHT}]), chat({"text": RIGHT}),
        {"messages": [{"role": "assistant"}]}, {"messages": [*chat(RIGHT)["messages"], USER]},
    ],
}  # fmt: skip
FAILED_BODIES = {
    "google": [
        reply(finishReason="SAFETY"), reply({"text": RIGHT}, finishReason="PROHIBITED_CONTENT"),
        {"response": {"candidates": [{"finishReason": "RECITATION"}]}},
        {"response": {**MODEL, "finishReason": "SAFETY"}},
        {"response": {"promptFeedback": {"blockReason": "SAFETY"}}},
        {"response": {"candidates": [{"content": MODEL}], "promptFeedback": {"blockReason": "SAFETY"}}},
    ],
}  # fmt: skip
NEMO_GYM_FAILED = {
    "agent_run_error": [
        message(status="failed", error={"code": "server_error", "message": "out of memory"}),
        message(ANSWER, status="failed"),
        message(ANSWER, error={"message": "lost"}),
        message(ANSWER, status="incomplete", incomplete_details={"reason": "content_filter"}),
        message(),
        message({"type": "reasoning"}, usage={"output_tokens": 0}),
    ],
    "cancelled": [message(status="cancelled"), message(ANSWER, status="cancelled")],
}
EMPTY = {
    "nemo_gym": [
        message({"type": "reasoning"}, incomplete_details={"reason": "max_output_tokens"}),
        message(incomplete_details={"reason": "max_output_tokens"}),
    ],
    "google": [reply(finishReason="STOP"), {"response": {"candidates": [{"finishReason": "MAX_TOKENS"}]}}],
    "aws": [chat("")],
    "eval_protocol": [chat("")],
    "slime": [{"response": ""}],
}
"""answers that ended as they should, and say nothing: an empty answer, worth 0"""


def sent(name, changes):
    """A door's request with some entries in the place of its own."""
    body = deepcopy(request(name, RIGHT))
    if name == "aws":
        return [{**body[0], **changes}]
    return {**body, **changes}


@pytest.fixture
def answered(serving):
    """answered(door, changes): what the server answers to a door's request with these entries."""
    server = serving(RECIPE, doors=DOORS)
    return lambda name, changes: server.ask(door(name).path, sent(name, changes))


def rows(table):
    return [(name, changes) for name, bodies in table.items() for changes in bodies]


@each_case("name, changes", rows(RIGHT_BODIES))
def test_what_is_right_is_read(answered, name, changes):
    assert NUMBERS[name](answered(name, changes).body) == pytest.approx(1.0)


@each_case("name, changes", rows(MALFORMED_BODIES))
def test_what_is_not_understood_is_no_number(answered, name, changes):
    assert error(answered(name, changes)) == MALFORMED


@each_case("name, changes", rows(FAILED_BODIES))
def test_an_answer_that_failed_is_no_number(answered, name, changes):
    assert error(answered(name, changes)) == FAILED


@each_case("kind, changes", rows(NEMO_GYM_FAILED))
def test_nemo_gym_is_told_the_kind_of_a_failure(answered, kind, changes):
    answer = answered("nemo_gym", changes).body
    assert (answer["mask_sample"], answer["failure_kind"], answer["reward"]) == (True, kind, 0.0)
    assert answer["failure_reason"]


@each_case("name, changes", rows(EMPTY))
def test_an_empty_answer_is_an_empty_text(answered, name, changes):
    found = answered(name, changes)
    assert (found.status, NUMBERS[name](found.body)) == (200, 0.0)
    assert "mask_sample" not in found.body


def test_a_reference_of_zero_is_a_reference(answered):
    zero = {**chat("\\boxed{0}"), "reference_answer": 0, "metadata": {"reference_answer": "7"}}
    assert NUMBERS["aws"](answered("aws", zero).body) == pytest.approx(1.0)


OTHERS = [
    [{"type": "image", "text": RIGHT}],
    [{"type": "tool_result", "blocks": [], "text": RIGHT}],
    [{"type": "error", "text": RIGHT}],
    [{"type": 7, "text": RIGHT}],
    [{"text": RIGHT}],
    [{"type": "text", "text": 7}],
    [RIGHT],
    [None],
]
"""blocks in the place of OpenReward's text"""


@each_case("blocks", OTHERS)
def test_openreward_reads_no_answer_elsewhere(serving, blocks):
    session = Session(serving(RECIPE, doors=["openreward"]))
    assert error(session.score([{"role": "assistant", "blocks": blocks}])) == MALFORMED


def test_openreward_reads_texts_beside_thoughts_and_calls(serving):
    before = [{"type": "reasoning", "text": WRONG}, {"type": "tool_call", "name": "f", "input": {"x": WRONG}}]
    session = Session(serving(RECIPE, doors=["openreward"]))
    scores = json.loads(events(session.score([said(RIGHT, *before)])).text)["scores"]
    assert [one["reward"] for one in scores] == [pytest.approx(1.0)]
