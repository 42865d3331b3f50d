"""Rewards and worker files in processes of their own: real ones, which are killed, hang and print."""

import asyncio
import contextlib
import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.paths import TESTS
from rewardlab import Completion, Context, Group, GroupStream, Sample, Score
from rewardlab.registry import Registry
from rewardlab.workers.errors import (
    PluginRaisedError,
    WorkerDiedError,
    WorkerError,
    WorkerMemoryError,
    WorkerStartError,
    WorkerTimeout,
)
from rewardlab.workers.reward_pool import WorkerPool
from rewardlab.workers.shared import Workers

pytestmark = pytest.mark.slow  # it kills processes and waits for deadlines

PLUGIN = TESTS / "worker_plugin"
OBEYS = PLUGIN / "obeys.py"  # as a worker file it starts faster than as a reward; what is killed starts often
SAMPLE = Sample(
    id="s1",
    prompt=({"role": "user", "content": "Where\u2028is \ud800?"},),
    fields={"answer": [1, None, {"x": 2.5}], "language": "bn"},
    source="rows.jsonl:3",
)


@pytest.fixture(autouse=True)
def plugin(monkeypatch):
    """The plugin `cases`, which only the host's sys.path makes importable."""
    monkeypatch.syspath_prepend(str(PLUGIN))


@pytest.fixture(autouse=True)
def nothing_is_left(shared):
    """A closed pool leaves no pipe, no thread and no process that nobody waited for."""
    before = _descriptors(), threading.active_count()
    yield
    gc.collect()
    assert (_descriptors(), threading.active_count()) == before
    with contextlib.suppress(ChildProcessError):
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)


@pytest.fixture
def open_pool():
    with contextlib.ExitStack() as pools:

        def open_one(name: str, **more) -> WorkerPool:
            pool = make_pool(name, **more)
            pools.callback(pool.close)
            return pool

        yield open_one


class FileWorker:
    """A worker file, asked as a pool is."""

    def __init__(self, **more):
        self._workers = Workers()
        self._worker = self._workers.of(use="cases/obeys", **more).open(OBEYS, {})
        self.close = self._workers.close

    @property
    def restarts(self) -> int:
        return self._worker.restarts

    async def score(self, items):
        return [Score(**said) for said in await self._worker.ask([completion.text for _, completion in items])]


@pytest.fixture
def open_file():
    with contextlib.ExitStack() as workers:

        def open_one(**more) -> FileWorker:
            worker = FileWorker(**more)
            workers.callback(worker.close)
            return worker

        yield open_one


@pytest.fixture(scope="module")
def shared():
    """A pool of `cases/obeys` for the tests that do it no harm."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PLUGIN))
        pool = make_pool("obeys", threads=3)
        say(pool, "pid()")
    yield pool
    pool.close()


def make_pool(name: str, timeout: float = 60.0, memory=4.0, options=None, context=None, **more) -> WorkerPool:
    spec = replace(Registry().find("reward", f"cases/{name}"), timeout=timeout, memory=memory)
    made = spec.config.model_validate(options or {})
    return WorkerPool(use=f"cases/{name}", spec=spec, options=made, context=context or Context(), **more)


def _descriptors() -> list[str]:
    return os.listdir("/dev/fd")


def say(pool, *texts):
    """The scores of texts of one sample."""
    return asyncio.run(pool.score([(SAMPLE, Completion(text=text)) for text in texts]))


def gone(pid: int, within: float = 60.0) -> bool:
    """Whether the process ends in time. An orphan has ended even if init is slow to wait for it."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except ProcessLookupError:
            return True
        except FileNotFoundError:
            pass  # no /proc here, or it has just ended
        time.sleep(0.02)
    return False


def wait_for(flag: Path) -> int:
    """The id that a worker announces by a file."""
    until = time.monotonic() + 60
    while not flag.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    return int(flag.read_text())


