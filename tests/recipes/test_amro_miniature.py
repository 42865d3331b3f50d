"""AMRO end to end with a tiny real model that is its own critic, beside a control whose critiques were shuffled."""

import re
import subprocess
import sys

import pytest
from helpers.paths import TESTS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    """What the command prints."""
    script = TESTS / "tiny_models" / "critique_loop.py"
    folder = tmp_path_factory.mktemp("loop") / "amro"
    done = subprocess.run([sys.executable, script, folder], capture_output=True, encoding="utf-8", timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(loop, line):
    """The numbers of a line that the command prints."""
    (found,) = re.findall(rf"^{line}.*$", loop, re.M)
    return [float(number) for number in re.findall(r"\d\.\d{3}", found)]


@pytest.mark.parametrize("dimension", ["Language", "Box"])
def test_the_critic_examines_answers_that_it_never_saw_as_its_teacher_does(loop, dimension):
    trained, control = numbers(loop, f"critiques of held-out answers that agree with the teacher's, {dimension}")
    assert control < 0.65 < 0.7 < trained


def test_the_policy_gets_better_by_its_own_critiques_and_not_by_shuffled_ones(loop):
    def risen(run, component):
        before, after = numbers(loop, f"{run}, {component}")
        return after - before

    for component in ("answer", "language", "boxed"):
        assert risen("trained", component) > 0.15
    assert risen("control", "language") + risen("control", "boxed") < 0.15
