"""NeMo-RL: a recipe's reward as an environment that its configuration names."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn
from rewardlab import Config
from rewardlab.errors import JobError, UserError

from rewardlab_trainers.recipe_door import RecipeDoor, Trainer, row_of

NEMO_RL = Trainer(name="NeMo-RL", known="of August 2026 (7ea279a)", groups=False, completions=())
DONE = {"role": "environment", "content": "Environment: done"}


class EnvironmentSettings(Config):
    """The settings of NeMo-RL's configuration under `env: rewardlab:`."""

    recipe: str
    """a YAML file, or the name of a recipe that comes with rewardlab"""
    overrides: tuple[str, ...] = ()
    """as on the command line"""
    label: str = "answer"
    """the field of the recipe that `ground_truth` is; other entries of `extra_env_info` are fields by their names"""
    fields: tuple[str, ...] | None = None
    """names in `extra_env_info`; given, a recipe that needs others is refused before anything is generated"""
    group: str | None = None
    """the entry of `extra_env_info` by which the completions of a prompt are known, each prompt's own; null: each
    completion is rewarded by itself"""
    group_size: int | None = None
    """`grpo.num_generations_per_prompt`; needed with `group`"""
    device: str = "auto"
    """the torch device of models if the recipe names none"""


class RewardEnvironment(EnvironmentInterface[dict[str, Any]]):
    """An environment of one turn. NeMo-RL makes an actor of it by the name that `register` gives.

    Raises a UserError that lists every mistake of the recipe, or says that it compares completions although there is
    no `group`. A completion that cannot be scored is an error of the step: NeMo-RL has no mask for it.
    """

    def __init__(self, cfg: Mapping[str, Any]) -> None:
        settings = self._settings = EnvironmentSettings.model_validate(dict(cfg))
        if (grouped := settings.group is not None) != (settings.group_size is not None):
            raise UserError("give both `group` and `group_size`, or neither", where="env")
        sent = None if settings.fields is None else {settings.label, *settings.fields}
        self._door = RecipeDoor(
            replace(NEMO_RL, groups=grouped), settings.recipe, settings.overrides, sent, settings.device
        )
        self._door.expect(EnvironmentReturn, "observations", "metadata", "rewards", "terminateds", "answers")

    def step(
        self, message_log_batch: Sequence[Sequence[Mapping[str, Any]]], metadata: Sequence[Mapping[str, Any]]
    ) -> Any:
        """Return the reward of each conversation's last answer; every episode ends with it."""
        places = self._groups(metadata)
        rows = [self._row(indices, message_log_batch, metadata) for indices in places]
        rewards = torch.zeros(len(metadata), dtype=torch.float32)
        for indices, scored in zip(places, self._door.groups_now(rows), strict=True):
            for index, completion in zip(indices, scored.by_completion(), strict=True):
                rewards[index] = self._door.with_total(completion).shaped
        return EnvironmentReturn(
            observations=[DONE] * len(rewards),
            metadata=list(metadata),
            next_stop_strings=[None] * len(rewards),
            rewards=rewards,
            terminateds=torch.ones(len(rewards), dtype=torch.bool),
            answers=None,
        )

    def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
        """Return the batch as it is."""
        return batch, {}

    def shutdown(self) -> None:
        """End judges' connections and worker processes."""
        self._door.reward.close()

    def _groups(self, metadata: Sequence[Mapping[str, Any]]) -> list[list[int]]:
        """Return the places of each group. Raises a JobError if one is not whole."""
        key, size = self._settings.group, self._settings.group_size
        if key is None or size is None:
            return [[index] for index in range(len(metadata))]
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for index, info in enumerate(metadata):
            if info.get(key) is None:
                raise JobError(f"extra_env_info has no {key!r}, by which the completions of a prompt are known")
            groups[info[key]].append(index)
        for name, indices in groups.items():
            if len(indices) != size:
                problem = f"{len(indices)} completions of {key} {name!r} came together, and a group has {size}"
                raise JobError(f"{problem}; groups need synchronous rollouts, and a dataset in which {key} is unique")
        return list(groups.values())

    def _row(
        self, indices: Sequence[int], logs: Sequence[Any], metadata: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        log, info = logs[indices[0]], dict(metadata[indices[0]])
        label = {self._settings.label: info.pop("ground_truth", None)}
        if self._settings.group is None:
            info.pop("id", None)  # the completions of a prompt share it, and are rows of their own
        messages = [{"role": message["role"], "content": message["content"]} for message in log[:-1]]
        return row_of(info, messages, [{"text": logs[index][-1]["content"]} for index in indices], **label)


def register(name: str = "rewardlab") -> None:
    """Make the environment known to NeMo-RL by a name, which `env_name` of its data then says."""
    from nemo_rl.distributed.ray_actor_environment_registry import ACTOR_ENVIRONMENT_REGISTRY
    from nemo_rl.distributed.virtual_cluster import PY_EXECUTABLES
    from nemo_rl.environments.utils import register_env

    place = f"{__name__}.RewardActor"
    ACTOR_ENVIRONMENT_REGISTRY[place] = PY_EXECUTABLES.SYSTEM
    register_env(name, place)


def __getattr__(name: str) -> Any:
    """Return the environment as Ray's actor, in which many steps may wait at the same time."""
    if name != "RewardActor":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import ray

    return ray.remote(max_concurrency=1000)(RewardEnvironment)