class TestScores:
    def test_are_those_of_the_same_reward_in_process(self, open_pool, tmp_path):
        context = Context(seed=7, cache_dir=tmp_path, device="cuda:1")
        items = [
            (SAMPLE, Completion(text="a lone \udcff, a \u2028, a \x00, \n", token_count=9)),
            (SAMPLE, Completion(text="", truncated=True)),
            (Sample(id="s2"), Completion(text="x" * 5_000_000)),
            (Sample(id="s3"), Completion(text="")),
        ]
        spec = Registry().find("reward", "cases/echo")
        options = {"factor": 0.5, "folder": str(tmp_path)}
        here = spec.build(spec.config.model_validate(options), context).score(items)
        assert asyncio.run(open_pool("echo", options=options, context=context).score(items)) == here

    def test_of_a_group(self, open_pool):
        group = Group(sample=SAMPLE, completions=[Completion(text=text) for text in ("ccc", "a", "bb")])
        spec = Registry().find("reward", "cases/grouped")
        here = asyncio.run(spec.build(None, Context()).score(GroupStream.of(group)))
        pool = open_pool("grouped")
        assert asyncio.run(pool.score_group(group)) == here
        assert [score.value for score in here] == [2.0, 0.0, 1.0]

    def test_of_no_items_need_no_process(self, open_pool):
        assert asyncio.run(open_pool("dies_in_build").score([])) == []

    def test_travel_as_they_are_for_the_host_to_judge(self, shared):
        values = [score.value for score in say(shared, "said(float('nan'))", "said(-float('inf'))", "said(True)")]
        assert str(values) == "[nan, -inf, True]"
        assert say(shared, "said(7)", "[]") == say(shared, "said(7)")  # a list too short

    def test_that_are_no_scores_are_named(self, shared):
        for answer, complaint in {
            "0.5": "score returned float, not a list of Score",
            "[0.5]": "score returned float at 0, not a Score",
            "said(Decimal(1))": "score 0: score['value'] is not a JSON value",
            "said(0.5, fine=1, bad={1, 2})": r"score 0: info\['bad'\] is not a JSON value",
        }.items():
            with pytest.raises(PluginRaisedError, match=complaint.replace("['value']", r"\['value'\]")):
                say(shared, answer)
        assert shared.restarts == 0

    def test_are_not_corrupted_by_what_the_reward_prints_or_reads(self, shared):
        for _ in range(2):
            [score] = say(shared, "loud()")
            assert (score.value, score.info) == (0.5, {"stdin": ""})


class TestOutput:
    def test_of_every_kind_reaches_the_user_with_its_worker_and_once(self, open_pool, capsys):
        pool = open_pool("obeys", title="kind (cases/obeys)")
        for _ in range(2):
            say(
                pool,
                "loud()",
                "(__import__('warnings').warn('old'), __import__('logging').warning('beware'), said())[2]",
            )
        shown = capsys.readouterr().err.splitlines()
        lines = ["from Python", "from os.write", "from C", "from a program", "WARNING:root:beware"]
        assert {f"kind (cases/obeys), worker 1: {line}" for line in lines} < set(shown)
        assert any(line.endswith("UserWarning: old") for line in shown)
        assert len(shown) == len(set(shown))

    def test_is_bounded(self, open_file, capsys):
        pool = open_file()
        say(pool, "([print(f'line {n} ' + 'x' * 10_000) for n in range(1_000)], said())[1]")
        first, *others, last = capsys.readouterr().err.splitlines()
        assert first.startswith("cases/obeys, worker 1: line 0 xxx")
        assert len(first) < 600
        assert len(others) == 99
        assert last.startswith("cases/obeys: its workers have printed 100 different lines; what they print from now on")


class TestAProcess:
    def test_reports_an_exception_with_its_place_and_lives_on(self, shared):
        [first] = say(shared, "pid()")
        with pytest.raises(PluginRaisedError, match=r"^ValueError: bad \ud800 text \(at .*obeys.py:\d+\)$"):
            say(shared, "raised(ValueError('bad \\ud800\\n text'))")
        with pytest.raises(PluginRaisedError, match=r"^SystemExit: 3"):
            say(shared, "raised(SystemExit(3))")
        assert say(shared, "pid()") == [first]

    def test_has_no_judges_and_says_so(self, shared):
        with pytest.raises(PluginRaisedError, match="judge 'main': a judge cannot be asked from a worker"):
            say(shared, "context.judges.get('main')")

    def test_has_the_threads_that_the_recipe_says(self, shared):
        [score] = say(shared, "said(env=dict(os.environ))")
        limits = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
        assert [score.info["env"][name] for name in limits] == ["3"] * 4
        assert score.info["env"]["TOKENIZERS_PARALLELISM"] == "false"

    def test_is_not_interrupted_with_its_host(self, shared):
        [score] = say(shared, "said(group=os.getpgrp())")
        assert score.info["group"] != os.getpgrp()


