"""The address that `--on` takes for Ray: which cluster, how many hosts it gets, and what each of them reserves."""

import re
from dataclasses import dataclass, fields

from rewardlab.errors import UserError


@dataclass(frozen=True)
class RayAddress:
    """A cluster, and how many hosts it gets: "ray", "ray://HOST:10001", "ray,hosts=8,cpus=4,gpus=1".

    Args:
        cluster: as Ray takes it; None: RAY_ADDRESS, or the Ray that runs on this machine.
        hosts: 0 fills the cluster.
        cpus, gpus: that each host reserves; cpus 0: 4, or all of a smaller node.
    """

    cluster: str | None = None
    hosts: int = 0
    cpus: int = 0
    gpus: int = 0

    @classmethod
    def parse(cls, text: str) -> "RayAddress":
        """Return the address that --on gives. UserError if it is none."""
        cluster, *given = text.split(",")
        names = [field.name for field in fields(cls)][1:]
        numbers = dict[str, int]()
        for word in given:
            match = re.fullmatch(r"(\w+)=(\d{1,5})", word)
            if match is None or match[1] not in names:
                known = ", ".join(f"{name}=N" for name in names)
                raise UserError(f"{word!r} is none of {known}", where=f"--on {text}")
            numbers[match[1]] = int(match[2])
        if cluster == "ray":
            return cls(None, **numbers)
        if re.fullmatch(r"ray://[^/\s]+:\d+", cluster):
            return cls(cluster, **numbers)
        if re.match("https?://", cluster):
            job = f"send the command to this job server: ray job submit --address {cluster} -- rewardlab ... --on ray"
            raise UserError(job, where=f"--on {text}")
        raise UserError("an address is ray, for the cluster of this machine, or ray://HOST:10001", where=f"--on {text}")
