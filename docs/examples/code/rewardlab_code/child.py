"""The program that limits itself, then runs the files `code` and `test` of its folder.

`child.py PIPE WAYS SECONDS MEMORY FILE PARENT`: it writes "ready " to the pipe once all limits hold, or why not, and
after both files ran to their end the token that it then reads from stdin. So code that merely ends the process passes
nothing; code that knows this program can read the token and write it itself, as both run in one interpreter.
It ends with its parent, the process PARENT, and some seconds after SECONDS by the clock, unless the code undoes this.
WAYS are kept by the kernel, in any of which an audit hook of Python stands in where it is missing: "network", a network
namespace with nothing in it; "processes", no further process or thread, for which root becomes nobody.
"""

import ctypes
import math
import os
import resource
import signal
import sys

NOBODY = 65534
NEW_USER, NEW_NETWORK, NEW_IPC = 0x10000000, 0x40000000, 0x08000000  # of unshare(2)
DIES_WITH_PARENT = 1  # of prctl(2)
SPARE_S = 10
"""seconds by the clock beyond the limit; the host kills earlier, unless it was itself killed"""
REFUSED = ("socket.", "ctypes.", "os.exec", "os.fork", "os.posix_spawn", "subprocess.", "os.system")
"""audit events that are refused where the kernel keeps the code from a network or from processes in no way"""


def limit(ways: set[str], seconds: float, memory: int, file: int, parent: int) -> None:
    """Give up everything that the code is not to have. OSError where this cannot be done."""
    libc = ctypes.CDLL(None, use_errno=True)
    if "processes" in ways and os.geteuid() == 0:  # no limit of processes holds for root
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    if "network" in ways and libc.unshare(NEW_USER | NEW_NETWORK | NEW_IPC):
        raise OSError(ctypes.get_errno(), f"no network namespace: {os.strerror(ctypes.get_errno())}")
    # here, as who becomes another user or enters a namespace loses it
    if libc.prctl(DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot end with its parent")
    if os.getppid() != parent:
        raise OSError("its parent is gone")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(math.ceil(seconds) + SPARE_S)
    for name, most in (
        ("RLIMIT_CPU", math.ceil(seconds)),
        ("RLIMIT_AS", memory),
        ("RLIMIT_FSIZE", file),
        ("RLIMIT_NPROC", 1),
        ("RLIMIT_NOFILE", 64),
        ("RLIMIT_CORE", 0),
    ):
        resource.setrlimit(getattr(resource, name), (most, most))
    if ways != {"network", "processes"}:
        sys.addaudithook(refuse)


def refuse(event: str, _: object) -> None:
    """Raise for events that lead to a network or another process."""
    if event.startswith(REFUSED):
        raise PermissionError(f"{event} is not allowed here")


def main() -> None:
    pipe, ways, seconds, memory, file, parent = sys.argv[1:]
    try:
        limit(set(ways.split()), float(seconds), int(memory), int(file), int(parent))
    except (OSError, ValueError) as error:
        os.write(int(pipe), str(error).encode())
        return
    os.write(int(pipe), b"ready ")
    space = {"__name__": "generated"}
    for name in ("code", "test"):
        with open(name, encoding="utf-8") as stream:
            text = stream.read()
        exec(compile(text, name, "exec"), space)
    os.write(int(pipe), sys.stdin.buffer.read())


if __name__ == "__main__":
    main()
