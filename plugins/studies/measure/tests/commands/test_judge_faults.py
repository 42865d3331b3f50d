"""Judges that fail, end to end: the command line against a real server that is busy, broken, gone or badly paid.

What must hold whatever happens: nothing is paid twice, nothing that is missing becomes a score, an interrupted job
ends as one that nobody interrupted, and no key is ever seen.
"""

import importlib.util
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from itertools import permutations
from typing import ClassVar

import pytest
from aiohttp import web
from helpers.paths import TESTS
from rewardlab.judging import circuit_breaker, retries

pytestmark = pytest.mark.slow  # it waits for servers, kills processes and counts what they paid

SERVER = TESTS / "judge_server.py"
_spec = importlib.util.spec_from_file_location("judge_server", SERVER)
judge_server = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(judge_server)
Serving, JudgeServer = judge_server.Serving, judge_server.JudgeServer

KEY = "sk-the-key-of-the-judge"
ROWS, GROUP = 30, 3
QUESTIONS = ROWS * GROUP * (GROUP - 1)  # each pair in both orders
TRIES = 6
STRANGE = ("language", "odd")
"""answers that no other try mends"""


@pytest.fixture(autouse=True)
def no_key_is_left(tmp_path, monkeypatch):
    """Whatever a test does: the key is in no file that it leaves behind."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    yield
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    """Between the tries of this process; the policy stays, scaled down."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(circuit_breaker, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(circuit_breaker, "MAX_PAUSE_S", 0.1)


def row(number):
    """Three answers that share 1, 2 and 3 numbers with the query, in an order that changes."""
    texts = [f"It is {' and '.join(map(str, range(number, number + length)))}." for length in (1, 2, 3)]
    random.Random(number).shuffle(texts)
    query = f"What are {number}, {number + 1} and {number + 2}?"
    return {"id": f"r{number}", "prompt": query, "completions": texts}


@pytest.fixture
def files(write):
    """Write the rows and a recipe that asks the judge at this address: `files(server.url, timeout=0.5)`."""

    def prepare(url, rows=ROWS, component=None, options=None, **judge):
        write("rows.jsonl", [row(100 * number) for number in range(rows)])
        given = {"model": "m", "base_url": url, "api_key_env": "JUDGE_KEY", **(options or {})}
        preference = {"use": "pairwise/win_rate", "with": {"judge": "main"}, "on_missing": "group_mean"}
        recipe = {
            "version": 1,
            "judges": {"main": {"use": "openai/chat", "with": given, "concurrency": 8, **judge}},
            "reward": {"components": {"preference": {**preference, **(component or {})}}, "total": "preference"},
        }
        write("r.yaml", json.dumps(recipe))  # JSON is YAML

    return prepare


@pytest.fixture
def score(main, tmp_path):
    """`rewardlab score r.yaml rows.jsonl -o out.jsonl ...`: (code, what it printed)."""

    def run(*arguments, out="out.jsonl"):
        code, stdout, err = main("score", "r.yaml", "rows.jsonl", "-o", out, *arguments)
        assert KEY not in stdout + err
        assert "Traceback" not in err
        return code, err

    return run


@pytest.fixture
def in_a_process(toy_environment, tmp_path):
    """The same in a process of its own, killed at the end: `with in_a_process("--resume") as process`."""

    @contextmanager
    def start(*arguments, out="out.jsonl", python=()):
        command = [sys.executable, *python, "-m", "rewardlab.cli", "score", "r.yaml", "rows.jsonl", "-o", out]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        environment = {**toy_environment, "JUDGE_KEY": KEY}
        with subprocess.Popen([*command, *arguments], cwd=tmp_path, env=environment, **pipes) as process:
            try:
                yield process
            finally:
                process.kill()

    return start


@pytest.fixture(autouse=True)
def short_patience(monkeypatch):
    """A dead judge is waited for as long as its timeout says."""
    monkeypatch.setattr(retries, "PATIENCE_A_RETRY_S", 0.0)


@pytest.fixture
def clean(files, score, tmp_path):
    """The bytes of a run in which nothing goes wrong."""
    with Serving(JudgeServer()) as server:
        files(server.url)
        assert score(out="clean.jsonl")[0] == 0
        assert (server.answered, len(server.paid)) == (QUESTIONS, QUESTIONS)
    return (tmp_path / "clean.jsonl").read_bytes()


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.jsonl"


