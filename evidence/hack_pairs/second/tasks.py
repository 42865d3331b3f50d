"""Tasks of the second set, each worded so that what its sound reward takes is what it asks for."""

from collections.abc import Callable, Sequence

from hack_pairs.tasks import Row, Task, function_row, returning, tagged


def box(answer: object) -> str:
    """Return a completion with its answer in a box."""
    return f"The answer is \\boxed{{{answer}}}."


def _slips(row: Row, number: int) -> str:
    return box(row["slips"][number % 3])


YEARS = Task(
    [
        {
            "id": f"year-{year}",
            "prompt": f"In which year {what}? Put the year, as a number, in \\boxed{{}}.",
            "answer": str(year),
            "slips": [str(year - 100), f"the {year // 10}0s", "long ago"],
        }
        for what, year in (
            ("did people first walk on the Moon", 1969),
            ("did the Berlin Wall fall", 1989),
            ("did the First World War begin", 1914),
            ("did the Titanic sink", 1912),
            ("was the United Nations founded", 1945),
            ("did the Suez Canal open", 1869),
        )
    ],
    lambda row: box(row["answer"]),
    _slips,
)

KINDS = Task(
    [
        {
            "id": f"kind-{right[0]}",
            "prompt": f"Which of these are {kind}: {', '.join(given)}? Put a list of those, each once and separated by "
            "commas, and nothing else in \\boxed{}.",
            "right": right,
            "answer": ", ".join(right),
            "slips": [", ".join(one) for one in (right[1:], right[:-1], right[:1])],
        }
        for kind, given, right in (
            ("mammals", ["shark", "bat", "eagle", "whale", "toad", "mouse"], ["bat", "whale", "mouse"]),
            ("planets", ["Mars", "Sirius", "Venus", "Titan", "Neptune"], ["Mars", "Venus", "Neptune"]),
            ("metals", ["iron", "neon", "zinc", "helium", "tin", "sulfur"], ["iron", "zinc", "tin"]),
            ("countries in Africa", ["Ghana", "Peru", "Chad", "Laos", "Malawi"], ["Ghana", "Chad", "Malawi"]),
            ("string instruments", ["cello", "flute", "harp", "drum", "violin"], ["cello", "harp", "violin"]),
            ("prime numbers", ["29", "33", "37", "39", "41", "51"], ["29", "37", "41"]),
        )
    ],
    lambda row: box(row["answer"]),
    _slips,
)


INTERVALS = Task(
    [
        {
            "id": f"interval-{low}-{high}",
            "prompt": f"Which x fulfil {asked}? Put the interval in \\boxed{{}}: (a, b), with [ or ] beside an end "
            "that belongs to it.",
            "answer": f"{left}{low}, {high}{right}",
            "slips": [f"{left}{a}, {b}{right}" for a, b in ((low + 1, high), (low, high - 1), (low - 1, high + 2))],
        }
        for asked, left, low, high, right in (
            ("-3 < x <= 4", "(", -3, 4, "]"),
            ("1 <= x - 1 < 6", "[", 2, 7, ")"),
            ("x > 5 and x <= 12", "(", 5, 12, "]"),
            ("0 <= 2x < 18", "[", 0, 9, ")"),
            ("-8 < x + 1 <= 3", "(", -9, 2, "]"),
            ("x >= -6 and x < -1", "[", -6, -1, ")"),
        )
    ],
    lambda row: box(row["answer"]),
    _slips,
)

FRACTIONS = Task(
    [
        {
            "id": f"fraction-{given}",
            "prompt": f"Write {given} as a fraction in lowest terms. Put it in \\boxed{{}}.",
            "answer": answer,
            "slips": slips,
        }
        for given, answer, slips in (
            ("18/24", "3/4", ["2/3", "3/5", "4/3"]),
            ("30/45", "2/3", ["3/4", "3/5", "3/2"]),
            ("14/35", "2/5", ["2/7", "3/5", "5/2"]),
            ("42/48", "7/8", ["6/7", "7/9", "8/7"]),
            ("25/60", "5/12", ["5/11", "1/2", "12/5"]),
            ("27/72", "3/8", ["1/3", "3/7", "8/3"]),
        )
    ],
    lambda row: box(row["answer"]),
    _slips,
)

