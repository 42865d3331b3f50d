"""A tiny policy and its reinforcement, for benchmarks that train hundreds of times: GRPO's equations, no real model.

The policy is a table: for each language and part (trace, answer) a softmax over four tokens: end, right, wrong, empty.
A part is sampled token by token until its end. The languages differ in the tokens that a whole trace takes, as scripts
do under a tokenizer: 2, 4, 8 and 16. What a completion is worth is known exactly, in five dimensions; a judge sees
these, with noise. The update is that of GRPO: clipped ratios, AdamW without decay, a clipped gradient, the KL
divergence to the first policy in the loss. Groups, advantages and the sampler are the library's own classes.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from rewardlab import Completion, Sample, ScoredGroup
from rewardlab_curriculum.balanced import Balanced
from rewardlab_curriculum.options import BalancedOptions
from rewardlab_normalize.options import StdOptions
from rewardlab_normalize.std import Std
from rewardlab_training import group_advantages
from rewardlab_training.alarms.alarm_kinds import AlarmDetector, Sign
from rewardlab_training.alarms.alarm_settings import AlarmSettings

TRACE_TOKENS = (2, 4, 8, 16)
"""right tokens of a whole trace, by language"""
ANSWER_TOKENS = (1, 2, 3, 4)
DIMENSIONS = ("trace is right", "trace is whole", "answer is right", "answer is whole", "ends")
END, RIGHT, WRONG, EMPTY = range(4)
CAPS = (48, 16)
"""most tokens of a trace and of an answer"""
GROUP, GROUPS, UPDATES = 8, 8, 2
CLIP, KL_COEF, MAX_GRAD_NORM = 0.2, 0.001, 1.0
SUBSET, POOL, CAP = 64, 96, 128
"""of normalize/std; completions a prompt where it stands alone; most of curriculum/balanced"""

Floats = np.ndarray
Judge = Callable[[Floats, np.random.Generator], Floats]
"""takes what completions are worth in each dimension (n, 5); returns scores of trace and answer (n, 2), in [0, 1]"""


@dataclass(frozen=True)
class Setup:
    """One way to train. length_aware: each token of a group counts the same, else each completion does."""

    length_aware: bool = False
    balanced: bool = False
    subset: bool = False
    learning_rate: float = 0.1
    steps: int = 120


@dataclass
class Run:
    """What is known of one training."""

    signs: list[Sign] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)
    truths: list[float] = field(default_factory=list)
    """mean worth of the completions that were trained on, by step"""
    flat: list[bool] = field(default_factory=list)
    """by group, whether all totals that it was trained with were equal"""
    deviations: list[float] = field(default_factory=list)
    """what the advantages of a group were divided by, by group; NaN where it was flat"""
    advantages: list[float] = field(default_factory=list)
    """the largest of each group"""
    token_weights: list[float] = field(default_factory=list)
    """by group, what a token of its longest completion counts for one of the shortest"""
    by_language: list[float] = field(default_factory=list)
    """worth at the end"""
    asked: int = 0
    """completions that were judged"""

    @property
    def diverged(self) -> bool:
        return bool(self.signs)


class Policy:
    """The table of logits (languages, 2 parts, 4 tokens) and its optimiser."""

    def __init__(self, learning_rate: float):
        ends = np.array([[1 / (1.25 * need + 1) for need in needs] for needs in (TRACE_TOKENS, ANSWER_TOKENS)]).T
        shares = np.array([0.5, 0.25, 0.25]) * (1 - ends)[..., None]
        self.logits = np.log(np.concatenate([ends[..., None], shares], axis=-1))
        self.reference = self.probabilities()
        self._rate, self._time = learning_rate, 0
        self._first, self._second = np.zeros_like(self.logits), np.zeros_like(self.logits)

    def probabilities(self) -> Floats:
        powers = np.exp(self.logits - self.logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    def update(self, gradient: Floats) -> float:
        """Descend by AdamW, with the gradient scaled down to the longest allowed; return its norm."""
        norm = float(np.sqrt((gradient**2).sum()))
        gradient = gradient * min(1.0, MAX_GRAD_NORM / (norm + 1e-6))
        self._time += 1
        self._first = 0.9 * self._first + 0.1 * gradient
        self._second = 0.99 * self._second + 0.01 * gradient**2
        first, second = self._first / (1 - 0.9**self._time), self._second / (1 - 0.99**self._time)
        self.logits = self.logits - self._rate * first / (np.sqrt(second) + 1e-8)
        return norm


def sample(probabilities: Floats, language: int, count: int, rng: np.random.Generator) -> Floats:
    """Sample completions; return how often each token occurs in each part (count, 2, 4); a part without end was cut."""
    counts = np.zeros((count, 2, 4))
    for part, cap in enumerate(CAPS):
        tokens = (rng.random((count, cap))[..., None] > probabilities[language, part].cumsum()[:3]).sum(axis=-1)
        lengths = np.where((ends := tokens == END).any(axis=1), ends.argmax(axis=1) + 1, cap)
        within = np.arange(cap) < lengths[:, None]
        for token in range(4):
            counts[:, part, token] = ((tokens == token) & within).sum(axis=1)
    return counts


def worth(counts: Floats, language: int) -> Floats:
    """Return what completions are worth in each of DIMENSIONS (n, 5), in [0, 1]."""
    found = []
    for part, needs in enumerate((TRACE_TOKENS, ANSWER_TOKENS)):
        right, written = counts[:, part, RIGHT], counts[:, part, RIGHT:].sum(axis=-1)
        found += [right / np.maximum(written, 1), np.minimum(1, right / needs[language])]
    found.append((counts[:, :, END] > 0).all(axis=1).astype(float))
    return np.stack(found, axis=-1)


def train(seed: int, judge: Judge, setup: Setup) -> Run:
    """Train a new policy with the judge's scores; the total is the mean of trace and answer."""
    rng, policy, run = np.random.default_rng(seed), Policy(setup.learning_rate), Run()
    detector = AlarmDetector(AlarmSettings(low=0.0, batch_size=GROUPS))
    for step in range(1, setup.steps + 1):
        old = policy.probabilities()
        groups = [_group(old, index % len(TRACE_TOKENS), judge, setup, rng, run) for index in range(GROUPS)]
        losses, norm = [], 0.0
        for _ in range(UPDATES):
            loss, gradient = _gradient(policy, old, groups)
            losses.append(loss)
            norm = policy.update(gradient)
        run.totals.append(float(np.mean([totals.mean() for *_, totals in groups])))
        kl = float(np.mean([_kl(old, policy.reference, language, counts) for language, counts, *_ in groups]))
        std = float(np.mean([totals.std() for *_, totals in groups]))
        numbers = {"loss": statistics.fmean(losses), "grad_norm": norm, "kl": kl}
        run.signs += detector.add(step, numbers | {"reward/total": run.totals[-1], "group/std": std})
    final = policy.probabilities()
    run.by_language = [float(worth(sample(final, one, 256, rng), one).mean()) for one in range(len(TRACE_TOKENS))]
    return run


