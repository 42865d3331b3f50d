"""Worker files that components share: one process for the same model, joined calls, faults that stay their own."""

import asyncio
import sys
from pathlib import Path

import pytest
from rewardlab.errors import UserError
from rewardlab.worker import PluginRaised, WorkerDied, WorkerStartError, WorkerTimeout
from rewardlab.workers import Workers

pytestmark = pytest.mark.slow  # each test starts processes

FILE = """
import json, os, sys, time

class Model:
    def __init__(self, settings, context):
        self.settings, self.context, self.calls = settings, context, 0

    def answer(self, questions):
        self.calls += 1
        print("from a library")
        if "die" in questions:
            os._exit(9)
        if "raise" in questions:
            raise ValueError("no")
        if "short" in questions:
            return []
        if "sleep" in questions:
            time.sleep(60)
        if "wait" in questions:
            time.sleep(0.3)
        about = {"pid": os.getpid(), "settings": self.settings, "context": self.context, "call": self.calls}
        about |= {"rewardlab": "rewardlab" in sys.modules, "threads": os.environ["OMP_NUM_THREADS"]}
        about["keeps"] = int(os.environ["MALLOC_TRIM_THRESHOLD_"])
        about["together"] = len(questions)
        return [{"question": question, **about} for question in questions]

def build(settings, context):
    if settings.get("broken"):
        raise FileNotFoundError("no model here")
    return Model(settings, context)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("plugin") / "model_worker.py"
    path.write_text(FILE)
    return path


@pytest.fixture
def workers(tmp_path):
    with Workers(cache=tmp_path, seed=5) as workers:
        yield workers


def ask(worker, *questions):
    return asyncio.run(worker.ask(questions))


def while_busy(worker, *calls):
    """The answers to calls that all come while the worker is at another one, or their exceptions."""

    async def all_of_them():
        first = asyncio.ensure_future(worker.ask(["wait"]))
        await asyncio.sleep(0.1)
        rest = await asyncio.gather(*(one.ask(questions) for one, questions in calls), return_exceptions=True)
        assert (await first)[0]["together"] == 1
        return rest

    ask(worker, "it is there")
    return asyncio.run(all_of_them())


def test_a_file_is_told_its_settings_and_where_it_runs(workers, file, tmp_path):
    worker = workers.of(use="a/b", device="cuda:1", threads=3).open(file, {"model": "tiny"})
    text = "a lone \udcff, a \u2028, a \x00, \n"
    first, second = ask(worker, text, {"any": [1.5, None]})
    assert (first["question"], second["question"]) == (text, {"any": [1.5, None]})
    assert first["settings"] == {"model": "tiny"}
    assert first["context"] == {"seed": 5, "cache_dir": str(tmp_path), "device": "cuda:1"}
    assert (first["threads"], first["rewardlab"]) == ("3", False)
    assert first["keeps"] == 64 << 20  # bytes that a layer frees and the next one takes


def test_another_environment_sees_none_of_ours(workers, file):
    [answer] = ask(workers.of(use="a/b", python=sys.executable).open(file, {}), "x")
    assert not answer["rewardlab"]
    with pytest.raises(UserError, match=r"no interpreter '/no/python'; name the bin/python"):
        workers.of(use="a/b", python="/no/python")


def test_components_that_open_the_same_share_a_process(workers, file):
    one, same = (workers.of(use=use, timeout=limit).open(file, {"model": 1}) for use, limit in (("a/b", 9), ("a/c", 8)))
    others = [
        workers.of(use="a/b").open(file, {"model": 2}),
        workers.of(use="a/b", threads=2).open(file, {"model": 1}),
        workers.of(use="a/b", device="cuda").open(file, {"model": 1}),
    ]
    pids = [ask(worker, "x")[0]["pid"] for worker in (one, same, *others)]
    assert pids[0] == pids[1]
    assert len(set(pids)) == 4


def test_questions_that_come_while_it_is_busy_go_together(workers, file):
    one, same = (workers.of(use=use).open(file, {}) for use in ("a/b", "a/c"))
    rest = while_busy(one, *[(worker, ["x"] * n) for worker in (one, same) for n in (1, 2)])
    assert {answer["together"] for answers in rest for answer in answers} == {6}
    assert [len(answers) for answers in rest] == [1, 2, 1, 2]


def test_a_call_is_bounded(workers, file, monkeypatch):
    monkeypatch.setattr("rewardlab.workers.MOST_QUESTIONS", 5)
    worker = workers.of(use="a/b").open(file, {})
    rest = while_busy(worker, *[(worker, ["x"] * 2)] * 4)
    assert [answers[0]["together"] for answers in rest] == [4] * 4


@pytest.mark.parametrize(
    ("spoils", "error", "what"),
    [
        ("raise", PluginRaised, "ValueError: no"),
        ("short", PluginRaised, "gave 0 answers to 1 questions"),
        ("die", WorkerDied, "exit code 9"),
        ("sleep", WorkerTimeout, r"no score within|no answer within"),
    ],
)
def test_what_spoils_a_joined_call_fails_alone(workers, file, spoils, error, what):
    worker = workers.of(use="a/b", timeout=0.5).open(file, {})
    before, spoilt, after = while_busy(worker, *((worker, [question]) for question in ("x", spoils, "y")))
    assert ([a["question"] for a in before], [a["question"] for a in after]) == (["x"], ["y"])
    with pytest.raises(error, match=what):
        raise spoilt


def test_what_cannot_be_built_is_one_error_for_all(workers, file):
    worker = workers.of(use="a/b").open(file, {"broken": True})
    for _ in range(2):
        with pytest.raises(WorkerStartError, match=r"a/b cannot be built: FileNotFoundError: no model here"):
            ask(worker, "x")


def test_it_starts_when_warmed(workers, file, tmp_path):
    flag = tmp_path / "built"
    announces = tmp_path / "announcing.py"
    announces.write_text(
        FILE.replace("return Model", f"open({str(flag)!r}, 'w').write(str(os.getpid())); return Model")
    )
    worker = workers.of(use="a/b").open(announces, {})
    assert not flag.exists()
    workers.warm()
    assert ask(worker, "x")[0]["pid"] == int(flag.read_text())


def test_no_question_needs_no_process(workers, file):
    assert ask(workers.of(use="a/b").open(file, {"broken": True})) == []


def test_settings_are_json(workers, file):
    with pytest.raises(TypeError, match="a/b: settings of a worker are JSON"):
        workers.of(use="a/b").open(file, {"path": file})
