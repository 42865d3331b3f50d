"""The program that limits itself, then runs the files `code` and `test` of its folder.

`child.py PIPE WAYS SECONDS MEMORY FILE`: it writes "ready " to the pipe once all limits hold, or else why not, and
after both files ran to their end the token that it then reads from stdin. So code that ends the process passes nothing.
WAYS are kept by the kernel, in any of which an audit hook of Python stands in where it is missing: "network", a network
namespace with nothing in it; "processes", no further process or thread, for which root becomes nobody.
"""

import ctypes
import math
import os
import resource
import sys

NOBODY = 65534
NEW_USER, NEW_NETWORK, NEW_IPC = 0x10000000, 0x40000000, 0x08000000  # of unshare(2)
REFUSED = ("socket.", "ctypes.", "os.exec", "os.fork", "os.posix_spawn", "subprocess.", "os.system")
"""audit events that are refused where the kernel keeps the code from a network or from processes in no way"""


def limit(ways: set[str], seconds: float, memory: int, file: int) -> None:
    """Give up everything that the code is not to have. OSError where this cannot be done."""
    libc = ctypes.CDLL(None, use_errno=True)
    if "processes" in ways and os.geteuid() == 0:  # no limit of processes holds for root
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    if "network" in ways and libc.unshare(NEW_USER | NEW_NETWORK | NEW_IPC):
        raise OSError(ctypes.get_errno(), f"no network namespace: {os.strerror(ctypes.get_errno())}")
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
    pipe, ways, seconds, memory, file = sys.argv[1:]
    try:
        limit(set(ways.split()), float(seconds), int(memory), int(file))
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
