"""A reward that is one function of a sample and a completion: `@reward` makes its spec."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Never

from rewardlab.errors import PLUGIN_FAULTS, one_line_at
from rewardlab.specs import Config, NoOptions, RewardSpec
from rewardlab.types import Completion, Sample, Score

ScoreFunction = Callable[..., float | Score | None]
"""function(sample, completion), or function(sample, completion, options)"""


@dataclass(frozen=True, kw_only=True)
class FunctionReward(RewardSpec):
    """The spec of a decorated function; a call of it calls the function."""

    function: ScoreFunction

    def __call__(self, *arguments: Any) -> float | Score | None:
        return self.function(*arguments)


def reward(
    *functions: Never, config: type[Config] = NoOptions, **fields: Any
) -> Callable[[ScoreFunction], FunctionReward]:
    """Return a decorator that makes a function a whole reward, spec and all.

        @reward(range=(0, 1), requires=["answer"])
        def exact(sample, completion):
            "1 for the row's answer."
            return completion.text.strip() == sample.fields["answer"]

    The function returns the value (also one of numpy or torch), None for an abstention, or a Score; what it raises is a
    failure of that completion, never a value. The reward has its name, and the first line of its docstring as summary.
    If its module is a plugin's (an entry point of the group `rewardlab` names it, or its package), the reward is
    offered; no hook is needed.

    Args:
        config: a class of options; the function then takes them as a third argument.
        fields: as in RewardSpec.

    Raises TypeError for a coroutine function, one that takes other arguments, and one without a docstring.
    """
    if functions:
        raise TypeError("write @reward(...), such as @reward(range=(0, 1)), with parentheses")

    def spec_of(function: ScoreFunction) -> FunctionReward:
        name = getattr(function, "__name__", repr(function))
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError(
                f"@reward {name}: write a plain `def` that returns; to wait, offer a RewardSpec(runs='async')"
            )
        expected = ["sample", "completion"] + ([] if config is NoOptions else ["options"])
        try:
            inspect.signature(function).bind(*expected)
        except TypeError as error:
            raise TypeError(f"@reward {name}: it must take ({', '.join(expected)}): {error}") from None
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        if not summary:
            raise TypeError(f"@reward {name}: write a docstring; its first line is the reward's summary")

        def build(options: Config, _context: object) -> _Scores:
            return _Scores(function, () if config is NoOptions else (options,))

        build.__module__ = function.__module__  # where another process finds the spec
        return FunctionReward(name=name, summary=summary, config=config, build=build, function=function, **fields)

    return spec_of


class _Scores:
    """The reward that a function makes, one completion at a time."""

    def __init__(self, function: ScoreFunction, options: tuple[Config, ...]) -> None:
        self._function, self._options = function, options

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item; what the function raises for one of them is its failure alone."""
        return [self._score(sample, completion) for sample, completion in items]

    def _score(self, sample: Sample, completion: Completion) -> Score:
        try:
            result = self._function(sample, completion, *self._options)
        except PLUGIN_FAULTS as error:
            return Score(error=one_line_at(error))
        if isinstance(result, Score):
            return result
        if result is None:
            return Score(info={"reason": "the function returned None"})
        scalar: Any = result
        number = scalar.item() if getattr(result, "ndim", None) == 0 else result  # of numpy or torch, also a bool
        if not isinstance(number, Real):
            return Score(error=f"it returned {result!r:.80}, which is neither a number, a Score nor None")
        return Score(value=float(number))
