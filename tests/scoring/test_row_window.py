"""The window of rows under way: bounded, in order, and never stuck."""

import json

import pytest
from helpers.paths import TESTS
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scoring import row_window
from rewardlab.scoring.given_rows import InputRow
from rewardlab.scoring.row_window import scored_in_order
from rewardlab.scoring.scorer import Scorer
from rewardlab.types import Completion, Group, Sample

PLUGIN = TESTS / "score_plugin"


@pytest.fixture
def scorer(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(PLUGIN))
    reward = {"components": {"slow": {"use": "cases/thread", "with": {"pause": 0.002}}}, "total": "slow"}
    (tmp_path / "r.yaml").write_text(json.dumps({"version": 1, "reward": reward}))
    with Scorer(make_plan(load(tmp_path / "r.yaml"), purpose="score")) as scorer:
        yield scorer


def talk(text):
    """A conversation whose answer is short, and whose tool says the text."""
    return Completion.of([{"role": "tool", "content": text}, {"role": "assistant", "content": "x"}])


class Rows:
    """Rows that are made as they are asked for, and counted."""

    def __init__(self, count, size, width, made=lambda text: Completion(text=text)):
        self.made, self._completion = 0, made
        self._count, self._size, self._width = count, size, width

    def __iter__(self):
        for number in range(self._count):
            self.made += 1
            completions = tuple(self._completion("x" * self._width) for _ in range(self._size))
            sample = Sample(id=str(number), prompt=({"role": "user", "content": "?"},))
            yield InputRow(given_id=number, group=Group(sample=sample, completions=completions))


@pytest.mark.parametrize(
    ("limit", "most", "rows"),
    [
        ("MAX_ROWS", 8, Rows(50, size=1, width=3)),
        ("MAX_COMPLETIONS", 40, Rows(50, size=5, width=3)),
        ("MAX_CHARACTERS", 8000, Rows(50, size=1, width=1000)),
        ("MAX_CHARACTERS", 8000, Rows(50, size=1, width=1000, made=talk)),
    ],
)
def test_at_most_so_much_is_under_way_and_it_comes_out_in_order(scorer, monkeypatch, limit, most, rows):
    monkeypatch.setattr(row_window, limit, most)
    furthest = 0
    for number, (row, scored) in enumerate(scored_in_order(scorer, rows)):
        assert row.given_id == number
        assert scored.sample is row.group.sample
        furthest = max(furthest, rows.made - number)
    assert number == 49
    assert 1 < furthest <= 8


def test_a_row_beyond_the_limits_is_scored_alone(scorer, monkeypatch):
    monkeypatch.setattr(row_window, "MAX_COMPLETIONS", 4)
    rows = Rows(3, size=10, width=1)
    for number, (row, scored) in enumerate(scored_in_order(scorer, rows)):
        assert rows.made == number + 1
        assert len(scored.totals) == len(row.group.completions) == 10
