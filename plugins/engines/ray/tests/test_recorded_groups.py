"""The one ledger of a stage's scorers: whatever is killed when, each recorded group is there once, as it came first."""

import json
import pickle
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Completion, Sample, Score
from rewardlab.errors import JobError, UserError
from rewardlab.scoring.composition import ScoredGroup
from rewardlab_ray.job.cluster_job import STAYS_HERE
from rewardlab_ray.messages import FinishedGroup, GroupPlace
from rewardlab_ray.rendered_rows import Row
from rewardlab_ray.scoring.recorded_groups import RecordedGroups
from rewardlab_ray.scoring.rewards import rewards
from rewardlab_ray.scoring.service_settings import ServiceSettings
from rewardlab_ray.scoring.undecided_groups import UndecidedGroups
from rewardlab_testing.backend_laws.ledger import read_rows
from rewardlab_training import Ledger, ledger_lines, numbers_of_group

HOSTILE = 'a "quoted"\nline\r, \u2028, a tab\t and half a pair \ud800'


def scored(sample, *values, text="x"):
    return ScoredGroup(
        sample=Sample(id=sample, prompt=({"role": "user", "content": "How much?"},), fields={"language": "en"}),
        completions=[Completion(text=f"{text} {value}", token_count=3) for value in values],
        components={"a": [Score(value=value, error=None if value is not None else "no luck") for value in values]},
        totals=list(values),
        shaped=[0.0 if value is None else value for value in values],
    )


def finished(group, unchosen=()):
    kept = range(len(group.completions))
    given = rewards(group, kept, None, len(kept))
    return FinishedGroup(lines=ledger_lines(group), unchosen=unchosen, numbers=numbers_of_group(group), rewards=given)


def place(key, **more):
    return GroupPlace(**{"key": key, "row": 0, "evaluation": False, "step": 1, "size": 2} | more)


def add(recorded, key, group, step=1, trained="yes", phase="training", unchosen=(), **more):
    recorded.add(place(key, **more), finished(group, unchosen), step, trained, phase)


def settings_of(run, attempt=0, stage=0):
    folder = run / "engine" / f"{stage}-rl"
    folder.mkdir(parents=True, exist_ok=True)
    of_stage = {"job": "made", "run": run, "recipe": run / "r.yaml", "stage": stage, "attempt": attempt}
    return ServiceSettings(**of_stage, folder=folder, home=run)


@pytest.fixture
def opened(tmp_path):
    """Open the recorded groups of a stage and attempt, as a coordinator that begins or was restarted does."""
    there = []

    def open_them(attempt=0, stage=0):
        evaluation = [Row(sample=scored("e", 1.0).sample, prompt="?")]
        there.append(RecordedGroups(settings_of(tmp_path, attempt, stage), evaluation))
        return there[-1]

    yield open_them
    for recorded in there:
        recorded.close()


