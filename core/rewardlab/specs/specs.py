"""The specs (frozen descriptions) that plugins offer, one for each kind of component."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

from rewardlab.references import Function
from rewardlab.specs.context import (
    Config,
    Context,
    Curriculum,
    GroupReward,
    GroupSampler,
    Judge,
    Normalizer,
    Questions,
    Reward,
    Spec,
)
from rewardlab.types import Sample

Scope = Literal["completion", "group", "batch", "trajectory"]


@dataclass(frozen=True, kw_only=True)
class RewardSpec(Spec):
    """A reward. `build` returns an object with `score`.

    scope "completion", "trajectory" or "batch": `score(items: Sequence[tuple[Sample, Completion]]) -> list[Score]`,
    always a list in the same order; "batch" is asked for as many items at once as the host can gather, across groups.
    "trajectory" reads `completion.conversation()`, all messages; the others read `completion.text`, of which the
    recipe's `reads` decides what it is.
    scope "group": `async score(stream: GroupStream) -> list[Score]`, one for each of the group's G completions.

    range: closed interval of `value`; anything outside is a failure of the plugin.
    range_of: a function of the options: the interval under these, within `range`; absent: `range`.
    requires: fields that each row must have; a function of the options if they decide.
    judges: names of the options that hold a judge's name.
    calls: a function of the options and the group's size: most questions that a group takes, for plans of cost.
    dedup_key: a function of the options: components of one recipe with equal keys ask the same questions, which are
    paid once.
    question: a function of the options: a small Ask in the form of those that it sends (roles, params); a list of them
        if it asks in several forms; or a mapping of the options in `judges` to those, if judges are asked
        differently. Each judge is asked before a run, and `check` reports params that override its options.
    for_benchmark: of a reward that asks by a rubric: a function (options, levels, compares, field) that returns the
        options under which it asks a benchmark's question. levels: what may be answered, as a rubric calls it.
        compares: whether about two answers. field: if each row has the rubric; None for the usual question (which
        is better, is it right). A ValueError, whose text goes on after the benchmark's name, says what does not fit
        and what to set.
    abstains: says why a sample will get no value, or None; lets `check` warn before anything is paid for.
    refuses: says why a sample's fields cannot be used, such as a right answer that is empty, or None: such a row is a
        bad row, named before anything is scored. It is asked about rows that have all required fields, and is quick.
    needs_files: a function of the options: files that an earlier stage `data` may write; `check` names one that is not
        there and that none writes.
    cautions: says what is doubtful about a sample's fields, such as a right answer that cannot be read, or None: a pair
        of what it is, in words that are the same for all such samples, and the text to show. `check` counts them and
        shows three.
    runs: "inline" (microseconds, no GIL trouble), "thread" (one call at a time, in a thread of its own),
        "worker" (a spawned subprocess: what is slow, holds the GIL, or can hang) or "async" (`score` is a
        coroutine function on the scoring loop).
    environment: the packaged requirements file, relative to the plugin module's folder, of what cannot live in the
        host's environment: the reward itself if it runs "worker", else the files that `build` opens through
        `context.workers`. Under an option `environment: EnvironmentChoice` a user may name an interpreter instead.
    opens_workers: whether `build` opens worker files through `context.workers`; a reward with an environment that does
        not run "worker" does. `check` reports `workers`, `timeout`, `memory`, `threads` in recipes if nothing uses
        them.
    timeout: seconds that one item alone may take in a worker before the worker is killed and restarted.
    memory: GB (10^9 bytes) that one call may add to a worker's memory, without child processes; None: no
        limit. A worker that takes more is killed and restarted, and a completion that causes this alone fails: that is
        not a low score.
    counted_info: keys of `info` that are worth counting: the number of completions that have each (and not null, false,
    empty or 0) is reported by `score` at its end and by a run's report. For results that were cut, skipped or a
    fallback.
    on_timeout: "fail", or the value for a completion that alone used up `timeout` with the processor: for
        rewards whose time depends on what is judged, so that no policy can stop a job by being slow to judge.
    """

    kind: ClassVar[str] = "reward"
    build: Function[Callable[[Any, Context], Reward | GroupReward]] = Function()
    scope: Scope = "completion"
    range: tuple[float, float] = (0.0, 1.0)
    range_of: Function[Callable[[Any], tuple[float, float]] | None] = Function(None)
    requires: Function[Sequence[str] | Callable[[Any], Sequence[str]]] = Function(())
    judges: Sequence[str] = ()
    calls: Function[Callable[[Any, int], int] | None] = Function(None)
    dedup_key: Function[Callable[[Any], Any] | None] = Function(None)
    question: Function[Callable[[Any], Questions] | None] = Function(None)
    for_benchmark: Function[Callable[[Any, Sequence[str], bool, str | None], Any] | None] = Function(None)
    abstains: Function[Callable[[Any, Sample], str | None] | None] = Function(None)
    refuses: Function[Callable[[Any, Sample], str | None] | None] = Function(None)
    needs_files: Function[Callable[[Any], Sequence[str]] | None] = Function(None)
    cautions: Function[Callable[[Any, Sample], tuple[str, str] | None] | None] = Function(None)
    runs: Literal["inline", "thread", "worker", "async"] = "thread"
    environment: str | None = None
    opens_workers: bool = False
    counted_info: Sequence[str] = ()
    timeout: float = 60.0
    memory: float | None = 4.0
    on_timeout: Literal["fail"] | float = "fail"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scope not in get_args(Scope):
            raise ValueError(f"{self.name}: scope {self.scope!r} is not one of {', '.join(get_args(Scope))}")
        if self.runs not in ("inline", "thread", "worker", "async"):
            raise ValueError(f"{self.name}: runs {self.runs!r} is not one of inline, thread, worker, async")
        if any(isinstance(names, str) for names in (self.requires, self.judges, self.counted_info)):
            raise TypeError(f"{self.name}: requires, judges and counted_info are lists of names, not one text")
        if self.memory is not None and not self.memory > 0:
            raise ValueError(f"{self.name}: memory {self.memory!r} is not a positive number of GB")
        try:
            low, high = self.range
        except (TypeError, ValueError):
            raise TypeError(f"{self.name}: range {self.range!r} is not two numbers, (lowest, highest)") from None
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ValueError(f"{self.name}: range {self.range!r} is not a closed finite interval")
        if self.scope == "group" and self.runs == "worker" and self.judges:
            raise ValueError(f"{self.name}: a judge cannot be asked from a worker; use runs='async'")

    def required_fields(self, options: Config) -> tuple[str, ...]:
        """Return the fields that each row must have under these options."""
        return tuple(self.requires(options) if callable(self.requires) else self.requires)

    def under(self, options: Config) -> "RewardSpec":
        """Return the spec with the range that values have under these options."""
        if self.range_of is None:
            return self
        found = replace(self, range=self.range_of(options))
        if found.range[0] < self.range[0] or found.range[1] > self.range[1]:
            raise ValueError(f"{self.name}: range_of gives {found.range!r}, which is not within {self.range!r}")
        return found


@dataclass(frozen=True, kw_only=True)
class JudgeSpec(Spec):
    """A judge. `build` returns an object with `async ask(Ask) -> Reply`; `async aclose()`, if it has one, ends its use.

    An exception from `ask` is a failure that another try may mend (`rewardlab.errors.TryAgain` can say when);
    a Reply with `error` is final.

    reads: "messages" (a chat model) or "parts" (a scripted judge that needs the structured pieces).
    local: true when it makes no network call, so that nothing needs probing, limiting, recording or paying.
    identity: a function of the options: what decides its answers besides the question ({"model": ..., "params":
        {...}}), for the keys of cassettes; absent: its name and all options but those that end in `_env`.
    address: names of the options that say where it is reached and not who it is; they may change between attempts.
    most_tokens: a function of the options: the most tokens that one answer can have, None if nothing bounds
        it; a budget needs it.
    writes_cache: a function of the options: whether its server bills questions that it puts into a cache at a price of
        their own; `check` then wants `cache_write` in a judge's `price`.
    logprobs: whether its replies have the log-probabilities that a question asks for by `params: {"logprobs": True}`;
        `check` refuses a question that asks any other judge for them.
    supports_prefill: a function of the options: whether it goes on writing the last message, of role assistant, of a
        question that asks for it by `params: {"continue_final_message": True}`, and replies with what
        follows; `check` refuses such a question to any other judge.
    An option whose name ends in `_env` holds the name of an environment variable with a secret.
    """

    kind: ClassVar[str] = "judge"
    build: Function[Callable[[Any, Context], Judge]] = Function()
    reads: Literal["messages", "parts"] = "messages"
    local: bool = False
    identity: Function[Callable[[Any], Mapping[str, Any]] | None] = Function(None)
    address: Sequence[str] = ()
    most_tokens: Function[Callable[[Any], int | None] | None] = Function(None)
    writes_cache: Function[Callable[[Any], bool] | None] = Function(None)
    logprobs: bool = False
    supports_prefill: Function[Callable[[Any], bool] | None] = Function(None)


@dataclass(frozen=True, kw_only=True)
class DatasetSpec(Spec):
    """A dataset. `build` returns an iterable of Sample, streaming; iterating it again starts from the beginning.

    provides: the fields that every sample has, or a function of the options; None if this is known only after reading.
    step: true for a data step: it makes its samples from those of another dataset, `from` in the recipe, which
        `build` finds in `context.source`. A sample's id follows from its source's, so that a step can go on.
    sources: for a dataset that is made of several others: a function of the options that returns their names under
        `from`, by which `build` finds them in `context.sources`.
    requires: for a step, the fields that each row of its source must have, or a function of the options.
    abstains: for a step, says why it can make nothing of a sample of its source, or None; `check` names such rows
        before anything is paid for.
    needs_files: as RewardSpec has it.
    remote: true if reading rows needs a network, or a function of the options; `check` then looks at none.
    judges: names of the options that hold a judge's name (translators and teachers are judges, too).
    calls: a function of the options and the number of source rows: most questions that they take.
    question: as RewardSpec has it.
    makes: a function of the options and the number of rows that it reads: most rows made of them; absent: as many.
    environment: as RewardSpec has it, for the files that `build` opens through `context.workers`.
    """

    kind: ClassVar[str] = "dataset"
    build: Function[Callable[[Any, Context], Iterable[Sample]]] = Function()
    provides: Function[Sequence[str] | Callable[[Any], Sequence[str] | None] | None] = Function(None)
    step: bool = False
    sources: Function[Callable[[Any], Sequence[str]] | None] = Function(None)
    requires: Function[Sequence[str] | Callable[[Any], Sequence[str]]] = Function(())
    abstains: Function[Callable[[Any, Sample], str | None] | None] = Function(None)
    needs_files: Function[Callable[[Any], Sequence[str]] | None] = Function(None)
    remote: Function[bool | Callable[[Any], bool]] = Function(False)
    judges: Sequence[str] = ()
    calls: Function[Callable[[Any, int], int] | None] = Function(None)
    question: Function[Callable[[Any], Questions] | None] = Function(None)
    makes: Function[Callable[[Any, int], int] | None] = Function(None)
    environment: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(isinstance(names, str) for names in (self.provides, self.requires, self.judges)):
            raise TypeError(f"{self.name}: provides, requires and judges are lists of names, not one text")

    def provided_fields(self, options: Config) -> tuple[str, ...] | None:
        """Return the fields that every sample has under these options; None if only reading the rows shows them."""
        fields = self.provides(options) if callable(self.provides) else self.provides
        return None if fields is None else tuple(fields)

    def is_remote(self, options: Config) -> bool:
        """Return whether reading rows under these options needs a network."""
        return self.remote(options) if callable(self.remote) else self.remote

    def required_fields(self, options: Config) -> tuple[str, ...]:
        """Return the fields that each row of a step's source must have under these options."""
        return tuple(self.requires(options) if callable(self.requires) else self.requires)


