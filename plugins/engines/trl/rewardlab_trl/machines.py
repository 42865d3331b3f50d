"""The machines whose processes train a stage together: how they find each other, and what each starts.

On one machine they meet by a file. Of several, the first tells the others by a store at its address what to start, and
all see its run directory.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from rewardlab_trl.accelerate_options import count_of
from rewardlab_trl.options import Options

DEFAULT_PORT = 29500
STAGE = "rewardlab/stage"
"""the key under which the first machine says what the others are to start"""
LOST = "lost"
"""the file in a stage's folder in which another machine says that it has lost a process"""


@dataclass(frozen=True)
class Machines:
    """`count` machines with as many processes each, `processes` in all; the first of them is at `address`."""

    processes: int
    count: int = 1
    address: str = "127.0.0.1"
    port: int = DEFAULT_PORT

    @classmethod
    def of(cls, options: Options) -> "Machines":
        """Return the machines that the options name, of which `check` has found nothing wrong."""
        if options.machines == 1:
            return cls(options.ranks)
        config = options.accelerate or {}
        port = count_of(config, "main_process_port") or DEFAULT_PORT
        return cls(options.ranks, options.machines, str(config["main_process_ip"]), port)

    @property
    def each(self) -> int:
        """The number of processes on each of them."""
        return self.processes // self.count

    def numbers(self, machine: int) -> range:
        """Return the numbers of a machine's processes."""
        return range(machine * self.each, (machine + 1) * self.each)

    def meeting(self, folder: Path, number: int) -> Any:
        """Return the store by which all processes find each other; the first opens it at its address."""
        import torch.distributed as dist

        if self.count == 1:
            return dist.FileStore(str(folder / "meeting"), self.processes)
        return dist.TCPStore(self.address, self.port, is_master=number == 0, wait_for_workers=False)

    def next_stage(self, before: str) -> dict[str, Any]:
        """Wait until the first machine has a stage for the others in another folder than `before`, and return it."""
        import torch.distributed as dist

        while True:
            try:
                socket.create_connection((self.address, self.port), timeout=5).close()  # torch would print its trace
                store = dist.TCPStore(self.address, self.port, is_master=False, timeout=timedelta(seconds=5))
                stage: dict[str, Any] = json.loads(store.get(STAGE))
            except (RuntimeError, OSError):  # nobody is there yet
                stage = {"folder": before}
            if stage["folder"] != before:
                return stage
            time.sleep(0.5)

    def variables(self, number: int) -> Mapping[str, str]:
        """Return the variables by which torchrun tells a process which one it is."""
        threads = str(max(1, (os.cpu_count() or 1) // self.each))
        loopback = "lo0" if sys.platform == "darwin" else "lo"
        values = {
            "RANK": str(number),
            "LOCAL_RANK": str(number % self.each),
            "WORLD_SIZE": str(self.processes),
            "LOCAL_WORLD_SIZE": str(self.each),
            "MASTER_ADDR": self.address,
            "MASTER_PORT": str(self.port),  # accelerate wants one; they have met already
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", threads),
        }
        return values if self.count > 1 else {"GLOO_SOCKET_IFNAME": loopback, **_given("GLOO_SOCKET_IFNAME"), **values}


def _given(name: str) -> dict[str, str]:
    return {name: os.environ[name]} if name in os.environ else {}
