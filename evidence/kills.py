"""Kill the process of each host of a reward at random moments, and see what the next one makes of what it left.

    python evidence/kills.py                          # score, judge, compare, serve, python: 65 kills of each
    python evidence/kills.py --host trl --kills 20    # an environment with trl
    python evidence/kills.py --host script ray        # one with ray and rewardlab-openrlhf

Each asks a judge behind HTTP for pairwise verdicts, beside a reward in a process of its own. A job that was killed by
SIGKILL is started again, as its page says, until it ends; then there is a new one, until there were enough kills. What
must hold: it ends with what a job has that nobody killed, to the byte; no more answers were paid for twice than were
on their way at a kill; no process is left behind. Then the same with a budget of half of what is needed, which all
attempts together may not pass (compare and python have no budget beyond their process). The exit code is 1 if
something does not hold.
"""

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from judge_server import JudgeServer, Serving
from kill_hosts import HOSTS, IN_FLIGHT, LATENCY, Host
from kill_ray import trial as ray_trial

LIMIT_S = 300.0
"""for an attempt that nobody kills"""
POLL_S = 0.01
BY_TIME = 0.3
"""the share of kills after some seconds, which may be before anything is asked; others come after some answers"""
MAX_ANSWERS = 100


class Attempts:
    """Attempts of one job after another in a folder, against one judge server."""

    def __init__(self, host: Host, folder: Path, server: JudgeServer, chance: random.Random) -> None:
        self._host, self._folder, self._server, self._chance = host, folder, server, chance
        self.kills = 0
        self.while_asking = 0
        """kills at which questions were on their way"""
        self.left_behind: list[str] = []

    def run(self, most_kills: int, longest: float) -> subprocess.CompletedProcess[str]:
        """Start the job again and again, until it ends by itself; none is killed after so many kills."""
        while True:
            process = self._host.start(self._folder)
            is_over = self._moment(longest) if self.kills < most_kills else self._after(LIMIT_S)
            while True:
                try:
                    out, err = process.communicate(timeout=POLL_S)
                except subprocess.TimeoutExpired:
                    if not is_over():
                        continue
                    if self.kills >= most_kills:
                        raise
                    self._kill(process)
                    break
                ended = subprocess.CompletedProcess([], process.returncode, out, err)
                return self._host.ended(self._folder, ended)

    def _moment(self, longest: float) -> Callable[[], bool]:
        """Return what says when an attempt is killed: after some seconds, or after some more answers."""
        if self._chance.random() < BY_TIME:
            return self._after(self._chance.uniform(0, longest))
        answers = self._server.answered + self._chance.randint(1, MAX_ANSWERS)
        end = self._after(LIMIT_S)
        return lambda: self._server.answered >= answers or end()

    def _after(self, seconds: float) -> Callable[[], bool]:
        end = time.monotonic() + seconds
        return lambda: time.monotonic() >= end

    def _kill(self, process: Any) -> None:
        children = psutil.Process(process.pid).children(recursive=True)
        self.while_asking += self._server.under_way > 0
        process.kill()
        process.communicate()
        self.kills += 1
        _, alive = psutil.wait_procs(children, timeout=60)
        for child in alive:
            self.left_behind.append(str(child))
            child.kill()


@contextmanager
def job(host: Host, root: Path, chance: random.Random, budget: int | None = None) -> Iterator[tuple[Path, JudgeServer]]:
    """A new folder with what a job reads, and its judge."""
    with tempfile.TemporaryDirectory(dir=root) as name, Serving(JudgeServer(latency=LATENCY)) as server:
        host.prepare(Path(name), server.url, budget)
        yield Path(name), server


def trial(host: Host, kills: int, root: Path, chance: random.Random) -> bool:
    """Kill jobs of a host so many times; say what was seen, and return whether all held."""
    problems: list[str] = []
    with job(host, root, chance) as (folder, server):
        begin = time.monotonic()
        attempts = Attempts(host, folder, server, chance)
        ended = attempts.run(0, 0)
        took = time.monotonic() - begin
        assert ended.returncode == 0, ended.stderr
        wanted, questions, tokens = host.outcome(folder), len(server.paid), server.tokens
        assert sum(server.paid.values()) == questions
    killed = jobs = twice = asking = 0
    while killed < kills:
        with job(host, root, chance) as (folder, server):
            attempts = Attempts(host, folder, server, chance)
            ended = attempts.run(kills - killed, took)
            killed, asking, jobs = killed + attempts.kills, asking + attempts.while_asking, jobs + 1
            again = sum(server.paid.values()) - len(server.paid)
            twice += again
            if ended.returncode:
                problems.append(f"job {jobs} ended with {ended.returncode}: {ended.stderr[-2000:]}")
            elif host.outcome(folder) != wanted:
                kept = shutil.copytree(folder, root.parent / f"differs-{host.name}-{jobs}", dirs_exist_ok=True)
                problems.append(f"job {jobs} ended with something else: {kept}")
            if len(server.paid) != questions or again > attempts.kills * (IN_FLIGHT + host.probes):
                problems.append(f"job {jobs} paid for {len(server.paid)} questions and {again} again")
            problems += attempts.left_behind
    say(
        f"{host.name}: {killed} kills, {asking} with questions on their way, in {jobs} jobs of {took:.1f} s; "
        f"{twice} of {questions * jobs} answers paid twice"
    )
    if host.keeps_budget:
        problems += budget_trial(host, max(1, kills // 4), tokens // 2, took, root, chance)
    for problem in problems:
        say(f"  PROBLEM {problem}")
    return not problems


def budget_trial(host: Host, kills: int, budget: int, took: float, root: Path, chance: random.Random) -> Sequence[str]:
    """Kill jobs whose budget does not suffice; return what did not hold."""
    problems, killed, spent = [], 0, []
    while killed < kills:
        with job(host, root, chance, budget) as (folder, server):
            attempts = Attempts(host, folder, server, chance)
            ended = attempts.run(min(5, kills - killed), took / 2)
            killed += attempts.kills
            spent.append(server.tokens / budget)
            if ended.returncode == 0 or "is used up" not in ended.stdout + ended.stderr:
                problems.append(f"a budget that does not suffice ended with {ended.returncode}: {ended.stderr[-2000:]}")
    if max(spent) > 1:
        problems.append(f"a budget was passed: {max(spent):.3f} of it")
    say(f"  with a budget: {killed} kills in {len(spent)} jobs; {min(spent):.0%} to {max(spent):.0%} of it was spent")
    return problems


def say(line: str) -> None:
    """Print a line now."""
    print(line, flush=True)


def main() -> int:
    """Try the hosts; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    plain = [host.name for host in HOSTS.values() if host.everywhere]
    parser.add_argument("--host", nargs="+", choices=[*HOSTS, "ray"], default=plain)
    parser.add_argument("--kills", type=int, default=65)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    held = True
    with tempfile.TemporaryDirectory(prefix="kills_", dir="/tmp") as root:  # Ray's socket paths may not be long
        for name in options.host:
            chance = random.Random(f"{options.seed} {name}")
            if name == "ray":
                held &= ray_trial(options.kills, Path(root), chance, say)
            else:
                held &= trial(HOSTS[name], options.kills, Path(root), chance)
    return 0 if held else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
