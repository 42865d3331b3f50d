"""What proves who asks: read from the environment, sent as headers, and hidden in whatever comes back."""

import base64
import json
import os
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from rewardlab.errors import UserError
from rewardlab.redaction import MASK, MIN_LENGTH, Redactor

from rewardlab_openai import ChatOptions

LEAST_IN_ANSWERS = 8
"""characters; shorter keys are words that local servers are content with (EMPTY, ollama), and answers hold words"""


def address(base_url: str) -> str:
    """The server's address without the user and password that it may hold."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


class Credentials:
    """The headers of every request of one judge, and the secrets among them."""

    def __init__(self, headers: Mapping[str, str], secrets: list[str]):
        self.headers = headers
        self._secrets = sorted(secrets, key=len, reverse=True)
        escaped = [json.dumps(secret)[1:-1].replace("/", "\\/") for secret in secrets]  # as some servers write a /
        self._redactor = Redactor([*secrets, *escaped])

    @classmethod
    def read(cls, options: ChatOptions) -> "Credentials":
        """From the environment; a UserError names the variable that is missing or cannot be sent."""
        server = address(options.base_url)
        headers, secrets = {"Content-Type": "application/json"}, []
        if (user := _user(options.base_url)) is not None:
            headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
            secrets += [user, user.partition(":")[2], headers["Authorization"].removeprefix("Basic ")]
        if (name := options.api_key_env) is not None:
            secrets.append(_value(name, server))
            headers["Authorization"] = f"Bearer {secrets[-1]}"
        for header, name in options.headers_env.items():
            headers[header] = _value(name, server)
            secrets.append(headers[header])
        return cls(headers, [secret for secret in secrets if secret])

    def hide(self, text: str) -> str:
        """An answer without the secrets, else as it is."""
        for secret in self._secrets:
            if len(secret) >= LEAST_IN_ANSWERS:
                text = text.replace(secret, MASK)
        return text

    def redact(self, text: str) -> str:
        """A server's words for a message of ours: without the secrets, however they are written."""
        text = self._redactor.text(text)
        for secret in self._secrets:
            for length in range(len(secret) - 1, MIN_LENGTH - 1, -1):
                if text.endswith(secret[:length]):  # a body that was cut in the middle of it
                    return text[:-length] + MASK
        return text


def _user(base_url: str) -> str | None:
    user, found, _ = urlsplit(base_url).netloc.rpartition("@")
    return unquote(user) if found else None


def _value(name: str, server: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise UserError(f"the environment variable {name} is not set; it should hold the key of {server}")
    if not value.isascii() or not value.isprintable():
        raise UserError(f"the environment variable {name} holds what no header can carry, such as a line break")
    return value
