"""Ctrl-C and SIGTERM at a terminal that follows a cluster's job: who is asked, and what becomes of the job.

With a real cluster, test_cluster.py does the same for SIGTERM; here its client is a stand-in, which answers at once.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import time
from rewardlab.concurrency.termination import sigterm_as_interrupt
from rewardlab_ray.job import cluster_job

class Client:
    class status:
        value = "RUNNING"
    def get_job_status(self, job):
        return self.status
    def stop_job(self, job):
        self.status.value = "STOPPED"

try:
    with sigterm_as_interrupt():
        try:
            print("ready", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            cluster_job._after_interrupt(Client(), "j", print)
            raise
except KeyboardInterrupt:
    print("ended", flush=True)
"""
QUESTION = "\nstop job j on the cluster, too? [y/N] "
STOPPED = "job j is told to stop\njob j has stopped\nended\n"


@pytest.fixture
def at_a_terminal():
    """`at_a_terminal(first, then)`: what is printed after the signal `first`, and then a signal or an answer."""
    ours, terminal = os.openpty()
    command = [sys.executable, "-c", PROGRAM]

    def told(first, then=None):
        with subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(first)
            if isinstance(then, signal.Signals):
                asked = process.stdout.read(len(QUESTION))
                time.sleep(0.2)  # it waits for an answer by then: a signal just before would be heard after it
                process.send_signal(then)
                return asked + process.communicate(timeout=30)[0]
            if then is not None:
                os.write(ours, then)
            return process.communicate(timeout=30)[0]

    yield told
    os.close(ours)
    os.close(terminal)


def test_sigterm_asks_nothing_and_waits_for_the_end(at_a_terminal):
    assert at_a_terminal(signal.SIGTERM) == STOPPED


@pytest.mark.parametrize(
    ("answer", "told"),
    [(b"y\n", STOPPED), (b"n\n", "job j goes on; resume this run to follow it again\nended\n")],
)
def test_ctrl_c_asks(at_a_terminal, answer, told):
    assert at_a_terminal(signal.SIGINT, answer) == QUESTION + told


def test_sigterm_is_an_answer_to_the_question(at_a_terminal):
    told = at_a_terminal(signal.SIGINT, signal.SIGTERM)
    assert told.startswith(QUESTION)
    assert told.endswith(STOPPED)
