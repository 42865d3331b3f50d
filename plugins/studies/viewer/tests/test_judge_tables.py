"""The tables about judges: how consistent comparisons were, and who won them."""

from rewardlab_viewer.figures.asked_again import AskedAgain
from rewardlab_viewer.figures.judges import JudgeConsistency
from rewardlab_viewer.figures.rule_errors import RuleErrors

GROUP = {
    **dict.fromkeys(("calls", "comparisons", "ties", "unparsable", "failed", "triples", "intransitive"), 0),
    "position_bias": 0.0,
    "order_agreement": 1.0,
}


def group(verdicts, truth=(1.0, 0.0, 0.0), language="en", **more):
    """Lines of a group of three. verdicts: {(first, second): verdict}"""
    return [
        {
            "id": f"{language}-{truth}",
            "index": at,
            "fields": {"language": language},
            "components": {
                "right": {"value": truth[at]},
                "judge": {"value": 0.5, "info": {"verdicts": _from(verdicts, at), "group": GROUP, **more}},
            },
        }
        for at in range(3)
    ]


def _from(verdicts, at):
    return {str(second): verdict for (first, second), verdict in verdicts.items() if first == at}


def test_kappa_and_wins_are_of_all_verdicts_and_by_language():
    always_first = {(0, 1): "A", (1, 0): "A", (0, 2): "A", (2, 0): "A", (1, 2): "A", (2, 1): "unparsable"}
    knows = {(0, 1): "A", (1, 0): "B", (0, 2): "A", (2, 0): "B", (1, 2): "A", (2, 1): "B"}
    consistency = JudgeConsistency("right")
    for verdicts, language in ((always_first, "en"), (knows, "am")):
        consistency.add(group(verdicts, language=language))
        consistency.add(group({}, truth=(None, 1.0, 0.0), language=language))
    for _ in range(2):
        consistency.add(group({(1, 2): "tie", (2, 1): "both_bad"}))
    head, *rows = consistency.table()
    found = {row[1]: dict(zip(head, row, strict=True)) for row in rows}
    assert [found[one]["their kappa"] for one in ("en", "am")] == ["0.00", "–"], (
        "no pair agrees; one label throughout has none"
    )
    shown = [found[one]["kappa with correctness"] for one in ("all", "en", "am")]
    assert shown == ["0.50 (-0.98 to 1.00)", "0.00", "1.00"], "one problem alone does not say how much others differ"
    assert list(consistency.wins()) == [
        [
            "component",
            "stood first",
            "verdicts",
            "the first won",
            "the second won",
            "neither won",
            "unparsable",
            "failed",
        ],
        ["judge", "the more correct", "4", "100.0%", "0.0%", "0.0%", "0.0%", "0.0%"],
        ["judge", "one as correct", "8", "25.0%", "12.5%", "50.0%", "12.5%", "0.0%"],
        ["judge", "the less correct", "4", "50.0%", "50.0%", "0.0%", "0.0%", "0.0%"],
    ]


def test_a_damaged_line_takes_its_own_verdicts_and_no_others():
    knows = {(0, 1): "A", (1, 0): "B", (0, 2): "A", (2, 0): "B", (1, 2): "A", (2, 1): "B"}
    consistency = JudgeConsistency("right")
    for _ in range(2):
        lines = group(knows, truth=(0.0, 1.0, 1.0))
        consistency.add([lines[0], lines[2]])
    assert [row[1:4] for row in consistency.wins()][1:] == [
        ["the more correct", "2", "0.0%"],
        ["the less correct", "2", "100.0%"],
    ]


def test_verdicts_may_hold_anything():
    consistency = JudgeConsistency("right")
    for odd in ({"x": "A", "9": "A", "1": ["A"], "2": None}, ["A"], "A", None):
        lines = group({})
        for line in lines:
            line["components"]["judge"]["info"]["verdicts"] = odd
        consistency.add(lines)
    assert list(consistency.wins()) == []
    assert len(list(consistency.table())) == 2


def test_without_correctness_nobody_is_more_correct():
    consistency = JudgeConsistency()
    consistency.add(group({(0, 1): "A", (1, 0): "B"}))
    head, row = consistency.table()
    assert dict(zip(head, row, strict=True))["kappa with correctness"] == "–"
    assert list(consistency.wins()) == []


def asked_again(repeats, language="en", **more):
    """Lines of a group, of each completion what its judges said."""
    return [
        {
            "id": f"{language}-{repeats}",
            "index": at,
            "fields": {"language": language},
            "components": {"judge": {"value": 0.5, "info": {"repeats": own, **more}}, "other": {"value": 1.0}},
        }
        for at, own in enumerate(repeats)
    ]


