"""data/arithmetic: rows from a seed, noise in the given shares, a held-out part that is really unseen."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from itertools import islice

import pytest
from helpers.each_case import each_case
from helpers.paths import TESTS
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from rewardlab import Context, find
from rewardlab.data import Identifier, remap
from rewardlab.errors import UserError
from rewardlab_answers import sections
from rewardlab_data.arithmetic import held_out_pairs, pairs, slip
from rewardlab_data.wording import STEPS, WordProblem, wordings

SPEC = find("dataset", "data/arithmetic")
DEFAULT = ("en", "es", "id", "sw", "de", "fr")


def dataset(seed=0, **options):
    return SPEC.build(SPEC.config(**options), Context(seed=seed))


@pytest.fixture(scope="module")
def prompts():
    return list(dataset())


@pytest.fixture(scope="module")
def responses():
    return list(dataset(kind="responses"))


def question(sample):
    (message,) = sample.prompt
    assert message["role"] == "user"
    return message["content"]


def pair(sample):
    """Return (operation, a, b), read back from the reference's calculation."""
    a, sign, b = re.search(r"(\d+) ([+-]) (\d+) = ", sample.fields["reference"]).groups()
    return ("add" if sign == "+" else "sub", int(a), int(b))


def by_split(samples, split):
    return [sample for sample in samples if sample.fields["split"] == split]


def test_prompts_are_training_rows_and_then_held_out_ones(prompts):
    assert [s.fields["split"] for s in prompts] == ["train"] * 1500 + ["heldout"] * 240
    assert Counter(s.fields["pair"] for s in by_split(prompts, "heldout")) == {"seen": 120, "unseen": 120}
    assert Counter(s.fields["pair"] for s in by_split(prompts, "train")) == {"seen": 1500}


def test_responses_are_training_rows(responses):
    assert len(responses) == 8000
    assert {(s.fields["split"], s.fields["pair"]) for s in responses} == {("train", "seen")}


@pytest.mark.parametrize("kind", ["prompts", "responses"])
def test_every_row_has_the_fields_that_the_spec_provides(kind):
    provided = set(SPEC.provided_fields(SPEC.config(kind=kind)))
    assert all(set(sample.fields) == provided for sample in dataset(kind=kind, rows=20, heldout=4))


def test_answer_and_reference_are_right(prompts, responses):
    for sample in prompts + responses:
        operation, a, b = pair(sample)
        result = a + b if operation == "add" else a - b
        assert sample.fields["answer"] == str(result)
        assert sample.fields["reference"].endswith(f"= {result}. The final result is \\boxed{{{result}}}.")
        assert sample.fields["difficulty"] == max(a, b, result)
        assert {str(a), str(b)} == set(re.findall(r"\d+", question(sample)))
        assert 1 <= b <= 9
        assert 1 <= result <= 18


def test_held_out_rows_are_unseen(prompts, responses):
    """Pairs and prompts of the held-out part occur in no training row, of prompts or of responses."""
    training = by_split(prompts, "train") + responses
    pairs_seen, prompts_seen = {pair(s) for s in training}, {question(s) for s in training}
    heldout = by_split(prompts, "heldout")
    assert not prompts_seen & {question(s) for s in heldout}
    assert len({question(s) for s in heldout}) == len(heldout)
    for sample in heldout:
        assert (pair(sample) in pairs_seen) == (sample.fields["pair"] == "seen")
    assert len(pairs_seen) == 99  # of 117: 15% are held out


@settings(max_examples=20)
@given(
    seed=st.integers(-5, 10**30),
    largest=st.integers(4, 30),
    languages=st.permutations(DEFAULT).map(lambda order: tuple(order[:3])),
)
def test_held_out_rows_are_unseen_whatever_the_options(seed, largest, languages):
    """Two datasets of one seed agree on what is held out, even if their sizes and languages differ."""
    heldout = by_split(dataset(seed, rows=1, heldout=30, largest=largest, languages=languages), "heldout")
    assert len(heldout) == 30
    training = list(dataset(seed, kind="responses", rows=300, largest=min(9, largest)))
    assert not {question(s) for s in training} & {question(s) for s in heldout}
    unseen = {pair(s) for s in heldout if s.fields["pair"] == "unseen"}
    assert not {pair(s) for s in training} & unseen


@given(largest=st.integers(1, 25), seed=st.integers())
def test_fifteen_percent_of_the_pairs_are_held_out_nested_by_size(largest, seed):
    held = held_out_pairs(largest, seed)
    assert held <= set(pairs(largest))
    assert abs(len(held) - 0.15 * len(pairs(largest))) <= 0.5
    assert held == {p for p in held_out_pairs(largest + 1, seed) if max(p[1:]) <= largest}