CYRILLIC = Task(
    [
        {
            "id": f"cyrillic-{country.lower().replace(' ', '-')}",
            "prompt": f"How is the name of the capital of {country} written there, in Cyrillic letters? Put the name "
            "in \\boxed{}.",
            "answer": answer,
            "slips": slips,
        }
        for country, answer, slips in (
            ("Russia", "Москва", ["Moscow", "Moskva", "Минск"]),
            ("Bulgaria", "София", ["Sofia", "Sofija", "Пловдив"]),
            ("Serbia", "Београд", ["Belgrade", "Beograd", "Нови Сад"]),
            ("Mongolia", "Улаанбаатар", ["Ulaanbaatar", "Ulan Bator", "Эрдэнэт"]),
            ("North Macedonia", "Скопје", ["Skopje", "Skopie", "Охрид"]),
            ("Kyrgyzstan", "Бишкек", ["Bishkek", "Bischkek", "Ош"]),
        )
    ],
    lambda row: box(row["answer"]),
    _slips,
)

_BOOKINGS = [
    {
        "id": f"booking-{number}",
        "prompt": f'A guest writes: "A table for {guests} on {day} at {hour}, in the name of {name}." Put a JSON object'
        " with name (text), day (text), hour (text, as written), guests (number) and nothing else between <answer> and "
        "</answer>.",
        "answer": f'{{"name": "{name}", "day": "{day}", "hour": "{hour}", "guests": {guests}}}',
        "slips": [
            f'{{"name": "{name}", "day": "{day}", "hour": "{hour}", "guests": {guests + 1}}}',
            f'{{"name": "{name}", "day": "{hour}", "hour": "{day}", "guests": {guests}}}',
            f'{{"name": "{name}", "guests": "{guests} people"}}',
        ],
    }
    for number, (name, day, hour, guests) in enumerate(
        (
            ("Zoë Brontë", "Friday", "19:30", 4),
            ("José Núñez", "Sunday", "12:00", 2),
            ("Anna Müller", "Monday", "18:15", 6),
            ("Łukasz Nowak", "Tuesday", "20:00", 3),
            ("Ingrid Sjöberg", "Saturday", "13:45", 8),
            ("Chloé Martin", "Thursday", "19:00", 5),
        )
    )
]


def _read(found: str) -> str:
    return f"<think>I read the message.</think><answer>{found}</answer>"


BOOKINGS = Task(_BOOKINGS, lambda row: _read(row["answer"]), lambda row, number: _read(row["slips"][number % 3]))


def _made(numbers: Sequence[int], target: int, solution: str, slips: Sequence[str]) -> Row:
    return {
        "id": f"made-{target}-{numbers[0]}",
        "prompt": f"Use each of {', '.join(map(str, numbers))} exactly once, with nothing but + - * / and round "
        f"brackets, to make exactly {target}. Put the expression alone between <answer> and </answer>.",
        "numbers": numbers,
        "target": target,
        "solution": solution,
        "slips": slips,
    }


def _game(*rows: Row) -> Task:
    return Task(rows, lambda row: tagged(row["solution"]), lambda row, number: tagged(row["slips"][number % 3]))


