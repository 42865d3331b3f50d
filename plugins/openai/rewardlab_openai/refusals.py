"""What a server says instead of an answer: whether another try may help, when, and in which words."""

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any
from urllib.parse import urlsplit

from rewardlab.errors import TryAgain
from rewardlab.types import Reply

PASSING = (408, 409, 425, 429)
FOR_GOOD = ("insufficient_quota", "billing_hard_limit_reached")
"""codes of a 429 that no waiting mends"""
SHOWN = 300


def failure(status: int, headers: Mapping[str, str], text: str, base_url: str) -> Reply:
    """The Reply of a refusal that stands. Raises TryAgain where the server may answer later."""
    code, words = _words(text)
    told = f"HTTP {status}: {words}" if words else f"HTTP {status} with an empty body"
    if (status in PASSING and code not in FOR_GOOD) or status >= 500:
        raise TryAgain(f"answered {told}", after=_retry_after(headers))
    return Reply(error=f"{base_url} answered {told}{_hint(status, base_url)}")


def _words(text: str) -> tuple[str, str]:
    """(the error's code, its message) from a body of any form."""
    try:
        found: Any = json.loads(text)
    except ValueError:
        return "", _cut(text)
    found = found.get("error", found) if isinstance(found, dict) else found
    if not isinstance(found, dict):
        return "", _cut(found if isinstance(found, str) else text)
    message = found.get("message") or found.get("detail") or text
    return str(found.get("code") or found.get("type") or ""), _cut(message if isinstance(message, str) else text)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a number or a date, or None."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    value = headers.get("Retry-After")
    if value is None or (seconds := _number(value)) is not None:
        return None if value is None else seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (TypeError, ValueError):
        return None


def _number(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None


def _hint(status: int, base_url: str) -> str:
    if status in (401, 403):
        return "; does `api_key_env` name the variable with the right key?"
    if status in (404, 405):
        lacking = "; the address usually ends in /v1" if not urlsplit(base_url).path.strip("/") else ""
        return f"; are `base_url` and `model` right?{lacking}"
    return ""
