"""Usage: what a judge was asked and what it cost, over all attempts of a job."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from rewardlab.errors import JobError
from rewardlab.files import read_record, write_json
from rewardlab.text.plural import counted

SAVE_EVERY_S = 1.0
MAX_COUNT = 2**53
"""of calls or tokens, beyond which a float loses them"""
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
"""a number of calls or tokens; the bounds are checked if it comes from a file or over a network"""


@dataclass
class Usage:
    """The counts of one judge.

    calls: requests that were made, retries included. answers: calls that were answered. retries: calls after a
    failure. failed: questions that got no answer in the end. reused: questions that needed no call, since the
    answer was kept, or the same question was under way. tokens: as the server counts them. usd: by the price that
    the recipe gives, 0 without one. seconds: what the answered calls took, added up, from the sending of each.
    """

    calls: Count = 0
    answers: Count = 0
    retries: Count = 0
    failed: Count = 0
    reused: Count = 0
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    usd: Annotated[float, Field(ge=0.0, le=MAX_COUNT)] = 0.0
    seconds: Annotated[float, Field(ge=0.0, le=MAX_COUNT)] = field(default=0.0, compare=False)

    @property
    def asked(self) -> bool:
        """Whether the judge was asked anything."""
        return bool(self.calls or self.reused or self.failed)

    def minus(self, earlier: "Usage") -> "Usage":
        """Return the counts that have been added since `earlier`."""
        return Usage(**{f.name: getattr(self, f.name) - getattr(earlier, f.name) for f in fields(self)})

    def add(self, more: "Usage") -> None:
        """Add counts."""
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name) + getattr(more, f.name))

    def line(self) -> str:
        """Return the counts as text for people; those that are usually 0 only if they are not."""
        parts = [counted(self.calls, "call"), counted(self.prompt_tokens + self.completion_tokens, "token")]
        parts += [f"${self.usd:.4f}"] if self.usd else []
        parts += [f"{counted(self.reused, 'answer')} reused"] if self.reused else []
        parts += [f"{self.retries:,} retries"] if self.retries else []
        parts += [f"{counted(self.failed, 'question')} without an answer"] if self.failed else []
        return ", ".join(parts)


@dataclass
class _KeptUsage(Usage):
    """The content of a usage file."""

    earlier: Usage = field(default_factory=Usage)
    at_most: dict[str, float] = field(default_factory=dict)
    shares: dict[str, Usage] = field(default_factory=dict)


class UsageFile:
    """A small file that keeps the counts: written at most once a second and at the end, whole or not at all.

    `at_most` is what may have been spent of each unit that a budget limits, also by questions that a kill
    interrupted; the counts in the file lag behind by up to a second. Where several processes ask, the file also holds
    each one's part of the counts, so that whoever goes on with it does not count them twice, and what earlier attempts
    had counted.
    """

    def __init__(self, path: Path | None, goes_on: bool = False) -> None:
        """Open the file. goes_on: in the place of a process that was lost, within the same attempt of the job."""
        self._path = path
        self._saved = time.monotonic()
        self.at_most: Mapping[str, float] = {}
        self._shares: dict[str, Usage] = {}
        self.earlier = Usage()
        """The counts of the job's earlier attempts."""
        self.usage = self._load()
        if not goes_on:
            self.earlier = self.usage.minus(Usage())  # a copy, since the counts go on
            if self.earlier.asked:
                self.save()

    def tick(self) -> None:
        """Save the counts after a change, unless they were saved less than SAVE_EVERY_S ago."""
        if self._path is not None and time.monotonic() - self._saved >= SAVE_EVERY_S:
            self.save()

    def count(self, process: str, usage: Usage) -> None:
        """Replace what a process that asks had counted so far since it began."""
        earlier = self._shares.get(process)
        if earlier != usage:
            self.usage.add(usage if earlier is None else usage.minus(earlier))
            self._shares[process] = usage

    def close_share(self, process: str) -> None:
        """Note that a process has ended; its counts stay."""
        self._shares.pop(process, None)

    def spent(self) -> dict[str, float]:
        """Return what a budget must take as spent, by unit: the counts, or `at_most` if that is more."""
        counted = {"tokens": self.usage.prompt_tokens + self.usage.completion_tokens, "usd": self.usage.usd}
        return {unit: max(amount, self.at_most.get(unit, 0.0)) for unit, amount in counted.items()}

    def save(self, at_most: Mapping[str, float] | None = None) -> None:
        """Write the counts and, if given, what a budget may have spent. Raises JobError if that fails."""
        if at_most is not None:
            self.at_most = {**self.at_most, **at_most}
        if self._path is None:
            return
        try:
            write_json(self._path, self._content())
        except OSError as error:
            raise JobError(f"{self._path} cannot be written: {error.strerror}") from error
        self._saved = time.monotonic()

    def _content(self) -> dict[str, Any]:
        content: dict[str, Any] = asdict(self.usage)
        if self.earlier.asked:
            content["earlier"] = asdict(self.earlier)
        if self.at_most:
            content["at_most"] = dict(self.at_most)
        if self._shares:
            content["shares"] = {process: asdict(usage) for process, usage in self._shares.items()}
        return content

    def _load(self) -> Usage:
        if self._path is None:
            return Usage()
        try:
            kept = read_record(self._path, _KeptUsage)
        except FileNotFoundError:
            return Usage()
        except OSError as error:
            raise JobError(f"{self._path} cannot be read: {error.strerror}") from error
        self.at_most, self.earlier, self._shares = kept.at_most, kept.earlier, kept.shares
        return Usage(**{f.name: getattr(kept, f.name) for f in fields(Usage)})
