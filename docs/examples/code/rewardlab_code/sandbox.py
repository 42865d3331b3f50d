"""The host's side of the sandbox: one process for each test, and a proof at the start that the limits hold.

It runs `child.py`, which limits itself before it looks at any code. docs/plugin_examples.md, "A reward that waits",
says what that keeps out, and what not.
"""

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CHILD = Path(__file__).with_name("child.py")
PYTHON = getattr(sys, "_base_executable", sys.executable)
READY = b"ready "
WAYS = ("network processes", "network", "processes", "")
PROOFS = {
    "it runs code": ("import json, math, re, collections", True),
    "it has no network": ("import socket\nsocket.create_connection(('127.0.0.1', {port}))", False),
    "it starts no process": ("import os\nif os.fork() == 0:\n    os._exit(0)", False),
    "its memory is limited": ("kept = bytearray({memory})", False),
    "its files are limited": ("with open('f', 'wb') as f:\n    f.write(bytes({file}))", False),
    "it sees no variable": ("import os\nassert os.environ.get('REWARDLAB_CODE_PROOF')", False),
}
"""what a sandbox promises -> (code that tries it, whether the code is to pass)"""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a test may use: seconds of processor time, bytes of address space, bytes of its largest file."""

    seconds: float
    memory: int
    file: int


class SandboxError(Exception):
    """A sandbox that could not be set up; this says nothing about the code."""


class Sandbox:
    """Runs code and a test in processes of their own. ways: what the kernel keeps code from, see `child.py`."""

    def __init__(self, limits: Limits, ways: str):
        self._limits, self._ways = limits, ways

    def passes(self, code: str, test: str, seconds: float) -> bool:
        """Return whether the code and then the test run to their end within `seconds` and raise nothing.

        SandboxError where the process could not limit itself.
        """
        token = secrets.token_hex(16).encode()
        with _folder() as folder:
            os.chmod(folder, 0o777)  # as root, the child becomes nobody
            files = [Path(folder, name) for name in ("code", "test")]
            for file, text in zip(files, (code, test), strict=True):
                file.write_text(text, encoding="utf-8", errors="replace")
            output = self._run(folder, token, seconds)
        if not output.startswith(READY):
            raise SandboxError(
                f"the sandbox could not be set up: {output.decode(errors='replace') or 'it said nothing'}"
            )
        return output == READY + token

    def _run(self, folder: str, token: bytes, seconds: float) -> bytes:
        """Return what the child told: why it could not limit itself; else READY, and the token if the test passed."""
        limits = [self._limits.seconds, self._limits.memory, self._limits.file]
        read, write = os.pipe()
        process = subprocess.Popen(
            [PYTHON, "-I", "-S", str(CHILD), str(write), self._ways, *map(str, limits), str(os.getpid())],
            cwd=folder,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[write],
            start_new_session=True,
        )
        os.close(write)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(token, timeout=seconds)
            return b"".join(_chunks(read, process))
        finally:
            os.close(read)

    def prove(self) -> None:
        """Try what the sandbox promises; SandboxError where it does not hold."""
        import socket

        with socket.create_server(("127.0.0.1", 0)) as server, _variable("REWARDLAB_CODE_PROOF"):
            values = {"port": server.getsockname()[1], "memory": self._limits.memory, "file": self._limits.file + 1}
            for promise, (code, passes) in PROOFS.items():
                for name, value in values.items():
                    code = code.replace(f"{{{name}}}", str(value))
                if self.passes(code, "", max(self._limits.seconds, 10.0)) != passes:
                    raise SandboxError(f"the sandbox does not hold here: not so that {promise}")


def open_sandbox(limits: Limits) -> Sandbox:
    """Return the first sandbox that holds what it promises, best by the kernel, else inside Python, which is said.

    SandboxError where none does.
    """
    failures = []
    for ways in WAYS:
        sandbox = Sandbox(limits, ways)
        try:
            sandbox.prove()
        except SandboxError as error:
            failures.append(f"with the kernel's limits of {ways or 'nothing'}: {error}")
            continue
        if failures:
            lacking = " and ".join(way for way in WAYS[0].split() if way not in ways.split())
            print(f"code/tests: {lacking}: refused inside Python only, which hostile code gets around ({failures[0]})")
        return sandbox
    raise SandboxError("; ".join(failures))


def _chunks(read: int, process: subprocess.Popen) -> Iterator[bytes]:
    """Yield what stands in the pipe once the process and all that it started is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.set_blocking(read, False)
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(read, 4096):
            yield chunk


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """Yield an empty folder; what cannot be removed of it stays, as what code leaves there decides no score."""
    folder = tempfile.mkdtemp(prefix="rewardlab-code-")
    try:
        yield folder
    finally:
        # not by shutil, whose recursion ends at folders that lie a thousand deep
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(["rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False, timeout=60)


@contextlib.contextmanager
def _variable(name: str) -> Iterator[None]:
    os.environ[name] = str(time.time())
    try:
        yield
    finally:
        del os.environ[name]
