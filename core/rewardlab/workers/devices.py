"""The torch device that models of rewards run on, found out without torch."""

import ctypes
import os
from functools import cache

AUTO_DEVICE = "auto"


def resolve_device(device: str) -> str:
    """Return the device itself, or for "auto": "cuda" where this process may use an NVIDIA GPU, else "cpu"."""
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
