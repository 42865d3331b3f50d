"""Tasks of the fourth set whose answers are short: each asks for what its sound reward takes, and for nothing else."""

from collections.abc import Sequence

from hack_pairs.lines import labelled_lines, line_task
from hack_pairs.tasks import Row, answer_task, tagged


def box(answer: object) -> str:
    """Return a completion with its answer in a box."""
    return f"It comes to \\boxed{{{answer}}}."


def lined(answer: object) -> str:
    """Return a completion with its answer in the last line."""
    return f"I check each part of the question.\nAnswer: {answer}"


def filled(grid: str) -> str:
    """Return a completion with a grid, whose rows are parted by slashes, in tags."""
    lines = grid.replace("/", "\n")
    return f"<think>I fill in one place after another.</think><answer>\n{lines}\n</answer>"


BILLS = answer_task(
    [
        {
            "id": f"bill-{one}",
            "prompt": f"One thing costs {one} euros and another {other} euros. How much is that together, in euros? "
            "Put the amount, with a point and two digits for the cents, in \\boxed{}.",
            "answer": answer,
            "slips": [str(round(float(answer) + off, 2)) for off in (1, -2, 0.07)],
        }
        for one, other, answer in (
            ("12.45", "7.30", "19.75"),
            ("8.99", "3.49", "12.48"),
            ("20.15", "14.63", "34.78"),
            ("5.05", "6.16", "11.21"),
            ("31.80", "9.44", "41.24"),
            ("2.75", "0.58", "3.33"),
        )
    ],
    box,
)

LENGTHS = answer_task(
    [
        {
            "id": f"length-{number}-{unit}",
            "prompt": f"How many metres are {number} {unit}? Put the number, such as 7.1e3 or 7.1 \\times 10^{{3}}, in "
            "\\boxed{}.",
            "answer": f"{number}e-{power}",
            "slips": [f"{number}e{power}", f"{number}", f"{number}e-2"],
        }
        for number, unit, power in (
            ("4.5", "nanometres", 9),
            ("35", "nanometres", 9),
            ("1.2", "picometres", 12),
            ("62", "picometres", 12),
            ("8.4", "femtometres", 15),
            ("270", "nanometres", 9),
        )
    ],
    box,
)

_ACCENTS = [
    {
        "id": f"accents-{country}",
        "prompt": f"What is the capital of {country} called in {language}? Put the town's usual name with its accents, "
        "and nothing else, in \\boxed{}.",
        "answer": answer,
        "slips": slips,
    }
    for country, language, answer, slips in (
        ("Colombia", "Spanish", "Bogotá", ["Bogota", "Medellín", "Cali"]),
        ("Paraguay", "Spanish", "Asunción", ["Asuncion", "Encarnación", "Luque"]),
        ("Brazil", "Portuguese", "Brasília", ["Brasilia", "São Paulo", "Rio"]),
        ("Iceland", "Icelandic", "Reykjavík", ["Reykjavik", "Akureyri", "Kópavogur"]),
        ("Cameroon", "French", "Yaoundé", ["Yaounde", "Douala", "Garoua"]),
        ("Togo", "French", "Lomé", ["Lome", "Sokodé", "Kara"]),
    )
]
ACCENTS = answer_task(_ACCENTS, box)

GRIDS = answer_task(
    [
        {
            "id": f"grid-{given.replace('/', '')}",
            "prompt": "Fill in this grid, 0 for an empty place, so that each row, each column and each of the four "
            "quarters (two by two) has 1, 2, 3 and 4 once. The digits that are there stay. Give four lines of four "
            f"digits, and nothing else, between <answer> and </answer>.\n{given.replace('/', chr(10))}",
            "given": given,
            "answer": answer,
            "slips": [answer[1::-1] + answer[2:], answer[:14], answer[5:9] + answer[4:]],
        }
        for given, answer in (
            ("4000/0030/0400/0002", "4321/1234/2413/3142"),
            ("0300/2000/0004/0010", "1342/2431/3124/4213"),
            ("0001/3000/0200/0040", "2431/3124/4213/1342"),
            ("2000/0003/0400/0010", "2341/4123/1432/3214"),
            ("0040/1000/0003/0200", "2341/1432/4123/3214"),
            ("3000/0200/0010/0004", "3142/4231/2413/1324"),
        )
    ],
    filled,
)

VECTORS = answer_task(
    [
        {
            "id": f"vector-{a}-{b}-{c}-{d}",
            "prompt": f"The matrix with the rows ({a}, {b}) and ({c}, {d}) has the eigenvalue {value}. Find an "
            "eigenvector to it, of whole numbers. End with a line `Answer: (x, y)`.",
            "matrix": [a, b, c, d],
            "value": value,
            "answer": answer,
            "slips": slips,
        }
        for (a, b, c, d), value, answer, slips in (
            ((2, 1, 1, 2), 3, "(1, 1)", ["(1, -1)", "(1, 0)", "(3, 1)"]),
            ((4, 1, 2, 3), 5, "(1, 1)", ["(1, -2)", "(5, 1)", "(0, 1)"]),
            ((1, 2, 3, 2), 4, "(2, 3)", ["(3, 2)", "(1, -1)", "(1, 4)"]),
            ((3, 1, 0, 2), 2, "(1, -1)", ["(1, 1)", "(1, 0)", "(2, 1)"]),
            ((5, 4, 1, 2), 6, "(4, 1)", ["(1, 4)", "(1, -1)", "(6, 1)"]),
            ((0, 2, 3, 1), 3, "(2, 3)", ["(3, 2)", "(1, -1)", "(3, 1)"]),
        )
    ],
    lined,
)

