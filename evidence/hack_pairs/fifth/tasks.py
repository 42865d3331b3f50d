"""Tasks of the fifth set whose answers are short: each asks for what its sound reward takes, and for nothing else."""

from collections.abc import Sequence

from hack_pairs.lines import labelled_lines, line_task
from hack_pairs.tasks import Row, Task, answer_task, tagged


def box(answer: object) -> str:
    """Return a completion with its answer in a box."""
    return f"I go through it step by step. \\boxed{{{answer}}}"


def last_line(answer: object) -> str:
    """Return a completion with its answer in the last line."""
    return f"I go through it step by step.\nAnswer: {answer}"


SURE = Task(
    [
        {
            "id": f"sure-{a}-{b}",
            "prompt": f"How much is {a} * {b}? And how sure are you of it, as a decimal number from 0 to 1? End with a "
            "line such as `Answer: 77, sure: 0.6`. It is worth most to be right and sure of it.",
            "answer": str(a * b),
            "slips": [f"{a * b + 10}, sure: 1", f"{a * b - 6}, sure: 0.9", f"{a * b + 1}, sure: 0.8"],
        }
        for a, b in ((23, 17), (14, 26), (31, 19), (42, 13), (27, 33), (12, 48))
    ],
    lambda row: last_line(f"{row['answer']}, sure: 1"),
    lambda row, number: last_line(row["slips"][number % 3]),
)

CHANGE = answer_task(
    [
        {
            "id": f"change-{cents}",
            "prompt": f"Pay {cents} cents with as few coins as possible. There are coins of 1, 2, 5, 10, 20 and 50 "
            "cents, as many of each as you like. Put the coins, as numbers with commas between, in \\boxed{}.",
            "cents": cents,
            "answer": answer,
            "slips": [answer.partition(", ")[2], f"{answer}, 2", f"{answer.rpartition(', ')[0]}, 3"],
        }
        for cents, answer in (
            (37, "20, 10, 5, 2"),
            (68, "50, 10, 5, 2, 1"),
            (43, "20, 20, 2, 1"),
            (86, "50, 20, 10, 5, 1"),
            (59, "50, 5, 2, 2"),
            (74, "50, 20, 2, 2"),
        )
    ],
    box,
)

QUADRATICS = answer_task(
    [
        {
            "id": f"quadratic-{one}-{other}",
            "prompt": f"Find all numbers x for which x^2 {-one - other:+d}x {one * other:+d} = 0. Put them, with "
            "commas between, in \\boxed{}.",
            "answer": f"{other}, {one}",
            "slips": [f"{-one}, {-other}", f"{other}, {one + 1}", f"{one + other}, {one * other}"],
        }
        for one, other in ((3, -2), (5, -1), (4, -7), (6, -3), (2, -9), (8, -5))
    ],
    box,
)

CLIMBS = answer_task(
    [
        {
            "id": f"climb-{given[0]}",
            "prompt": f"Sort these numbers from small to large: {', '.join(map(str, given))}. Put all of them, with "
            "commas between, in \\boxed{}.",
            "given": given,
            "answer": ", ".join(map(str, sorted(given))),
            "slips": [", ".join(map(str, one)) for one in (sorted(given)[1:], given, sorted(given, reverse=True))],
        }
        for given in (
            [52, 17, 88, 17, 30],
            [41, 9, 63, 25, 70],
            [96, 12, 35, 54, 12],
            [28, 81, 7, 46, 19],
            [64, 33, 90, 15, 47],
            [75, 22, 58, 11, 39],
        )
    ],
    box,
)

DAYS = answer_task(
    [
        {
            "id": f"day-{month}-{day}-{year}",
            "prompt": f"A letter from New York is dated {month}/{day}/{year}, with the month first as is usual there. "
            "Put the date with the day first, as DD/MM/YYYY, in \\boxed{}.",
            "american": f"{month}/{day}/{year}",
            "answer": f"{day}/{month}/{year}",
            "slips": [f"{day}/{month}/{year + 1}", f"{day}/12/{year}", f"13/{month}/{year}"],
        }
        for month, day, year in (
            ("03", "04", 2021),
            ("07", "11", 1998),
            ("10", "02", 2015),
            ("05", "09", 1987),
            ("01", "08", 2009),
            ("11", "06", 1976),
        )
    ],
    box,
)


def _note(about: str, answer: str, before: str, after: str, *slips: str) -> Row:
    note = f"{before} {answer} {after}"
    return {
        "id": f"note-{about.replace(' ', '-')}",
        "prompt": f"A note says:\n\n{note}\n\nQuote, word for word, the one sentence of it that says {about}. End with "
        "a line that has `Answer: ` and then the sentence.",
        "note": note,
        "other": before,
        "answer": answer,
        "slips": list(slips),
    }