@dataclass(frozen=True, kw_only=True)
class CurriculumSpec(Spec):
    """A curriculum. `build` returns an object with either or both of two parts.

    order(samples: Sequence[Sample], seed: int) -> list[int]: what the trainer reads, deterministic.
    more(pool) -> int and select(pool, n) -> list[int]: a group sampler. It collects completions of one prompt, a
        round at a time, until `more` says 0, and selects the n different ones that are trained on. `pool` is a
        sequence of the P completions so far, with `pool.sample` and `pool.size` (n); each entry has `completion`
        and `scores`: component name -> Score, of the components that score each completion by itself (completion
        and batch scope), whose `value` is None if it is missing. Group-scope rewards run on the n selected, in
        the order selected. Both are plain functions that take little time and depend on the pool alone, best not
        even on the order of its entries, which says nothing. To test one: rewardlab.Candidates.

    most: for a group sampler, a function (options, n) -> the most completions that a group of n may collect;
        None if the curriculum only orders.
    """

    kind: ClassVar[str] = "curriculum"
    build: Function[Callable[[Any, Context], Curriculum | GroupSampler]] = Function()
    most: Function[Callable[[Any, int], int] | None] = Function(None)


@dataclass(frozen=True, kw_only=True)
class NormalizerSpec(Spec):
    """A normalizer.

    `build` returns an object with
    `shape(totals: (P,), tokens: (P,) | None, kept: (G,), seed: int) -> (G,)`: lists of floats and indices;
    P = G unless a group sampler collected a larger pool.

    needs_tokens: true when token counts are required.
    range: a function (options, (low, high) of the total, group size) -> (low, high) of the shaped values; None
        if the shaped values have no known bounds.
    scales_loss: true if it multiplies all totals of a group by one positive factor, which depends on the kept
        completions' tokens and stands for the loss's own division by them. It must be the last of `normalize`, and a
        stage with `loss: seq_mean`, which divides by each completion's tokens, is refused.
    subtracts_mean: true if it takes a mean off the totals, of the group or of the pool behind it: the shaped values
        are advantages then, and no engine takes a mean off them again. Without one that does, dr_grpo takes the
        group's.
    subset: a function of the options: the largest pool of totals that is used whole; of a larger pool a random subset
    of this size is used. None: no limit. `check` warns if no pool can be larger.
    by_component: true if it shapes each component by itself: `shape` is called once for each that the total names, with
        its values (stand-ins for missing ones included) in the place of totals, and the total's weights are applied
        to what it returns. It must be the first of `normalize`, and the total a sum of weighted components.
    whitens: a function of the options: whether the values of a step's completions that have a total are divided by
        their standard deviation, with n - 1, + 1e-4, before they are trained on. None: they are not.
    """

    kind: ClassVar[str] = "normalizer"
    build: Function[Callable[[Any, Context], Normalizer]] = Function()
    needs_tokens: bool = False
    range: Function[Callable[[Any, tuple[float, float], int], tuple[float, float]] | None] = Function(None)
    scales_loss: bool = False
    subtracts_mean: bool = False
    subset: Function[Callable[[Any], int] | None] = Function(None)
    by_component: bool = False
    whitens: Function[Callable[[Any], bool] | None] = Function(None)