class TestAPool:
    def test_starts_a_second_process_only_for_a_call_that_would_wait(self, open_file):
        pool = open_file(size=2)

        async def together(seconds):
            item = (SAMPLE, Completion(text=f"(time.sleep({seconds}), pid())[1]"))
            return await asyncio.gather(pool.score([item]), pool.score([item]))

        alone = {say(pool, "pid()")[0].info["pid"] for _ in range(3)}
        assert len(alone) == 1
        asyncio.run(together(0.1))  # starts the second, which may take its time
        for _ in range(100):
            both = {scores[0].info["pid"] for scores in asyncio.run(together(0.6))}
            if len(both) == 2:
                break
        assert len(both) == 2
        assert alone < both
        assert pool.restarts == 0

    def test_serves_a_loop_in_another_thread_with_many_calls_at_once(self, open_pool):
        pool = open_pool("echo", size=2)
        answers = []

        async def many():
            calls = (pool.score([(SAMPLE, Completion(text="x" * n))]) for n in range(1, 41))
            answers.extend(await asyncio.gather(*calls))

        thread = threading.Thread(target=lambda: asyncio.run(many()))
        thread.start()
        thread.join()
        assert [scores[0].value for scores in answers] == list(range(1, 41))

    def test_that_is_warmed_has_its_process_ready(self, open_pool, tmp_path):
        context = Context(cache_dir=tmp_path / "built")
        pool = open_pool("announced", context=context)
        pool.warm()
        assert [wait_for(context.cache_dir)] == [score.info["pid"] for score in say(pool, "pid()")]

    def test_that_is_warmed_in_vain_says_so_at_the_first_call(self, open_pool):
        pool = open_pool("fails_to_build")
        pool.warm()
        with pytest.raises(WorkerStartError, match="heavy"):
            say(pool, "x")

    def test_skips_a_call_that_was_cancelled_while_it_waited(self, open_file, tmp_path):
        pool = open_file()

        async def cancel():
            first = asyncio.create_task(pool.score([(SAMPLE, Completion(text="(time.sleep(0.2), pid())[1]"))]))
            await asyncio.sleep(0.05)
            flag = f"announce({str(tmp_path / 'flag')!r})"
            second = asyncio.create_task(pool.score([(SAMPLE, Completion(text=flag))]))
            await asyncio.sleep(0.05)
            second.cancel()
            await first

        asyncio.run(cancel())
        say(pool, "pid()")
        assert not (tmp_path / "flag").exists()

    def test_is_not_disturbed_by_a_field_that_json_cannot_carry_and_that_it_does_not_read(self, shared):
        sample = Sample(id="s9", fields={"fine": 1, "when": {1, 2}})
        [score] = asyncio.run(shared.score([(sample, Completion(text="said(sample.fields['fine'])"))]))
        assert score.value == 1
        for read in ("sample.fields['when']", "sample.fields.get('when')"):
            with pytest.raises(PluginRaisedError, match=r"fields\['when'\] is not a JSON value: Object of type set"):
                asyncio.run(shared.score([(sample, Completion(text=f"said({read})"))]))
        with pytest.raises(PluginRaisedError, match="KeyError: 'other'"):
            asyncio.run(shared.score([(sample, Completion(text="said(sample.fields['other'])"))]))


class TestDeadline:
    def test_kills_what_runs_past_it_and_starts_afresh(self, open_file):
        pool = open_file(timeout=0.4)
        [before] = say(pool, "pid()")
        with pytest.raises(WorkerTimeout, match=r"no score within 0.4 s; the worker was "):
            say(pool, "burn(60)")
        assert gone(before.info["pid"])
        assert say(pool, "pid()") != [before]
        assert pool.restarts == 1

    def test_blames_what_computes_with_all_that_it_runs(self, open_file):
        pool = open_file(timeout=0.4)
        with pytest.raises(WorkerTimeout) as caught:
            say(pool, "crunch()")
        assert caught.value.cpu_bound

    def test_does_not_blame_what_sleeps(self, open_file):
        pool = open_file(timeout=0.4)
        # What it computed before this call counts for nothing.
        for _ in range(3):
            say(pool, "burn(0.1)", *["pid()"] * 50)
        with pytest.raises(WorkerTimeout) as caught:
            say(pool, "time.sleep(60)")
        assert not caught.value.cpu_bound

    def test_of_several_items_grows_by_a_tenth_for_each(self, open_pool):
        pool = open_pool("obeys", timeout=1.0)
        say(pool, "pid()")
        assert len(say(pool, "(time.sleep(1.2), pid())[1]", *["pid()"] * 90)) == 91  # 10 s are allowed
        with pytest.raises(WorkerTimeout, match=r"no score within 1.1 s"):
            say(pool, "time.sleep(60)", "pid()")

    def test_passes_over_a_helper_that_floods_stderr(self, open_file):
        pool = open_file(timeout=0.4)
        with pytest.raises(WorkerTimeout):
            say(pool, "[print('x' * 10_000, file=sys.stderr) for _ in iter(int, 1)]")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says how much a process takes")
