"""Commands on this machine or, by ssh, on the login node of a cluster."""

import io
import os
import shlex
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rewardlab.errors import JobError, UserError
from rewardlab.text import redact

LIMIT_S = 300
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "--")
SSH_FAILED = 255
"""the exit code of ssh for a connection that is none"""
LINES = 200
"""of each of the newest logs, which `launch logs` shows"""


@dataclass(frozen=True)
class Shell:
    """A shell on `host`, or here, where its commands get `variables` besides.

    On a host it is a login shell, which knows where sbatch and its like are.
    """

    host: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(
        self, words: Sequence[str], given: bytes = b"", *, fails: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command and return how it ended; JobError with its words if it fails, unless that may be."""
        command = [*words] if self.host is None else [*SSH, self.host, shlex.join(["bash", "-lc", shlex.join(words)])]
        try:
            ended = subprocess.run(
                command,
                input=given,
                capture_output=True,
                timeout=LIMIT_S,
                check=False,
                env={**os.environ, **self.variables},
            )
        except OSError as error:
            lacks = "there is no" if isinstance(error, FileNotFoundError) else f"{error.strerror}: cannot run"
            raise UserError(f"{lacks} {command[0]!r} on this machine, which this scheduler is reached by") from error
        except subprocess.TimeoutExpired as error:
            raise JobError(f"{self._named(words)} has not ended within {LIMIT_S} s") from error
        said = " ".join(redact((ended.stderr or ended.stdout).decode(errors="replace")).split())
        if self.host is not None and ended.returncode == SSH_FAILED:
            raise JobError(f"the connection to {self.host} by ssh has failed: {said[:1000] or 'ssh says nothing'}")
        if fails and ended.returncode:
            raise JobError(f"{self._named(words)} ended with code {ended.returncode}: {said[:1000]}")
        return ended

    def _named(self, words: Sequence[str]) -> str:
        return " ".join(shlex.join(words).split())[:300] + (f" on {self.host}" if self.host is not None else "")

    def text(self, words: Sequence[str]) -> str:
        """Return what a command prints."""
        return self.run(words).stdout.decode(errors="replace")

    def script(self, text: str, given: bytes = b"", *, fails: bool = True) -> subprocess.CompletedProcess[bytes]:
        """Run a few lines of bash."""
        return self.run(["bash", "-c", text], given, fails=fails)


@contextmanager
def before_submission() -> Iterator[None]:
    """Turn a JobError in this block into a UserError: there is no job yet that somebody would have to look for."""
    try:
        yield
    except JobError as error:
        raise UserError(f"{error}; nothing was submitted") from error


def packed(files: Mapping[str, str]) -> bytes:
    """Return files by name as `tar -x` reads them."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, text in files.items():
            data = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()
