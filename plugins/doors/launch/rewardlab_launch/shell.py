"""Commands on this machine or, by ssh, on the login node of a cluster."""

import io
import os
import shlex
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rewardlab.errors import JobError, UserError
from rewardlab.text import redact

LIMIT_S = 300
LINES = 200
"""of each of the newest logs, which `launch logs` shows"""


@dataclass(frozen=True)
class Shell:
    """A shell on `host`, or here, where its commands get `variables` besides."""

    host: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(
        self, words: Sequence[str], given: bytes = b"", *, fails: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command and return how it ended; JobError with its words if it fails, unless that may be."""
        command = [*words] if self.host is None else ["ssh", "-o", "BatchMode=yes", self.host, shlex.join(words)]
        try:
            ended = subprocess.run(
                command,
                input=given,
                capture_output=True,
                timeout=LIMIT_S,
                check=False,
                env={**os.environ, **self.variables},
            )
        except FileNotFoundError as error:
            raise UserError(
                f"there is no {command[0]!r} on this machine, which this scheduler is reached by"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise JobError(f"{shlex.join(command)} has not ended within {LIMIT_S} s") from error
        if fails and ended.returncode:
            said = " ".join(redact((ended.stderr or ended.stdout).decode(errors="replace")).split())
            raise JobError(f"{shlex.join(command)[:300]} ended with code {ended.returncode}: {said[:1000]}")
        return ended

    def text(self, words: Sequence[str]) -> str:
        """Return what a command prints."""
        return self.run(words).stdout.decode(errors="replace")

    def script(self, text: str, *, fails: bool = True) -> subprocess.CompletedProcess[bytes]:
        """Run a few lines of bash."""
        return self.run(["bash", "-c", text], fails=fails)

    def write(self, folder: str, files: Mapping[str, str]) -> None:
        """Write files into a folder there, all of them or none that counts."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for name, text in files.items():
                data = text.encode()
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(data), 0o644
                archive.addfile(entry, io.BytesIO(data))
        self.run(["tar", "-x", "-C", folder], packed.getvalue())
