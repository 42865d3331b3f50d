"""format/validity: what it deducts for, what a structure file may say, and how its mistakes are named."""

import pytest
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample
from rewardlab.registry import Registry
from rewardlab_format.structure_file import read_structures
from rewardlab_format.word_count import count_words

SPEC = Registry().find("reward", "format/validity")


def judge(text, fields=None, **options):
    reward = SPEC.build(SPEC.config(**options), Context())
    (score,) = reward.score([(Sample(fields={"task": "Chat"} if fields is None else fields), Completion(text=text))])
    return score


def tagged(answer):
    return f"<think>Let me see.</think><answer>{answer}</answer>"


@pytest.mark.parametrize(
    ("text", "violations"),
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
        ("<think>a</think><answer>!</answer>", ["structure: 0 words, at least 1 are needed"]),
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
    assert len(judge(three, {"task": "NLI"}).info["violations"]) == 3
    assert judge(three, {"task": "NLI"}, per_violation=0.25).value == -0.75
    assert judge(three, {"task": "NLI"}, per_violation=0.25, penalty=0.6).value == -0.6
    assert judge(tagged("hi"), per_violation=0.25).value == 0.0


def test_an_open_question_wants_500_words_of_any_language():
    assert judge(tagged("word " * 500), {"task": "ODQA"}).value == 0.0
    short = judge(tagged("word " * 499), {"task": "open-domain  question answering"})
    assert short.info["violations"] == ["structure: 499 words, at least 500 are needed"]
    assert judge(tagged("人人生而自由" * 125), {"task": "ODQA"}).value == 0.0  # 750 characters say as much
    assert judge(tagged("人人生而自由" * 120), {"task": "ODQA"}).value == -1.0


@pytest.mark.parametrize(
    ("text", "words"),
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


@pytest.mark.parametrize(
    ("answer", "fields", "valid"),
    [
        ("Entailment", {}, True),
        ("**Label: NEUTRAL**\nIt is no contradiction, nor an entailment.", {}, True),
        ("The premise allows both.\n\nneutral", {}, True),
        ("neutral or entailment", {}, False),
        ("It follows.", {}, False),
        ("entailments", {}, False),
        ("Widerspruch.", {"labels": ["Folgerung", "Widerspruch", "neutral"]}, True),
        ("contradiction", {"labels": ["Folgerung", "Widerspruch", "neutral"]}, False),
        ("答案是矛盾。", {"labels": ["蕴含", "矛盾", "中立"]}, True),
        ("not entailment", {"labels": ["entailment", "not entailment"]}, True),
    ],
)
def test_a_label_stands_alone_in_the_first_or_the_last_line(answer, fields, valid):
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
        ("tasks:\n  A: {labels: [x]}\n  B: {names: [a], labels: [x]}\n", "own.yaml:3: the task 'a' is there twice"),
        ("tasks:\n  A:\n    labels: [x, [y, X]]\n", "own.yaml:3: a text is there twice"),
        ("tasks:\n  A:\n    parts: []\n", "own.yaml:3: a list is needed"),
        ("tasks:\n  A:\n    labels: ['']\n", "own.yaml:3: a text that is not blank is needed"),
        ("tasks:\n  A: {}\n  A: {}\n", "own.yaml:3: 'A' is there twice"),
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


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, "field 'task': missing"),
        ({"task": "Sumary"}, "no task 'Sumary' in amro; did you mean 'summary'?"),
        ({"task": 3}, "no task '3' in amro; it has odqa"),
        ({"task": "NLI", "labels": "yes"}, "field 'labels': a list of labels is needed"),
    ],
)
def test_a_row_without_a_task_that_the_file_has_is_a_failure(fields, error):
    for text in (tagged("Hello"), ""):
        assert error in judge(text, fields).error
    assert SPEC.requires(SPEC.config()) == ["task"]
    assert SPEC.requires(SPEC.config(structure=None)) == []


def test_the_packaged_file_knows_the_paper_s_seven_tasks():
    structures = read_structures("amro")
    for task in (
        "ODQA",
        "Summ",
        "Chat",
        "TC",
        "NLI",
        "CC",
        "HTG",
        "Open-Domain QA",
        "Summarization",
        "Text Completion",
    ):
        structures.of(task, None)
    assert structures.of("ODQA", "Travel").least_words == 500
    assert {label[0] for label in structures.of("NLI", None).labels} == {"entailment", "contradiction", "neutral"}


@pytest.mark.parametrize(
    "text", ["<think>" * 50_000, tagged("a" * 500_000), tagged("neutral " * 60_000), tagged("無" * 300_000)]
)
def test_long_texts_are_read_once(text):
    assert judge(text, {"task": "NLI", "labels": ["x" * 50, "無" * 50]}).value in (0.0, -1.0)
