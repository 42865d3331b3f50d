"""The data step embed/distinct, with words in place of embeddings. The real index: test_distinct_worker.py."""

import json
import logging

import pytest
from pydantic import ValidationError
from rewardlab import Context, Sample, find
from rewardlab.errors import JobError, UserError

from .conftest import overlap

SPEC = find("dataset", "embed/distinct")
CHUNK = 8


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr("rewardlab_embed.distinct.CHUNK", CHUNK)


class WordIndex:
    """A stand-in for the worker. forgets: the number of the call before which its process was restarted."""

    def __init__(self, settings, forgets):
        self.settings, self.forgets, self.calls, self.kept = settings, forgets, [], {}

    async def ask(self, questions):
        self.calls.append(questions)
        if len(self.calls) == self.forgets:
            self.kept = {}
        if "languages" in self.settings:
            return [self._of_languages(question["text"]) for question in questions]
        if questions[0]["kept"] not in (None, len(self.kept)):
            return [{"error": "the process was restarted and has lost the earlier rows"}] * len(questions)
        return [self._answer(question) for question in questions]

    def _of_languages(self, text):
        if text == "not finite":
            return {"error": "its embedding is not finite"}
        best = {}
        for place, (other, language) in enumerate(
            zip(self.settings["against"], self.settings["languages"], strict=True)
        ):
            best[language] = max(best.get(language, (-1, 0)), (overlap(text, other), place))
        cosines, places = zip(*(best[language] for language in sorted(best)), strict=True)
        return {"cosines": list(cosines), "nearest": list(places)}

    def _answer(self, question):
        text = question["text"]
        if text == "not finite":
            return {"error": "its embedding is not finite"}
        for key, others in (("nearest", enumerate(self.settings["against"])), ("row", list(self.kept.items()))):
            for name, other in others:
                if overlap(text, other) >= self.settings["threshold"] - 1e-6:
                    return {"cosine": overlap(text, other), key: name}
        if question["kept"] is not None:
            self.kept[question["row"]] = text
        return {}


class DistinctWorkers:
    """A stand-in for `context.workers`."""

    def __init__(self, forgets=None):
        self.forgets = forgets

    def open(self, file, settings):
        assert file.name == "distinct_worker.py"
        self.index = WordIndex(settings, self.forgets)
        return self.index


