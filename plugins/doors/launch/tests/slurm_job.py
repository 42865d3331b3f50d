"""A job that was launched under the small Slurm: asked, waited for, read."""

import json
import subprocess
import time
from pathlib import Path


class Job:
    """A job that was launched."""

    def __init__(self, name, home, environment):
        self.name, self.home, self.environment = name, home, environment
        self.folder = home / "shared" / name

    def rewardlab(self, *words):
        return self.run("rewardlab", *words)

    def run(self, *words):
        ended = subprocess.run(
            [*map(str, words)], cwd=self.home, env=self.environment, capture_output=True, encoding="utf-8", timeout=120
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def states(self):
        """State by job, as Slurm accounts them."""
        jobs = ",".join(sorted(path.name for path in (Path(self.environment["FAKE_SLURM"]) / "jobs").iterdir()))
        rows = self.run("sacct", "--noheader", f"--jobs={jobs}", "--format=JobID,State").split()
        return dict(row.split("|") for row in rows)

    def until(self, what, limit=100):
        end = time.monotonic() + limit
        while not what():
            assert time.monotonic() < end, f"{self.states()}\n{self.logs()}"
            time.sleep(0.2)

    def wait(self, limit=100):
        """Wait by the files of the small Slurm: `sacct`, asked again and again, takes what the jobs compute with."""
        states = Path(self.environment["FAKE_SLURM"]).glob
        over = {"PENDING", "RUNNING"}.isdisjoint
        self.until(lambda: over(json.loads(path.read_text()) for path in states("jobs/*/state")), limit)
        return self.states()

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in sorted(self.folder.glob("logs/*.log")))

    def ledger(self):
        """The lines of the ledger by what they are about, without what tells attempts apart."""
        path = self.folder / "run" / "ledger.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        rows = [line for line in lines if "step" in line]
        anew = {"attempt": None, "group": None}  # which each attempt counts from 0
        return {(row["step"], row["id"], row["index"]): row | anew for row in rows}

    def has_trained(self, steps):
        return lambda: any(step >= steps for step, *_ in self.ledger())
