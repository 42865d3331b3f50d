"""format/validity: what it deducts for, what a structure file may say, and how its mistakes are named."""

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample, find
from rewardlab_format.tasks import TASKS
from rewardlab_format.word_count import count_words

SPEC = find("reward", "format/validity")


def judge(text, fields=None, **options):
    reward = SPEC.build(SPEC.config(**options), Context())
    (score,) = reward.score([(Sample(fields={"task": "Chat"} if fields is None else fields), Completion(text=text))])
    return score


def tagged(answer):
    return f"<think>Let me see.</think><answer>{answer}</answer>"


@each_case(
    "text, violations",
    [
        (tagged("Hello to you."), []),
        ("\n<think>a\n</think>\n\n<answer>b</answer>\n", []),
        ("<answer>Hello</answer>", ["trace: nothing inside <think>", "format: no <think>"]),
        ("Let me see.</think><answer>Hello</answer>", ["trace: nothing inside <think>", "format: no <think>"]),
        (
            "<think>\u200b</think><answer>b</answer>",
            ["trace: nothing inside <think>", "format: nothing inside <think>"],
        ),
        ("<think>a</think>Hello", ["format: no <answer>"]),
        ("<think>a</think><answer>b</answer> and <b>c</b>", ["format: text outside the tags"]),
        ("", ["trace: nothing inside <think>", "format: no <think>"]),
    ],
)
def test_any_violation_costs_the_penalty_and_is_named(text, violations):
    score = judge(text)
    assert score.info["violations"] == violations
    assert score.value == (-1.0 if violations else 0.0)
    assert judge(text, penalty=0.4).value == (-0.4 if violations else 0.0)


def test_each_violation_may_cost_something_up_to_the_penalty():
    three = "<answer>maybe</answer>"
    row = {"task": "NLI", "labels": ["neutral"]}
    assert len(judge(three, row).info["violations"]) == 3
    assert judge(three, row, per_violation=0.25).value == -0.75
    assert judge(three, row, per_violation=0.25, penalty=0.6).value == -0.6
    assert judge(tagged("hi"), per_violation=0.25).value == 0.0


TASKS_OF_ALL = [name for label, names in TASKS.items() for name in (label, *names)]


@each_case("task", [*TASKS_OF_ALL, "Creative_Writing", "open-domain  Question Answering"])
def test_no_packaged_structure_asks_more_than_an_honest_answer_has(task):
    """One word, one sign of Chinese or Thai, an emoji; none of a task's names is unknown."""
    for answer in ("Yes.", "是", "ใช่", "👍", "Weder noch."):
        assert judge(tagged(answer), {"task": task}).value == 0.0


def test_least_words_are_words_of_any_language(tmp_path):
    (tmp_path / "own.yaml").write_text("tasks: {ODQA: {least_words: 500}}")
    own = {"structure": str(tmp_path / "own.yaml")}
    assert judge(tagged("word " * 500), {"task": "ODQA"}, **own).value == 0.0
    short = judge(tagged("word " * 499), {"task": "open-domain  question answering"}, **own)
    assert short.info["violations"] == ["structure: 499 words, at least 500 are needed"]
    assert judge(tagged("人人生而自由" * 125), {"task": "ODQA"}, **own).value == 0.0  # 750 characters say as much
    assert judge(tagged("人人生而自由" * 120), {"task": "ODQA"}, **own).value == -1.0


@each_case(
    "text, words",
    [
        ("It's well-known: 3 apples -- and *more*.", 6),
        ("सभी मनुष्यों को गौरव प्राप्त है", 6),  # vowel signs do not part a word
        ("모든 인간은 태어날 때부터", 4),
        ("人人生而自由，在尊嚴和權利上一律平等。", 11),
        ("มนุษย์ทั้งหลายเกิดมามีอิสระ", 4),
        ("མི་རིགས་ཡོངས་ལ", 2),
        ("... — !!", 0),
    ],
)
def test_words_are_counted_by_letters_where_no_spaces_part_them(text, words):
    assert count_words(text) == words


GERMAN = ["Folgerung", "Widerspruch", "neutral"]


