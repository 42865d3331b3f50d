"""A webhook that hears of alarms: JSON by POST, in a thread of its own, so that it neither ends nor slows a run."""

import atexit
import json
import threading
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

MAX_TRIES = 3
TIMEOUT_S = 5.0
PAUSE_S = 1.0
MAX_WAIT_S = 10.0
"""at the end of the process, for what is still under way"""


_under_way: list[tuple[threading.Thread, "Webhook"]] = []


@atexit.register
def wait_for_webhooks() -> None:
    """Wait until all that is under way has been sent or given up, at most MAX_WAIT_S, and say what has not."""
    until = time.monotonic() + MAX_WAIT_S
    for thread, webhook in _under_way:
        thread.join(max(0.0, until - time.monotonic()))
        if thread.is_alive():
            webhook.give_up("it does not answer")


class _NoRedirects(HTTPRedirectHandler):
    """A redirect may lead anywhere: none is followed, and its status is an error."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Webhook:
    """A webhook at a URL, which is nowhere said: it may be a secret. say: is told once that it cannot be reached."""

    def __init__(self, url: str, say: Callable[[str], None]) -> None:
        self._url, self._say, self._silent = url, say, False

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message, some time soon; return at once."""
        thread = threading.Thread(target=self._send, args=(json.dumps(message).encode(),), name="alarms", daemon=True)
        thread.start()
        _under_way[:] = [sending for sending in _under_way if sending[0].is_alive()] + [(thread, self)]

    def give_up(self, why: str) -> None:
        """Say, once, that an alarm was not taken."""
        if not self._silent:
            self._silent = True
            self._say(f"warning: the alarms' webhook did not accept one: {why}; alarms.jsonl has it")

    def _send(self, body: bytes) -> None:
        opener = build_opener(_NoRedirects)
        why = ""
        for left in reversed(range(MAX_TRIES)):
            request = Request(self._url, data=body, headers={"Content-Type": "application/json"})
            try:
                with opener.open(request, timeout=TIMEOUT_S):
                    return
            except HTTPError as error:
                why = f"it answers with status {error.code}"
                error.close()
                if error.code < 500 and error.code != 429:
                    break
            except (OSError, HTTPException, ValueError) as error:
                why = type(error).__name__ if isinstance(error, ValueError) else "it cannot be reached"
            if left:
                time.sleep(PAUSE_S)
        self.give_up(why)
