"""A source of completions as the page sees it, whatever wrote it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from rewardlab.training import Results

Line = Mapping[str, Any]
TRAINING = "training"


@dataclass(kw_only=True)
class LoggedStage:
    """What an engine logged of a stage: numbers by name, one a step, None for a step that lacks it."""

    name: str
    steps: Sequence[int]
    numbers: Mapping[str, Sequence[float | None]]


@dataclass(kw_only=True)
class Source:
    """A source of completions. notes: what is broken or unfinished, in words; they grow while `lines` is read.

    folder: of a run; None of anything else. results: of each evaluation, by the name of its file. expected: how many
    completions there should be of a stage and phase, as far as the recipe or the results say so. correctness: the
    component that the recipe calls so. reward: all that the recipe says of it. scored_by: what `load` reads the recipe
    from; None if nothing says it. replies: the folder of its judges' kept replies. begun: of a run, what tells it from
    others from its start to its end, as JSON values. remarks: of each component, the keys of `info` that count.
    """

    name: str
    recipe: str = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)
    begun: Any = None
    remarks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    folder: Path | None = None
    results: Mapping[str, Results] = field(default_factory=dict)
    logs: Sequence[LoggedStage] = ()
    usage: Path | None = None
    correctness: str | None = None
    reward: Any = None
    scored_by: Path | Mapping[str, Any] | None = None
    replies: Path | None = None
    expected: Mapping[tuple[int, str], int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def made_with(self) -> str:
        """The manifest as people read it."""
        return json.dumps(self.manifest, indent=1, ensure_ascii=False)

    def lines(self) -> Iterator[Line]:
        """Yield the lines in their order, each once."""
        raise NotImplementedError


def groups_of(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each group, which follow each other."""
    for _, group in groupby(lines, key=lambda line: (line["attempt"], line["group"], line["trained"])):
        yield list(group)
