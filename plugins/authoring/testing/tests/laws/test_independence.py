"""The laws `permutation` and `batch`: each fault here is found by one thing alone that they try."""

from functools import partial
from types import SimpleNamespace

import pytest
from rewardlab import RewardSpec, Sample, Score
from rewardlab.laws import Laws, RewardExample
from rewardlab_testing.laws.reward_laws import independence
from rewardlab_testing.laws.run_laws import try_laws

SAMPLE = Sample(id="s", prompt=({"role": "user", "content": "Yes?"},), fields={"gold": "yes"})
EXAMPLE = RewardExample(sample=SAMPLE, good=["yes", "yes, yes"], bad=["no", "never", ""])


def right(sample, completion):
    return Score(value=float(sample.fields["gold"] in completion.text))


def outcome(law, score, **more):
    """The law's, of a reward whose function is `score(known, items)`; `known` lives as long as it."""

    def build(options, context):
        return SimpleNamespace(score=partial(score, {}))

    laws = Laws(examples=lambda: [EXAMPLE])
    [tried] = try_laws(RewardSpec(name="made", summary="", build=build, laws=laws, **more), tries=2, only=[law])
    return tried.outcomes[0]


def test_info_belongs_to_the_completion_and_not_to_its_place():
    def score(known, items):
        return [Score(value=right(*item).value, info={"place": place}) for place, item in enumerate(items)]

    assert "with info {'place': " in outcome("permutation", score).why


def test_a_window_as_large_as_hosts_have_is_found_at_the_end_of_a_long_call(monkeypatch):
    monkeypatch.setattr(independence, "QUICK_S", float("inf"))  # a machine that stalls would take it for slow

    def score(known, items):
        return [right(*item) if place < 200 else Score(value=0.0) for place, item in enumerate(items)]

    assert "at the end of one call of 30" in outcome("batch", score).why


@pytest.mark.slow
def test_calls_of_one_size_alone_are_tried():
    def score(known, items):
        return [Score(value=0.0) if len(items) == 5 else right(*item) for item in items]

    assert outcome("batch", score).state == "broken"


def test_a_reward_that_refuses_another_sample_is_asked_for_its_own():
    def score(known, items):
        if any(sample.fields["gold"] != "yes" for sample, _ in items):
            raise ValueError("no such answer")
        return [right(*item) for item in items]

    assert outcome("batch", score).state == "held"


def test_what_is_kept_of_another_group_by_its_texts_is_found():
    async def score(known, stream):
        group = await stream.group()
        return [known.setdefault(one.text, right(group.sample, one)) for one in group.completions]

    assert outcome("batch", score, scope="group", runs="async").state == "broken"
