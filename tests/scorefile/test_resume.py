"""`rewardlab score --resume`: whatever interrupted a job, the file ends as if nothing had happened."""

import json
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from helpers.paths import TESTS
from hypothesis import given, settings
from hypothesis import strategies as st
from rewardlab.cli import main
from rewardlab.scorefile import job
from rewardlab.scorefile.rows import check_rows

pytestmark = pytest.mark.slow  # it kills jobs and fills disks

PLUGIN = TESTS / "score_plugin"
OUT, STATE = Path("out.jsonl"), Path("out.jsonl.state")
ROWS = 12


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with a recipe and rows; the plugin `cases` is installed."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    monkeypatch.setenv("PYTHONPATH", str(PLUGIN))
    monkeypatch.chdir(tmp_path)
    write_recipe()
    write_rows(ROWS)
    return tmp_path


def write_recipe(use="cases/length", **options):
    component = {"use": use, "with": {"log": "log.txt"} | options}
    reward = {"components": {"length": component}, "total": "length"}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))


def write_rows(count, width=1, late=0):
    """Rows with ids (numbers and texts) and without, of groups of 1 to 3; the last ones wait for the gate."""
    with open("rows.jsonl", "w") as file:
        for number in range(count):
            given = ({"id": number}, {"id": f"n{number}"}, {})[number % 3]
            texts = ["x" * (width * (number + index) % 90) for index in range(1 + number % 3)]
            if number >= count - late:
                given |= {"late": True}
            file.write(json.dumps(given | {"prompt": f"question {number % 7}", "completions": texts}) + "\n")


def score(*arguments, out="out.jsonl"):
    return main(["score", "r.yaml", "rows.jsonl", "-o", out, *arguments])


@pytest.fixture
def whole():
    """The output of a job that nothing interrupted; OUT is such a one, too."""
    assert score() == 0
    return OUT.read_bytes()


def scored():
    """How many completions were scored since this was asked before."""
    count = len(Path("log.txt").read_text().splitlines()) if Path("log.txt").exists() else 0
    Path("log.txt").unlink(missing_ok=True)
    return count


# --- what may have become of the output ---


@given(st.data())
@settings(max_examples=25)
def test_cut_anywhere_it_ends_the_same(whole, data):
    cut = data.draw(st.integers(0, len(whole)))
    OUT.write_bytes(whole[:cut])
    assert score("--resume") == 0
    assert OUT.read_bytes() == whole


