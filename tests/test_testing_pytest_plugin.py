"""The pytest plugin: nothing to pay where no law is tried, and a short section at the end where some are."""

import subprocess
import sys
from importlib.metadata import entry_points
from textwrap import dedent

import pytest

HEAVY = ("hypothesis", "pydantic", "rewardlab.specs", "rewardlab.testing.told")
TESTS = """
    from rewardlab import RewardSpec, Score
    from rewardlab.testing import check_reward

    def build(options, context):
        return Counted()

    class Counted:
        def score(self, items):
            return [Score(value=min(1.0, len(c.text) / 1e7)) for _, c in items]

    SPEC = RewardSpec(name="counted", summary="", runs="inline", build=build)

    def test_laws():
        check_reward(SPEC, good=["abc"], bad=["a"], tries=2)
"""


def test_it_is_loaded_by_pytest():
    [point] = [point for point in entry_points(group="pytest11") if point.name == "rewardlab"]
    assert point.value == "rewardlab.testing.pytest_plugin"


def test_loading_it_imports_nothing_heavy():
    script = f"import rewardlab.testing.pytest_plugin, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"


@pytest.mark.slow
def test_a_session_ends_with_the_laws_that_were_off_or_untried_and_shows_no_frames_of_ours(tmp_path):
    (tmp_path / "test_counted.py").write_text(dedent(TESTS))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "laws of rewardlab" in said
    assert "test/counted (reward): " in said
    assert "  required untried: it requires no field\n" in said
    assert "E       rewardlab.testing.outcome.LawsBroken: test/counted breaks `" in said
    assert "check_reward(SPEC" in said
    assert "checks.py" not in said, "a frame of ours"
