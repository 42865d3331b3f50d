"""SIGTERM in a program of its own: it is an interrupt, then another one after the grace period."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from rewardlab.concurrency.termination import GRACE_S, grace_s, sigterm_as_interrupt

BEGINNING = """
import os, signal, threading, time
from rewardlab.concurrency.termination import sigterm_as_interrupt

def terminate():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
    print("went on")
"""


def said(program, **environment):
    """What the program printed; it ended by itself, with this code or by this signal."""
    command = [sys.executable, "-c", BEGINNING + program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | environment)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.split("\n")[:-1]


def test_it_is_an_interrupt():
    program = """
try:
    with sigterm_as_interrupt():
        terminate()
except KeyboardInterrupt:
    print("interrupted")
print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
"""
    assert said(program) == (0, ["interrupted", "True"])


@pytest.mark.parametrize(("signal_name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_one_that_lands_in_a_finaliser_comes_again_without_a_traceback(signal_name, code):
    program = f"""
import sys
from rewardlab.concurrency.termination import stop_code

class Finalised:
    def __del__(self):
        os.kill(os.getpid(), signal.{signal_name})
        time.sleep(0.01)
        print("went on")

with sigterm_as_interrupt():
    before = sys.unraisablehook
    try:
        Finalised()
        time.sleep(5)
        print("slept")
    except KeyboardInterrupt:
        print(stop_code())
print(sys.unraisablehook is sys.__unraisablehook__)
"""
    assert said(program) == (0, [str(code), "True"])


def test_other_faults_of_finalisers_are_printed_as_ever():
    program = """
with sigterm_as_interrupt():
    class Finalised:
        def __del__(self):
            raise ValueError("wrong")
    Finalised()
"""
    done = subprocess.run([sys.executable, "-c", BEGINNING + program], capture_output=True, text=True, timeout=30)
    assert "ValueError: wrong" in done.stderr


@pytest.mark.parametrize(("signal_name", "heard"), [("SIGTERM", True), ("SIGHUP", True), ("SIGINT", False)])
def test_which_signal_it_was_is_known_until_the_block_ends(signal_name, heard):
    program = f"""
from rewardlab.concurrency.termination import sigterm_heard
try:
    with sigterm_as_interrupt():
        try:
            signal.raise_signal(signal.{signal_name})
        finally:
            print(sigterm_heard())
except KeyboardInterrupt:
    print(sigterm_heard())
"""
    assert said(program) == (0, [str(heard), "False"])


@pytest.mark.parametrize(("signal_name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_the_exit_code_is_that_which_shells_know(signal_name, code):
    program = f"""
from rewardlab.concurrency.termination import stop_code
with sigterm_as_interrupt():
    try:
        signal.raise_signal(signal.{signal_name})
    except KeyboardInterrupt:
        print(stop_code())
"""
    assert said(program) == (0, [str(code)])


def test_who_finishes_a_step_first_is_interrupted_again_after_the_grace_period():
    program = """
heard = []
def note(*_):
    if heard:
        raise KeyboardInterrupt
    heard.append("once")
signal.signal(signal.SIGINT, note)
sent = time.monotonic()
try:
    with sigterm_as_interrupt():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(3600)  # in the system, where only a signal wakes it
except KeyboardInterrupt:
    print(time.monotonic() - sent >= 0.3)
"""
    assert said(program, REWARDLAB_GRACE_S="0.3") == (0, ["True"])


def test_a_block_that_ends_in_time_is_left_in_peace():
    program = """
signal.signal(signal.SIGINT, lambda *_: print("noted"))
with sigterm_as_interrupt():
    os.kill(os.getpid(), signal.SIGTERM)
time.sleep(0.5)
print("done")
"""
    assert said(program, REWARDLAB_GRACE_S="0.2") == (0, ["noted", "done"])


def test_where_ctrl_c_is_ignored_it_is_not():
    program = """
signal.signal(signal.SIGINT, signal.SIG_IGN)
try:
    with sigterm_as_interrupt():
        terminate()
except KeyboardInterrupt:
    print("interrupted")
"""
    assert said(program) == (0, ["interrupted"])


def test_a_handler_of_the_programs_own_stays():
    program = """
signal.signal(signal.SIGTERM, lambda *_: print("mine"))
with sigterm_as_interrupt():
    os.kill(os.getpid(), signal.SIGTERM)
"""
    assert said(program) == (0, ["mine"])


def test_another_thread_changes_nothing():
    program = """
def work():
    with sigterm_as_interrupt():
        print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    assert said(program) == (0, ["True"])


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("", GRACE_S), ("7.5", 7.5), ("0", 0.0), ("soon", GRACE_S), ("-1", GRACE_S), ("nan", GRACE_S), ("inf", GRACE_S)],
)
def test_the_grace_period_is_the_environments(monkeypatch, given, seconds):
    monkeypatch.setenv("REWARDLAB_GRACE_S", given)
    assert grace_s() == seconds


def test_nothing_of_it_is_left_behind():
    before = threading.active_count()
    with sigterm_as_interrupt():
        pass
    assert threading.active_count() == before


@pytest.mark.parametrize("begun", [False, True])
def test_before_a_command_has_begun_it_says_so_and_ends_the_program(begun):
    """A scheduler may end a job while it is still being imported; afterwards the command says what it left."""
    program = f"""
import os, signal, sys
from rewardlab import cli

before = cli.find_command

def find(name):
    cli._end_silently() if {begun} else None
    os.kill(os.getpid(), signal.SIGTERM)
    return before(name)

cli.find_command = find
sys.argv = ["rewardlab", "check", "quickstart"]
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, "")
    line = "error: stopped by SIGTERM before the command had begun; nothing was written\n"
    assert done.stderr == ("" if begun else line)


def test_a_program_with_a_handler_of_its_own_keeps_it():
    program = """
import signal, sys
from rewardlab import cli

signal.signal(signal.SIGTERM, mine := lambda *_: None)
sys.argv = ["rewardlab", "--version"]
cli.main()
print(signal.getsignal(signal.SIGTERM) is mine)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "True", done.stderr
