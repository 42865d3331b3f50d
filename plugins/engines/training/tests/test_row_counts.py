"""How many rows there are, as `check` and the dry run say it: counted, at most, or not known yet."""

import json

import pytest
from helpers.each_case import each_case

BASE = {
    "version": 1,
    "name": "counted",
    "model": {"use": "tiny"},
    "dataset": {"use": "data/jsonl", "with": {"path": "rows.jsonl"}},
    "judges": {"t": {"use": "pairwise/overlap"}},
    "reward": {"components": {"box": {"use": "format/boxed"}}, "total": "box"},
    "backend": {"use": "trl"},
}
RL = {"use": "rl", "algorithm": "dr_grpo", "group_size": 4, "batch_size": 32, "steps": 500, "max_new_tokens": 8}
SFT = {"use": "sft", "batch_size": 16, "steps": 1000, "max_tokens": 64}
HUB = {"use": "data/hub", "with": {"path": "a/b"}, "fields": {"prompt": "problem", "reference": "solution"}}
ASKING = {"use": "language/translated", "with": {"translator": "t", "kind": "rl", "candidates": 1}}
READING = {"use": "data/jsonl", "with": {"path": "made.jsonl"}}


@pytest.fixture
def recipe(write):
    """Write r.yaml with these stages, and rows.jsonl with so many rows."""

    def file(*stages, rows=0, **more):
        if rows:
            write(
                "rows.jsonl", [{"prompt": f"What is {n} + 1?", "response": "7", "split": "train"} for n in range(rows)]
            )
        return write("r.yaml", json.dumps(BASE | {"stages": stages} | more))

    return file


@pytest.fixture
def told(main, recipe):
    """`told(stages...)`: what check and the dry run print of rows, each as one text."""

    def run(*stages, arguments=(), **of):
        path = recipe(*stages, **of)
        (checked, check, why), (ran, dry, err) = main("check", path), main("run", path, "--dry-run", *arguments)
        assert (checked, ran) == (0, 0), check + why + err
        return check, dry

    return run


def asking(**options):
    return {**ASKING, "with": {**ASKING["with"], **options}}


def making(step, source=HUB, to="made.jsonl"):
    return {"use": "data", "dataset": {**step, "from": source}, "to": to}


@each_case(
    "stage, rows, line",
    [
        (RL, 4000, "reads 16,000 rows in 500 steps, and data/jsonl has 4,000 to train on: each about 4 times"),
        ({**RL, "steps": 5}, 160, None),
        ({**RL, "steps": 5}, 159, "reads 160 rows in 5 steps, and data/jsonl has 159 to train on: some of them twice"),
        (
            {**RL, "steps": 5},
            120,
            "reads 160 rows in 5 steps, and data/jsonl has 120 to train on: each about 1.3 times",
        ),
        (RL, 60, "reads 16,000 rows in 500 steps, and data/jsonl has 60 to train on: each about 267 times"),
        (SFT, 640, "reads 16,000 rows in 1,000 steps, and data/jsonl has 640 to train on: each about 25 times"),
        ({**RL, "steps": 1}, 32, None),
        ({**RL, "steps": None, "epochs": 3}, 40, None),
        ({**SFT, "steps": None, "epochs": 3}, 40, None),
    ],
)
def test_rows_that_are_read_several_times_are_told(stage, rows, line, told):
    for text in told(stage, rows=rows):
        assert ("to train on" in text) == (line is not None), text
        assert line is None or line in text


def test_held_out_rows_are_not_counted(told, write, recipe, main):
    rows = [{"prompt": f"What is {n} + 1?", "split": "test" if n < 15 else "train"} for n in range(40)]
    write("rows.jsonl", rows)
    path = recipe({**RL, "steps": 2})
    assert "data/jsonl has 25 to train on: each about 2.6 times" in main("check", path)[1]


def test_a_stage_before_says_how_many_rows_there_can_be(told):
    """SP3F with `draw: 4000` for its 16,000 prompts."""
    drawn = making(asking(languages_per_row="all", problems=6944, draw=4000))
    for text in told(drawn, RL, dataset=READING):
        assert "data/jsonl has at most 4,000 to train on: each about 4 times" in text
    for text in told(making(asking(languages_per_row="all", draw=17_000)), RL, dataset=READING):
        assert "to train on" not in text
    for text in told(making(asking()), RL, dataset=READING):
        assert "to train on" not in text, "nothing bounds them"


def test_of_rows_that_an_earlier_run_left_a_stage_may_make_more(told, write, main, recipe):
    write("made.jsonl", [{"prompt": "?"}] * 10)
    stages = (making(asking(languages_per_row="all", draw=17_000)), RL)
    for text in told(*stages, dataset=READING):
        assert "has 10 to train on: each about 1600 times, unless stage 0 adds to them" in text
    alone = told(*stages, dataset=READING, arguments=("--stage", "1"))[1]
    assert "has 10 to train on: each about 1600 times\n" in alone


