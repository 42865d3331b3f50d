"""Read a server's refusal: whether another try may help, when, and what the message says."""

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from time import time
from typing import Any
from urllib.parse import urlsplit

TEMPORARY = (408, 409, 425, 429)
"""statuses below 500 after which another try may help"""
ABOUT_THE_QUESTION = (400, 413, 422)
"""statuses by which a server refuses one question, such as one that is too long, and may answer another"""
FINAL = {"insufficient_quota", "billing_hard_limit_reached", "enforced_spend_limit_reached"}
"""codes for which waiting does not help, and no other question either"""
_SPENT = re.compile("reached your specified (?:workspace )?API usage limits|credit balance is too low", re.IGNORECASE)
"""Anthropic's words for an empty account, which has the status of a wrong question"""
SHOWN = 300
"""characters of the server's words in a message"""
MAX_REFUSAL_BYTES = 16 << 10
"""characters of a refusal that are read; servers need some hundred"""
_SYSTEM_ROLE = re.compile(
    r"system (?:role|message|prompt)s?\b[^.]{0,60}?\b(?:not|un)"
    r"|(?:not|n't|un)[^.]{0,40}?\bsystem (?:role|message|prompt)|roles must alternate",
    re.IGNORECASE,
)
_TITLE, _TITLE_END = re.compile("<title", re.IGNORECASE), re.compile("</title", re.IGNORECASE)


class Refusal:
    """A server's refusal to answer.

    message: the server's words with its status, and a hint for the user. temporary: whether the server may answer
    later. about_question: whether it will never answer this question, but may answer others. after: the seconds that it
    asks to wait for, or None. `redact` hides secrets that the words may repeat, such as a key.
    """

    def __init__(
        self, status: int, headers: Mapping[str, str], body: str, address: str, redact: Callable[[str], str]
    ) -> None:
        codes, words = _codes_and_words(body[:MAX_REFUSAL_BYTES])
        shown = _shorten(redact(words))  # in this order: half a key is a secret, too
        real = _wrapped_status(codes) if status == 200 else status
        message = f"HTTP {status}: {shown}" if shown else f"HTTP {status} with an empty body"
        spent = bool(codes & FINAL) or _SPENT.search(words) is not None
        self.temporary = (real in TEMPORARY or real >= 500) and not spent
        self.about_question = real in ABOUT_THE_QUESTION and not spent
        self.after = _retry_after(headers)
        if not self.temporary:
            message += redact(_hint(real, headers, address)) or _hint_of_role(real, words)
        elif self.after is not None and self.after >= 1:
            message += f" (it asks to wait for {self.after:.0f} s)"
        self.message = message


def _wrapped_status(codes: set[str]) -> int:
    """Return the status of an error that a gateway wraps into HTTP 200: its code if that is a status, else 500."""
    statuses = [int(code) for code in codes if re.fullmatch("[45][0-9][0-9]", code)]
    return statuses[0] if statuses else 500


def _codes_and_words(body: str) -> tuple[set[str], str]:
    """Return (the error's codes, its message) from a body of any form."""
    try:
        answer: Any = json.loads(body)
    except (ValueError, RecursionError):
        return set(), _title(body) or body
    if isinstance(answer, dict) and answer.get("error"):
        answer = answer["error"]
    if isinstance(answer, str):
        return set(), answer
    # serialised again, with one way of escaping, so that secrets are found
    serialised = json.dumps(answer, ensure_ascii=False)
    if not isinstance(answer, dict):
        return set(), serialised
    message = answer.get("message") or answer.get("detail")
    details = answer.get("details")
    codes = {str(answer.get(name)) for name in ("code", "type", "status")}
    codes |= {str(details.get("error_code"))} if isinstance(details, dict) else set()
    return codes, message if isinstance(message, str) else serialised


def _title(page: str) -> str | None:
    """Return the title of an HTML page, such as proxies send; None without one."""
    start = _TITLE.search(page)
    inside = page.find(">", start.end()) if start is not None else -1
    end = _TITLE_END.search(page, inside) if inside >= 0 else None
    return page[inside + 1 : end.start()] if end is not None else None


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from a number or a date; None without either."""
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


def _hint_of_role(status: int, words: str) -> str:
    """Return advice for a chat template without system messages, such as Gemma's."""
    if status not in (400, 422, 500) or not _SYSTEM_ROLE.search(words):
        return ""
    return (
        " (the model's chat template takes no system message: if the component that asks has `prompt`, set `prompt: "
        "bare`; else give it a `template` with the user message alone, without a line ---)"
    )


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
