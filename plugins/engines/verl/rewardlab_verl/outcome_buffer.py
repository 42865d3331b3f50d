"""verl's replay buffer, by the outcome of a group in place of its reward; it tells the ledger which groups train."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from rewardlab.errors import JobError
from rewardlab_ray.messages import OUTCOME
from rewardlab_ray.ray_actors import NAMESPACE, UNTIL_DEAD, coordinator_name
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer


class OutcomeBuffer(ReplayBuffer):
    """The groups of a step: those that are flat in their outcome are cleared, and others generated instead.

    Args:
        sampler_kwargs: the job, its outcome, and how many prompts a step may take (`Refill`).
    """

    def __init__(self, *, sampler_kwargs: Any, refill_fn: Callable[[int], Any], **more: Any) -> None:
        self._job, self._outcome = str(sampler_kwargs.job), str(sampler_kwargs.outcome)
        self._batch_size, self._max_batches = int(sampler_kwargs.batch_size), int(sampler_kwargs.max_batches)
        self._generate, self._generated, self._step = refill_fn, 0, 0
        super().__init__(
            sampler_kwargs=sampler_kwargs,
            refill_fn=self._refill,
            filter_groups_metric=OUTCOME,
            train_batch_size=self._batch_size,
            gen_batch_size=1,
            max_inflight_gen_batches=int(sampler_kwargs.at_once),
            **more,
        )

    def sample(self, global_steps: int, partition_id: str, batch_size: int) -> tuple[Any, dict]:
        """Return the step's groups, once the ledger knows that they are those that train."""
        self._step, self._generated = global_steps, self._batch_size
        batch, numbers = super().sample(global_steps, partition_id, batch_size)
        if partition_id == "train":
            self._tell("trained", global_steps, sorted({key.split("_")[0] for key in batch.keys}))
        return batch, numbers

    def _refill(self, prompts: int) -> Any:
        """Generate other prompts. JobError, which ends the job with this reason, if the step has had too many."""
        self._generated += prompts
        if self._generated > self._max_batches * self._batch_size:
            reason = (
                f"step {self._step}: too many groups are flat in {self._outcome}, {self._max_batches} batches of "
                f"{self._batch_size} prompts do not make one (backend.engine.refill.max_batches); take prompts "
                "that are neither too easy nor too hard, or larger groups"
            )
            self._tell("fail", reason)
            raise JobError(reason)
        return self._generate(prompts)

    def _dapo_filtered_keys(self, partition_id: str) -> tuple[set[str], Counter]:
        """Look at groups that lost a completion, too: verl itself trains on them whatever they are.

        One of which a single completion is left is flat; verl finds no group of one equal.
        """
        finished = self.finished_keys[partition_id]
        there = Counter(key.split("_")[0] for key in self.partitions[partition_id])
        ended = self.finished_keys[partition_id] = finished | (self.failure_keys[partition_id] & there.keys())
        try:
            flat, counts = super()._dapo_filtered_keys(partition_id)
            alone: set[str] = set() if partition_id == "val" else {uid for uid in ended if there[uid] == 1}
            return flat | alone, counts
        finally:
            self.finished_keys[partition_id] = finished

    def _tell(self, method: str, *arguments: Any) -> None:
        import ray

        coordinator = ray.get_actor(coordinator_name(self._job), namespace=NAMESPACE)
        ray.get(getattr(coordinator, method).options(**UNTIL_DEAD).remote(*arguments))