@dataclass(frozen=True, kw_only=True)
class BackendSpec(Spec):
    """An engine that trains. `build(settings)` returns a `rewardlab.training.Backend`; it imports no engine.

    config: the options under `backend` in a recipe, besides `use`.
    judges: the judges that only this backend can answer, by the whole name that a recipe uses, such as "policy/self".
    environments: for `rewardlab env create NAME`: name -> a function that returns the environment's
        `rewardlab.workers.EnvironmentDefinition`. One called NAME-cpu is built by `rewardlab env create NAME --cpu`.
    packages: distributions whose versions a run's manifest keeps, if they are installed.
    lacks: a function of the settings: what this environment lacks to train, and how to install it, or None. It imports
        nothing of the engine. `check` and a dry run warn of it; a run is refused by the backend's `ready`.
    trains_longer: whether a stage may go on with more steps than it began with, when its run is resumed so.
    chooses_checkpoints: whether it can hand on the best checkpoint of a stage, `keep: best`
        (rewardlab.training.best_checkpoint); `check` refuses that of any other.
    default: whether a recipe that names no backend trains with this one; of all that are installed, one may say so. An
        entry point of the group `rewardlab.default_backend`, named like the plugin, saves loading all others.
    """

    kind: ClassVar[str] = "backend"
    build: Function[Callable[[Any], Any]] = Function()
    judges: Mapping[str, JudgeSpec] = field(default_factory=dict)
    environments: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    packages: Sequence[str] = ()
    lacks: Function[Callable[[Any], str | None] | None] = Function(None)
    trains_longer: bool = False
    chooses_checkpoints: bool = False
    default: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if "use" in self.config.model_fields:
            raise ValueError(f"{self.name}: `use` names the backend itself; call this option otherwise")
        if isinstance(self.packages, str):
            raise TypeError(f"{self.name}: packages is a list of names, not one text")
