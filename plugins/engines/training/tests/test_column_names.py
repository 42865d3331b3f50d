"""The field that a column's name tells, and fields that seem to be swapped."""

from helpers.each_case import each_case
from rewardlab.data.rows import to_sample
from rewardlab_training.column_names import field_named, swapped_fields

QUESTION = "How much is {0} and {0} together?".format


@each_case(
    "column, field",
    [
        ("lang", "language"),
        ("Ground-Truth", "answer"),
        ("colour", None),
        ("Réponse", "answer"),
        ("उत्तर", "answer"),
        ("क्रमांक", "id"),
        ("Nr", "id"),
    ],
)
def test_a_name_tells_the_field(column, field):
    assert field_named(column) == field


def swapped(fields, **columns):
    samples = [to_sample({name: value(n) for name, value in columns.items()}, fields) for n in range(10)]
    return [(one, other) for one, other, _ in swapped_fields(samples, fields)]


@each_case(
    "fields, columns, found",
    [
        ({"prompt": "answer", "answer": "question"}, {"question": QUESTION, "answer": str}, [("prompt", "answer")]),
        ({"prompt": "a", "answer": "b"}, {"b": QUESTION, "a": str}, [("prompt", "answer")]),
        ({}, {"answer": QUESTION, "prompt": str}, [("prompt", "answer")]),
        (
            {"reference": "gold", "answer": "solution"},
            {"prompt": QUESTION, "gold": str, "solution": QUESTION},
            [("reference", "answer")],
        ),
        ({"prompt": "question"}, {"question": QUESTION, "answer": str}, []),
        (
            {"prompt": "question", "reference": "solution"},
            {"question": QUESTION, "solution": QUESTION, "answer": str},
            [],
        ),
        ({}, {"prompt": str, "answer": str}, []),
        ({}, {"prompt": str}, []),
        (
            {},
            {
                "prompt": lambda n: [{"role": "system", "content": "s"}, {"role": "user", "content": "1"}],
                "answer": QUESTION,
            },
            [],
        ),
    ],
)
def test_swapped_fields_are_seen(fields, columns, found):
    assert swapped(fields, **columns) == found
