"""The reward of a recipe in the worker of TRL's AsyncGRPOTrainer: a process of its own, asked for one group at a time.

The worker hands over a prompt's completions and the row's columns, and no state of the training. It makes a None of the
only reward function a completion that counts in no mean and teaches nothing. Source: AsyncRolloutWorker of TRL 1.16.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Self

from rewardlab import load_reward
from rewardlab.scoring import MissingGuard

from rewardlab_trl.ranks import local_device
from rewardlab_trl.trainer_reward import TrainerReward


class LoadedReward(TrainerReward):
    """A reward function that can go to the worker, since it knows what it was loaded from."""

    _loaded_by: tuple[Any, ...] = ()

    @classmethod
    def load(
        cls,
        recipe: str | PathLike[str] | Mapping[str, Any],
        overrides: Sequence[str],
        device: str,
        like: Mapping[str, Any],
    ) -> Self:
        """Load a recipe's reward. like: the other arguments of `rewardlab_trl.reward_function`."""
        reward = load_reward(recipe, *overrides, device=local_device(device))
        try:
            loaded = cls(reward, **like)
        except BaseException:
            reward.close()
            raise
        loaded._loaded_by = (recipe, overrides, device, like)
        return loaded

    def __reduce__(self) -> tuple[Any, ...]:
        return WorkerReward, (self.__name__, self._loaded_by)


class WorkerReward:
    """A reward function that is loaded when it is first called: only then does the worker hide its GPUs.

    It closes with its process.
    """

    def __init__(self, name: str, loaded_by: tuple[Any, ...]) -> None:
        self.__name__, self._loaded_by = name, loaded_by
        self._lock = threading.Lock()
        self._loaded: OneGroupReward | None = None

    def __call__(self, **given: Any) -> list[float | None]:
        """Return what `TrainerReward` does, of one group; the worker calls it in a thread."""
        with self._lock:
            self._loaded = self._loaded or OneGroupReward.load(*self._loaded_by)
        return self._loaded(**given)

    def __reduce__(self) -> tuple[Any, ...]:
        return WorkerReward, (self.__name__, self._loaded_by)


class OneGroupReward(LoadedReward):
    """A reward function that gets one whole group in each call, and is the trainer's only one."""

    def __init__(self, *given: Any, **like: Any) -> None:
        super().__init__(*given, **like)
        self._guard = MissingGuard.over_rows(self.reward.plan.guarded_uses)  # a group is too few to tell a share by

    def _sizes(self, prompts: Sequence[Any], fields: Mapping[str, Sequence[Any]]) -> Iterator[int]:
        """Yield the number of completions: an environment may have begun each with words of its own."""
        if prompts:
            yield len(prompts)

    def _is_alone(self, log_metric: Any) -> bool:
        return True
