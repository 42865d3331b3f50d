"""The spec of a reward: how it is built and run, and what it needs of rows and judges."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

from rewardlab.references import Function
from rewardlab.specs.context import Config, Context, GroupReward, Questions, Reward, Spec
from rewardlab.types import Sample

Scope = Literal["completion", "group", "batch", "trajectory"]


@dataclass(frozen=True, kw_only=True)
class RewardSpec(Spec):
    """A reward. `build` makes an object with `score` from the options under `with` of a recipe.

        class Options(Config):
            most: int = 20  # words that a completion may have

        class Short:
            def __init__(self, options: Options, context: Context): self._most = options.most
            def score(self, items): return [Score(value=float(len(c.text.split()) <= self._most)) for _, c in items]

        @hookimpl
        def rewardlab_rewards():
            return [RewardSpec(name="short", summary="1 for few words", config=Options, build=Short, runs="inline")]

    scope "completion", "trajectory" or "batch": `score(items: Sequence[tuple[Sample, Completion]]) -> list[Score]`,
    always a list in the same order; "batch" is asked for as many items at once as the host can gather, across groups.
    "trajectory" reads `completion.conversation()`, all messages; the others read `completion.text`, of which the
    recipe's `reads` decides what it is.
    scope "group": `async score(stream: GroupStream) -> list[Score]`, one for each of the group's G completions.

    Args:
        range: closed interval of `value`; anything outside is a failure of the plugin.
        range_of: a function of the options: the interval under these, within `range`; absent: `range`.
        requires: fields that each row must have; a function of the options if they decide.
        judges: names of the options that hold a judge's name.
        calls: a function of the options and the group's size: most questions that a group takes, for plans of cost.
        refuses_size: a function of both, too: why no group of this size can be scored so, or None; `check` reports it.
        dedup_key: a function of the options: components of one recipe with equal keys ask the same questions, which are
            paid once.
        question: a function of the options: a small Ask in the form of those that it sends (roles, params); a list of
            them if it asks in several forms; or a mapping of the options in `judges` to those, if judges are asked
            differently. Each judge is asked before a run, and `check` reports params that override its options.
        for_benchmark: of a reward that asks by a rubric: a function (options, levels, compares, field) that returns the
            options under which it asks a benchmark's question. levels: what may be answered, as a rubric calls it.
            compares: whether about two answers. field: if each row has the rubric; None for the usual question (which
            is better, is it right). A ValueError, whose text goes on after the benchmark's name, says what does not fit
            and what to set.
        goldens: a function of the options: examples of its rubric, `rewardlab.training.Golden`, that test its judge.
        abstains: says why a sample will get no value, or None; lets `check` warn before anything is paid for.
        refuses: says why a sample's fields cannot be used, such as a right answer that is empty, or None: such a row is
            a bad row, named before anything is scored. It is asked about rows that have all required fields, and is
            quick.
        completion_needs: of "token_count", "seconds" and "messages", what a completion must have to get a value.
        needs_files: a function of the options: files that an earlier stage `data` may write; `check` names one that is
            not there and that none writes.
        cautions: says what is doubtful about a sample's fields, such as a right answer that cannot be read, or None: a
            pair of what it is, in words that are the same for all such samples, and the text to show. `check` counts
            them and shows three.
        runs: "inline" (microseconds, no GIL trouble), "thread" (one call at a time, in a thread of its own), "worker"
            (a spawned subprocess: what is slow, holds the GIL, or can hang) or "async" (`score` is a coroutine function
            on the scoring loop).
        environment: the packaged requirements file, relative to the plugin module's folder, of what cannot live in the
            host's environment: the reward itself if it runs "worker", else the files that `build` opens through
            `context.workers`. Under an option `environment: EnvironmentChoice` a user may name an interpreter instead.
        opens_workers: whether `build` opens worker files through `context.workers`; a reward with an environment that
            does not run "worker" does. `check` reports `workers`, `timeout`, `memory`, `threads` in recipes if nothing
            uses them.
        timeout: seconds that one item alone may take in a worker before the worker is killed and restarted.
        memory: GB (10^9 bytes) that one call may add to a worker's memory, without child processes; None: no limit.
            Above it the worker is killed and restarted, and a completion that causes this alone fails: no low score.
        counted_info: keys of `info` for results that were cut, skipped or a fallback: `score`, at its end, and a run's
            report say how many completions have each (and not null, false, empty or 0).
        on_timeout: "fail", or, so that no policy can stop a job by being slow to judge, the value for a completion that
            alone used up `timeout` with the processor.
    """

    kind: ClassVar[str] = "reward"
    build: Function[Callable[[Any, Context], Reward | GroupReward]] = Function()
    scope: Scope = "completion"
    range: tuple[float, float] = (0.0, 1.0)
    range_of: Function[Callable[[Any], tuple[float, float]] | None] = Function(None)
    requires: Function[Sequence[str] | Callable[[Any], Sequence[str]]] = Function(())
    judges: Sequence[str] = ()
    calls: Function[Callable[[Any, int], int] | None] = Function(None)
    refuses_size: Function[Callable[[Any, int], str | None] | None] = Function(None)
    dedup_key: Function[Callable[[Any], Any] | None] = Function(None)
    question: Function[Callable[[Any], Questions] | None] = Function(None)
    for_benchmark: Function[Callable[[Any, Sequence[str], bool, str | None], Any] | None] = Function(None)
    goldens: Function[Callable[[Any], Sequence[Any]] | None] = Function(None)
    abstains: Function[Callable[[Any, Sample], str | None] | None] = Function(None)
    refuses: Function[Callable[[Any, Sample], str | None] | None] = Function(None)
    completion_needs: Sequence[str] = ()
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
        spec = replace(self, range=self.range_of(options))
        if spec.range[0] < self.range[0] or spec.range[1] > self.range[1]:
            raise ValueError(f"{self.name}: range_of gives {spec.range!r}, which is not within {self.range!r}")
        return spec
