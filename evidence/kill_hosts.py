"""The hosts of a reward that kills.py kills: how a job of each is prepared, started again, and what it ends with."""

import json
import multiprocessing
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

IN_FLIGHT, LATENCY = 4, 0.02
ROWS = 60
WORK = Path(__file__).with_name("kill_work.py")
TINY = {"use": "tiny", "hidden_size": 32, "heads": 2, "intermediate_size": 64}


@dataclass(frozen=True)
class Host:
    """A host of a reward.

    Args:
        prepare: writes what a job reads: (folder, the judge's address, its budget of tokens).
        command: of an attempt in a folder, the first or a later one.
        outcome: what a job that has ended leaves, by name.
        keeps_budget: over all attempts.
        probes: questions that each attempt asks anew, to see whether its judge answers.
        everywhere: in each environment, without an engine.
    """

    name: str
    prepare: Callable[[Path, str, int | None], None]
    command: Callable[[Path], Sequence[str]]
    outcome: Callable[[Path], Mapping[str, Any]]
    keeps_budget: bool = True
    probes: int = 0
    everywhere: bool = True

    def start(self, folder: Path) -> "subprocess.Popen[str]":
        """Start an attempt."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([sys.executable, *self.command(folder)], cwd=folder, **pipes)

    def ended(self, folder: Path, ended: "subprocess.CompletedProcess[str]") -> "subprocess.CompletedProcess[str]":
        """Return how an attempt ended that nobody killed."""
        return ended


class ServeHost(Host):
    """A server, beside which a client asks for the rewards of all rows and then ends it."""

    def start(self, folder: Path) -> "subprocess.Popen[str]":
        """Start the server again, and the client with the first."""
        server = super().start(folder)
        (folder / "server").write_text(str(server.pid))
        if not (folder / "client").exists():
            (folder / "client").touch()
            subprocess.Popen([sys.executable, str(WORK), "client"], cwd=folder)
        return server

    def ended(self, folder: Path, ended: "subprocess.CompletedProcess[str]") -> "subprocess.CompletedProcess[str]":
        """Return how the client ended, after which the server did."""
        if ended.returncode:
            return ended
        refused = folder / "refused"
        text = refused.read_text() if refused.exists() else ""
        return subprocess.CompletedProcess([], int(refused.exists()), ended.stdout, ended.stderr + text)


class ForkedHost(Host):
    """A command that is forked from a process which has imported torch and trl: most of the seconds of an attempt."""

    def start(self, folder: Path) -> "Forked":  # type: ignore[override]
        """Start an attempt."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["kill_preload"])
        return Forked(context.Process(target=forked, args=(folder, self.command(folder)[2:])), folder)


class Forked:
    """What `subprocess.Popen` is, of a forked process whose output goes into a file."""

    def __init__(self, process: Any, folder: Path) -> None:
        process.start()
        self._process, self._output, self.pid = process, folder / "output", process.pid

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end, and return what it printed; TimeoutExpired if it goes on."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired([], timeout or 0)
        return "", self._output.read_text()

    def kill(self) -> None:
        """Kill it by SIGKILL."""
        self._process.kill()

    @property
    def returncode(self) -> int:
        """Its exit code."""
        return self._process.exitcode


