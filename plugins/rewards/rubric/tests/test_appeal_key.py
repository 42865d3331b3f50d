"""The key `appeal` of a component: rubric/appeal with that component as its rule."""

import pytest
from helpers.each_case import each_case
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer

JUDGE = {"use": "openai/chat", "with": {"model": "x", "base_url": "http://localhost:1"}}
RULE = {"use": "math/accuracy", "with": {"extract": "last_number"}}


def recipe(component, **more):
    reward = {"components": {"right": component}, "total": "right"}
    return {"version": 1, "judges": {"main": JUDGE, "second": JUDGE}, "reward": reward, **more}


def planned(component):
    return make_plan(load(recipe(component))).components["right"]


def test_the_component_is_the_rule_of_the_appeal():
    keys = {"when": "below 0.5", "share": 0.25, "then": "report"}
    short = planned({**RULE, "appeal": {"judge": "main", **keys}})
    long = planned({"use": "rubric/appeal", "with": {"of": RULE, "judge": "main", **keys}})
    assert (short.use, short.options) == (long.use, long.options)
    assert short.judges() == ["main"]


def test_keys_beside_it_go_where_they_belong():
    made = planned(
        {**RULE, "timeout": 5, "workers": 2, "on_missing": "group_mean", "repeats": 3, "appeal": {"judge": "main"}}
    )
    assert (made.options.of.timeout, made.options.of.workers) == (5, 2)
    assert (made.use.timeout, made.use.workers, made.use.repeats, made.use.on_missing) == (None, None, 3, "group_mean")


def test_a_panel_hears_the_appeal():
    made = planned({**RULE, "appeal": {"judge": ["main", "second"]}})
    assert made.judges() == ["main", "second"]


@each_case(
    "component, why",
    [
        ({**RULE, "appeal": {"judge": "main", "when": "under 0.5"}}, "right.appeal: when: 'under 0.5' should be"),
        ({**RULE, "appeal": {"judge": "main", "shares": 1}}, "right.appeal.shares: no such option; .* 'share'"),
        ({**RULE, "appeal": {"judge": "mian"}}, "right.appeal.judge: no judge 'mian'; did you mean 'main'"),
        ({**RULE, "appeal": {"judge": ["main"]}}, "right.appeal.judge: a panel has two judges or more"),
        ({**RULE, "appeal": {}}, "right.appeal.judge: missing"),
        ({**RULE, "appeal": "main"}, "right.appeal: expected a mapping"),
        ({**RULE, "appeal": {"judge": "main", "of": RULE}}, "right.appeal.of: is this component itself; leave it out"),
        ({"use": "math/acuracy", "appeal": {"judge": "main"}}, "right.use: .*did you mean 'math/accuracy'"),
        ({**RULE, "with": {"extract": "box"}, "appeal": {"judge": "main"}}, "right.with.extract: 'box' is not allowed"),
        ({"use": "rubric/binary", "with": {"judge": "main"}, "appeal": {"judge": "main"}},
         "right.appeal: rubric/binary asks 'main' itself"),
        ({"use": "rubric/pairwise", "with": {"judge": "second"}, "appeal": {"judge": "main"}},
         "rubric/pairwise is no rule: appeals are for rewards of one completion"),
        ({"use": "format/boxed", "timeout": 3, "appeal": {"judge": "main", "criterion": "It has a box."}},
         "format/boxed runs in no worker, so that nothing uses `timeout`"),
    ],
)  # fmt: skip
def test_mistakes_stand_where_they_were_written(component, why):
    with pytest.raises(UserError, match=why):
        planned(component)


@pytest.mark.slow
def test_a_rule_that_runs_in_workers_runs_there(judge_server):
    from rewardlab import Completion, Group, Sample

    def answer(request):
        question = request["messages"][-1]["content"]
        tag = question.split("A line begins with ")[1].split()[0]
        return f"{tag} 1 | so it is | {'met' if 'seven' in question else 'not met'}"

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        judge = {"use": "openai/chat", "with": {"model": "x", "base_url": server.url}}
        tree = recipe({**RULE, "workers": 1, "appeal": {"judge": "main"}}, judges={"main": judge})
        with Scorer(make_plan(load(tree))) as scorer:
            sample = Sample(id="s", prompt=({"role": "user", "content": "3 + 4?"},), fields={"answer": "7"})
            texts = ["It is 7.", "It is seven.", "It is 8.", ""]
            (group,) = scorer.score_groups(
                [Group(sample=sample, completions=[Completion(text=text) for text in texts])]
            )
    scores = group.components["right"]
    assert [score.value for score in scores] == [1.0, 1.0, 0.0, 0.0]
    assert [score.info.get("appeal") for score in scores] == [None, "right", "wrong", "blank"]
