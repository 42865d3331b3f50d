"""The pytest plugin: nothing to pay where no law is tried, and a short section at the end where some are."""

import subprocess
import sys
from importlib.metadata import entry_points
from textwrap import dedent

import pytest

HEAVY = ("hypothesis", "pydantic", "rewardlab.specs", "rewardlab_testing.outcomes.messages")
TESTS = """
    from dataclasses import replace

    import pytest
    from rewardlab import NormalizerSpec, RewardSpec, Score
    from rewardlab.laws import Laws
    from rewardlab.testing import LawsBroken, check_normalizer, check_reward

    class Counted:
        def score(self, items):
            return [Score(value=min(1.0, len(c.text) / 1e7)) for _, c in items]

    class Centred:
        def shape(self, totals, tokens, kept, seed):
            return [totals[place] - sum(totals) / len(totals) for place in kept]

    COUNTED = RewardSpec(name="counted", summary="", runs="inline", build=lambda options, context: Counted())
    CENTRED = NormalizerSpec(name="centred", summary="", build=lambda options, context: Centred())

    def test_broken():
        check_reward(COUNTED, good=["abc"], bad=["a"], tries=2)

    def test_broken_as_expected():
        with pytest.raises(LawsBroken):
            check_reward(COUNTED, good=["abc"], bad=["a"], tries=2)

    def test_all_held():
        check_normalizer(CENTRED, tries=2)

    def test_one_off():
        check_normalizer(replace(CENTRED, name="lone", laws=Laws(off={"worker": "no time"})), tries=2)
"""


def test_it_is_loaded_by_pytest():
    [point] = [point for point in entry_points(group="pytest11") if point.name == "rewardlab"]
    assert point.value == "rewardlab_testing.pytest_plugin"


def test_loading_it_imports_nothing_heavy():
    script = f"import rewardlab_testing.pytest_plugin, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"


@pytest.fixture
def session(tmp_path):
    """What pytest says of TESTS, in a folder of their own; `session("-p", "no:rewardlab")`."""
    (tmp_path / "test_counted.py").write_text(dedent(TESTS))

    def run(*arguments):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout

    return run


@pytest.mark.slow
def test_a_session_ends_with_what_was_off_or_untried_where_no_law_is_broken(session):
    said = session()
    section = said.partition(" laws of rewardlab ===")[2].partition(" short test summary info ===")[0]
    assert [line for line in section.splitlines() if line.startswith("test/")] == [
        "test/lone (normalizer): 7 held; worker off (no time)"
    ]
    assert "E       rewardlab_testing.outcomes.outcome.LawsBroken: test/counted breaks `" in said
    assert "check_reward(COUNTED" in said
    assert "checks.py" not in said, "a frame of ours"
    assert "laws of rewardlab" not in session("-p", "no:rewardlab", "-k", "test_one_off")