@each_case(
    "step, said",
    [
        (asking(languages_per_row="all", draw=17_000), "trains on what stage 0 makes, at most 17,000 rows"),
        (asking(), "trains on what stage 0 makes, how many rows is not known yet"),
    ],
)
def test_a_stage_by_epochs_says_what_it_knows_of_its_rows(step, said, told):
    _, dry = told(making(step), {**RL, "steps": None, "epochs": 2}, dataset=READING)
    assert said in dry
    assert "trains on" not in told(making(step), RL, dataset=READING)[1]


def test_one_that_reads_the_hub_does_not_know(told):
    _, dry = told({**RL, "steps": None, "epochs": 2}, dataset=HUB)
    assert "trains on data/hub, how many rows is not known yet" in dry
    _, dry = told({**RL, "steps": None, "epochs": 2}, dataset={**HUB, "with": {"path": "a/b", "rows": 500}})
    assert "trains on data/hub, at most 500 rows" in dry
    assert "trains on" not in told({**RL, "steps": None, "epochs": 2}, rows=40)[1]


def test_check_as_json_tells_it_too(recipe, main):
    out = json.loads(main("check", recipe(RL, rows=40), "--json")[1])
    assert out["repeated"] == [
        "stage 0 reads 16,000 rows in 500 steps, and data/jsonl has 40 to train on: each about 400 times"
    ]
    assert "repeated" not in json.loads(main("check", recipe({**RL, "steps": 1}, rows=40), "--json")[1])


class TestQuestions:
    """Of rows that are not there yet the dry run says nothing that it does not know."""

    @staticmethod
    def lines(told, *stages):
        return [line.strip() for line in told(*stages, dataset=None, reward=None)[1].splitlines()]

    def test_one_that_is_there(self, told, write):
        write("mine.jsonl", [{"problem": "How many?", "solution": "One", "answer": "1"}] * 7)
        source = {"use": "data/jsonl", "with": {"path": "mine.jsonl"}, "fields": HUB["fields"]}
        found = self.lines(told, making(asking(candidates=2), source))
        assert "starts from 7 rows of data/jsonl" in found
        assert any(line.startswith("asks t up to 14 questions (about ") for line in found)

    @pytest.mark.parametrize(
        ("options", "source", "asked"),
        [
            ({}, {}, "asks t up to 1 question a row"),
            ({"candidates": 4}, {}, "asks t up to 4 questions a row"),
            ({"languages_per_row": "all", "languages": ["de", "es"]}, {}, "asks t up to 2 questions a row"),
            ({"kind": "sft"}, {}, "asks t up to 2 questions a row"),
            ({}, {"rows": 500}, "asks t up to 500 questions for 500 rows that it starts from"),
            ({"languages_per_row": "all", "draw": 300}, {}, "asks t up to 300 questions"),
            (
                {"languages_per_row": "all", "draw": 300},
                {"rows": 100},
                "asks t up to 300 questions for 100 rows that it starts from",
            ),
            ({"problems": 70}, {}, "asks t up to 70 questions"),
        ],
    )
    def test_of_the_hub(self, options, source, asked, told):
        hub = {**HUB, "with": {**HUB["with"], **source}}
        found = self.lines(told, making(asking(**options), hub))
        assert asked in found
        assert ("starts from data/hub, how many rows is not known yet" in found) == (not source)

    @pytest.mark.parametrize(
        ("step", "start", "asked"),
        [
            (
                asking(languages_per_row="all", draw=17_000),
                "at most 17,000 rows",
                "17,000 questions for 17,000 rows that it starts from",
            ),
            (asking(), "how many rows is not known yet", "1 question a row"),
        ],
    )
    def test_of_what_the_stage_before_makes(self, step, start, asked, told):
        again = {
            "use": "language/translated_fields",
            "with": {"translator": "t", "write": {"prompt": "$prompt"}, "to": "en"},
        }
        found = self.lines(told, making(step), making(again, READING, "again.jsonl"))
        assert f"starts from what stage 0 makes, {start}" in found
        assert f"asks t up to {asked}" in found

    def test_the_first_rows_of_it(self, told):
        again = {
            "use": "language/translated_fields",
            "with": {"translator": "t", "write": {"prompt": "$prompt"}, "to": "en"},
        }
        first = {"use": "data/jsonl", "with": {"path": "made.jsonl", "first": 50}}
        found = self.lines(told, making(asking(draw=170, languages_per_row="all")), making(again, first, "again.jsonl"))
        assert "asks t up to 50 questions for 50 rows that it starts from" in found
