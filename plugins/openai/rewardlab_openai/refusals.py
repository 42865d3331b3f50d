"""What a server says instead of an answer: whether another try may help, when, and in which words."""

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from time import time
from typing import Any
from urllib.parse import urlsplit

PASSING = (408, 409, 425, 429)
FOR_GOOD = {"insufficient_quota", "billing_hard_limit_reached"}
"""codes of a 429 that no waiting mends"""
SHOWN = 300
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.S | re.I)


class Refusal:
    """A refusal, read.

    told: the server's words with its status, and what to look at. passing: whether the server may answer later.
    after: the seconds that it asks to wait for, or None. `redact` hides what the words may repeat, such as a key.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: str, address: str, redact: Callable[[str], str]):
        codes, said = _words(body)
        words = _cut(redact(said))  # in this order: half a key is a secret, too
        real = _wrapped(codes) if status == 200 else status
        told = f"HTTP {status}: {words}" if words else f"HTTP {status} with an empty body"
        self.passing = (real in PASSING or real >= 500) and not codes & FOR_GOOD
        self.after = _retry_after(headers)
        if not self.passing:
            told += redact(_hint(real, headers, address))
        elif self.after is not None and self.after >= 1:
            told += f" (it asks to wait for {self.after:.0f} s)"
        self.told = told


def _wrapped(codes: set[str]) -> int:
    """The status of an error that a gateway wraps into HTTP 200: its code where that is one, else 500."""
    statuses = [int(code) for code in codes if re.fullmatch("[45][0-9][0-9]", code)]
    return statuses[0] if statuses else 500


def _words(body: str) -> tuple[set[str], str]:
    """(the error's codes, its message) from a body of any form."""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        title = _TITLE.search(body)  # of an HTML page, as proxies send them
        return set(), title[1] if title else body
    if isinstance(found, dict) and found.get("error"):
        found = found["error"]
    if isinstance(found, str):
        return set(), found
    # anew, for one way of escaping: what is to be hidden must be found
    everything = json.dumps(found, ensure_ascii=False)
    if not isinstance(found, dict):
        return set(), everything
    message = found.get("message") or found.get("detail")
    codes = {str(found.get(name)) for name in ("code", "type", "status")}
    return codes, message if isinstance(message, str) else everything


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
        date = parsedate_to_datetime(value)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - time())
    except (TypeError, ValueError, OverflowError):
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else math.nan
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _hint(status: int, headers: Mapping[str, str], address: str) -> str:
    if status in (401, 403):
        return " (does `api_key_env` name the variable with the right key?)"
    if status in (404, 405):
        lacking = "" if urlsplit(address).path.strip("/") else " The address usually ends in /v1."
        return f" (are `base_url` and `model` right?{lacking})"
    if 300 <= status < 400:
        place = headers.get("Location")
        return f" (give `base_url` as the address that it leads to{f', {place}' if place else ''})"
    return ""