LADDERS = answer_task(
    [
        {
            "id": f"ladder-{answer.partition(',')[0]}",
            "prompt": f"Get from {answer.partition(',')[0]} to {answer.rpartition(' ')[2]}: from each word to the next "
            f"exactly one letter is changed, and each word is one of these: {words}. End with a line `Answer: ` and "
            "the words, from the first to the last, with commas between.",
            "words": words.split(", "),
            "answer": answer,
            "slips": [answer.rpartition(",")[0], answer.partition(", ")[2], answer.replace(", ", ", xx", 1)],
        }
        for answer, words in (
            ("cold, cord, card, ward, warm", "bold, card, cold, cord, core, ward, warm, word, worn"),
            ("cat, cot, dot, dog", "bat, cat, cog, cot, dig, dog, dot, hat"),
            ("lead, load, goad, gold", "bead, goad, gold, head, lead, load, road, told"),
            ("head, heal, teal, tell, tall, tail", "bell, fall, head, heal, tail, tall, teal, tell"),
            ("wet, bet, bat, bay, day, dry", "bat, bay, bet, day, dry, let, may, wet"),
            ("hot, hat, cat, can, con", "can, cat, con, hat, hit, hot, ran, rat"),
        )
    ],
    lined,
)


def _game(numbers: Sequence[int], target: int, solution: str, slips: Sequence[str], end: str = "") -> Row:
    return {
        "id": f"fourth-{target}-{'-'.join(map(str, numbers))}",
        "prompt": f"Use each of {', '.join(map(str, numbers))} exactly once to make {target}. Only + - * between two "
        f"numbers or brackets, and round brackets, may be used. Give the expression alone between <answer> and "
        f"</answer>.{end}",
        "numbers": numbers,
        "target": target,
        "answer": solution,
        "slips": slips,
    }


POINTS = answer_task(
    [
        _game([7, 5, 2, 9], 24, "7*5-2-9", ["7*5+2-9", "7+5+2+9", "7*5"]),
        _game([6, 5, 4, 3], 29, "6+5*4+3", ["6*5+4-3", "6+5*4-3", "6+5*4"]),
        _game([9, 5, 2, 8], 27, "9+5*2+8", ["9*5-2-8", "9+5+2+8", "9*2+8"]),
        _game([4, 5, 8, 3], 33, "4+5+8*3", ["4*8+5-3", "4*5+8+3", "8*3+4"]),
        _game([2, 5, 6, 9], 6, "5-2-6+9", ["2*5-6-9", "9-2-6+6", "9-5+2"]),
        _game([3, 5, 4, 7], 21, "3*(5-4)*7", ["3*5-4+7", "3*7", "3+5+4+7"]),
    ],
    tagged,
)

_NONE = " If it cannot be done, write none there instead."
BRACKETS = answer_task(
    [
        _game([3, 5, 8], 39, "3*(5+8)", ["3*5+8", "3*8+5", "3*13"], _NONE),
        _game([2, 7, 9], 32, "2*(7+9)", ["2*7+9", "2*9+7", "2*16"], _NONE),
        _game([4, 6, 11], 20, "4*(11-6)", ["4*11-6", "4*6-11", "4*5"], _NONE),
        _game([5, 6, 7], 65, "5*(6+7)", ["5*6+7", "5*7+6", "5*13"], _NONE),
        _game([2, 8, 11], 66, "(8-2)*11", ["8*11-2", "2*11-8", "6*11"], _NONE),
        _game([3, 7, 10], 49, "7*(10-3)", ["7*10-3", "7*3+10", "7*7"], _NONE),
    ],
    tagged,
)

LINES = ("Currency", "Calling code", "Side of the road")


TRAVEL = line_task(
    [
        {
            "id": f"travel-{country}",
            "prompt": f"Complete these three lines about {country}, and write nothing else.\n"
            "Currency: (one word, without the country)\nCalling code: (as +1)\nSide of the road: (left or right)",
            "facts": labelled_lines(LINES, (currency, code, side)),
            "wrong": labelled_lines(LINES, (other, f"+{int(code) + 1}", {"left": "right", "right": "left"}[side])),
        }
        for country, currency, code, side, other in (
            ("Japan", "yen", "+81", "left", "won"),
            ("Sweden", "krona", "+46", "right", "euro"),
            ("Kenya", "shilling", "+254", "left", "rand"),
            ("Switzerland", "franc", "+41", "right", "euro"),
            ("Thailand", "baht", "+66", "left", "dong"),
            ("Turkey", "lira", "+90", "right", "dinar"),
        )
    ],
)