def test_pairs_are_all_sums_and_positive_differences():
    assert sorted(pairs(2)) == [("add", 1, 1), ("add", 1, 2), ("add", 2, 1), ("add", 2, 2), ("sub", 2, 1)]
    assert len(set(pairs(9))) == len(pairs(9)) == 81 + 36


def test_other_seeds_hold_out_other_pairs():
    assert len({held_out_pairs(9, seed) for seed in range(5)}) == 5


def test_languages_come_in_equal_shares(prompts, responses):
    counts = Counter(s.fields["language"] for s in responses)
    assert set(counts) == set(DEFAULT)
    assert all(abs(count - 8000 / 6) < 150 for count in counts.values())
    heldout = Counter((s.fields["language"], s.fields["pair"]) for s in by_split(prompts, "heldout"))
    assert set(heldout.values()) == {20}


def test_all_words_are_in_the_language_of_the_row():
    for language in wordings():
        for sample in dataset(kind="responses", languages=[language], rows=30, english=0, switched=0):
            steps = wordings()[language].steps[pair(sample)[0]]
            last = steps[-1].split("{ans}")[0]
            assert last in sample.fields["response"]
            assert sample.fields["language"] == language


def test_noise_has_the_shares_that_the_options_say(responses):
    def share(rows, has):
        return sum(map(has, rows)) / len(rows)

    foreign = [s for s in responses if s.fields["language"] != "en"]
    assert abs(share(responses, lambda s: "\\boxed" not in s.fields["response"]) - 0.5) < 0.03
    assert abs(share(responses, lambda s: final(s) != s.fields["answer"]) - 0.5) < 0.03
    assert abs(share(foreign, lambda s: english_steps(s) == STEPS) - 0.45) < 0.03
    assert abs(share(foreign, lambda s: 0 < english_steps(s) < STEPS) - 0.2) < 0.03


def final(sample):
    return re.findall(r"\d+", sample.fields["response"])[-1]


def english_steps(sample):
    return sum(
        text in sample.fields["response"]
        for text in ("We begin with", "After that we", "This gives us", "The final result is")
    )


def test_without_noise_a_response_is_a_right_solution_and_with_full_noise_never():
    clean = {"english": 0, "switched": 0, "unboxed": 0, "slipped": 0}
    for sample in dataset(kind="responses", rows=200, **clean):
        assert sample.fields["response"].endswith(f"\\boxed{{{sample.fields['answer']}}}.")
        assert english_steps(sample) == (STEPS if sample.fields["language"] == "en" else 0)
    for sample in dataset(kind="responses", rows=200, english=0, switched=1, unboxed=1, slipped=1):
        assert "\\boxed" not in sample.fields["response"]
        assert final(sample) != sample.fields["answer"]
        calculation = re.search(r"= (\d+)", sample.fields["response"])[1]
        assert calculation == sample.fields["answer"], "only the last number is wrong"
        if sample.fields["language"] != "en":
            assert 0 < english_steps(sample) < STEPS


def test_a_slip_is_always_wrong():
    for operation, a, b in pairs(20):
        values = {"language": "en", "name": "Rosa", "noun": 0, "template": 0}
        problem = WordProblem(operation=operation, a=a, b=b, **values)
        assert slip(problem) != problem.result


def test_noise_does_not_change_the_problems(responses):
    clean = dataset(kind="responses", rows=300, english=0, switched=0, unboxed=0, slipped=0)
    assert [question(s) for s in clean] == [question(s) for s in responses[:300]]


def test_ids_are_meaningful_and_unique(prompts, responses):
    assert prompts[17].id == "arithmetic-0-train-17"
    assert prompts[1501].id == "arithmetic-0-heldout-1"
    assert responses[3].id == "arithmetic-0-response-3"
    identify = Identifier()
    for sample in prompts + responses:
        assert identify(remap(sample, {})) == sample


def test_more_rows_begin_with_the_same_rows(prompts):
    assert list(dataset(rows=20, heldout=0)) == prompts[:20]
    assert by_split(dataset(rows=1, heldout=40), "heldout") == prompts[1500:1540]


def test_rows_are_made_as_they_are_asked_for_and_anew_each_time():
    samples = dataset(rows=10**9)
    assert list(islice(samples, 3)) == list(islice(samples, 3))


def test_seeds_differ(prompts):
    other = list(dataset(seed=1, rows=50, heldout=0))
    assert sum(question(a) == question(b) for a, b in zip(prompts, other, strict=False)) < 5


def digest(samples):
    lines = "".join(json.dumps(asdict(s), ensure_ascii=False, sort_keys=True) + "\n" for s in samples)
    return hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_in_every_process():
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]; from test_arithmetic import dataset, digest\n"
        "print(digest([*dataset(3, rows=200), *dataset(3, kind='responses', rows=200)]))"
    )
    here = digest([*dataset(3, rows=200), *dataset(3, kind="responses", rows=200)])
    for salt in ("0", "1"):
        command = [sys.executable, "-c", program, os.path.dirname(__file__), str(TESTS)]
        environment = {**os.environ, "PYTHONHASHSEED": salt}
        out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert out.stdout.strip() == here


