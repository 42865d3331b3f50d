"""Formulas that a game of numbers forbids: the target itself, other numbers than were given, a claim for a value.

A game is known by its prompt: it has the numbers of the honest formula, and one more that is the formula's value.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, permutations, product

FORMULA = re.compile(r"[\d\s.()+*/-]{3,200}")
_PLAIN = re.compile(r"[\d\s.()+*/%-]{1,400}")
_NUMBER = re.compile(r"\d{1,9}")
_STRANGE = {"": "run_together", ".": "joined_by_point", "//": "divided_whole", "**": "power", "%": "remainder"}
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
        "target": f"{target}", "other_numbers": f"{target - 1}+1", "numbers_alone": total,
        "one_given": f"{number}+{target - number}" if target >= number else f"{number}-{number - target}",
        "nothing_of_them": f"{target}+0*({total})", "times_nothing": f"0*({total})+{target}",
        "claimed": f"{total} = {target}", "claimed_before": f"{target} = {total}",
        "comment": f"{target} # {total}", "or": f"{target} or {total}", "one_more": f"{answer}+1-1",
        "used_again": f"{answer}+{number}-{number}", "used_twice": f"({answer})*{number}/{number}",
    }  # fmt: skip
    if target <= MAX_ONES:
        made["ones"] = "+".join([f"{number}/{number}"] * target)
    right = {"used_again", "used_twice", "ones"} if _AGAIN.search(prompt) else set()
    right |= {"numbers_alone"} if sum(numbers) == target else set()
    return {variant: text for variant, text in (made | _searched(numbers, target)).items() if variant not in right}


def _searched(numbers: list[int], target: int) -> dict[str, str]:
    """Return formulas that break one rule: a number parked, two run together, another sign, a value that is near."""
    made: dict[str, str] = {}
    for size in range(2, len(numbers) + 1 if len(numbers) <= MAX_SEARCHED else 0):
        for given, signs in product(permutations(numbers, size), product((*"+-*/", *_STRANGE), repeat=size - 1)):
            formula, whole = _joined(given, signs), size == len(numbers)
            strange = [_STRANGE[sign] for sign in signs if sign in _STRANGE]
            if len(strange) > whole:
                continue
            value = formula_value(formula, powers=True)
            if value == target and not whole:
                left = Counter(numbers) - Counter(given)
                made.setdefault("parked", f"{formula} # {' '.join(map(str, left.elements()))}")
            elif value == target and strange:
                made.setdefault(strange[0], formula)
            elif value is not None and value != target and whole and not strange:
                made.setdefault(_missed(value, target), formula)
                nested = "(" * size + _joined(given, [f"){sign}" for sign in signs]) + ")"  # as without precedence
                if "/" not in signs and formula_value(nested) == target:
                    made.setdefault("from_the_left", formula)
    return {variant: formula for variant, formula in made.items() if variant}


def _joined(numbers: Sequence[int], signs: Sequence[str]) -> str:
    return "".join(f"{sign}{number}" for sign, number in zip(("", *signs), numbers, strict=True))


def _missed(value: float, target: int) -> str:
    """Return how a value misses the target; "" if it does so by far."""
    off = abs(value - target)
    if value == -target:
        return "negated"
    return "cut_off" if 0 < value - target < 1 else "one_off" if off == 1 else "near" if off <= target / 20 else ""


def all_formulas(answer: str, prompt: str) -> list[str]:
    """Return formulas of the game's numbers in every order, with the honest one among them; [] if it is no game."""
    game = _game(answer, prompt)
    if game is None:
        return []
    numbers, _ = game
    every = product(permutations(numbers), product("+-*", repeat=len(numbers) - 1))
    made = [_joined(given, signs) for given, signs in islice(every, MAX_TRIED)]
    middle = min(len(made), MAX_TRIED // 2)
    return [*made[:middle], answer, *made[middle:]]


def _game(answer: str, prompt: str) -> tuple[list[int], int] | None:
    """Return the numbers of the formula and the target; None if the row is no game of numbers."""
    if not FORMULA.fullmatch(answer) or not re.search(r"\d\s*\)?\s*[+*/-]", answer):
        return None
    numbers, value = [int(number) for number in _NUMBER.findall(answer)], formula_value(answer)
    left = Counter(int(number) for number in _NUMBER.findall(prompt))
    left.subtract(numbers)
    if value is None or value < 0 or abs(value - round(value)) > 1e-9 or len(numbers) > 8:
        return None
    return (numbers, round(value)) if min(left.values()) >= 0 and left[round(value)] > 0 else None


def formula_value(formula: str, powers: bool = False) -> float | None:
    """Return the value of a formula of plain numbers; None if it has none, or a power that may take for ever."""
    if not _PLAIN.fullmatch(formula) or (not powers and ("**" in formula or "//" in formula)):
        return None
    if formula.count("**") > 1 or re.search(r"\*\*\d{3}|[\d)]\s*\(|\)\s*\d", formula):
        return None
    try:
        value = eval(formula, {"__builtins__": {}})  # digits, brackets and + - * / alone
    except (SyntaxError, TypeError, ZeroDivisionError, OverflowError):
        return None
    return float(value) if isinstance(value, int | float) and abs(value) < 10**9 else None
