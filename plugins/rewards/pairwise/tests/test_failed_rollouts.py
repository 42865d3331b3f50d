"""Groups with rollouts that failed: the others are compared, and verdicts name them by their places in the group."""

import pytest
from helpers.each_case import each_case
from rewardlab import Completion, Group, Sample
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer

RECIPE = """
version: 1
judges:
  main: {use: pairwise/overlap}
reward:
  components:
    preference: {use: pairwise/win_rate, with: {judge: main, privileged: reference, DESIGN}}
  total: preference
"""
TEXTS = [None, "one", "one two", None, "one two three", "one two three four", None]


@pytest.fixture
def scored(tmp_path):
    """Return a function: (design, texts) -> the scores, None being a rollout that failed."""

    def score(design, texts):
        (tmp_path / "r.yaml").write_text(RECIPE.replace("DESIGN", design))
        sample = Sample(id="s", prompt=({"role": "user", "content": "?"},), fields={"reference": TEXTS[-2]})
        completions = [Completion(text=text or "", error=None if text else "the sandbox died") for text in texts]
        with Scorer(make_plan(load(tmp_path / "r.yaml"), purpose="score")) as scorer:
            (group,) = scorer.score_groups([Group(sample=sample, completions=completions)])
        return group.components["preference"]

    return score


@each_case("design", ["orders: both", "orders: balanced", "design: swiss, rounds: 3", "design: adaptive, rounds: 6"])
def test_verdicts_name_answers_by_their_places_in_the_whole_group(scored, design):
    whole, answers = scored(design, TEXTS), scored(design, [text for text in TEXTS if text])
    assert [score.value for score in whole if score.value is not None] == [score.value for score in answers]
    verdicts = [(at, int(other), won) for at in range(7) for other, won in whole[at].info.get("verdicts", {}).items()]
    assert len(verdicts) == whole[1].info["group"]["calls"] > 0
    for first, second, verdict in verdicts:
        assert verdict == ("A" if len(TEXTS[first]) > len(TEXTS[second]) else "B")


def test_a_group_of_failed_rollouts_alone_has_no_verdicts(scored):
    assert [score.value for score in scored("design: adaptive", [None, None])] == [None, None]
