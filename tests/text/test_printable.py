"""What is printed cannot steer the terminal, wherever it comes from."""

import io
import json
import sys
import unicodedata

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.text import cursor_stream, printable
from rewardlab.text.printable import printable_output
from tqdm import tqdm

PLUGIN = r"""
from rewardlab import RewardSpec, Score, hookimpl

class Reward:
    def score(self, items):
        return [Score(error="\x1b[2J\x1b[1;31mall is fine\r\u202egnihton") for _ in items]

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="mine", summary="mine \x1b]0;owned\x07", build=lambda options, context: Reward())]
"""
RECIPE = "version: 1\nreward: {components: {mine: {use: mine/mine, on_missing: fail}}, total: mine}\n"


@each_case(
    "text, shown",
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b2J", r"\u009b2J"),
        ("a\rb\x08c\x00d\x7f", r"a\x0db\x08c\x00d\u007f"),
        ("\u202eevil\u2066x\u2069", r"\u202eevil\u2066x\u2069"),
        ("one\u2028two", r"one\u2028two"),
        ("\ud800", r"\ud800"),
        ("tab\there\nnext", "tab\there\nnext"),
        ("déjà vu, 答え, שלום, 👩\u200d🏫", "déjà vu, 答え, שלום, 👩\u200d🏫"),
    ],
)
def test_what_steers_is_shown_as_its_escape(text, shown):
    assert printable(text) == shown


@given(st.text(st.characters(codec=None)))
def test_nothing_else_changes_and_twice_is_once(text):
    shown = printable(text)
    assert printable(shown) == shown
    assert all(unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in shown if c not in "\t\n")
    if shown.isascii() or shown == text:
        shown.encode()


@given(st.text(st.characters(codec="utf-8")))
def test_json_stays_json(text):
    assert json.loads(printable(json.dumps(text, ensure_ascii=False))) == text


def test_a_block_prints_so_and_gives_the_streams_back():
    before = sys.stdout, sys.stderr
    sys.stdout = out = io.StringIO()
    try:
        with printable_output():
            print("\x1b[31mred")
            sys.stdout.writelines(["x\ry", "\n", "\x1b[A", "\n"])
            tqdm(range(3), file=sys.stdout, mininterval=0.0, ncols=40, position=1).update(3)  # as libraries have them
            assert cursor_stream() is before[1]
        assert sys.stdout is out
    finally:
        sys.stdout, sys.stderr = before
    *lines, bar = out.getvalue().split("\n", 3)
    assert lines == ["\\x1b[31mred", "x\\x0dy", "\\x1b[A"]
    assert "\r" in bar
    assert "\x1b[A" in bar
    assert "\\x" not in bar
    assert cursor_stream() is sys.stderr


@pytest.mark.parametrize("flags", [[], ["--json"], ["--traceback"]])
def test_so_does_the_command_line(main, offer, write, flags):
    """An error of a plugin or a server, and a plugin's own words in a table."""
    offer("mine", PLUGIN)
    write("r.yaml", RECIPE)
    write("rows.jsonl", '{"id": "a", "prompt": "1 + 1?", "completions": ["2"]}\n')
    for arguments in (["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", *flags], ["plugins", "mine"]):
        _, out, err = main(*arguments)
        assert "\\x1b" in out + err or "\\u001b" in out + err
        assert not {"\x1b", "\r", "\u202e", "\x07"} & {*out, *err}
