"""The rows that `judge` reads: every shape that such files have, and what is wrong with others."""

import json

import pytest
from helpers.each_case import each_case
from rewardlab_measure.judge_agreement.gold_rows import read_cases

USER = {"role": "user", "content": "How much is 4 + 3?"}
SYSTEM = {"role": "system", "content": "Answer briefly."}


def says(text):
    return {"role": "assistant", "content": text}


@pytest.fixture
def read(write, plan_of, reward):
    """`read(rows)` is (cases, the problems' texts); `fields` is the recipe's mapping of columns."""

    def run(rows, fields=None, **more):
        plan = plan_of({"a": reward(lambda items: [], **more)})
        if fields:
            dataset = (
                type(plan.recipe)
                .model_validate({"version": 1, "dataset": {"use": "data/jsonl", "fields": fields}})
                .dataset
            )
            object.__setattr__(plan, "recipe", plan.recipe.model_copy(update={"dataset": dataset}))
        cases, bad = read_cases(str(write("rows.jsonl", rows)), plan)
        return cases, [problem.what for problem in bad.listed]

    return run


def in_row_order(case):
    """The texts of a case as its row has them."""
    shown = [completion.text for completion in case.row.group.completions]
    return [shown[case.order.index(index)] for index in range(len(shown))]


def prompts(case):
    return [message["content"] for message in case.row.group.sample.prompt]


@each_case("columns, prompt", [
        ({"prompt": "?", "chosen": "yes", "rejected": "no"}, ["?"]),
        ({"prompt": [USER], "chosen": {"text": "yes"}, "rejected": {"text": "no"}}, [USER["content"]]),
        ({"prompt": "?", "chosen": [USER, says("yes")], "rejected": [USER, says("no")]}, ["?"]),
        (
            {"chosen": [SYSTEM, USER, says("yes")], "rejected": [SYSTEM, USER, says("no")]},
            [SYSTEM["content"], USER["content"]],
        ),
    ])  # fmt: skip
def test_pairs(read, columns, prompt):
    (case,), problems = read([{"id": 7, "subset": "math", "lang": "de", "hint": 1, **columns}])
    assert problems == []
    assert (in_row_order(case), case.gold, case.is_pair) == (["yes", "no"], (1.0, 0.0), True)
    assert (case.row.given_id, case.language, case.kind) == (7, "de", "math")
    assert case.row.group.sample.id == "7"
    assert prompts(case) == prompt
    assert case.row.group.sample.fields["hint"] == 1


def test_what_differs_from_the_first_call_on_is_a_conversation(read):
    asks = {"role": "assistant", "content": "", "tool_calls": [{"name": "add", "arguments": "{}"}]}
    tool = {"role": "tool", "content": "7"}
    (case, other), problems = read(
        [
            {"chosen": [USER, asks, tool, says("7")], "rejected": [USER, says("8")]},
            {"chosen": [USER, asks, tool, says("7")], "rejected": [USER, asks, tool, says("8")]},
        ]
    )
    assert problems == []
    assert (prompts(case), in_row_order(case)) == ([USER["content"]], ["7", "8"])
    assert sorted(len(one.messages) for one in case.row.group.completions) == [1, 3]
    assert [len(one.messages) for one in other.row.group.completions] == [3, 3]


def test_a_number_may_be_the_text_of_one_as_in_a_cell_of_csv(read):
    cases, problems = read(
        [{"prompt": "?", "response": text, "score": score} for text, score in [("a", "1.0"), ("b", "0"), ("c", "x")]]
    )
    assert [case.gold for case in cases] == [(1.0, 0.0)]
    assert problems == ["score must be a number, not a text"]


def test_no_reward_sees_what_is_gold(read):
    cases, _ = read(
        [
            {"prompt": "?", "chosen": "yes", "rejected": "no"},
            {"prompt": "??", "completions": ["yes", "no"], "scores": [1, 0]},
            {"prompt": "???", "response": "yes", "score": 1},
            {"prompt": "???", "response": "no", "score": 0},
        ]
    )
    assert [dict(case.row.group.sample.fields) for case in cases] == [{}, {}, {}]


def test_places_follow_from_the_id_and_tell_nothing(read):
    rows = [{"id": number, "prompt": "?", "chosen": "yes", "rejected": "no"} for number in range(400)]
    cases, _ = read(rows)
    better_first = sum(case.row.group.completions[0].text == "yes" for case in cases)
    assert 160 < better_first < 240
    turned, _ = read(rows[::-1])
    assert [case.order for case in turned[::-1]] == [case.order for case in cases]


def test_lists_keep_their_grades(read):
    (case,), _ = read(
        [{"prompt": "?", "completions": ["a", {"text": "b", "token_count": 3}, "c"], "scores": [1, 3.5, 1]}]
    )
    assert (in_row_order(case), case.gold, case.is_pair) == (["a", "b", "c"], (1.0, 3.5, 1.0), False)


