"""A group that is being asked about: what it is, and what it takes."""

import asyncio
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from rewardlab import Completion, Group, Sample

from rewardlab_serve.errors import conflict, late_member
from rewardlab_serve.memory import memory_of_json


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupIdentity:
    """The identity of a group: two requests with the same id are about the same group only if all of it is equal.

    Args:
        completions: slot -> a digest of the completion there.
    """

    sample: str
    size: int
    completions: dict[int, str] = field(default_factory=dict)

    def is_of(self, sample: str, size: int, completions: Mapping[int, str]) -> bool:
        """Return whether a request is about this group: nothing that it has is another."""
        others = [self.completions.get(slot, digest) != digest for slot, digest in completions.items()]
        return (sample, size) == (self.sample, self.size) and not any(others)

    def refuse_other(self, key: str, sample: str, size: int, completions: Mapping[int, str]) -> None:
        """Raise a RequestError if a request with this id is about another group."""
        if size != self.size:
            raise conflict(f"group {key!r} has {self.size} completions, and this request says {size}")
        if sample != self.sample:
            raise conflict(f"group {key!r} was first asked about with another prompt or other fields")
        for slot, digest in completions.items():
            if self.completions.get(slot, digest) != digest:
                raise conflict(f"slot {slot} of group {key!r} has another completion already; a new try is a new group")

    def refuse_late(self, key: str, slots: Iterable[int]) -> None:
        """Raise a RequestError if a group that is answered was scored without one of these members."""
        for slot in slots:
            if slot not in self.completions:
                raise late_member(key, slot)


class ServedGroup:
    """A group that is being asked about. `scoring` is what all who ask for it wait for.

    memory: bytes that its prompt, fields and completions take, about.
    """

    def __init__(self, key: str, sample: Sample, size: int) -> None:
        self.key, self.sample, self.size = key, sample, size
        canonical = _canonical_sample(sample)
        self.memory = memory_of_json(canonical)
        self.identity = GroupIdentity(sample=_digest(canonical), size=size)
        self.began = time.monotonic()
        self.scoring: asyncio.Task[dict[str, Any]]

    def note(self, slot: int, completion: Completion, digest: str) -> None:
        """Note a completion that `identity` does not refuse; a repeat changes nothing."""
        if slot not in self.identity.completions:
            self.identity.completions[slot] = digest
            self.memory += completion.characters


def digest_of_sample(sample: Sample) -> str:
    """Return a digest of the prompt and the fields."""
    return _digest(_canonical_sample(sample))


def digest_of_completion(completion: Completion) -> str:
    """Return a digest of a completion: its text or messages, its length in tokens, and whether it was cut off."""
    return _digest(_canonical(completion.as_dict()))


def digest_of_group(group: Group) -> str:
    """Return a digest of a whole group, by which one without an id is known."""
    parts = [digest_of_sample(group.sample), *map(digest_of_completion, group.completions)]
    return _digest(" ".join(parts).encode())


def _canonical_sample(sample: Sample) -> bytes:
    return _canonical({"prompt": [dict(message) for message in sample.prompt], "fields": dict(sample.fields)})


def _canonical(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, sort_keys=True).encode()


def _digest(canonical: bytes) -> str:
    return sha256(canonical).hexdigest()
