"""Conversations with which the laws of rewards are tried."""

from collections.abc import Mapping, Sequence
from typing import Any


def called(name: str, arguments: str) -> Mapping[str, Any]:
    """Return the message of an assistant that calls a tool."""
    call = {"id": "call", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


TALKS: Sequence[Sequence[Mapping[str, Any]]] = (
    [called("search", '{"q": "x"}'), {"role": "tool", "content": "y"}, {"role": "assistant", "content": "z"}],
    [called("", "{no JSON"), {"role": "tool", "content": ""}],
    [{"role": "assistant", "content": ""}, {"role": "user", "content": "And?"}],
    [called("search", "[]"), {"role": "tool", "content": "y", "tool_call_id": "none"}] * 40,
)
"""conversations that are always tried if a reward reads whole ones"""
