"""One recipe through an engine's own loop: its ledger against `rewardlab score`, and against what it trained on.

The reward has all that engines could treat differently: a win rate within a group by a judge behind HTTP, which fails
on some answers, so that they have no value and no vote; a component that abstains; one in a process of its own.
"""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from rewardlab_testing.backend_laws.ledger import read_rows

RECIPE = """
version: 1
name: equal
seed: 0
model: {use: tiny, hidden_size: 64, intermediate_size: 128}
dataset: {use: data/arithmetic, with: {kind: prompts, rows: 24}}
curriculum: {use: curriculum/shuffle}
judges:
  main: {use: openai/chat, retries: 0, with: {model: scripted, base_url: "URL", max_tokens: 64}}
reward:
  components:
    preference: {use: pairwise/win_rate, with: {judge: main, privileged: reference, orders: balanced},
                 on_missing: zero_advantage, max_missing: 1}
    length: {use: format/overlong, with: {max_tokens: 12, buffer: 10}}
    accuracy: {use: math/accuracy, workers: 1}
    choice: {use: choice/accuracy, on_abstain: 0}
  total: preference + length + accuracy + 0.5 * choice
stages:
  - use: rl
    algorithm: dr_grpo
    group_size: 4
    batch_size: 4
    steps: 3
    learning_rate: 1.0e-3
    max_new_tokens: 12
backend: BACKEND
"""
FAILS = 7
"""about one answer in so many cannot be judged"""
CLOSE = 1e-6
FENCED = re.compile(r"=== BEGIN RESPONSE ([AB]) \S+ ===\n(.*?)\n=== END RESPONSE \1 ", re.S)


@dataclass(frozen=True, kw_only=True)
class Equality:
    """What was compared, and the largest differences that were found."""

    completions: int
    masked: int
    """completions without a value, as a question about them failed"""
    totals: float
    """largest difference of a total from that of `rewardlab score`; infinite where only one of them has one"""
    advantages: float
    """largest difference of what the engine's trainer received from what the ledger's totals give"""
    moved: float
    """largest change of a weight"""


def assert_equal(
    engine: str,
    folder: Path,
    judge_server: Any,
    backend: Mapping,
    environment: Mapping[str, str],
    received: Callable[[Path], Mapping[tuple[int, int, str], list[float]]],
) -> None:
    """Assert that an engine trains on the rewards of `rewardlab score`; tell the numbers to REWARDLAB_EQUALITY."""
    with judge_server.Serving(judge_server.JudgeServer(fault=fails)) as server:
        found = compare(folder, server.url, backend, environment, received)
    assert (found.completions, found.masked > 0, found.moved > 0) == (48, server.seen["500"] > 0, True)
    assert found.totals <= CLOSE
    assert found.advantages <= CLOSE
    if path := os.environ.get("REWARDLAB_EQUALITY"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{json.dumps({'engine': engine, **asdict(found)})}\n")


def fails(_number: int, request: Mapping) -> str | None:
    """Return the fault of a judge's call: all that are about one of these answers fail, whenever they are made."""
    answers = (text for message in request["messages"] for _, text in FENCED.findall(message["content"]))
    return "500" if any(crc32(answer.encode()) % FAILS == 0 for answer in answers) else None


def compare(
    folder: Path,
    url: str,
    backend: Mapping,
    environment: Mapping[str, str],
    received: Callable[[Path], Mapping[tuple[int, int, str], list[float]]],
) -> Equality:
    """Run the recipe with a backend and compare; received: as in check_backend. url: of the judge's server."""
    text = RECIPE.replace("URL", url).replace("BACKEND", json.dumps(backend))
    (folder / "recipe.yaml").write_text(text, encoding="utf-8")
    _rewardlab(folder, environment, "run", "recipe.yaml")
    [run] = (folder / "runs").iterdir()
    groups = _groups(run)
    again = _scored_again(folder, environment, run, groups)
    return Equality(
        completions=sum(map(len, groups.values())),
        masked=_totals(groups).count(None),
        totals=max(map(_difference, _totals(groups), [total for key in groups for total in again[key]])),
        advantages=_advantages(groups, received(run)),
        moved=_moved(run),
    )


def _rewardlab(folder: Path, environment: Mapping[str, str], *arguments: str) -> None:
    command = [sys.executable, "-m", "rewardlab.cli", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def _groups(run: Path) -> dict[tuple[int, str], list[dict]]:
    """Return the rows of each group that was trained on, by (step, sample id)."""
    groups: dict[tuple[int, str], list[dict]] = {}
    for row in read_rows(run):
        if row["trained"] == "yes":
            groups.setdefault((row["step"], row["id"]), []).append(row)
    return {key: sorted(rows, key=lambda row: row["index"]) for key, rows in groups.items()}


def _scored_again(folder: Path, environment: Mapping[str, str], run: Path, groups: Mapping) -> dict:
    lines = []
    for (step, name), rows in groups.items():
        texts = [{"text": r["completion"], "token_count": r["tokens"], "truncated": r["truncated"]} for r in rows]
        lines.append({"id": f"{step}/{name}", "prompt": rows[0]["prompt"], **rows[0]["fields"], "completions": texts})
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    recipe = str(run / "recipe.resolved.yaml")
    _rewardlab(folder, environment, "score", recipe, "rows.jsonl", "-o", "again.jsonl")
    scored = map(json.loads, (folder / "again.jsonl").read_text(encoding="utf-8").splitlines())
    return {key: line["total"] for key, line in zip(groups, scored, strict=True)}


def _totals(groups: Mapping) -> list[float | None]:
    return [row["total"] for rows in groups.values() for row in rows]


def _difference(one: float | None, other: float | None) -> float:
    if one is None or other is None:
        return 0.0 if one is other else math.inf
    return abs(one - other)


def _advantages(groups: Mapping, received: Mapping[tuple[int, int, str], list[float]]) -> float:
    found = 0.0
    for (step, name), rows in groups.items():
        wanted = _from_ledger(rows)
        found = max(found, *(abs(a - b) for a, b in zip(wanted, received[0, step, name], strict=True)))
    return found


def _from_ledger(rows: list[dict]) -> list[float]:
    """Return dr_grpo's advantages: each total less the mean of those that are there, 0 for one that is not."""
    present = [row["total"] for row in rows if row["total"] is not None]
    mean = math.fsum(present) / len(present) if present else 0.0
    return [0.0 if row["total"] is None else row["total"] - mean for row in rows]


def _moved(run: Path) -> float:
    from safetensors.torch import load_file

    before, after = (load_file(next((run / "models" / name).glob("*.safetensors")), "cpu") for name in ("tiny", "0-rl"))
    shared = before.keys() & after.keys()  # a tied weight is written once
    return max(float((after[name].float() - before[name].float()).abs().max()) for name in shared)
