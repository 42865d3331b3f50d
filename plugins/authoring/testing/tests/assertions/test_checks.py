"""check_reward and its like: the forms that they take, what they try, and how they tell what is broken."""

from dataclasses import replace

import pytest
from helpers.each_case import each_case
from rewardlab import (
    Ask,
    Completion,
    Config,
    CurriculumSpec,
    DatasetSpec,
    JudgeSpec,
    NormalizerSpec,
    RewardSpec,
    Sample,
    Score,
)
from rewardlab.errors import UserError
from rewardlab.laws import Laws, RewardExample
from rewardlab.testing import (
    LawsBroken,
    check_curriculum,
    check_dataset,
    check_judge,
    check_normalizer,
    check_reward,
)
from rewardlab_testing.assertions import checks
from rewardlab_testing.outcomes.outcome import CHECKED

TRIES = 2


class Options(Config):
    words: int = 50


class Brevity:
    def __init__(self, options):
        self.words = options.words

    def score(self, items):
        return [Score(value=min(1.0, self.words / max(1, len(c.text.split())))) for _, c in items]


BREVITY = RewardSpec(
    name="brevity",
    summary="short answers",
    config=Options,
    range=(0.0, 1.0),
    runs="inline",
    build=lambda options, context: Brevity(options),
)
"""as documentation shows it, with nothing declared"""


@pytest.fixture
def asked(monkeypatch):
    """What is tried is kept instead: the examples and the options of each call."""
    calls = []

    def try_laws(spec, *, plugin, examples, given, tries):
        calls.append((plugin, examples, given, tries))
        return []

    monkeypatch.setattr(checks, "try_laws", try_laws)
    return calls


def test_what_is_broken_is_told_together():
    quick = replace(BREVITY, laws=Laws(off={"worker": "no time for a process"}))
    with pytest.raises(LawsBroken) as broken:
        check_reward(quick, good=["short answer"], bad=["word " * 60], tries=TRIES)
    assert str(broken.value).splitlines() == [
        "test/brevity breaks `empty`: the empty text does not earn the maximum",
        "    asked: ''",
        "    got: 1.0",
        "    expected: less than the highest, 1",
        "test/brevity breaks `prompt_copy`: the prompt, alone or added to a bad completion, earns no more than the bad "
        "ones do",
        "    asked: 'What is on the table?', with the prompt in it",
        "    got: 1.0",
        "    expected: no more than 0.8333333333333334, the most that a bad completion earns",
        "fix the reward; or, if a law is not meant for it, say why in its spec: Laws(off={'empty': 'why'})",
        "  empty: not for a penalty, which has nothing to punish in an empty text",
        "  prompt_copy: not for a penalty, nor for a reward of length, novelty or likeness to what the prompt says",
        "  a little more than it should be can be tolerated: Laws(tolerance=...)",
    ]


def test_a_test_in_which_no_law_could_be_tried_does_not_pass():
    lacking = replace(BREVITY, requires=["answer"])
    needed = r"test/brevity: no law can be tried: needs a sample with 'answer'; declare Laws\(examples=...\)"
    with pytest.raises(UserError, match=needed):
        check_reward(lacking, tries=TRIES)


def test_what_was_tried_is_given_back_and_kept_for_the_end_of_the_session():
    off = {"empty": "silence is brief", "prompt_copy": "so are questions", "worker": "no time for a process"}
    before = len(CHECKED)
    [tried] = check_reward(replace(BREVITY, laws=Laws(off=off)), good="short", bad="word " * 60, tries=TRIES)
    assert {outcome.law: outcome.why for outcome in tried.of("off")} == off
    assert "order" in {outcome.law for outcome in tried.of("held")}
    assert CHECKED[before:] == [tried]
    del CHECKED[before:]  # it is not news of this session


@pytest.mark.parametrize(
    ("given", "samples"),
    [
        ({"good": "yes", "bad": "no"}, [(["yes"], ["no"])]),
        ({"good": ["yes", Completion(text="aye")], "bad": None}, [(["yes", Completion(text="aye")], [])]),
        ({"good": (Sample(id="a"), "yes"), "bad": [(Sample(id="b"), "no")]}, [(["yes"], []), ([], ["no"])]),
        ({"good": [(Sample(id="a"), "yes"), "aye"], "sample": Sample(id="a")}, [(["yes", "aye"], [])]),
        ({"ladder": ["no", "yes"]}, [([], [])]),
        ({"sample": Sample(id="a")}, [([], [])]),
    ],
)
def test_completions_come_alone_in_lists_or_with_their_samples(asked, given, samples):
    check_reward(BREVITY, **given)
    [(_, examples, _, _)] = asked
    assert [(list(one.good), list(one.bad)) for one in examples] == samples
    assert len(examples[0].ladder) == len(given.get("ladder", ()))


