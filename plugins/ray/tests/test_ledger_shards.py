"""A ledger in shards: whatever is killed when, readers find each recorded group once, as one file would have it."""

import json
import pickle
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Sample, Score
from rewardlab.errors import JobError, UserError
from rewardlab.scoring import numbers_of_group
from rewardlab.scoring.composition import ScoredGroup
from rewardlab_ray.ledger_shards import LedgerIndex, LedgerShard, LedgerSpan, read_span
from rewardlab_studies.ledger.parts import ledger_parts
from rewardlab_training import Ledger

HOSTILE = 'a "quoted"\nline\r, \u2028, a tab\t and half a pair \ud800'


def scored(sample, *values, text="x"):
    return ScoredGroup(
        sample=Sample(id=sample, prompt=({"role": "user", "content": "How much?"},), fields={"language": "en"}),
        completions=[Completion(text=f"{text} {value}", token_count=3) for value in values],
        components={"a": [Score(value=value, error=None if value is not None else "no luck") for value in values]},
        totals=list(values),
        shaped=[0.0 if value is None else value for value in values],
    )


def read(run):
    """The rows of a run's ledger; each must be readable."""
    rows = [row for part in ledger_parts(run) for _, row in part.rows()]
    assert all(isinstance(row, dict) for row in rows)
    return rows


def raw(run):
    return b"".join(line for part in ledger_parts(run) for _, line in part.raw_lines())


def add(index, shard, key, group, step=1, **more):
    index.add(key, shard.write(key, group), step=step, trained="yes", **more)


@pytest.fixture
def index(tmp_path):
    index = LedgerIndex(tmp_path, 0, 0)
    yield index
    index.close()


@pytest.fixture
def shards(tmp_path):
    return [LedgerShard(tmp_path, 0, 0, writer) for writer in range(2)]


