"""The work of every reader of hostile texts grows with their length, and not with its square.

`choice/accuracy` took 18.6 s for 96 kB of one shape, inline, so that it held up a whole server, and
`language/fidelity`, in its published form, 4.6 s for a word of 100,000 letters.
"""

import os
import subprocess
import sys

import pytest
from helpers.growth import LIMIT_S, SKIPPED, WHOLE, names, refuse_growth, shapes
from helpers.paths import TESTS

HEAVY = {"comet/answer", "embed/cosine", "embed/translated_cosine", "reward_model/score"}
"""rewards by models, which read as many tokens as they take at most"""
IN_CI = {"choice/accuracy", "format/boxed", "math/accuracy", "rubric/pointwise"}
"""the rewards that most recipes have; the others, and data steps, are tried at night, since all take six minutes"""


def by_turns(uses):
    return [pytest.param(use, marks=pytest.mark.slow if use in IN_CI else pytest.mark.nightly) for use in uses]


@pytest.mark.parametrize("use", by_turns(names("reward")))
def test_of_a_reward(use):
    """Of its completions and, if it asks judges, of their replies."""
    if use in HEAVY:
        pytest.skip("a model cuts its texts")
    run(f"growth.try_component('reward', {use!r})", use)


@pytest.mark.nightly
@pytest.mark.parametrize("use", names("dataset"))
def test_of_a_data_step(use):
    """Of the replies of those that it asks; most ask nobody."""
    run(f"growth.try_component('dataset', {use!r})", use)


READERS = (
    "rewardlab_answers.last_box",
    "rewardlab_answers.boxed.last_boxes",
    "rewardlab_answers.official_box",
    "rewardlab_answers.sections.split",
    "rewardlab_answers.sections.answer",
    "rewardlab.text.printable",
    "rewardlab_answers.thoughts.thoughts_of",
    "rewardlab.text.chat_markers.escape_chat_markers",
    "rewardlab_language.numbers_in_text.numbers_in",
    "rewardlab.text.redaction.redact",
    "rewardlab_pairwise.maths.maths",
    "rewardlab_pairwise.verdicts.verdict",
    "rewardlab_pairwise.verdicts.official_verdict",
    "rewardlab_rubric.replies.strict.read_strict",
    "rewardlab_rubric.replies.official.read_r3",
    "rewardlab_rubric.replies.official.read_mr3",
    "rewardlab_checklist.evidence.quotations",
    "rewardlab_checklist.evidence.normalised",
)


@pytest.mark.slow
def test_of_a_reader():
    run(f"growth.try_readers({READERS})", "a reader")


def run(call, what):
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", f"import helpers.growth as growth; {call}"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        encoding="utf-8",
        timeout=4 * LIMIT_S,
    )
    if done.returncode == SKIPPED:
        pytest.skip(f"{what} cannot be built here")
    last = done.stdout.splitlines()[-2:]
    assert done.returncode == 0, f"{what}: ended with {done.returncode} while it read {last}\n{done.stderr[-2000:]}"


@pytest.mark.slow
def test_a_quadratic_reader_is_found_and_a_linear_one_is_not():
    def linear(text):
        return sum(text.count(sign) for sign in "abc" * 400)

    def quadratic(text):
        return sum(text.count("b", start) for start in range(0, len(text), 4))

    refuse_growth("many a", linear, lambda length: "a" * length)
    with pytest.raises(AssertionError, match=r"many a: .* s for 50,000 characters"):
        refuse_growth("many a", quadratic, lambda length: "a" * length)


def test_texts_are_as_long_as_they_are_said_to_be():
    made = dict(shapes(['{"a": ["b"]}']))
    assert len(made) > 50
    assert all(0.9 * WHOLE <= len(make(WHOLE)) <= WHOLE + 100 for make in made.values())
    assert "many '{'" in made
    assert any(what.startswith("many '{\"") for what in made), "beginnings of what it understands"
