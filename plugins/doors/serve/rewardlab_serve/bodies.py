"""Bodies of requests, checked against the models of what a route reads."""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from rewardlab_serve.errors import bad_body

MAX_PROBLEMS = 12
Read = TypeVar("Read")


class Body(BaseModel):
    """A part of a body, of whose names only those that are declared are read."""

    model_config = ConfigDict(extra="allow")


def read_body(form: type[Read], body: Any) -> Read:
    """Return a body as its form has it. Raises a RequestError that names what is wrong."""
    try:
        return TypeAdapter(form).validate_python(body, strict=True)
    except ValidationError as error:
        raise bad_body("; ".join(_problems(error))) from None


def _problems(error: ValidationError) -> Sequence[str]:
    problems = [(".".join(map(str, detail["loc"])) or "the body", detail["msg"]) for detail in error.errors()]
    return [f"{place}: {message[0].lower()}{message[1:]}" for place, message in problems[:MAX_PROBLEMS]]
