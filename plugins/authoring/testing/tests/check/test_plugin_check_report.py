"""The table of a check, and what stands below it: reasons are told once, and many alike in one row."""

from rewardlab.registry import Plugin
from rewardlab_testing.check.check import PluginCheck
from rewardlab_testing.check.import_cost import ImportCost
from rewardlab_testing.check.report import format_findings
from rewardlab_testing.check.table import LawTable
from rewardlab_testing.outcomes.law_words import REWARD
from rewardlab_testing.outcomes.outcome import LawOutcome, TrialResult


def test_a_reason_of_several_components_is_told_once():
    def tried(use, *laws):
        outcomes = [LawOutcome(law=law, state="untried", why=why) for law, why in laws]
        return TrialResult(use=use, kind="reward", example="", outcomes=outcomes)

    ray = ("ray", "Ray is not installed here")
    order, copy = ("order", "no example"), ("prompt_copy", "no example")
    check = PluginCheck(
        plugin=Plugin(name="p", distribution="p", version="1"),
        results=[tried("p/a", ray, order, copy), tried("p/b", ray), *(tried(f"p/{n}", ray) for n in range(6))],
        import_cost=None,
        seconds=1.0,
    )
    assert format_findings(check).split("\n\n")[0].splitlines() == [
        "not tried",
        "  ray: Ray is not installed here (p/a, p/b, p/0, p/1, p/2, p/3, 2 more)",
        "  order, prompt_copy: no example (p/a)",
    ]


def test_an_example_of_which_nothing_could_be_tried_is_one_row():
    outcomes = [LawOutcome(law=law, state="untried", why="needs model=...") for law in REWARD]
    check = PluginCheck(
        plugin=Plugin(name="p", distribution="p", version="1"),
        results=[TrialResult(use="p/a", kind="reward", example="whole", outcomes=outcomes)],
        import_cost=None,
        seconds=1.0,
    )
    untried, _ = format_findings(check).split("\n\n")
    assert untried == f"not tried\n  {len(REWARD)} laws: needs model=..."
    lines = []
    LawTable(["p/a"], ["whole"], lines.append).add("p/a", "whole", outcomes)
    assert [line.split() for line in lines[1:]] == [["p/a", "whole", str(len(REWARD)), "laws", "not", "tried"]]


def test_each_row_is_written_when_it_is_known_in_columns_that_fit_all():
    lines = []
    table = LawTable(["p", "p/longer"], ["an example"], lines.append)
    assert lines == [], "there may be a mistake in what was asked for"
    table.add_import("p", ImportCost(seconds=0.1))
    table.add("p/longer", "an example", [LawOutcome(law="range", state="held", tries=3)])
    table.add("p/longer", "an example", [LawOutcome(law="antisymmetry", state="nothing", why="why")])
    table.add("p/longer", "an example", [LawOutcome(law="order", state="broken", why="why")])
    table.add("p/longer", "", [LawOutcome(law=law, state="unbuilt", why="why") for law in ("range", "order")])
    assert lines == [
        "component  example     law           result",
        "p                      import        held, 100 ms",
        "p/longer   an example  range         held 3",
        "                       order         BROKEN",
        "p/longer               2 laws        could not be built",
    ]