class TestTheLedger:
    def test_has_the_bytes_that_one_process_which_scores_would_write(self, tmp_path, opened):
        groups = [scored(f"s{n}", 1.0, None, 0.5, text=HOSTILE) for n in range(4)]
        recorded, single = opened(), Ledger(tmp_path / "single.jsonl", attempt=0)
        for number, group in enumerate(groups):
            add(recorded, f"key{number}", group, step=1 + number // 2)
            single.write(0, 1 + number // 2, [group], "yes")
        assert (tmp_path / "ledger.jsonl").read_bytes() == (tmp_path / "single.jsonl").read_bytes()

    def test_goes_on_through_stages_and_attempts(self, tmp_path, opened):
        for attempt, stage in ((0, 0), (0, 1), (1, 1)):
            add(opened(attempt, stage), "k", scored(f"{attempt}-{stage}", 1.0, 0.0))
        rows = [row for row in read_rows(tmp_path) if row["index"] == 0]
        assert [(row["id"], row["group"]) for row in rows] == [("0-0", 0), ("0-1", 1), ("1-1", 0)]

    def test_has_what_a_group_sampler_did_not_choose_as_a_group_of_its_own(self, tmp_path, opened):
        add(opened(), "k", scored("s", 1.0, 0.5), unchosen=ledger_lines(replace(scored("s", 0.0), totals=[None])))
        rows = [(row["group"], row["index"], row["trained"], row["total"]) for row in read_rows(tmp_path)]
        assert rows == [(0, 0, "no", None), (1, 0, "yes", 1.0), (1, 1, "yes", 0.5)]

    def test_gets_nothing_that_is_no_json(self, opened):
        with pytest.raises(ValueError, match="not JSON compliant"):
            ledger_lines(scored("s", 1.0, float("nan")))

    def test_without_a_folder_to_write_to_is_an_error(self, tmp_path, opened):
        (tmp_path / "ledger.jsonl").mkdir()
        with pytest.raises(JobError, match=r"ledger\.jsonl cannot be written: "):
            opened()

    def test_in_shards_is_of_an_earlier_version(self, tmp_path, opened):
        (tmp_path / "ledger").mkdir()
        (tmp_path / "ledger" / "0-0.index.jsonl").touch()
        with pytest.raises(UserError, match="ledger is in shards"):
            opened()


def test_no_file_of_groups_is_sent_to_a_cluster_with_a_job_that_goes_on(tmp_path, opened):
    """Its storage has them, and a package of a job must not be large."""
    add(opened(), "k", scored("s", 1.0))
    UndecidedGroups(settings_of(tmp_path).journal("undecided")).close()
    there = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.jsonl")]
    assert len(there) == 3
    assert [path for path in there if not any(path.match(pattern) for pattern in STAYS_HERE)] == []


class TestAfterARestart:
    def test_a_group_has_the_rewards_of_the_first_time(self, opened):
        group = scored("s", 1.0, None, 0.25)
        add(opened(), "k", group)
        again = opened()
        assert "k" in again
        assert "other" not in again
        assert again.rewards("k") == finished(group).rewards

    def test_what_was_recorded_is_there_in_order_with_the_texts_of_evaluations(self, opened):
        recorded = opened()
        add(recorded, "a", scored("s", 1.0, 0.0))
        add(recorded, "e", scored("e", 0.5, text=HOSTILE), trained="no", phase="during", evaluation=True)
        first, second = opened().earlier()
        assert first == (place("a"), numbers_of_group(scored("s", 1.0, 0.0)), None)
        assert (second[0].key, [one.text for one in second[2].completions]) == ("e", [f"{HOSTILE} 0.5"])

    def test_an_evaluation_whose_texts_are_lost_is_an_error(self, tmp_path, opened):
        add(opened(), "e", scored("e", 0.5), trained="no", phase="during", evaluation=True)
        again = opened()
        (tmp_path / "ledger.jsonl").write_bytes(b"")
        with pytest.raises(JobError, match=r"ledger\.jsonl ends before byte \d+, where a group stood"):
            list(again.earlier())

    def test_what_another_stage_wrote_behind_it_stays(self, tmp_path, opened):
        """A run that trains longer goes back to a stage before its last one."""
        add(opened(), "a", scored("a", 1.0))
        add(opened(stage=1), "b", scored("b", 1.0))
        add(opened(attempt=1), "c", scored("c", 1.0))
        assert [row["id"] for row in read_rows(tmp_path)] == ["a", "b", "c"]

    def test_lines_of_a_group_that_was_not_recorded_are_gone_in_a_further_attempt_too(self, tmp_path, opened):
        add(opened(), "a", scored("a", 1.0))
        Ledger(tmp_path / "ledger.jsonl", 0).write(0, 1, [scored("cut", 1.0, 0.5)], "yes")
        add(opened(attempt=1), "b", scored("b", 1.0))
        assert [(row["id"], row["attempt"]) for row in read_rows(tmp_path)] == [("a", 0), ("b", 1)]


def test_a_full_disk_leaves_nothing_of_a_group_and_the_next_one_follows(tmp_path, opened, monkeypatch):
    recorded = opened()
    add(recorded, "a", scored("a", 1.0))
    before = (tmp_path / "ledger.jsonl").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(recorded._journal._file, "_file", _full())
        with pytest.raises(JobError, match="No space left on device"):
            add(recorded, "b", scored("b", 1.0))
    assert (tmp_path / "ledger.jsonl").read_bytes() == before
    assert "b" not in recorded
    add(recorded, "b", scored("b", 0.5))
    assert [(row["group"], row["total"]) for row in read_rows(tmp_path)] == [(0, 1.0), (1, 0.5)]


def _full():
    """A file of a disk that is full, as Linux has one."""
    import os

    return os.open("/dev/full", os.O_WRONLY)


def test_groups_that_wait_for_the_engine_stay_as_they_came_until_their_step_is_over(tmp_path):
    journal = tmp_path / "undecided.jsonl"
    with closing(UndecidedGroups(journal)) as waiting:
        for key, step in (("a", 1), ("b", 2), ("c", 1)):
            waiting.add(place(key, step=step), finished(scored(key, 1.0, text=HOSTILE)))
        assert [(one.key, group) for one, group in waiting.of_step(1)] == [
            (key, finished(scored(key, 1.0, text=HOSTILE))) for key in "ac"
        ]
        waiting.add(place("d", step=2), finished(scored("d", 0.5)))
    assert len(journal.read_bytes().splitlines()) == 2, "texts of steps that are over are in the ledger"
    with closing(UndecidedGroups(journal)) as again:
        assert [(one.key, one.step) for one, _ in again] == [("b", 2), ("d", 2)]
        assert again.get("d").rewards == finished(scored("d", 0.5)).rewards
        assert again.get("a") is None


class TestTheNumbersOfAGroup:
    def test_are_small_whatever_the_texts(self):
        group = scored("s", *[0.1 * n for n in range(16)], None, text="word " * 10_000)
        assert len(pickle.dumps(numbers_of_group(group))) < 1000

    def test_come_back_from_json(self):
        numbers = numbers_of_group(scored("s", 1.0, None, 0.5))
        assert type(numbers).from_dict(json.loads(json.dumps(numbers.as_dict()))) == numbers
        assert (numbers.components["a"].failed, numbers.components["a"].sum, numbers.total.count) == ((1,), 1.5, 2)

    def test_and_its_lines_and_rewards_do_too(self):
        group = finished(scored("s", 1.0, None, text=HOSTILE), unchosen=ledger_lines(scored("s", 0.5)))
        again = FinishedGroup.from_dict(json.loads(json.dumps(group.as_dict())))
        assert again == replace(group, lines=list(group.lines), unchosen=list(group.unchosen))


EVENT = st.one_of(
    st.tuples(st.just("record"), st.integers(0, 4), st.integers(0, 9)),
    st.tuples(st.just("killed behind the ledger"), st.integers(0, 4), st.integers(0, 400)),
    st.tuples(st.just("killed within the journal"), st.integers(0, 4), st.integers(0, 40)),
    st.tuples(st.just("killed"), st.just(0), st.just(0)),
)


@given(events=st.lists(EVENT, max_size=30), old=st.integers(0, 2))
def test_each_recorded_group_is_there_once_whatever_is_killed(events, old):
    """Keys come any number of times; kills leave a part of a group's lines, or all of them, and torn facts behind."""
    with TemporaryDirectory() as folder:
        run, expected = Path(folder), {}
        with closing(Ledger(run / "ledger.jsonl", attempt=0)) as before:
            before.write(0, 1, [scored(f"old{n}", 1.0) for n in range(old)], "yes")
        settings = settings_of(run, attempt=1)
        recorded = RecordedGroups(settings, ())
        for event, key, value in events:
            group = scored(f"s{key}", float(value), -1.0)
            if event == "record" and f"k{key}" not in recorded:
                add(recorded, f"k{key}", group)
                expected[key] = float(value)
            if event == "record":
                assert recorded.rewards(f"k{key}").values == (expected[key], -1.0)
                continue
            recorded.close()
            if event != "killed":
                with closing(Ledger(run / "ledger.jsonl", attempt=1)) as ledger:
                    begin = ledger.size
                    ledger.write(0, 1, [group], "yes")
                    whole = ledger.size - begin
                with (run / "ledger.jsonl").open("r+b") as file:
                    file.truncate(begin + min(value if event == "killed behind the ledger" else whole, whole))
            if event == "killed within the journal":
                with settings.journal("recorded").open("ab") as file:
                    file.write(b'{"place": {"key": "k0", "row": 0, "evaluation": false'[:value])
            recorded = RecordedGroups(settings, ())
        recorded.close()
        rows = list(read_rows(run))
        assert [row["id"] for row in rows[:old]] == [f"old{n}" for n in range(old)]
        found = [(row["id"], row["group"], row["index"], row["total"]) for row in rows[old:]]
        assert found == [
            (f"s{key}", number, index, total)
            for number, (key, first) in enumerate(expected.items())
            for index, total in enumerate((first, -1.0))
        ]
