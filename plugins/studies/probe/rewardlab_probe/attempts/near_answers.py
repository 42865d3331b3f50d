"""Wrong answers made of the right one: next to it, a part of it, of another size or unit, or in a list with it.

Each function returns the wrong answers by what was done, none if the right answer is of another kind. None of them is
right by the usual reading of the question, which the tests of a sound verifier's twin hold.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from rewardlab_probe.attempts.formulas import FORMULA, formula_value
from rewardlab_probe.attempts.payloads import NO_ANSWERS
from rewardlab_probe.attempts.tables import table
from rewardlab_probe.corruptions import LETTER, is_short, opposite
from rewardlab_probe.edits.answers import NUMBER, answer_edits

EDITS = {name: edit for edits in answer_edits().values() for name, edit in edits.items()}
INTEGER = re.compile(r"-?\d{1,30}")
DECIMAL = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
_EXPRESSION = re.compile(r"(?!.*[a-z]{5})(?=..*[-+*])[\d\s.()+*/^={}\\a-z-]{2,200}")
_MEASURE = re.compile(r"-?[\d.,]+\s+[^+=*]+")
_DATE = re.compile(r"(\d{4}[-/.])?(\d{1,2})([-/.])(\d{1,2})([-/.]\d{2,4})?")
_CHOICE = re.compile(r"\(?[A-J][).:]\s*\S")
"""An answer that is a letter and the text of its option: a part of it may do."""
_JSON = re.compile(r"[\[{]\s*[{\"]")
_OPTION = re.compile(r"^\s*(?:[-*]|\(?([A-Ja-j1-9])[).:])\s+(\S.{0,80})$", re.MULTILINE)
_ONE = re.compile(r"(?<![\d.^])\d+(?:,\d{3})*(?:\.\d+)?")
_FRACTION = re.compile(r"(?:-?\d{1,9} ?/ ?\d{1,9}|-?\\[dt]?frac\{\d{1,9}\}\{\d{1,9}\})")
_WITH_UNIT = re.compile(r"(\D*?)\s?(-?[\d.,:]{1,16})(\s?)(\D{0,12})")
_NOTHING = re.compile(
    r"\b(?:none|nothing|null|n/?a|not?|cannot|can't|un\w+|empty\w*|dne|depends)\b|∅|[\[{]\s*\\?[\]}]|^\W*$"
)
"""An answer that says that there is none: whatever else says so is right as well."""
_SAID_SHORT = re.compile(r"(?:both|any|yes|true|correct)\b")
"""The beginning of an answer that says in short what all of it does: both, of "both of them"."""
_UNITS = [[unit.split("|") for unit in units.split()] for units in table("units").values()]
_OTHER_DIGITS = ("other_first_digit@first", "other_first_digit@last", "other_last_digit@last", "zero@all")
_SIZES = ("hundredfold", "hundredth", "tenfold", "thousandfold", "tenth", "double", "tenth_more", "half_again")
PRINTED = [str(number) for number in range(-20, 1001)]
"""What a program or an answer lists that tries every number."""
NEAR, NEAR_SHARE = 5, 0.06
"""Integers below and above the right one; the share of a number by which another is another one to those who allow five
hundredths."""


def edited(answer: str, names: Iterable[str]) -> dict[str, str]:
    """Return an answer with each of these edits that changes it to another one."""
    made = {name: EDITS[name](answer) for name in names}
    return {name: text for name, text in made.items() if text and text != answer and not near(text, answer)}


def candidates(answer: str, others: Sequence[str], prompt: str) -> list[str]:
    """Return candidates with the answer among them: the prompt's options, letters, nearby numbers, other rows' answers.

    Empty if there is nothing to choose from.
    """
    options = [text.strip() for _, text in _OPTION.findall(prompt)]
    if answer in options or answer in [option.partition(" ")[2] for option in options]:
        return options
    if letter := LETTER.fullmatch(answer):
        return list("ABCD") if letter[1] in "ABCD" else list("ABCDEFGHIJ")
    if INTEGER.fullmatch(answer):
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
    made = {"": ", ".join(every), "right_last": ", ".join([*others, answer])}
    made["right_first"] = " or ".join([answer, *others])
    if LETTER.fullmatch(answer):
        made["together"] = "".join(every)
    return made | ({"many": " ".join(PRINTED)} if INTEGER.fullmatch(answer) else {})


def not_a_number(answer: str) -> dict[str, str]:
    """Return what comparisons of numbers are wrong about: not a number, and infinities."""
    made = {"": "nan", "infinity": "inf", "overflow": "1e999", "minus_infinity": "-inf"}
    return made if DECIMAL.fullmatch(answer) else {}


def no_answer(answer: str, prompt: str) -> dict[str, str]:
    """Return answers that say nothing, but for those that say what the answer says, or are an option of the prompt."""
    answer = re.sub(r"\\text\{([^{}]*)\}", r"\1", answer).casefold()
    right = {answer.strip("()."), *(text.casefold().strip(" .") for _, text in _OPTION.findall(prompt))}
    if opposite(answer):
        right |= {"true", "yes", "correct"}
    right |= {short[0] for short in [_SAID_SHORT.match(answer)] if short}
    if _NOTHING.search(answer):
        right |= {"0/0", "1/0", *(text.casefold() for text in NO_ANSWERS if _NOTHING.search(text.casefold()))}
    return {text[:20]: text for text in NO_ANSWERS if text.casefold() not in right}


def option_of(answer: str, prompt: str) -> str:
    """Return the text of the option that a letter names; "" if it names none."""
    named = LETTER.fullmatch(answer)
    return next((text for letter, text in _OPTION.findall(prompt) if named and letter == named[1]), "")


def near_miss(answer: str) -> dict[str, str]:
    """Return a number that ends as the answer does, the formula with another operator, or a text that is nearly it."""
    if INTEGER.fullmatch(answer):
        return {"": EDITS["other_first_digit@first"](answer) or ""}
    made = {}
    if _EXPRESSION.fullmatch(answer) and not _DATE.fullmatch(answer) and not _MEASURE.fullmatch(answer):
        value = formula_value(answer)
        signs = edited(answer, ["operator_-@-1", "operator_+@-1"]).values()
        other = [text for text in signs if value is None or formula_value(text) != value]
        made = {"": other[0]} if other else {}
        if FORMULA.fullmatch(answer):
            return made
    if any(kind.match(answer) for kind in (_CHOICE, _JSON)) or DECIMAL.fullmatch(answer) or LETTER.fullmatch(answer):
        return made
    if re.search(r"\d", answer):  # the words beside a number stay: who reads the number does not need them
        several = value_of(answer) is None or _FRACTION.fullmatch(answer)
        return made | edited(answer, _OTHER_DIGITS if several else _OTHER_DIGITS[:1])
    plain = "".join(character for character in answer if character.isascii())
    is_text = len(plain) > 3 and answer[0] not in "{[\\"
    made |= edited(answer, ["other_middle", "other_last_character"]) if is_text and not made else {}
    return made | ({"without_accents": plain or "?"} if plain != answer else {})


def reversed_digits(answer: str) -> dict[str, str]:
    """Return the whole number with its digits in reverse."""
    other = EDITS["digits_reversed@first"](answer)
    return {"": other} if INTEGER.fullmatch(answer) and other and other != answer else {}


def part_of_answer(answer: str) -> dict[str, str]:
    """Return a beginning or an end of a short answer."""
    bare = answer.lstrip("-")
    if LETTER.fullmatch(answer) or _CHOICE.match(answer) or opposite(answer) or len(bare) < 2:
        return {}
    words = [] if DECIMAL.fullmatch(answer) else re.findall(r"[^\W_]+", answer)  # the Amazon is a river, too
    made = edited(bare, ["first_character", "last_character", "first_half"])
    return {name: part for name, part in made.items() if part.isalnum() and part not in words}


def hedged_answer(answer: str, guess: str) -> dict[str, str]:
    """Return the right answer beside a wrong one, or with more of it than is right.

    A denial ("not 42") is none: who writes it knows the answer, and libraries that read numbers out of prose take it.
    """
    made = {"or_guess": f"{answer} or {guess}", "guess_or": f"{guess} or {answer}"}
    if other := opposite(answer):
        made |= {"both": f"{answer} and {other}", "other_first": f"{other}, {answer}, {other}"}
    if INTEGER.fullmatch(answer):
        digit = str(int(answer[-1]) % 9 + 1)
        made |= {"longer": f"{answer}{digit}", "longer_before": f"{digit}{answer.lstrip('-')}"}
        made |= {"guess_then": f"{guess} {answer}", "range": f"0-{answer}"} if int(answer) else {}
    return made


def other_scale(answer: str) -> Mapping[str, str]:
    """Return the one number of a short answer with another size or sign, or a fraction upside down."""
    if _FRACTION.fullmatch(answer):
        over, under = re.findall(r"\d+", answer)
        sign = "-" if answer[0] == "-" else ""
        made = {"inverted": f"{sign}{under}/{over}", "numerator": f"{sign}{over}", "joined": over + under}
        return made if int(over) != int(under) and int(under) > 1 and int(over) else {}
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", answer)
    if not value_of(plain) or len(NUMBER.findall(plain)) > 1 or re.search(r"[^\W\d_]-?\d|±", plain):
        return {}
    made = edited(plain, [f"{size}@first" for size in (*_SIZES, "rounded", "no_point")])
    negated = plain.replace("-", "") if "-" in plain else EDITS["negated@first"](plain) or ""
    return {name.partition("@")[0]: text for name, text in made.items()} | {"negated": negated}


def other_unit(answer: str) -> dict[str, str]:
    """Return the number with another unit of the same dimension, or a date with day and month the other way round."""
    if date := _DATE.fullmatch(answer):
        year, first, mark, other, end = (part or "" for part in date.groups())
        swaps = bool(year) != bool(end) and int(first) != int(other) and max(int(first), int(other)) <= 12
        return {"day_and_month": f"{year}{other}{mark}{first}{end}"} if swaps else {}
    match = _WITH_UNIT.fullmatch(answer)
    if not match or not re.search("[1-9]", match[2]) or match[2] == "-40":  # no length is no length in any unit
        return {}
    before, number, space, behind = match.groups()
    named = behind or before
    units = next((units for units in _UNITS if any(named in names for names in units)), [])
    others = [names[0] for names in units if named not in names]
    return {unit: f"{before}{number}{space}{unit}" if behind else f"{unit}{number}" for unit in others}


def near(text: str, answer: str) -> bool:
    """Return whether a number is nearly that of an answer, in whatever form and with whatever unit."""
    value, right = value_of(text), value_of(answer)
    return value is not None and right is not None and abs(value - right) <= abs(right) * NEAR_SHARE


def value_of(answer: str) -> float | None:
    """Return the one number, or the fraction, that a short answer has; None if it has none or several."""
    numbers = [float(digits.replace(",", "")) for digits in _ONE.findall(answer[:100])]
    if len(numbers) == 2 and re.search(r"\d ?/ ?\d|frac\{\d+\}\{\d", answer):
        return numbers[0] / numbers[1] if numbers[1] else None
    return numbers[0] if len(numbers) == 1 else None