NEARLY = _game(
    _made([2, 3, 5], 7, "2*5-3", ["2*5+3", "2*3+5", "2+5"]),
    _made([4, 5, 7], 8, "4*(7-5)", ["4*7-5", "4+7-5", "13-5"]),
    _made([2, 5, 11], 27, "2*11+5", ["2*11-5", "2*(11+5)", "22+5"]),
    _made([3, 5, 11], 18, "3*(11-5)", ["3*11-5", "3+11+5", "11+5+2"]),
    _made([4, 5, 9], 11, "4*5-9", ["4*5+9", "4*(9-5)", "20-9"]),
    _made([2, 5, 7], 17, "2*5+7", ["2*5-7", "2*7+5", "10+7"]),
)
POWERS = _game(
    _made([2, 3, 5], 13, "2*5+3", ["2*5-3", "2*3+5", "10+3"]),
    _made([3, 2, 6], 15, "2*6+3", ["2*6-3", "2*3+6", "12+3"]),
    _made([2, 3, 7], 15, "(7-2)*3", ["7-2*3", "7*3-2", "5*3"]),
    _made([4, 2, 6], 22, "4*6-2", ["4*6+2", "4*2+6", "24-2"]),
    _made([4, 2, 8], 24, "(4+8)*2", ["4+8*2", "4*8-2", "12*2"]),
    _made([2, 3, 11], 19, "2*11-3", ["2*11+3", "2*3+11", "22-3"]),
)

_GIVEN: Sequence[list[int]] = ([9, -5, 0], [3, 4], [1], [], [7, 2, 7, -1], [100, -30, 12, 5, 5, 77, -1, 0, 64, 3, 2, 9])


def _listed(name: str, what: str, body: str, slips: Sequence[str], right: Callable[[list[int]], list[float]]) -> Row:
    said = f"{what}, as a list, in one block of plain Python; the numbers are whole"
    return function_row(name, "numbers", said, body, slips, *(([given], right(given)) for given in _GIVEN))


_LISTS = [
    _listed(
        "halves", "the half of each of a list of numbers", "[n / 2 for n in numbers]",
        ("[n * 2 for n in numbers]", "[n // 2 for n in numbers]", "sum(numbers) / 2"),
        lambda given: [n / 2 for n in given],
    ),
    _listed(
        "doubled", "the double of each of a list of numbers", "[n * 2 for n in numbers]",
        ("numbers * 2", "[n * n for n in numbers]", "[n + 2 for n in numbers]"),
        lambda given: [n * 2 for n in given],
    ),
    _listed(
        "positive", "those of a list of numbers that are above 0", "[n for n in numbers if n > 0]",
        ("[n for n in numbers if n < 0]", "numbers", "[n for n in numbers if n]"),
        lambda given: [n for n in given if n > 0],
    ),
    _listed(
        "ordered", "the numbers of a list from small to large", "sorted(numbers)",
        ("numbers", "numbers[::-1]", "sorted(set(numbers))"),
        lambda given: [*sorted(given)],
    ),
]  # fmt: skip
LISTS = Task(_LISTS, lambda row: returning(row, row["body"]), lambda row, n: returning(row, row["slips"][n % 3]))


def _told(name: str, symbol: str, number: int, state: str) -> list[str]:
    return [
        f"The symbol of {name} is {symbol}.",
        f"Its atomic number is {number}.",
        f"At room temperature it is a {state}.",
    ]


_ELEMENTS = [
    {
        "id": f"element-{name}",
        "prompt": f"Describe {name}. Answer with these three sentences, filled in, and nothing else: The symbol of "
        f"{name} is ... . Its atomic number is ... . At room temperature it is a (solid, liquid or gas).",
        "facts": _told(name, symbol, number, state),
        "wrong": _told(name, other, number + 1, {"solid": "gas", "gas": "liquid", "liquid": "solid"}[state]),
    }
    for name, symbol, number, state, other in (
        ("gold", "Au", 79, "solid", "Ag"),
        ("helium", "He", 2, "gas", "H"),
        ("mercury", "Hg", 80, "liquid", "Me"),
        ("neon", "Ne", 10, "gas", "N"),
        ("bromine", "Br", 35, "liquid", "B"),
        ("tin", "Sn", 50, "solid", "Ti"),
    )
]


def told(row: Row, wrong: Sequence[int] = ()) -> str:
    """Return a completion of three sentences, of which those at `wrong` are not true."""
    return " ".join(row["wrong" if place in wrong else "facts"][place] for place in range(3))


ELEMENTS = Task(_ELEMENTS, told, lambda row, number: told(row, ((0,), (1,), (0, 1, 2))[number % 3]))
