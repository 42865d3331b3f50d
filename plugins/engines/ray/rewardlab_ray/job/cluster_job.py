"""A stage's driver on a Ray cluster, by Ray's job API: submitted, followed, stopped after asking.

The machine that submits starts no Ray and keeps nothing but the run directory. What it sends is the run
directory without models and checkpoints; the driver puts it where every node sees it.
"""

import asyncio
import json
import logging
import math
import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rewardlab.concurrency import grace_s, sigterm_heard
from rewardlab.errors import JobError, UserError, one_line
from rewardlab.plan import Plan
from rewardlab_training import telemetry_variables

from rewardlab_ray.job.outer_job import RUNNING, outer_job
from rewardlab_ray.job.stage_log import StageLog
from rewardlab_ray.job_options import job_options
from rewardlab_ray.stage_task import stage_folder

STAYS_HERE = (
    "checkpoints",
    "models/[0-9]*",
    "engine/*/model*",
    "engine/*/recorded-*",
    "engine/*/undecided-*",
    "engine/*/received-*",
    "ledger.jsonl",
    "alarms.jsonl",
    "divergence.jsonl",
    "usage.jsonl",
    "logs",
    "lock",
    "report.html",
    "judges",
)
PAUSE_S = 2.0
READY_TRIES = 15
END_SPARE_S = 5.0
"""after the grace period, before Ray kills a job that was told to stop"""
PATIENCE_S = 300.0
"""a cluster that does not answer is asked again for as long as this, while the job runs there"""
RAYS_NEWS = ("ray.dashboard.modules.dashboard_sdk", "ray._private.runtime_env.packaging")
"""loggers that print on the terminal the package in which a job is sent"""
_ENV_REFERENCE = re.compile(r"\$\{\s*oc\.env\s*:\s*([A-Za-z_]\w*)")


def cluster_address(plan: Plan) -> str | None:
    """Return the address of the Ray cluster that jobs go to; None if they run on this machine."""
    return job_options(plan).address or os.environ.get("RAY_ADDRESS") or None


def folder_on_nodes(plan: Plan, run: Path) -> Path:
    """Return the folder in which the nodes keep the run's files."""
    storage = job_options(plan).engine.storage
    return run if storage is None else Path(storage) / run.name


def check_cluster(plan: Plan, address: str) -> None:
    """Raise UserError if no job could be sent: no client, no cluster, or a secret that is not set here."""
    try:
        import ray.job_submission  # noqa: F401
    except ImportError as error:
        raise UserError(
            f"jobs of a cluster need Ray's job client here ({one_line(error)}); pip install 'ray[default]', in the "
            "version of the cluster",
            where=_address_source(plan),
        ) from error
    if missing := [name for name in job_options(plan).secrets if not os.environ.get(name)]:
        where = plan.document.where(("backend", "secrets"))
        raise UserError(f"not set in this environment: {', '.join(missing)}", where=where)
    _client(plan, address)


def run_on_cluster(
    plan: Plan,
    driver: str,
    address: str,
    run: Path,
    name: str,
    attempt: int,
    arguments: Sequence[str],
    log: StageLog,
    say: Callable[[str], None],
    stop: threading.Event | None = None,
) -> int | None:
    """Submit stage `name`, or find the job that an earlier attempt left running, and follow it to its end.

    Returns its exit code; None if Ray does not know it. On an interrupt it asks whether to stop the job, and raises the
    interrupt again; by SIGTERM, the job is stopped without asking.

    Args:
        driver: the module to run.
    """
    client = _client(plan, address)
    for of_ray in RAYS_NEWS:
        logging.getLogger(of_ray).setLevel(logging.WARNING)
    note = stage_folder(run, name) / "job.json"
    job = _left_running(client, note)
    still_runs = job is not None
    job = job or f"{run.name}-{name}-{attempt}-{os.urandom(3).hex()}"
    try:
        if still_runs:
            say(f"job {job} still runs on {address}; following it")
        else:
            note.write_text(json.dumps({"address": address, "job": job}), encoding="utf-8")
            _submit(client, plan, driver, run, job, arguments)
            say(f"job {job} is submitted to {address}")
        ended = threading.Event()
        if stop is not None:
            threading.Thread(target=_stop_at, args=(client, job, say, stop, ended), daemon=True).start()
        try:
            code = _follow(client, job, log)
        finally:
            ended.set()
    except KeyboardInterrupt:
        _after_interrupt(client, job, say)
        raise
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
    if client.get_job_status(job).value == "STOPPED":
        raise JobError(f"job {job} was stopped on the cluster")
    return code


def _stop_at(client: Any, job: str, say: Callable[[str], None], stop: threading.Event, ended: threading.Event) -> None:
    """Stop the job once `stop` is set, without asking; return when it has ended."""
    while not ended.is_set():
        if stop.wait(PAUSE_S):
            _stop_job(client, job, say)
            return


def _after_interrupt(client: Any, job: str, say: Callable[[str], None]) -> None:
    if not sigterm_heard() and not _wants_stop(job):
        say(f"job {job} goes on; resume this run to follow it again")
        return
    _stop_job(client, job, say)
    _wait_for_end(client, job, say)


