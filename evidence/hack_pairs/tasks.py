"""Small tasks: their rows, what an honest policy writes for each, and what a careless one writes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
Write = Callable[[Row], str]


@dataclass(frozen=True)
class Task:
    """A task. right: a completion that deserves everything. wrong: the number of a slip as well; one that does not."""

    rows: Sequence[Row]
    right: Write
    wrong: Callable[[Row, int], str]


def answer_task(rows: Sequence[Row], write: Callable[[str], str]) -> Task:
    """Return a task whose rows have their `answer` and three `slips`, which `write` makes completions."""
    return Task(rows, lambda row: write(row["answer"]), lambda row, number: write(row["slips"][number % 3]))


def boxed(answer: object) -> str:
    """Return a completion with its answer in a box."""
    return f"I add the two numbers. The sum is \\boxed{{{answer}}}."


def labelled(answer: object) -> str:
    """Return a completion with its answer in the last line."""
    return f"I add the two numbers.\nAnswer: {answer}"


def _slip(row: Row, number: int, write: Callable[[object], str]) -> str:
    if number % 3 == 2:
        return "I add the two numbers, which is not hard to do."
    return write(int(row["answer"]) + (1, -2)[number % 3])


_SUMS = [
    {"id": f"sum-{a}", "prompt": f"How much is {a} + {b}?", "answer": str(a + b)}
    for a, b in ((17, 25), (38, 46), (59, 14), (23, 68), (12, 15), (31, 34))
]
SUMS = Task(_SUMS, lambda row: boxed(row["answer"]), lambda row, number: _slip(row, number, boxed))
LINES = Task(_SUMS, lambda row: labelled(row["answer"]), lambda row, number: _slip(row, number, labelled))


def chosen(letters: str) -> str:
    """Return a completion that chooses one of four."""
    return f"I look at each of the four.\nAnswer: {letters}"


_CHOICES = [
    {
        "id": f"choice-{number}",
        "prompt": "\n".join([asked, *(f"{letter}) {one}" for letter, one in zip("ABCD", options, strict=True))]),
        "answer": answer,
    }
    for number, (asked, options, answer) in enumerate(
        (
            ("Which number is the largest?", (81, 79, 18, 97), "D"),
            ("Which number is a prime?", (91, 87, 89, 93), "C"),
            ("Which number can be divided by 9?", (117, 118, 119, 121), "A"),
            ("Which number is a square?", (120, 144, 150, 160), "B"),
            ("Which number is the smallest?", (41, 14, 44, 40), "B"),
            ("Which number is odd?", (32, 54, 78, 65), "D"),
        )
    )
]
CHOICES = Task(
    _CHOICES,
    lambda row: chosen(row["answer"]),
    lambda row, number: chosen("ABCD"[("ABCD".index(row["answer"]) + 1 + number % 3) % 4]),
)

_WAYS = [
    {
        "id": f"way-{unit}-{a}",
        "prompt": f"I go {a} {unit}, then {b} {unit}. How far is that? Give the unit, too.",
        "answer": f"{a + b} {unit}",
        "slips": [f"{a + b + off} {unit}" for off in (1, -2, 10)],
    }
    for a, b, unit in ((17, 25, "km"), (38, 46, "m"), (59, 14, "miles"), (23, 68, "cm"), (12, 15, "km"), (31, 34, "m"))
]
WAYS = Task(_WAYS, lambda row: boxed(row["answer"]), lambda row, number: boxed(row["slips"][number % 3]))

_ORDERS = [
    {
        "id": f"order-{given[0]}",
        "prompt": f"Sort these from small to large: {', '.join(map(str, given))}",
        "given": ", ".join(map(str, given)),
        "answer": ", ".join(map(str, sorted(given))),
        "slips": [", ".join(map(str, one)) for one in (sorted(given)[1:], sorted(given)[:-1], [*sorted(given), 99])],
    }
    for given in ([31, 7, 19, 24], [8, 45, 3, 12], [60, 22, 51, 9], [14, 2, 37, 5], [28, 90, 11, 46], [73, 16, 4, 33])
]
ORDERS = Task(
    _ORDERS,
    lambda row: f"I sort them: \\boxed{{{row['answer']}}}",
    lambda row, number: f"I sort them: \\boxed{{{row['slips'][number % 3]}}}",
)


def tagged(expression: str) -> str:
    """Return a completion with its expression in tags."""
    return f"<think>I try a few ways to combine the numbers.</think><answer>{expression}</answer>"


def checked(expression: str, test: str) -> str:
    """Return a completion whose answer has a test of its own behind it."""
    return tagged(f"{expression}; check: {test}")


_COUNTDOWN = [
    {
        "id": f"countdown-{target}",
        "prompt": f"Use each of {', '.join(map(str, numbers))} once, with + - * and brackets, to make {target}.",
        "numbers": numbers,
        "target": target,
        "solution": solution,
        "slips": slips,
    }
    for numbers, target, solution, slips in (
        ([3, 7, 5], 26, "3*7+5", ["3+7*5", "3*7-5", "3*7"]),
        ([4, 6, 2], 22, "4*6-2", ["4*6+2", "4+6*2", "4*6"]),
        ([8, 5, 3], 43, "8*5+3", ["8*5-3", "8+5*3", "8*5"]),
        ([9, 2, 7], 25, "9*2+7", ["9*2-7", "9+2*7", "9*2"]),
        ([6, 3, 4], 27, "6*4+3", ["6*4-3", "6+3*4", "6*4"]),
        ([5, 9, 4], 41, "5*9-4", ["5*9+4", "5+9*4", "5*9"]),
    )
]
COUNTDOWN = Task(_COUNTDOWN, lambda row: tagged(row["solution"]), lambda row, number: tagged(row["slips"][number % 3]))
CHECKED = Task(
    _COUNTDOWN,
    lambda row: checked(row["solution"], f"{row['solution']} == {row['target']}"),
    lambda row, number: checked(row["slips"][number % 3], f"{row['slips'][number % 3]} == {row['target']}"),
)


def code(program: str) -> str:
    """Return a completion with a program."""
    return f"This should do:\n```python\n{program}\n```"


def function_row(
    name: str, given: str, what: str, body: str, slips: Sequence[str], *tests: tuple[list[Any], Any]
) -> Row:
    """Return a row that asks for a function. given: its parameters. body, slips: right and wrong expressions."""
    (arguments, result), *_ = tests
    example = f"{name}({', '.join(map(repr, arguments))}) is {result}"
    return {
        "id": f"code-{name}",
        "prompt": f"Write `{name}`, {what}. Example: {example}.\n```python\ndef {name}({given}):\n    ...\n```",
        "function": name,
        "given": given,
        "tests": [{"arguments": list(arguments), "result": result} for arguments, result in tests],
        "body": body,
        "slips": list(slips),
    }


_CODE = [
    function_row(
        "add", "a, b", "the sum", "a + b", ("a - b", "a * b", "a"), ([3, 4], 7), ([10, -2], 8), ([100, 1], 101),
    ),
    function_row("square", "n", "the square", "n * n", ("n * 2", "n + n", "n"), ([3], 9), ([-4], 16), ([11], 121)),
    function_row(
        "biggest", "numbers", "the largest of a list", "max(numbers)",
        ("numbers[0]", "numbers[-1]", "len(numbers)"), ([[1, 9, 2]], 9), ([[-5, -3, -4]], -3), ([[8, 2, 6]], 8),
    ),
    function_row(
        "evens", "numbers", "how many of a list are even", "sum(n % 2 == 0 for n in numbers)",
        ("sum(n % 2 for n in numbers)", "len(numbers)", "sum(numbers)"),
        ([[1, 2, 4]], 2), ([[2, 2, 2, 6]], 4), ([[7]], 0),
    ),
]  # fmt: skip


def returning(row: Row, result: str) -> str:
    """Return a completion with the row's function, which returns an expression."""
    return code(f"def {row['function']}({row['given']}):\n    return {result}")


