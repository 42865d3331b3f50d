"""Usage: what a judge was asked and what it cost, over all attempts of a job."""

import re
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field

from rewardlab.errors import JobError
from rewardlab.files import FileLock, read_record, write_json
from rewardlab.judging.share import WHOLE, Share
from rewardlab.text.plural import counted

SAVE_EVERY_S = 1.0
MAX_COUNT = 2**53
"""the most calls or tokens that a float counts exactly"""
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
"""a number of calls or tokens; the bounds are checked if it comes from a file or over a network"""


@dataclass
class Usage:
    """The counts of one judge.

    Args:
        calls: requests that were made, retries included.
        answers: calls that were answered.
        retries: calls after a failure.
        failed: questions that got no answer in the end.
        reused: questions that needed no call, since the answer was kept, or the same question was under way.
            tokens: as the server counts them.
        usd: by the price that the recipe gives, 0 without one.
        seconds: what the answered calls took, added up, from the sending of each.
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
        for f in fields(Usage):
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
    """The content of a usage file. settled: names of files whose counts are in this one, and that are being removed."""

    earlier: Usage = field(default_factory=Usage)
    at_most: dict[str, float] = field(default_factory=dict)
    settled: list[str] = field(default_factory=list)

    def counts(self) -> Usage:
        """Return the counts alone."""
        return Usage(**{f.name: getattr(self, f.name) for f in fields(Usage)})

    def spent(self) -> dict[str, float]:
        """Return what a budget must take as spent, by unit: the counts, or `at_most` if that is more."""
        counted = {"tokens": self.prompt_tokens + self.completion_tokens, "usd": self.usd}
        return {unit: max(amount, self.at_most.get(unit, 0.0)) for unit, amount in counted.items()}

    def add_part(self, part: "_KeptUsage") -> None:
        """Add the content of a part's file."""
        spent, more = self.spent(), part.spent()
        self.at_most = {unit: spent[unit] + more[unit] for unit in {**self.at_most, **part.at_most}}
        self.add(part)


class UsageFile:
    """A small file that keeps the counts: written at most once a second and at the end, whole or not at all.

    `at_most` is what may have been spent of each unit that a budget limits, also by questions that a kill
    interrupted; the counts in the file lag behind by up to a second. Each of several processes with a share of the
    judge has a file of its own; whoever opens the whole after them, or a share of another number of parts, adds these
    to the whole's file and removes them.
    """

    def __init__(self, folder: Path | None, judge: str, share: Share = WHOLE) -> None:
        """Open the file of a judge in `folder`; None: nothing is kept. JobError if it cannot be read."""
        self._path = folder and usage_file(folder, judge, share)
        self._saved = time.monotonic()
        self.spent_before: Mapping[str, float] = {}
        """What the whole had spent, by unit, when it was divided."""
        if folder is not None and share.is_whole:
            _settled(folder, judge, share)
        elif folder is not None and folder.is_dir():
            with closing(FileLock(folder / "usage.lock", wait=True)):  # the other parts may begin just now
                self.spent_before = _settled(folder, judge, share).spent()
        self._kept = _load(self._path)  # only now: a file of this name that was left behind may have been settled
        self.usage = self._kept.counts()
        self.earlier = self._kept.counts()
        """The counts of the job's earlier attempts."""
        if self.earlier.asked and share.is_whole:
            self.save()

    def tick(self) -> None:
        """Save the counts after a change, unless they were saved less than SAVE_EVERY_S ago."""
        if self._path is not None and time.monotonic() - self._saved >= SAVE_EVERY_S:
            self.save()

    def spent(self) -> dict[str, float]:
        """Return what a budget must take as spent of this file's part, by unit."""
        return replace(self._kept, **asdict(self.usage)).spent()

    def save(self, at_most: Mapping[str, float] | None = None) -> None:
        """Write the counts and, if given, what a budget may have spent. Raises JobError if that fails."""
        if at_most is not None:
            self._kept.at_most = {**self._kept.at_most, **at_most}
        if self._path is None:
            return
        _write(self._path, replace(self._kept, **asdict(self.usage), earlier=self.earlier))
        self._saved = time.monotonic()


def read_usage(folder: Path, judges: Iterable[str], share: Share = WHOLE) -> dict[str, Usage]:
    """Return what the files of these judges say of one part, or of the whole as it was when it was divided."""
    return {name: _load(usage_file(folder, name, share)).counts() for name in judges}


def usage_file(folder: Path, judge: str, share: Share = WHOLE) -> Path:
    """Return the file of what a judge was asked; of a process with a share of it, its own."""
    return folder / f"{quote(judge, safe=' ')}.usage{share.file_mark}.json"


def _settled(folder: Path, judge: str, share: Share) -> _KeptUsage:
    """Return the whole's file with what processes with a share of another number of parts counted, each once.

    Their files are removed. Whenever this is interrupted, the next to open the whole or a share goes on with it.
    """
    path = usage_file(folder, judge)
    whole, end = _load(path), f"-of-{share.parts}.json"
    parts = [part for part in _part_files(folder, judge) if part.name in whole.settled or not part.name.endswith(end)]
    if not parts and not whole.settled:
        return whole
    for part in parts:
        if part.name not in whole.settled:
            whole.add_part(_load(part))
    whole.settled = [part.name for part in parts]
    _write(path, whole)
    for part in parts:
        part.unlink(missing_ok=True)
    whole.settled = []
    _write(path, whole)
    return whole


def _part_files(folder: Path, judge: str) -> list[Path]:
    pattern = re.compile(rf"{re.escape(quote(judge, safe=' '))}\.usage\.\d+-of-\d+\.json")
    return sorted(path for path in folder.glob("*.json") if pattern.fullmatch(path.name))


def _load(path: Path | None) -> _KeptUsage:
    """Return the content of a usage file; nothing if there is none. JobError if it cannot be read."""
    try:
        return _KeptUsage() if path is None else read_record(path, _KeptUsage)
    except FileNotFoundError:
        return _KeptUsage()
    except OSError as error:
        raise JobError(f"{path} cannot be read: {error.strerror}") from error


def _write(path: Path, kept: _KeptUsage) -> None:
    """Write a usage file, whole or not at all. JobError if that fails."""
    content: dict[str, Any] = asdict(kept.counts())
    content |= {"earlier": asdict(kept.earlier)} if kept.earlier.asked else {}
    content |= {name: value for name in ("at_most", "settled") if (value := getattr(kept, name))}
    try:
        write_json(path, content)
    except OSError as error:
        raise JobError(f"{path} cannot be written: {error.strerror}") from error
