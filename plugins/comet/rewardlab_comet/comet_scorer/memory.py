"""How this process's memory is kept between batches."""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
LARGEST = 32 << 20  # bytes; glibc takes no greater threshold


def keep_freed() -> None:
    """Have malloc keep what a layer frees for the next one, instead of giving it back to the system each time.

    On a CPU a batch's tensors are some hundred kilobytes each; fetched anew from the system, page by page, they take
    as long as the arithmetic. At most about 64 MB are kept.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(M_MMAP_THRESHOLD, LARGEST)
        libc.mallopt(M_TRIM_THRESHOLD, 2 * LARGEST)
