"""Token counts as judges report them, and which of them can be true."""

from dataclasses import replace
from typing import Any

from rewardlab.judging.rate_limit import question_bytes
from rewardlab.types import Ask, Reply

HIDDEN_TOKENS = 32_768
"""tokens that a server may put before a question by itself"""
MAX_ANSWER_TOKENS = 1 << 20
"""more than any model writes, thoughts included"""


def plausible_counts(ask: Ask, reply: Reply) -> tuple[Reply, str | None]:
    """Return the reply without the counts that cannot be true, and what is odd about them, or None.

    A server that counts 10^18 tokens would stall the rate limit for ever and use up any budget. A count that is left
    out is one that was not given.
    """
    most = {"prompt_tokens": question_bytes(ask) + HIDDEN_TOKENS, "completion_tokens": MAX_ANSWER_TOKENS}
    wrong = [name for name, limit in most.items() if not _is_count(getattr(reply, name), limit)]
    if not wrong:
        return reply, None
    odd = f"reports {wrong[0]} that cannot be true (at most {most[wrong[0]]:,} are believed)"
    without: dict[str, Any] = dict.fromkeys(wrong)
    return replace(reply, **without), odd


def _is_count(given: object, most: int) -> bool:
    return given is None or (type(given) is int and 0 <= given <= most)
