"""`score --shard I/N` and `rewardlab merge`: the bytes of one machine, each row once, and what is refused by name."""

import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from helpers.each_case import each_case
from helpers.paths import ROOT, TESTS
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.cli import main
from rewardlab.files import FileLock
from rewardlab.judging import Share
from rewardlab.scorefile import StateFolder

OUT = Path("out.jsonl")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with a recipe and rows; the plugin `cases` is installed."""
    monkeypatch.syspath_prepend(str(TESTS / "score_plugin"))
    monkeypatch.chdir(tmp_path)
    write_recipe()
    write_rows(20)
    return tmp_path


def write_recipe(**options):
    component = {"use": "cases/length", "with": {"log": "log.txt"} | options}
    reward = {"components": {"length": component}, "total": "length"}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))


def write_rows(count, broken=()):
    """Rows with ids (numbers and texts) and without, of groups of 1 to 3."""
    with open("rows.jsonl", "w") as file:
        for number in range(count):
            row_id = ({"id": number}, {"id": f"n{number}"}, {})[number % 3]
            texts = ["x" * (number + index) for index in range(1 + number % 3)]
            row = row_id | {"prompt": f"question {number % 7}", "completions": 5 if number in broken else texts}
            file.write(json.dumps(row) + "\n")


def score(*arguments, out=OUT):
    return main(["score", "r.yaml", "rows.jsonl", "-o", str(out), *arguments])


def score_shards(count, *arguments):
    for part in range(1, count + 1):
        assert score("--shard", f"{part}/{count}", *arguments) == 0


def logged():
    return Path("log.txt").read_text().split() if Path("log.txt").exists() else []


@given(row_ids=st.sets(st.text(), max_size=20), parts=st.integers(1, 9))
def test_each_row_belongs_to_one_shard(row_ids, parts):
    for row_id in row_ids:
        assert sum(Share(part, parts).has(row_id) for part in range(1, parts + 1)) == 1


def test_an_id_belongs_to_the_same_shard_on_every_machine():
    assert [next(part for part in range(1, 5) if Share(part, 4).has(row_id)) for row_id in "acdhxyz"] == [
        3,
        3,
        2,
        4,
        1,
        1,
        4,
    ]


def test_merge_writes_what_one_machine_writes():
    assert score(out="one.jsonl") == 0
    alone = logged()
    Path("log.txt").unlink()
    score_shards(3)
    assert sorted(logged()) == sorted(alone)  # each row once, in one shard
    assert main(["merge", "out.jsonl"]) == 0
    assert OUT.read_bytes() == Path("one.jsonl").read_bytes()


def test_a_merged_file_is_exported_and_gone_on_with_as_that_of_one_machine():
    assert score(out="one.jsonl") == 0
    score_shards(3)
    assert main(["merge", "out.jsonl"]) == 0
    assert StateFolder(OUT).read() == StateFolder(Path("one.jsonl")).read()
    scored = logged()
    assert score("--resume") == 0
    assert logged() == scored  # nothing was left to score
    assert OUT.read_bytes() == Path("one.jsonl").read_bytes()


def test_a_merge_takes_no_answers_of_an_earlier_file_of_its_name():
    judges = StateFolder(OUT).judges
    judges.mkdir(parents=True)
    (judges / "main.answers.jsonl").write_text("{}\n")
    score_shards(2)
    assert main(["merge", "out.jsonl"]) == 0
    assert not judges.exists()
    assert (StateFolder(OUT).earlier_judges / "main.answers.jsonl").exists()


def test_merge_prints_the_summary_of_all_rows(capsys):
    assert score(out="one.jsonl") == 0
    of_one = capsys.readouterr()
    score_shards(3)
    capsys.readouterr()
    assert main(["merge", "out.jsonl", "-o", "merged.jsonl"]) == 0
    merged = capsys.readouterr().out
    assert merged.replace("merged.jsonl", "one.jsonl") == of_one.err
    assert "20 rows, 39 completions" in merged
    assert Path("merged.jsonl").exists()
    assert not OUT.exists()


def test_more_shards_than_rows_leave_some_without_a_row():
    write_rows(2)
    assert score(out="one.jsonl") == 0
    score_shards(8)
    assert main(["merge", "out.jsonl"]) == 0
    assert OUT.read_bytes() == Path("one.jsonl").read_bytes()


def test_bad_rows_are_every_shards_and_may_be_left_out(capsys):
    write_rows(12, broken=(4, 5))
    for part in (1, 2):
        assert score("--shard", f"{part}/2") == 2
        assert "2 bad rows" in capsys.readouterr().err
    assert logged() == []
    assert score("--skip-bad", out="one.jsonl") == 0
    score_shards(2, "--skip-bad")
    assert main(["merge", "out.jsonl"]) == 0
    assert OUT.read_bytes() == Path("one.jsonl").read_bytes()


def test_an_id_that_stands_twice_is_every_shards_error(capsys):
    with open("rows.jsonl", "a") as file:
        file.write(json.dumps({"id": "n1", "prompt": "again?", "completions": ["x"]}) + "\n")
    for part in (1, 2, 3):
        assert score("--shard", f"{part}/3") == 2
        assert "rows.jsonl:21: the id 'n1' is already used by rows.jsonl:2" in capsys.readouterr().err


def test_a_shard_goes_on_by_itself(capsys):
    score_shards(2)
    first = Path("out.1-of-2.jsonl")
    whole = first.read_bytes()
    lines = whole.splitlines(keepends=True)
    first.write_bytes(b"".join(lines[2:]) + lines[0] + lines[1][:9])
    assert main(["merge", "out.jsonl"]) == 2
    assert "out.1-of-2.jsonl: shard 1/2 is not finished; run its command again with --resume" in capsys.readouterr().err
    assert not OUT.exists()
    before = len(logged())
    assert score("--shard", "1/2", "--resume") == 0
    assert len(logged()) - before == len(json.loads(lines[1])["total"])  # the torn row's completions, no others
    assert first.read_bytes() == whole
    assert main(["merge", "out.jsonl"]) == 0


def change_rows():
    write_rows(21)


def change_recipe():
    write_recipe(longest=50)


def of_other(change):
    score_shards(3)
    for made in (Path("out.2-of-3.jsonl"), Path("out.2-of-3.jsonl.state/state.json")):
        made.unlink()
    change()
    assert score("--shard", "2/3") == 0


def of_other_policy():
    score_shards(3)
    for made in (Path("out.2-of-3.jsonl"), Path("out.2-of-3.jsonl.state/state.json")):
        made.unlink()
    assert score("--shard", "2/3", "reward.components.length.on_missing=0.5") == 0


def of_other_version():
    score_shards(3)
    state = Path("out.3-of-3.jsonl.state/state.json")
    state.write_text(state.read_text().replace('"rewardlab": "0.1.0"', '"rewardlab": "0.0.9"'))


def without(*shards):
    score_shards(4)
    for shard in shards:
        Path(f"out.{shard}-of-4.jsonl").unlink()


def with_other_number():
    score_shards(2)
    assert score("--shard", "1/3") == 0


def with_line(line):
    score_shards(2)
    with open("out.2-of-2.jsonl", "ab") as file:
        file.write(line)


def with_existing_output():
    score_shards(2)
    OUT.write_text("mine\n")


def without_state():
    score_shards(2)
    Path("out.1-of-2.jsonl.state").rename("elsewhere")


def with_odd_line(line):
    score_shards(2)
    path = Path("out.2-of-2.jsonl")
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(line.replace(b"ID", json.dumps(json.loads(first)["id"]).encode()) + b"\n" + b"".join(rest))


def with_places(text):
    score_shards(2)
    Path("out.1-of-2.jsonl.state/places").write_text(text)


def with_state_without(part):
    score_shards(2)
    path = Path("out.1-of-2.jsonl.state/state.json")
    path.write_text(json.dumps({key: value for key, value in json.loads(path.read_text()).items() if key != part}))


def swapped():
    score_shards(2)
    first, second = Path("out.1-of-2.jsonl"), Path("out.2-of-2.jsonl")
    first.rename("other")
    second.rename(first)
    Path("other").rename(second)


def copied():
    score_shards(2)
    shutil.rmtree("out.2-of-2.jsonl.state")
    shutil.copytree("out.1-of-2.jsonl.state", "out.2-of-2.jsonl.state")
    shutil.copyfile("out.1-of-2.jsonl", "out.2-of-2.jsonl")


def with_line_twice():
    score_shards(2)
    path = Path("out.2-of-2.jsonl")
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[-1])


CASES = [
    (lambda: None, "out.jsonl: no shard of it is there, such as out.1-of-2.jsonl"),
    (lambda: without(2, 3), "out.jsonl: shards are missing: out.2-of-4.jsonl, out.3-of-4.jsonl"),
    (lambda: of_other(change_rows), "out.2-of-3.jsonl: was made of other rows than out.1-of-3.jsonl"),
    (lambda: of_other(change_recipe), "out.2-of-3.jsonl: was made by another recipe than"),
    (of_other_policy, "out.2-of-3.jsonl: was made with another on_missing than out.1-of-3.jsonl"),
    (of_other_version, "out.3-of-3.jsonl: was made by other versions (rewardlab 0.0.9) than"),
    (with_other_number, "out.jsonl: there are shards of 2 and of 3"),
    (lambda: with_line(b'{"id": 1}\n'), "out.2-of-2.jsonl: shard 2/2 is not finished"),
    (
        lambda: with_odd_line(b'{"id": ID, "total": [1], "shaped": [1], "components": {}}'),
        "shard 2/2 is not finished",
    ),
    (
        lambda: with_odd_line(b'{"id": ID, "total": 1, "shaped": 1, "components": null}'),
        "shard 2/2 is not finished",
    ),
    (lambda: with_odd_line(b"[]"), "out.2-of-2.jsonl: shard 2/2 is not finished"),
    (with_line_twice, "out.2-of-2.jsonl: shard 2/2 is not finished"),
    (swapped, "out.1-of-2.jsonl: shard 1/2 is not finished"),
    (copied, "out.2-of-2.jsonl: its state is not that of shard 2/2"),
    (lambda: with_places("0"), "out.1-of-2.jsonl.state/places cannot be read: "),
    (lambda: with_places("damaged\n"), "move this shard and its folder away, and score it again"),
    (lambda: with_state_without("all_rows"), "out.1-of-2.jsonl: its state is not that of shard 1/2; move"),
    (lambda: with_state_without("whole_recipe"), "out.1-of-2.jsonl: its state is not that of shard 1/2; move"),
    (with_existing_output, "out.jsonl: exists already; give -o another name"),
    (without_state, "out.1-of-2.jsonl: there is no out.1-of-2.jsonl.state"),
]


@each_case("make, told", CASES)
def test_what_merge_refuses(tmp_path_factory, monkeypatch, capsys, make, told):
    monkeypatch.chdir(tmp_path_factory.mktemp("case"))
    write_recipe()
    write_rows(20)
    make()
    capsys.readouterr()
    assert main(["merge", "out.jsonl"]) in (1, 2)
    errors = capsys.readouterr().err
    assert told in errors
    assert "bug" not in errors
    assert not OUT.exists() or OUT.read_text() == "mine\n"
    assert not list(Path().glob(".*merging"))


@each_case(
    "words, told",
    [
        (["out.jsonl", "-o", "-"], "-: name the file that the shards were written for, and with -o another file"),
        (["-"], "name the file that the shards were written for"),
        (["."], "name the file that the shards were written for"),
        (["out.jsonl", "-o", "nowhere/all.jsonl"], "there is no folder nowhere; make it first"),
        (["out.jsonl", "-o", "out.1-of-2.jsonl"], "out.1-of-2.jsonl: exists already"),
        (["out.1-of-2.jsonl"], "out.1-of-2.jsonl: no shard of it is there"),
    ],
)
def test_a_merge_names_two_files(tmp_path_factory, monkeypatch, capsys, words, told):
    monkeypatch.chdir(tmp_path_factory.mktemp("case"))
    write_recipe()
    write_rows(6)
    score_shards(2)
    before = sorted(Path().rglob("*"))
    capsys.readouterr()
    assert main(["merge", *words]) == 2
    assert told in capsys.readouterr().err
    assert sorted(Path().rglob("*")) == before


@pytest.mark.slow
def test_a_merge_that_was_killed_or_ended_in_a_full_disk_begins_anew():
    write_rows(900)
    assert score(out="one.jsonl") == 0
    score_shards(2)
    before = sorted(Path().iterdir())
    words = f"ulimit -f 1; exec {sys.executable} -B -m rewardlab.cli merge out.jsonl"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
    assert (done.returncode, "cannot be written: File too large" in done.stderr) == (1, True), done.stderr
    assert sorted(Path().iterdir()) == before
    Path(".out.jsonl.merging").write_text("what a kill has left")
    assert main(["merge", "out.jsonl"]) == 0
    assert OUT.read_bytes() == Path("one.jsonl").read_bytes()
    assert not Path(".out.jsonl.merging").exists()


@each_case(
    "name, write",
    [
        ("crlf.jsonl", lambda path, lines: path.write_bytes(b"\r\n".join(lines) + b"\r\n")),
        ("gaps.jsonl", lambda path, lines: path.write_bytes(b"\n\n".join(lines))),
        ("packed.jsonl.gz", lambda path, lines: path.write_bytes(gzip.compress(b"\n".join(lines)))),
        ("array.json", lambda path, lines: path.write_bytes(b"[" + b",".join(lines) + b"]")),
    ],
)
def test_other_forms_of_rows_are_divided_likewise(tmp_path_factory, monkeypatch, name, write):
    monkeypatch.chdir(tmp_path_factory.mktemp("case"))
    write_recipe()
    write_rows(12)
    write(Path(name), Path("rows.jsonl").read_bytes().splitlines())
    assert score(out="one.jsonl") == 0
    for part in (1, 2, 3):
        assert main(["score", "r.yaml", name, "-o", "out.jsonl", "--shard", f"{part}/3"]) == 0
    assert main(["merge", "out.jsonl"]) == 0
    assert OUT.read_bytes() == Path("one.jsonl").read_bytes()


def test_a_pipe_is_no_file_to_divide(capsys):
    os.mkfifo("pipe")
    assert main(["score", "r.yaml", "pipe", "-o", "out.jsonl", "--shard", "1/2"]) == 2
    assert "pipe: rows are read twice, so they must be a regular file" in capsys.readouterr().err
    assert main(["score", "r.yaml", "-", "-o", "-", "--shard", "1/2"]) == 2
    assert "--shard needs files" in capsys.readouterr().err


@contextmanager
def few_files():
    """Let this process open twenty more files, unless it raises that by itself."""
    free = [os.open(os.devnull, os.O_RDONLY) for _ in range(20)]  # numbers between them may be taken
    for number in free:
        os.close(number)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(free) + 1, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("shards", [8, 9, 22])
def test_too_many_open_files_are_named_and_no_shard_is_called_damaged(monkeypatch, capsys, shards):
    """Another limit than that of this process, such as the machine's, which shows only as a file is opened."""
    write_rows(20)
    score_shards(shards)
    monkeypatch.setattr("rewardlab_shards.shard_files._allow_open_files", lambda shards, where: None)
    capsys.readouterr()
    with few_files():
        code = main(["merge", "out.jsonl"])
    errors = capsys.readouterr().err
    assert (code, "Too many open files" in errors) == (1, True), errors
    assert "score it again" not in errors
    assert "bug" not in errors


