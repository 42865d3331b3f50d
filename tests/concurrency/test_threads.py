"""Threads for code that may take its time, and how they end."""

import asyncio
import concurrent.futures
import signal
import subprocess
import sys
import threading
import time

import pytest
from helpers.each_case import each_case
from helpers.give_up import give_up
from rewardlab.concurrency import threads
from rewardlab.concurrency.threads import CallThread, LoopThread, must_reraise, running_task


@pytest.fixture
def home():
    thread = LoopThread("home")
    yield thread
    thread.close()


@pytest.fixture
def caller():
    thread = CallThread("caller")
    yield thread
    thread.close()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(threads, "CLOSE_LIMIT", 0.1)


async def thread_name():
    return threading.current_thread().name


class Endless:
    """Work that says when it has begun and whether it was cancelled."""

    def __init__(self):
        self.began = threading.Event()
        self.cancelled = threading.Event()

    async def __call__(self):
        self.began.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


class TestALoopThread:
    def test_runs_work_for_other_threads(self, home):
        assert home.run(thread_name()) == "home"
        assert home.submit(thread_name()).result(60) == "home"

    def test_gives_exceptions_to_who_asked(self, home):
        async def fail():
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            home.run(fail())
        assert home.run(thread_name()) == "home"

    def test_runs_work_for_any_event_loop_its_own_too(self, home):
        async def ask():
            return await home.here(thread_name())

        assert asyncio.run(ask()) == "home"
        assert home.run(ask()) == "home"

    def test_passes_a_cancellation_on(self, home):
        work = Endless()

        asyncio.run(give_up(home.here(work()), work.began.is_set))
        assert work.cancelled.wait(60)

    def test_cancels_what_an_interrupted_caller_waited_for(self, home):
        work = Endless()

        def interrupt():
            work.began.wait(60)
            time.sleep(0.05)  # the caller waits
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            home.run(work())
        assert work.cancelled.wait(60)


class TestClosingALoopThread:
    def test_ends_the_thread_and_what_runs_in_it(self):
        home, work = LoopThread("home"), Endless()
        waiting = home.submit(work())
        assert work.began.wait(60)
        home.close()
        home.close()
        assert work.cancelled.is_set()
        with pytest.raises(concurrent.futures.CancelledError):
            waiting.result(60)
        assert home.loop.is_closed()
        assert "home" not in [thread.name for thread in threading.enumerate()]

    def test_refuses_further_work(self, recwarn):
        home = LoopThread("home")
        home.close()
        with pytest.raises(RuntimeError, match="home is closed"):
            home.run(thread_name())
        assert not recwarn.list, "the work was never awaited"

    def test_leaves_what_holds_the_loop_behind(self, impatient):
        home, held, go_on = LoopThread("held"), threading.Event(), threading.Event()

        async def hold():
            held.set()
            go_on.wait(60)

        home.submit(hold())
        assert held.wait(60)
        home.close()
        [thread] = [thread for thread in threading.enumerate() if thread.name == "held"]
        go_on.set()
        thread.join(60)
        assert home.loop.is_closed()

    def test_is_possible_from_within(self):
        home = LoopThread("home")

        async def close():
            home.close()

        home.run(close())
        home.close()
        assert home.loop.is_closed()

    def test_never_forgets_what_it_has_accepted(self):
        for _ in range(10):
            home, accepted = LoopThread("home"), []

            def ask(home=home, accepted=accepted):
                try:
                    while True:
                        accepted.append(home.submit(thread_name()))
                        time.sleep(0.0001)
                except RuntimeError:
                    pass  # closed

            asking = [threading.Thread(target=ask) for _ in range(2)]
            for thread in asking:
                thread.start()
            time.sleep(0.001)
            home.close()
            for thread in asking:
                thread.join()
            assert not concurrent.futures.wait(accepted, timeout=60).not_done

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_that_was_ended_by_what_ran_in_it_changes_nothing(self):
        async def leave():
            raise SystemExit

        home = LoopThread("home")
        with pytest.raises(SystemExit):
            home.run(leave())
        home.close()
        with pytest.raises(RuntimeError, match="closed"):
            home.run(thread_name())


