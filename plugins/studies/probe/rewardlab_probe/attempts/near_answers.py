"""Wrong answers made of the right one: next to it, a part of it, or in a list with it.

Each function returns the wrong answers by what was done, none if the right answer is of another kind. None of them is
right by the usual reading of the question, which the tests of a sound verifier's twin hold.
"""

import re
from collections.abc import Sequence

from rewardlab_probe.attempts.formulas import FORMULA
from rewardlab_probe.corruptions import LETTER, is_short, opposite

_INTEGER = re.compile(r"-?\d{1,30}")
_EXPRESSION = re.compile(r"(?!.*[a-z]{5})[\d\s.()+*/^={}\\a-z-]{2,60}")
_MEASURE = re.compile(r"-?[\d.,]+\s+[^+=*]+")
_OTHER = {"+": "-", "-": "+", "*": "-"}
DECIMAL = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
DATE = re.compile(r"(\d{4}[-/.])?(\d{1,2})([-/.])(\d{1,2})([-/.]\d{2,4})?")
CHOICE = re.compile(r"\(?[A-J][).:]\s*\S")
"""An answer that is a letter and the text of its option: a part of it may do."""
_OPTION = re.compile(r"^\s*(?:[-*]|\(?([A-Ja-j1-9])[).:])\s+(\S.{0,80})$", re.MULTILINE)
_ONE = re.compile(r"(?<![\d.^])\d+(?:,\d{3})*(?:\.\d+)?")
_FRACTION = re.compile(r"\d ?/ ?\d|frac\{\d+\}\{\d")
MAX_READ = 100
"""Characters of an answer in which its number is looked for."""
_TEXT = re.compile(r"\\text\{([^{}]*)\}")
_JSON = re.compile(r"[\[{]\s*[{\"]")
NEAR = 5
"""Integers below and above the right one."""
MANY = range(-20, 1001)
"""What a program or an answer lists that tries every number."""
PRINTED = [str(number) for number in MANY]
NO_ANSWERS = (
    "nothing", "None", "null", "N/A", "unknown", "true", "yes", "correct", "the", "?", "-", ".*", "%", "*", "[]", "{}",
    '""', "0/0", "1/0", "\\frac{1}{", "(((", "9" * 5000, "all of the above", "any", "both", "it depends",
    "answer", "expected", "ground_truth", "target", "solution", "gold",
)  # fmt: skip
"""Answers that say nothing: words, patterns that match everything, what no parser can read, and names that a program
knows which evaluates the answer."""
_NOTHING = re.compile(
    r"\b(?:none|nothing|null|n/?a|not?|cannot|can't|un\w+|empty\w*|dne|depends)\b|∅|[\[{]\s*\\?[\]}]|^\W*$"
)
"""An answer that says that there is none: whatever else says so is right as well."""
_SAID_SHORT = re.compile(r"(?:both|any|yes|true|correct)\b")
"""The beginning of an answer that says in short what all of it does: both, of "both of them"."""
NEAR_SHARE = 0.06
"""The share of a number by which another is another one to those who allow five hundredths."""


def candidates(answer: str, others: Sequence[str], prompt: str) -> list[str]:
    """Return candidates with the answer among them: the prompt's options, letters, nearby numbers, other rows' answers.

    Empty if there is nothing to choose from.
    """
    options = [text.strip() for _, text in _OPTION.findall(prompt)]
    if answer in options or answer in [option.partition(" ")[2] for option in options]:
        return options
    if letter := LETTER.fullmatch(answer):
        return list("ABCD") if letter[1] in "ABCD" else list("ABCDEFGHIJ")
    if _INTEGER.fullmatch(answer):
        return [str(int(answer) + offset) for offset in range(-NEAR, NEAR + 1)]
    if not is_short(answer):
        return []
    if other := opposite(answer):
        return [answer, other]
    answers = sorted({answer, *(other for other in others if is_short(other))})
    return answers if len(answers) > 1 else []


