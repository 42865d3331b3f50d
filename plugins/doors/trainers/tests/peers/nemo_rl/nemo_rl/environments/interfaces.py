"""The interface of environments, copied from nemo_rl/environments/interfaces.py of NVIDIA-NeMo/RL at 7ea279a."""

import abc
from typing import Generic, NamedTuple, TypeVar

from torch import Tensor

MetadataT = TypeVar("MetadataT")


class EnvironmentReturn(NamedTuple, Generic[MetadataT]):
    observations: list[dict[str, str]]
    metadata: list[MetadataT]
    next_stop_strings: list[list[str] | None] | list[None]
    rewards: Tensor | dict[str, Tensor]
    terminateds: Tensor
    answers: list[str | None] | None


class EnvironmentInterface(abc.ABC, Generic[MetadataT]):
    @abc.abstractmethod
    def step(self, message_log_batch, metadata): ...

    @abc.abstractmethod
    def global_post_process_and_metrics(self, batch): ...
