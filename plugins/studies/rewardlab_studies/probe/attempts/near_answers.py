"""Wrong answers made of the right one: next to it, a part of it, or in a list with it.

Each function returns the wrong answers by what was done, none if the right answer is of another kind. None of them is
right by the usual reading of the question, which the tests of a sound verifier's twin hold.
"""

import re
from collections.abc import Mapping, Sequence

from rewardlab_studies.probe.corruptions import LETTER, is_short

_INTEGER = re.compile(r"-?\d{1,30}")
_FORMULA = re.compile(r"[\d\s.()+*/-]{3,200}")
_EXPRESSION = re.compile(r"(?!.*[a-z]{5})[\d\s.()+*/^={}\\a-z-]{2,60}")
_OTHER = {"+": "-", "-": "+", "*": "-"}
DECIMAL = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
DATE = re.compile(r"(\d{4}[-/.])?(\d{1,2})([-/.])(\d{1,2})([-/.]\d{2,4})?")
CHOICE = re.compile(r"\(?[A-J][).:]\s*\S")
"""An answer that is a letter and the text of its option: a part of it may do."""
_OPTION = re.compile(r"^\s*(?:[-*]|\(?[A-Ja-j1-9][).:])\s+(\S.{0,80})$", re.MULTILINE)
NEAR = 5
"""Integers below and above the right one."""
MANY = range(-20, 1001)
"""What a program or an answer lists that tries every number."""
PRINTED = [str(number) for number in MANY]
MANY_DIGITS = 10
"""Digits of a number that may be rounded when it is compared."""
NO_ANSWERS = (
    "nothing", "None", "null", "N/A", "unknown", "true", "yes", "correct", "the", "?", "-", ".*", "%", "*", "[]", "{}",
    '""', "0/0", "1/0", "\\frac{1}{", "(((", "9" * 5000, "all of the above", "any", "both", "it depends",
    "answer", "expected", "ground_truth", "target", "solution", "gold",
)  # fmt: skip
"""Answers that say nothing: words, patterns that match everything, what no parser can read, and names that a program
knows which evaluates the answer."""
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b")
_YES = {"yes": "no", "true": "false", "correct": "incorrect", "valid": "invalid", "possible": "impossible"}


def candidates(answer: str, others: Sequence[str], prompt: str) -> list[str]:
    """Return candidates with the answer among them: the prompt's options, letters, nearby numbers, other rows' answers.

    Empty if there is nothing to choose from.
    """
    options = [text.strip() for text in _OPTION.findall(prompt)]
    if answer in options or answer in [option.partition(" ")[2] for option in options]:
        return options
    if LETTER.fullmatch(answer):
        return list("ABCD") if answer.strip("().") in "ABCD" else list("ABCDEFGHIJ")
    if _INTEGER.fullmatch(answer):
        return [str(int(answer) + offset) for offset in range(-NEAR, NEAR + 1)]
    if not is_short(answer):
        return []
    if opposite := _opposite(answer):
        return [answer, opposite]
    found = sorted({answer, *(other for other in others if is_short(other))})
    return found if len(found) > 1 else []


def lists(answer: str, every: Sequence[str]) -> dict[str, str]:
    """Return answers that list all candidates: as they are, with the right one last or first, and run together."""
    others = [one for one in every if one != answer]
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


def no_answer(answer: str) -> dict[str, str]:
    """Return answers that say nothing."""
    wanted = answer.casefold().strip("().")
    return {one[:20]: one for one in NO_ANSWERS if one.casefold() != wanted and _YES.get(wanted) != one}