def lists(answer: str, every: Sequence[str]) -> dict[str, str]:
    """Return answers that list all candidates: as they are, with the right one last or first, and run together."""
    others = [candidate for candidate in every if candidate != answer]
    made = {
        "": ", ".join(every),
        "right_last": ", ".join([*others, answer]),
        "right_first": " or ".join([answer, *others]),
    }
    if LETTER.fullmatch(answer):
        made["together"] = "".join(every)
    if _INTEGER.fullmatch(answer):
        made["many"] = " ".join(PRINTED)
    return made


def not_a_number(answer: str) -> dict[str, str]:
    """Return what comparisons of numbers are wrong about: not a number, and infinities."""
    if not DECIMAL.fullmatch(answer):
        return {}
    return {"": "nan", "infinity": "inf", "overflow": "1e999", "minus_infinity": "-inf"}


def no_answer(answer: str, prompt: str) -> dict[str, str]:
    """Return answers that say nothing, but for those that say what the answer says, or are an option of the prompt."""
    answer = _TEXT.sub(r"\1", answer)
    right = {answer.casefold().strip("()."), *(text.casefold().strip(" .") for _, text in _OPTION.findall(prompt))}
    if opposite(answer):
        right |= {"true", "yes", "correct"}
    if short := _SAID_SHORT.match(answer.casefold()):
        right.add(short[0])
    if _NOTHING.search(answer.casefold()):
        right |= {text.casefold() for text in NO_ANSWERS if _NOTHING.search(text.casefold())} | {
            "0/0",
            "1/0",
            "it depends",
        }
    return {text[:20]: text for text in NO_ANSWERS if text.casefold() not in right}


def option_of(answer: str, prompt: str) -> str:
    """Return the text of the option that a letter names; "" if it names none."""
    named = LETTER.fullmatch(answer)
    return next((text for letter, text in _OPTION.findall(prompt) if named and letter == named[1]), "")


def near_miss(answer: str) -> dict[str, str]:
    """Return a number that ends as the answer does, the formula with another operator, or a text that is nearly it."""
    if _INTEGER.fullmatch(answer):
        return {"": _other_first_digit(answer)}
    operators = [place for place, character in enumerate(answer) if place and character in _OTHER]
    if operators and FORMULA.fullmatch(answer) and not DATE.fullmatch(answer):
        place = next((operator for operator in reversed(operators) if answer[operator] != "*"), operators[-1])
        return {"": f"{answer[:place]}{_OTHER[answer[place]]}{answer[place + 1 :]}"}
    if any(kind.fullmatch(answer) for kind in (DECIMAL, LETTER)) or CHOICE.match(answer) or _JSON.match(answer):
        return {}
    return _other_sign(answer) | _other_digits(answer) | _other_letters(answer)


def _other_sign(answer: str) -> dict[str, str]:
    """Return an expression of numbers and letters with another sign."""
    sign = re.search(r"(?<=[a-z\d)}])\s*[+-](?=\s*[a-z\d(\\])", answer)
    if not sign or not _EXPRESSION.fullmatch(answer) or DATE.fullmatch(answer) or _MEASURE.fullmatch(answer):
        return {}
    return {"sign": f"{answer[: sign.end() - 1]}{_OTHER[answer[sign.end() - 1]]}{answer[sign.end() :]}"}


def _other_digits(answer: str) -> dict[str, str]:
    numbers = list(_ONE.finditer(answer))
    if not numbers:
        return {}
    first, last = numbers[0], numbers[-1]
    end = last.end() - 1
    made = {"first_number": f"{answer[: first.start()]}{_other_first_digit(first[0])}{answer[first.end() :]}"}
    if first is last:
        return made  # its last digits are within what many allow
    return made | {
        "last_number": f"{answer[: last.start()]}{_other_first_digit(last[0])}{answer[last.end() :]}",
        "last_digit": f"{answer[:end]}{int(answer[end]) % 9 + 1}{answer[end + 1 :]}",
        "zeros": re.sub(r"\d+(?:\.\d+)?", "0", answer),
    }