def test_many_shards_are_merged_where_few_files_may_be_open():
    write_rows(40)
    assert score(out="one.jsonl") == 0
    score_shards(12)
    with ExitStack() as others:  # a process may have many open already
        for _ in range(200):
            others.enter_context(open(os.devnull))
        with few_files():
            assert main(["merge", "out.jsonl"]) == 0
    assert OUT.read_bytes() == Path("one.jsonl").read_bytes()


def test_more_shards_than_a_machine_can_open_are_refused():
    score_shards(12)
    words = f"ulimit -n 150; exec {sys.executable} -m rewardlab.cli merge out.jsonl"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
    assert done.returncode == 2
    assert re.search(r"12 shards need 1[67]\d open files, and this machine allows 150 \(`ulimit -Hn`\)", done.stderr)


@pytest.mark.slow
def test_the_benchmark_of_a_merge_writes_shards_that_are_merged():
    words = [sys.executable, str(ROOT / "benchmarks" / "shards.py"), "merge", "--rows", "200", "--shards", "3"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, "merge of 200 rows in 3 shards" in done.stdout) == (0, True), done.stdout + done.stderr


def write_boxes(**component):
    """Rows whose completions have no box, so that `score` says so at its end."""
    reward = {"components": {"right": {"use": "math/accuracy", **component}}, "total": "right"}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))
    with open("rows.jsonl", "w") as file:
        for number in range(9):
            row = {"id": number, "prompt": "?", "answer": str(number), "completions": [f"It is {number}."] * 2}
            file.write(json.dumps(row) + "\n")