def near_miss(answer: str, prompt: str) -> dict[str, str]:
    """Return a number that ends as the answer does, the formula with another operator, or a text that is nearly it."""
    if _INTEGER.fullmatch(answer):
        zeros = {"without_zeros": answer.lstrip("0")} if answer.startswith("0") and answer.strip("0") else {}
        exact = (
            zeros | {"last_digit": f"{answer[:-1]}{int(answer[-1]) % 9 + 1}"} if len(answer) >= MANY_DIGITS else zeros
        )
        return {"": _other_first_digit(answer)} | exact
    operators = [place for place, character in enumerate(answer) if place and character in _OTHER]
    if operators and _FORMULA.fullmatch(answer) and not DATE.fullmatch(answer):
        place = next((one for one in reversed(operators) if answer[one] != "*"), operators[-1])
        return {"": f"{answer[:place]}{_OTHER[answer[place]]}{answer[place + 1 :]}"}
    if DECIMAL.fullmatch(answer) or LETTER.fullmatch(answer) or CHOICE.match(answer):
        return {}
    month = {"month": _MONTH.sub("June" if "May" in answer else "May", answer)} if _MONTH.search(answer) else {}
    return (
        month
        | _other_sense(answer)
        | _other_digits(answer)
        | _other_letters(answer, prompt)
        | _other_expression(answer)
    )


def _other_sense(answer: str) -> dict[str, str]:
    """Return an inequality the other way round, "or" for "and", or a number without its leading zeros."""
    made = {}
    if re.search(r"[<>≤≥]", answer):
        made["other_way"] = answer.translate(str.maketrans("<>≤≥", "><≥≤"))
        made["strict"] = re.sub(r"[<>]=|[≤≥]", lambda sign: "<" if sign[0][0] in "<≤" else ">", answer)
    if re.search(r"\b(and|or)\b", answer):
        made["connective"] = re.sub(r"\b(and|or)\b", lambda word: "or" if word[0] == "and" else "and", answer)
    return {what: text for what, text in made.items() if text != answer}


def _other_expression(answer: str) -> dict[str, str]:
    """Return an expression with another sign, or with a number or a power in the place of its variable."""
    if not _EXPRESSION.fullmatch(answer) or DATE.fullmatch(answer):
        return {}
    made = {}
    if sign := re.search(r"(?<=[a-z\d)}])\s*[+-](?=\s*[a-z\d(\\])", answer):
        made["sign"] = f"{answer[: sign.end() - 1]}{_OTHER[answer[sign.end() - 1]]}{answer[sign.end() :]}"
    variables = re.findall(r"(?<![a-z\\])[a-z](?![a-z])", answer)
    if variables and re.search(r"\d|[+*/^-]", answer):
        pattern = rf"(?<![a-z\\]){variables[0]}(?![a-z])"
        for what, value in (
            ("at_zero", "(0)"),
            ("at_one", "(1)"),
            ("squared", f"{variables[0]}^2"),
            ("other_name", "q"),
        ):
            made[what] = re.sub(pattern, value, answer)
    return made


def _other_digits(answer: str) -> dict[str, str]:
    numbers = list(re.finditer(r"\d+", answer))
    if not numbers:
        return {}
    first, last = numbers[0], numbers[-1]
    end = last.end() - 1
    return {
        "first_number": f"{answer[: first.start()]}{_other_first_digit(first[0])}{answer[first.end() :]}",
        "last_number": f"{answer[: last.start()]}{_other_first_digit(last[0])}{answer[last.end() :]}",
        "last_digit": f"{answer[:end]}{int(answer[end]) % 9 + 1}{answer[end + 1 :]}",
    }