@each_case(
    "given, said",
    [
        ({"good": 4}, "good is a text, a Completion, (Sample, one of these), or a list of such; not 4"),
        ({"good": [None]}, "good is a text, .* not None"),
        ({"bad": {"text": "no"}}, "bad is a text, .* not {'text': 'no'}"),
        ({"good": [("a sample", "yes")]}, r"good is a text, .* not \('a sample', 'yes'\)"),
        ({"ladder": [(Sample(), "yes")]}, "ladder is a text, .* not "),
        ({"good": "yes", "sample": {"id": "a"}}, "sample is a rewardlab.Sample, not {'id': 'a'}"),
    ],
)
def test_another_form_is_a_type_error_that_says_which(given, said):
    with pytest.raises(TypeError, match=said if ".*" in said else None) as error:
        check_reward(BREVITY, **given)
    assert ".*" in said or str(error.value) == said


def test_a_field_that_is_required_must_come_with_a_sample(asked):
    spec = replace(BREVITY, requires=["answer"])
    with pytest.raises(UserError, match=r"requires the field 'answer'; pass sample=Sample\(prompt=\.\.\., fields="):
        check_reward(spec, good=["4"], bad=["5"])
    check_reward(spec, good=["4"], bad=["5"], sample=Sample(fields={"answer": "4"}))
    assert len(asked) == 1


def test_options_and_judges_of_the_specs_own_example_hold_for_completions_of_ones_own(asked):
    judge = object()
    own = RewardExample(
        sample=Sample(), good=(), bad=(), options={"words": 3, "more": 1}, judges=lambda: {"main": judge}
    )
    spec = replace(BREVITY, laws=Laws(examples=lambda: [own]))
    check_reward(spec, good="yes", bad="no", options={"words": 5})
    [(_, [example], given, _)] = asked
    assert example.options == {"words": 5, "more": 1}
    assert given == {"words": 5}
    assert example.judges() == {"main": judge}
    check_reward(spec, judges={"main": "another"})
    assert [one.judges() for one in asked[1][1]] == [{"main": "another"}]


def test_wrong_options_are_the_users_mistake():
    with pytest.raises(UserError, match=r"test/brevity: wrods: Extra inputs are not permitted"):
        check_reward(BREVITY, options={"wrods": 3})
    short = RewardExample(title="short", sample=Sample(), good=(), bad=(), options={"words": "few"})
    with pytest.raises(UserError, match=r"test/brevity \(short\): words: Input should be a valid integer"):
        check_reward(replace(BREVITY, laws=Laws(examples=lambda: [short])))


def test_an_installed_one_is_named_as_in_a_recipe(asked):
    check_normalizer("normalize/center", tries=3)
    [(plugin, examples, _, tries)] = asked
    assert (plugin.name, examples, tries) == ("normalize", None, 3)
    with pytest.raises(UserError, match="did you mean 'normalize/center'"):
        check_normalizer("normalize/centre")


def test_parts_of_an_example_stand_in_place_of_the_specs_own(asked):
    def build(options, context):
        return None

    check_judge(JudgeSpec(name="j", summary="", build=build), asks=[Ask(draw=3)])
    check_dataset(DatasetSpec(name="d", summary="", build=build), source=[Sample(id="a")], judges={"main": 1})
    check_curriculum(CurriculumSpec(name="c", summary="", build=build), samples=[Sample(id="b")])
    check_curriculum(CurriculumSpec(name="c", summary="", build=build))
    [judge, dataset, curriculum, plain] = [examples for _, examples, _, _ in asked]
    assert [one.draw for one in judge[0].asks] == [3]
    assert (dataset[0].source, dataset[0].judges()) == ([Sample(id="a")], {"main": 1})
    assert curriculum[0].samples == [Sample(id="b")]
    assert plain is None


def test_a_spec_of_another_kind_is_refused():
    normalizer = NormalizerSpec(name="n", summary="", build=lambda options, context: None)
    with pytest.raises(TypeError, match="a spec of a reward, or the name of an installed one, as 'plugin/name'"):
        check_reward(normalizer)
