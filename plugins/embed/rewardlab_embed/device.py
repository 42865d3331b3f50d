"""Whether PyTorch has the device that the recipe names."""

import torch


class DeviceError(Exception):
    """There is no such device here; names those that there are."""


def usable(device: str) -> str:
    """The device, as it is. Raises DeviceError where nothing can be put on it."""
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        if isinstance(error, torch.OutOfMemoryError) or device in _there():  # it is there, and something is wrong
            raise
        raise DeviceError(f"device {device!r} is none that PyTorch has here: {', '.join(_there())}") from None
    return device


def _there() -> list[str]:
    found = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
    if len(found) > 1:
        found.insert(1, "cuda")
    return [*found, "mps"] if torch.backends.mps.is_available() else found
