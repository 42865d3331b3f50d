"""What the miniatures share: `rewardlab` in a folder, a server while it runs, and what a run measured."""

import contextlib
import json
import os
import subprocess
import sys
import threading


def rewardlab(folder, *arguments, **environment):
    """What a command prints; the program ends where the command fails, and what it said stands above."""
    command = [sys.executable, "-m", "rewardlab.cli", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=os.environ | environment, stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        sys.exit(f"{' '.join(command[2:])} ended with {done.returncode}; what it said stands above")
    return done.stdout


def newest(folder, pattern):
    """The run directory that was written last."""
    return max(folder.glob(f"runs/{pattern}"), key=lambda run: run.stat().st_mtime)


@contextlib.contextmanager
def serving(server):
    """The address of a server that answers while the block lasts."""
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.url
        finally:
            server.shutdown()


def evaluations(run, stage):
    """The evaluations of a stage before and after its training."""
    return [
        json.loads((run / "evaluation" / f"{stage}-{when}.json").read_text("utf-8")) for when in ("before", "after")
    ]


def mean(evaluation, component):
    """The mean of a component over all prompts of an evaluation."""
    return evaluation["slices"][0]["means"][component]
