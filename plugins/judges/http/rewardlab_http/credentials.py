"""A judge's credentials: read from the environment, sent as headers, and hidden in whatever comes back."""

import base64
import json
import os
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from rewardlab.errors import UserError
from rewardlab.text import MASK, MIN_LENGTH, Redactor

from rewardlab_http.server_options import AUTHORIZATION, ServerOptions

MIN_IN_ANSWERS = 8
"""characters of a key that is hidden in answers; shorter ones are words that local servers accept (EMPTY, ollama)"""


def address(base_url: str) -> str:
    """Return the server's address without the user and password that it may hold."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


class Credentials:
    """The headers of every request of one judge, and the secrets among them."""

    def __init__(self, headers: Mapping[str, str], secrets: list[str]) -> None:
        self.headers = headers
        self._secrets = sorted(secrets, key=len, reverse=True)
        escaped = [json.dumps(secret)[1:-1].replace("/", "\\/") for secret in secrets]  # some servers write / as \/
        self._redactor = Redactor([*secrets, *escaped])

    @classmethod
    def read(cls, options: ServerOptions) -> "Credentials":
        """Read the credentials from the environment. A UserError names a variable that is missing or cannot be sent."""
        server = address(options.base_url)
        headers, secrets = {"Content-Type": "application/json", **options.headers}, []
        if (user := _user(options.base_url)) is not None:
            encoded = base64.b64encode(user.encode()).decode()
            headers[AUTHORIZATION] = f"Basic {encoded}"
            secrets += [user, user.partition(":")[2], encoded]
        if (name := options.api_key_env) is not None:
            secrets.append(_value(name, server))
            scheme = "Bearer " if options.key_header == AUTHORIZATION else ""
            headers[options.key_header] = f"{scheme}{secrets[-1]}"
        for header, name in options.headers_env.items():
            headers[header] = _value(name, server)
            secrets.append(headers[header])
        return cls(headers, [secret for secret in secrets if secret])

    def hide(self, text: str) -> str:
        """Return an answer with the secrets masked, otherwise unchanged. Raises TypeError for what is no text."""
        if not isinstance(text, str):
            raise TypeError("no text")
        for secret in self._secrets:
            if len(secret) >= MIN_IN_ANSWERS:
                text = text.replace(secret, MASK)
        return text

    def redact(self, text: str) -> str:
        """Return a server's words with the secrets masked, however they are written, for a message of ours."""
        text = self._redactor.text(text)
        for secret in self._secrets:
            for length in range(len(secret) - 1, MIN_LENGTH - 1, -1):
                if text.endswith(secret[:length]):  # a body that was cut off in the middle of a secret
                    return text[:-length] + MASK
        return text


def _user(base_url: str) -> str | None:
    user, at, _ = urlsplit(base_url).netloc.rpartition("@")
    return unquote(user) if at else None


def _value(name: str, server: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise UserError(f"the environment variable {name} is not set; it should hold the key of {server}")
    if not value.isascii() or not value.isprintable():
        raise UserError(f"the environment variable {name} holds what a header cannot carry, such as a line break")
    return value
