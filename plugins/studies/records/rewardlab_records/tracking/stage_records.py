"""The records of a running stage: what is new in its logs and evaluations, and samples of its ledger."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rewardlab.data import parse_row
from rewardlab_training import GrowingFile, Results

from rewardlab_records.ledger import find_ledger
from rewardlab_records.ledger.scan import beginning_of

Numbers = Mapping[str, float]
Table = tuple[int, str, list[dict[str, Any]]]
"""a step, a name, and rows with the same columns"""
PLACES = ("attempt", "step")
MAX_TEXT = 4_000
"""characters of a prompt or a completion that a table has"""


class StageRecords:
    """The records of one stage since this object was made; those of earlier attempts are not told again."""

    def __init__(self, run: Path, name: str, attempt: int) -> None:
        """name: of the stage's files, such as "1-rl". attempt: the first that counts."""
        self._run, self._name, self._attempt = run, name, attempt
        # the host's, and on Ray the engine's; engines may write others
        self._logs = [GrowingFile(run / "logs" / f"{name}{ending}") for ending in (".jsonl", "_engine.jsonl")]
        self._evaluated = self._evaluations()
        self._sent: set[tuple[int, int, str]] = set()
        self._step = 0

    def new_steps(self) -> Iterator[tuple[int, Numbers]]:
        """Yield (step, numbers) of the whole lines that the stage's logs have got since the last call."""
        for place, line in (placed for log in self._logs for placed in log.lines()):
            row = parse_row(line, place)
            if not isinstance(row, Mapping) or not all(type(row.get(name)) is int for name in PLACES):
                continue  # damaged
            self._step = max(self._step, row["step"])
            if row["attempt"] >= self._attempt and (numbers := dict(self._untold(row))):
                yield row["step"], numbers

    def new_evaluations(self) -> Iterator[tuple[int, Numbers]]:
        """Yield (step, means) of the evaluations whose results are new since the last call."""
        for path, written in self._evaluations().items():
            if self._evaluated.get(path) != written:
                self._evaluated[path] = written
                match = re.search(r"-step-(\d+)$", path.stem)
                step = int(match[1]) if match else self._step if path.stem.endswith("-after") else 0
                yield step, {f"eval/{name}": value for name, value in Results.load(path).metrics().items()}

    def samples(self, count: int) -> Iterator[Table]:
        """Yield the last `count` completions of each evaluation, and of the training those of its last steps."""
        kept: dict[tuple[str, Any], deque[tuple[bytes, bytes]]] = {}  # lines, each with the first of its group
        index, shown_group, first = int(self._name.partition("-")[0]), None, b"{}"
        ledger = find_ledger(self._run)
        for _, line in () if ledger is None else ledger.raw_lines():
            if (place := beginning_of(line)) is None:
                continue
            group = place["attempt"], place["group"]
            if (
                place["index"] == 0 or shown_group != group
            ):  # a damaged ledger may lack the first line, which has the prompt
                shown_group, first = group, line
            if place["attempt"] >= self._attempt and place["stage"] == index:
                at = place["phase"], place["phase"] != "training" and place["step"]
                kept.setdefault(at, deque(maxlen=count)).append((line, first))
        for (phase, _), lines in kept.items():
            rows = [_row(json.loads(line), json.loads(first).get("prompt", "")) for line, first in lines]
            yield max(row["step"] for row in rows), f"samples/{phase}", rows

    def _untold(self, row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
        """Yield the numbers of a step, but those that another log of the stage had: an engine repeats rewards."""
        for name, value in row.items():
            place = (row["attempt"], row["step"], name)
            if name not in PLACES and place not in self._sent and _is_number(value):
                self._sent.add(place)
                yield f"train/{name}", float(value)

    def _evaluations(self) -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in self._run.glob(f"evaluation/{self._name}-*.json")}


def _row(line: Mapping[str, Any], prompt: Any) -> dict[str, Any]:
    texts = {"prompt": _text(prompt), "completion": line["completion"][:MAX_TEXT]}
    row = {"step": line["step"] or 0, "id": line["id"], **texts, "total": line["total"]}
    scores = {name: entry["value"] for name, entry in line["components"].items()}
    return row | {f"reward/{name}" if name in row else name: value for name, value in scores.items()}


def _text(prompt: Any) -> str:
    """Return a prompt as one text, messages below each other."""
    messages = prompt if isinstance(prompt, list) else [{"content": prompt}]
    return "\n".join(str(message.get("content", "")) for message in messages)[:MAX_TEXT]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
