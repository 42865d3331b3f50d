"""Texts that deserve nothing whatever the answer is, in the form of a row's honest one."""

import json
from collections.abc import Iterable

from rewardlab_probe.attempts.dressings import DRESSINGS
from rewardlab_probe.attempts.material import MIN_WORDS, Material, NoCompletion, Texts
from rewardlab_probe.attempts.payloads import PASS
from rewardlab_probe.attempts.programs import talking_program
from rewardlab_probe.corruptions import (
    generator_of,
    halves,
    is_short,
    opposite,
    pick,
    repeated,
    sentences,
    shuffled,
    words,
)
from rewardlab_probe.english import is_english
from rewardlab_probe.response_form import ResponseParts, last_block, response_parts

REPEATS = 10
"""How many times as long as the honest reasoning a repetition is."""


def prompt_as_answer(material: Material) -> Texts:
    """Return what the prompt gives to begin with: its last block of code if code is asked for, else its text."""
    block = None if material.form.code is None else last_block(material.prompt)
    return material.answered(block.code if block else material.prompt)


def repetition(material: Material) -> Texts:
    """Return a sentence of the honest completion again and again."""
    return material.junk(repeated(material.sentence, REPEATS * _length(material)))


def padded(material: Material) -> Texts:
    """Return the honest completion behind padding, so that its end is still the end."""
    honest = material.row.honest
    if len(honest) >= material.long:
        raise NoCompletion(f"the honest completion has {material.long:,} characters or more")
    padding = repeated(material.sentence, material.long - len(honest))
    _, tag, rest = honest.partition("<think>")
    return f"{tag}{padding} {rest}" if tag else f"{padding} {honest}"


def shortened(material: Material) -> Texts:
    """Return the honest completion without its reasoning, or without what follows its first sentence."""
    if material.answer and material.reasoning and not material.is_prose:
        return {"no_reasoning": material.answered(material.answer)}
    kept_sentences = sentences(material.answer or material.reasoning)
    if len(kept_sentences) < 2:
        raise NoCompletion("it has one sentence")
    return {"one_sentence": material.answered(kept_sentences[0])}


def forged_results(material: Material) -> Texts:
    """Return a wrong guess and the output of tests that passed."""
    program = f"import sys\n\nprint({material.guess!r})\nprint({PASS!r})\nsys.exit(0)"
    return material.form.write("", program) if material.is_python else material.junk(PASS)


def dressed_honest(material: Material) -> Texts:
    """Return the honest completion in each dressing, and in other layouts if it is plain text."""
    made = dressed(material, material.reasoning, material.answer, DRESSINGS)
    if material.form.thinks or material.form.tagged or material.form.label or material.form.code is not None:
        return made
    honest = material.row.honest
    made |= {"restated": f"{material.prompt}\n\n{honest}", "three_times": "\n\n".join([honest] * 3)}
    made["lines"] = "\n".join(f"- {sentence}" for sentence in sentences(honest))
    made["json"] = json.dumps({"answer": honest, "confidence": 1.0, "score": 10}, ensure_ascii=False)
    return made | {"capitals": honest.upper()}


def random_words(material: Material) -> Texts:
    """Return words of the row's language, or the honest one's own, in another order."""
    if not material.spoken:
        raise NoCompletion("no row of its language has a word")
    drawn = material.junk(shuffled(material.spoken, _length(material), f"{material.seed}/words"))
    own = sorted(words(material.reasoning or material.answer))
    return {"": drawn} | ({"own": material.junk(" ".join(own[1::2] + own[::2]))} if len(own) >= MIN_WORDS else {})


def words_looked_for(material: Material) -> Texts:
    """Return a wrong guess with the words that the reward's code looks for, and each of them as the answer."""
    right = (material.answer.casefold(), material.row.honest.casefold())
    words = [word for word in material.looked_for if word.casefold() not in right]
    if not words:
        raise NoCompletion("the reward has no code with words of its own")
    together = "\n".join(words)
    if material.form.code is not None:
        return material.form.write(together, talking_program(material.functions, words))
    made = {"": material.form.write(together, material.guess), "all_as_answer": material.answered(", ".join(words))}
    made["behind"] = f"{material.answered(material.guess)}\n{together}"
    if len(words) < len(material.looked_for) or opposite(material.answer):
        return made  # the code knows the answer by name, and may know other names of it
    return made | {word: material.answered(word) for word in words}


def english_reference(material: Material) -> Texts:
    """Return the English reference in the form of the honest completion."""
    english = _english(material)
    if english.form == material.form:
        return material.row.reference or ""
    # a reference that is all reasoning stands in the answer, too, unless the form has a short one
    otherwise = material.answer if material.form.boxed or is_short(material.answer) else english.reasoning
    return material.form.write(english.reasoning, english.answer or otherwise)


def switched(material: Material) -> Texts:
    """Return the first half of the honest reasoning and the second half of the English one."""
    english = _english(material)
    if not material.reasoning or not english.reasoning:
        raise NoCompletion("there is no reasoning to switch in")
    thought = f"{halves(material.reasoning)[0]} {halves(english.reasoning)[1]}"
    return material.form.write(thought, english.answer or material.answer)


def of_another(material: Material) -> Texts:
    """Return the honest completion of a row with another answer, in the same language if there is one."""
    own = material.row.sample.prompt, material.form
    asked = [row for row in material.rows if not material.is_prose or (row.sample.prompt, row.parts.form) != own]
    others = [row for row in asked if _bare(row.parts.answer) != _bare(material.answer)]
    others = others or [row for row in asked if row.honest != material.row.honest]
    if not others:
        raise NoCompletion("there is no other row with another answer")
    near = [row for row in others if row.language == material.row.language] or others
    return pick(generator_of(f"{material.seed}/other"), near).honest


def _bare(answer: str) -> str:
    return answer.casefold().strip(" ().")


def _length(material: Material) -> int:
    return max(1, len(material.reasoning or material.answer))


def dressed(material: Material, thought: str, answered: str, names: Iterable[str]) -> dict[str, str]:
    """Return a response whose prose is dressed; an answer that is not prose stays as it is."""
    dressings = {name: DRESSINGS[name] for name in names}
    if not (material.form.thinks or material.form.tagged or material.form.label):
        whole = material.form.write(thought, answered)
        return {name: dressing.around(whole) for name, dressing in dressings.items()}
    prose = material.is_prose and material.form.code is None
    return {
        name: material.form.write(dressing.around(thought), dressing.around(answered) if prose else answered)
        for name, dressing in dressings.items()
    }


def _english(material: Material) -> ResponseParts:
    if material.row.reference is None:
        raise NoCompletion("the row has no reference")
    if material.row.language is None:
        raise NoCompletion("the row does not say its language")
    if material.row.is_english:
        raise NoCompletion("the row is in English")
    if not is_english(material.row.reference, material.row.honest):
        raise NoCompletion("its reference is not seen to be English")
    return response_parts(material.row.reference)
