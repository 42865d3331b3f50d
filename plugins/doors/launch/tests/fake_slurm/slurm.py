"""A small Slurm: sbatch, srun, scontrol, squeue, sacct and scancel on one machine, as scripts of launch rely on them.

Each is a file of that name on PATH that runs `slurm.py NAME ...`. State is in the folder $FAKE_SLURM: `nodes.json`,
which a test writes (name -> the words by which one gets onto that node), and a folder for each job. The daemon is
`controller`: it starts a process for each job, which waits for what the job depends on, runs its script and its steps,
sends signals and keeps the limit. `preempt` is what a partition may do to a job: SIGTERM to the steps, then
everything of the job is killed.

Like the real one it hands neither signals nor limits down by itself, knows no job that was not submitted, refuses
options that it does not know, keeps the variables that a job was submitted with, and has one step at a time on a node.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

STATE = Path(os.environ["FAKE_SLURM"])
ENDED = ("COMPLETED", "FAILED", "TIMEOUT", "PREEMPTED", "CANCELLED")
MINUTE_S = float(os.environ.get("FAKE_SLURM_MINUTE_S", 60))
KILL_WAIT_S = 2.0
LOOK_S = 0.1


# --- State: a folder a job, a file a fact


def facts(job):
    return STATE / "jobs" / str(job)


def fact(job, name, default=None):
    try:
        return json.loads((facts(job) / name).read_text())
    except FileNotFoundError:
        return default


def note(job, name, value):
    scratch = facts(job) / f".{name}.{os.getpid()}"
    scratch.write_text(json.dumps(value))
    scratch.replace(facts(job) / name)


def nodes():
    return json.loads((STATE / "nodes.json").read_text())


# --- sbatch


def batch_options():
    parser = argparse.ArgumentParser("sbatch")
    for name in ("job-name", "output", "open-mode", "signal", "account", "partition", "qos", "time", "nodes", "array"):
        parser.add_argument(f"--{name}")
    for name in ("ntasks-per-node", "gpus-per-node", "cpus-per-task", "mem", "dependency", "kill-on-invalid-dep"):
        parser.add_argument(f"--{name}")
    for name in ("requeue", "exclusive", "parsable", "test-only"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser


def sbatch(words):
    parser = batch_options()
    parser.add_argument("script")
    given = parser.parse_args(words)
    lines = [m[1] for line in Path(given.script).read_text().splitlines() if (m := re.match(r"#SBATCH (.+)", line))]
    groups = [[]]
    for line in lines:
        groups.append([]) if line == "hetjob" else groups[-1].extend(shlex.split(line))
    options = [vars(batch_options().parse_args(group)) for group in groups]
    options[0]["job_name"] = given.job_name or options[0]["job_name"]
    if sum(int(each["nodes"]) for each in options) > len(nodes()):
        sys.exit("sbatch: error: Batch job submission failed: Requested node configuration is not available")
    if not Path(options[0]["output"]).parent.is_dir():
        sys.exit("sbatch: error: the folder of --output is not there")  # the real one fails later, and says nothing
    if given.test_only:
        return
    taken = STATE / "jobs"
    taken.mkdir(exist_ok=True)
    job = max([100, *(int(path.name.partition("_")[0]) for path in taken.iterdir())]) + 1
    for each in tasks(job, options[0]["array"]):
        facts(each).mkdir()
        spool = facts(each) / "script"
        spool.write_bytes(Path(given.script).read_bytes())
        note(each, "options", options)
        note(each, "dependency", given.dependency)
        note(each, "state", "PENDING")
        note(each, "environment", {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")})
        (facts(each) / "new").touch()
    print(job)


def tasks(job, array):
    """The names of a job's tasks, which are jobs of their own; its own name if it is no array."""
    if array is None:
        return [str(job)]
    first, last = map(int, array.split("-"))
    return [f"{job}_{task}" for task in range(first, last + 1)]


def tasks_there(names):
    """The jobs that were submitted, of names of which those of an array mean all of its tasks."""
    for name in names:
        yield from sorted(path.name for path in STATE.glob(f"jobs/{name}_*"))
        if facts(name).is_dir():
            yield name


# --- The daemon, and the process of a job


