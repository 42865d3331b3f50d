"""One writer at a time: a file that a process holds while it writes what the file stands for."""

import fcntl
import os
from pathlib import Path


class FileLock:
    """A lock (flock) on `path`, let go by `close` or by the end of the process, however it ends."""

    def __init__(self, path: Path):
        """Take the lock; BlockingIOError where another process holds it."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise

    def fileno(self) -> int:
        """The lock's file descriptor; a child process that inherits it holds the lock, too."""
        return self._file

    def close(self) -> None:
        """Let others in; idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