Trained = tuple[int, Floats, Floats, Floats]
"""a group: its language, token counts (G, 2, 4), the weight of each completion's tokens (G,), and totals (G,)"""


def _group(old: Floats, language: int, judge: Judge, setup: Setup, rng: np.random.Generator, run: Run) -> Trained:
    counts, scores = _pool(old, language, judge, setup, rng)
    kept = _kept(scores, setup)
    run.asked += len(scores)
    totals = scores.mean(axis=1)
    pool, places = (totals, kept) if setup.subset else (totals[kept], list(range(GROUP)))
    options = StdOptions(subset=SUBSET if setup.subset else 10**6)
    shaped = Std(options).shape(pool.tolist(), None, places, int(rng.integers(2**31)))
    advantages, counts, totals = _advantages(shaped, totals[kept]), counts[kept], totals[kept]
    lengths = counts.sum(axis=(1, 2))
    each = np.full(GROUP, 1 / lengths.sum()) if setup.length_aware else 1 / (GROUP * lengths)
    _note(run, language, advantages, counts, totals, lengths, each)
    return language, counts, each * advantages, totals


def _advantages(shaped: Sequence[float], totals: Floats) -> Floats:
    """What the engines' trainers receive of a group that normalize/std has shaped."""
    group = ScoredGroup(
        sample=Sample(id="a prompt"),
        completions=[Completion(text="")] * len(shaped),
        components={},
        totals=totals.tolist(),
        shaped=shaped,
        centred=True,
    )
    return np.array(group_advantages("dr_grpo", group))


