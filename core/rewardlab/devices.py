"""Which torch device models of rewards run on, found out without torch."""

import ctypes
import os
from functools import cache

AUTO = "auto"


def resolve(device: str) -> str:
    """The device itself, or for "auto": "cuda" where this process may use an NVIDIA GPU, else "cpu"."""
    if device != AUTO:
        return device
    return "cpu" if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1") or not _gpus() else "cuda"


@cache
def _gpus() -> int:
    """Counted by NVML, which unlike CUDA itself leaves this process free to fork."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return 0
    count = ctypes.c_uint(0)
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return 0
    return count.value
