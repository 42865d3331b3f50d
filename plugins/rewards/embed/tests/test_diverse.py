"""The data step embed/diverse with its real chooser, and with words in place of a model's embeddings."""

import json
import logging
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Context, Sample, find
from rewardlab.errors import JobError, UserError
from rewardlab_embed.diverse import worker_settings

SPEC = find("dataset", "embed/diverse")
TOPICS = ("rain", "train", "prime", "poem")


def diverse_worker():
    """The module that loads scikit-learn, for which a worker without these tests need not wait."""
    from rewardlab_embed import diverse_worker

    return diverse_worker


class WordVectors:
    """A stand-in for the model: a direction for each topic, and a little of one for each other word."""

    def embed(self, texts):
        return [self._embed(text) for text in texts]

    def _embed(self, text):
        if text == "not finite":
            return SimpleNamespace(vector=None, error="its embedding is not finite")
        vector = np.zeros(64, np.float32)
        for word in text.split():
            number = TOPICS.index(word) if word in TOPICS else 8 + sum(map(ord, word)) % 56
            vector[number] += 4 if word in TOPICS else 1
        return SimpleNamespace(vector=vector / np.linalg.norm(vector), error=None)


class ChooserInProcess:
    """The worker without its process. breaks: the number of the call before which its process is restarted."""

    def __init__(self, settings, breaks=None):
        self.settings, self.breaks, self.calls = settings, breaks, []
        self._start()

    def _start(self):
        self.chooser = diverse_worker().DiverseRowChooser(WordVectors(), self.settings)

    async def ask(self, questions):
        self.calls.append(questions)
        if len(self.calls) == self.breaks:
            self._start()
        return json.loads(json.dumps(self.chooser.answer(json.loads(json.dumps(questions)))))


class ChooserWorkers:
    def __init__(self, breaks=None):
        self.breaks = breaks

    def open(self, file, settings):
        assert file.name == "diverse_worker.py"
        self.opened = ChooserInProcess(json.loads(json.dumps(settings)), self.breaks)
        return self.opened


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr("rewardlab_embed.diverse.CHUNK", 16)


def rows(*sizes, **fields):
    samples = []
    for topic, size in zip(TOPICS, sizes, strict=False):
        for number in range(size):
            prompt = ({"role": "user", "content": f"{topic} w{number} v{number % 7}"},)
            of_row = {"topic": topic, "right": number % 3, **fields}
            samples.append(
                Sample(id=f"{topic}{number}", prompt=prompt, fields=of_row, source=f"t.jsonl:{len(samples)}")
            )
    return [samples[index] for index in np.random.default_rng(0).permutation(len(samples))]


def step(samples, opened=None, seed=0, **options):
    options = SPEC.config(model="org/model", **options)
    return SPEC.build(options, Context(source=samples, workers=opened or ChooserWorkers(), seed=seed))


def topics(chosen):
    return Counter(sample.fields["topic"] for sample in chosen)


def test_rows_of_each_topic_are_chosen_unchanged_and_in_their_order(caplog):
    samples = rows(80, 40, 40, 20)
    with caplog.at_level(logging.INFO):
        chosen = list(step(samples, rows=90))
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert told == ["embed/diverse: 90 of 180 rows chosen"]
    assert topics(chosen) == {"rain": 40, "train": 20, "prime": 20, "poem": 10}
    assert [sample for sample in samples if sample in chosen] == chosen
    assert "by cluster: " in caplog.text
    assert "40 of 80" in caplog.text


@pytest.mark.parametrize("strategy", ["paper", "official_code"])
def test_a_small_topic_gives_ten_rows_under_paper_and_its_share_under_the_code(strategy):
    chosen = list(step(rows(150, 150, 150, 15), rows=62, strategy=strategy))
    assert len(chosen) == 62
    assert topics(chosen)["poem"] == (10 if strategy == "paper" else 2)


def test_quotas_by_a_field_and_by_difficulty():
    samples = rows(60, 60, 60, 60)
    quotas = {"topic": {"rain": 2, "poem": 1}, "right": {"0": 3, "1": 1}}
    chosen = list(step(samples, rows=24, quotas=quotas))
    counted = Counter((sample.fields["topic"], sample.fields["right"]) for sample in chosen)
    assert counted == {("rain", 0): 12, ("rain", 1): 4, ("poem", 0): 6, ("poem", 1): 2}


def test_what_a_quota_cannot_fill_the_others_give_and_rows_without_a_quota_are_told(caplog):
    samples = rows(6, 60, 0, 9)
    chosen = list(step(samples, rows=30, quotas={"topic": {"rain": 1, "train": 1}}))
    assert topics(chosen) == {"rain": 6, "train": 24}
    assert "9 rows left out, whose values have no quota: first t.jsonl:" in caplog.text


def test_whole_numbers_and_texts_name_the_same_quota():
    samples = rows(8, right=3.0) + rows(0, 8, right="3")
    assert len(list(step(samples, rows=16, quotas={"right": {"3": 1}}))) == 16


