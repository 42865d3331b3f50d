"""Completions that are conversations: one form of messages and calls, the last answer, and what is refused."""

import json
import re

import pytest
from helpers.each_case import each_case
from rewardlab import Completion
from rewardlab.data import to_completions

CALL = {"type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
ASKS = {"role": "assistant", "content": "", "tool_calls": [CALL]}
RESULT = {"role": "tool", "content": "The answer is 7.", "tool_call_id": "c1"}
SAYS = {"role": "assistant", "content": "It is 3."}


def test_the_text_is_the_assistants_last_one_whatever_a_tool_says():
    plain, listed, known = to_completions(
        ["It is 3.", [ASKS, RESULT, SAYS, RESULT], {"messages": [SAYS, ASKS], "token_count": 9, "truncated": True}]
    )
    assert (plain.text, listed.text, known.text) == ("It is 3.",) * 3
    assert list(listed.messages) == [ASKS, RESULT, SAYS, RESULT]
    assert (known.token_count, known.truncated) == (9, True)
    assert to_completions([[ASKS, RESULT]])[0].text == ""
    assert plain.conversation() == to_completions([[SAYS]])[0].conversation() == (SAYS,)


@each_case(
    "call",
    [
        CALL,
        {"function": {"name": "add", "arguments": {"a": 1}}},
        {"name": "add", "arguments": '{"a": 1}', "type": "function_call"},
        {"function": "add", "arguments": {"a": 1}, "view": None},
    ],
)
def test_a_call_has_one_form_whoever_wrote_it(call):
    [found] = to_completions([[{"role": "assistant", "tool_calls": [call]}]])
    assert found.messages[0] == ASKS
    [found] = to_completions([[{"role": "assistant", "content": None, "tool_calls": [call | {"id": "c1"}]}]])
    assert found.messages[0]["tool_calls"] == [{"id": "c1", **CALL}]


def test_parts_are_a_text_and_what_is_null_or_unknown_is_left_out():
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "a"},
        {"type": "output_text", "text": "b"},
    ]
    odd = {"tool_calls": None, "name": None, "refusal": None, "annotations": [], "reasoning_content": "hm"}
    [found] = to_completions([[{"role": "assistant", "content": parts, **odd}]])
    assert found.messages == ({"role": "assistant", "content": "ab", "reasoning_content": "hm"},)


@each_case(
    "content, text",
    [
        (None, ""),
        ([], ""),
        ("", ""),
        ([{"type": "reasoning", "text": "hm"}], ""),
        ([{"type": "text", "text": ""}], ""),
    ],
)
def test_an_answer_without_a_text_is_an_empty_one(content, text):
    [found] = to_completions([[{"role": "assistant", "content": content, "reasoning_content": "hm"}]])
    assert found.text == text


def test_pictures_that_a_model_was_shown_are_passed_over():
    shown = {
        "role": "tool",
        "content": [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "a"}],
    }
    [found] = to_completions([[ASKS, shown, SAYS]])
    assert found.messages[1]["content"] == "a"


@each_case(
    "value, what",
    [
        ([], "completions[0] has no assistant message"),
        ([RESULT], "completions[0] has no assistant message"),
        ([SAYS, "x"], "completions[0][1] must be a message with role and content, not a text"),
        ([{"role": "asistant", "content": ""}], "completions[0][0]: no role 'asistant'; did you mean 'assistant'?"),
        ([{"content": ""}], "completions[0][0].role must be a text; it is null"),
        (
            [{"role": "assistant", "contents": "x"}],
            "completions[0][0].content must be a text or a list of parts; it is",
        ),
        ([{"role": "assistant", "content": ["x"]}], "completions[0][0].content must be a text or a list of parts"),
        (
            [{"role": "assistant", "content": [{"type": "image_url"}]}],
            "completions[0][0].content has a part 'image_url'; rewards read texts only",
        ),
        ([SAYS | {"tool_calls": {}}], "completions[0][0].tool_calls must be a list, in an assistant message"),
        ([SAYS, RESULT | {"tool_calls": [CALL]}], "completions[0][1].tool_calls must be a list, in an assistant"),
        ([SAYS | {"tool_calls": [7]}], "completions[0][0].tool_calls[0] must be {"),
        ([SAYS | {"tool_calls": [{"function": {"name": "x"}}]}], "completions[0][0].tool_calls[0] must be {"),
        (
            [SAYS | {"tool_calls": [{"name": "x", "arguments": {"a": {1}}}]}],
            "completions[0][0].tool_calls[0].function.arguments is not JSON",
        ),
        ([SAYS, RESULT | {"tool_call_id": 7}], "completions[0][1].tool_call_id must be a text; it is the number 7"),
        ({"messages": "x"}, "completions[0].messages must be a list of messages, not a text"),
        ({"messages": [RESULT]}, "completions[0].messages has no assistant message"),
        ({"messages": [SAYS], "text": "It is 4."}, "completions[0].text is not the assistant's last answer"),
    ],
)
def test_what_is_no_conversation_is_named_by_its_place(value, what):
    with pytest.raises(ValueError, match="^" + re.escape(what)):
        to_completions([value])


def test_what_a_completion_is_written_as_is_read_again():
    given = to_completions(["x", [ASKS, RESULT, SAYS], [ASKS, {"role": "assistant", "content": "\ud800"}]])
    written = json.loads(json.dumps([one.as_dict() for one in given]))
    assert to_completions(written) == given
    assert [Completion(**fields).as_dict() for fields in written] == written
    assert written[0] == {"text": "x", "token_count": None, "truncated": False}


def test_another_text_takes_the_last_answers_place():
    assert Completion(text="a", token_count=3).with_text("b") == Completion(text="b", token_count=3)
    [talk, silent] = to_completions([[SAYS, ASKS, RESULT, SAYS], [ASKS, RESULT]])
    assert talk.with_text("b") == to_completions([[SAYS, ASKS, RESULT, SAYS | {"content": "b"}]])[0]
    assert silent.with_text("b") == to_completions([[ASKS, RESULT, SAYS | {"content": "b"}]])[0]
