"""One command of a build: its lines are logged without secrets, and it never outlives this process."""

import contextlib
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from rewardlab import redact

CHILD = Path(__file__).with_name("child.py")
LAST_LINES = 12


class CommandError(Exception):
    """The failure of a command, which ended with another code than 0; the text holds its last lines."""


OURS = (
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSAFEPATH",
    "PYTHONUSERBASE",
    "VIRTUAL_ENV",
    "PIP_PREFIX",
    "PIP_PYTHON",
    "PIP_REQUIREMENT",
    "PIP_ROOT",
    "PIP_TARGET",
    "PIP_USER",
    "UV_PREFIX",
    "UV_PROJECT_ENVIRONMENT",
    "UV_PYTHON",
    "UV_SYSTEM_PYTHON",
    "UV_TARGET",
)
"""Variables that a command does not get: they say where to install, or what a Python imports. All the rest of the
user's configuration counts."""


def run_command(
    command: Sequence[str],
    *,
    lock: int,
    log: IO[str],
    progress: Callable[[str], None],
    variables: Mapping[str, str],
    cwd: Path,
) -> None:
    """Run a command to its end; `progress` is called with each of its lines.

    Args:
        lock: a file descriptor that the command and its children hold. CommandError if it fails. The command also
            ends when this process ends or anything is raised here.
    """
    last: deque[str] = deque(maxlen=LAST_LINES)
    log.write(redact(f"$ {' '.join([*(f'{n}={v}' for n, v in variables.items()), *command])}\n"))
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(CHILD), str(lock), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**kept, **variables},
        cwd=cwd,
        encoding="utf-8",
        errors="backslashreplace",
        start_new_session=True,  # Ctrl-C goes to this process, which then ends the whole group
        pass_fds=[lock],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for line in process.stdout:
            line = redact(line.rstrip())
            log.write(line + "\n")
            log.flush()
            if line:
                last.append(line)
                progress(line.strip())
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()
        code = process.wait()
        process.stdout.close()
    if code:
        raise CommandError("\n".join(last) or f"it printed nothing and exited with code {code}")