@given(st.permutations(range(ROWS)), st.integers(0, ROWS), st.sets(st.integers(0, ROWS - 1)))
@settings(max_examples=25)
def test_lost_moved_repeated_and_broken_lines_end_the_same(whole, order, kept, broken):
    lines = whole.splitlines(keepends=True)
    left = [lines[number] for number in order[:kept]] + [lines[number] for number in order[: kept // 2]]
    for place in sorted(broken & set(range(len(left)))):
        left[place] = b"\0" * 7 + b"\n" if place % 2 else left[place][:20] + b"\n"
    OUT.write_bytes(b"".join(left))
    assert score("--resume") == 0
    assert OUT.read_bytes() == whole
    assert sorted(path.name for path in STATE.iterdir()) == ["lock", "state.json"]


def test_what_is_there_is_not_scored_again(whole, capsys):
    lines = whole.splitlines(keepends=True)
    scored()
    OUT.write_bytes(b"".join(lines[:4] + lines[6:9]) + lines[9][:-1])
    capsys.readouterr()
    assert score("--resume") == 0
    assert "out.jsonl: 7 of 12 rows have scores" in capsys.readouterr().err
    assert scored() == sum(len(json.loads(line)["total"]) for line in lines[4:6] + lines[9:])
    assert OUT.read_bytes() == whole


def test_a_finished_file_is_left_alone(whole, capsys):
    capsys.readouterr()
    scored()
    before = OUT.stat()
    assert score("--resume", "--json") == 0
    assert scored() == 0
    assert (OUT.stat().st_mtime_ns, OUT.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    out, err = capsys.readouterr()
    assert json.loads(out)["rows"] == ROWS
    assert "12 of 12 rows have scores" in err


def test_a_missing_output_is_scored_anew(whole):
    OUT.unlink()
    assert score("--resume") == 0
    assert OUT.read_bytes() == whole


def test_a_job_may_say_resume_from_the_start(whole):
    assert score("--resume", out="other.jsonl") == 0
    assert Path("other.jsonl").read_bytes() == whole


def test_a_state_that_was_never_written_is_no_obstacle(whole):
    OUT.unlink()
    (STATE / "state.json").unlink()
    assert score("--resume") == 0
    assert OUT.read_bytes() == whole


def test_a_damaged_state_is_one_clear_error(whole, capsys):
    (STATE / "state.json").write_text('{"format": 1}')
    assert score("--resume") == 1
    told = "error: out.jsonl.state/state.json is damaged; move it and out.jsonl away to begin anew\n"
    assert capsys.readouterr().err.endswith(told)
    assert OUT.read_bytes() == whole


def test_state_without_output_is_no_obstacle(whole):
    OUT.unlink()
    assert score("seed=5") == 0
    assert score("seed=5", "--resume") == 0
    assert OUT.read_bytes() == whole


def test_the_summary_counts_what_was_there(whole, capsys):
    score("--resume", "--json")
    uninterrupted = capsys.readouterr().out.splitlines()[-1]
    OUT.write_bytes(b"".join(whole.splitlines(keepends=True)[:5]))
    assert score("--resume", "--json") == 0
    assert capsys.readouterr().out.splitlines() == [uninterrupted]


def test_bad_rows_stay_left_out():
    with open("rows.jsonl", "a") as file:
        file.write('{\n{"id": "last", "prompt": "?", "completions": ["x"]}\n')
    assert score("--skip-bad") == 0
    whole = OUT.read_bytes()
    assert len(whole.splitlines()) == ROWS + 1
    OUT.write_bytes(whole[:200])
    assert score("--skip-bad", "--resume") == 0
    assert OUT.read_bytes() == whole


def test_rows_that_lack_a_score_are_scored_again(capsys):
    """What `on_missing` made up for is asked for again, however little it is."""
    component = {"use": "cases/obey", "with": {"unless": "mended"}, "on_missing": "group_mean", "max_missing": 0.2}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": {"components": {"a": component}, "total": "a"}}))
    rows = [{"id": n, "prompt": "?", "completions": ["x"] * 4 + ["raise"] * bad} for n, bad in enumerate((0, 2, 1, 0))]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert score() == 0
    before = [json.loads(line) for line in OUT.read_text().splitlines()]
    assert before[1]["total"] == [0.5] * 6  # of six, two are the others' mean
    Path("mended").touch()
    assert score("--resume") == 0
    assert "out.jsonl: scores 2 rows again, in which a part of a total is missing" in capsys.readouterr().err
    after = [json.loads(line) for line in OUT.read_text().splitlines()]
    assert [row["id"] for row in after] == [0, 1, 2, 3]
    assert [after[n]["components"]["a"]["error"] for n in (1, 2)] == [[None] * 6, [None] * 5]
    assert (after[0], after[3]) == (before[0], before[3])


def test_the_policy_for_missing_scores_may_change_and_then_holds_for_every_row():
    component = {"use": "cases/obey", "with": {"unless": "mended"}, "on_missing": 0.25, "max_missing": 1}
    rows = [{"id": n, "prompt": "?", "completions": ["x", *["raise"] * bad]} for n, bad in enumerate((0, 1, 2))]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def recipe(**changes):
        reward = {"components": {"a": component | changes}, "total": "a"}
        Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))

    recipe()
    assert score() == 0
    made = [json.loads(line)["total"] for line in OUT.read_text().splitlines()]
    assert made == [[0.5], [0.5, 0.25], [0.5, 0.25, 0.25]]
    recipe(on_missing="group_mean")
    assert score("--resume") == 0
    made = [json.loads(line)["total"] for line in OUT.read_text().splitlines()]
    assert made == [[0.5], [0.5] * 2, [0.5] * 3]


# --- what is refused ---


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        (
            ["reward.components.length.with.longest=7"],
            "reward.components.length.with.longest: was absent, is 7",
        ),
        (["reward.total=length+1"], 'reward.total: was "length", is "length+1"'),
        (["seed=1"], "seed: was absent, is 1"),
    ],
)
def test_a_changed_recipe_is_refused(whole, overrides, complaint, capsys):
    OUT.write_bytes(whole[:100])
    assert score("--resume", *overrides) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert "out.jsonl: was started with other settings" in error
    assert OUT.read_bytes() == whole[:100]


def test_another_order_of_components_is_refused(capsys):
    uses = {"a": {"use": "cases/length"}, "b": {"use": "cases/length"}}
    for components in (uses, dict(reversed(uses.items()))):
        recipe = {"version": 1, "reward": {"components": components, "total": "a + b"}}
        Path("r.yaml").write_text(json.dumps(recipe))
        code = score("--resume")
    assert code == 2
    assert "reward.components: the order was a, b, is b, a" in capsys.readouterr().err


