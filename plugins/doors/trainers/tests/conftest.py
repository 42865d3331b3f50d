"""What the tests of the adapters share: recipes, and what `rewardlab score` gives for a row."""

import json
import sys
from importlib import invalidate_caches
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest

RIGHT = r"""
from rewardlab import reward

@reward(range=(0, 1), requires=["answer"], runs="inline")
def right(sample, completion):
    "1 for the row's answer in a box."
    return float("\\boxed{%s}" % sample.fields["answer"] in completion.text)
"""
ROW = {"prompt": "1+1?", "answer": "2"}
TEXTS = ["\\boxed{2}", "3", "\\boxed{3} or so", "\\boxed{2} and more"]
ALONE = {
    "version": 1,
    "reward": {
        "components": {"accuracy": {"use": "sums/right"}, "box": {"use": "format/boxed"}},
        "total": "accuracy + 0.1 * box",
    },
}
COMPARED = {
    "version": 1,
    "reward": {
        "components": {"accuracy": {"use": "sums/right"}, "longest": {"use": "toy/longest"}},
        "total": "accuracy + longest",
    },
}


def faulty(**options):
    """A recipe whose component fails on texts with BAD."""
    components = {"box": {"use": "format/boxed"}, "faulty": {"use": "toy/faulty", "with": {"how": "fail"}, **options}}
    return {"version": 1, "reward": {"components": components, "total": "box + faulty"}}


def teaching(flat):
    """A recipe that leaves groups out which are flat in a part of the total."""
    components = {"short": {"use": "toy/brevity", "with": {"words": 2}}, "letters": {"use": "toy/letters"}}
    reward = {"components": components, "total": "short + letters", "teach": {"flat": flat, "by": "short"}}
    return {"version": 1, "reward": reward}


MASKING = faulty(on_missing="zero_advantage", max_missing=1)


@pytest.fixture
def toy(toy, offer):
    """The toy plugin, and sums/right."""
    offer("sums", RIGHT)
    return toy


@pytest.fixture
def told(main, write):
    """The line that `rewardlab score` writes for texts of one prompt: `told(recipe, texts)`."""

    numbers = count()

    def line(recipe, texts=TEXTS, **fields):
        scored = f"scored{next(numbers)}.jsonl"
        write("told.yaml", json.dumps(recipe))
        write("rows.jsonl", [{**ROW, **fields, "completions": texts}])
        code, _, err = main("score", "told.yaml", "rows.jsonl", "-o", scored)
        assert code == 0, err
        return json.loads(Path(scored).read_text("utf-8"))

    return line


@pytest.fixture
def mine(tmp_path, monkeypatch, toy):
    """A module as docs/trainers.md has it, from which a trainer takes `reward`: `mine(opening, recipe)` is its name.

    `mine.recipe(recipe)` is the path of a recipe's file.
    """
    numbers, written = count(), []

    def recipe_file(recipe):
        path = tmp_path / f"recipe{next(numbers)}.yaml"
        path.write_text(json.dumps(recipe))
        return str(path)

    def file(opening, recipe, end="", **options):
        given = ", ".join([repr(recipe_file(recipe)), *(f"{name}={value!r}" for name, value in options.items())])
        written.append(f"{tmp_path.name.replace('-', '_')}_{next(numbers)}")
        (tmp_path / f"{written[-1]}.py").write_text(f"{opening}\n\nreward = reward_function({given})\n{end}")
        invalidate_caches()
        return written[-1]

    monkeypatch.syspath_prepend(tmp_path)
    file.recipe = recipe_file
    yield file
    for name in written:
        sys.modules.pop(name, None)


@pytest.fixture
def peer(monkeypatch):
    """Have a trainer's package: its own, or if it is not installed the copy of its interface in peers/."""

    def installed(name):
        if find_spec(name) is None:
            monkeypatch.syspath_prepend(Path(__file__).parent / "peers" / name)

    return installed
