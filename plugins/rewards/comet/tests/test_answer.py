"""The reward around the model: sides, policies, bounds. A stand-in answers in the worker's place."""

import asyncio
from pathlib import Path

import pytest
from rewardlab import Completion, Context, Sample, Score, find
from rewardlab.errors import UserError
from rewardlab.workers import PluginRaisedError
from rewardlab_comet.answer import Answer

SPEC = find("reward", "comet/answer")


@pytest.fixture(scope="module")
def worker(workers):
    return workers.of(use="comet/answer").open(Path(__file__).with_name("stand_in.py"), {})


@pytest.fixture
def score(worker):
    """score(prediction, reference, **options) -> Score; the prediction is the answer's body, or a whole text."""

    def one(prediction, reference="xxxxx", **options):
        text = prediction if "<" in prediction else f"<think>...</think><answer>{prediction}</answer>"
        item = (Sample(fields={"reference": reference}), Completion(text=text))
        return asyncio.run(Answer(SPEC.config(**options), worker).score([item]))[0]

    return one


def test_the_value_is_the_raw_score_within_0_and_1(score):
    assert score("0.25") == Score(value=0.25, info={"raw": 0.25})
    assert score("1.25") == Score(value=1.0, info={"raw": 1.25})
    assert score("-0.25") == Score(value=0.0, info={"raw": -0.25})


def test_the_reference_is_the_source(score):
    assert score("abc", reference="xx").info["raw"] == pytest.approx(0.52)


def test_a_text_in_pieces_tells_how_many(score):
    assert score("long") == Score(value=0.5, info={"raw": 0.5, "chunks": 3})


@pytest.mark.parametrize("prediction", ["<answer> </answer>", "<think>x</think>8", "blank for COMET"])
def test_a_prediction_without_the_part_scores_0_or_fails_as_declared(prediction, score):
    info = {"raw": None, "empty": "answer"}
    assert score(prediction) == Score(value=0.0, info=info)
    assert score(prediction, empty="fail") == Score(info=info, error="the response has no answer, or a blank one")


@pytest.mark.parametrize(
    ("prediction", "reference"), [("8", ""), ("8", None), ("", " "), ("blank reference", "\u200b")]
)
@pytest.mark.parametrize("empty", ["zero", "fail"])
def test_an_empty_reference_is_a_failure_whatever_the_prediction(prediction, reference, empty, score):
    found = score(prediction, reference, empty=empty)
    assert found.value is None
    assert "'reference'" in found.error


def test_what_fails_for_one_pair_is_told_of_it_alone(score):
    assert score("too large") == Score(info={"raw": None}, error="out of memory on this pair alone")


def test_an_exact_match_scores_1_only_where_it_is_asked_for(score):
    assert score("(b)", reference="(B)").info == {"raw": 0.53}
    assert score("(b)", reference="(B)", exact_match=True) == Score(value=1.0, info={"raw": None, "exact_match": True})
    assert score("0.9", reference="8", exact_match=True).value == 0.9


def test_scores_keep_their_places_when_some_need_no_model(worker):
    texts = ["0.1", "", "0.3", "long", ""]
    items = [(Sample(fields={"reference": "x"}), Completion(text=f"<answer>{text}</answer>")) for text in texts]
    scores = asyncio.run(Answer(SPEC.config(), worker).score(items))
    assert [score.value for score in scores] == [0.1, 0.0, 0.3, 0.5, 0.0]


def test_another_field_and_part(worker):
    sample = Sample(fields={"solution": "<think>xxx</think><answer>x</answer>"})
    items = [(sample, Completion(text="<think>abc</think><answer>0.1</answer>"))]
    reward = Answer(SPEC.config(against="solution", part="reasoning"), worker)
    assert asyncio.run(reward.score(items))[0].info["raw"] == pytest.approx(0.53)


def test_what_the_worker_raises_passes_through(score):
    with pytest.raises(PluginRaisedError, match="the stand-in raises"):
        score("raise")


def test_a_checkpoint_that_is_not_there_is_told_when_the_reward_is_built(workers):
    context = Context(workers=workers.of(use="comet/answer"))
    with pytest.raises(UserError, match=r"there is no file /no/model\.ckpt"):
        SPEC.build(SPEC.config(checkpoint="/no/model.ckpt"), context)
