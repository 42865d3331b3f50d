"""The errors of the server: what a request is answered that gets no reward."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from rewardlab import redact

INCOMPLETE_GROUP, LATE_MEMBER = "incomplete_group", "late_member"


class RequestError(Exception):
    """The answer to a request that gets no reward: an HTTP status, a kind for programs, and a text for people.

    after: seconds after which it is worth asking again; None if a repeat of the same request cannot succeed.
    """

    def __init__(self, status: HTTPStatus, kind: str, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.after = status, kind, after

    def as_dict(self) -> dict[str, Any]:
        """Return {"error": {"kind", "message", "retry_after"}}, as every door answers it."""
        return {"error": {"kind": self.kind, "message": redact(str(self)), "retry_after": self.after}}


def bad_request(message: str) -> RequestError:
    """Return the error of a request whose body is no JSON, or which lacks a header."""
    return RequestError(HTTPStatus.BAD_REQUEST, "bad_request", message)


def bad_body(message: str) -> RequestError:
    """Return the error of a body that is JSON, and not what the route reads."""
    return RequestError(HTTPStatus.UNPROCESSABLE_ENTITY, "bad_body", message)


def failed_response(message: str) -> RequestError:
    """Return the error of a trainer's answer that its maker's server did not finish, which no reward can judge."""
    return RequestError(HTTPStatus.UNPROCESSABLE_ENTITY, "failed_response", message)


def bad_row(message: str) -> RequestError:
    """Return the error of a row that the recipe's reward cannot score, whoever asks."""
    return RequestError(HTTPStatus.UNPROCESSABLE_ENTITY, "bad_row", message)


def conflict(message: str) -> RequestError:
    """Return the error of a request that contradicts an earlier one."""
    return RequestError(HTTPStatus.CONFLICT, "conflict", message)


def incomplete(key: str, size: int, missing: Sequence[int], seconds: float) -> RequestError:
    """Return the error of a group of which these slots have not come in time."""
    slots = ", ".join(map(str, missing[:12])) + (", ..." if len(missing) > 12 else "")
    message = f"{len(missing)} of {size} members of group {key!r} have not come within {seconds:g} s: {slots}"
    hint = "send all of its members again; `--on-partial score` scores the others"
    return unavailable(INCOMPLETE_GROUP, f"{message}; {hint}")


def late_member(key: str, slot: int) -> RequestError:
    """Return the error of a member that comes after the others of its group were scored without it."""
    message = f"slot {slot} of group {key!r} came after the others had been scored; a new try is a new group"
    return RequestError(HTTPStatus.CONFLICT, LATE_MEMBER, message)


def too_many(message: str, after: float) -> RequestError:
    """Return the error of a request that comes too soon."""
    return RequestError(HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", message, after)


def unavailable(kind: str, message: str, after: float = 1.0) -> RequestError:
    """Return the error of a request that is right, and for which there is no reward now."""
    return RequestError(HTTPStatus.SERVICE_UNAVAILABLE, kind, message, after)