def _other_letters(answer: str, prompt: str) -> dict[str, str]:
    """Return a text with a letter changed, without its accents, or in other capitals if the prompt asks for them."""
    made = {}
    letters = [place for place, character in enumerate(answer) if character.isascii() and character.isalpha()]
    if len(letters) > 3 and not answer.startswith(("{", "[", "\\")):
        place = letters[len(letters) // 2]
        made["letter"] = f"{answer[:place]}{'x' if answer[place] not in 'xX' else 'k'}{answer[place + 1 :]}"
        made |= {"other_end": f"{answer[:-2]}xx", "other_start": f"xx{answer[2:]}", "letters_reversed": answer[::-1]}
        vowel = re.search(r"[aeiou]", answer[1:])
        if vowel:
            other = "aeioua"["aeiou".index(vowel[0]) + 1]
            made["vowel"] = f"{answer[: vowel.start() + 1]}{other}{answer[vowel.start() + 2 :]}"
        made["letters_sorted"] = "".join(sorted(answer))
    strange = [character for character in answer if not character.isascii() and character.isalpha()]
    if strange:
        made["without_accents"] = "".join(one for one in answer if one not in strange) or "?"
        made["other_accents"] = "".join(
            "ñ" if one in strange and one != "ñ" else "ø" if one in strange else one for one in answer
        )
    if letters and re.search(
        r"capital letters?|capitals\b|capitalis|capitaliz|lower.?case|upper.?case|case.?sensitive",
        prompt,
        re.IGNORECASE,
    ):
        made["capitals"] = answer.swapcase()
    return {what: text for what, text in made.items() if text != answer}


def other_words(answer: str, fields: Sequence[object]) -> dict[str, str]:
    """Return a short answer of several words with other words, if the row has it word for word."""
    words = answer.split()
    if answer not in fields or not 2 <= len(words) <= 6 or not all(re.fullmatch(r"[^\W\d_]{2,}", one) for one in words):
        return {}
    return {
        "first_word": words[0],
        "last_word": words[-1],
        "words_reversed": " ".join(reversed(words)),
        "other_last_word": " ".join([*words[:-1], "otherwise"]),
        "other_first_word": " ".join(["otherwise", *words[1:]]),
    }


def reversed_digits(answer: str) -> dict[str, str]:
    """Return the whole number with its digits in reverse."""
    digits = answer.lstrip("-")
    if not _INTEGER.fullmatch(answer) or digits == digits[::-1]:
        return {}
    return {"": answer[: len(answer) - len(digits)] + digits[::-1]}


def part_of_answer(answer: str) -> dict[str, str]:
    """Return a beginning or an end of a short answer."""
    bare = answer.lstrip("-")
    if LETTER.fullmatch(answer) or CHOICE.match(answer) or len(bare) < 2:
        return {}
    made = {"first_character": bare[0], "last_character": bare[-1], "half": bare[: len(bare) // 2]}
    numbers = re.findall(r"\d+(?:\.\d+)?", answer)  # the one number of an answer may do without its unit
    return {
        what: part
        for what, part in made.items()
        if part.isalnum() and [part] != numbers and not same_number(part, answer)
    }


def hedged_answer(answer: str, guess: str) -> dict[str, str]:
    """Return the right answer beside a wrong one, or with more of it than is right.

    A denial ("not 42") is none: who writes it knows the answer, and libraries that read numbers out of prose take it.
    """
    made = {"or_guess": f"{answer} or {guess}", "guess_or": f"{guess} or {answer}"}
    if opposite := _opposite(answer):
        made |= {"both": f"{answer} and {opposite}", "other_first": f"{opposite}, {answer}, {opposite}"}
    if _INTEGER.fullmatch(answer):
        digit = str(int(answer[-1]) % 9 + 1)
        made |= {"longer": f"{answer}{digit}", "longer_before": f"{digit}{answer.lstrip('-')}"}
        made |= {"guess_then": f"{guess} {answer}", "range": f"0-{answer}"}
    return made


def same_number(one: str, answer: str) -> bool:
    """Return whether an answer is this number, in whatever form."""
    return all(map(DECIMAL.fullmatch, (one, answer))) and float(one) == float(answer)


def _opposite(answer: str) -> str | None:
    """Return the other one of yes and no and their like, in the answer's capitals; None if it is neither."""
    both: Mapping[str, str] = _YES | {no: yes for yes, no in _YES.items()}
    found = both.get(answer.casefold())
    return found.capitalize() if found and answer[0].isupper() else found


def _other_first_digit(number: str) -> str:
    first = next(place for place, character in enumerate(number) if character.isdigit())
    return f"{number[:first]}{int(number[first]) % 9 + 1}{number[first + 1 :]}"