@pytest.mark.parametrize("value", [None, True, ["x"]])
def test_a_row_without_a_value_for_a_quota_is_the_users_mistake(value):
    with pytest.raises(UserError, match=r"t.jsonl:\d: field 'topic', by which `quotas` go, is not a text or number"):
        list(step(rows(3, topic=value), rows=2, quotas={"topic": {"rain": 1}}))


def test_a_source_with_no_more_rows_stays_whole_and_an_empty_one_empty():
    samples = rows(5, 5)
    assert list(step(samples, rows=10)) == samples
    assert list(step(samples, rows=99)) == samples
    assert list(step([], rows=9)) == []


def test_a_second_reading_chooses_the_same_rows_and_another_seed_may_choose_others():
    samples = rows(60, 60, 60)
    dataset = step(samples, rows=40)
    assert list(dataset) == list(dataset) == list(step(samples, rows=40))
    others = [list(step(samples, rows=40, seed=seed, counts=[7])) for seed in range(3)]
    assert any(other != others[0] for other in others[1:])


def test_two_passes_at_once_do_not_mix():
    samples = rows(60, 60)
    dataset = step(samples, rows=40)
    first, second = iter(dataset), iter(dataset)
    assert [next(first), *second][1:] == [*list(dataset)]
    assert len(list(first)) == 39


def test_the_process_is_asked_in_chunks_and_works_on_a_choice_in_slices(monkeypatch):
    monkeypatch.setattr(diverse_worker(), "SLICE", 1e-9)
    opened = ChooserWorkers()
    assert len(list(step(rows(60, 60), opened, rows=100))) == 100
    calls = opened.opened.calls
    assert max(map(len, calls)) == 16
    assert sum("choose" in call[0] for call in calls) > 8


def test_a_process_that_forgot_the_rows_stops_the_step():
    for breaks, where in ((2, "row 17"), (9, "its 120 rows")):
        with pytest.raises(JobError, match=rf"embed/diverse: {where}: the process was restarted"):
            list(step(rows(60, 60), ChooserWorkers(breaks), rows=50))


def test_a_call_that_is_repeated_adds_no_row_twice():
    chooser = diverse_worker().DiverseRowChooser(WordVectors(), {"counts": [3]})
    call = [{"text": f"rain w{n}", "pass": "p", "row": n, "group": ""} for n in range(4)]
    assert chooser.answer(call) == chooser.answer(call) == [{}] * 4
    (answer,) = chooser.answer([{"pass": "p", "group": "", "rows": 4, "choose": 4}])
    assert answer["chosen"] == [0, 1, 2, 3]


def test_a_row_without_an_embedding_or_a_text_stops_the_step():
    bad = Sample(id="b", prompt=({"role": "user", "content": "not finite"},), source="t.jsonl:9")
    with pytest.raises(JobError, match=r"embed/diverse: row 3: its embedding is not finite"):
        list(step([*rows(2), bad], rows=2))
    with pytest.raises(UserError, match=r"t.jsonl:9: neither a text in field 'problem' nor a user message"):
        list(step([Sample(id="b", prompt=(), source="t.jsonl:9")], rows=2))


def test_what_the_options_say_is_in_place_of_the_strategys():
    paper = worker_settings(SPEC.config(rows=1), 0)
    assert (paper["counts"], paper["least"], paper["selection"]["weight"]) == ([3, 4, 5, 6, 7, 8, 9, 10], 10, 0.5)
    code = worker_settings(SPEC.config(rows=1, strategy="official_code", least=4, weight=0.2, counts=[6]), 0)
    assert (code["counts"], code["least"], code["selection"]["weight"]) == ([6], 4, 0.2)
    assert code["selection"]["relevant_to"] == "chosen"


@each_case("wrong", [{"rows": 0}, {"strategy": "best"}, {"counts": [1]}, {"quotas": {"a": {"x": 0}}}])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ValidationError):
        SPEC.config(**{"rows": 5, **wrong})


@pytest.mark.slow
def test_of_a_large_pool_the_chosen_rows_are_unlike_each_other():
    """A quarter of the cluster, as the formula is printed, is more than the cluster gives: nothing is left for MMR."""
    draw = np.random.default_rng(0)
    pool = draw.normal(size=(3000, 16)) * 0.35
    pool[:, 0] += 1
    pool = (pool / np.linalg.norm(pool, axis=1, keepdims=True)).astype(np.float32)

    def likeness(**options):
        settings = worker_settings(SPEC.config(rows=100, counts=[3], **options), 0)
        making = diverse_worker().choice(pool, 100, settings)
        while True:
            try:
                next(making)
            except StopIteration as done:
                chosen = pool[done.value["chosen"]]
                break
        cosines = chosen @ chosen.T - 2 * np.eye(len(chosen))
        return float(cosines.max(axis=1).mean())

    of_cluster = likeness(nearest_of="cluster")
    assert likeness() < of_cluster - 0.05
    assert of_cluster == pytest.approx(likeness(nearest=1.0))
