"""What an engine's loss got and gave, micro-batch by micro-batch, against formulas that are computed here, apart.

Each engine's tests have its trainer tell a line a micro-batch to the file that REWARDLAB_LOSSES names: {"loss": number,
"rows": [{"advantages", "old", "new", "entropies", and with a KL "reference": a number for each token}, ...]}.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from rewardlab.recipe import RlStage

from helpers.engine_jobs import read_lines

EPSILON, EPSILON_OF_STD = 1e-4, 1e-6
Row = Mapping[str, list[float]]
Values = list[float | None]


@dataclass(frozen=True, kw_only=True)
class Averages:
    """How an engine averages."""

    losses: Mapping[str, str]
    """algorithm -> the `loss` that it takes where a stage says none"""
    penalty_by_tokens: bool = False
    """the KL penalty is a mean over tokens, whatever the loss is"""
    entropy_by: str | None = None
    """how the entropy is averaged; None: as the loss"""
    tokens_of_step: bool = False
    """token_mean divides by a step's tokens over its updates, not by the update's own"""


@dataclass(frozen=True, kw_only=True)
class Differences:
    """The greatest differences of a job, and how much was compared."""

    completions: int
    masked: int
    """completions without a total"""
    updates: int
    advantages: float | None
    """of what the loss got from the formula of the ledger's totals; None with a critic, which has values of its own"""
    loss: float
    """of an update's loss from the formula of what it got"""
    ratio: float
    """greatest distance of a probability ratio from 1: what the clip had to do with"""


def differences(told: Path, ledger: Sequence[Mapping], stage: RlStage, normalized: str, averages: Averages):
    """Return the differences of a job with one stage; normalized: "", "std", "length" or "gdpo"."""
    steps: dict[int, list[Mapping]] = defaultdict(list)
    for row in ledger:
        if row["trained"] == "yes":
            steps[row["step"]].append(row)
    calls, of_advantages, of_losses, rows = iter(read_lines(told)), [0.0], [0.0], []
    for _, scored in sorted(steps.items()):
        each = len(scored) // stage.updates_per_batch
        for _ in range(stage.epochs_per_batch):
            updates = [_update(calls, each) for _ in range(stage.updates_per_batch)]
            got = [row for update, _ in updates for row in update]
            tokens = sum(len(row["new"]) for row in got) / len(updates) if averages.tokens_of_step else None
            of_losses += [abs(loss - loss_of(update, stage, averages, tokens)) for update, loss in updates]
            if stage.algorithm != "ppo":
                wanted = sorted(advantages_of(scored, stage, normalized))
                pairs = zip(wanted, sorted(_before_the_penalty(row, stage) for row in got), strict=True)
                of_advantages += [abs(one - other) for one, other in pairs]
            rows += got
    assert next(calls, None) is None, "the trainer went on after the last step of the ledger"
    return Differences(
        completions=sum(map(len, steps.values())),
        masked=sum(row["total"] is None for row in chain(*steps.values())),
        updates=len(of_losses) - 1,
        advantages=None if stage.algorithm == "ppo" else max(of_advantages),
        loss=max(of_losses),
        ratio=max(
            abs(math.exp(new - old) - 1) for row in rows for new, old in zip(row["new"], row["old"], strict=True)
        ),
    )


def loss_of(rows: Sequence[Row], stage: RlStage, averages: Averages, tokens: float | None = None) -> float:
    """Return an update's loss; tokens: by how many token_mean divides, if not by those of the rows."""
    how = stage.loss or averages.losses[stage.algorithm]
    loss = _averaged([_policy_losses(row, stage, how) for row in rows], how, stage, tokens)
    if stage.kl.coef and stage.kl.into == "loss":
        penalties = [[_divergence(*pair, stage.kl.estimator) for pair in _pairs(row, "new")] for row in rows]
        by = "token_mean" if averages.penalty_by_tokens else how
        loss += stage.kl.coef * _averaged(penalties, by, stage, tokens)
    if stage.entropy_coef:
        entropies = [row["entropies"] for row in rows]
        loss -= stage.entropy_coef * _averaged(entropies, averages.entropy_by or how, stage, tokens)
    return loss


