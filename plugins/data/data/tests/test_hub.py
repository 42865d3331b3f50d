"""data/hub: a dataset folder as the hub keeps one; there is no hub in a test."""

import json
import sys

import pytest
from rewardlab import Context, find
from rewardlab.data import remap
from rewardlab.errors import JobError, UserError

pytestmark = pytest.mark.slow  # importing `datasets` takes as long as some hundred of the quick tests


def dataset(seed=0, **options):
    spec = find("dataset", "data/hub")
    return spec.build(spec.config(**options), Context(seed=seed))


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path):
    """A folder with two splits, as a repository on the hub has them."""
    folder = tmp_path / "set"
    (folder / "data").mkdir(parents=True)
    for split, numbers in (("train", range(3)), ("test", range(5, 6))):
        rows = [{"problem": f"{n} + {n}?", "solution": "…", "answer": str(2 * n), "more": {"n": [n]}} for n in numbers]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "data" / f"{split}.jsonl").write_text(lines)
    return folder


@pytest.mark.parametrize("streaming", [True, False])
def test_rows_are_samples_with_their_place(folder, streaming):
    samples = dataset(path=str(folder), streaming=streaming)
    first, *_, last = samples
    assert first.fields == {"problem": "0 + 0?", "solution": "…", "answer": "0", "more": {"n": [0]}}
    assert last.source == f"{folder} row 3"
    assert remap(last, {"prompt": "problem"}).prompt == ({"role": "user", "content": "2 + 2?"},)
    assert len(list(samples)) == 3, "iterating again starts anew"
    json.dumps([dict(sample.fields) for sample in samples])


def test_no_more_rows_than_asked_for(folder):
    assert [sample.fields["answer"] for sample in dataset(path=str(folder), rows=2)] == ["0", "2"]


def test_rows_are_drawn_by_the_seed_and_come_in_their_order(folder):
    def drawn(seed):
        return [sample.fields["answer"] for sample in dataset(seed, path=str(folder), rows=2, drawn=True)]

    found = [drawn(seed) for seed in range(40)]
    assert found == [drawn(seed) for seed in range(40)]
    assert {*map(tuple, found)} == {("0", "2"), ("0", "4"), ("2", "4")}
    with pytest.raises(ValueError, match="say how many"):
        dataset(path=str(folder), drawn=True)
    spec = find("dataset", "data/hub")

    def of_its_own(seed):
        options = spec.config(path=str(folder), rows=2, drawn=True, seed=seed)
        return [sample.fields["answer"] for sample in spec.build(options, Context(seed=7))]

    assert [of_its_own(seed) for seed in range(40)] == found, "in the place of the recipe's"
    with pytest.raises(ValueError, match="seed is for drawn: true"):
        spec.config(path=str(folder), rows=2, seed=1)


def test_another_split(folder):
    assert [sample.fields["answer"] for sample in dataset(path=str(folder), split="test")] == ["10"]


@pytest.mark.parametrize("wrong", [{"split": "trian"}, {"name": "other"}])
def test_what_is_not_there_is_the_users_mistake_with_its_name(folder, wrong):
    options = {"path": str(folder), **wrong}
    with pytest.raises(UserError) as raised:
        list(dataset(**options))
    assert str(raised.value).startswith(options["path"])


def test_a_hub_that_cannot_be_reached_is_no_mistake_of_the_users():
    with pytest.raises(JobError, match=r"^no/such-set cannot be loaded: ConnectionError: "):
        list(dataset(path="no/such-set"))


def test_without_the_library_it_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UserError, match=r"pip install datasets"):
        list(dataset(path=str(folder)))
