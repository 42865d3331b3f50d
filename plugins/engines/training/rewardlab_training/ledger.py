"""The ledger of a run (every scored completion), and its log of what the judges were asked and cost at each step."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, get_args

from rewardlab import Sample
from rewardlab.files import LineAppender, read_json
from rewardlab.judging import Usage
from rewardlab.scoring import ScoredGroup
from rewardlab.text import redact

from rewardlab_training.last_rows import last_row
from rewardlab_training.ledger_format import LEDGER_VERSION, UNLICENSED

Phase = Literal["training", "before", "during", "after", "eval"]
"""The purpose of a completion: to train on, for an evaluation of an rl stage before, during or after its training,
or for a stage `eval`."""


class Ledger:
    """The ledger of a run: a JSONL file with a line for each scored completion, on disk once `write` returns.

    Lines are only appended, by one writer at a time. The numbers of groups go on through an attempt, even if its next
    stage, or a restart after a crash, opens the file again. docs/ledger.md lists the columns.
    """

    def __init__(self, path: Path, attempt: int) -> None:
        self._path, self._attempt = path, attempt
        self._file = LineAppender(path)
        self._groups = self._next_group()
        self._also = unlicensed_in(path.parent, attempt)

    def write(
        self, stage: int, step: int | None, scored: Sequence[ScoredGroup], trained: str, phase: Phase = "training"
    ) -> None:
        """Append all groups or, if the disk is full, none and raise JobError.

        Args:
            step: of training, from 1; of an evaluation, the steps that the policy had been trained for, 0 before
                the first; None if the engine hides it, and in a stage `eval`.
            trained: "yes", "no" (an evaluation; or what was made to be trained on and was discarded, or failed) or
                "unknown".

        Raises ValueError for another phase, which would be a fault of the engine.
        """
        self.append(stage, step, [(trained, ledger_lines(group)) for group in scored], phase)

    def append(
        self, stage: int, step: int | None, groups: Sequence[tuple[str, Sequence[bytes]]], phase: Phase = "training"
    ) -> None:
        """Append groups as `write` does, whose lines another process may have made.

        Args:
            step: as in `write`.
            groups: of each, `trained` as in `write`, and its `ledger_lines`.
            phase: as in `write`.
        """
        if phase not in get_args(Phase):
            raise ValueError(f"no phase {phase!r}; it is one of {', '.join(get_args(Phase))}")
        block = []
        for number, (trained, lines) in enumerate(groups, self._groups):
            common = {"version": LEDGER_VERSION, "attempt": self._attempt, "stage": stage, "step": step}
            begins = json.dumps(common | {"group": number})[:-1]
            use = json.dumps({"trained": trained, "phase": phase} | self._also)[1:-1]
            for index, line in enumerate(lines):
                block += [f'{begins}, "index": {index}, {use}, '.encode(), line]
        self._file.write(b"".join(block))
        self._groups += len(groups)

    @property
    def size(self) -> int:
        """Bytes that the file has."""
        return self._file.size

    def cut(self, size: int) -> None:
        """Take back the groups behind the first `size` bytes, as if they had not been written."""
        self._file.cut(size)
        self._groups = self._next_group()

    def _next_group(self) -> int:
        last = last_row(self._path)
        return last["group"] + 1 if last is not None and last["attempt"] == self._attempt else 0

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()


class UsageLog:
    """A log of what the judges were asked and cost: a JSONL file with a line for each judge and step.

    A line holds what was added since the line before.
    """

    def __init__(self, path: Path, attempt: int) -> None:
        self._attempt = attempt
        self._last: dict[str, Usage] = {}
        self._file = LineAppender(path)

    def write(self, stage: int, step: int | None, usage: Mapping[str, Usage]) -> dict[str, Usage]:
        """Append what was added since the last call, and return it. `usage` counts from the beginning of the run."""
        since = {name: now.minus(self._last.get(name, Usage())) for name, now in usage.items()}
        self.starts_from(usage)
        return self.note(stage, step, since)

    def note(self, stage: int, step: int | None, since: Mapping[str, Usage]) -> dict[str, Usage]:
        """Append these counts, without those that are all zero, and return the ones that were written."""
        written = {name: counts for name, counts in since.items() if any(asdict(counts).values())}
        for name, counts in written.items():
            common = {"attempt": self._attempt, "stage": stage, "step": step, "judge": name}
            self._file.write(f"{json.dumps(common | asdict(counts))}\n".encode())
        return written

    def starts_from(self, usage: Mapping[str, Usage]) -> None:
        """Set the counts to start from, so that those of earlier attempts or stages are not written again."""
        self._last |= {name: now.minus(Usage()) for name, now in usage.items()}

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._file.close()


def unlicensed_in(run: Path, attempt: int) -> dict[str, str]:
    """Return the column of judges that an attempt asks without a licence, as the run's manifest says; {} of none."""
    manifest = run / "manifest.json"
    by_attempt = read_json(manifest).get(UNLICENSED, {}) if manifest.is_file() else {}
    noted = [int(number) for number in by_attempt if int(number) <= attempt]  # an engine may begin further ones itself
    judges = by_attempt[str(max(noted))] if noted else {}
    return {UNLICENSED: ", ".join(judges)} if judges else {}


def ledger_lines(group: ScoredGroup) -> tuple[bytes, ...]:
    """Return the line of each of a group's completions, but for its beginning, which `Ledger.append` puts before it."""
    return tuple(f"{json.dumps(row, allow_nan=False)[1:]}\n".encode() for row in _rows(group))


def _rows(group: ScoredGroup) -> Iterator[dict[str, Any]]:
    """Yield a row for each of the group's G completions, in their order; the first has the prompt and the fields."""
    progress = {} if group.progress is None else {"progress": group.progress}
    for index, completion in enumerate(group.completions):
        yield {
            "id": group.sample.id,
            **(_asked(group.sample) if index == 0 else {}),
            "completion": completion.text,
            "tokens": completion.token_count,
            "truncated": completion.truncated,
            **({"messages": list(completion.messages)} if completion.messages else {}),
            **({} if completion.seconds is None else {"seconds": completion.seconds}),
            **({} if completion.failure is None else {"error": redact(completion.failure)}),
            "components": {name: _component(group, name, index) for name in group.components},
            "total": group.totals[index],
            "shaped": group.shaped[index] if group.shaped else None,
            **progress,
            **({} if group.left_out is None else {"left_out": group.left_out}),
        } | ({} if group.causes is None else {"rest": group.causes.attribution.rest[index]})


def _component(group: ScoredGroup, name: str, index: int) -> dict[str, Any]:
    """Return the score of one component for one completion, and what it contributed to the reward."""
    score = group.components[name][index]
    entry = {"value": score.value, "error": None if score.error is None else redact(score.error)}
    caused = {} if group.causes is None else group.causes.entry(name, index)
    return {**entry, "info": dict(score.info), **caused}


def _asked(sample: Sample) -> dict[str, Any]:
    """Return the prompt and the fields of a sample."""
    values = sample.as_dict()
    return {"prompt": values["prompt"], "fields": _json_value(values["fields"])}


def _json_value(value: Any) -> Any:
    """Return a field's value as JSON knows it: NaN and infinities as null, what JSON has no word for as text.

    A dataset's plugin may give anything, and no column that nobody reads is to end a training.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    return str(value)
