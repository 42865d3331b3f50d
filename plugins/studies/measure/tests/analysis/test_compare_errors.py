"""How often a comparison errs and sees: a small form of benchmarks/reward_comparisons.py, of fixed seeds."""

import sys

import pytest
from helpers.paths import ROOT

pytestmark = pytest.mark.slow

EXPERIMENTS = 100


@pytest.fixture(scope="module")
def benchmark():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import reward_comparisons

        patch.setattr(reward_comparisons, "POOL", 1000)
        yield reward_comparisons
        del sys.modules["reward_comparisons"]


def outcome(benchmark, name):
    (row,) = [row for row in benchmark.ROWS if row.name == name]
    return row.measure(EXPERIMENTS)


@pytest.mark.parametrize(
    "name", ["no difference, 20 prompts", "no difference, skewed, 50 prompts", "the same, a language at a time"]
)
def test_no_difference_is_seldom_called_one(benchmark, name):
    """Of 100 experiments of 5%, at most 11 err in all but 1 of 200 cases."""
    counts = outcome(benchmark, name)
    assert (counts.called <= 11, counts.called_by_looks <= 11, counts.held >= 89) == (True, True, True)


def test_so_many_prompts_as_are_needed_see_the_difference(benchmark):
    """Of 100 experiments of a power of 80%, 68 or more see it in all but 1 of 300 cases."""
    counts = outcome(benchmark, "needed for a power of 80%")
    assert counts.called >= 68
    assert counts.read < EXPERIMENTS * counts.prompts
