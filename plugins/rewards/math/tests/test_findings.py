"""Responses without a box are said at the end of `score`, with what would read them."""

from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_math.findings import AnswerFindings


def found(extract, *infos):
    components = {"right": {"use": "math/accuracy", "with": {"extract": extract}}}
    plan = make_plan(load({"version": 1, "reward": {"components": components, "total": "right"}}), purpose="score")
    findings = AnswerFindings(plan)
    findings.add({"components": {"right": {"info": list(infos)}}})
    return [one["what"] for one in findings.findings()]


def test_responses_without_a_box_are_told_with_what_reads_them():
    none = {"no_answer": True, "last_number_reads": True}
    assert found("boxed", none, none, {"no_answer": True}, {"extracted": "4"}) == [
        r"right: 3 of 4 responses have no \boxed{...}, so they are worth 0; `extract: last_number` would read 2 of them"
    ]


def test_a_few_responses_without_one_are_not():
    assert found("boxed", {"no_answer": True}, {"extracted": "4"}) == []
    assert found("last_number", {"no_answer": True}) == []
