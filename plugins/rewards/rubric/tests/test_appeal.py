"""rubric/appeal: a judge looks again at what a rule rejects; its verdict counts, is reported, or rates correct it."""

import asyncio
from statistics import fmean

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Context, Reply, Sample, find
from rewardlab.text import fence_key
from rewardlab_rubric.appeals.correction import backward, forward
from rewardlab_rubric.appeals.options import RuleUse
from rewardlab_rubric.appeals.rule import Rule
from rewardlab_rubric.criteria.question import TAG

SPEC = find("reward", "rubric/appeal")
RULE = {"use": "rubric/verdict"}
FORM, VALID = {"use": "format/validity"}, "<think>so</think> <answer>7</answer>"
"""a rule of another range, -1 to 0, and what it accepts"""
RIGHT, OVERLOOKED, WRONG = '{"score": 4}', "I would say four.", '{"score": 5}'
ROW = Sample(
    id="row", prompt=({"role": "user", "content": "How many?"},), fields={"score": 4, "answer": "4", "task": "Chat"}
)


def verdicts(says):
    """The reply of a judge that finds a response right if `says(response)`."""
    return lambda ask: Reply(
        text=f"{fence_key(ask.parts)[:TAG]} 1 | so it is | {'met' if says(ask.parts['response']) else 'not met'}",
        finish_reason="stop",
    )


@pytest.fixture
def appeal(scripted):
    """appeal(judge, texts, **options): the scores of responses to one row."""

    def scored(judge, texts, *, row=ROW, **options):
        config = SPEC.config.model_validate({"judge": "main", "of": RULE, **options})
        reward = SPEC.build(config, Context(judges={"main": judge}))
        return asyncio.run(reward.score([(row, Completion(text=text)) for text in texts]))

    return scored


@pytest.fixture
def four(scripted):
    """A judge that reads the word, too."""
    return scripted(verdicts(lambda text: "four" in text or "4" in text))


def test_the_judge_is_asked_about_what_the_rule_rejects_and_replaces_its_value(appeal, four):
    scores = appeal(four, [RIGHT, OVERLOOKED, WRONG])
    assert [score.value for score in scores] == [1.0, 1.0, 0.0]
    assert [score.info.get("appeal") for score in scores] == [None, "right", "wrong"]
    assert [score.info.get("overturned") for score in scores] == [None, True, False]
    assert [score.info["rule"] for score in scores] == [1.0, 0.0, 0.0]
    assert [ask.parts["response"] for ask in four.asked] == [OVERLOOKED, WRONG]
    assert all(ask.parts["reference"] == "4" for ask in four.asked)


def test_the_judge_sees_the_right_answer_in_a_fence(appeal, four):
    appeal(four, [WRONG])
    (message,) = four.asked[0].messages
    assert "=== BEGIN RIGHT ANSWER" in message["content"]


def test_accepted_responses_are_audited_if_that_is_asked_for(appeal, scripted):
    judge = scripted(verdicts(lambda text: False))
    (score,) = appeal(judge, [RIGHT], audit=1.0)
    assert (score.value, score.info["appeal"], score.info["overturned"]) == (0.0, "wrong", True)
    (score,) = appeal(judge, [RIGHT], audit=1.0, then="report")
    assert (score.value, score.info["appeal"]) == (1.0, "wrong")


def test_a_share_is_drawn_by_the_text_alone(appeal, scripted):
    texts = [f'{{"score": {number}}}' for number in range(10, 410)]
    asked = []
    for order in (1, -1):
        judge = scripted(verdicts(lambda text: False))
        appeal(judge, texts[::order], share=0.25)
        asked.append({ask.parts["response"] for ask in judge.asked})
    assert asked[0] == asked[1]
    assert 60 < len(asked[0]) < 140


def test_the_bound_of_a_rejection_is_the_recipes(appeal, scripted):
    judge = scripted(verdicts(lambda text: False))
    scores = appeal(judge, [VALID, "7"], of=FORM, when="below -0.2")
    assert [(score.value, score.info["accepted"]) for score in scores] == [(0.0, True), (-1.0, False)]
    assert [ask.parts["response"] for ask in judge.asked] == ["7"]


