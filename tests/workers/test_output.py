"""What workers print is shown line by line: named, once, with an end."""

from helpers.secrets_of_tests import forget_secrets
from rewardlab.text.redaction import note_secrets
from rewardlab.workers.output import MAX_LINE_LENGTH, MAX_LINES, PoolOutput


def test_chunks_become_lines_and_progress_bars_their_last_state():
    shown = []
    add = PoolOutput("a (my/a)", shown.append).of_worker(2)
    for chunk in (b"one\ntw", b"o\n\n  \n", b"10%\r50%\r", b"100%\n", "ü\n".encode(), b"\xff\r\nunfinished"):
        add(chunk)
    assert shown == [f"a (my/a), worker 2: {line}" for line in ("one", "two", "100%", "ü", "\ufffd")]


def test_a_line_of_several_workers_is_shown_once_and_a_long_one_is_cut():
    shown = []
    output = PoolOutput("a", shown.append)
    for number in (1, 2):
        output.of_worker(number)(b"same\n")
    output.of_worker(3)(b"x" * 10**6 + b"\n")
    first, long = shown
    assert first == "a, worker 1: same"
    assert long == f"a, worker 3: {'x' * (MAX_LINE_LENGTH - 3)}..."


def test_there_is_an_end_of_it():
    shown = []
    output = PoolOutput("a", shown.append)
    output.of_worker(1)(b"".join(b"%d\n" % number for number in range(2 * MAX_LINES)))
    output.of_worker(2)(b"more\n" * 10**5)
    assert len(shown) == MAX_LINES + 1
    assert shown[-1].startswith(f"a: its workers have printed {MAX_LINES} different lines")


def test_a_cut_leaves_no_half_of_a_secret():
    shown = []
    note_secrets(["sk-SECRETSECRETSECRET"])
    try:
        PoolOutput("a", shown.append).of_worker(1)(b"p" * (MAX_LINE_LENGTH - 10) + b"sk-SECRETSECRETSECRET\n")
    finally:
        forget_secrets()
    assert shown == [f"a, worker 1: {'p' * (MAX_LINE_LENGTH - 10)}***"]
