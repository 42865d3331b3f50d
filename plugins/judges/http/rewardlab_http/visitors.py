"""The checks of each of our servers before it answers: its own name, the page that asks, and the token."""

import hmac
import ipaddress
import os
import re
import secrets
import socket
from base64 import b64decode
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlsplit

from rewardlab.errors import UserError

TOKEN_NAME = "REWARDLAB_TOKEN"
"""the variable with the token that requests must bring"""
_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::\d{1,5})?")
"""a header Host: a name or an address, and a port"""


class VisitorRefusal(NamedTuple):
    """The answer to a request that may not pass: an HTTP status, a kind for programs, and a text for people."""

    status: HTTPStatus
    kind: str
    message: str


@dataclass(frozen=True, kw_only=True)
class VisitorRules:
    """The rules of who may ask a server. A page of a foreign site may not, nor a name that leads here by DNS.

    Args:
        token: what requests must bring; None asks for none.
        hosts: names that the server may be called by, beside its addresses, localhost and the name of its machine.
    """

    token: str | None = None
    hosts: Collection[str] = ()

    def refusal(self, host: str, origin: str | None, authorization: str) -> VisitorRefusal | None:
        """Return why a request with these headers may not pass; None if it may."""
        if not self._is_ours(host):
            message = f"the server is not called {host[:100]!r}; `--allow-host` adds a name"
            return VisitorRefusal(HTTPStatus.MISDIRECTED_REQUEST, "forbidden", message)
        if origin is not None and _place(origin) != host:
            return VisitorRefusal(
                HTTPStatus.FORBIDDEN, "forbidden", f"pages of {origin[:100]!r} may not ask this server"
            )
        if self.token is not None and not hmac.compare_digest(_brought(authorization), self.token.encode()):
            message = "the token is missing or wrong: Authorization: Bearer TOKEN"
            return VisitorRefusal(HTTPStatus.UNAUTHORIZED, "unauthorized", message)
        return None

    def _is_ours(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = (match["address"] or match["name"]).lower()
        own_names = ("localhost", *self.hosts, socket.gethostname())
        return name in map(str.lower, own_names) or _is_address(name)


def _brought(authorization: str) -> bytes:
    """Return the token that a request brings: of a program as it is, of a browser as the password."""
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return given.strip().encode()
    if scheme.lower() == "basic":
        with suppress(ValueError):
            return b64decode(given).partition(b":")[2]
    return b""


def needed_token(host: str) -> str | None:
    """Return the token that requests need, from the environment; None for a server that only this machine reaches.

    Raises UserError if others reach it and there is no token, or one that no header can hold.
    """
    token = os.environ.get(TOKEN_NAME) or None
    if token is not None and not re.fullmatch(r"[!-~]+", token):
        raise UserError(
            "a token consists of ASCII letters, digits and punctuation, without spaces or line breaks",
            where=TOKEN_NAME,
        )
    if token is None and not _is_loopback(host):
        example = f"export {TOKEN_NAME}={secrets.token_urlsafe(24)}"
        raise UserError(f"others can reach {host}, so requests need a token: {example}", where="--host")
    return token


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises a UserError if that cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = f"cannot listen at {host}:{port}: {reason}; choose another with --port, or 0 for a free one"
        raise UserError(problem) from error
    return listening


def address_of(host: str, listening: socket.socket) -> str:
    """Return the address of a server as a browser takes it."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def _place(origin: str) -> str | None:
    """Return the host and port of an origin; None if it has none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)
