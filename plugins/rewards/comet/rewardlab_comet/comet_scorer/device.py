"""Check that PyTorch has the device that the recipe names."""

import torch


class UnknownDevice(Exception):
    """A device that PyTorch does not have here; the message names those that it has."""


def require_device(device: str) -> None:
    """Raise UnknownDevice unless PyTorch can put a tensor on the device."""
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        if isinstance(error, torch.OutOfMemoryError) or device in _available():  # it exists, but something is wrong
            raise
        raise UnknownDevice(f"PyTorch has no device {device!r} here; it has {', '.join(_available())}") from None


def _available() -> list[str]:
    devices = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
    if len(devices) > 1:
        devices.insert(1, "cuda")
    return [*devices, "mps"] if torch.backends.mps.is_available() else devices