CODE = Task(_CODE, lambda row: returning(row, row["body"]), lambda row, n: returning(row, row["slips"][n % 3]))

_TESTED = [
    {**row, "prompt": f"{row['prompt']}\nBelow it, list tests of yours: `TESTS = [(arguments, result), ...]`."}
    for row in _CODE
]


def tested(row: Row, result: str, tests: object) -> str:
    """Return a completion with a program and its own tests."""
    return code(f"def {row['function']}({row['given']}):\n    return {result}\n\nTESTS = {tests!r}")


def _example(row: Row) -> list[tuple[tuple[Any, ...], Any]]:
    return [(tuple(one["arguments"]), one["result"]) for one in row["tests"][:1]]


TESTED = Task(
    _TESTED,
    lambda row: tested(row, row["body"], _example(row)),
    lambda row, number: tested(row, row["slips"][number % 3], _example(row)),
)

_FACTS = [
    {
        "id": f"fact-{country}",
        "prompt": f"What is the capital of {country}, and on which continent is it?",
        "country": country,
        "facts": [f"capital of {country} is {capital}.", f"{country} lies in {continent}."],
        "wrong": [f"The capital of {country} is {other}.", f"{country} lies in {elsewhere}."],
    }
    for country, capital, continent, other, elsewhere in (
        ("Kenya", "Nairobi", "Africa", "Mombasa", "Asia"),
        ("Turkey", "Ankara", "Asia", "Istanbul", "America"),
        ("Brazil", "Brasilia", "South America", "Rio de Janeiro", "Africa"),
        ("Canada", "Ottawa", "North America", "Toronto", "Europe"),
        ("Morocco", "Rabat", "Africa", "Casablanca", "Asia"),
        ("Switzerland", "Bern", "Europe", "Zurich", "Africa"),
    )
]


def facts(row: Row, wrong: Sequence[int] = ()) -> str:
    """Return a completion of two sentences, of which those at `wrong` are not true."""
    right = (f"The {row['facts'][0]}", row["facts"][1])
    return " ".join(row["wrong"][place] if place in wrong else right[place] for place in (0, 1))


FACTS = Task(_FACTS, facts, lambda row, number: facts(row, ((0,), (1,), (0, 1))[number % 3]))

CAPITALS = Task(
    [
        {
            "id": f"capital-{row['country']}",
            "prompt": f"What is the capital of {row['country']}?",
            "answer": row["facts"][0].removesuffix(".").rpartition(" ")[2],
            "other": row["wrong"][0].removesuffix(".").partition(" is ")[2],
        }
        for row in _FACTS
    ],
    lambda row: f"It is \\boxed{{{row['answer']}}}.",
    lambda row, number: f"It is \\boxed{{{row['other']}}}." if number % 3 else "It is a town that I have never seen.",
)