def test_spreads_flips_and_a_panels_agreement_are_shown_by_language():
    steady = [{"values": {"a": [1.0, 1.0], "b": [1.0, 1.0]}, "spread": 0.0}]
    steady.append({"values": {"a": [0.0, 0.0], "b": [0.0, None]}, "spread": 0.0})
    flips = [{"values": {"a": [1.0, 0.0], "b": [0.0, 0.0]}, "spread": 0.4}]
    flips.append({"values": {"a": [0.0, 1.0], "b": [1.0, 1.0]}, "spread": 0.4})
    table = AskedAgain()
    table.add(asked_again(steady))
    table.add(asked_again(flips, language="de", unstable=True))
    head, *rows = table.table()
    shown = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["component"], row["language"], row["completions"]) for row in shown] == [
        ("judge", "all", "4"),
        ("judge", "de", "2"),
        ("judge", "en", "2"),
    ]
    assert [row["mean spread"] for row in shown] == ["0.200", "0.400", "0.000"]
    assert [row["unstable"] for row in shown] == ["50.0%", "100.0%", "0.0%"]
    assert [row["order flips"].partition(" ")[0] for row in shown] == ["0.25", "0.50", "0.00"]
    assert [row["judges agree"].partition(" ")[0] for row in shown] == ["0.50", "0.00", "1.00"]


def test_without_repeats_there_is_no_such_table_and_a_ledger_may_hold_anything():
    table = AskedAgain()
    table.add(group({}))
    assert list(table.table()) == []
    for odd in (None, 1, [], {"values": 3}, {"values": {"a": 3}}, {"values": {"a": ["x", 1e999]}, "spread": "wide"}):
        table.add(asked_again([odd, odd]))
    assert [row[2:] for row in table.table()][1:] == [["0", "–", "–", "–", "–"]]


def appealed(infos, language="en"):
    """Lines of a group, of each completion what rubric/appeal noted."""
    return [
        {
            "id": language,
            "index": at,
            "fields": {"language": language},
            "components": {"rule": {"info": info}, "other": {"value": 1.0}},
        }
        for at, info in enumerate(infos)
    ]


def test_a_rules_error_rates_are_shown_with_their_intervals_by_language():
    rejected, accepted = {"rule": 0.0, "accepted": False}, {"rule": 1.0, "accepted": True}
    table = RuleErrors()
    for language, missed in (("en", 1), ("de", 3)):
        verdicts = ["right"] * missed + ["wrong"] * (8 - missed)
        table.add(appealed([{**rejected, "appeal": verdict} for verdict in verdicts], language))
        table.add(appealed([{**accepted, "appeal": "right"}] * 8 + [{**rejected, "appeal": "blank"}], language))
    head, *rows = table.table()
    shown = [dict(zip(head, row, strict=True)) for row in rows]
    assert [[row[name] for name in head[1:5]] for row in shown] == [
        ["all", "18", "16", "16 and 16"],
        ["de", "9", "8", "8 and 8"],
        ["en", "9", "8", "8 and 8"],
    ]
    assert [row["false negatives"].partition(" ")[0] for row in shown] == ["20.0%", "27.3%", "11.1%"]
    assert [row["false positives"].partition(" ")[0] for row in shown] == ["0.0%"] * 3
    assert all(" to " in row["false negatives"] for row in shown)


def test_without_an_audit_the_false_positives_are_unknown_and_a_ledger_may_hold_anything():
    table = RuleErrors()
    table.add(appealed([None, 3, {}, {"rule": 1.0}, {"rule": 1.0, "accepted": "yes"}]))
    assert list(table.table()) == []
    table.add(appealed([{"rule": 0.0, "accepted": False, "appeal": odd} for odd in ("right", ["x"], {}, "down")]))
    assert [row[2:] for row in table.table()][1][:3] == ["4", "0", "1 and 0"]
    assert [row[-1] for row in table.table()][1:] == ["–"]


def test_a_group_that_begins_with_a_failed_rollout_is_counted():
    lines = group({(1, 2): "A", (2, 1): "B"}, truth=(None, 1.0, 0.0))
    lines[0]["components"]["judge"] = {"value": None, "error": "the rollout failed", "info": {"rollout_failed": True}}
    consistency = JudgeConsistency("right")
    consistency.add(lines)
    head, row = consistency.table()
    assert dict(zip(head, row, strict=True))["groups"] == "1"
    assert list(consistency.wins())[1][:4] == ["judge", "the more correct", "1", "100.0%"]
