"""The properties of tests/tiny_models/embedder.py that other tests rely on."""

import filecmp
import json
import subprocess
import sys

import pytest
from rewardlab_data.wording import WordProblem

from .conftest import TINY

pytestmark = pytest.mark.slow  # trains a model

LANGUAGES = ("es", "id", "sw", "de", "fr", "it")


def problems(numbers):
    for a, b in numbers:
        language = LANGUAGES[(a * 7 + b) % 6]
        numbers = {"operation": "add", "a": a, "b": b, "name": "Ana", "noun": a % 3, "template": 0}
        yield tuple(WordProblem(language=code, **numbers).solution(code) for code in (language, "en"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    rows = [{"a": a, "b": b} for a, b in problems((a, b) for a in range(2, 40) for b in range(1, 20) if (a + b) % 5)]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, str(TINY), "model", "--train", "pairs.jsonl", "--seed", "3", "--steps", "80"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "model"


def test_a_trained_model_finds_the_translation_of_problems_that_it_never_saw(trained):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(trained), device="cpu", local_files_only=True)
    pairs = list(problems((a, b) for a in range(2, 40) for b in range(1, 20) if (a + b) % 5 == 0))
    cosines = model.encode([a for a, _ in pairs]) @ model.encode([b for _, b in pairs]).T
    found = sum(row.argmax() == number for number, row in enumerate(cosines)) / len(pairs)
    assert len(pairs) > 100
    assert found > 0.8


@pytest.mark.nightly
def test_the_same_seed_gives_the_same_model(tiny_embedder, tiny_model, tmp_path):
    tiny_embedder.build(tmp_path / "same")
    tiny_embedder.build(tmp_path / "other", seed=1)
    weights = "model.safetensors"
    assert filecmp.cmp(tiny_model / weights, tmp_path / "same" / weights, shallow=False)
    assert not filecmp.cmp(tiny_model / weights, tmp_path / "other" / weights, shallow=False)
