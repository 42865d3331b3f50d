"""A `rewardlab run` that is itself a job of the cluster: the job that it submits ends with it, however it ends."""

import json
import os
import signal
import threading
import time
from contextlib import suppress
from typing import Any

from rewardlab.concurrency import grace_s

RUNNING = ("PENDING", "RUNNING")
LOOK_S = 2.0
_CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR"
"""the variable in which Ray's job server tells a job what it is"""


def outer_job(client: Any) -> str | None:
    """Return the job of the client's cluster that this process belongs to; None if it belongs to none."""
    try:
        job = json.loads(os.environ[_CONFIG])["metadata"]["job_submission_id"]
        return job if client.get_job_status(job).value in RUNNING else None
    except (LookupError, TypeError, ValueError, RuntimeError):  # no job, or one of another cluster
        return None


def end_with_job(job: str) -> None:
    """Let this process, a driver, end as by SIGTERM once the job `job` of its cluster is over."""
    from ray.job_submission import JobSubmissionClient

    def watch() -> None:
        client = None
        while True:
            time.sleep(LOOK_S)
            with suppress(Exception):  # a head node that is busy says nothing about the job
                client = client or JobSubmissionClient(os.environ["RAY_ADDRESS"])
                if client.get_job_status(job).value not in RUNNING:
                    break
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(grace_s() + LOOK_S)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="rewardlab-outer-job", daemon=True).start()