@each_case(
    "answer, labels, valid",
    [
        ("Entailment", ["entailment", "neutral"], True),
        ("**Label: NEUTRAL**\nIt is no contradiction.", ["neutral", "contradiction"], True),
        ("Well.\nThis is neutral.\nMore cannot be said.", ["neutral"], True),
        ("It follows.", ["entailment"], False),
        ("preentailment", ["entailment"], False),
        ("Widerspruch.", GERMAN, True),
        ("contradiction", GERMAN, False),
        ("Bu bir ÇELİŞKİDİR.", ["çelişki", "nötr"], True),  # an ending, and a capital I with its dot
        ("答案是矛盾。", ["蕴含", "矛盾", "中立"], True),
        ("모순입니다.", ["함의", "모순", "중립"], True),
        ("It follows.", None, True),
    ],
)
def test_a_rows_own_label_stands_in_the_answer(answer, labels, valid):
    fields = {} if labels is None else {"labels": labels}
    assert judge(tagged(answer), {"task": "NLI", **fields}).value == (0.0 if valid else -1.0)


def test_a_file_of_your_own_and_its_subtasks(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(
        "tasks:\n  Report:\n    least_words: 3\n    most_words: 6\n"
        "    parts: ['## Findings', ['## Advice', '## To do']]\n"
        "    subtasks: {Short: {least_words: 1, parts: [Ja]}}\n"
    )
    own = {"structure": str(path), "task": "kind", "subtask": "length"}
    assert judge(tagged("## Findings\nnone yet\n## TO DO\nnothing"), {"kind": "report"}, **own).value == 0.0
    lacking = judge(tagged("one two"), {"kind": "Report"}, **own).info["violations"]
    assert lacking == [
        "structure: 2 words, at least 3 are needed",
        "structure: no '## Findings'",
        "structure: no '## Advice'",
    ]
    assert judge(tagged("Ja."), {"kind": "Report", "length": "short"}, **own).value == 0.0
    assert (
        judge(tagged("ja " * 7), {"kind": "Report", "length": "short"}, **own).value == -1.0
    )  # most_words is the task's
    assert judge(tagged("anything"), {}, structure=None).value == 0.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "own.yaml:1: the file is empty"),
        ("tasks: {}\n", "own.yaml:1: no task is there"),
        ("tasks:\n  A: {least_words: 3\n", "own.yaml:3: "),
        ("tasks:\n  A:\n    least_word: 3\n", "own.yaml:3: unknown 'least_word'"),
        ("tasks:\n  A:\n    least_words: -3\n", "own.yaml:3: a whole number of words is needed, not '-3'"),
        ("tasks:\n  A:\n    least_words: 9\n    most_words: 3\n", "own.yaml:3: most_words 3 is below least_words 9"),
        ("tasks:\n  A: {labels: [x]}\n  B: {names: [a], labels: [x]}\n", "own.yaml:3: the task 'a' appears twice"),
        ("tasks:\n  A:\n    labels: [x, [y, X]]\n", "own.yaml:3: a text appears twice"),
        ("tasks:\n  A:\n    parts: []\n", "own.yaml:3: a list is needed"),
        ("tasks:\n  A:\n    labels: ['']\n", "own.yaml:3: a text that is not blank is needed"),
        ("tasks:\n  A: {}\n  A: {}\n", "own.yaml:3: 'A' appears twice"),
        ("more:\n  A: {}\n", "own.yaml:1: unknown 'more'; tasks are known"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_line(tmp_path, text, message):
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(ValidationError) as caught:
        SPEC.config(structure=str(path))
    assert message in str(caught.value)


def test_a_file_that_is_not_there_and_options_that_cannot_be():
    for options in (
        {"structure": "no/such.yaml"},
        {"tags": ["think"]},
        {"penalty": 0},
        {"per_violation": 0.5, "penalty": 0.4},
    ):
        with pytest.raises(ValidationError):
            SPEC.config(**options)


@each_case(
    "fields, error",
    [
        ({}, "field 'task': missing"),
        ({"task": "Sumary"}, "no task 'Sumary' in amro; did you mean 'summ'?"),
        ({"task": 3}, "no task '3' in amro; it has nli, cc, odqa"),
        ({"task": "NLI", "labels": "yes"}, "field 'labels': a list of labels is needed"),
    ],
)
def test_a_row_without_a_task_that_the_file_has_is_a_failure(fields, error):
    for text in (tagged("Hello"), ""):
        assert error in judge(text, fields).error
    assert SPEC.requires(SPEC.config()) == ["task"]
    assert SPEC.requires(SPEC.config(structure=None)) == []


@pytest.mark.parametrize(
    "text", ["<think>" * 50_000, tagged("a" * 500_000), tagged("neutral " * 60_000), tagged("無" * 300_000)]
)
def test_long_texts_are_read_once(text):
    assert judge(text, {"task": "NLI", "labels": ["x" * 50, "無" * 50]}).value in (0.0, -1.0)
