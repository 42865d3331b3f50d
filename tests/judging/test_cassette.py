"""Answers kept in a file: found by what was asked, whole whatever happens to who writes them."""

import fcntl
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent

import pytest
from helpers.each_case import each_case
from rewardlab import Ask, Reply
from rewardlab.errors import JobError, UserError
from rewardlab.judging.cassette import Cassette, question_key

MESSAGES = ({"role": "user", "content": "Which is better?"},)
IDENTITY = {"model": "large", "params": {"temperature": 0.6}}
KEYS = [f"{number:064x}" for number in range(4)]
TRICKY = Reply(
    text='\\boxed{{A}}, "draw": 0}\n{"key": "\ud800é\x00',
    reasoning="",
    logprobs={"content": [{"token": "A", "top": {"a": {"b": -0.5}}}]},
    finish_reason="stop",
    prompt_tokens=7,
    completion_tokens=0,
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


@pytest.fixture
def cassette(path):
    opened = []

    def open_it(write=True):
        opened.append(Cassette(path, write))
        return opened[-1]

    yield open_it
    for one in opened:
        one.close()


def python(code, *arguments, **options):
    """Run a script that appends to a cassette, in a process of its own."""
    start = "import sys\nfrom pathlib import Path\nfrom rewardlab import Reply\n"
    start += "from rewardlab.judging.cassette import Cassette\ncassette = Cassette(Path(sys.argv[1]))\n"
    command = [sys.executable, "-c", start + dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


class TestKey:
    ASK = Ask(messages=MESSAGES, parts={"a": "yes"}, params={"max_tokens": 5}, draw=1)

    @each_case(
        "identity, change",
        [
            ({"model": "small", "params": {"temperature": 0.6}}, {}),
            ({"model": "large", "params": {"temperature": 0.7}}, {}),
            (IDENTITY, {"messages": ({"role": "system", "content": "Which is better?"},)}),
            (IDENTITY, {"messages": ({"role": "user", "content": "Which is best?"},)}),
            (IDENTITY, {"messages": MESSAGES * 2}),
            (IDENTITY, {"params": {"max_tokens": 6}}),
            (IDENTITY, {"draw": 2}),
        ],
    )
    def test_follows_from_model_messages_parameters_and_draw(self, identity, change):
        given = {"messages": MESSAGES, "parts": {"a": "yes"}, "params": {"max_tokens": 5}, "draw": 1}
        assert question_key(identity, Ask(**(given | change))) != question_key(IDENTITY, self.ASK)

    def test_does_not_follow_from_the_order_of_parameters_or_from_parts_beside_messages(self):
        identity = {"params": {"temperature": 0.6}, "model": "large"}
        same = Ask(messages=[dict(MESSAGES[0])], parts={"a": "no"}, params={"max_tokens": 5}, draw=1)
        assert question_key(identity, same) == question_key(IDENTITY, self.ASK)

    def test_a_questions_own_parameters_stand_above_the_judges(self):
        hot = {"model": "large", "params": {"temperature": 1.0}}
        own = Ask(messages=MESSAGES, params={"temperature": 0.6})
        assert question_key(hot, own) == question_key(IDENTITY, Ask(messages=MESSAGES))

    def test_follows_from_the_parts_where_there_are_no_messages(self):
        one, other = (question_key(IDENTITY, Ask(parts={"a": text})) for text in ("yes", "no"))
        assert one != other


class TestAnswers:
    def test_are_found_as_they_were_kept_now_and_later(self, cassette):
        writing = cassette()
        assert writing.find(KEYS[0]) is None
        writing.add(KEYS[0], "large", 2, TRICKY)
        writing.add(KEYS[1], "large", 0, Reply(text=""))
        for one in (writing, cassette(), cassette(write=False)):
            assert [one.find(key) for key in KEYS[:3]] == [TRICKY, Reply(text=""), None]
            assert len(one) == 2

    def test_take_one_line_each_and_say_neither_the_question_nor_what_is_not_there(self, cassette, path):
        cassette().add(KEYS[0], "large", 2, Reply(text="yes", prompt_tokens=3))
        content = {"text": "yes", "prompt_tokens": 3}
        (line,) = path.read_text().splitlines()
        assert json.loads(line) == {"key": KEYS[0], "reply": content, "model": "large", "draw": 2}

    def test_written_by_another_process_in_the_meantime_are_found_and_stand(self, cassette):
        one, other = cassette(), cassette()
        one.add(KEYS[0], "large", 0, Reply(text="first"))
        assert other.add(KEYS[0], "large", 0, Reply(text="second")) == Reply(text="first")
        other.add(KEYS[1], "large", 0, Reply(text="more"))
        assert one.find(KEYS[1]) == Reply(text="more")
        assert [cassette().find(key) for key in KEYS[:2]] == [Reply(text="first"), Reply(text="more")]

    def test_of_two_files_put_together_are_found_as_in_the_first(self, cassette, path):
        rows = [{"key": KEYS[0], "reply": {"text": text}, "model": "m", "draw": 0} for text in ("first", "second")]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert cassette().find(KEYS[0]) == Reply(text="first")

    def test_may_be_written_by_other_tools(self, cassette, path):
        rows = [{"draw": 0, "key": key, "reply": {"text": key[-1]}} for key in KEYS[:2]]
        path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
        assert [cassette().find(key) for key in KEYS[:2]] == [Reply(text="0"), Reply(text="1")]

    def test_that_json_cannot_say_are_an_error_and_leave_no_trace(self, cassette, path):
        with pytest.raises(JobError, match="an answer of 'large' cannot be kept: TypeError"):
            cassette().add(KEYS[0], "large", 0, Reply(text="yes", logprobs=object()))
        assert path.read_bytes() == b""

    def test_that_were_changed_under_way_are_an_error(self, cassette, path):
        one = cassette()
        one.add(KEYS[0], "large", 0, TRICKY)
        path.write_bytes(b"x" * path.stat().st_size)
        with pytest.raises(JobError, match="was changed at byte 0 while it was in use"):
            one.find(KEYS[0])


class TestFile:
    @pytest.mark.parametrize(
        "content",
        [
            b"hello\n",
            b"hello",
            b"\x89PNG\r\n\x1a\n\x00",
            b'{\n "a": 1\n}\n',
            b"[1]\n",
            b'{"id": 1}',
            b'{"id": 1}\n',
            b"\n",
        ],
    )
    def test_that_is_no_cassette_is_refused_and_stays(self, cassette, path, content):
        path.write_bytes(content)
        with pytest.raises(UserError, match=rf"{path}: (this is not a cassette|byte 0: not an answer of a cassette)"):
            cassette()
        assert path.read_bytes() == content

    def test_with_a_line_of_brackets_is_read_on(self, cassette, path):
        cassette().add(KEYS[1], "large", 0, Reply(text="yes"))
        with path.open("ab") as file:
            file.write(b'{"key": ' + b"[" * 200_000 + b"\n")
        again = cassette()
        assert again.find(KEYS[1]) == Reply(text="yes")
        assert len(again) == 1

    @pytest.mark.parametrize("row", [{"key": "zz", "reply": {}}, {"key": KEYS[0]}, {"key": KEYS[0], "reply": {"x": 1}}])
    def test_with_a_line_that_is_no_answer_is_refused_with_its_place(self, cassette, path, row):
        cassette().add(KEYS[1], "large", 0, Reply(text="yes"))
        size = path.stat().st_size
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        with pytest.raises(UserError, match=f"byte {size}: not an answer of a cassette"):
            cassette()

    def test_that_is_missing_is_made_only_to_write(self, cassette, path):
        with pytest.raises(UserError, match="there is no such cassette; `mode: record` makes one"):
            cassette(write=False)
        assert not path.exists()
        cassette()
        assert path.read_bytes() == b""

    def test_that_cannot_be_opened_is_the_users_mistake(self, tmp_path):
        (tmp_path / "file").write_text("")
        for place in (tmp_path, tmp_path / "file" / "answers.jsonl"):
            with pytest.raises(UserError, match="this cassette cannot be written: "):
                Cassette(place)


class TestTornLine:
    def test_is_passed_over_wherever_it_was_cut(self, cassette, path):
        cassette().add(KEYS[0], "large", 0, TRICKY)
        whole = path.read_bytes()
        for cut in range(1, len(whole)):
            for before, kept in ((b"", None), (whole, TRICKY)):
                torn = whole[:cut].replace(KEYS[0].encode(), KEYS[1].encode())
                path.write_bytes(before + torn)
                one = cassette()
                assert one.find(KEYS[1]) is None
                added = one.add(KEYS[2], "large", 0, Reply(text="next"))
                again = cassette(write=False)
                assert [again.find(KEYS[0]), again.find(KEYS[2])] == [kept, added], cut
                assert again.find(KEYS[1]) == (TRICKY if cut == len(whole) - 1 else None)
                one.close()
                again.close()

    def test_that_lacks_only_its_end_keeps_its_answer(self, cassette, path):
        cassette().add(KEYS[0], "large", 0, Reply(text="first"))
        path.write_bytes(path.read_bytes()[:-1])
        one = cassette()
        assert one.find(KEYS[0]) is None, "somebody may be writing it"
        assert one.add(KEYS[0], "large", 0, Reply(text="second")) == Reply(text="first")
        assert cassette().find(KEYS[0]) == Reply(text="first")


class TestProcesses:
    APPENDING = """
        for number in range(150):
            key = f"{number // 2 + (number % 2) * int(sys.argv[2]) * 1000:064x}"
            reply = cassette.find(key) or cassette.add(key, "m", 0, Reply(text=f"{sys.argv[2]} " + "x" * number * 40))
            assert cassette.find(key) == reply
            print(key, reply.text[0], flush=True)
    """

    @pytest.mark.slow
    def test_append_at_the_same_time_and_agree_on_every_answer(self, cassette, path):
        processes = [python(self.APPENDING, path, number) for number in range(1, 4)]
        used = {}
        for process in processes:
            for line in process.communicate(timeout=60)[0].splitlines():
                key, who = line.split()
                assert used.setdefault(key, who) == who
            assert process.returncode == 0
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert len({row["key"] for row in rows}) == len(rows) == len(used) == 75 * 4
        replayed = cassette(write=False)
        assert all(replayed.find(key).text.startswith(who) for key, who in used.items())

    def test_one_that_is_killed_in_the_middle_of_a_line_costs_only_that_line(self, cassette, path):
        one = cassette()
        one.add(KEYS[0], "m", 0, Reply(text="before"))
        killed = python(
            """
            import os, signal
            write = os.write

            def half(file, line):
                write(file, line[:len(line) // 2])
                os.kill(os.getpid(), signal.SIGKILL)

            os.write = half
            cassette.add("1".zfill(64), "m", 0, Reply(text="never " * 100))
            """,
            path,
        )
        assert killed.wait(60) == -9
        assert not path.read_bytes().endswith(b"\n")
        one.add(KEYS[2], "m", 0, Reply(text="after"))
        for reader in (one, cassette(write=False)):
            found = [reader.find(key) for key in KEYS[:3]]
            assert found == [Reply(text="before"), None, Reply(text="after")]

    def test_who_appends_waits_for_whoever_is_writing_and_takes_its_answer(self, cassette, path):
        one, other = cassette(), path.open("ab", buffering=0)
        fcntl.flock(other, fcntl.LOCK_EX)
        with ThreadPoolExecutor(1) as thread, other:
            adding = thread.submit(one.add, KEYS[0], "m", 0, Reply(text="second"))
            time.sleep(0.05)
            assert not adding.done()
            row = {"key": KEYS[0], "reply": {"text": "first"}, "model": "m", "draw": 0}
            other.write((json.dumps(row) + "\n").encode())
            fcntl.flock(other, fcntl.LOCK_UN)
            assert adding.result(60) == Reply(text="first")
        assert len(path.read_bytes().splitlines()) == 1

    def test_a_full_disk_is_an_error_that_leaves_whole_lines(self, cassette, path):
        cassette().add(KEYS[0], "m", 0, Reply(text="before"))
        size = path.stat().st_size
        full = python(
            f"""
            import resource
            from rewardlab.errors import JobError
            resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 100}, {size + 100}))
            try:
                cassette.add("1".zfill(64), "m", 0, Reply(text="much " * 100))
            except JobError as error:
                print(error)
            cassette.add("2".zfill(64), "m", 0, Reply())
            """,
            path,
            stderr=subprocess.DEVNULL,
        )
        told = full.communicate(timeout=60)[0]
        assert told == f"the cassette {path} cannot be written: File too large\n"
        assert path.stat().st_size == size
        later = cassette()
        later.add(KEYS[1], "m", 0, Reply(text="after"))
        assert [cassette().find(key) for key in KEYS[:2]] == [Reply(text="before"), Reply(text="after")]