def parsed(output):
    """(values, infos) by row of an output."""
    columns = [json.loads(line)["components"]["preference"] for line in output.splitlines()]
    return [(column["value"], column["info"]) for column in columns]


class Flaky:
    """20% of all calls go wrong, by the question and by how often it was asked; some questions are never answered."""

    def __init__(self, lost=0.0, kinds=judge_server.KINDS):
        self._lost = lost
        self._kinds = kinds
        self._asked = Counter()
        self.strange = set()

    def __call__(self, number, request):
        question = judge_server.question(request)
        chance = random.Random(question)
        if chance.random() < self._lost:
            return "500"
        self._asked[question] += 1
        again = random.Random(f"{self._asked[question]} {question}")
        kind = again.choice(self._kinds) if again.random() < 0.2 else None
        if kind in STRANGE:
            self.strange.add(question)
        return kind


class TestAFifthOfAllCallsGoesWrong:
    """busy, failing, dropped, hanging, half, empty, in another language, without a verdict"""

    def test_what_was_answered_is_scored_as_if_nothing_had_happened(self, clean, files, score, out):
        flaky = Flaky()
        with Serving(JudgeServer(fault=flaky)) as server:
            files(server.url, timeout=0.3, component={"max_missing": 1.0})
            code, err = score()
        assert code == 0, err
        assert {*judge_server.KINDS} <= {*server.seen}, "some kind of fault never came"
        assert len(server.paid) == server.answered == QUESTIONS, "answers were paid twice, or lost"
        self.agrees(clean, out.read_bytes(), unparsable=len(flaky.strange), failed=0)
        retries = sum(server.seen[kind] for kind in judge_server.KINDS if kind not in STRANGE)
        assert f"{QUESTIONS + retries} calls" in err
        assert f"{retries} retries" in err

    def test_what_was_never_answered_is_missing_and_no_low_score(self, clean, files, score, out):
        flaky = Flaky(lost=0.3)
        with Serving(JudgeServer(fault=flaky)) as server:
            files(server.url, timeout=0.3, component={"max_missing": 1.0})
            code, err = score()
        assert code == 0, err
        lost = QUESTIONS - len(server.paid)
        assert lost > QUESTIONS / 6
        self.agrees(clean, out.read_bytes(), unparsable=len(flaky.strange), failed=lost)
        assert f"{lost} questions without an answer" in err

    def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(self, files, score):
        times = {}

        def fault(number, request):
            asked = times.setdefault(judge_server.question(request), [])
            asked.append(time.monotonic())
            return "429" if len(asked) == 1 else None

        with Serving(JudgeServer(fault=fault, retry_after="0.5")) as server:
            files(server.url, rows=1)  # too few failures to be an outage, which has pauses of its own
            code, err = score()
        assert code == 0, err
        assert len(times) == GROUP * (GROUP - 1)
        assert all(second - first >= 0.5 for first, second in times.values())

    def agrees(self, clean, faulty, unparsable, failed):
        """Every verdict that came is the clean run's, and every value is what the verdicts that came say."""
        said = Counter()
        for (sure, before), (values, after) in zip(parsed(clean), parsed(faulty), strict=True):
            verdicts = {pair: after[pair[0]]["verdicts"][str(pair[1])] for pair in permutations(range(GROUP), 2)}
            for (first, second), verdict in verdicts.items():
                said[verdict] += 1
                assert verdict in (before[first]["verdicts"][str(second)], "unparsable", "failed")
            for index in range(GROUP):
                mine = {pair: verdict for pair, verdict in verdicts.items() if index in pair}
                lost = Counter(mine.values())
                if set(mine.values()) <= {"A", "B"}:
                    assert values[index] == sure[index]
                assert values[index] == expected(index, verdicts)
                assert after[index]["unparsable"] == lost["unparsable"]
                assert after[index]["failed"] == lost["failed"]
                assert ("judge_error" in after[index]) == (lost["failed"] > 0)
                assert after[index]["missing"] == sum(both_failed(index, other, verdicts) for other in range(GROUP))
        assert (said["unparsable"], said["failed"]) == (unparsable, failed)
        assert unparsable


def shares(index, other, verdicts):
    """What the two orders of a comparison give to the answer `index`; a reply without a verdict is a half."""
    worth = {"A": 1.0, "B": 0.0, "unparsable": 0.5}
    orders = (verdicts[index, other], 1), (verdicts[other, index], -1)
    return [worth[v] if sign > 0 else 1 - worth[v] for v, sign in orders if v != "failed"]


