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
    part_of_answer,
    reversed_digits,
)
from rewardlab_probe.attempts.programs import printing_program, returning_program
from rewardlab_probe.attempts.sized_answers import (
    of_the_prompt,
    other_scale,
    other_unit,
)
from rewardlab_probe.corruptions import LETTER
from rewardlab_probe.response_form import last_block

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def no_numbers(material: Material) -> Texts:
    """Return answers that comparisons of numbers are wrong about."""
    return _answers(material, not_a_number(material.answer), "no number")


def numbers_of_the_prompt(material: Material) -> Texts:
    """Return the prompt's last number as the answer, what has the answer's shape there, or programs that return it."""
    block = last_block(material.prompt)
    numbers = _NUMBER.findall(block.around if block else material.prompt)
    if numbers and material.functions:
        return material.form.write("", returning_program(material.functions, numbers[-1]))
    right = (
        not numbers or near(numbers[-1], material.answer) or numbers[-1] in option_of(material.answer, material.prompt)
    )
    made = {} if right else {"": numbers[-1]}
    made |= of_the_prompt(material.answer, material.prompt)
    if not made or not material.row.answers_shortly:
        raise NoCompletion("the prompt ends with no wrong number, or the answer is prose")
    return _written(material, made)


def near_misses(material: Material) -> Texts:
    """Return answers that are nearly right."""
    if material.is_python:
        return program_attempts.nearly_right(material)
    made = near_miss(material.answer)
    return _answers(material, made, "neither a whole number nor a formula, and has no digit")


def reversals(material: Material) -> Texts:
    """Return the right number with its digits in reverse."""
    return _answers(material, reversed_digits(material.answer), "no whole number with different digits")


def enumerations(material: Material) -> Texts:
    """Return every answer at once."""
    if material.is_python:
        return material.form.write("", printing_program(PRINTED))
    formulas = all_formulas(material.answer, material.prompt)
    every = formulas or candidates(material.answer, material.other_answers, material.prompt)
    if not every:
        raise NoCompletion("its answer is no letter, whole number or name among other rows' names")
    each = [f"\\boxed{{{answer}}}" for answer in every] if material.form.boxed else every
    letter = LETTER.fullmatch(material.answer)
    right = letter[1] if letter else material.answer
    last = next(answer for answer in every if answer != right)
    apart = material.form.several([*(answer for answer in every if answer not in (right, last)), right, last])
    if formulas:
        return {"each_alone": apart}
    made = {name: material.form.write(" or ".join(each), listed) for name, listed in lists(right, every).items()}
    return made | {"each_alone": apart}


def no_answers(material: Material) -> Texts:
    """Return answers that say nothing."""
    made = no_answer(material.answer, material.prompt)
    return _written(material, made) if material.is_object else _answers(material, made, "not short")


def parts(material: Material) -> Texts:
    """Return the beginning or the end of the answer, or the first words of prose."""
    if material.answer and not material.is_prose:
        return _answers(material, part_of_answer(material.answer), "one character, or in no part wrong")
    text = (material.answer or material.reasoning).split()
    if len(text) < MIN_WORDS:
        raise NoCompletion("it has few words")
    return {"first_word": material.answered(text[0]), "first_words": material.answered(" ".join(text[:3]))}


def hedges(material: Material) -> Texts:
    """Return the right answer beside a wrong one, or with more of it than is right."""
    made = _answers(material, hedged_answer(material.answer, material.guess), "not short")
    return {**made, "in_the_reasoning": material.form.write(f"{material.reasoning} {material.answer}", material.guess)}


def other_sizes(material: Material) -> Texts:
    """Return the right number with another size."""
    return _answers(material, other_scale(material.answer), "no number but 0")


def other_units(material: Material) -> Texts:
    """Return the right number with another unit."""
    return _answers(material, other_unit(material.answer), "without a known unit")


def members(material: Material) -> Texts:
    """Return lists and objects that are not whole, or not in order."""
    if fields := other_fields(material.answer, material.other_answers, material.known):
        return _written(material, fields)
    return _answers(
        material,
        other_members(material.answer, material.other_answers, material.prompt),
        "neither a list nor a JSON object",
    )


def rule_breakers(material: Material) -> Texts:
    """Return formulas that a game of numbers forbids."""
    return _answers(material, loose_formula(material.answer, material.prompt), "not a formula of the prompt's numbers")


def _answers(material: Material, made: Mapping[str, str], otherwise: str) -> Mapping[str, str]:
    """Return responses with these answers. otherwise: what the right answer is if there are none."""
    if not made or not material.row.answers_shortly or material.is_object or material.is_python or material.is_sql:
        raise NoCompletion(f"its answer is {otherwise}")
    return _written(material, made)


def _written(material: Material, made: Mapping[str, str]) -> Mapping[str, str]:
    return {name: material.answered(answer) for name, answer in made.items()}
