"""A ledger in shards and the same in one file are the same to every command that reads a ledger."""

import json
import re
from dataclasses import replace

import pytest
from rewardlab import Completion, Group, Sample
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer
from rewardlab_ray.ledger_shards import LedgerIndex, LedgerShard
from rewardlab_studies.ledger import GrowingLedger, ledger_parts
from rewardlab_testing.backend_laws.ledger import read_groups
from rewardlab_training import Ledger
from rewardlab_viewer.page.page import write_report

PLUGIN = """
from rewardlab import RewardSpec, Score, hookimpl

class Length:
    def score(self, items):
        return [Score(value=len(completion.text) / 10) for _, completion in items]

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="length", summary="made", runs="inline", build=lambda options, context: Length())]
"""
RECIPE = """
version: 1
reward:
  components: {long: {use: mine/length}, other: {use: mine/length}}
  total: 2 * long + other
"""
PHASES = [(1, "yes", "training"), (2, "no", "training"), (2, "yes", "training"), (2, "no", "during")]
"""the second is of groups that filtering discarded, or a group sampler did not choose"""


def unchosen(group):
    """The group as it is of completions that a group sampler did not choose."""
    return replace(group, totals=[None] * len(group.completions), shaped=(), causes=None)


@pytest.fixture
def runs(offer, write, tmp_path):
    """Two folders of runs with the same groups: in one file, and in shards of two scorers, out of order."""
    offer("mine", PLUGIN)
    plan = make_plan(load(write("r.yaml", RECIPE)), purpose="score")
    folders = [tmp_path / name for name in ("in_one_file", "in_shards")]
    for folder in folders:
        folder.mkdir()
        (folder / "manifest.json").write_text("{}")
        (folder / "recipe.resolved.yaml").write_text(RECIPE)
    groups = [
        Group(
            sample=Sample(id=f"r{n}", prompt=({"role": "user", "content": "?"},), fields={"level": n}),
            completions=tuple(Completion(text="x" * (n + i), token_count=n) for i in range(3)),
        )
        for n in range(4)
    ]
    with Scorer(plan) as scorer:
        for attempt in range(2):
            single = Ledger(folders[0] / "ledger.jsonl", attempt=attempt)
            index = LedgerIndex(folders[1], attempt, 0)
            shards = [LedgerShard(folders[1], attempt, 0, number) for number in range(2)]
            for number, (step, trained, phase) in enumerate(PHASES[attempt:]):
                scored = scorer.score_groups(groups)
                if (trained, phase) == ("no", "training"):
                    scored = [scored[0], unchosen(scored[1])]
                single.write(0, step, scored, trained, phase)
                for place, group in enumerate(scored, 10 * number):
                    key = f"{number}-{place}"
                    shards[0].write(key, group)  # a scorer that died before it could tell
                    index.add(key, shards[1].write(key, group), step=step, trained=trained, phase=phase, place=place)
            for file in (single, index, *shards):
                file.close()
    return folders


def test_as_groups_of_a_run(runs):
    one, shards = map(read_groups, runs)
    assert one == shards
    assert len(one) == 24


@pytest.mark.parametrize("place", [0, 1])
def test_as_read_while_it_grows(runs, tmp_path, place):
    """Of all files more and more bytes come, wherever the last of them stands in a line or a group."""
    whole, part = runs[place], tmp_path / "part"
    files = [path.relative_to(whole) for path in sorted(whole.rglob("*.jsonl"))]
    (part / "ledger").mkdir(parents=True)
    growing, found, torn = GrowingLedger(part), [], set()
    for share in range(0, 101, 5):
        for path in files:
            content = (whole / path).read_bytes()
            (part / path).write_bytes(content[: len(content) * share // 100])
        found += [row for _, row in growing.rows()]
        torn.add(growing.torn)
    expected = [row for one in ledger_parts(whole) for _, row in one.rows()]
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, expected))
    assert (len(found), torn, growing.torn) == (72, {True, False}, False)
    assert list(growing.rows()) == []


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_as_a_table(runs, main, tmp_path, ending):
    tables = []
    for number, run in enumerate(runs):
        path = tmp_path / f"{number}.{ending}"
        code, out, err = main("ledger", str(run), "-o", str(path))
        assert (code, err) == (0, "")
        assert "72 rows" in out
        assert "30 of them superseded by a resume, 12 of them made for training and not trained on" in out
        tables.append(path.read_text())
    assert tables[0] == tables[1]