def _note(
    run: Run, language: int, advantages: Floats, counts: Floats, totals: Floats, lengths: Floats, each: Floats
) -> None:
    run.truths.append(float(worth(counts, language).mean()))
    run.flat.append(bool(np.ptp(totals) == 0))
    run.advantages.append(float(np.abs(advantages).max()))
    moving = np.ptp(totals) > 0 and np.ptp(advantages) > 0
    run.deviations.append(float(np.ptp(totals) / np.ptp(advantages)) if moving else float("nan"))
    run.token_weights.append(float(each[lengths.argmax()] / each[lengths.argmin()]))


def _pool(old: Floats, language: int, judge: Judge, setup: Setup, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Sample and judge a prompt's completions: a group, a larger pool, or rounds until the sampler has enough."""
    if not setup.balanced:
        counts = sample(old, language, POOL if setup.subset else GROUP, rng)
        return counts, judge(worth(counts, language), rng)
    sampler, size = Balanced(_OPTIONS), 0
    rounds: list[tuple[Floats, Floats]] = []
    pool = _Pool()
    while (more := sampler.more(pool)) > 0:
        counts = sample(old, language, more, rng)
        rounds.append((counts, judge(worth(counts, language), rng)))
        size += more
        pool.extend(rounds[-1][1])
    return np.concatenate([one for one, _ in rounds]), np.concatenate([one for _, one in rounds])


def _kept(scores: Floats, setup: Setup) -> list[int]:
    if not setup.balanced:
        return list(range(GROUP))
    pool = _Pool()
    pool.extend(scores)
    return Balanced(_OPTIONS).select(pool, GROUP)


_OPTIONS = BalancedOptions(reasoning="trace", answer="answer", round=GROUP, cap=CAP)


class _Pool(list[Any]):
    """What a group sampler sees of a prompt's completions."""

    size = GROUP
    sample = SimpleNamespace(id="prompt")

    def extend(self, scores: Any) -> None:
        for trace, answer in scores:
            values = {"trace": SimpleNamespace(value=trace), "answer": SimpleNamespace(value=answer)}
            self.append(SimpleNamespace(scores=values, completion=SimpleNamespace(text=str(len(self)))))


def _gradient(policy: Policy, old: Floats, groups: Sequence[Trained]) -> tuple[float, Floats]:
    """Return the loss and its gradient by the logits: clipped ratios times advantages, and the KL divergence."""
    now = policy.probabilities()
    ratios, gradient, loss = now / old, np.zeros_like(now), 0.0
    for language, counts, weighted, _ in groups:
        ratio, signs = ratios[language], np.where(weighted > 0, 1, -1)[:, None, None]
        clipped = np.clip(ratio, 1 - CLIP, 1 + CLIP)
        least = np.where(signs > 0, np.minimum(ratio, clipped), np.maximum(ratio, clipped))
        loss -= float((counts * weighted[:, None, None] * least).sum())
        moving = counts * weighted[:, None, None] * ratio * (least == ratio)
        gradient[language] -= moving.sum(axis=0) - moving.sum(axis=(0, 2))[:, None] * now[language]
        share = counts.sum(axis=(0, 2)) / counts.sum()
        difference = np.log(now[language] / policy.reference[language])
        kl = (now[language] * difference).sum(axis=-1)
        loss += KL_COEF * float((share * kl).sum())
        gradient[language] += KL_COEF * share[:, None] * now[language] * (difference - kl[:, None])
    return loss / len(groups), gradient / len(groups)


def _kl(now: Floats, reference: Floats, language: int, counts: Floats) -> float:
    """Return the KL divergence to the first policy, a mean over the group's tokens."""
    share = counts.sum(axis=(0, 2)) / counts.sum()
    difference = np.log(now[language] / reference[language])
    return float((share * (now[language] * difference).sum(axis=-1)).sum())