class TestJoined:
    def test_they_are_the_bytes_that_one_file_would_have(self, tmp_path, index, shards):
        groups = [scored(f"s{n}", 1.0, None, 0.5, text=HOSTILE) for n in range(4)]
        single = Ledger(tmp_path / "single.jsonl", attempt=0)
        for number, group in enumerate(groups):
            add(index, shards[number % 2], f"key{number}", group, step=1 + number // 2)
            single.write(0, 1 + number // 2, [group], "yes")
        assert raw(tmp_path) == (tmp_path / "single.jsonl").read_bytes()

    def test_their_order_is_that_of_steps_and_places_and_evaluations_follow_their_step(self, tmp_path, index, shards):
        for step, place in ((2, 5), (1, 1), (2, 4), (1, 0)):
            add(index, shards[place % 2], f"{step}-{place}", scored(f"t{place}", 1.0), step, place=place)
        span = shards[0].write("e", scored("e", 1.0))
        index.add("e", span, step=1, trained="no", phase="during", place=7)
        assert [row["id"] for row in read(tmp_path)] == ["t0", "t1", "e", "t4", "t5"]
        assert [row["group"] for row in read(tmp_path)] == [3, 1, 4, 2, 0], "in the order in which they came"

    def test_where_the_engine_hides_the_step_their_order_is_that_in_which_they_came(self, tmp_path, index, shards):
        for number, step in enumerate((None, 2, None, 1)):
            add(index, shards[number % 2], str(number), scored(f"t{number}", 1.0), step, place=9 - number)
        assert [row["id"] for row in read(tmp_path)] == ["t0", "t1", "t2", "t3"]

    def test_stages_and_attempts_follow_each_other_and_a_file_of_before_comes_first(self, tmp_path):
        old = Ledger(tmp_path / "ledger.jsonl", attempt=0)
        old.write(1, 3, [scored("old", 1.0)], "yes")
        old.close()
        with (tmp_path / "ledger.jsonl").open("a") as file:
            file.write('{"version": 2, "att')  # killed; nobody opens this file again
        for attempt, stage in ((10, 0), (2, 1), (2, 0)):
            index = LedgerIndex(tmp_path, attempt, stage)
            add(index, LedgerShard(tmp_path, attempt, stage, 0), "k", scored(f"{attempt}-{stage}", 1.0, 0.0))
        rows = [row for part in ledger_parts(tmp_path) for _, row in part.rows() if isinstance(row, dict)]
        assert [row["id"] for row in rows if row["index"] == 0] == ["old", "2-0", "2-1", "10-0"]
        assert [row["group"] for row in rows if row["index"] == 0] == [0, 1, 0, 0], "stage 1 was there before stage 0"

    def test_the_folder_of_the_shards_may_be_named_too(self, tmp_path, index, shards):
        add(index, shards[0], "k", scored("s", 1.0))
        assert raw(tmp_path / "ledger") == raw(tmp_path)

    def test_a_reading_shows_the_same_groups_each_time_while_the_run_goes_on(self, tmp_path, index, shards):
        add(index, shards[0], "a", scored("a", 1.0), step=2, place=2)
        parts = ledger_parts(tmp_path)
        add(index, shards[0], "b", scored("b", 1.0), step=1, place=1)
        assert [row["id"] for part in parts for _, row in part.rows()] == ["a"]
        assert [row["id"] for row in read(tmp_path)] == ["b", "a"]


class TestWhatDoesNotCount:
    def test_is_what_nobody_recorded(self, tmp_path, index, shards):
        shards[0].write("lost", scored("lost", 1.0))
        add(index, shards[0], "k", scored("s", 1.0))
        assert [row["id"] for row in read(tmp_path)] == ["s"]

    def test_is_the_first_copy_of_a_group_that_was_written_again(self, tmp_path, index, shards):
        add(index, shards[0], "k", scored("s", 0.0))
        again = LedgerShard(tmp_path, 0, 0, 0)
        span = again.write("k", scored("s", 1.0))
        index.move("k", span)
        size = (tmp_path / "ledger" / "0-0.index.jsonl").stat().st_size
        index.move("k", span)
        assert (tmp_path / "ledger" / "0-0.index.jsonl").stat().st_size == size, "the same call once more is not news"
        assert [(row["total"], row["group"]) for row in read(tmp_path)] == [(1.0, 0)]

    @pytest.mark.parametrize("cut", [1, 30, 10_000])
    def test_is_a_group_whose_bytes_never_reached_the_disk(self, tmp_path, index, shards, cut):
        add(index, shards[0], "a", scored("a", 1.0, 0.0))
        add(index, shards[1], "b", scored("b", 1.0, 0.0))
        [path] = (tmp_path / "ledger").glob("0-0-1-*.jsonl")
        path.write_bytes(path.read_bytes()[:-cut])
        [part] = ledger_parts(tmp_path)
        assert [row["id"] for _, row in part.rows()] == ["a", "a"]
        assert "0-0-1-0.jsonl" in part.torn().where

    def test_is_nothing_outside_of_the_folder(self, tmp_path, index, shards):
        add(index, shards[0], "k", scored("s", 1.0))
        path = tmp_path / "ledger" / "0-0.index.jsonl"
        [shard] = (tmp_path / "ledger").glob("0-0-0-*.jsonl")
        shard.rename(tmp_path / shard.name)
        path.write_text(path.read_text().replace(shard.name, f"../{shard.name}"))
        assert read(tmp_path) == []

    def test_a_line_of_an_index_that_no_run_writes_is_refused(self, tmp_path, index):
        (tmp_path / "ledger" / "0-0.index.jsonl").write_text('{"key": "k"}\n')
        with pytest.raises(UserError, match="a line has no shard; a run writes no such line"):
            ledger_parts(tmp_path)


class TestAWriter:
    def test_never_writes_to_a_file_of_another_process(self, tmp_path):
        first, second = LedgerShard(tmp_path, 0, 0, 0), LedgerShard(tmp_path, 0, 0, 0)
        spans = [shard.write("k", scored("s", 1.0)) for shard in (first, second, first)]
        assert [span.shard for span in spans] == ["0-0-0-0.jsonl", "0-0-0-1.jsonl", "0-0-0-0.jsonl"]
        assert [span.at > 0 for span in spans] == [False, False, True]

    def test_writes_nothing_that_is_no_json(self, tmp_path, shards):
        with pytest.raises(ValueError, match="not JSON compliant"):
            shards[0].write("k", scored("s", float("nan")))
        assert shards[0].write("k", scored("s", 1.0)).at == 0

    def test_makes_no_file_before_it_has_a_group(self, tmp_path):
        LedgerShard(tmp_path, 0, 0, 0).close()
        assert not (tmp_path / "ledger").exists()

    def test_without_a_folder_to_write_to_is_a_job_error(self, tmp_path):
        (tmp_path / "ledger").write_text("a file")
        with pytest.raises(JobError, match="ledger cannot be written"):
            LedgerShard(tmp_path, 0, 0, 0).write("k", scored("s", 1.0))
        with pytest.raises(JobError, match=r"index\.jsonl cannot be written"):
            LedgerIndex(tmp_path, 0, 0)

    def test_reads_its_group_back(self, tmp_path, shards):
        span = shards[0].write("k", scored("s", 1.0, 0.5), sync=True)
        assert [row["total"] for row in read_span(tmp_path / "ledger", "k", span)] == [1.0, 0.5]
        elsewhere = LedgerSpan(shard=span.shard, at=span.at, bytes=span.bytes, size=3)
        for key, where in (("other", span), ("k", elsewhere)):
            with pytest.raises(JobError, match="do all nodes see one folder"):
                read_span(tmp_path / "ledger", key, where)
        with pytest.raises(JobError, match="cannot be read at byte 0"):
            read_span(tmp_path, "k", span)


class TestTheNumbersOfAGroup:
    def test_are_small_whatever_the_texts(self):
        group = scored("s", *[0.1 * n for n in range(16)], None, text="word " * 10_000)
        assert len(pickle.dumps(numbers_of_group(group))) < 1000

    def test_come_back_from_json(self):
        numbers = numbers_of_group(scored("s", 1.0, None, 0.5))
        assert type(numbers).from_dict(json.loads(json.dumps(numbers.as_dict()))) == numbers
        assert (numbers.components["a"].failed, numbers.components["a"].sum, numbers.total.count) == ((1,), 1.5, 2)


EVENT = st.one_of(
    st.tuples(st.just("write"), st.integers(0, 1), st.integers(0, 4), st.integers(0, 9), st.booleans()),
    st.tuples(st.just("kill a scorer"), st.integers(0, 1), st.integers(0, 40)),
    st.tuples(st.just("kill the coordinator"), st.integers(0, 40)),
)


@given(events=st.lists(EVENT, max_size=30), old=st.integers(0, 2), placed=st.booleans())
def test_each_recorded_group_is_there_once_whatever_is_killed(events, old, placed):
    """Keys are written by any scorer, any number of times, recorded or not; kills leave torn lines behind."""
    with TemporaryDirectory() as folder, ExitStack() as opened:
        run = Path(folder)
        expected = {}
        before = Ledger(run / "ledger.jsonl", attempt=0)
        before.write(0, 1, [scored(f"old{n}", 1.0) for n in range(old)], "yes")
        before.close()
        index = opened.enter_context(closing(LedgerIndex(run, 1, 0)))
        scorers = [opened.enter_context(closing(LedgerShard(run, 1, 0, number))) for number in range(2)]
        for event, *values in events:
            if event == "write":
                writer, key, total, recorded = values
                span = scorers[writer].write(f"k{key}", scored(f"s{key}", float(total), -1.0))
                if recorded and f"k{key}" in index:
                    index.move(f"k{key}", span)
                elif recorded:
                    index.add(f"k{key}", span, step=1 + key // 2, trained="yes", place=key if placed else None)
                if recorded:
                    expected[key] = float(total)
            elif event == "kill a scorer":
                writer, size = values
                _tear(run, sorted((run / "ledger").glob(f"1-0-{writer}-*.jsonl"))[-1:], size)
                scorers[writer] = opened.enter_context(closing(LedgerShard(run, 1, 0, writer)))
            else:
                _tear(run, [run / "ledger" / "1-0.index.jsonl"], values[0])
                index = opened.enter_context(closing(LedgerIndex(run, 1, 0)))
        rows = read(run)
        assert [row["id"] for row in rows[:old]] == [f"old{n}" for n in range(old)]
        new = rows[old:]
        assert [row["index"] for row in new] == [0, 1] * len(expected)
        ordered = sorted(expected, key=lambda key: (1 + key // 2, key if placed else 0))
        assert [row["id"] for row in new[::2]] == [f"s{key}" for key in ordered]
        assert {row["id"]: row["total"] for row in new[::2]} == {f"s{key}": total for key, total in expected.items()}
        assert sorted(row["group"] for row in new[::2]) == list(range(len(expected)))


def _tear(run, paths, size):
    """Append the beginning of a line, as a kill leaves it."""
    for path in paths:
        with path.open("ab") as file:
            file.write(b'{"key": "k0", "index": 0, "id": "s0", "completion": "x'[:size])