def test_as_a_report(runs):
    pages = []
    for run in runs:
        write_report([run], run / "report.html")
        page = (run / "report.html").read_text().replace(run.name, "")
        pages.append(re.sub(r'"identity": "\w+"', "", page))  # of the folder
    assert pages[0] == pages[1]
    assert "were made to be trained on and were not" in pages[0]


@pytest.mark.parametrize("command", ["causes", "check"])
def test_as_what_moved_the_reward(runs, main, command):
    [one, shards] = [main(command, "r.yaml", "--json", str(rows)) for rows in (runs[0] / "ledger.jsonl", runs[1])]
    assert one[0] == shards[0] == 0
    told = [json.loads(ended[1]) for ended in (one, shards)]
    assert told[0] == told[1]
    assert told[0]["causes"]["groups"] == 8


def test_what_has_no_ledger_is_said(runs, main, tmp_path):
    (tmp_path / "empty").mkdir()
    code, _, err = main("causes", "r.yaml", str(tmp_path / "empty"))
    assert (code, "there is no ledger here" in err) == (2, True)


def test_a_group_that_is_cut_off_is_said_once_and_left_out(runs, main, tmp_path):
    [shard] = (runs[1] / "ledger").glob("1-0-1-*.jsonl")
    shard.write_bytes(shard.read_bytes()[:-7])
    code, out, err = main("ledger", str(runs[1]), "-o", str(tmp_path / "cut.jsonl"))
    assert (code, err.count("is cut off"), "69 rows" in out) == (0, 1, True)


def test_a_run_that_goes_on_after_one_file_that_was_killed_has_both(runs, main, tmp_path):
    """A run of before there were shards was killed, and resumed since: nobody mends its file."""
    one = runs[0] / "ledger.jsonl"
    old = [line for line in one.read_bytes().splitlines(keepends=True) if b'"attempt": 0' in line]
    (runs[1] / "ledger.jsonl").write_bytes(b"".join(old) + b'{"version": 2, "att')
    for path in (runs[1] / "ledger").glob("0-*"):
        path.unlink()
    tables = []
    for run, cut in zip(runs, (0, 1), strict=True):
        path = tmp_path / f"{run.name}.jsonl"
        code, out, err = main("ledger", str(run), "-o", str(path))
        assert (code, err.count("is cut off"), "72 rows" in out) == (0, cut, True)
        tables.append(path.read_text())
    assert tables[0] == tables[1]
    for command in (["report", str(runs[1])], ["causes", "r.yaml", str(runs[1])], ["check", "r.yaml", str(runs[1])]):
        assert main(*command)[0] == 0


def test_groups_that_are_cut_off_are_counted(runs, main, tmp_path):
    [shard] = (runs[1] / "ledger").glob("1-0-1-*.jsonl")
    shard.write_bytes(b"".join(shard.read_bytes().splitlines(keepends=True)[:-5]))
    code, _, err = main("ledger", str(runs[1]), "-o", str(tmp_path / "cut.jsonl"))
    assert (code, err.count("(and 1 other group) is cut off")) == (0, 1)


def test_a_line_of_an_index_that_nobody_can_read_is_refused_as_one_of_a_file_is(runs, main, tmp_path):
    for path in (runs[0] / "ledger.jsonl", runs[1] / "ledger" / "1-0.index.jsonl"):
        lines = path.read_bytes().splitlines(keepends=True)
        lines[1] = lines[1][:50] + b"\n"
        path.write_bytes(b"".join(lines))
    for run, name in zip(runs, ("ledger.jsonl:2", "1-0.index.jsonl:2"), strict=True):
        code, _, err = main("ledger", str(run), "-o", str(tmp_path / "flat.jsonl"))
        assert (code, name in err) == (2, True)
