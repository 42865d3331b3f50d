"""The file of a run's ledger, for every command that reads one: while it grows, where there is none, and in shards."""

import json

import pytest
from rewardlab import Completion, Group, Sample
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer
from rewardlab_records.ledger import GrowingLedger, find_ledger
from rewardlab_testing.backend_laws.ledger import read_groups
from rewardlab_training import Ledger

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


@pytest.fixture
def run(offer, write, tmp_path):
    """The folder of a run with two attempts at 4 groups of 3."""
    offer("mine", PLUGIN)
    plan = make_plan(load(write("r.yaml", RECIPE)), purpose="score")
    folder = tmp_path / "run"
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
            ledger = Ledger(folder / "ledger.jsonl", attempt=attempt)
            ledger.write(0, 1, scorer.score_groups(groups), "yes")
            ledger.close()
    return folder


def test_as_read_while_it_grows(run, tmp_path):
    """More and more bytes come, wherever the last of them stands in a line or a group."""
    part = tmp_path / "part"
    part.mkdir()
    growing, found, torn = GrowingLedger(part), [], set()
    content = (run / "ledger.jsonl").read_bytes()
    for share in range(0, 101, 5):
        (part / "ledger.jsonl").write_bytes(content[: len(content) * share // 100])
        found += [row for _, row in growing.rows()]
        torn.add(growing.torn)
    assert found == [row for _, row in find_ledger(run).rows()]
    assert (len(found), torn, growing.torn) == (24, {True, False}, False)
    assert list(growing.rows()) == []


def test_the_folder_of_a_run_and_the_file_in_it_are_the_same(run, main):
    told = [main("causes", "r.yaml", "--json", str(path)) for path in (run, run / "ledger.jsonl")]
    assert [json.loads(out)["causes"]["groups"] for _, out, _ in told] == [4, 4]
    assert len(read_groups(run)) == 8


@pytest.mark.parametrize(
    "command",
    [
        ["ledger", "RUN", "-o", "flat.jsonl"],
        ["report", "RUN"],
        ["causes", "r.yaml", "RUN"],
        ["tables", "RUN"],
    ],
)
def test_in_shards_it_is_refused_with_what_reads_it(run, main, command):
    (run / "ledger").mkdir()
    (run / "ledger" / "0-0.index.jsonl").touch()
    code, _, err = main(*(str(run) if word == "RUN" else word for word in command))
    assert (code, "this run's ledger is in shards (its folder ledger/), which this version does not read" in err) == (
        2,
        True,
    ), err


def test_what_has_no_ledger_is_said(run, main, tmp_path):
    (tmp_path / "empty").mkdir()
    code, _, err = main("causes", "r.yaml", str(tmp_path / "empty"))
    assert (code, "there is no ledger here" in err) == (2, True)