def controller(words):
    """Start the process of each new job, until this one is killed."""
    while True:
        for new in STATE.glob("jobs/*/new"):
            new.unlink()
            number = new.parent.name
            command = [sys.executable, __file__, "job", number]
            subprocess.Popen(command, env=fact(number, "environment"), start_new_session=True)
        time.sleep(LOOK_S)


def seconds(limit):
    days, _, clock = limit.rpartition("-")
    hours, minutes, rest = map(int, clock.split(":"))
    return ((int(days or 0) * 24 + hours) * 3600 + minutes * 60 + rest) / 60 * MINUTE_S


def job(words):
    number = words[0]
    if (dependency := fact(number, "dependency")) is not None:
        kind, _, other = dependency.partition(":")
        assert kind == "afternotok", dependency
        while (state := fact(other, "state")) not in ENDED:
            if fact(number, "cancelled"):
                return note(number, "state", "CANCELLED")
            time.sleep(LOOK_S)
        if state == "COMPLETED":
            return note(number, "state", "CANCELLED")  # --kill-on-invalid-dep
    restarts = 0
    while (state := one_start(number, restarts)) == "REQUEUED":
        restarts += 1
    return note(number, "state", state)


def one_start(number, restarts):
    """Run the script once; return the state in which it has ended."""
    if fact(number, "cancelled"):
        return "CANCELLED"
    options = fact(number, "options")
    for name in ("requeue", "preempt"):
        (facts(number) / name).unlink(missing_ok=True)
    left, lists = [*nodes()], []
    for group in options:
        lists.append(",".join(left[: int(group["nodes"])]))
        left = left[int(group["nodes"]) :]
    variables = {"SLURM_JOB_ID": number, "SLURM_JOB_NODELIST": lists[0], "SLURM_JOB_NAME": options[0]["job_name"]}
    if len(lists) > 1:
        variables |= {f"SLURM_JOB_NODELIST_HET_GROUP_{index}": names for index, names in enumerate(lists)}
    of_job = {f"SLURM_{name.upper()}": options[0][name] for name in ("gpus_per_node", "cpus_per_task")}
    variables |= {name: value for name, value in of_job.items() if value is not None}
    if restarts:
        variables["SLURM_RESTART_COUNT"] = str(restarts)
    array, _, task = number.partition("_")
    if task:
        variables |= {"SLURM_ARRAY_JOB_ID": array, "SLURM_ARRAY_TASK_ID": task}
    output = options[0]["output"].replace("%j", number).replace("%A", array).replace("%a", task)
    begun = time.time()
    note(number, "limit", seconds(options[0]["time"]))
    note(number, "state", "RUNNING")
    note(number, "begun", [*fact(number, "begun", []), begun])
    first = nodes()[lists[0].split(",")[0]]
    with open(output, "ab") as log:
        script = subprocess.Popen(
            [*first, "bash", str(facts(number) / "script")],
            env={**os.environ, **variables},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    state = watched(number, script, begun, options[0]["signal"], Steps(number, output))
    kill_all(number, script)
    note(number, "elapsed", [*fact(number, "elapsed", []), int((time.time() - begun) * 60 / MINUTE_S)])
    return state


def watched(number, script, begun, warning, steps):
    """Wait for the end of the script, and send it what it is due."""
    kind, _, before = warning.rpartition("@")
    assert kind == "B:USR1", warning
    warned = False
    while script.poll() is None:
        steps.look()
        ran, limit = time.time() - begun, fact(number, "limit")
        if fact(number, "cancelled"):
            ended(number, script, "CANCELLED", steps)
            return "CANCELLED"
        if fact(number, "preempt") or fact(number, "requeue"):
            how = "REQUEUED" if fact(number, "requeue") else "PREEMPTED"
            ended(number, script, how, steps)
            return how
        asked = fact(number, "signal")
        if asked or (not warned and ran > limit - int(before) / 60 * MINUTE_S):
            warned = True
            (facts(number) / "signal").unlink(missing_ok=True)
            os.kill(script_itself(script), signal.SIGUSR1)
        if ran > limit:
            ended(number, script, "TIMEOUT", steps)
            return "TIMEOUT"
        time.sleep(LOOK_S)
    note(number, "exit", script.returncode)
    if fact(number, "requeue"):  # counts at once, however the script goes on
        return "REQUEUED"
    return "COMPLETED" if script.returncode == 0 else "FAILED"


def script_itself(script):
    """The shell that runs the script, also where its node is entered by another program."""
    for process in [psutil.Process(script.pid), *psutil.Process(script.pid).children(recursive=True)]:
        if process.cmdline()[:1] == ["bash"] and process.cmdline()[-1].endswith("/script"):
            return process.pid
    return script.pid


def ended(number, script, why, steps):
    """SIGTERM for the steps, and for the script unless it is preempted; then some time."""
    note(number, "exit", 15)
    steps.signal_all(signal.SIGTERM)
    if why not in ("PREEMPTED", "REQUEUED"):
        with suppress(ProcessLookupError):
            os.kill(script_itself(script), signal.SIGTERM)
    end = time.time() + KILL_WAIT_S
    while time.time() < end and script.poll() is None:
        steps.look()
        time.sleep(LOOK_S)


class Steps:
    """The steps of a job, as the daemons of its nodes start them: srun asks by a file, and its answer is one."""

    def __init__(self, number, log):
        self._folder, self._log = facts(number) / "steps", log
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self._tasks, self._first_end = {}, {}

    def look(self):
        for file in self._folder.glob("*.asked"):
            asked = json.loads(file.read_text())
            if file.stem not in self._tasks and not self._taken & {*asked["names"]}:
                self._tasks[file.stem] = self._start(asked)
        for step, (tasks, kill, wait) in self._tasks.items():
            if (self._folder / f"{step}.term").exists():
                (self._folder / f"{step}.term").unlink()
                signal_tasks(tasks, signal.SIGTERM)
            if kill and any(task.poll() for task in tasks):
                self._tasks[step] = tasks, False, wait
                signal_tasks(tasks, signal.SIGTERM)
            if wait and any(task.poll() is not None for task in tasks):
                since = self._first_end.setdefault(step, time.time())
                if time.time() > since + wait:
                    signal_tasks(tasks, signal.SIGKILL)
            if all(task.poll() is not None for task in tasks):
                codes = [task.returncode if task.returncode >= 0 else 128 - task.returncode for task in tasks]
                publish(self._folder / f"{step}.exit", str(max(codes)))

    @property
    def _taken(self):
        """The nodes with a step: it has all the memory of the job there, for which another one waits."""
        live = [step for step, (tasks, *_) in self._tasks.items() if any(task.poll() is None for task in tasks)]
        return {name for step in live for name in json.loads((self._folder / f"{step}.asked").read_text())["names"]}

    def signal_all(self, number):
        for tasks, *_ in self._tasks.values():
            signal_tasks(tasks, number)

    def _start(self, asked):
        tasks = []
        with open(asked["output"] or self._log, "ab") as output:
            for rank, name in enumerate(asked["names"]):
                variables = {"SLURM_PROCID": str(rank), "SLURM_NODEID": str(rank), "SLURMD_NODENAME": name}
                task = subprocess.Popen(
                    [*nodes()[name], *asked["command"]],
                    env={**asked["environment"], **variables},
                    cwd=asked["folder"],
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
                tasks.append(task)
        return tasks, asked["kill_on_bad_exit"], asked["wait"]


def signal_tasks(tasks, number):
    """To every process of the tasks, as to those of a cgroup."""
    for task in tasks:
        with suppress(psutil.NoSuchProcess):
            of_task = psutil.Process(task.pid)
            for process in [of_task, *of_task.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    if process.name() != "nsenter":  # the way to a node is no part of a step
                        process.send_signal(number)


def publish(path, text):
    scratch = path.with_suffix(f".{os.getpid()}")
    scratch.write_text(text)
    scratch.replace(path)


def kill_all(number, script):
    """As a cgroup does: nothing of the job is left on any node. Nodes' own first processes stay."""
    of_job = {f"SLURM_JOB_ID={number}".encode(), f"FAKE_SLURM={STATE}".encode()}  # another test may have this number
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if of_job <= {*Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")}:
                process.kill()
    script.wait()


# --- srun, within a job


def srun(words):
    parser = argparse.ArgumentParser("srun")
    for name in ("het-group", "nodes", "ntasks", "ntasks-per-node", "nodelist", "gres", "gpus-per-node", "output"):
        parser.add_argument(f"--{name}")
    for name in ("cpus-per-task", "kill-on-bad-exit", "container-image", "container-mounts", "wait", "cpu-bind"):
        parser.add_argument(f"--{name}")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args(words)
    for name in ("gpus_per_node", "cpus_per_task"):  # of the job; a step takes them, too
        if (of_job := os.environ.get(f"SLURM_{name.upper()}")) is not None and of_job != getattr(given, name):
            sys.exit(f"srun: fatal: --{name} and the job's own are not the same")
    number = os.environ["SLURM_JOB_ID"]
    group = f"SLURM_JOB_NODELIST_HET_GROUP_{given.het_group}"
    of_job = os.environ[group if given.het_group else "SLURM_JOB_NODELIST"].split(",")
    names = given.nodelist.split(",") if given.nodelist else of_job[: int(given.nodes or 1)]
    if unknown := [name for name in names if name not in of_job]:
        sys.exit(f"srun: error: {unknown} is not in this job's group")
    step = facts(number) / "steps" / f"{os.getpid()}-{time.monotonic_ns()}"
    asked = {"names": names, "command": given.command, "environment": dict(os.environ), "folder": os.getcwd()}
    asked |= {"output": given.output, "kill_on_bad_exit": bool(given.kill_on_bad_exit)}
    asked["wait"] = given.wait and int(given.wait)
    signal.signal(signal.SIGTERM, lambda heard, frame: Path(f"{step}.term").touch())
    publish(Path(f"{step}.asked"), json.dumps(asked))
    while not (answer := Path(f"{step}.exit")).exists():
        time.sleep(LOOK_S / 2)
    sys.exit(int(answer.read_text()))


# --- What asks, and what changes


def scontrol(words):
    if words[:2] == ["show", "hostnames"]:
        print("\n".join(words[2].split(",")))
    elif words[0] == "requeue":
        note(words[1], "requeue", True)
    elif words[0] == "update":
        given = dict(word.split("=", 1) for word in words[1:])
        note(given["JobId"], "limit", int(given["TimeLimit"]) * MINUTE_S)
    else:
        sys.exit(f"scontrol: error: {words}")


def scancel(words):
    options, numbers = [word for word in words if word[0] == "-"], [word for word in words if word[0] != "-"]
    if options:
        assert options == ["--signal=USR1", "--batch"], words
    for number in tasks_there(numbers):
        note(number, "signal" if options else "cancelled", True)


def preempt(words):
    note(words[0], "preempt", True)


def sacct(words):
    parser = argparse.ArgumentParser("sacct")
    for name in ("noheader", "parsable2", "allocations", "duplicates"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--jobs", required=True)
    parser.add_argument("--format", required=True)
    given = parser.parse_args(words)
    columns = given.format.split(",")
    if not given.noheader:
        print("|".join(columns))
    for number in tasks_there(given.jobs.split(",")):
        begun, elapsed = fact(number, "begun", []), fact(number, "elapsed", [])
        if len(begun) > len(elapsed):
            elapsed = [*elapsed, int((time.time() - begun[-1]) * 60 / MINUTE_S)]
        for each in elapsed or [0]:
            row = {"JobID": number, "State": fact(number, "state"), "ElapsedRaw": each, "Elapsed": each}
            row["ExitCode"] = f"{fact(number, 'exit', 0)}:0"
            print("|".join(str(row.get(column, "")) for column in columns))


def squeue(words):
    """What has ended is forgotten at once: the real one has it for MinJobAge, five minutes."""
    parser = argparse.ArgumentParser("squeue")
    parser.add_argument("--noheader", action="store_true")
    for name in ("jobs", "name", "states", "format"):
        parser.add_argument(f"--{name}")
    given = parser.parse_args(words)
    everything = sorted(path.name for path in STATE.glob("jobs/*"))
    there = [*tasks_there(given.jobs.split(","))] if given.jobs else everything
    there = [name for name in there if fact(name, "state") not in ENDED]
    if given.name:
        there = [name for name in there if fact(name, "options")[0]["job_name"] in given.name.split(",")]
    shown = {name.partition("_")[0] if given.format == "%F" else name: None for name in there}
    print("".join(f"{name:>10}\n" for name in shown), end="")


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2:])