def _policy_losses(row: Row, stage: RlStage, how: str) -> list[float]:
    logs = [new - old for new, old in zip(row["new"], row["old"], strict=True)]
    if stage.importance_sampling_level == "sequence" and logs:
        logs = [math.fsum(logs) / len(logs)] * len(logs)
    low, high = 1 - stage.clip[0], 1 + stage.clip[1]
    losses = []
    for log, new, advantage in zip(logs, row["new"], row["advantages"], strict=False):
        ratio = math.exp(log)
        clipped = min(max(ratio, low), high)
        if how == "cispo":
            losses.append(-clipped * advantage * new)
            continue
        gain = min(ratio * advantage, clipped * advantage)
        if stage.dual_clip is not None and advantage < 0:
            gain = max(gain, stage.dual_clip * advantage)
        losses.append(-gain)
    return losses


def _averaged(values: Sequence[list[float]], how: str, stage: RlStage, tokens: float | None) -> float:
    if how == "seq_mean":
        return math.fsum(math.fsum(of) / max(1, len(of)) for of in values) / len(values)
    if how == "constant":
        return math.fsum(chain(*values)) / len(values) / stage.max_new_tokens
    return math.fsum(chain(*values)) / (tokens or sum(map(len, values)))


def _divergence(log: float, reference: float, estimator: str) -> float:
    apart = log - reference
    return {"k1": apart, "k2": apart**2 / 2, "k3": math.exp(-apart) - 1 + apart}[estimator]


def _pairs(row: Row, name: str) -> Iterator[tuple[float, float]]:
    return zip(row[name], row["reference"], strict=True)


def _before_the_penalty(row: Row, stage: RlStage) -> float:
    """Return the advantage of a completion that the loss got, without a penalty in the reward; of all tokens one."""
    values = row["advantages"]
    if stage.kl.coef and stage.kl.into == "reward":
        by_token = [stage.kl.coef * _divergence(*pair, stage.kl.estimator) for pair in _pairs(row, "old")]
        values = [value + math.fsum(by_token[at:]) for at, value in enumerate(values)]
    assert max(values) - min(values) < 1e-5, values
    return values[0]


def advantages_of(scored: Sequence[Mapping], stage: RlStage, normalized: str) -> list[float]:
    """Return the advantages of a step by the totals of its rows in the ledger; 0 for a completion without one."""
    groups: dict[str, list[Mapping]] = defaultdict(list)
    for row in scored:
        groups[row["group"]].append(row)
    values = [value for group in groups.values() for value in _of_group(group, stage.algorithm, normalized)]
    off = {"reinforce_baseline": 0}.get(stage.algorithm, 1 if normalized == "gdpo" else None)
    if off is None:
        return values
    return _over(values, sum(row["total"] is not None for row in scored) - off)


def _of_group(group: Sequence[Mapping], algorithm: str, normalized: str) -> list[float]:
    totals = [row["total"] for row in group]
    count = sum(total is not None for total in totals)
    if normalized == "gdpo":
        weights = {"letters": 1 + (group[0]["progress"] or 0), "longest": 0.1, "accuracy": 0.5, "faulty": 1}
        parts = [_over(_centred(_votes(group, name)), count - 1, weight) for name, weight in weights.items()]
        return [math.fsum(of) for of in zip(*parts, strict=True)]
    if normalized == "std":
        return _over(_centred(totals), count, epsilon=EPSILON_OF_STD)
    if normalized == "length":
        voting = [row["tokens"] for row in group if row["total"] is not None]
        return _centred([None if total is None else total * 8 * count / max(1, sum(voting)) for total in totals])
    if algorithm == "grpo":
        return _over(_centred(totals), count - 1)
    return _centred(totals, count / max(1, count - 1) if algorithm == "rloo" else 1)


def _votes(group: Sequence[Mapping], name: str) -> Values:
    return [None if row["total"] is None else row["components"][name]["value"] for row in group]


def _centred(values: Values, factor: float = 1) -> list[float]:
    there = [value for value in values if value is not None]
    if not there or min(there) == max(there):
        return [0.0] * len(values)
    mean = math.fsum(there) / len(there)
    return [0.0 if value is None else factor * (value - mean) for value in values]


def _over(values: Sequence[float], count: int, weight: float = 1, epsilon: float = EPSILON) -> list[float]:
    spread = math.sqrt(math.fsum(value**2 for value in values) / max(1, count))
    return [weight * value / (spread + epsilon) for value in values]


def _update(calls: Iterator[Mapping], count: int) -> tuple[list[Row], float]:
    """Return the rows of the next micro-batches that make an update of so many completions, and its loss."""
    rows, loss = [], 0.0
    while len(rows) < count:
        call = next(calls)
        rows += call["rows"]
        loss += call["loss"]
    assert len(rows) == count, "a micro-batch is of two updates"
    return rows, loss