def test_a_verdict_that_counts_is_worth_the_most_or_the_least_that_the_rule_gives(appeal, scripted):
    judge = scripted(verdicts(lambda text: text == "7"))
    scores = appeal(judge, [VALID, "7"], of=FORM, when="below -0.2", audit=1.0)
    assert [(score.value, score.info["rule"]) for score in scores] == [(-1.0, 0.0), (0.0, -1.0)]


def test_a_rule_that_is_not_about_answers_has_a_criterion_and_no_right_answer(appeal, scripted):
    judge = scripted(verdicts(lambda text: True))
    row = Sample(id="row", prompt=ROW.prompt, fields={"task": "Chat"})
    (score,) = appeal(judge, ["7"], row=row, of=FORM, when="below 0", criterion="It is short.")
    assert (score.value, score.info["appeal"]) == (0.0, "right")
    assert {*judge.asked[0].parts} == {"query", "response"}
    (message,) = judge.asked[0].messages
    assert "1. It is short." in message["content"]
    assert "right answer" not in message["content"]


def test_the_right_answer_is_where_the_rule_has_it():
    fields = {}
    for name, rule in {"named": {"with": {"field": "solution"}}, "unnamed": {}}.items():
        config = SPEC.config.model_validate({"judge": "main", "of": {"use": "math/accuracy", **rule}})
        fields[name] = list(SPEC.required_fields(config))
    assert fields == {"named": ["solution"], "unnamed": ["answer"]}


def test_files_that_the_rule_needs_are_named():
    for use in ("math/accuracy", "rubric/verdict"):
        config = SPEC.config.model_validate({"judge": "main", "of": {"use": use}})
        rule = find("reward", use)
        assert SPEC.needs_files(config) == ([] if rule.needs_files is None else rule.needs_files(config.of.config))


def test_options_are_the_same_after_a_way_to_another_process():
    for options in ({}, {"then": "correct", "rates": {"false_negative": 0.2}}):
        config = SPEC.config.model_validate({"judge": "main", "of": RULE, **options})
        sent = config.model_dump(mode="json", by_alias=True, round_trip=True)
        assert SPEC.config.model_validate(sent) == config


def test_all_draws_of_a_panel_share_the_processes_of_their_rule():
    def rule(**more):
        return RuleUse.model_validate({"use": "math/accuracy", **more})

    rules = [Rule(rule(workers=1), Context()) for _ in range(3)]
    other = Rule(rule(workers=1, timeout=3), Context())
    assert len({id(made._executor._call.__self__) for made in rules}) == 1
    assert other._executor._call.__self__ is not rules[0]._executor._call.__self__


def test_no_question_is_planned_where_none_is_drawn():
    rates = {"then": "correct", "rates": {"false_negative": 0.2}}
    asked = {
        share: SPEC.config.model_validate({"judge": "j", "of": RULE, "share": share, **rates}) for share in (0, 0.1)
    }
    assert [SPEC.calls(config, 8) for config in asked.values()] == [0, 8]


def test_no_verdict_is_no_value_where_it_would_be_the_value(appeal, scripted):
    for reply in ("met", Reply(error="down"), ValueError("broken")):
        (score,) = appeal(scripted(lambda ask, reply=reply: reply), [WRONG])
        assert (score.value, score.error[:24]) == (None, "no verdict on the appeal")
        (score,) = appeal(scripted(lambda ask, reply=reply: reply), [WRONG], then="report")
        assert (score.value, score.error) == (0.0, None)
        assert score.info["appeal"] not in ("right", "wrong")


def test_a_blank_response_is_wrong_unasked(appeal, four):
    for score in appeal(four, ["<think>four</think>\n", "\u200b\ufe0f", "<think>four, or"]):
        assert (score.value, score.info["appeal"]) == (0.0, "blank")
    assert four.asked == []


def test_what_the_rule_cannot_score_stays_as_it_is(appeal, four):
    row = Sample(id="row", prompt=ROW.prompt, fields={"score": 4})
    assert "no field 'answer'" in appeal(four, [WRONG], row=row)[0].error
    assert four.asked == []


