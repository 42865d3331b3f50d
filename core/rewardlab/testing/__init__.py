"""Property tests of components: the laws that a reward, judge, dataset, curriculum or normalizer keeps.

    from rewardlab.testing import check_reward

    def test_laws():
        check_reward("my/brevity")  # an installed one, under the examples that its spec declares
        check_reward(spec, good=["Yes."], bad=["Er, yes, and ..."])  # or a spec, with completions of known rank

Needs `pip install 'rewardlab[testing]'`. As a pytest plugin it tells at the end which laws were off, and why.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardlab.testing.checks import (
        check_curriculum,
        check_dataset,
        check_judge,
        check_normalizer,
        check_reward,
    )
    from rewardlab.testing.outcome import LawsBroken
    from rewardlab.testing.strategies import completions, groups, samples, texts

_HOME = {
    "check_curriculum": "checks",
    "check_dataset": "checks",
    "check_judge": "checks",
    "check_normalizer": "checks",
    "check_reward": "checks",
    "LawsBroken": "outcome",
    "completions": "strategies",
    "groups": "strategies",
    "samples": "strategies",
    "texts": "strategies",
}

__all__ = [
    "LawsBroken",
    "check_curriculum",
    "check_dataset",
    "check_judge",
    "check_normalizer",
    "check_reward",
    "completions",
    "groups",
    "samples",
    "texts",
]


if not TYPE_CHECKING:  # a type checker has the names above, and finds others wrong

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'rewardlab.testing' has no attribute {name!r}")
        try:
            value = getattr(import_module(f"rewardlab.testing.{_HOME[name]}"), name)
        except ModuleNotFoundError as error:
            if error.name != "hypothesis":
                raise
            raise ImportError("rewardlab.testing needs hypothesis: pip install 'rewardlab[testing]'") from error
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
