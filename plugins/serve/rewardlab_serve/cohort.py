"""A group that is being asked about: its completions by slot, and the answer that all who ask for it wait for."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from rewardlab import Completion, GroupStream, Sample

from rewardlab_serve.errors import bad_row, conflict


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupIdentity:
    """The identity of a group: two requests with the same id are about the same group only if all of it is equal.

    completions: slot -> a digest of the completion there.
    """

    sample: str
    size: int
    completions: dict[int, str] = field(default_factory=dict)

    def refuse_other(self, key: str, sample: str, size: int) -> None:
        """Raise a RequestError if a request with this id has another prompt, other fields or another size."""
        if size != self.size:
            raise conflict(f"group {key!r} has {self.size} completions, and this request says {size}")
        if sample != self.sample:
            raise conflict(f"group {key!r} was first asked about with another prompt or other fields")

    def holds(self, key: str, slot: int, digest: str) -> bool:
        """Return whether this completion is there already. Raises a RequestError for another in its slot."""
        if not 0 <= slot < self.size:
            raise bad_row(f"slot {slot} of group {key!r}, which has {self.size} completions: 0 to {self.size - 1}")
        there = self.completions.get(slot)
        if there not in (None, digest):
            raise conflict(f"slot {slot} of group {key!r} has another completion already; a new try is a new group")
        return there is not None


class Cohort:
    """A group whose completions arrive, and whose answer is to come."""

    def __init__(self, key: str, sample: Sample, size: int) -> None:
        self.key = key
        self.stream = GroupStream(sample, size)
        self.characters = 0
        self.identity = GroupIdentity(sample=digest_of_sample(sample), size=size)
        self.scoring: asyncio.Task[None]
        self.answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.answer.add_done_callback(_look_at)

    def put(self, slot: int, completion: Completion) -> None:
        """Add a completion; a repeat changes nothing. Raises a RequestError for another in the same slot."""
        digest = digest_of_completion(completion)
        if not self.identity.holds(self.key, slot, digest):
            self.identity.completions[slot] = digest
            self.characters += len(completion.text)
            self.stream.put(slot, completion)

    def missing(self) -> list[int]:
        """Return the slots whose completions have not come."""
        return [slot for slot in range(self.identity.size) if slot not in self.identity.completions]


def digest_of_sample(sample: Sample) -> str:
    """Return a digest of the prompt and the fields."""
    return _digest({"prompt": [dict(message) for message in sample.prompt], "fields": dict(sample.fields)})


def digest_of_completion(completion: Completion) -> str:
    """Return a digest of a completion: its text, its length in tokens, and whether it was cut off."""
    return _digest({"text": completion.text, "tokens": completion.token_count, "truncated": completion.truncated})


def _digest(values: Mapping[str, Any]) -> str:
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _look_at(answer: "asyncio.Future[bytes]") -> None:
    """Retrieve the exception of an answer: all who waited for it may have gone."""
    if not answer.cancelled():
        answer.exception()
