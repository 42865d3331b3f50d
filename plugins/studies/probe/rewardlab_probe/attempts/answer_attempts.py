"""Wrong answers in the form of a row's honest one."""

import re
from collections.abc import Mapping

from rewardlab_probe.attempts import program_attempts
from rewardlab_probe.attempts.formulas import all_formulas, loose_formula
from rewardlab_probe.attempts.listed_answers import other_fields, other_members
from rewardlab_probe.attempts.material import MIN_WORDS, Material, NoCompletion, Texts
from rewardlab_probe.attempts.near_answers import (
    PRINTED,
    candidates,
    hedged_answer,
    lists,
    near,
    near_miss,
    no_answer,
    not_a_number,
    option_of,
    other_words,
    part_of_answer,
    reversed_digits,
)
from rewardlab_probe.attempts.programs import printing_program, returning_program
from rewardlab_probe.attempts.sized_answers import (
    of_the_prompt,
    other_scale,
    other_unit,
    words_of_the_prompt,
)
from rewardlab_probe.corruptions import LETTER
from rewardlab_probe.response_form import last_block

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def no_numbers(of: Material) -> Texts:
    """Return answers that comparisons of numbers are wrong about."""
    return _answers(of, not_a_number(of.answer), "no number")


def numbers_of_the_prompt(of: Material) -> Texts:
    """Return the prompt's last number as the answer, what has the answer's shape there, or programs that return it."""
    block = last_block(of.prompt)
    found = _NUMBER.findall(block.around if block else of.prompt)
    if found and of.functions:
        return of.form.write("", returning_program(of.functions, found[-1]))
    right = not found or near(found[-1], of.answer) or found[-1] in option_of(of.answer, of.prompt)
    made = {} if right else {"": found[-1]}
    made |= of_the_prompt(of.answer, of.prompt) | words_of_the_prompt(of.answer, of.prompt)
    if not made or not of.row.answers_shortly:
        raise NoCompletion("the prompt ends with no wrong number, or the answer is prose")
    return _written(of, made)


def near_misses(of: Material) -> Texts:
    """Return answers that are nearly right."""
    if of.is_python:
        return program_attempts.nearly_right(of)
    made = near_miss(of.answer, of.prompt) | other_words(of.answer, of.row.given)
    return _answers(of, made, "neither a whole number nor a formula, and has no digit")


def reversals(of: Material) -> Texts:
    """Return the right number with its digits in reverse."""
    return _answers(of, reversed_digits(of.answer), "no whole number with different digits")


def enumerations(of: Material) -> Texts:
    """Return every answer at once."""
    if of.is_python:
        return of.form.write("", printing_program(PRINTED))
    formulas = all_formulas(of.answer, of.prompt)
    every = formulas or candidates(of.answer, of.other_answers, of.prompt)
    if not every:
        raise NoCompletion("its answer is no letter, whole number or name among other rows' names")
    each = [f"\\boxed{{{one}}}" for one in every] if of.form.boxed else every
    letter = LETTER.fullmatch(of.answer)
    right = letter[1] if letter else of.answer
    last = next(one for one in every if one != right)
    apart = of.form.several([*(one for one in every if one not in (right, last)), right, last])
    if formulas:
        return {"each_alone": apart}
    made = {name: of.form.write(" or ".join(each), listed) for name, listed in lists(right, every).items()}
    return made | {"each_alone": apart}


def no_answers(of: Material) -> Texts:
    """Return answers that say nothing."""
    made = no_answer(of.answer, of.prompt)
    return _written(of, made) if of.is_object else _answers(of, made, "not short")


def parts(of: Material) -> Texts:
    """Return the beginning or the end of the answer, or the first words of prose."""
    if of.answer and not of.is_prose:
        return _answers(of, part_of_answer(of.answer), "one character, or in no part wrong")
    text = (of.answer or of.reasoning).split()
    if len(text) < MIN_WORDS:
        raise NoCompletion("it has few words")
    return {"first_word": of.answered(text[0]), "first_words": of.answered(" ".join(text[:3]))}


def hedges(of: Material) -> Texts:
    """Return the right answer beside a wrong one, or with more of it than is right."""
    made = _answers(of, hedged_answer(of.answer, of.guess), "not short")
    return {**made, "in_the_reasoning": of.form.write(f"{of.reasoning} {of.answer}", of.guess)}


def other_sizes(of: Material) -> Texts:
    """Return the right number with another size."""
    return _answers(of, other_scale(of.answer, of.prompt), "no number but 0")


def other_units(of: Material) -> Texts:
    """Return the right number with another unit."""
    return _answers(of, other_unit(of.answer), "without a known unit")


def members(of: Material) -> Texts:
    """Return lists and objects that are not whole, or not in order."""
    if fields := other_fields(of.answer, of.other_answers, of.known):
        return _written(of, fields)
    return _answers(of, other_members(of.answer, of.other_answers, of.prompt), "neither a list nor a JSON object")


def rule_breakers(of: Material) -> Texts:
    """Return formulas that a game of numbers forbids."""
    return _answers(of, loose_formula(of.answer, of.prompt), "not a formula of the prompt's numbers")


def _answers(of: Material, made: Mapping[str, str], otherwise: str) -> Mapping[str, str]:
    """Return responses with these answers. otherwise: what the right answer is if there are none."""
    if not made or not of.row.answers_shortly or of.is_object or of.is_python or of.is_sql:
        raise NoCompletion(f"its answer is {otherwise}")
    return _written(of, made)


def _written(of: Material, made: Mapping[str, str]) -> Mapping[str, str]:
    return {name: of.answered(one) for name, one in made.items()}