def test_more_held_out_prompts_than_there_are_is_an_error():
    with pytest.raises(UserError, match=r"fewer than 5000 different held-out prompts.* lower `heldout`"):
        list(dataset(rows=1, heldout=5000, largest=2, languages=["en"]))


@each_case(
    "options, what",
    [
        ({"languages": []}, "at least 1 item"),
        ({"languages": ["xx"]}, "should be 'en', 'es'"),
        ({"languages": ["en", "en"]}, "a language is named twice"),
        ({"rows": 0}, "greater than or equal to 1"),
        ({"heldout": -1}, "greater than or equal to 0"),
        ({"largest": 1}, "greater than or equal to 2"),
        ({"unboxed": 1.1}, "less than or equal to 1"),
        ({"english": 0.6, "switched": 0.5}, "their sum is above 1"),
        ({"kind": "pairs"}, "should be 'prompts', 'responses' or 'judged'"),
        ({"path": "mine.txt"}, "no known ending of rows"),
        ({"row": 3}, "Extra inputs"),
    ],
)
def test_wrong_options_are_refused(options, what):
    with pytest.raises(ValidationError, match=what):
        SPEC.config(**options)


# --- form: tagged ---


def test_tagged_references_and_responses_are_in_the_form_of_a_policy_that_thinks():
    clean = {"english": 0, "switched": 0, "unboxed": 0, "slipped": 0}
    prompts = list(dataset(form="tagged", rows=50, heldout=10))
    solutions = list(dataset(kind="responses", form="tagged", rows=50, **clean))
    for sample in prompts + solutions:
        texts = [sample.fields["reference"], sample.fields.get("response", sample.fields["reference"])]
        for thought, answered in map(sections.split, texts):
            assert answered == sample.fields["answer"] == final_number(thought)
            assert "boxed" not in thought
        assert "The final result is" in texts[0]
    assert {english_steps(s) for s in solutions if s.fields["language"] != "en"} == {0}


def test_the_form_changes_nothing_but_the_form(responses):
    tagged = list(dataset(kind="responses", form="tagged", rows=300))
    for boxed, sample in zip(responses[:300], tagged, strict=True):
        assert (sample.id, sample.prompt) == (boxed.id, boxed.prompt)
        assert {**sample.fields, "response": "", "reference": ""} == {**boxed.fields, "response": "", "reference": ""}
        parts = sections.split(sample.fields["response"])
        assert (parts is None) == ("\\boxed" not in boxed.fields["response"])
        sentences = sample.fields["response"] if parts is None else parts[0]
        assert sentences == re.sub(r"\\boxed\{(\d+)\}", r"\1", boxed.fields["response"])
        if parts is not None:
            assert sentences.endswith(f"{parts[1]}.")


def test_a_slipped_tagged_answer_is_wrong_in_both_places():
    for sample in dataset(kind="responses", form="tagged", rows=100, unboxed=0, slipped=1):
        thought, answered = sections.split(sample.fields["response"])
        assert answered != sample.fields["answer"]
        assert final_number(thought) == answered


def final_number(text):
    return re.findall(r"\d+", text)[-1]


def test_a_path_gives_rows_of_ones_own_instead(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"prompt": "How many?", "answer": "4"}\n')
    (sample,) = dataset(path=str(path), rows=3, heldout=5)
    assert question(sample) == "How many?"
    assert sample.fields == {"answer": "4"}
    assert SPEC.provided_fields(SPEC.config(path=str(path))) is None


class TestJudged:
    def rows(self, **options):
        return list(dataset(kind="judged", languages=["en", "de", "fr"], **options))

    def test_has_each_level_as_often(self):
        assert Counter(row.fields["score"] for row in self.rows(rows=40)) == {1: 10, 2: 10, 3: 10, 4: 10}

    @pytest.mark.parametrize(("form", "mark"), [("boxed", r"\boxed{"), ("tagged", "<answer>")])
    def test_scores_form_and_language(self, form, mark):
        for row in self.rows(rows=200, form=form):
            score, response = row.fields["score"], row.fields["response"]
            assert (mark in response) == (score in (2, 4))
            assert self.is_all_in(row.fields["language"], response) == (score in (3, 4)), response

    @staticmethod
    def is_all_in(language, response):
        """Whether each of the four sentences begins as one of the language's does."""
        steps = [step.partition("{")[0] for steps in wordings()[language].steps.values() for step in steps]
        found = re.split(r"(?<=[.:]) ", response.removeprefix("<think>"))
        return all(any(sentence.startswith(step) for step in steps) for sentence in found)

    def test_needs_a_second_language(self):
        with pytest.raises(ValidationError, match="kind judged mixes languages"):
            dataset(kind="judged", languages=["en"])
