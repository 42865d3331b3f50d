"""R3 end to end with a tiny real judge: it learns to judge from a teacher, and a policy gets better by its reward."""

import re
import subprocess
import sys

import pytest
from helpers.paths import TESTS


def road(folder, *options):
    """What the command prints, and says on stderr."""
    script = TESTS / "tiny_models" / "rubric_road.py"
    done = subprocess.run(
        [sys.executable, script, folder, *options], capture_output=True, encoding="utf-8", timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def numbers(printed, line):
    """The numbers of a line that the command prints."""
    (found,) = re.findall(rf"^{line}.*$", printed, re.M)
    return [float(number) for number in re.findall(r"\d\.\d{3}", found)]


@pytest.mark.slow
def test_the_road_goes_from_the_teachers_verdicts_to_a_policy_that_the_judge_rewards(tmp_path):
    """With so few steps that nothing is learnt; what is, the next test shows in the night."""
    printed, said = road(tmp_path / "r3", "--few")
    told = r"(\d+) of (\d+) rows kept; left out: (\d+) with a wrong judged; (\d+) that the small model got right 5"
    kept, made, wrong, easy = map(int, re.search(told, said).groups())
    assert kept + wrong + easy == made == 160
    assert len((tmp_path / "r3" / "r3-miniature.jsonl").read_text().splitlines()) == kept
    assert len(numbers(printed, "accuracy on held-out pairs")) == 3
    assert all(len(numbers(printed, f"policy, {name}")) == 2 for name in ("quality", "language", "boxed"))


@pytest.mark.nightly
def test_the_judge_finds_the_better_one_of_unseen_pairs_and_a_policy_gets_better_by_it(tmp_path):
    """It gets better also in what no judge measures."""
    printed, _ = road(tmp_path / "r3")
    chance, untrained, trained = numbers(printed, "accuracy on held-out pairs")
    assert untrained <= chance < 0.8 < trained
    for name in ("quality", "language", "boxed"):
        before, after = numbers(printed, f"policy, {name}")
        assert after > before + 0.1, name
