"""R3 end to end with a tiny real judge: it learns to judge from a teacher, and a policy gets better by its reward."""

import re
import subprocess
import sys

import pytest
from helpers.paths import TESTS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def road(tmp_path_factory):
    """What the command prints, and the folder that keeps everything."""
    folder = tmp_path_factory.mktemp("road") / "r3"
    script = TESTS / "tiny_models" / "rubric_road.py"
    done = subprocess.run([sys.executable, script, folder], capture_output=True, encoding="utf-8", timeout=900)
    assert done.returncode == 0, done.stderr
    return folder, done


def numbers(road, line):
    """The numbers of a line that the command prints."""
    (found,) = re.findall(rf"^{line}.*$", road[1].stdout, re.M)
    return [float(number) for number in re.findall(r"\d\.\d{3}", found)]


def test_the_trained_judge_finds_the_better_one_of_pairs_that_it_never_saw(road):
    chance, untrained, trained = numbers(road, "accuracy on held-out pairs")
    assert untrained <= chance < 0.8 < trained


@pytest.mark.parametrize("name", ["quality", "language", "boxed"])
def test_a_policy_gets_better_by_its_reward_also_in_what_no_judge_measures(road, name):
    before, after = numbers(road, f"policy, {name}")
    assert after > before + 0.1


def test_rows_are_counted_from_the_teacher_to_the_judge(road):
    folder, done = road
    told = r"(\d+) of (\d+) rows kept; left out: (\d+) with a wrong judged; (\d+) that the small model got right 5"
    kept, made, wrong, easy = map(int, re.search(told, done.stderr).groups())
    assert kept + wrong + easy == made == 3000
    assert len((folder / "r3-miniature.jsonl").read_text().splitlines()) == kept
