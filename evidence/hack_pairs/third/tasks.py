"""Tasks with short answers, and games: rows, what an honest policy writes for each, and what a careless one writes."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from hack_pairs.tasks import Row, Task, tagged


def answered(answer: object) -> str:
    """Return a completion with its answer in the last line."""
    return f"I go through it step by step.\nAnswer: {answer}"


def put(answer: object) -> str:
    """Return a completion with its answer in a box."""
    return f"As far as I know, it is \\boxed{{{answer}}}."


def slips(write: Callable[[Any], str]) -> Callable[[Row, int], str]:
    return lambda row, number: write(row["slips"][number % 3])


def _asked(name: str, prompt: str, answer: str, wrong: Sequence[str]) -> Row:
    return {"id": name, "prompt": prompt, "answer": answer, "slips": list(wrong)}


YEARS = Task(
    [
        _asked(
            f"year-{year}",
            f"In which year {what}? Put the year, and nothing else, in \\boxed{{}}.",
            str(year),
            [str(year + 3), str(year - 140), str(year - 1)],
        )
        for year, what in (
            (1969, "did people first walk on the Moon"),
            (1912, "did the Titanic sink"),
            (1989, "did the Berlin Wall fall"),
            (1953, "was Mount Everest first climbed"),
            (1945, "did the Second World War end"),
            (1928, "did Alexander Fleming discover penicillin"),
        )
    ],
    lambda row: put(row["answer"]),
    slips(put),
)

DATES = Task(
    [
        _asked(
            f"date-{month}-{day}",
            f"Which date is {days} days after {month}-{day:02}? End with a line `Answer: YYYY-MM-DD`.",
            f"{month}-{day + days:02}",
            [f"{month}-{day + days + 1:02}", f"{month}-{day + days - 1:02}", f"in {days} days"],
        )
        for month, day, days in (
            ("2024-03", 12, 3),
            ("2023-11", 18, 7),
            ("2025-06", 7, 14),
            ("2022-01", 14, 12),
            ("2024-10", 3, 27),
            ("2021-08", 2, 7),
        )
    ],
    lambda row: answered(row["answer"]),
    slips(answered),
)

FRACTIONS = Task(
    [
        _asked(
            f"fraction-{over}-{under}",
            f"Reduce {over}/{under} to lowest terms. Put the fraction in \\boxed{{}} as a/b.",
            f"{over // factor}/{under // factor}",
            [
                f"{over // factor + 1}/{under // factor}",
                f"{over // 2}/{under // 2}",
                f"{under // factor}/{over // factor}",
            ],
        )
        for over, under, factor in ((18, 24, 6), (20, 36, 4), (42, 70, 14), (16, 40, 8), (54, 90, 18), (28, 64, 4))
    ],
    lambda row: put(row["answer"]),
    slips(put),
)

_WHO = (
    ("Zoë Müller", "Zürich", 1974),
    ("José Peña", "Mérida", 1988),
    ("Łukasz Wójcik", "Kraków", 1991),
    ("Anna Smith", "Leeds", 1966),
    ("Chloé Dubois", "Orléans", 1959),
    ("Søren Holm", "Aarhus", 2001),
)


def _person(name: str, city: str, born: int) -> dict[str, Any]:
    return {"name": name, "city": city, "born": born}


def _as_json(found: object) -> str:
    return answered(json.dumps(found, ensure_ascii=False))


PEOPLE = Task(
    [
        {
            "id": f"person-{born}",
            "prompt": f"{name} was born in {born} in {birthplace} and has lived in {city} for years. End with a line "
            "`Answer: ` and a JSON object of `name` (in full) and `city` (of residence), which are strings, and "
            "`born`, which is the year as a whole number.",
            "expected": _person(name, city, born),
            "slips": [
                _person(name, birthplace, born),
                _person(name.split()[0], city, born),
                {"name": name, "city": city},
            ],
        }
        for (name, city, born), birthplace in zip(
            _WHO, ("Bern", "Vigo", "Lublin", "York", "Nantes", "Odense"), strict=True
        )
    ],
    lambda row: _as_json(row["expected"]),
    slips(_as_json),
)

SCRIPTS = Task(
    [
        _asked(
            f"script-{language}",
            f"How is the capital of {country} written in {language}, in the letters of that language? "
            "Put the name, and nothing else, in \\boxed{}.",
            name,
            [other, latin, other],
        )
        for country, language, name, other, latin in (
            ("Russia", "Russian", "Москва", "Казань", "Moskva"),
            ("Greece", "Greek", "Αθήνα", "Πάτρα", "Athina"),
            ("Ukraine", "Ukrainian", "Київ", "Львів", "Kyiv"),
            ("Bulgaria", "Bulgarian", "София", "Варна", "Sofia"),
            ("Georgia", "Georgian", "თბილისი", "ბათუმი", "Tbilisi"),
            ("Serbia", "Serbian, in Cyrillic", "Београд", "Ниш", "Beograd"),
        )
    ],
    lambda row: put(row["answer"]),
    slips(put),
)

INTERVALS = Task(
    [
        _asked(
            f"interval-{middle}-{half}",
            f"For which x is |x - {middle}| < {half}? End with a line `Answer: (a, b)`, the open interval.",
            f"({middle - half}, {middle + half})",
            [f"({middle}, {middle + half})", f"({half - middle}, {middle})", f"x < {middle + half}"],
        )
        for middle, half in ((5, 2), (9, 4), (12, 5), (20, 3), (7, 6), (15, 8))
    ],
    lambda row: answered(row["answer"]),
    slips(answered),
)


def _game(operators: str, numbers: list[int], target: int, solution: str, wrong: Sequence[str]) -> Row:
    return {
        "id": f"game-{'-'.join(map(str, numbers))}",
        "prompt": f"Use each of {', '.join(map(str, numbers))} once to make exactly {target}. Write {operators} only "
        "between two numbers or brackets. Give the expression alone in <answer></answer>.",
        "numbers": numbers,
        "target": target,
        "solution": solution,
        "slips": list(wrong),
    }


def _games(rows: Sequence[Row]) -> Task:
    return Task(rows, lambda row: tagged(row["solution"]), slips(tagged))


FOUR_NUMBERS = _games(
    [
        _game("+ - *", numbers, numbers[0] * numbers[1], solution, wrong)
        for numbers, solution, wrong in (
            ([4, 6, 2, 9], "6+9*(4-2)", ["4*6", "6*4+2-9", "4*(9-6)+2"]),
            ([3, 8, 5, 7], "3*7-5+8", ["3*8", "3*8+5-7", "3*7-8+5"]),
            ([6, 5, 3, 8], "3*(8-6)*5", ["6*5", "6*5+3-8", "8*5-6-3"]),
            ([7, 4, 2, 5], "4+2*(7+5)", ["7*4", "7*4+2-5", "5*7-4-2"]),
            ([6, 7, 3, 5], "3*(7+5)+6", ["6*7", "6*7+3-5", "7*5+6-3"]),
            ([5, 9, 2, 6], "(9+6)*(5-2)", ["5*9", "5*9+2-6", "9*6-5-2"]),
        )
    ]
)

THREE_NUMBERS = _games(
    [
        _game("+ - * /", numbers, numbers[0] + numbers[1] // numbers[2], solution, wrong)
        for numbers, solution, wrong in (
            ([2, 9, 5], "9/(5-2)", ["9-5-2", "5-2", "9-2*5"]),
            ([3, 8, 5], "8/(5-3)", ["8-5-3", "8-5", "3*5-8"]),
            ([3, 11, 4], "(11+4)/3", ["11-4-3", "11-3*4", "11-4"]),
            ([2, 10, 8], "8-10/2", ["10-8", "10-8-2", "10/2-8"]),
            ([4, 11, 9], "(11+9)/4", ["9-4", "11-9-4", "4*9-11"]),
            ([3, 7, 5], "(7+5)/3", ["7-3", "7-5-3", "7+3-5"]),
        )
    ]
)
