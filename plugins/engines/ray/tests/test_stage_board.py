"""The steps of a job at the terminal where it was started: from the engine's lines, and the log that scorers write."""

import re

import pytest
from helpers.pseudo_terminal import lines_of, run_at_terminal

pytestmark = pytest.mark.slow

TAKE = """
import json
from pathlib import Path
from rewardlab.text.printable import printable_output
from rewardlab_ray.job.log_lines import STEPS
from rewardlab_ray.job.stage_board import StageBoard
from rewardlab_ray.job.stage_log import StageLog
from rewardlab_ray.user_lines import marked

folder = Path({folder!r})
with printable_output():
    board = StageBoard.at_terminal("1-rl", folder / "1-rl.jsonl")
    with StageLog(folder / "1-rl.log", print, board=board) as log:
        log.take(marked(f"{{STEPS}}9"))
        for step in (4, 5, 6):
            with open(folder / "1-rl.jsonl", "a") as file:
                row = {{"step": step, "reward/total": step / 10, "reward/accuracy": 0.5, "judge/main/calls": 7.0}}
                file.write(json.dumps(row)[:-1] if step == 6 else json.dumps(row) + "\\n")
            log.take(marked(f"scores {{json.dumps(row)}}"))
            numbers = {{"policy_loss": 1 / step, "reward/total": float("nan")}}
            told = f"INFO 11-21 15:56:5{{step}} ppo_trainer.py:551] Global step {{step}}: {{numbers}}"
            log.take(f"(PPOTrainer pid=9) {{told}}")
            log.take(marked("a line of ours"))
    print("the end")
"""


def test_a_job_shows_its_steps_and_judges_below_its_lines(tmp_path):
    code, written = run_at_terminal(TAKE.format(folder=str(tmp_path)))
    lines = lines_of(written)
    assert code == 0, written
    assert lines[:3] == ["a line of ours"] * 3
    assert re.match(r"1-rl: step 6 of 9 [━╺╸]+ [\d.e-]+ s a step, \d+ s left$", lines[3])
    assert [re.sub(" +", " ", line) for line in lines[4:8]] == [
        " total ▁▅█ 0.6",
        " accuracy ▄▄▄ 0.5",
        " loss █▄▁ 0.167",
        " judge main: 14 calls, 0 tokens",
    ]
    assert lines[8] == "the end"
    assert (tmp_path / "1-rl.log").read_text().count("Global step") == 3
    assert "\x1b" not in (tmp_path / "1-rl.log").read_text()


def test_elsewhere_each_step_is_the_same_line_as_trls(tmp_path):
    code, written = run_at_terminal(TAKE.format(folder=str(tmp_path)), TERM="dumb")
    assert code == 0, written
    assert [line for line in written.splitlines() if "step" in line] == [
        "1-rl: step 4 of 9, total 0.4, accuracy 0.5, loss 0.25",
        "1-rl: step 5 of 9, total 0.5, accuracy 0.5, loss 0.2; 1 s a step, 4 s left",
        "1-rl: step 6 of 9, total 0.6, accuracy 0.5, loss 0.167; 1 s a step, 3 s left",
    ]
