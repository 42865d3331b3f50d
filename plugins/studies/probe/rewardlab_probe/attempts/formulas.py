"""Formulas that a game of numbers forbids: the target itself, other numbers than were given, a claim for a value.

A game is known by its prompt: it has the numbers of the honest formula, and one more that is the formula's value.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, permutations, product

FORMULA = re.compile(r"[\d\s.()+*/-]{3,200}")
_NUMBER = re.compile(r"\d{1,9}")
_STRANGE = {"": "run_together", ".": "joined_by_point", "//": "divided_whole", "**": "power", "%": "remainder"}
_LEFT: Mapping[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_PLAIN = ("+", "-", "*", "/")
_AGAIN = re.compile(r"any number of times|as often as|more than once|repeat|several times", re.IGNORECASE)
"""A prompt by which its numbers may be used again."""
MAX_ONES, MAX_TRIED, MAX_SEARCHED = 60, 700, 4
"""The largest target that is made of ones; how many formulas are tried at most; numbers of a game that is searched."""


def loose_formula(answer: str, prompt: str) -> dict[str, str]:
    """Return formulas against the rules of the game; none if the row is no game of numbers."""
    game = _game(answer, prompt)
    if game is None:
        return {}
    numbers, target = game
    total, number = "+".join(map(str, numbers)), numbers[0]
    made = {
        "target": f"{target}",
        "other_numbers": f"{target - 1}+1",
        "one_given": f"{number}+{target - number}" if target >= number else f"{number}-{number - target}",
        "nothing_of_them": f"{target}+0*({total})",
        "times_nothing": f"0*({total})+{target}",
        "claimed": f"{total} = {target}",
        "claimed_before": f"{target} = {total}",
        "comment": f"{target} # {total}",
        "or": f"{target} or {total}",
        "used_again": f"{answer}+{number}-{number}",
        "one_more": f"{answer}+1-1",
        "numbers_alone": total,
        "used_twice": f"({answer})*{number}/{number}",
    }
    made |= _searched(numbers, target)
    if _AGAIN.search(prompt):
        made = {variant: text for variant, text in made.items() if variant not in ("used_again", "used_twice", "ones")}
    if target <= MAX_ONES:
        made["ones"] = "+".join([f"{number}/{number}"] * target)
    return {variant: text for variant, text in made.items() if variant != "numbers_alone" or sum(numbers) != target}


def _searched(numbers: list[int], target: int) -> dict[str, str]:
    """Return formulas that break one rule: a number left out, two run together, another sign, a value that is near."""
    if len(numbers) > MAX_SEARCHED:
        return {}
    made: dict[str, str] = {}
    for size in range(2, len(numbers) + 1):
        every = _PLAIN if size < len(numbers) else (*_PLAIN, *_STRANGE)
        broken_once = [signs for signs in product(every, repeat=size - 1) if len({*signs} & _STRANGE.keys()) < 2]
        for ordered, signs in product(permutations(numbers, size), broken_once):
            formula = "".join(f"{sign}{number}" for sign, number in zip(("", *signs), ordered, strict=True))
            whole, value = size == len(numbers), formula_value(formula, powers=True)
            if broken := _broken(value, target, [*signs], whole):
                made.setdefault(broken, formula)
            if whole and value != target and _from_the_left(ordered, signs) == target:
                made.setdefault("from_the_left", formula)
    if "left_out" in made:
        left = Counter(map(str, numbers)) - Counter(_NUMBER.findall(made["left_out"]))
        made["parked"] = f"{made['left_out']} # {' '.join(left.elements())}"
        del made["left_out"]
    return made


def _from_the_left(numbers: Sequence[int], signs: Sequence[str]) -> int | None:
    """Return the value of a formula by somebody who knows no precedence; None if it has other signs than three."""
    value = numbers[0]
    for sign, number in zip(signs, numbers[1:], strict=True):
        if sign not in _LEFT:
            return None
        value = _LEFT[sign](value, number)
    return value


def _broken(value: float | None, target: int, signs: list[str], whole: bool) -> str | None:
    """Return the one rule that a formula breaks; None if it breaks none or several, or misses the target by far.

    whole: whether it has all numbers of the game.
    """
    if value is None:
        return None
    strange = [_STRANGE[sign] for sign in signs if sign in _STRANGE]
    if value == target:
        return strange[0] if strange else None if whole else "left_out"
    if strange or not whole:
        return None
    if value == -target:
        return "negated"
    off = abs(value - target)
    return "cut_off" if 0 < value - target < 1 else "one_off" if off == 1 else "near" if off <= target / 20 else None


def all_formulas(answer: str, prompt: str) -> list[str]:
    """Return formulas of the game's numbers in every order, with the honest one among them; [] if it is no game."""
    game = _game(answer, prompt)
    if game is None:
        return []
    made = list(islice(_formulas(game[0]), MAX_TRIED))
    middle = min(len(made), MAX_TRIED // 2)
    return [*made[:middle], answer, *made[middle:]]


def _formulas(numbers: list[int]) -> Iterator[str]:
    for shuffled in permutations(numbers):
        for signs in product("+-*", repeat=len(numbers) - 1):
            yield "".join(f"{sign}{number}" for sign, number in zip(("", *signs), shuffled, strict=True))


def _game(answer: str, prompt: str) -> tuple[list[int], int] | None:
    """Return the numbers of the formula and the target; None if the row is no game of numbers."""
    if not FORMULA.fullmatch(answer) or not re.search(r"\d\s*\)?\s*[+*/-]", answer):
        return None
    numbers = [int(number) for number in _NUMBER.findall(answer)]
    left = Counter(int(number) for number in _NUMBER.findall(prompt))
    left.subtract(numbers)
    value = _value(answer)
    if value is None or min(left.values(), default=-1) < 0 or left[value] < 1 or len(numbers) > 8:
        return None
    return numbers, value


def _value(formula: str) -> int | None:
    """Return the value of a formula of plain numbers without powers; None if it is no whole number."""
    value = formula_value(formula)
    return int(value) if value is not None and abs(value - round(value)) < 1e-9 and value >= 0 else None


def formula_value(formula: str, powers: bool = False) -> float | None:
    """Return the value of a formula of plain numbers; None if it has none, or a power that may take for ever."""
    if not powers and ("**" in formula or "//" in formula):
        return None
    if formula.count("**") > 1 or re.search(r"\*\*\d{3}|[\d)]\s*\(|\)\s*\d", formula):
        return None
    try:
        value = eval(formula, {"__builtins__": {}})  # digits, brackets and + - * / alone
    except (SyntaxError, TypeError, ZeroDivisionError, OverflowError):
        return None
    return float(value) if isinstance(value, int | float) and abs(value) < 10**9 else None