def test_what_does_not_decide_scores_may_change(whole):
    OUT.write_bytes(whole[:100])
    recipe = json.loads(Path("r.yaml").read_text())
    Path("r.yaml").write_text("# a comment\n" + json.dumps(recipe | {"name": "mine"}))
    assert score("--resume") == 0
    assert OUT.read_bytes() == whole


def test_changed_rows_are_refused(whole, capsys):
    OUT.write_bytes(whole[:100])
    with open("rows.jsonl", "a") as file:
        file.write('{"id": "new", "prompt": "?", "completions": ["x"]}\n')
    assert score("--resume") == 2
    assert "rows.jsonl: the rows have changed" in capsys.readouterr().err
    assert OUT.read_bytes() == whole[:100]


def test_another_version_of_a_plugin_is_refused(whole, capsys):
    state = STATE / "state.json"
    state.write_text(state.read_text().replace('"score-cases": "1.0"', '"score-cases": "0.9"'))
    assert score("--resume") == 2
    assert 'score-cases: was version "0.9", is "1.0"' in capsys.readouterr().err
    assert OUT.read_bytes() == whole


def test_an_output_without_its_state_is_refused(whole, capsys):
    (STATE / "state.json").unlink()
    assert score("--resume") == 2
    assert "out.jsonl: there is no out.jsonl.state that says what made this file" in capsys.readouterr().err
    assert OUT.read_bytes() == whole


def test_an_output_of_other_rows_is_refused(whole, capsys):
    line = whole.splitlines(keepends=True)[0]
    OUT.write_bytes(line.replace(b'"id": 0', b'"id": 77'))
    assert score("--resume") == 2
    assert "out.jsonl:1: no row has the id 77" in capsys.readouterr().err


def test_an_existing_output_is_refused_without_resume(whole, capsys):
    assert score() == 2
    assert "out.jsonl: exists already; --resume continues it, or give -o another name" in capsys.readouterr().err
    assert OUT.read_bytes() == whole


# --- interruptions of a real process ---


def start(*arguments, **more):
    command = [
        sys.executable,
        "-m",
        "rewardlab.cli",
        "score",
        "r.yaml",
        "rows.jsonl",
        "-o",
        "out.jsonl",
        *arguments,
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes | more)


@contextmanager
def running(*arguments, **more):
    """The process, killed at the end."""
    with start(*arguments, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(seen, process):
    """Until `seen()`, while the process lives."""
    until = time.monotonic() + 60
    while not seen():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.005)


def wait_for_rows(count, process):
    wait_until(lambda: OUT.exists() and OUT.read_bytes().count(b"\n") >= count, process)


def prepare_gated(rows, late, pause=0.0):
    """Rows of which the last ones wait, so that a job is surely under way, and what must come of them."""
    write_rows(rows, late=late)
    write_recipe("cases/gated", gate="gate", pause=pause)
    Path("gate").touch()
    assert score(out="whole.jsonl") == 0
    Path("gate").unlink()
    scored()