def test_corrections_take_the_rules_errors_off_on_average():
    """Of a right response the rule says 1 with 1 - p1, of a wrong one with p0."""
    p1, p0 = 0.4, 0.1
    mean = {
        way.__name__: [(1 - chance) * way(False, *rates) + chance * way(True, *rates) for chance in (1 - p1, p0)]
        for way, rates in ((backward, (p1, p0)), (forward, (p1,)))
    }
    assert mean["backward"] == pytest.approx([1.0, 0.0])
    assert mean["forward"] == pytest.approx([0.0, p0 + p1 - 1])


def test_corrected_values(appeal, four):
    rates = {"false_negative": 0.4, "false_positive": 0.1}
    scores = appeal(four, [RIGHT, OVERLOOKED, WRONG], then="correct", rates=rates)
    assert [score.value for score in scores] == pytest.approx([1.8, -0.2, -0.2])
    scores = appeal(four, [RIGHT, WRONG], then="correct", rates=rates, correction="forward")
    assert [score.value for score in scores] == pytest.approx([0.4, -0.6])
    assert fmean(score.value for score in scores) < 0


@each_case(
    "options, span",
    [
        ({}, (0.0, 1.0)),
        ({"then": "report"}, (0.0, 1.0)),
        ({"then": "correct", "rates": {"false_negative": 0.4, "false_positive": 0.1}}, (-0.2, 1.8)),
        ({"then": "correct", "rates": {"false_negative": 0.4}, "correction": "forward"}, (-0.6, 0.4)),
    ],
)
def test_the_range_is_that_of_the_values(options, span):
    config = SPEC.config.model_validate({"judge": "main", "of": RULE, **options})
    assert SPEC.under(config).range == pytest.approx(span)


@each_case(
    "options, why",
    [
        ({"of": {"use": "rubric/binary", "with": {"judge": "main"}}}, "asks 'main' itself: an appeal goes to another"),
        ({"of": {"use": "rubric/binary", "with": {"judge": "other"}}}, "asks a judge; an appeal is from a rule"),
        ({"of": {"use": "rubric/pairwise"}}, "rubric/pairwise is no rule"),
        ({"of": {"use": "rubric/verdicts"}}, "rubric/verdict"),
        ({"of": {"use": "rubric/verdict", "with": {"golden": "score"}}}, "rubric/verdict: with.golden: Extra inputs"),
        ({"of": {"use": "rubric/verdict", "timeout": 3}}, "runs in no worker, so that nothing uses `timeout`"),
        ({"of": {"use": "rubric/verdict", "with": {"gold": 3}}}, "rubric/verdict: with.gold: Input should be a valid"),
        ({"when": "above 0.5"}, "when: 'above 0.5' should be `below NUMBER`, such as below 0.5"),
        ({"when": "below 0.5 or so"}, "should be `below NUMBER`"),
        ({"when": "below 0"}, "rubric/verdict gives 0 to 1, so that none of its values is below 0"),
        ({"when": "below 5"}, "rubric/verdict gives 0 to 1, so that every value of it is below 5"),
        ({"share": 0}, "then: replace with a share of 0 and no audit asks about no response"),
        ({"then": "correct"}, "then: correct needs rates: .*`rewardlab appeals`"),
        ({"rates": {"false_negative": 0.1}}, "then: replace takes nothing off; rates and correction are for"),
        ({"then": "report", "correction": "forward"}, "then: report takes nothing off"),
        ({"then": "correct", "rates": {"false_negative": 0.6, "false_positive": 0.35}}, "their sum is above 0.9"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(options, why):
    with pytest.raises(ValidationError, match=why):
        SPEC.config.model_validate({"judge": "main", "of": RULE, **options})


def test_rows_need_what_the_rule_needs_and_the_right_answer():
    config = SPEC.config.model_validate({"judge": "main", "of": {"use": "rubric/verdict", "with": {"gold": "gold"}}})
    assert list(SPEC.required_fields(config)) == ["gold", "answer"]
    assert SPEC.refuses(config, Sample(id="s", fields={"gold": [], "answer": "4"})) is not None
