"""What a sample costs verl's trainer process: its own code for the old log-probabilities and advantages of a step.

For `scale.py`, where verl is installed. What TransferQueue fetches and stores is pickled in its place; the models
answer at once. The metrics of a step are not among it.
"""

import pickle
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

PROMPT = 200
SETTINGS = {
    "algorithm": {
        "adv_estimator": "rloo",
        "gamma": 1.0,
        "lam": 1.0,
        "use_kl_in_reward": False,
        "rollout_correction": None,
    },
    "actor_rollout_ref": {
        "rollout": {"temperature": 1.0, "calculate_log_probs": True, "n": 8},
        "actor": {"loss_agg_mode": "token-mean", "loss_scale_factor": None, "entropy_coeff": 0.0},
        "model": {},
    },
}


def verl_trainer(lengths: Sequence[int], size: int) -> float:
    """Return the milliseconds of CPU that verl's trainer process needs for a sample; lengths: of all completions."""
    import torch
    from omegaconf import OmegaConf
    from verl.trainer.ppo.v1 import trainer_base, trainer_sync

    torch.set_num_threads(1)
    keys = [f"{n // size}_{n % size}_0" for n in range(len(lengths))]
    batch = trainer_base.KVBatchMeta(keys=keys, partition_id="train", tags=[{} for _ in lengths])
    queue = Queue(batch, fields_of(lengths, size))
    trainer = object.__new__(trainer_sync.PPOTrainerSync)
    trainer.config = OmegaConf.create(SETTINGS)
    trainer.use_critic = False
    trainer.actor_rollout_wg = SimpleNamespace(compute_log_prob=lambda batch: batch)
    trainer_base.tq = queue
    metrics: dict[str, Any] = {}

    def step() -> None:
        trainer._compute_old_log_prob(batch, metrics)
        trainer._compute_advantage(batch, metrics)

    step()  # what is imported and compiled at first
    return cpu_ms(step) / len(lengths)


class Queue:
    """The calls of TransferQueue that a step makes: each field goes through a pickle, as it would through a socket."""

    def __init__(self, batch: Any, fields: dict[str, Any]) -> None:
        self.batch, self._fields = batch, fields

    def kv_batch_get(self, keys: Sequence[str], select_fields: Sequence[str], **_: Any) -> Any:
        """Return the fields that are there, of all keys."""
        from tensordict import TensorDict

        found = {name: self._fields[name] for name in select_fields if name in self._fields}
        return TensorDict(pickle.loads(pickle.dumps(found)), batch_size=len(keys))

    def kv_batch_put(self, fields: Any, **_: Any) -> Any:
        """Keep fields."""
        self._fields |= pickle.loads(pickle.dumps(dict(fields.items())))
        return self.batch


def fields_of(lengths: Sequence[int], size: int) -> dict[str, Any]:
    """Return what the agent loops and the models have put there for completions of such lengths."""
    import torch
    from tensordict.tensorclass import NonTensorStack

    def nested(tensors: list[Any]) -> Any:
        return torch.nested.as_nested_tensor(tensors, layout=torch.jagged)

    whole = [PROMPT + length for length in lengths]
    scores = [torch.nn.functional.pad(torch.rand(1), (length - 1, 0)) for length in lengths]
    return {
        "uid": NonTensorStack(*(f"{n // size}" for n in range(len(lengths)))),
        "responses": nested([torch.randint(0, 150_000, (length,)) for length in lengths]),
        "response_mask": nested([torch.ones(length, dtype=torch.int64) for length in lengths]),
        "rm_scores": nested(scores),
        "rollout_log_probs": nested([-torch.rand(length) for length in lengths]),
        "log_probs": nested([-torch.rand(length) for length in whole]),
        "entropy": nested([torch.rand(length) for length in whole]),
    }


def cpu_ms(work: Callable[[], Any]) -> float:
    """Return the milliseconds of CPU that this thread needs for `work`."""
    start = time.thread_time()
    work()
    return 1000 * (time.thread_time() - start)