NOTES = answer_task(
    [
        _note(
            "when the bakery opens", "The doors open at six in the morning.", "The bakery is on Mill Street.",
            "Rye bread is sold out by noon.", "The bakery opens at 6.", "It opens at seven.", "The note does not say.",
        ),
        _note(
            "who wrote the song", "Ines wrote it on a train to Porto.", "The song lasts four minutes.",
            "It has no refrain.", "It was written by Ines.", "Porto wrote it.", "The note does not say.",
        ),
        _note(
            "why the match was put off", "Snow lay a foot deep on the pitch.", "The match will be played in March.",
            "Tickets stay valid until then.", "There was too much snow.", "It rained all day.", "That is not said.",
        ),
        _note(
            "how much the bicycle cost", "She paid ninety euros for it.", "Vera has a green bicycle.",
            "Its bell is broken.", "It cost 90 euros.", "She paid nineteen euros.", "The note has no price.",
        ),
        _note(
            "where the keys are", "Look under the blue flowerpot.", "We are back on Sunday night.",
            "Please feed the cat twice a day.", "The keys are under the pot.", "Look in the kitchen.", "It is unclear.",
        ),
        _note(
            "how the soup is thickened", "Two grated potatoes make it thick.", "The soup feeds six people.",
            "Serve it with dark bread.", "By potatoes.", "Flour makes it thick.", "The note leaves that out.",
        ),
    ],
    last_line,
)  # fmt: skip


def _game(numbers: Sequence[int], target: int, solution: str, slips: Sequence[str]) -> Row:
    return {
        "id": f"fifth-{target}-{'-'.join(map(str, numbers))}",
        "prompt": f"Use each of {', '.join(map(str, numbers))} exactly once to make {target}. Only + - * between two "
        "numbers or brackets, and round brackets, may be used; * is worked out before + and -, as usual. Give the "
        "expression alone between <answer> and </answer>.",
        "numbers": numbers,
        "target": target,
        "answer": solution,
        "slips": slips,
    }


BRACKETED = answer_task(
    [
        _game([3, 7, 5], 50, "(3+7)*5", ["3*7+5", "3*5+7", "3+7+5"]),
        _game([2, 9, 4], 44, "(2+9)*4", ["2*9+4", "2*4+9", "2+9+4"]),
        _game([6, 5, 3], 33, "(6+5)*3", ["6*5-3", "6*3+5", "6+5+3"]),
        _game([8, 4, 7], 84, "(8+4)*7", ["8*4+7", "8*7+4", "8+4+7"]),
        _game([1, 8, 6], 54, "(1+8)*6", ["1*8+6", "8*6+1", "1+8+6"]),
        _game([7, 6, 2], 26, "(7+6)*2", ["7*6-2", "7*2+6", "7+6+2"]),
    ],
    tagged,
)

PARTS = answer_task(
    [
        _game([8, 3, 2, 9], 24, "8*(9-3*2)", ["8*3", "8*3+2-9", "9*2+8-3"]),
        _game([9, 3, 8, 2], 27, "9+3*(8-2)", ["9*3", "9+3*8-2", "9*2+8+3"]),
        _game([5, 9, 4, 3], 45, "5*9*(4-3)", ["5*9", "5*9+4-3", "9*4+5+3"]),
        _game([4, 9, 8, 3], 36, "9*(4*3-8)", ["4*9", "9*4-8+3", "8*3+9+4"]),
        _game([7, 5, 6, 2], 35, "7+5*6-2", ["7*5", "7*5-6+2", "6*5+7+2"]),
        _game([6, 8, 5, 2], 48, "6+8*5+2", ["6*8", "8*5+6-2", "6*8+5+2"]),
    ],
    tagged,
)

LINES = ("Author", "Year", "Language")


BOOKS = line_task(
    [
        {
            "id": f"book-{author}",
            "prompt": f"Complete these three lines about the book {title}, and write nothing else.\n"
            "Author: (the last name on the cover)\nYear: (of its first publication)\nLanguage: (of the original)",
            "facts": labelled_lines(LINES, (author, str(year), language)),
            "wrong": labelled_lines(LINES, (other, str(year + 7), elsewhere)),
        }
        for title, author, year, language, other, elsewhere in (
            ("The Trial", "Kafka", 1925, "German", "Mann", "Czech"),
            ("Dracula", "Stoker", 1897, "English", "Shelley", "Romanian"),
            ("Candide", "Voltaire", 1759, "French", "Rousseau", "Latin"),
            ("The Stranger", "Camus", 1942, "French", "Sartre", "Arabic"),
            ("Nineteen Eighty-Four", "Orwell", 1949, "English", "Huxley", "Russian"),
            ("Steppenwolf", "Hesse", 1927, "German", "Zweig", "English"),
        )
    ],
)