@pytest.fixture
def evaluation(tmp_path):
    path = tmp_path / "eval.jsonl"
    rows = [{"problem": "how many books are left"}, {"prompt": [{"role": "user", "content": "what is the sum"}]}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def sample(number, text, **fields):
    prompt = ({"role": "system", "content": "Think."}, {"role": "user", "content": text})
    return Sample(id=f"r{number}", prompt=prompt, fields=fields, source=f"train.jsonl:{number + 1}")


def step(samples, evaluation, opened=None, **options):
    options = SPEC.config(model="org/model", against=[str(evaluation)], **options)
    return SPEC.build(options, Context(source=samples, workers=opened or DistinctWorkers()))


def test_rows_near_to_an_evaluation_row_are_dropped_with_a_warning(evaluation, caplog):
    texts = ["a new problem", "how many books are left", "What is the sum", "another one"]
    samples = [sample(number, text) for number, text in enumerate(texts)]
    with caplog.at_level(logging.WARNING):
        kept = list(step(samples, evaluation))
    assert kept == [samples[0], samples[3]]
    assert "2 of 4 rows dropped: 2 near to an evaluation row" in caplog.text
    assert f"train.jsonl:2 to {evaluation}:1 (1.000): 'how many books are left'" in caplog.text


def test_the_field_is_compared_before_the_prompt(evaluation):
    samples = [sample(0, "how many books are left", problem="a new one"), sample(1, "new", problem="what is the sum")]
    assert list(step(samples, evaluation)) == samples[:1]
    evaluation.write_text('{"question": "how many books are left"}\n')
    assert list(step(samples, evaluation, field="question")) == samples[1:]


def test_rows_near_to_each_other_stay_unless_within_is_set(evaluation, caplog):
    texts = ["one two three", "four five six", "one two three", "four five seven"]
    samples = [sample(number, text) for number, text in enumerate(texts)]
    assert list(step(samples, evaluation)) == samples
    assert list(step(samples, evaluation, within=True)) == [samples[number] for number in (0, 1, 3)]
    assert "train.jsonl:3 to row 1 (1.000)" in caplog.text
    assert list(step(samples, evaluation, within=True, threshold=0.6)) == samples[:2]


def test_rows_are_compared_in_chunks_and_read_as_they_are_needed(evaluation):
    read = []

    def source():
        for number in range(10 * CHUNK):
            read.append(number)
            yield sample(number, f"text{number}")

    opened = DistinctWorkers()
    rows = iter(step(source(), evaluation, opened))
    assert next(rows).id == "r0"
    assert len(read) <= 3 * CHUNK
    assert all(len(questions) == CHUNK for questions in opened.index.calls)


def test_a_second_reading_gives_the_same_rows(evaluation):
    samples = [sample(number, f"text{number % 7} more{number % 3}") for number in range(60)]
    first = list(step(samples, evaluation, within=True))
    assert first == list(step(samples, evaluation, within=True))
    assert len(first) == 21


def test_a_process_that_forgot_the_rows_before_stops_the_step(evaluation):
    samples = [sample(number, f"text{number}") for number in range(2 * CHUNK)]
    with pytest.raises(JobError, match=rf"train.jsonl:{CHUNK + 1}: the process was restarted"):
        list(step(samples, evaluation, DistinctWorkers(forgets=2), within=True))
    # without `within` no rows are remembered
    assert list(step(samples, evaluation, DistinctWorkers(forgets=2))) == samples


def test_a_row_without_an_embedding_stops_the_step(evaluation):
    with pytest.raises(JobError, match=r"embed/distinct: train.jsonl:1: its embedding is not finite"):
        list(step([sample(0, "not finite")], evaluation))


def test_a_row_without_a_text_is_the_users_mistake(evaluation):
    with pytest.raises(UserError, match=r"train.jsonl:1: neither a text in field 'problem' nor a user message"):
        list(step([sample(0, " ")], evaluation))


def test_evaluation_rows_are_checked_when_the_step_is_built(tmp_path, evaluation):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"problem": "fine"}\n{"question": "x"}\nnot json\n')
    with pytest.raises(UserError) as error:
        step([], bad)
    assert str(error.value).count("\n") == 1
    assert f"{bad}:2: neither a text in field 'problem' nor a prompt" in str(error.value)
    bad.write_text("\n")
    with pytest.raises(UserError, match="no rows"):
        step([], bad)
    with pytest.raises(UserError, match=r"absent\.jsonl: no such file"):
        step([], tmp_path / "absent.jsonl")


@pytest.fixture
def in_two_languages(tmp_path):
    path = tmp_path / "eval.jsonl"
    rows = [("en", "one two three four"), ("de", "eins zwei drei vier"), ("de", "fünf sechs")]
    path.write_text("".join(json.dumps({"problem": text, "language": code}) + "\n" for code, text in rows))
    return path


def test_where_a_pair_of_languages_has_none_above_the_threshold_its_nearest_rows_go(in_two_languages, caplog):
    texts = {
        "en": ["one two three four", "one two three", "one two", "other", "none"],
        "it": ["eins due", "eins zwei tre", "one due tre", "quattro", "cinque"],
    }
    rows = [sample(n, text, language=code) for n, (code, text) in enumerate((c, t) for c in texts for t in texts[c])]
    kept = [row.id for row in step(rows, in_two_languages, threshold=0.7, nearest=2)]
    # en-en: r0, r1 and r2 (0.707) are above; en-de: none has a word, the first two go; it-en: r7, r5; it-de: r6, r5
    assert kept == ["r3", "r4", "r8", "r9"]
    assert "6 of 10 rows dropped: 6 near to an evaluation row" in caplog.text


def test_rows_of_one_language_are_one_group_and_the_first_of_equals_go(evaluation):
    samples = [sample(number, f"new{number}") for number in range(5)]
    assert list(step(samples, evaluation, nearest=2)) == samples[2:]
    assert list(step(samples, evaluation, nearest=9)) == []
    above = [*samples, sample(5, "what is the sum")]
    assert list(step(above, evaluation, nearest=2)) == samples


def test_under_nearest_rows_are_not_compared_with_each_other_and_errors_stop_the_step(evaluation):
    with pytest.raises(ValidationError, match="within and nearest exclude each other"):
        step([], evaluation, within=True, nearest=2)
    with pytest.raises(JobError, match=r"embed/distinct: train.jsonl:1: its embedding is not finite"):
        list(step([sample(0, "not finite")], evaluation, nearest=2))
