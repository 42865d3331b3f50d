"""The foot of a real terminal: what is printed stands above it, whoever prints, and however wide it is."""

import os
import re

import pytest
from helpers.each_case import each_case
from helpers.pseudo_terminal import lines_of, resize, run_at_terminal
from rewardlab_training import display_width

pytestmark = pytest.mark.slow

STEPS = """
import sys, time
from rewardlab.text import Progress
from rewardlab.text.printable import printable_output
from rewardlab_training.step_board import StepBoard

def step(board, number):
    names = {"total": number, "ትክክለኛነት": number % 3, "正确性" * 9: -number, "صحة": 1, "\\x1b[2Jevil\\nname": 0}
    judged = {"judge/main/calls": 8, "judge/main/tokens": 1000, "judge/main/usd": 0.01}
    rewards = {f"reward/{name}": float(value) for name, value in names.items()}
    board.note_step(number, rewards | judged | {"loss": 1 / number})
    board.move_to(number)
    time.sleep(0.02)

with printable_output():
    board = StepBoard("1-rl", 50)
    for number in range(1, 21):
        step(board, number)
        if number == 5:
            print("a line")
            print("half of ", end="")
            print("another", file=sys.stderr)
            print("a line")
        if number == 7:
            board.warn("the reward fell from 0.9 to 0.1 at step 7, which is told in many words that have no room here")
        if number == 9:
            with Progress("evaluation", 4, unit="prompt", leave=False, delay_s=0) as progress:
                for _ in range(4):
                    progress.update()
                    print("evaluated", "\\x1b[31mred")
    board.close()
    print("the end")
"""
PRINTED = ["another", "half of a line", *[r"evaluated \x1b[31mred"] * 4]


@each_case(
    "columns, name, curve",
    [
        (80, "正确性正确性正确性正", "▁▁▂▂▂▃▃▄▄▄▅▅▅▆▆▇▇▇██"),
        (40, "正确性正确…", "▁▂▂▃▄▄▅▅▆▇▇█"),
    ],
)
def test_the_board_stands_below_all_that_is_printed_and_fits(columns, name, curve):
    code, written = run_at_terminal(STEPS, columns)
    lines = lines_of(written)
    assert code == 0, written
    assert lines[:7] == ["a line", *PRINTED]
    board = lines[7:-2]
    assert board[0].startswith("1-rl: step 20 of 50 ")
    assert board[0].endswith(" left")
    assert ("━" in board[0]) == (columns == 80)
    names = ["total", "ትክክለኛነት", name, "صحة", "loss", "judge", "!"]
    assert [line.split()[0] for line in board[1:] if "evi" not in line] == names
    assert curve in board[1]
    assert board[5].startswith(r"  \x1b[2Jevi")
    assert board[-2].startswith("  judge main: 160 calls, 20,000")
    assert board[-1].startswith("  ! 1 warning: the reward fell")
    assert board[-1].endswith("…")
    assert lines[-2:] == ["the end", ""]
    assert max(map(display_width, written_lines(written))) < columns, "no line breaks"


def written_lines(written):
    return re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", written).replace("\r", "\n").split("\n")


def test_a_terminal_that_is_made_narrower_is_written_to_as_it_is_then():
    code, written = run_at_terminal(STEPS, 100, "evaluated", lambda terminal: resize(terminal, 45))
    assert code == 0, written
    assert max(map(display_width, written_lines(written))) > 80
    assert max(map(display_width, lines_of(written)[7:])) < 45
    assert lines_of(written)[:7] == ["a line", *PRINTED], "and nothing that was printed is lost"


@each_case("environment", [{"CI": "true"}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_plain_lines_gets_them(environment):
    code, written = run_at_terminal(STEPS, **environment, REWARDLAB_PROGRESS_S="0.000001")
    assert code == 0, written
    assert "\x1b" not in written
    assert re.search(
        r"^1-rl: step 20 of 50, total 20, (?s:.*), loss 0.05; [\d.]+ s a step, \d+ s left\r$", written, re.M
    )


def test_what_a_program_prints_in_python_stands_above_too():
    lines = lines_of(run_at_terminal(STEPS.replace("with printable_output():", "if True:"))[1])
    assert lines[0] == "a line"
    assert lines[-2] == "the end"


def test_what_comes_back_through_a_pipe_stands_above_too():
    """As with `rewardlab run ... | tee log`."""
    piped = """
import os, subprocess
from rewardlab.text import terminal

terminal.PIPE_S = 0.5
tee = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
os.dup2(tee.stdin.fileno(), 1)
tee.stdin.close()
"""
    ended = "\nsys.stdout.flush()\nos.close(1)\ntee.wait()\n"
    code, written = run_at_terminal(piped + STEPS.replace('print("half of ", end="")', "pass") + ended)
    assert code == 0, written
    lines = lines_of(written)
    assert lines[:7] == ["a line", "another", "a line", *PRINTED[2:]]
    assert sum(line.startswith("1-rl: step") for line in lines) == 1
    assert lines[-2] == "the end"


def test_work_that_is_interrupted_leaves_what_it_has_done_and_the_message():
    code, written = run_at_terminal(
        """
import signal, time
from rewardlab.text import Progress
from rewardlab.text.printable import printable_output

def note(*_):
    global stopped
    stopped = True
    print("stopping after this step", flush=True)

stopped = False
signal.signal(signal.SIGINT, note)
with printable_output(), Progress("work", 10**9, delay_s=0) as progress:
    while not stopped:
        progress.update()
""",
        when="work: 1",
        then=lambda terminal: os.write(terminal, b"\x03"),
    )
    assert code == 0, written
    assert "stopping after this step" in lines_of(written)[-4:]
    assert lines_of(written)[-2].startswith("work: ")


def test_a_handler_of_a_signal_may_print_at_any_moment():
    """What it prints is written once, whichever line of the foot it interrupts."""
    code, written = run_at_terminal("""
import sys
from rewardlab.text import Progress, terminal
from rewardlab.text.printable import printable_output

def interrupt_at(moment):
    passed = 0
    def trace(frame, event, arg):
        nonlocal passed
        if frame.f_code.co_filename != terminal.__file__:
            return None
        passed += 1
        if passed == moment:
            sys.settrace(None)
            print(f"handled {moment}", file=sys.stderr)
        return trace
    sys.settrace(trace)
    progress.update()
    sys.settrace(None)
    return passed >= moment

terminal.REFRESH_S = 0
with printable_output(), Progress("work", 10**9, delay_s=0) as progress:
    moment = 1
    while interrupt_at(moment):
        moment += 1
print("moments", moment)
""")
    lines = lines_of(written)
    assert code == 0, written
    moments = int(lines[-2].removeprefix("moments "))
    assert moments > 50
    assert [line for line in lines if line.startswith("handled")] == [f"handled {one}" for one in range(1, moments)]
