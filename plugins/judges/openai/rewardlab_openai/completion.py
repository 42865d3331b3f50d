"""Read an answer as a Reply. Servers differ in where they put things."""

from collections.abc import Mapping
from typing import Any

from rewardlab import Reply
from rewardlab_http import Hide, NoAnswerError, token_count

ENDED_WITHOUT_TEXT = ("length", "content_filter", "tool_calls", "refusal")
"""why a model ended for which it may have written nothing: another try would end likewise"""
REASONS = {
    "length": ("max_tokens", "model_length", "max_output_tokens"),
    "content_filter": (
        "content_filtered",
        "safety",
        "recitation",
        "prohibited_content",
        "blocklist",
        "spii",
        "sensitive",
    ),
    "tool_calls": ("tool_use", "function_call", "tool_call"),
}
"""why a model ended, in OpenAI's word: the words of gateways to models of others"""
_REASONS = {other: reason for reason, others in REASONS.items() for other in others}
_REASONING = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks")


def read_completion(answer: Any, hide: Hide) -> Reply:
    """Return the first choice, with secrets hidden.

    Raises NoAnswerError, or what reading another form raises (ServerJudge.read), for JSON that is not a completion, an
    error in place of a choice, or a completion whose content is null: neither empty, nor refused, nor cut, nor all
    reasoning.
    """
    choice = answer["choices"][0]
    if choice.get("error"):
        raise NoAnswerError(choice)  # of the provider behind a gateway
    if _is_null(choice, choice["message"]):
        raise NoAnswerError(answer)
    return _reply(choice, choice["message"], answer.get("usage"), hide)


def _reply(choice: Mapping[str, Any], message: Mapping[str, Any], usage: Any, hide: Hide) -> Reply:
    written = _text(message.get("content"))
    text = written or _refusal(message) or ""
    reasoning = _reasoning(message)
    shown = hide(text), hide(reasoning or "")
    reason = _finish_reason(choice, message)
    counts = usage if isinstance(usage, dict) else {}
    details = counts.get("prompt_tokens_details")
    cached = (
        details if isinstance(details, dict) else {"cached_tokens": counts.get("prompt_cache_hit_tokens")}
    )  # DeepSeek
    return Reply(
        text=shown[0],
        reasoning=None if reasoning is None else shown[1],
        # tokens spell out what was hidden
        logprobs=choice.get("logprobs") if shown == (text, reasoning or "") else None,
        finish_reason=None if reason is None else hide(reason),
        prompt_tokens=token_count(counts.get("prompt_tokens")),
        completion_tokens=token_count(counts.get("completion_tokens")),
        cache_read_tokens=token_count(cached.get("cached_tokens")),
        cache_write_tokens=token_count(cached.get("cache_write_tokens")),  # OpenRouter
    )


def _is_null(choice: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    """Return whether a server gave no text at all, as gateways do if the model behind them failed."""
    other = ("refusal", "tool_calls", "function_call", *_REASONING)
    if message.get("content") is not None or any(message.get(name) for name in other):
        return False
    return _finish_reason(choice, message) not in ENDED_WITHOUT_TEXT


def _finish_reason(choice: Mapping[str, Any], message: Mapping[str, Any]) -> str | None:
    """Return why the model ended, by what the message has where the server only says that it did."""
    if not (_text(message.get("content")) or "").strip():
        if _refusal(message):
            return "refusal"
        if message.get("tool_calls") or message.get("function_call"):
            return "tool_calls"
    reason = choice.get("finish_reason")
    return _REASONS.get(reason.casefold(), reason) if isinstance(reason, str) else None


def _reasoning(message: Mapping[str, Any]) -> str | None:
    """Return the reasoning beside the content, or that of its parts."""
    given = [*(message.get(name) for name in _REASONING), _parts(message, "thinking", "reasoning")]
    return next(filter(None, map(_spelt, given)), None)


def _refusal(message: Mapping[str, Any]) -> str:
    """Return the words of a refusal beside the content, or in its parts; "" without one."""
    return _spelt(message.get("refusal")) or _spelt(_parts(message, "refusal"))


def _parts(message: Mapping[str, Any], *types: str) -> list[Any]:
    content = message.get("content")
    return [part for part in content if part.get("type") in types] if isinstance(content, list) else []


def _spelt(value: Any) -> str:
    """Return a text that may come in parts, whatever servers call these; "" for anything else."""
    if isinstance(value, list):
        names = ("text", "thinking", "summary", "refusal")
        return "".join(_spelt(part.get(name)) for part in value if isinstance(part, dict) for name in names)
    return value if isinstance(value, str) else ""


def _text(content: Any) -> str | None:
    """Return the text of a message's content, which may come in parts; None if it has no text."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") in ("text", "output_text"))
    if content is not None and not isinstance(content, str):
        raise TypeError("content is not a text")
    return content