def test_rows_of_one_answer_are_gathered_by_prompt_language_and_kind(read):
    rows = [
        {"prompt": "p", "response": "a", "score": 1, "language": "de", "reference": "first"},
        {"prompt": "q", "chosen": "yes", "rejected": "no"},
        {"prompt": "p", "response": "b", "score": 2, "language": "de", "reference": "second"},
        {"prompt": "p", "response": "c", "score": 3, "language": "sw"},
        {"prompt": "p", "response": "d", "score": 1, "language": "de"},
    ]
    (gathered, pair), problems = read(rows)
    assert (in_row_order(gathered), gathered.gold) == (["a", "b", "d"], (1.0, 2.0, 1.0))
    assert gathered.row.group.sample.fields["reference"] == "first"
    assert in_row_order(pair) == ["yes", "no"]
    assert problems == ["no other row has this prompt, language and kind; 2 answers or more are needed to compare"]


def test_the_recipe_says_how_columns_are_called(read):
    fields = {"prompt": "question", "chosen": "better", "rejected": "worse", "kind": "topic", "reference": "better"}
    rows = [{"question": "?", "better": "yes", "worse": "no", "topic": "math", "kind": "other"}]
    (case,), problems = read(rows, fields, requires=["reference"])
    assert problems == []
    assert (in_row_order(case), prompts(case), case.kind) == (["yes", "no"], ["?"], "math")
    assert case.row.group.sample.fields["reference"] == "yes"  # because the recipe asks for it
    (case,), _ = read([{"prompt": "?", "answers": ["a", "b"], "scores": [1, 2]}], {"completions": "answers"})
    assert in_row_order(case) == ["a", "b"]
    (case,), _ = read([{"prompt": "?", "chosen": "yes", "rejected": "no", "answers": 2}], {"completions": "answers"})
    assert in_row_order(case) == ["yes", "no"]


def test_an_id_may_come_again_in_another_language_or_kind(read):
    row = {"id": 1, "prompt": "?", "chosen": "yes", "rejected": "no"}
    cases, problems = read([row, row | {"lang": "de"}, row | {"kind": "x"}, row | {"lang": "de"}, {**row, "id": "1"}])
    assert len(cases) == 3
    assert [what.rpartition("/")[2] for what in problems] == ["rows.jsonl:2", "rows.jsonl:1"]
    assert problems[0].startswith("the id '1' is already used by ")


def test_rows_without_an_id_get_one(read):
    row = {"prompt": "?", "chosen": "yes", "rejected": "no"}
    cases, problems = read([row, row])
    assert problems == []
    assert len({case.row.group.sample.id for case in cases}) == 2


@each_case(
    "row, what",
    [
        ({"prompt": "?", "chosen": "yes"}, "a row needs chosen and rejected; completions and scores; or completion"),
        ({"prompt": "?", "chosen": "yes", "rejected": None}, "columns: 'prompt', 'chosen', 'rejected'"),
        ({"chosen": "yes", "rejected": "no"}, "no prompt: there is no column 'prompt'"),
        ({"prompt": "?", "chosen": "yes", "rejected": "yes"}, "are the same text; nothing can tell them apart"),
        ({"prompt": "?", "chosen": 3, "rejected": "no"}, "chosen must be a text, an object with 'text' or a list"),
        ({"prompt": "?", "chosen": "yes", "rejected": [USER]}, "the last message of rejected must be the assistant's"),
        ({"prompt": "?", "chosen": "yes", "rejected": []}, "the last message of rejected must be the assistant's"),
        ({"prompt": "?", "chosen": ["yes"], "rejected": ["no"]}, "the last message of chosen must be the assistant's"),
        ({"chosen": [USER, says("a")], "rejected": [SYSTEM, says("b")]}, "differ before the assistant's first message"),
        ({"prompt": "?", "completions": ["a", "b"], "scores": [1]}, "there are 2 completions and 1 scores"),
        ({"prompt": "?", "completions": ["a"], "scores": [1]}, "there is 1 completion; 2 or more are needed"),
        ({"prompt": "?", "completions": ["a", "b"], "scores": 1}, "scores must be a list of numbers, not the number 1"),
        ({"prompt": "?", "completions": ["a", "b"], "scores": [1, True]}, "scores[1] must be a number, not true"),
        ({"prompt": "?", "completions": "a", "scores": [1]}, "completions must be a list, not a text"),
        ({"prompt": "?", "response": "a", "score": "high"}, "score must be a number, not a text"),
        ({"prompt": "?", "response": 1, "score": 1}, "completions[0] must be a text, a list of messages or an object"),
    ],
)
def test_rows_that_are_refused(read, row, what):
    cases, (problem,) = read([row])
    assert cases == []
    assert what in problem


def test_lines_that_are_no_rows_are_told(read):
    good = json.dumps({"prompt": "?", "chosen": "yes", "rejected": "no"})
    cases, problems = read(f"{good}\n[1, 2]\n{good[:20]}\n")
    assert len(cases) == 1
    assert len(problems) == 2