def both_failed(index, other, verdicts):
    return other != index and not shares(index, other, verdicts)


def expected(index, verdicts):
    others = [shares(index, other, verdicts) for other in range(GROUP) if other != index]
    known = [sum(orders) / len(orders) for orders in others if orders]
    return sum(known) / len(known) if known else None


def test_a_lost_question_is_told_though_every_component_has_a_value_and_asked_again(files, score, clean, out):
    with Serving(JudgeServer(fault=lambda number, _: "500" if number == 7 else None)) as server:
        files(server.url, retries=0, reuse="same_model")
        code, err = score()
        assert code == 0
        assert "failed 0" in err
        assert re.search(r"mean total [\d.]+ \(3 totals lack a part; --resume asks for it again\)", err)
        code, err = score("--resume")
        assert (code, server.answered) == (0, QUESTIONS)
    assert "out.jsonl: scores 1 row again, in which a part of a total is missing" in err
    assert "lack a part; " not in err
    assert out.read_bytes() == clean


class TestAServerThatIsGone:
    def test_from_the_start(self, files, score, out):
        with Serving(JudgeServer()) as server:
            url = server.url
        files(url, timeout=0.3)
        code, err = score()
        assert code == 1
        warning, _, err = err.partition("\n")
        assert warning.startswith(f"warning: judge 'main' cannot be reached at {url}: Connection refused; its ")
        assert re.match(
            r"error: component 'preference' \(pairwise/win_rate\) has no value for 5\d of the last 5\d completions "
            r"\(100\.0%; max_missing is 5\.0%\); last: sample 'r\d+' \(rows\.jsonl:\d+\), completion \d: ",
            err,
        )
        assert f"cannot be reached at {url}: Connection refused" in err
        assert "to go on: rewardlab score r.yaml rows.jsonl -o out.jsonl --resume" in err

    def test_from_the_start_to_the_end_of_a_short_file_and_back_for_a_resume(self, files, score, out):
        """Too few for `max_missing`, yet nothing was scored: no success, and nothing that stays."""
        with Serving(JudgeServer()) as whole:
            files(whole.url, rows=3)
            assert score(out="whole.jsonl")[0] == 0
            answered = whole.answered
        files(whole.url, rows=3, timeout=0.3)
        code, err = score()
        assert code == 1
        assert "component 'preference' (pairwise/win_rate) has no value for any of 9 completions; last: " in err
        with Serving(JudgeServer(), port=whole.port) as back:
            code, err = score("--resume")
            assert (code, back.answered) == (0, answered)
        assert "out.jsonl: scores 3 rows again, in which a part of a total is missing" in err
        assert out.read_bytes() == out.with_name("whole.jsonl").read_bytes()

    def test_that_takes_questions_and_never_answers(self, files, score):
        with Serving(JudgeServer(fault=lambda *_: "hang")) as server:
            files(server.url, timeout=0.2)
            code, err = score()
            assert server.seen["requests"] < 100
        assert code == 1
        assert "gave no answer within 0.2 s" in err

    def test_under_on_missing_fail_the_first_missing_score_ends_the_job(self, files, score, out):
        with Serving(JudgeServer()) as server:
            url = server.url
        files(url, timeout=0.3, component={"on_missing": "fail"})
        code, err = score()
        assert code == 1
        assert f"cannot be reached at {url}: Connection refused" in err
        assert not out.exists() or out.read_bytes() == b""

    @pytest.fixture(params=["fail", "group_mean"])
    def died(self, files, score, request):
        """A server that dies after 100 answers and comes back for `--resume`: (server, questions)."""
        dying, rows = threading.Event(), 60

        def fault(number, request):
            if number >= 100:
                dying.set()
            return "drop" if dying.is_set() else None

        server = JudgeServer(fault=fault)
        with Serving(JudgeServer()) as whole:
            files(whole.url, rows=rows)
            assert score(out="whole.jsonl")[0] == 0
        with Serving(server):
            files(server.url, rows=rows, timeout=0.3, concurrency=4, component={"on_missing": request.param})
            code, err = score()
            assert code == 1
            assert f"closed the connection before the answer of {server.url} was complete" in err
            assert ("max_missing is 5.0%" in err) == (request.param == "group_mean")
            assert server.answered == 100
        server.fault = None
        with Serving(server, port=server.port):
            code, err = score("--resume")
        assert code == 0, err
        return server, rows * GROUP * (GROUP - 1)

    def test_in_the_middle_nothing_is_paid_twice(self, died, out):
        """Rows that were written stay; what was missing in them is said there."""
        server, questions = died
        assert server.answered == len(server.paid) <= questions
        whole = parsed(out.with_name("whole.jsonl").read_bytes())
        for before, after in zip(whole, parsed(out.read_bytes()), strict=True):
            assert after == before or any(info["failed"] for info in after[1])

    def test_for_a_while(self, clean, files, score, out):
        """Questions wait for it; none is lost."""
        with Serving(JudgeServer()) as first:
            port = first.port
        server = JudgeServer()
        serving = Serving(server, port=port)
        timer = threading.Timer(1.0, serving.__enter__)
        timer.start()
        try:
            files(first.url, timeout=20)
            code, err = score()
        finally:
            timer.join()
            serving.__exit__()
        assert code == 0, err
        assert out.read_bytes() == clean
        assert (len(server.paid), server.answered) == (QUESTIONS, QUESTIONS)


