"""The JSON Schema of a row for `rewardlab score`, as `rewardlab.data.to_group` reads it."""

from rewardlab.data import ROLES

_TEXT = {"type": "string", "pattern": r"\S"}
_MESSAGE = {
    "type": "object",
    "required": ["role", "content"],
    "additionalProperties": False,
    "properties": {
        "role": {"enum": list(ROLES), "description": "who says it"},
        "content": {"type": "string", "description": "what is said"},
    },
}
_TURN = {
    "type": "object",
    "required": ["role"],
    "anyOf": [{"required": ["content"]}, {"required": ["tool_calls"]}],
    "properties": {
        "role": {"enum": list(ROLES), "description": "who says it"},
        "content": {"type": ["string", "array", "null"], "description": "what is said: a text, or parts with texts"},
        "tool_calls": {"type": ["array", "null"], "description": "the assistant's calls of tools"},
    },
}
_TURNS = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/turn"}}
_COMPLETION = {
    "type": "object",
    "anyOf": [{"required": ["text"]}, {"required": ["messages"]}, {"required": ["error"]}],
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string", "description": "the completion, reasoning included"},
        "messages": {**_TURNS, "description": "the conversation behind the prompt, in place of the text"},
        "token_count": {
            "anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}],
            "description": "tokens of the completion; null if unknown",
        },
        "truncated": {
            "type": "boolean",
            "default": False,
            "description": "whether generation stopped at the length limit",
        },
        "seconds": {
            "anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}],
            "description": "what the rollout took; null if unknown",
        },
        "error": {
            "anyOf": [_TEXT, {"type": "null"}],
            "description": "why the rollout failed, so that it is no answer; null if it did not",
        },
    },
}

ROW_SCHEMA = {
    "title": "a row of `rewardlab score`, one a line",
    "description": "A recipe's `dataset.fields` maps columns with other names; this schema knows ours.",
    "type": "object",
    "required": ["prompt", "completions"],
    "properties": {
        "id": {
            "anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}],
            "description": "unique in the file; absent: made from the prompt",
        },
        "prompt": {
            "anyOf": [_TEXT, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/message"}}],
            "description": "a text, or a list of messages",
        },
        "completions": {
            "type": "array",
            "minItems": 1,
            "items": {"anyOf": [{"type": "string"}, _TURNS, {"$ref": "#/$defs/completion"}]},
            "description": "the answers of one group",
        },
    },
    "additionalProperties": True,
    "$defs": {"message": _MESSAGE, "turn": _TURN, "completion": _COMPLETION},
}
