"""The memory of a process: how much it takes, and whether freed memory goes back to the system."""

import os

GB, PAGE = 10**9, os.sysconf("SC_PAGE_SIZE")
RETURN_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(128 << 10)}
"""Has glibc give freed memory back at once, which saves a tenth of a lingua worker."""
KEEP_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(64 << 20), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
"""Keeps up to 64 MB that a model's layer frees for the next one; to fetch them anew takes as long as the arithmetic."""


def memory_taken(pid: int) -> int:
    """Return the bytes of memory that are a process's own, files apart; 0 if the system does not say (macOS)."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * PAGE
