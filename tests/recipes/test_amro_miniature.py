"""AMRO end to end with a tiny real model that is its own critic, beside a control whose critiques were shuffled."""

import re
import subprocess
import sys

import pytest
from helpers.paths import TESTS

LINE = "critiques of held-out answers that agree with the teacher's, {}"


def loop(folder, *options):
    """What the command prints."""
    script = TESTS / "tiny_models" / "critique_loop.py"
    done = subprocess.run(
        [sys.executable, script, folder, *options], capture_output=True, encoding="utf-8", timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(printed, line):
    """The numbers of a line that the command prints."""
    (found,) = re.findall(rf"^{line}.*$", printed, re.M)
    return [float(number) for number in re.findall(r"\d\.\d{3}", found)]


@pytest.mark.slow
def test_the_loop_goes_from_a_teachers_critiques_to_a_policy_that_is_its_own_critic(tmp_path):
    """With so few steps that nothing is learnt; what is, the next test shows in the night, beside its control."""
    printed = loop(tmp_path / "amro", "--few")
    assert all(len(numbers(printed, LINE.format(dimension))) == 1 for dimension in ("Language", "Box"))
    assert all(len(numbers(printed, f"trained, {name}")) == 2 for name in ("answer", "language", "boxed"))


@pytest.mark.nightly
def test_the_critic_agrees_with_its_teacher_and_the_policy_gets_better_by_its_own_critiques(tmp_path):
    """The critic on answers that it never saw; the control, whose critiques were shuffled, does neither."""
    printed = loop(tmp_path / "amro")
    for dimension in ("Language", "Box"):
        trained, control = numbers(printed, LINE.format(dimension))
        assert control < 0.65 < 0.7 < trained, dimension
    rises = {}
    for run in ("trained", "control"):
        for component in ("answer", "language", "boxed"):
            before, after = numbers(printed, f"{run}, {component}")
            rises[run, component] = after - before
    assert all(rises["trained", component] > 0.15 for component in ("answer", "language", "boxed"))
    assert rises["control", "language"] + rises["control", "boxed"] < 0.15
