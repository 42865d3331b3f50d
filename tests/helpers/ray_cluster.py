"""A real Ray cluster of two nodes on this machine, with its job server where jobs are sent to it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

UP = "Ray runtime started"
"""in what `ray start` prints, once a node is there"""


class Cluster:
    """A head and another node. address: of the job server. gcs: what Ray connects to. log: what Ray says of both.

    board: the port of the job server, or None for a cluster without one.
    """

    client = ""
    """the address of Ray's client server"""
    folder = Path()
    """where Ray has its sessions, with its logs"""

    def __init__(
        self, head: Sequence[str], other: Sequence[str], board: int | None, gcs: int, log: Path, options: Mapping
    ):
        self.address, self.gcs = board and f"http://127.0.0.1:{board}", f"127.0.0.1:{gcs}"
        self._other, self._log, self._options = other, log, options
        self._started: list[subprocess.Popen] = []
        try:
            self._start(head)
            if board is not None:
                _wait_for(board)
            self.add_node()
        except BaseException:
            self.end()
            raise

    def add_node(self) -> None:
        """Start a node beside the head, and wait for it."""
        self._start(self._other)

    def _start(self, command: Sequence[str]) -> None:
        """Start a node; on a busy machine Ray's own limit of 30 s may be too short, so up to three times."""
        for _ in range(3):
            self._log.write_text("")
            with self._log.open("a") as log:
                self._started.append(subprocess.Popen(command, stdout=log, stderr=log, **self._options))
            while self._started[-1].poll() is None:
                if UP in self._log.read_text():
                    return
                time.sleep(0.2)
            self._started.pop()
        raise AssertionError(f"Ray does not start: {self._log.read_text()[-2000:]}")

    def lose_node(self) -> None:
        """Kill the last node at once, with every process that it started."""
        node = self._started.pop()
        for process in [*psutil.Process(node.pid).children(recursive=True), node]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        node.wait()

    def end(self) -> None:
        """Leave nothing of the nodes."""
        for process in reversed(self._started):
            process.terminate()
        for process in self._started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def two_nodes(
    variables: Mapping[str, str], paths: Sequence[Path], logs: Path, cpus: int = 4, job_server: bool = True
) -> Iterator[Cluster]:
    """Yield a cluster of two nodes, of one fake GPU each; nothing of them is left afterwards.

    cpus: that each of them says it has. variables: of the nodes' processes. paths: what stands on their PYTHONPATH.
    logs: a folder. job_server: with Ray's dashboard, nine further processes, to which jobs are sent.
    """
    folder = Path(tempfile.mkdtemp(prefix="rc_", dir="/tmp"))  # short, for Ray's sockets
    environment = {**os.environ, **variables, "RAY_OVERRIDE_RESOURCES": json.dumps({"CPU": cpus, "GPU": 1})}
    found = [*map(str, paths), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment |= {"PYTHONPATH": os.pathsep.join(found), "HF_HOME": str(folder / "hf")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    ray = [str(Path(sys.executable).parent / "ray"), "start", "--disable-usage-stats", "--block"]
    gcs, board = _free_port(), _free_port() if job_server else None
    agents = [f"--dashboard-agent-listen-port={_free_port()}" for _ in range(2)]  # its default is one for all of a host
    shown = [f"--dashboard-port={board}", "--include-dashboard=true"] if job_server else ["--include-dashboard=false"]
    head = [*ray, agents[0], "--head", f"--port={gcs}", *shown]
    client = _free_port()
    head.append(f"--ray-client-server-port={client}")  # its default, too, and a head ends with its client server
    other = [*ray, agents[1], f"--address=127.0.0.1:{gcs}"]
    options = {"env": environment, "start_new_session": True}
    try:
        cluster = Cluster([*head, f"--temp-dir={folder}"], other, board, gcs, logs / "ray.log", options)
        cluster.client, cluster.folder = f"ray://127.0.0.1:{client}", folder
        try:
            yield cluster
        finally:
            cluster.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int, limit: float = 60.0) -> None:
    end = time.monotonic() + limit
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise AssertionError(f"nothing listens on port {port}")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