def kill_and_resume(kills, rows):
    """Kill a job at random moments, resume it each time, compare with one that nobody killed."""
    prepare_gated(rows, late=1, pause=0.0002)
    chance, flags = random.Random(0), []
    for kill in range(kills):
        with running(*flags) as process:
            wait_for_rows(rows * (kill + 1) // (kills + 2), process)
            time.sleep(chance.uniform(0, 0.03))
        flags = ["--resume"]
    Path("gate").touch()
    assert score("--resume") == 0
    assert OUT.read_bytes() == Path("whole.jsonl").read_bytes()


def test_a_killed_job_loses_nothing():
    kill_and_resume(kills=2, rows=600)


@pytest.mark.slow
def test_a_job_killed_again_and_again_loses_nothing():
    kill_and_resume(kills=12, rows=4000)


@pytest.mark.slow
def test_a_job_killed_before_its_first_row_loses_nothing():
    assert score(out="whole.jsonl") == 0
    for wait in range(20):
        with running("--resume"):
            time.sleep(wait * 0.04)
    assert score("--resume") == 0
    assert OUT.read_bytes() == Path("whole.jsonl").read_bytes()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_is_written_and_prints_how_to_go_on(ending):
    prepare_gated(rows=40, late=30)
    with running("seed=3", "--skip-bad") as process:
        wait_for_rows(10, process)
        process.send_signal(ending)
        _, error = process.communicate(timeout=30)
    assert process.returncode == 128 + ending
    assert OUT.read_bytes().count(b"\n") == 10
    go_on = "rewardlab score r.yaml rows.jsonl seed=3 -o out.jsonl --skip-bad --resume"
    assert error.splitlines() == [
        "error: stopped",
        f"error: 10 of 40 rows are in out.jsonl; to go on: {go_on}",
    ]
    Path("gate").touch()
    assert main(go_on.split()[1:]) == 0
    assert OUT.read_bytes() == Path("whole.jsonl").read_bytes()


def signal_all(process, number):
    """As schedulers do: the process, and those that it has started, too."""
    for one in [*psutil.Process(process.pid).children(recursive=True), process]:
        one.send_signal(number)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("use", ["cases/thread", "cases/worker", "cases/length"])
def test_an_interrupt_does_not_wait_for_a_reward(use, ending):
    Path("r.yaml").write_text(Path("r.yaml").read_text().replace("cases/length", use))
    with running("reward.components.length.with.pause=3600") as process:
        wait_until(Path("log.txt").exists, process)
        if ending == signal.SIGINT:  # a worker has a session of its own, which a terminal's interrupt does not reach
            process.send_signal(ending)
        else:
            signal_all(process, ending)
        _, error = process.communicate(timeout=300)
    assert process.returncode == 128 + ending
    assert error.startswith("error: stopped\nerror: 0 of 12 rows are in out.jsonl; to go on: ")


def test_a_full_disk_leaves_whole_rows_and_says_how_to_go_on():
    write_recipe(log=None)
    write_rows(300)
    assert score(out="whole.jsonl") == 0
    limit = 20_000

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    with running(preexec_fn=small_files) as process:
        _, error = process.communicate(timeout=30)
    assert process.returncode == 1
    written = OUT.read_bytes()
    assert limit - 1000 < len(written) <= limit
    assert Path("whole.jsonl").read_bytes().startswith(written)
    assert written.endswith(b"\n")
    full, there = error.splitlines()
    assert full == "error: out.jsonl cannot be written: File too large"
    rows = written.count(b"\n")
    assert there.startswith(f"error: {rows} of 300 rows are in out.jsonl; to go on: rewardlab score r.yaml")
    assert main(shlex.split(there.partition("to go on: ")[2])[1:]) == 0
    assert OUT.read_bytes() == Path("whole.jsonl").read_bytes()


def test_no_room_for_the_ids_of_the_rows_is_told_and_nothing_is_written():
    with open("rows.jsonl", "w") as file:
        for number in range(4000):
            file.write(json.dumps({"id": "long" * 250 + str(number), "prompt": "?", "completions": ["x"]}) + "\n")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    with running(preexec_fn=small_files) as process:
        _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert error.startswith("error: the ids of the rows cannot be kept in the folder for temporary files: ")
    assert "Traceback" not in error
    assert not list(Path().glob("out*"))


def test_a_second_writer_is_refused():
    prepare_gated(rows=4, late=3)
    with running() as first:
        wait_for_rows(1, first)
        with running("--resume") as second:
            _, error = second.communicate(timeout=30)
        assert (second.returncode, error) == (2, "error: out.jsonl: another process is writing this file\n")
        OUT.unlink()  # even so the first one has it
        with running() as third:
            _, error = third.communicate(timeout=30)
        assert (third.returncode, error) == (2, "error: out.jsonl: another process is writing this file\n")
        assert not OUT.exists()


@pytest.mark.parametrize("arguments", [(), ("--resume",)])
@pytest.mark.parametrize("torn", [False, True])
def test_a_file_that_appears_while_the_rows_are_checked_is_left_as_it_is(arguments, torn, monkeypatch, capsys):
    """Another job that found no file either was quicker, and may be in the middle of a line."""
    assert score(out="another.jsonl") == 0
    lines = Path("another.jsonl").read_bytes().splitlines(keepends=True)
    theirs = b"".join([lines[2], lines[0], lines[1][:-7] if torn else b""])

    def check(*given):
        OUT.write_bytes(theirs)
        return check_rows(*given)

    monkeypatch.setattr(job, "check_rows", check)
    capsys.readouterr()
    assert score(*arguments) == 2
    assert OUT.read_bytes() == theirs
    assert "error: out.jsonl: exists already; --resume continues it" in capsys.readouterr().err


@pytest.mark.nightly
def test_memory_does_not_grow_with_the_rows():
    write_recipe(log=None)
    peaks = []
    for count in (1_000, 20_000):
        write_rows(count, width=50)
        OUT.unlink(missing_ok=True)
        process = start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        assert OUT.read_bytes().count(b"\n") == count
        peaks.append(usage.ru_maxrss / 1024)
    assert peaks[1] - peaks[0] < 4, f"peak memory in MB: {peaks}"
