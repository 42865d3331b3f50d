"""The program that runs one command and ends, with all its children, when stdin ends: that is, when its parent dies.

It is run by path: `python -I -S child.py LOCK COMMAND ...`. The command holds the file descriptor LOCK, too, so that
no other process begins to build while any part of it is alive.
"""

import os
import signal
import subprocess
import sys
import threading


def main() -> int:
    lock, *command = sys.argv[1:]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[int(lock)])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    return process.wait()


def _end_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
