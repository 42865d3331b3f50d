"""What hangs on the main thread is ended; alarms of others are left alone."""

import signal
import threading
import time
from contextlib import suppress

import pytest
from rewardlab_testing.harness.deadline import time_limit


def test_what_takes_longer_gets_a_timeout_error_and_the_alarm_is_off_afterwards():
    with pytest.raises(TimeoutError, match=r"not done within 0\.02 s"), time_limit(0.02):
        while True:
            pass
    with time_limit(0.02):
        pass
    time.sleep(0.03)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_an_alarm_that_is_somebodys_stays_his():
    heard = []
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append("mine"))
    try:
        with time_limit(0.01):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            time.sleep(0.03)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert heard == ["mine"]


def test_elsewhere_than_on_the_main_thread_nothing_is_done():
    said = []

    def work():
        with time_limit(0.01):
            time.sleep(0.02)
            said.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert said == ["done"]


def test_what_catches_the_first_alarm_and_goes_on_is_ended_by_the_next():
    def stubborn():
        for _ in range(3):
            with suppress(Exception):
                time.sleep(60)

    with time_limit(0.05):
        stubborn()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