class TestMemory:
    def test_of_a_call_that_takes_too_much_ends_only_that_call(self, open_pool):
        pool = open_pool("obeys", memory=0.2)
        [before] = say(pool, "pid()")
        with pytest.raises(
            WorkerMemoryError, match=r"more memory than its worker may \(0\.2 GB, `memory` in the recipe"
        ):
            say(pool, "take(1)")
        assert gone(before.info["pid"])
        assert say(pool, "said(1.0)")[0].value == 1.0
        assert pool.restarts == 1

    def test_that_a_model_takes_counts_for_nothing(self, open_file):
        pool = open_file(memory=0.2)
        for _ in range(3):
            say(pool, "context.setdefault('kept', []).append(b'x' * 150_000_000) or (time.sleep(0.15), pid())[1]")
        assert pool.restarts == 0
        with pytest.raises(WorkerMemoryError):
            say(pool, "take(1)")

    def test_is_as_much_as_there_is_where_no_limit_is_declared(self, open_file):
        assert say(open_file(), "(b'x' * 300_000_000, time.sleep(0.2), pid())[2]")


class TestDeath:
    def test_between_two_calls_is_made_good_on_a_fresh_process(self, open_file):
        pool = open_file()
        [before] = say(pool, "pid()")
        os.kill(before.info["pid"], signal.SIGKILL)
        assert say(pool, "pid()") != [before]
        assert pool.restarts == 1

    def test_twice_of_one_call_is_an_error_that_shows_how_and_the_last_lines(self, open_file, tmp_path):
        pool = open_file()
        how = r"(?s)cases/obeys: the worker died \(signal 11, .*last words.*obeys.py"
        with pytest.raises(WorkerDiedError, match=how):
            say(pool, "die(signal.SIGSEGV)")
        assert say(pool, "said(1.0)")[0].value == 1.0  # after which the next death is a first one
        assert say(pool, f"die_once({str(tmp_path / 'flag')!r})")[0].value == 1.0
        assert pool.restarts == 3

    def test_seven_times_in_a_row_ends_the_pool(self, open_pool):
        pool = open_pool("dies_in_build")
        for _ in range(3):
            with pytest.raises(WorkerDiedError, match=r"^cases/dies_in_build: the worker died \(exit code 7"):
                say(pool, "x")
        for _ in range(2):
            with pytest.raises(WorkerDiedError, match=r"gave up after 7 deaths in a row; .*exit code 7"):
                say(pool, "x")
        assert pool.restarts == 6

    def test_is_told_with_the_last_lines_though_it_is_made_good(self, open_file, tmp_path, capsys):
        say(open_file(), f"die_once({str(tmp_path / 'flag')!r})")
        words, told = capsys.readouterr().err.splitlines()[:2]
        assert words == "cases/obeys, worker 1: last words"
        assert told == "warning: cases/obeys: the worker died (signal 9, Killed)", "nothing is told twice"

    def test_is_told_with_lines_that_the_user_has_not_seen(self, open_file, capsys):
        pool = open_file()
        say(pool, "([print(n) for n in range(100)], said())[1]")
        with pytest.raises(WorkerDiedError):
            say(pool, "die()")
        told = capsys.readouterr().err.partition("warning: ")[2].splitlines()
        assert told == ["cases/obeys: the worker died (signal 9, Killed); its last lines:", "  last words"]

    def test_is_told_once_for_each_way_to_die(self, open_file, capsys):
        pool = open_file()
        for how in ("signal.SIGSEGV", "signal.SIGSEGV", "signal.SIGKILL"):
            with pytest.raises(WorkerDiedError, match="last words"):
                say(pool, f"die({how})")
            say(pool, "said(1.0)")
        told = [line for line in capsys.readouterr().err.splitlines() if "the worker died" in line]
        assert [re.sub(r",.*", "", line) for line in told] == [
            "warning: cases/obeys: the worker died (signal 11",
            "warning: cases/obeys: the worker died (signal 9",
        ]

    def test_is_noticed_at_once_though_a_helper_lives_and_the_helper_goes_too(self, open_file, tmp_path):
        pool = open_file()
        flag = tmp_path / "helper"
        with pytest.raises(WorkerDiedError):  # not WorkerTimeout
            say(pool, f"(helper({str(flag)!r}), die())")
        assert gone(int(flag.read_text()))


