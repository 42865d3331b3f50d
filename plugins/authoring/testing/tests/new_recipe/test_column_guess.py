"""Which column is which field: by name, and by values."""

from helpers.each_case import each_case
from rewardlab_testing.new_recipe.column_guess import guess_columns


def guessed(**columns):
    """The guess for columns, each given as a function of the row's number."""
    rows = [{name: value(n) for name, value in columns.items()} for n in range(10)]
    return {ours: guess.column for ours, guess in guess_columns(rows, asked).items()}


def asked(field, columns):
    """The answer of somebody who is asked: the choices themselves."""
    return f"{' or '.join(columns)}?"


QUESTION = "How much is {0} and {0} together?".format


def total(n):
    """The answer to the question of a row; its number would count the rows."""
    return str(2 * n)


@each_case(
    "columns, fields",
    [
        ({"prompt": QUESTION, "question": QUESTION}, {"prompt": "prompt"}),
        ({"Question": QUESTION, "Final-Answer": str}, {"prompt": "Question", "answer": "Final-Answer"}),
        ({"prompt": lambda n: {"text": "x"}, "problem": QUESTION}, {"prompt": "problem"}),
        ({"messages": lambda n: [{"role": "user", "content": "?"}], "x": total}, {"prompt": "messages", "answer": "x"}),
        ({"messages": lambda n: [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]}, {}),
        ({"a_text": QUESTION, "longer": lambda n: QUESTION(n) * 2}, {"prompt": "a_text or longer?"}),
        ({"q1": "{0}+1?".format, "way": lambda n: QUESTION(n) * 9}, {"prompt": "q1 or way?"}),
        ({"solution": QUESTION, "x": total}, {"answer": "x", "reference": "solution"}),
        ({"instruction": QUESTION, "input": QUESTION}, {"prompt": "instruction or input?"}),
        (
            {"question": QUESTION, "solution": QUESTION, "rationale": QUESTION},
            {"prompt": "question", "reference": "solution or rationale?"},
        ),
        (
            {"Aufgabe": QUESTION, "Lösungsweg": lambda n: QUESTION(n) * 9, "Ergebnis": str, "Sprache": lambda n: "de"},
            {"prompt": "Aufgabe", "answer": "Ergebnis", "reference": "Lösungsweg", "language": "Sprache"},
        ),
        (
            {"题目": QUESTION, "解析": lambda n: QUESTION(n) * 9, "答案": str},
            {"prompt": "题目", "answer": "答案", "reference": "解析"},
        ),
        ({"énoncé": QUESTION, "Réponse": str}, {"prompt": "énoncé", "answer": "Réponse"}),
        ({"질문": QUESTION, "정답": str}, {"prompt": "질문", "answer": "정답"}),
        ({"вопрос": QUESTION, "решение": lambda n: QUESTION(n) * 9}, {"prompt": "вопрос", "reference": "решение"}),
        ({"question": QUESTION, "level": lambda n: "abc"}, {"prompt": "question"}),
        ({"question": QUESTION, "tongue": lambda n: "deu_Latn"}, {"prompt": "question", "language": "tongue"}),
        ({"x": QUESTION, "url": "https://example.org/{0}".format, "kind": lambda n: "of one kind"}, {"prompt": "x"}),
        ({"question": QUESTION, "answer": lambda n: QUESTION(n) * 9}, {"prompt": "question", "reference": "answer"}),
        ({"question": QUESTION, "answer": lambda n: f"{n}\n#### {n}"}, {"prompt": "question", "answer": "answer"}),
        ({"question": QUESTION, "x": str}, {"prompt": "question"}),
        ({"question": QUESTION, "one": int, "two": int}, {"prompt": "question"}),
        ({"question": QUESTION, "answer": lambda n: n or None}, {"prompt": "question"}),
        ({"question": QUESTION, "tongue": lambda n: "pt-BR"}, {"prompt": "question", "language": "tongue"}),
        ({"question": QUESTION, "id": str}, {"prompt": "question", "id": "id"}),
        ({"question": QUESTION, "id": lambda n: "same", "level": lambda n: True}, {"prompt": "question"}),
        ({"question": QUESTION, "answer": lambda n: [n, f"{n}.0"]}, {"prompt": "question", "answer": "answer"}),
    ],
)
def test_columns_are_guessed(columns, fields):
    assert guessed(**columns) == fields


def test_no_rows_have_no_columns():
    assert guess_columns([], asked) == {}
