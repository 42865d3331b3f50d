"""The group of the trainer's rank 0 and the engines, met at a TCP store."""

from dataclasses import dataclass
from datetime import timedelta

from torch.distributed import TCPStore

PATIENCE = timedelta(seconds=120)


@dataclass
class StatelessProcessGroup:
    store: TCPStore
    rank: int
    world_size: int

    @classmethod
    def create(cls, host, port, rank, world_size):
        store = TCPStore(host, port, world_size, is_master=rank == 0, timeout=PATIENCE, wait_for_workers=False)
        return cls(store, rank, world_size)