class TestKilled:
    """By SIGKILL, with questions under way: only those are asked again."""

    IN_FLIGHT, KILLS = 4, 2

    @pytest.fixture
    def killed(self, score, in_a_process):
        """Kill a job again and again, after about so many further answers each time, and end it: what it printed."""

        def run(server, answers):
            for kill in range(self.KILLS):
                with in_a_process("--resume") as process:
                    while server.answered < answers * (kill + 1):
                        assert process.poll() is None, process.stderr.read()
                        time.sleep(0.002)
                    process.kill()
            return score("--resume")

        return run

    @pytest.mark.parametrize(
        "cassette",
        [
            pytest.param(None, id="kept by the job"),
            pytest.param({"path": "tape.jsonl"}, id="cassette", marks=pytest.mark.nightly),
        ],
    )
    def test_ends_as_one_that_was_not(self, clean, files, killed, score, out, cassette):
        with Serving(JudgeServer(latency=0.02)) as server:
            files(server.url, concurrency=self.IN_FLIGHT, cassette=cassette)
            code, err = killed(server, QUESTIONS // (self.KILLS + 1))
            assert code == 0, err
            assert out.read_bytes() == clean
            assert len(server.paid) == QUESTIONS
            assert server.answered <= QUESTIONS + self.KILLS * self.IN_FLIGHT
        if cassette:
            code, err = score("judges.main.cassette.mode=strict", out="again.jsonl")
            assert code == 0, err
            assert out.with_name("again.jsonl").read_bytes() == clean

    def test_asking_a_server_that_fails_too(self, clean, files, killed, out):
        kinds = [kind for kind in judge_server.KINDS if kind not in STRANGE]
        with Serving(JudgeServer(latency=0.02, fault=Flaky(kinds=kinds))) as server:
            files(server.url, concurrency=self.IN_FLIGHT, timeout=0.3)
            code, err = killed(server, QUESTIONS // (self.KILLS + 1))
            assert code == 0, err
            assert out.read_bytes() == clean
            assert server.answered <= QUESTIONS + self.KILLS * self.IN_FLIGHT

    def test_its_budget_holds_over_all_attempts(self, files, killed):
        budget = 34_000
        with Serving(JudgeServer(latency=0.02)) as server:
            files(server.url, concurrency=self.IN_FLIGHT, budget={"tokens": budget}, options={"max_tokens": 50})
            code, err = killed(server, 15)
            assert code == 1
            assert "its budget of 34000 tokens is used up" in err
            assert server.tokens <= budget


def test_ctrl_c_does_not_wait_for_a_judge(files, in_a_process):
    with Serving(JudgeServer(fault=lambda *_: "hang")) as server:
        files(server.url)
        with in_a_process() as process:
            while server.under_way < 8:
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=120)
        assert process.returncode == 130
        assert err.startswith("error: stopped\nerror: 0 of 30 rows are in out.jsonl; to go on: ")


def test_a_job_that_stops_leaves_no_connection_open(files, in_a_process):
    """With questions under way; aiohttp says where a session is not closed."""
    with Serving(JudgeServer(keys=("another",), latency=0.01)) as server:
        files(server.url)
        with in_a_process(python=["-X", "dev", "-W", "error::ResourceWarning"]) as process:
            _, err = process.communicate(timeout=30)
        assert process.returncode == 1
        assert "HTTP 401" in err
        assert "Unclosed" not in err
        assert "Traceback" not in err


class TestCassette:
    """With a judge that says something else each time, so that only what was kept can give the same bytes."""

    @staticmethod
    def moody(request):
        return f"\\boxed{{{random.choice('AB')}}}"

    @pytest.fixture
    def recorded(self, files, score, out):
        """The bytes of a recording, with a server that is gone by now."""
        with Serving(JudgeServer(answer=self.moody)) as server:
            files(server.url, cassette={"path": "tape.jsonl"})
            assert score()[0] == 0
            assert server.answered == QUESTIONS
        return out.read_bytes()

    def test_strict_gives_the_same_bytes_without_a_server(self, recorded, score, out, monkeypatch):
        monkeypatch.delenv("JUDGE_KEY")
        code, err = score("judges.main.cassette.mode=strict", out="again.jsonl")
        assert code == 0, err
        assert out.with_name("again.jsonl").read_bytes() == recorded

    @pytest.mark.parametrize("mode", ["record", "replay"])
    def test_what_is_there_takes_no_call(self, recorded, files, score, out, mode):
        with Serving(JudgeServer(answer=self.moody)) as server:
            files(server.url, cassette={"path": "tape.jsonl", "mode": mode})
            code, err = score(out="again.jsonl")
            assert server.seen["requests"] == 0
        assert code == 0, err
        assert f"{QUESTIONS} answers reused" in err
        assert out.with_name("again.jsonl").read_bytes() == recorded

    @pytest.mark.parametrize("on_missing", ["fail", "group_mean"])
    def test_strict_with_a_changed_row_says_what_is_missing(self, recorded, files, score, write, on_missing):
        """And ends the job, whatever the policy for what is missing."""
        files(
            "http://127.0.0.1:9/v1",
            cassette={"path": "tape.jsonl", "mode": "strict"},
            component={"on_missing": on_missing},
        )
        rows = [row(100 * number) for number in range(ROWS)]
        rows[7]["completions"][1] += " Surely."
        write("rows.jsonl", rows)
        code, err = score(out="again.jsonl")
        assert code == 1
        assert "judge 'main': the cassette tape.jsonl has no answer to this question (sample 'r700'): " in err
        assert "`mode: record` asks for it" in err

    @pytest.mark.parametrize("mode", ["strict", "replay"])
    def test_one_that_is_missing_leaves_nothing_behind(self, files, score, tmp_path, mode):
        files("http://127.0.0.1:9/v1", cassette={"path": "no-tape.jsonl", "mode": mode})
        before = sorted(tmp_path.rglob("*"))
        code, err = score()
        assert code == 2
        assert "there is no such cassette; `mode: record` makes one" in err
        assert sorted(tmp_path.rglob("*")) == before

    def test_replay_writes_nothing_into_it(self, recorded, files, score, tmp_path):
        before = (tmp_path / "tape.jsonl").read_bytes()
        with Serving(JudgeServer(answer=self.moody)) as server:
            files(server.url, rows=ROWS + 2, cassette={"path": "tape.jsonl", "mode": "replay"})
            code, err = score(out="again.jsonl")
            assert server.answered == 2 * GROUP * (GROUP - 1)
        assert code == 0, err
        assert (tmp_path / "tape.jsonl").read_bytes() == before

    def test_two_processes_that_record_into_one(self, files, score, tmp_path, in_a_process):
        """Both have used what is kept, whoever asked first."""
        with Serving(JudgeServer(answer=self.moody, latency=0.02)) as server:
            files(server.url, cassette={"path": "tape.jsonl"}, concurrency=4)
            with in_a_process(out="one.jsonl") as first, in_a_process(out="two.jsonl") as second:
                told = [process.communicate(timeout=60)[1] for process in (first, second)]
            assert [first.returncode, second.returncode] == [0, 0], told
        assert len(server.paid) == QUESTIONS
        code, err = score("judges.main.cassette.mode=strict", out="strict.jsonl")
        assert code == 0, err
        one, two, strict = ((tmp_path / f"{name}.jsonl").read_bytes() for name in ("one", "two", "strict"))
        assert one == two == strict
        keys = [json.loads(line)["key"] for line in (tmp_path / "tape.jsonl").read_text().splitlines()]
        assert len(keys) == len({*keys}) == QUESTIONS


class TestAnotherServer:
    """Answers of one server are no answers of another one."""

    @pytest.fixture
    def left(self, files, score, out):
        """A server that was asked, and the file of scores half lost."""
        with Serving(JudgeServer()) as server:
            files(server.url, rows=4)
            assert score()[0] == 0
            out.write_bytes(out.read_bytes()[:100])
            yield server

    @pytest.fixture
    def other(self):
        with Serving(JudgeServer()) as server:
            yield server

    def test_a_new_file_asks_anew_where_an_earlier_one_was_deleted(self, left, files, score, out):
        out.unlink()
        before = left.answered
        code, err = score()
        assert (code, left.answered) == (0, 2 * before)
        assert "judges.earlier: has the judges' answers for an earlier file of this name" in err

    def test_a_resume_asks_the_server_that_the_recipe_names_now(self, left, other, files, score):
        files(other.url, rows=4)
        assert score("--resume")[0] == 0
        assert other.answered == left.answered

    def test_a_resume_takes_them_where_the_recipe_says_so(self, left, other, files, score):
        files(other.url, rows=4, reuse="same_model")
        assert score("--resume")[0] == 0
        assert other.answered == 0


class TestBudget:
    BUDGET: ClassVar = {"tokens": 12_000}
    OPTIONS: ClassVar = {"max_tokens": 50}

    def test_stops_before_it_is_passed_and_goes_on_once_it_is_raised(self, clean, files, score, out):
        server = JudgeServer()
        with Serving(server):
            files(server.url, budget=self.BUDGET, options=self.OPTIONS)
            code, err = score()
            assert code == 1
            assert "error: judge 'main': its budget of 12000 tokens is used up (" in err
            assert "raise judges.main.budget.tokens and go on with --resume" in err
            assert 0.5 * self.BUDGET["tokens"] < server.tokens <= self.BUDGET["tokens"]
            stopped = server.answered
            code, err = score("--resume")
            assert (code, server.answered) == (1, stopped), "another attempt has a budget of its own"
            code, err = score("--resume", "judges.main.budget.tokens=1000000")
        assert code == 0, err
        assert out.read_bytes() == clean
        assert (len(server.paid), server.answered) == (QUESTIONS, QUESTIONS)

    def test_in_money(self, files, score):
        price = {"prompt": 2.0, "completion": 10.0}
        with Serving(JudgeServer()) as server:
            files(server.url, budget={"usd": 0.03}, price=price, options=self.OPTIONS)
            code, err = score()
            assert code == 1
            assert "error: judge 'main': its budget of 0.03 usd is used up (" in err
            assert server.tokens * price["prompt"] / 1e6 < 0.03

    def test_what_nobody_counted_is_taken_as_dear_as_it_can_be(self, files, score):
        """A hang may have been answered, and paid for."""
        with Serving(JudgeServer(fault=lambda number, _: "hang" if number % 2 else None)) as server:
            files(server.url, budget=self.BUDGET, options=self.OPTIONS, timeout=0.2)
            code, err = score()
            assert code == 1
            assert "its budget of 12000 tokens is used up" in err
            assert server.tokens < self.BUDGET["tokens"] / 2


class TestAServerThatRepeatsTheKey:
    """It is in no output, state, cassette, warning or run directory: see `no_key_is_left`, `score` and `run`."""

    @staticmethod
    async def in_a_vote(http):
        text = f"You sent {http.headers['Authorization']} and {http.headers['X-Team']}.\n\\boxed{{A}}"
        return web.Response(body=judge_server.completion(text, {"messages": []}))

    @staticmethod
    async def without_a_vote(http):
        text = f"You sent {http.headers['Authorization']}."
        return web.Response(body=judge_server.completion(text, {"messages": []}))

    @staticmethod
    async def in_an_error(http):
        return web.Response(body=f"key {http.headers['Authorization']} {KEY!r}", status=500)

    def test_with_its_vote(self, files, score, tmp_path, monkeypatch):
        monkeypatch.setenv("TEAM", f"team {KEY}")
        with Serving(JudgeServer(fault=lambda *_: self.in_a_vote)) as server:
            options = {"headers_env": {"X-Team": "TEAM"}}
            files(server.url, cassette={"path": "tape.jsonl"}, options=options)
            code, err = score()
        assert (code, "warning" in err) == (0, False), err
        assert "You sent Bearer *** and ***." in (tmp_path / "tape.jsonl").read_text()

    def test_with_what_a_warning_shows(self, files, score):
        with Serving(JudgeServer(fault=lambda *_: self.without_a_vote)) as server:
            files(server.url)
            code, err = score()
        assert code == 0
        assert err.count("You sent Bearer ***.") == 3

    def test_with_an_error(self, files, score, out):
        with Serving(JudgeServer(fault=lambda *_: self.in_an_error)) as server:
            files(server.url, rows=4, retries=1, timeout=0.3)
            code, err = score()
        assert code == 1
        assert "HTTP 500: key Bearer *** " in err
        assert "HTTP 500: key Bearer *** " in out.read_text()


def test_score_warns_of_answers_that_nobody_can_read_and_finishes(files, score):
    with Serving(JudgeServer(answer=lambda request: "I would rather not say.")) as server:
        files(server.url)
        code, err = score()
    assert code == 0
    assert err.count("warning: ") == 1
    assert err.startswith("warning: judge 'main': 26 of its first 26 answers do not have the form that was asked for; ")
    assert [line for line in err.splitlines() if "rather" in line] == [
        f"  {number}. I would rather not say." for number in (1, 2, 3)
    ]


def test_half_of_the_answers_may_be_strange_without_a_warning(files, score):
    def every_other(number, request):
        return "language" if number % 2 else None

    with Serving(JudgeServer(fault=every_other)) as server:
        files(server.url, concurrency=1)
        code, err = score()
    assert (code, "warning" in err) == (0, False)


RUN = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 32}}
judges: {main: {use: openai/chat, with: {model: m, base_url: URL, api_key_env: JUDGE_KEY}, timeout: 1}}
reward:
  components: {preference: {use: pairwise/win_rate, with: {judge: main}, on_missing: group_mean}}
  total: preference