@pytest.mark.slow
def test_merge_says_what_is_odd_about_all_rows(capsys):
    write_boxes(on_missing=0.0)
    assert score(out="one.jsonl") == 0
    of_one = capsys.readouterr().err
    assert "note: right: 18 of 18 responses have no" in of_one
    score_shards(2)
    capsys.readouterr()
    assert main(["merge", "out.jsonl"]) == 0
    assert capsys.readouterr().out.replace("out.jsonl", "one.jsonl") == of_one


@pytest.mark.slow
def test_merge_counts_where_a_variable_of_the_recipe_is_not_set(capsys, monkeypatch):
    monkeypatch.setenv("EXTRACT", "boxed")
    write_boxes(**{"with": {"extract": "${oc.env:EXTRACT}"}})
    score_shards(2)
    monkeypatch.delenv("EXTRACT")
    capsys.readouterr()
    assert main(["merge", "out.jsonl"]) == 0
    out = capsys.readouterr().out
    assert "note: nothing is said about what is odd, as the recipe cannot be read here: " in out
    assert "9 rows, 18 completions" in out


def test_shards_that_went_on_with_another_policy_are_merged(capsys):
    obey = {"use": "cases/obey", "on_missing": "fail", "max_missing": 0.9}
    reward = {"components": {"obey": obey, "length": {"use": "cases/length"}}, "total": "obey + length"}
    Path("r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))
    with open("rows.jsonl", "w") as file:
        for number in range(8):
            file.write(json.dumps({"id": number, "prompt": "?", "completions": ["well", "raise"]}) + "\n")
    for part in ("1/2", "2/2"):
        assert score("--shard", part) == 1
        assert score("--shard", part, "--resume", "reward.components.obey.on_missing=0") == 0
    capsys.readouterr()
    assert main(["merge", "out.jsonl"]) == 0
    out = capsys.readouterr().out
    assert "note: nothing is said about what is odd, as shards went on with other policies: component 'obey'" in out
    assert "8 rows, 16 completions" in out
    assert "8 totals lack a part; --resume of their shards asks for it again" in out


def test_hosts_of_ray_are_no_shard(capsys):
    assert score("--shard", "1/2", "--on", "ray") == 2
    assert "--on: goes without --shard: it divides the rows itself" in capsys.readouterr().err
    assert not list(Path().glob("out*"))


def test_a_shard_that_starts_twice_leaves_the_answers_of_the_first(tmp_path):
    """The second has found no file, reads the rows, and begins when the first was killed."""
    first = StateFolder(tmp_path / "out.1-of-2.jsonl")
    first.judges.mkdir(parents=True)
    answers = first.judges / "main.answers.jsonl"
    answers.write_text("{}\n")
    (tmp_path / "out.1-of-2.jsonl").write_text("")
    assert not StateFolder(tmp_path / "out.1-of-2.jsonl").set_replies_aside()
    assert answers.exists()


def test_what_is_no_shard_is_refused(capsys):
    for text in ("0/4", "5/4", "4", "a/b"):
        assert score("--shard", text) == 2
        assert "--shard: a share is K/N" in capsys.readouterr().err


def test_a_shard_that_is_written_is_not_merged(capsys):
    score_shards(2)
    lock = FileLock(Path("out.2-of-2.jsonl.state/lock"))
    try:
        assert main(["merge", "out.jsonl"]) == 2
    finally:
        lock.close()
    assert "out.2-of-2.jsonl: another process is writing this file" in capsys.readouterr().err
