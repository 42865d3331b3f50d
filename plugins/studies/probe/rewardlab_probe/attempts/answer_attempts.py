"""Wrong answers in the form of a row's honest one."""

import re
from collections.abc import Callable, Mapping

from rewardlab.recipe import Family

from rewardlab_probe.attempts import near_answers as near
from rewardlab_probe.attempts.formulas import all_formulas, loose_formula
from rewardlab_probe.attempts.listed_answers import other_fields, other_members
from rewardlab_probe.attempts.material import MIN_WORDS, Material, NoCompletion, Texts
from rewardlab_probe.attempts.programs import nearly_right, returning_program
from rewardlab_probe.corruptions import LETTER
from rewardlab_probe.response_form import last_block

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def number_of_the_prompt(material: Material) -> Texts:
    """Return the prompt's last number as the answer, or programs that return it."""
    block = last_block(material.prompt)
    *_, number = ("", *_NUMBER.findall(block.around if block else material.prompt))
    if number and material.functions:
        return material.form.write("", returning_program(material.functions, number))
    right = near.near(number, material.answer) or number in near.option_of(material.answer, material.prompt)
    if not number or right or not material.row.answers_shortly:
        raise NoCompletion("the prompt ends with no wrong number, or the answer is prose")
    return material.answered(number)


def near_misses(material: Material) -> Texts:
    """Return answers that are nearly right."""
    if material.is_python:
        return nearly_right(material)
    return _written(material, near.near_miss(material.answer), "nothing that is nearly another")


def enumerations(material: Material) -> Texts:
    """Return every answer at once."""
    if material.is_python:
        return material.form.write("", f"print(*{near.PRINTED!r}, sep='\\n')")
    formulas = all_formulas(material.answer, material.prompt)
    every = formulas or near.candidates(material.answer, material.other_answers, material.prompt)
    if not every:
        raise NoCompletion("its answer is no letter, whole number or name among other rows' names")
    letter = LETTER.fullmatch(material.answer)
    right = letter[1] if letter else material.answer
    last, *others = (answer for answer in every if answer != right)
    apart = {"each_alone": material.form.several([*others, right, last])}
    if formulas:
        return apart
    together = " or ".join(f"\\boxed{{{answer}}}" if material.form.boxed else answer for answer in every)
    return {name: material.form.write(together, text) for name, text in near.lists(right, every).items()} | apart


def parts(material: Material) -> Texts:
    """Return the beginning or the end of the answer, or the first words of prose."""
    if material.answer and not material.is_prose:
        return _written(material, near.part_of_answer(material.answer), "one character, or in no part wrong")
    text = (material.answer or material.reasoning).split()
    if len(text) < MIN_WORDS:
        raise NoCompletion("it has few words")
    return {"first_word": material.answered(text[0]), "first_words": material.answered(" ".join(text[:3]))}


def hedges(material: Material) -> Texts:
    """Return the right answer beside a wrong one, or with more of it than is right."""
    made = _written(material, near.hedged_answer(material.answer, material.guess), "not short")
    return {**made, "in_the_reasoning": material.form.write(f"{material.reasoning} {material.answer}", material.guess)}


def members(material: Material) -> Texts:
    """Return lists and objects that are not whole, or not in order."""
    fields = other_fields(material.answer, material.other_answers, material.known)
    made = fields or other_members(material.answer, material.other_answers, material.prompt)
    return _written(material, made, "neither a list nor a JSON object", anyway=bool(fields))


def _written(material: Material, made: Mapping[str, str], otherwise: str, anyway: bool = False) -> Mapping[str, str]:
    """Return responses with these answers. otherwise: what the right one is if there are none or it is not short."""
    other = not material.row.answers_shortly or material.is_object or material.is_python or material.is_sql
    if not made or (other and not anyway):
        raise NoCompletion(f"its answer is {otherwise}")
    return {name: material.answered(answer) for name, answer in made.items()}


ANSWERS: Mapping[Family, Callable[[Material], Texts]] = {
    "not_a_number": lambda m: _written(m, near.not_a_number(m.answer), "no number"),
    "prompt_number": number_of_the_prompt,
    "near_miss": near_misses,
    "reversed_digits": lambda m: _written(m, near.reversed_digits(m.answer), "no whole number with different digits"),
    "enumeration": enumerations,
    "no_answer": lambda m: _written(m, near.no_answer(m.answer, m.prompt), "not short", anyway=m.is_object),
    "part_of_answer": parts,
    "hedged_answer": hedges,
    "other_scale": lambda m: _written(m, near.other_scale(m.answer), "no number but 0"),
    "other_unit": lambda m: _written(m, near.other_unit(m.answer), "without a known unit"),
    "other_members": members,
    "loose_formula": lambda m: _written(m, loose_formula(m.answer, m.prompt), "not a formula of the prompt's numbers"),
}