class TestACallThread:
    def test_makes_one_call_after_the_other_in_a_thread_of_its_own(self, caller):
        at_once, made = [], []

        def call(number):
            at_once.append(number)
            time.sleep(0.001)
            made.append((number, len(at_once), threading.current_thread().name))
            at_once.remove(number)
            return number

        async def ask():
            return await asyncio.gather(*(caller.call(call, number) for number in range(5)))

        assert asyncio.run(ask()) == list(range(5))
        assert made == [(number, 1, "caller") for number in range(5)]

    def test_lets_a_call_run_an_event_loop(self, caller):
        assert asyncio.run(caller.call(lambda: asyncio.run(thread_name()))) == "caller"

    @pytest.mark.parametrize("error", [ValueError("no"), SystemExit("no"), KeyboardInterrupt("no")])
    def test_gives_whatever_a_call_raises_to_who_asked(self, caller, error):
        def call():
            raise error

        async def ask():
            try:
                await caller.call(call)
            except BaseException as caught:
                return caught

        assert asyncio.run(ask()) is error
        assert asyncio.run(caller.call(lambda: 1)) == 1

    def test_does_not_leave_who_asked_waiting_for_a_call_that_runs_out(self, caller):
        with pytest.raises(RuntimeError, match="StopIteration"):
            asyncio.run(asyncio.wait_for(caller.call(next, iter(())), 60))

    def test_does_not_make_a_call_that_nobody_waits_for(self, caller):
        made, go_on = [], threading.Event()

        async def ask():
            slow = asyncio.create_task(caller.call(go_on.wait, 5))
            unwanted = asyncio.create_task(caller.call(made.append, "unwanted"))
            await asyncio.sleep(0.01)
            unwanted.cancel()
            await asyncio.sleep(0.01)
            go_on.set()
            await slow
            await caller.call(made.append, "wanted")

        asyncio.run(ask())
        assert made == ["wanted"]

    def test_ends_when_it_is_closed(self):
        caller = CallThread("caller")
        caller.close()
        caller.close()
        assert "caller" not in [thread.name for thread in threading.enumerate()]

    def test_that_hangs_is_left_behind(self, impatient):
        caller, began, go_on = CallThread("stuck"), threading.Event(), threading.Event()
        asyncio.run(give_up(caller.call(lambda: began.set() or go_on.wait(60)), began.is_set))
        caller.close()
        assert "stuck" in [thread.name for thread in threading.enumerate()]
        go_on.set()


class TestACancellation:
    """A plugin may raise what looks like one; what is to be passed on is that of the running task."""

    @staticmethod
    async def outcome(plugin):
        task = running_task()
        try:
            await plugin()
        except BaseException as error:
            return must_reraise(error, task)

    def test_of_the_running_task_is_ours(self):
        async def scenario():
            task = asyncio.create_task(self.outcome(Endless()))
            await asyncio.sleep(0.01)
            task.cancel()
            return await task

        assert asyncio.run(scenario()) is True

    @each_case("error", [asyncio.CancelledError(), ValueError(), SystemExit(), GeneratorExit()])
    def test_that_nobody_asked_for_is_the_plugins(self, error):
        async def plugin():
            raise error

        assert asyncio.run(self.outcome(plugin)) is False

    def test_of_a_coroutine_that_is_closed_is_ours(self):
        class Forever:
            def __await__(self):
                yield

        told = []

        async def asks(task):
            try:
                await Forever()
            except GeneratorExit as error:
                told.append(must_reraise(error, task))
                raise

        async def scenario():
            task = asyncio.create_task(asyncio.sleep(0))
            work = asks(task)
            work.send(None)
            work.close()
            await task

        asyncio.run(scenario())
        assert told == [True]

    def test_of_what_the_plugin_waits_for_is_the_plugins(self):
        async def plugin():
            inner = asyncio.create_task(Endless()())
            await asyncio.sleep(0)
            inner.cancel()
            await inner

        assert asyncio.run(self.outcome(plugin)) is False


HANGS = """
import asyncio, threading, time
from rewardlab.concurrency import threads
threads.CLOSE_LIMIT = 0.05
home, caller = threads.LoopThread("home"), threads.CallThread("caller")
began = threading.Barrier(3)
def hang():
    began.wait()
    time.sleep(3600)
async def hang_on_a_loop():
    hang()
async def ask():
    home.submit(hang_on_a_loop())
    call = asyncio.ensure_future(caller.call(hang))
    await asyncio.to_thread(began.wait)
    call.cancel()
    await asyncio.wait([call])
asyncio.run(ask())
home.close(); caller.close()
print("closed", threading.active_count())
"""


def test_the_process_ends_although_a_thread_hangs():
    ended = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "closed 3\n", "")