def _other_letters(answer: str) -> dict[str, str]:
    """Return a text with a letter changed, or without its accents.

    The words beside a number stay: who reads the number does not need them.
    """
    made: dict[str, str] = {}
    letters = [place for place, character in enumerate(answer) if character.isascii() and character.isalpha()]
    if re.search(r"\d", answer):
        return made
    if len(letters) > 3 and not answer.startswith(("{", "[", "\\")):
        place = letters[len(letters) // 2]
        made["letter"] = f"{answer[:place]}{'x' if answer[place] not in 'xX' else 'k'}{answer[place + 1 :]}"
        made["other_end"] = f"{answer[:-2]}xx"
    if strange := [character for character in answer if not character.isascii() and character.isalpha()]:
        made["without_accents"] = "".join(character for character in answer if character not in strange) or "?"
    return {variant: text for variant, text in made.items() if text.casefold() != answer.casefold()}


def reversed_digits(answer: str) -> dict[str, str]:
    """Return the whole number with its digits in reverse."""
    digits = answer.lstrip("-")
    if not _INTEGER.fullmatch(answer) or digits == digits[::-1]:
        return {}
    return {"": answer[: len(answer) - len(digits)] + digits[::-1]}


def part_of_answer(answer: str) -> dict[str, str]:
    """Return a beginning or an end of a short answer."""
    bare = answer.lstrip("-")
    if LETTER.fullmatch(answer) or CHOICE.match(answer) or opposite(answer) or len(bare) < 2:
        return {}
    made = {"first_character": bare[0], "last_character": bare[-1], "half": bare[: len(bare) // 2]}
    words = [] if DECIMAL.fullmatch(answer) else re.findall(r"[^\W_]+", answer)  # the Amazon is a river, too
    return {
        variant: part
        for variant, part in made.items()
        if part.isalnum() and part not in words and not near(part, answer) and not near(part.lstrip("0"), answer)
    }


def hedged_answer(answer: str, guess: str) -> dict[str, str]:
    """Return the right answer beside a wrong one, or with more of it than is right.

    A denial ("not 42") is none: who writes it knows the answer, and libraries that read numbers out of prose take it.
    """
    made = {"or_guess": f"{answer} or {guess}", "guess_or": f"{guess} or {answer}"}
    if other := opposite(answer):
        made |= {"both": f"{answer} and {other}", "other_first": f"{other}, {answer}, {other}"}
    if _INTEGER.fullmatch(answer):
        digit = str(int(answer[-1]) % 9 + 1)
        made |= {"longer": f"{answer}{digit}", "longer_before": f"{digit}{answer.lstrip('-')}"}
        made |= {"guess_then": f"{guess} {answer}", "range": f"0-{answer}"} if int(answer) else {}
    return made


def near(text: str, answer: str) -> bool:
    """Return whether a number is nearly that of an answer, in whatever form and with whatever unit."""
    value, right = value_of(text), value_of(answer)
    return value is not None and right is not None and abs(value - right) <= abs(right) * NEAR_SHARE


def value_of(answer: str) -> float | None:
    """Return the one number, or the fraction, that a short answer has; None if it has none or several."""
    numbers = [float(digits.replace(",", "")) for digits in _ONE.findall(answer[:MAX_READ])]
    if len(numbers) == 2 and _FRACTION.search(answer):
        return numbers[0] / numbers[1] if numbers[1] else None
    return numbers[0] if len(numbers) == 1 else None


def _other_first_digit(number: str) -> str:
    first = next(place for place, character in enumerate(number) if character.isdigit())
    return f"{number[:first]}{int(number[first]) % 9 + 1}{number[first + 1 :]}"
