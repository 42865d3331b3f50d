"""The index of embed/distinct with a tiny real model, in this process."""

import numpy as np
import pytest

pytestmark = pytest.mark.slow  # loads torch and sentence-transformers


@pytest.fixture(scope="module")
def worker():
    from rewardlab_embed import distinct_worker

    return distinct_worker


@pytest.fixture
def build(worker, tiny_model):
    def make(*against, threshold=0.999):
        settings = {"model": str(tiny_model), "max_tokens": None, "batch_size": 32, "dtype": "auto"}
        more = {"trust_remote_code": False, "against": list(against), "threshold": threshold}
        return worker.build(settings | more, {"device": "cpu"})

    return make


def ask(index, texts, row=None, kept=None, name="p"):
    start = row or 0
    return index.answer(
        [{"text": t, "pass": name, "row": start + number, "kept": kept} for number, t in enumerate(texts)]
    )


def unit(*shape):
    vectors = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_the_nearest_is_that_of_all_cosines(worker, monkeypatch):
    monkeypatch.setattr(worker, "BLOCK", 7)
    rows, asked = unit(40, 16), unit(60, 16)[45:]
    index = worker.VectorIndex("cpu")
    for part in np.array_split(rows, 6):
        index.add(part)
    cosines, places = index.nearest(asked)
    assert places.tolist() == (asked @ rows.T).argmax(axis=1).tolist()
    assert cosines == pytest.approx((asked @ rows.T).max(axis=1))
    index.truncate(9)
    assert index.nearest(asked)[1].tolist() == (asked @ rows[:9].T).argmax(axis=1).tolist()
    index.truncate(0)
    assert index.nearest(asked)[1].tolist() == [-1] * 15


def test_a_row_that_is_in_an_evaluation_set_is_near_to_it(build):
    index = build("one thing", "another thing", threshold=1.0)
    same, other = ask(index, ["another thing", "something else entirely"])
    assert same == {"cosine": pytest.approx(1.0), "nearest": 1}
    assert other == {}


def test_rows_are_compared_with_those_kept_before_them(build):
    index = build("eval")
    assert ask(index, ["a1", "b2 c3", "a1"], row=0, kept=0) == [{}, {}, {"cosine": pytest.approx(1.0), "row": 0}]
    assert ask(index, ["b2 c3", "d4", "eval"], row=3, kept=2) == [
        {"cosine": pytest.approx(1.0), "row": 1},
        {},
        {"cosine": pytest.approx(1.0), "nearest": 0},
    ]


def test_a_call_that_is_asked_again_has_the_same_answers(build):
    index = build("eval")
    ask(index, ["a1"], row=0, kept=0)
    first = ask(index, ["b2", "b2", "a1"], row=1, kept=1)
    assert ask(index, ["b2", "b2", "a1"], row=1, kept=1) == first


def test_a_process_that_forgot_the_rows_says_so(build):
    assert "lost the earlier rows" in ask(build("eval"), ["a1"], row=5, kept=3)[0]["error"]


def test_passes_are_kept_apart(build):
    index = build("eval")
    assert ask(index, ["a1"], kept=0, name="p") == ask(index, ["a1"], kept=0, name="q") == [{}]


def test_the_nearest_of_each_language_is_that_of_all_cosines(worker, tiny_model):
    texts = ["How many books?", "Wie viele Bücher?", "What is the sum?", "Quelle est la somme ?"]
    settings = {"model": str(tiny_model), "max_tokens": None, "batch_size": 32, "dtype": "auto"}
    more = {"trust_remote_code": False, "against": texts, "threshold": 0.7, "languages": [0, 1, 0, 2]}
    index = worker.build(settings | more, {"device": "cpu"})
    embedder = worker.Embedder({**settings, "trust_remote_code": False}, "cpu")
    asked = ["How many trains?", "Combien ?"]
    cosines = unit_rows(embedder, asked) @ unit_rows(embedder, texts).T
    for answer, row in zip(index.answer([{"text": text} for text in asked]), cosines, strict=True):
        assert answer["cosines"] == pytest.approx([max(row[0], row[2]), row[1], row[3]], abs=1e-6)
        assert answer["nearest"] == [0 if row[0] >= row[2] else 2, 1, 3]


def unit_rows(embedder, texts):
    return np.stack([embedding.vector for embedding in embedder.embed(texts)])