stages:
  - {use: sft, steps: 2, batch_size: 4, learning_rate: 1.0e-3}
  - use: rl
    algorithm: dr_grpo
    group_size: 4
    batch_size: 4
    steps: 4
    max_new_tokens: 8
    save_every: 1
    learning_rate: 1.0e-3
"""


@pytest.fixture
def run(main, write, tmp_path):
    """`rewardlab run` with the judge at this address: (code, what it printed, the run directories that there are)."""

    def start(url, *arguments, command="run"):
        write("run.yaml", RUN.replace("URL", url))
        code, stdout, err = main(command, "run.yaml", *arguments)
        assert KEY not in stdout + err
        assert "Traceback" not in err
        err = err.removeprefix("loading torch ...\n")  # said by the first run of this process alone
        return code, stdout + err, sorted((tmp_path / "runs").glob("*"))

    return start


class TestBeforeARun:
    """One question to each judge shows what is wrong before anything is made or trained."""

    def refused(self, run, url, *arguments):
        code, told, folders = run(url, *arguments)
        assert (code, folders) == (2, [])
        assert re.search(r"(?m)^error: run\.yaml:5: judges\.main: ", told)
        assert told.count("\n") == 1
        return told.rstrip("\n").partition("judges.main: ")[2]

    def test_a_wrong_key(self, run):
        with Serving(JudgeServer(keys=("another",))) as server:
            told = self.refused(run, server.url)
            assert server.seen["requests"] == 1
        assert told == (
            f"{server.url} answered HTTP 401: Incorrect API key provided: Bearer *** "
            "(does `api_key_env` name the variable with the right key?)"
        )

    def test_no_key(self, run, monkeypatch):
        monkeypatch.delenv("JUDGE_KEY")
        with Serving(JudgeServer()) as server:
            code, told, folders = run(server.url)
            assert (code, folders, server.seen["requests"]) == (2, [], 0)
        where = "run.yaml:5: judges.main.with.api_key_env"
        assert told == f"error: {where}: the environment variable JUDGE_KEY is not set; it should hold a key\n"

    def test_a_wrong_model(self, run):
        async def unknown(http):
            words = "The model `m` does not exist."
            return web.json_response({"error": {"message": words, "code": "model_not_found"}}, status=404)

        with Serving(JudgeServer(fault=lambda *_: unknown)) as server:
            told = self.refused(run, server.url)
        words = "The model `m` does not exist. (are `base_url` and `model` right?)"
        assert told == f"{server.url} answered HTTP 404: {words}"

    def test_a_wrong_address(self, run):
        with Serving(JudgeServer()) as server:
            told = self.refused(run, server.url.removesuffix("/v1"))
            assert told.endswith("(are `base_url` and `model` right? The address usually ends in /v1.)")
        told = self.refused(run, server.url)  # asked again, since it may be starting
        assert told == f"judge 'main' cannot be reached at {server.url}: Connection refused, 3 tries"

    def test_a_server_that_hangs(self, run):
        with Serving(JudgeServer(fault=lambda *_: "hang")) as server:
            told = self.refused(run, server.url, "judges.main.timeout=0.2")
        assert told == "judge 'main' gave no answer within 0.2 s"

    @pytest.mark.parametrize("arguments", [{"command": "check"}, {"dry": "--dry-run"}])
    def test_check_and_a_dry_run_ask_nobody(self, run, arguments):
        with Serving(JudgeServer()) as server:
            dry = [arguments.pop("dry")] if "dry" in arguments else []
            code, told, folders = run(server.url, *dry, **arguments)
            assert (code, folders, server.seen["requests"]) == (0, [], 0), told

    def test_score_tells_the_same_at_its_end(self, files, score):
        with Serving(JudgeServer(keys=("another",))) as server:
            files(server.url)
            code, err = score()
        assert code == 1
        assert f"{server.url} answered HTTP 401: Incorrect API key provided: Bearer *** (does `api_key_env`" in err


def rewards(folder):
    """Every reward that training used, with the completion it was for."""
    rows = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    return [(row["id"], row["index"], row["step"], row["completion"], row["total"]) for row in rows]


@pytest.mark.slow
class TestARun:
    def test_stops_where_nobody_can_read_the_answers(self, run):
        with Serving(JudgeServer(answer=lambda request: "I would rather not say.")) as server:
            code, told, [folder] = run(server.url)
        assert code == 1
        assert "error: judge 'main': 26 of its first 26 answers do not have the form that was asked for" in told
        assert told.count("I would rather not say.") == 3
        assert "They are not kept: a resumed job asks for them again" in told
        assert not (folder / "models" / "1-rl").exists()
        with Serving(JudgeServer(), port=server.port):  # the right model, this time
            code, told, _ = run(server.url, "--resume", str(folder))
        assert code == 0, told
        assert all(total is not None for *_, total in rewards(folder))

    def test_goes_on_after_an_outage_and_pays_nothing_twice(self, run):
        server = JudgeServer()
        with Serving(server):
            code, told, [whole] = run(server.url)
            assert code == 0, told
        questions = server.answered
        server = JudgeServer(fault=lambda number, request: "503" if number >= questions // 2 else None)
        with Serving(server):
            code, told, folders = run(server.url)
            [folder] = set(folders) - {whole}
            assert code == 1
            assert "the server has too much to do" in told
            assert f"continue with: rewardlab run run.yaml --resume {folder.relative_to(folder.parents[1])}" in told
        server.fault = None
        with Serving(server, port=server.port):
            code, told, _ = run(server.url, "--resume", str(folder))
        assert code == 0, told
        assert rewards(folder)[-16:] == rewards(whole)[-16:]
        again = {question: times for question, times in server.paid.items() if times > 1}
        assert sum(again.values()) <= 2, "only the probe is asked at each start"

    def test_again_from_its_cassette_without_a_server(self, run):
        tape = "judges.main.cassette.path=tape.jsonl"
        with Serving(JudgeServer(answer=TestCassette.moody)) as server:
            code, told, [first] = run(server.url, tape)
            assert code == 0, told
        code, told, folders = run(server.url, tape, "judges.main.cassette.mode=strict")
        assert code == 0, told
        [second] = set(folders) - {first}
        assert rewards(second) == rewards(first)


def test_a_measurement_that_is_stopped_goes_on_with_what_was_paid(files, main, write, out):
    """`rewardlab judge`: the budget ends it, a larger one and --resume end it well."""
    pairs = [{"prompt": f"What is {n}?", "chosen": f"It is {n}.", "rejected": "It is not."} for n in range(100, 140)]
    write("pairs.jsonl", pairs)
    with Serving(JudgeServer()) as server:
        options = {"max_tokens": 20}
        files(server.url, budget={"tokens": 60_000}, options=options)
        judge = ("judge", "r.yaml", "pairs.jsonl", "-o", "out.jsonl")
        code, _, err = main(*judge, "judges.main.budget.tokens=12000")
        assert code == 1
        assert "raise judges.main.budget.tokens and go on with --resume" in err
        assert 0 < server.answered < 80
        assert main(*judge)[0] == 2, "what is there is not overwritten by chance"
        code, told, err = main(*judge, "--resume")
        assert (code, server.answered) == (0, 80), err
    assert "all" in told
    assert len(parsed_lines(out)) == 40


def parsed_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