def _wait_for_end(client: Any, job: str, say: Callable[[str], None]) -> None:
    """Wait until a job that was told to stop has ended, for the grace period at most."""
    end = time.monotonic() + grace_s()
    while time.monotonic() < end:
        try:
            if client.get_job_status(job).value not in RUNNING:
                say(f"job {job} has stopped")
                return
        except Exception:  # of several kinds; it was told to stop, which is all that can be done here
            return
        time.sleep(PAUSE_S / 4)
    say(f"job {job} is still ending")


def _stop_job(client: Any, job: str, say: Callable[[str], None]) -> None:
    try:
        client.stop_job(job)
        say(f"job {job} is told to stop")
    except RuntimeError as error:  # it was never submitted, or the cluster is gone
        say(f"job {job} could not be stopped: {one_line(error)}")


def _client(plan: Plan, address: str) -> Any:
    from ray.job_submission import JobSubmissionClient

    try:
        return JobSubmissionClient(address)
    except Exception as error:  # for each kind of address another
        raise UserError(
            f"no Ray cluster answers at {address} ({one_line(error)}); its job server has an address such as "
            "http://head-node:8265",
            where=_address_source(plan),
        ) from error


def _address_source(plan: Plan) -> str:
    """Return where the cluster's address comes from, for messages."""
    return plan.document.where(("backend", "address")) if job_options(plan).address else "RAY_ADDRESS"


def _submit(client: Any, plan: Plan, driver: str, run: Path, job: str, arguments: Sequence[str]) -> None:
    there = str(folder_on_nodes(plan, run))
    command = ["python", "-m", driver, there, *arguments, "--sent", "."]
    if (outer := outer_job(client)) is not None:
        command += ["--outer-job", outer]
    if job_options(plan).engine.storage is not None:
        command.append("--store")
    environment = {"working_dir": str(run), "excludes": list(STAYS_HERE), "env_vars": _variables(plan)}
    for waited in range(READY_TRIES):
        try:
            client.submit_job(
                entrypoint=shlex.join(command),
                submission_id=job,
                runtime_env=environment,
                metadata={"rewardlab": run.name},
            )
            return
        except Exception as error:  # the client has no class of its own for what a cluster refuses
            if "try again later" not in str(error) or waited + 1 == READY_TRIES:
                raise UserError(f"the cluster refused the job: {one_line(error, 1000)}") from error
        time.sleep(PAUSE_S)  # its job server is up before the agent that starts jobs


def _variables(plan: Plan) -> dict[str, str]:
    """Return the job's variables, as they are here: the secrets, and those that the recipe reads by ${oc.env:...}."""
    read = _ENV_REFERENCE.findall(json.dumps(plan.document.raw))
    named = {name: os.environ[name] for name in (*job_options(plan).secrets, *read) if name in os.environ}
    # Ray kills 3 s after SIGTERM by itself, before the ledger and the judges' usage are closed
    grace = {"REWARDLAB_GRACE_S": f"{grace_s():g}", "RAY_JOB_STOP_WAIT_TIME_S": str(math.ceil(grace_s() + END_SPARE_S))}
    return telemetry_variables() | {"PYTHONUNBUFFERED": "1", "RAY_DEDUP_LOGS": "0"} | grace | named


def _left_running(client: Any, note: Path) -> str | None:
    """Return the job of an earlier attempt if it is still under way, else None."""
    try:
        job = json.loads(note.read_text(encoding="utf-8"))["job"]
        return job if client.get_job_status(job).value in RUNNING else None
    except (OSError, ValueError, LookupError, RuntimeError):
        return None


def _follow(client: Any, job: str, log: StageLog) -> int | None:
    """Take the job's log until it has ended; return its exit code, None if Ray does not know it."""
    follower = _LogFollower(log)
    lost_since = None
    while True:
        try:
            asyncio.run(follower.tail(client, job))
            if client.get_job_status(job).value not in RUNNING:
                follower.take_rest(client.get_job_logs(job))
                return getattr(client.get_job_info(job), "driver_exit_code", None)
            lost_since = None
        except Exception as error:  # a head node that is busy or restarts; the job may go on nevertheless
            lost_since = lost_since or time.monotonic()
            if time.monotonic() - lost_since > PATIENCE_S:
                problem = f"the cluster has not answered for {PATIENCE_S:.0f} s ({one_line(error)})"
                raise JobError(f"{problem}; job {job} may still run: resume this run to follow it") from error
        time.sleep(PAUSE_S)


class _LogFollower:
    """A reader of a job's log that remembers how far it is: each connection begins at the log's beginning."""

    def __init__(self, log: StageLog) -> None:
        self._log = log
        self._taken = 0

    async def tail(self, client: Any, job: str) -> None:
        """Take lines as they come, until the connection or the job ends."""
        passed, begun = 0, ""
        async for piece in client.tail_job_logs(job):
            begun += piece
            *lines, begun = begun.split("\n")
            for line in lines:
                passed += len(line) + 1
                if passed > self._taken:
                    self._taken = passed
                    self._log.take(line)

    def take_rest(self, whole: str) -> None:
        """Take what is left of the log of a job that has ended."""
        for line in whole[self._taken :].splitlines():
            self._log.take(line)
        self._taken = len(whole)


def _wants_stop(job: str) -> bool:
    """Ask whether to stop the job; without a terminal to ask at, yes."""
    if not sys.stdin.isatty():
        return True
    try:
        return input(f"\nstop job {job} on the cluster, too? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
    except KeyboardInterrupt:
        return sigterm_heard()