class TestStart:
    def test_failing_is_one_error_for_every_call(self, open_pool):
        pool = open_pool("fails_to_build")
        for _ in range(3):
            with pytest.raises(
                WorkerStartError, match=r"(?s)ImportError: no module named 'heavy' \(at .*about to fail"
            ):
                say(pool, "x")
        assert pool.restarts == 0

    def test_of_a_score_that_nobody_would_await(self, open_pool):
        told = (
            "TypeError: `score` is a coroutine function, which runs='worker' does not await; declare runs='async', or"
        )
        with pytest.raises(WorkerStartError, match=told):
            say(open_pool("unawaited"), "x")

    def test_without_an_interpreter(self, open_pool):
        with pytest.raises(WorkerStartError, match="no/such/python"):
            say(open_pool("echo", python="no/such/python"), "x")


class TestEnd:
    def test_close_fails_the_calls_under_way_and_may_be_repeated(self, open_file, tmp_path):
        pool = open_file()
        flag = tmp_path / "flag"
        errors = []

        def hang():
            with pytest.raises(WorkerError, match="closed") as caught:
                say(pool, f"(announce({str(flag)!r}), time.sleep(60))")
            errors.append(caught.value)

        thread = threading.Thread(target=hang)
        thread.start()
        pid = wait_for(flag)
        pool.close()
        assert gone(pid)
        thread.join()
        pool.close()
        with pytest.raises(WorkerError, match="closed"):
            say(pool, "pid()")
        assert len(errors) == 1

    def test_does_not_come_by_a_fork_of_the_host(self, shared):
        [before] = say(shared, "pid()")
        fork = os.fork()
        if fork == 0:
            shared.close()
            os._exit(0)
        assert os.waitpid(fork, 0) == (fork, 0)
        assert say(shared, "pid()") == [before]

    def test_of_a_pool_that_nobody_holds(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pool = FileWorker()
            [score] = say(pool, "pid()")
            del pool
            gc.collect()
        assert gone(score.info["pid"])

    def test_of_a_host_that_exits_without_closing(self, tmp_path):
        flag = tmp_path / "flag"
        with a_host("exit", f"(announce({str(flag)!r}), time.sleep(60))") as host:
            pid = wait_for(flag)
            host.stdin.close()
            assert host.wait(60) == 0
            assert gone(pid, within=0.5)
            assert host.stderr.read() == b""

    def test_of_a_host_that_is_killed(self, tmp_path):
        flags = [tmp_path / name for name in ("sleeps", "holds", "helped")]
        tell = [f"announce({str(flag)!r})" for flag in flags]
        helper = tmp_path / "helper"
        texts = [
            f"({tell[0]}, time.sleep(60))",
            f"({tell[1]}, hold_gil())",
            f"(helper({str(helper)!r}), helper({str(helper) + '2'!r}, session=True), {tell[2]}, time.sleep(60))",
        ]
        with a_host("stay", *texts) as host:
            pids = [wait_for(flag) for flag in flags]
            pids += [int(Path(f"{helper}{name}").read_text()) for name in ("", "2")]
            host.kill()
            host.wait()
            assert all(map(gone, pids))


@contextlib.contextmanager
def a_host(then: str, *texts: str) -> Iterator[subprocess.Popen]:
    """A host in a process of its own; see worker_plugin/host.py."""
    command = [sys.executable, "-W", "always", str(PLUGIN / "host.py"), then, *texts]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as host:
        try:
            yield host
        finally:
            host.kill()