def forked(folder: Path, arguments: Sequence[str]) -> None:
    """Be the command line in a process of its own."""
    os.setsid()
    os.chdir(folder)
    output = os.open("output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    from rewardlab.cli import main

    sys.exit(main(list(arguments)))


# --- What jobs read


def judge(url: str, budget: int | None, **more: Any) -> dict[str, Any]:
    """Return the settings of a judge."""
    limits = {} if budget is None else {"budget": {"tokens": budget}}
    model = {"model": "m", "base_url": url, "max_tokens": 50}
    return {"use": "openai/chat", "with": model, "concurrency": IN_FLIGHT, **limits, **more}


def recipe(url: str, budget: int | None = None, **more: Any) -> dict[str, Any]:
    """Return a recipe whose rewards are in this process, in one of their own, and by a judge."""
    components = {
        "accuracy": {"use": "math/accuracy", "workers": 1},
        "boxed": {"use": "format/boxed"},
        "preference": {"use": "pairwise/win_rate", "with": {"judge": "main", "orders": "both"}},
    }
    reward = {"components": components, "total": "accuracy + boxed + preference"}
    return {"version": 1, "judges": {"main": judge(url, budget, **more)}, "reward": reward}


def texts(number: int) -> list[str]:
    """Return three answers that share 1, 2 and 3 numbers with the query, in an order that changes."""
    first = 100 * number
    answers = [f"\\boxed{{{first}}} {' '.join(map(str, range(first, first + length)))}." for length in (1, 2, 3)]
    random.Random(number).shuffle(answers)
    return answers


def row(number: int) -> dict[str, Any]:
    """Return a row of `score`."""
    first = 100 * number
    prompt = f"What are {first}, {first + 1} and {first + 2}?"
    return {"id": f"r{number}", "prompt": prompt, "answer": str(first), "completions": texts(number)}


def pair(number: int) -> dict[str, Any]:
    """Return a row of `judge`, with gold."""
    made = row(number)
    best, *others = sorted(made.pop("completions"), key=len, reverse=True)
    return {**made, "chosen": best, "rejected": others[number % 2], "language": ("de", "sw")[number % 2]}


def write(folder: Path, rows: Sequence[Mapping[str, Any]], **recipes: Mapping[str, Any]) -> None:
    """Write rows.jsonl and recipes by their names; JSON is YAML."""
    (folder / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    for name, content in recipes.items():
        (folder / f"{name}.yaml").write_text(json.dumps(content))


def scored(folder: Path, url: str, budget: int | None) -> None:
    """Prepare what keeps its judges' answers by itself."""
    write(folder, [row(number) for number in range(ROWS)], r=recipe(url, budget))


def judged(folder: Path, url: str, budget: int | None) -> None:
    write(folder, [pair(number) for number in range(2 * ROWS)], r=recipe(url, budget))


def with_cassette(folder: Path, url: str, budget: int | None) -> None:
    """Prepare what keeps its judges' answers in a cassette alone; b.yaml asks the same as r.yaml."""
    tape = {"cassette": {"path": str(folder / "tape.jsonl")}}
    both = [recipe(url, budget, **tape) for _ in "ab"]
    both[1]["reward"]["total"] = "accuracy + boxed - preference"
    write(folder, [row(number) for number in range(ROWS)], r=both[0], b=both[1])


def served(folder: Path, url: str, budget: int | None) -> None:
    scored(folder, url, budget)
    with socket.create_server(("127.0.0.1", 0)) as free:
        (folder / "port").write_text(str(free.getsockname()[1]))


def trained(folder: Path, url: str, budget: int | None) -> None:
    rl = {"use": "rl", "algorithm": "grpo", "group_size": 4, "batch_size": 2, "epochs_per_batch": 2, "steps": 8}
    rl |= {"micro_batch_size": 2, "max_new_tokens": 8, "learning_rate": 1e-3, "save_every": 2}
    rl |= {"kl": {"coef": 0.1}, "eval": {"samples": 2, "prompts": 2}, "eval_every": 3}
    content = {
        **recipe(url, budget),
        "model": TINY,
        "dataset": {"use": "data/jsonl", "with": {"path": str(folder / "rows.jsonl")}, "holdout": 0.1},
        "stages": [rl],
    }
    rows = [{key: value for key, value in row(number).items() if key != "completions"} for number in range(ROWS)]
    write(folder, rows, r=content)


# --- What they are started with, and leave


def command(name: str, *arguments: str) -> Callable[[Path], Sequence[str]]:
    """Return what makes the arguments of a command of ours."""
    return lambda _: ["-m", "rewardlab.cli", name, *arguments]


def work(name: str) -> Callable[[Path], Sequence[str]]:
    """Return what makes the arguments of a script of kill_work.py."""
    return lambda _: [str(WORK), name]


def compare(folder: Path) -> Sequence[str]:
    (folder / "out.jsonl").unlink(missing_ok=True)  # what it had written is nothing to go on with
    return ["-m", "rewardlab.cli", "compare", "r.yaml", "b.yaml", "rows.jsonl", "-o", "out.jsonl"]


def run(folder: Path) -> Sequence[str]:
    begun = [path for path in (folder / "runs").glob("*") if (path / "recipe.resolved.yaml").exists()]
    return ["-m", "rewardlab.cli", "run", "r.yaml", *(["--resume", str(begun[-1])] if begun else [])]


def output(folder: Path) -> Mapping[str, Any]:
    return {"out.jsonl": (folder / "out.jsonl").read_bytes()}


def weights(folder: Path) -> Mapping[str, Any]:
    """Return weights, evaluations with every completion, and the rows of each step's last attempt."""
    [made] = [path for path in (folder / "runs").glob("*") if (path / "models").exists()]
    paths = [*made.glob("models/*/*.safetensors"), *made.glob("evaluation/*")]
    return {str(path.relative_to(made)): path.read_bytes() for path in paths} | last_rows(made / "ledger.jsonl")


def last_rows(ledger: Path, place: str = "step") -> Mapping[str, Any]:
    """Return what the last attempt that made a step, or a group, has in the ledger of it."""
    newest: dict[str, dict[int, list[Any]]] = {}
    for line in ledger.read_text().splitlines():
        made = json.loads(line)
        if made["trained"] != "no":
            attempts = newest.setdefault(str(made[place]), {})
            attempts.setdefault(made["attempt"], []).append((made["id"], made["completion"], made["total"]))
    return {at: newest[at][max(newest[at])] for at in sorted(newest)}


def serve(folder: Path) -> Sequence[str]:
    port = (folder / "port").read_text()
    return ["-m", "rewardlab.cli", "serve", "r.yaml", "--port", port, "--state", "state", "--drain", "1"]


SCORED = ("r.yaml", "rows.jsonl", "-o", "out.jsonl", "--resume")
HOSTS = {
    host.name: host
    for host in (
        Host("score", scored, command("score", *SCORED), output),
        Host("judge", judged, command("judge", *SCORED), output),
        Host("compare", with_cassette, compare, output, keeps_budget=False),
        ServeHost("serve", served, serve, output),
        Host("python", with_cassette, work("python"), output, keeps_budget=False),
        Host(
            "script",
            scored,
            work("script"),
            lambda folder: last_rows(folder / "ours" / "ledger.jsonl", "id"),
            everywhere=False,
        ),
        ForkedHost("trl", trained, run, weights, probes=1, everywhere=False),
    )
}
