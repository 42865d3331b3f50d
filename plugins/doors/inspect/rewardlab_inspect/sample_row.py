"""A sample of inspect_ai as a row of rewardlab: its metadata are the row's fields."""

from itertools import dropwhile
from typing import Any

from inspect_ai.model import ChatMessage
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from rewardlab.errors import UserError

OF_THE_ROW = ("id", "prompt", "completion", "completions")
CUT_OFF = ("max_tokens", "model_length")
"""stop reasons of a text that the limit on tokens ended"""


def sample_row(state: TaskState, target: Target, gold: str) -> dict[str, Any]:
    """Return the arguments of `RecipeReward.score_one` for a model's output: prompt, completion, and the fields.

    Args:
        gold: the field that the sample's target becomes, if the sample has one: a text, or a list if it has
            several.

    Raises UserError if metadata has names that a row already has.
    """
    taken = [name for name in OF_THE_ROW if name in state.metadata]
    if taken:
        raise UserError(
            f"its metadata have {', '.join(taken)}, which a row has itself", where=f"sample {state.sample_id}"
        )
    row: dict[str, Any] = {**state.metadata, "id": str(state.sample_id)}
    row |= {"prompt": _prompt(state.input), "completion": _completion(state)}
    if texts := [text for text in target if text]:
        row[gold] = texts[0] if len(texts) == 1 else texts
    return row


def _prompt(asked: str | list[ChatMessage]) -> str | list[dict[str, str]]:
    if isinstance(asked, str):
        return asked
    return [{"role": message.role, "content": message.text} for message in asked]


def _completion(state: TaskState) -> dict[str, Any]:
    output = state.output
    if not output.choices:
        return {"error": "no model was called: the output has no choice"}
    completion: dict[str, Any] = {**_output_of(state), "truncated": output.stop_reason in CUT_OFF}
    if output.usage is not None:
        completion["token_count"] = output.usage.output_tokens
    return completion


def _output_of(state: TaskState) -> dict[str, Any]:
    """Return the output's text, or all messages from the model's first one on if they end with that text."""
    text = state.output.completion
    messages = list(dropwhile(lambda message: message.source != "generate", state.messages))
    if len(messages) < 2 or messages[-1].role != "assistant" or messages[-1].text != text:
        return {"text": text}
    return {"messages": [_turn(message) for message in messages]}


def _turn(message: ChatMessage) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "assistant" and message.tool_calls:
        calls = [
            {"id": tool_call.id, "function": tool_call.function, "arguments": tool_call.arguments}
            for tool_call in message.tool_calls
        ]
        return {**turn, "tool_calls": calls}
    return {**turn, "tool_call_id": message.tool_call_id} if message.role == "tool" else turn
