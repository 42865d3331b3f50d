"""A data stage whose server refuses rows for good: they are dropped, unless it refuses everything."""

import json
import re
from collections import Counter

import pytest
from aiohttp import web
from rewardlab.judging.refusal_watch import MAX_IN_A_ROW

ROWS = 120


def refusal(status, message="maximum context length is 4096 tokens"):
    async def respond(_):
        return web.json_response({"error": {"message": message, "code": "x"}}, status=status)

    return respond


def number_of(request):
    """Which row is asked about; None for a small question."""
    found = re.search(r"What is (\d+)\?", request["messages"][-1]["content"])
    return None if found is None else int(found[1])


@pytest.fixture
def stage(judge_server, main, write, tmp_path):
    """`stage(refuses, status=400, **options)` runs it: (exit code, what it says, the rows it wrote, what was asked).

    refuses: takes a row's number, None for a small question, and says whether the server refuses it.
    """
    write("rows.jsonl", [{"id": f"r{n}", "prompt": f"Q{n}", "problem": f"What is {n}?"} for n in range(ROWS)])

    def run(refuses, status=400, judge=None, **options):
        answer = judge_server.JudgeServer(
            answer=lambda request: "<think>So it is.</think><answer>2</answer>",
            fault=lambda _, request: refusal(status) if refuses(number_of(request)) else None,
        )
        with judge_server.Serving(answer) as server:
            expert = {"use": "openai/chat", "with": {"model": "m", "base_url": server.url}, "concurrency": 8}
            source = {"use": "data/jsonl", "with": {"path": "rows.jsonl"}}
            dataset = {"use": "data/expert", "from": source, "with": {"expert": "main", **options}}
            recipe = {
                "version": 1,
                "name": "made",
                "judges": {"main": {**expert, **(judge or {}), "reuse": "same_model"}},
                "stages": [{"use": "data", "dataset": dataset, "to": "out/made.jsonl"}],
            }
            write("r.yaml", json.dumps(recipe))
            code, out, err = main("run", "r.yaml")
            asked = Counter(map(number_of, server.requests))
        file = tmp_path / "out" / "made.jsonl"
        made = [json.loads(line)["id"] for line in file.read_text("utf-8").splitlines()] if file.exists() else []
        return code, out + err, made, asked

    return run


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_row_that_is_refused_is_dropped_and_named(stage, status, caplog):
    code, told, made, asked = stage(lambda number: number in (7, 70), status)
    assert code == 0, told
    assert len(made) == ROWS - 2
    assert {"r7", "r70"}.isdisjoint(made)
    assert (
        "2 of 120 rows dropped: 2: refused by the server; first: rows.jsonl:8: refused by the server: " in caplog.text
    )
    assert f"HTTP {status}: maximum context length is 4096 tokens" in caplog.text
    assert asked[7] == asked[70] == 1, "another draw would be refused, too"


def test_many_in_a_row_are_dropped_while_the_server_answers_a_small_question(stage):
    code, told, made, asked = stage(lambda number: number is not None and number >= ROWS - 20)
    assert code == 0, told
    assert made == [f"r{number}" for number in range(ROWS - 20)]
    assert asked[None] <= 1 + 20 // MAX_IN_A_ROW + 1, "the first call, and one for each of so many refusals"


def test_more_than_max_dropped_end_the_stage(stage):
    code, told, *_ = stage(lambda number: number is not None and number % 3 == 0, max_dropped=0.2)
    assert code == 1
    assert re.search(r"data/expert: \d+ of 5\d rows got no well-formed reference: .*max_dropped: 0.2 allows", told)


def test_a_server_that_begins_to_refuse_everything_ends_the_stage_at_once(stage):
    answered = []

    def refuses(number):
        answered.append(number)
        return len(answered) > 40

    code, told, _, asked = stage(refuses, max_dropped=1)
    assert code == 1
    assert "judge 'main' refuses every question, also one of a few words: http" in told
    assert "HTTP 400: maximum context length" in told
    assert asked.total() < 40 + MAX_IN_A_ROW + 3 * 8, "no more than what was under way"


def test_one_that_refuses_everything_from_the_first_call_on_is_never_asked_about_a_row(stage):
    code, told, made, asked = stage(lambda number: True)
    assert (code, made, asked.total()) == (2, [], 1)
    assert "HTTP 400" in told


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_of_another_kind_ends_the_stage(stage, status):
    code, told, *_ = stage(lambda number: number == 7, status)
    assert code == 1
    assert "'main' answered none of 1 questions: http" in told


@pytest.mark.slow
def test_a_stage_that_goes_on_asks_about_refused_rows_again_and_about_no_others(stage):
    refused = {*range(10), 30, 60, 90}
    code, told, made, _ = stage(lambda number: number in refused)
    assert (code, len(made)) == (0, ROWS - len(refused)), told
    code, told, made, asked = stage(lambda number: number in refused)
    assert (code, len(made)) == (0, ROWS - len(refused)), told
    assert {number for number in asked if number is not None} == refused
    code, told, made, asked = stage(lambda number: number == 30)  # as with a server of a longer context
    assert (code, len(made)) == (0, ROWS - 1), told
    assert {number for number in asked if number is not None} == refused
