"""Worker files that components share: one process for the same model, joined calls, faults that stay their own."""

import asyncio
import sys
from pathlib import Path

import pytest
from rewardlab.errors import UserError
from rewardlab.text.redaction import note_secrets
from rewardlab.workers.errors import PluginRaisedError, WorkerDiedError, WorkerStartError, WorkerTimeout
from rewardlab.workers.shared import FIRST_QUESTIONS, Workers

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
    monkeypatch.setattr("rewardlab.workers.shared.MAX_QUESTIONS", 5)  # of all; a part of one asker's is not divided
    worker = workers.of(use="a/b").open(file, {})
    rest = while_busy(worker, *[(worker, ["x"] * 2)] * 4)
    assert [answers[0]["together"] for answers in rest] == [4] * 4


@pytest.mark.parametrize(
    ("spoils", "error", "what"),
    [
        ("raise", PluginRaisedError, "ValueError: no"),
        ("short", PluginRaisedError, "gave 0 answers to 1 questions"),
        ("die", WorkerDiedError, "exit code 9"),
        ("sleep", WorkerTimeout, r"no score within|no answer within"),
    ],
)
def test_what_spoils_a_joined_call_fails_alone(workers, file, spoils, error, what):
    worker = workers.of(use="a/b", timeout=0.5).open(file, {})
    before, spoilt, after = while_busy(worker, *((worker, [question]) for question in ("x", spoils, "y")))
    assert ([a["question"] for a in before], [a["question"] for a in after]) == (["x"], ["y"])
    with pytest.raises(error, match=what):
        raise spoilt


def test_many_questions_of_one_asker_go_in_several_calls(workers, file):
    worker = workers.of(use="a/b").open(file, {})
    questions = [f"q{n}" for n in range(300)]
    answers = ask(worker, *questions)
    assert [answer["question"] for answer in answers] == questions
    assert max(answer["together"] for answer in answers if answer["call"] == 1) <= FIRST_QUESTIONS


def test_a_question_that_hangs_costs_the_others_a_few_limits(workers, file):
    worker = workers.of(use="a/b", timeout=0.5).open(file, {})
    ask(worker, "x")
    *rest, hung = while_busy(worker, *[(worker, ["x"] * 8)] * 100, (worker, ["sleep"]))
    assert all(len(answers) == 8 for answers in rest)
    assert isinstance(hung, WorkerTimeout)
    assert worker.restarts <= 10


def test_a_joined_call_has_the_longest_limit_of_its_askers(workers, file):
    quick, slow = (workers.of(use="a/b", timeout=limit).open(file, {}) for limit in (0.1, 5.0))
    assert [len(answers) for answers in while_busy(slow, (quick, ["x"]), (slow, ["wait"]))] == [1, 1]
    assert slow.restarts == 0


def test_a_question_whose_asker_has_gone_is_not_asked(workers, file):
    worker = workers.of(use="a/b").open(file, {})

    async def leave():
        first = asyncio.ensure_future(worker.ask(["wait"]))
        await asyncio.sleep(0.1)
        gone = asyncio.ensure_future(worker.ask(["die"]))
        await asyncio.sleep(0.05)
        gone.cancel()
        await first
        return await worker.ask(["x"])

    ask(worker, "it is there")
    assert asyncio.run(leave())[0]["together"] == 1
    assert worker.restarts == 0


def test_the_order_of_settings_does_not_matter(workers, file):
    one, same = (workers.of(use="a/b").open(file, settings) for settings in ({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    assert ask(one, "x")[0]["pid"] == ask(same, "x")[0]["pid"]


def test_who_wants_more_processes_shares_them(workers, file):
    one, two = (workers.of(use="a/b", size=size).open(file, {}) for size in (1, 2))
    alone = ask(one, "x")[0]["pid"]

    async def both():
        return await asyncio.gather(*(worker.ask(["wait"]) for worker in (one, two)))

    asyncio.run(both())  # starts the second
    pids = {answers[0]["pid"] for answers in asyncio.run(both())}
    assert len(pids) == 2
    assert alone in pids


def test_deadly_questions_in_a_row_do_not_end_what_works(workers, file):
    worker = workers.of(use="a/b").open(file, {})
    ask(worker, "x")
    for _ in range(6):
        with pytest.raises(WorkerDiedError, match="exit code 9"):
            ask(worker, "die")
    assert ask(worker, "x")[0]["question"] == "x"


def test_its_last_words_are_told_without_secrets(workers, tmp_path, capsys):
    note_secrets(["hunter2secret"])
    loud = tmp_path / "loud.py"
    loud.write_text(FILE.replace("os._exit(9)", "print('hunter2secret', file=sys.stderr); os._exit(9)"))
    with pytest.raises(WorkerDiedError):
        ask(workers.of(use="a/b").open(loud, {}), "die")
    told = capsys.readouterr().err
    assert "exit code 9" in told
    assert "hunter2secret" not in told


def test_a_file_may_have_the_name_of_a_library_that_it_imports(workers, tmp_path):
    namesake = tmp_path / "colorsys"
    namesake.write_text("import colorsys\n" + FILE.replace('"from a library"', "colorsys.rgb_to_hsv(0, 0, 0)"))
    assert ask(workers.of(use="a/b").open(namesake, {}), "x")[0]["question"] == "x"


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


@pytest.mark.parametrize(
    "planted",
    [
        "no JSON\n",
        "[1]\n",
        '{"number": 1, "cpu": 0, "answers": ["planted"]}\n',
        '{"number": 2, "cpu": "?"}\n',
        "x" * 9999,
    ],
)
def test_a_line_that_is_no_answer_ends_the_process_and_its_replacement_answers(
    workers, tmp_path, planted, monkeypatch, capfd
):
    monkeypatch.setattr("rewardlab.workers.process.MAX_ANSWER_BYTES", 5000)
    file = tmp_path / "intruder.py"
    file.write_text(f"""
import fcntl, os, stat
pipe = next(fd for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2 and stat.S_ISFIFO(os.fstat(fd).st_mode)
            and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_WRONLY)
first = not os.path.exists({str(tmp_path / "flag")!r})
class Model:
    def answer(self, questions):
        if first and "plant" in questions:
            open({str(tmp_path / "flag")!r}, "w").close()
            os.write(pipe, {planted!r}.encode())
        return [question.upper() for question in questions]
def build(settings, context):
    return Model()
""")
    worker = workers.of(use="toy/intruder").open(file, {})
    assert ask(worker, "first") == ["FIRST"]
    assert ask(worker, "plant") == ["PLANT"]
    assert ask(worker, "last") == ["LAST"]
    assert worker.restarts == 1
    assert "it wrote a line" in capfd.readouterr().err
