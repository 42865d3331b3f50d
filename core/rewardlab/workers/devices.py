"""The torch device that models of rewards run on: found out without torch, and checked with it."""

import ctypes
import os
from functools import cache

AUTO_DEVICE = "auto"


def resolve_device(device: str) -> str:
    """Return the device itself, or for "auto": "cuda" if this process may use an NVIDIA GPU, else "cpu"."""
    if device != AUTO_DEVICE:
        return device
    return "cpu" if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1") or not _gpus() else "cuda"


@cache
def _gpus() -> int:
    """Count the GPUs by NVML, which unlike CUDA itself leaves this process free to fork."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return 0
    count = ctypes.c_uint(0)
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return 0
    return count.value


class DeviceError(Exception):
    """A device that PyTorch does not have here; the message names those that it has."""


def require_device(device: str) -> None:
    """Raise DeviceError unless PyTorch can put a tensor on the device."""
    import torch

    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        there = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
        there[1:1] = ["cuda"] * (len(there) > 1)
        there += ["mps"] * torch.backends.mps.is_available()
        if isinstance(error, torch.OutOfMemoryError) or device in there:  # it exists, but something is wrong
            raise
        raise DeviceError(f"PyTorch has no device {device!r} here; it has {', '.join(there)}") from None
