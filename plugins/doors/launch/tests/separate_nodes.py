"""Nodes that are machines of their own but for the disk: each has its processes, its network and its /tmp/ray.

They are Linux namespaces on this machine, joined by a bridge in a namespace that nothing else is in.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

NETWORK = "10.77.0"
# bash takes what processes leave behind, as the first process of a machine does
PREPARED = "mkdir -p /tmp/ray && mount -t tmpfs none /tmp/ray && ip link set lo up && { sleep infinity & wait; }"


def may_be_made() -> bool:
    """Whether this user may make namespaces here."""
    if not all(map(shutil.which, ("unshare", "nsenter", "ip", "pgrep"))):
        return False
    tried = ["unshare", "--net", "--pid", "--fork", "--mount", "true"]
    return subprocess.run(tried, capture_output=True).returncode == 0


@contextmanager
def separate_nodes(count: int) -> Iterator[dict[str, list[str]]]:
    """Yield the nodes: an address -> the words by which a command gets onto that node."""
    started = [subprocess.Popen(["unshare", "--net", "sleep", "infinity"], start_new_session=True)]
    try:
        bridge = ["nsenter", "-t", str(started[0].pid), "--net"]
        _until(lambda: _own_network(started[0].pid))
        _run([*bridge, "ip", "link", "add", "bridge", "type", "bridge"])
        _run([*bridge, "ip", "link", "set", "bridge", "up"])
        nodes = {}
        for number in range(1, count + 1):
            unshare = [
                "unshare",
                "--net",
                "--mount",
                "--uts",
                "--pid",
                "--fork",
                "--mount-proc",
                "bash",
                "-c",
                PREPARED,
            ]
            started.append(subprocess.Popen(unshare, start_new_session=True))
            first = _child(started[-1].pid)
            _run([*bridge, "ip", "link", "add", f"at{number}", "type", "veth", "peer", "name", f"of{number}"])
            _run([*bridge, "ip", "link", "set", f"at{number}", "master", "bridge", "up"])
            _run([*bridge, "ip", "link", "set", f"of{number}", "netns", str(first)])
            enter = ["nsenter", "-t", str(first), "--net", "--pid", "--mount", "--uts"]
            _run([*enter, "hostname", f"node{number}"])
            _run([*enter, "ip", "addr", "add", f"{NETWORK}.{number}/24", "dev", f"of{number}"])
            _run([*enter, "ip", "link", "set", f"of{number}", "up"])
            nodes[f"{NETWORK}.{number}"] = enter
        yield nodes
    finally:
        for process in reversed(started):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _run(words: list[str]) -> None:
    subprocess.run(words, check=True, capture_output=True)


def _own_network(pid: int) -> bool:
    return os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net")


def _child(pid: int) -> int:
    """The first process of the node, once all is prepared there."""
    _until(lambda: _children(pid) and _children(_children(pid)[0], "sleep"))
    return _children(pid)[0]


def _children(pid: int, name: str = "bash") -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid), "-x", name], capture_output=True, encoding="utf-8")
    return [*map(int, found.stdout.split())]


def _until(what, limit: float = 20.0) -> None:
    end = time.monotonic() + limit
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)
