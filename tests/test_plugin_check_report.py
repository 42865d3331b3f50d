"""The table of a check, and what stands below it: reasons are told once, and many alike in one row."""

from rewardlab.laws import REWARD
from rewardlab.plugin_check import Checked
from rewardlab.plugin_check_report import text
from rewardlab.registry import Plugin
from rewardlab.testing.outcome import Outcome, Tried


def test_a_reason_of_several_components_is_told_once():
    def tried(use, *laws):
        outcomes = [Outcome(law=law, state="untried", why=why) for law, why in laws]
        return Tried(use=use, kind="reward", example="", outcomes=outcomes)

    ray = ("ray", "Ray is not installed here")
    order, copy = ("order", "no example"), ("prompt_copy", "no example")
    checked = Checked(
        plugin=Plugin(name="p", distribution="p", version="1"),
        tried=[tried("p/a", ray, order, copy), tried("p/b", ray), *(tried(f"p/{n}", ray) for n in range(6))],
        imported=None,
        seconds=1.0,
    )
    assert text(checked).split("\n\n")[1].splitlines() == [
        "not tried",
        "  ray: Ray is not installed here (p/a, p/b, p/0, p/1, p/2, p/3, 2 more)",
        "  order, prompt_copy: no example (p/a)",
    ]


def test_an_example_of_which_nothing_could_be_tried_is_one_row():
    outcomes = [Outcome(law=law, state="untried", why="needs model=...") for law in REWARD]
    checked = Checked(
        plugin=Plugin(name="p", distribution="p", version="1"),
        tried=[Tried(use="p/a", kind="reward", example="whole", outcomes=outcomes)],
        imported=None,
        seconds=1.0,
    )
    table, untried, _ = text(checked).split("\n\n")
    assert [line.split() for line in table.splitlines()[1:]] == [["p/a", "whole", "19", "laws", "not", "tried"]]
    assert untried == "not tried\n  19 laws: needs model=..."
