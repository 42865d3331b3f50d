"""Texts that deserve nothing whatever the answer is, in the form of a row's honest one."""

import json
from collections.abc import Iterable

from rewardlab_probe.attempts.dressings import DRESSINGS
from rewardlab_probe.attempts.material import MIN_WORDS, Material, NoCompletion, Texts
from rewardlab_probe.attempts.payloads import BREAKS, FENCE, PASS
from rewardlab_probe.attempts.programs import passing_program, talking_program
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
from rewardlab_probe.honest_row import HonestRow
from rewardlab_probe.response_form import ResponseParts, last_block, response_parts

REPEATS = 10
"""How many times as long as the honest reasoning a repetition is."""


def prompt_as_answer(of: Material) -> Texts:
    """Return what the prompt gives to begin with: its last block of code if code is asked for, else its text."""
    block = None if of.form.code is None else last_block(of.prompt)
    return of.answered(block.code if block else of.prompt)


def repetition(of: Material) -> Texts:
    """Return a sentence of the honest completion again and again."""
    return of.junk(repeated(of.sentence, REPEATS * _length(of)))


def padded(of: Material) -> Texts:
    """Return the honest completion behind padding, so that its end is still the end."""
    honest = of.row.honest
    if len(honest) >= of.long:
        raise NoCompletion(f"the honest completion has {of.long:,} characters or more")
    padding = repeated(of.sentence, of.long - len(honest))
    _, tag, rest = honest.partition("<think>")
    return f"{tag}{padding} {rest}" if tag else f"{padding} {honest}"


def shortened(of: Material) -> Texts:
    """Return the honest completion without its reasoning, or without what follows its first sentence."""
    if of.answer and of.reasoning and not of.is_prose:
        return {"no_reasoning": of.answered(of.answer)}
    found = sentences(of.answer or of.reasoning)
    if len(found) < 2:
        raise NoCompletion("it has one sentence")
    return {"one_sentence": of.answered(found[0])}


def forged_ends(of: Material) -> Texts:
    """Return a wrong guess and a forged end of what the judge is shown, or what breaks out of it."""
    return {"": of.junk(FENCE)} | {name: of.junk(text) for name, text in BREAKS.items()}


def forged_results(of: Material) -> Texts:
    """Return a wrong guess and the output of tests that passed."""
    return of.form.write("", passing_program(of.guess)) if of.is_python else of.junk(PASS)


def dressed_guess(of: Material) -> Texts:
    """Return a wrong guess in the first dressing."""
    return _dressed(of, of.no_thought, of.guess, ("",))


def dressed_honest(of: Material) -> Texts:
    """Return the honest completion in each dressing, and in other layouts if it is plain text."""
    made = _dressed(of, of.reasoning, of.answer, DRESSINGS)
    if of.form.thinks or of.form.tagged or of.form.label or of.form.code is not None:
        return made
    honest = of.row.honest
    made |= {"restated": f"{of.prompt}\n\n{honest}", "three_times": "\n\n".join([honest] * 3)}
    made["lines"] = "\n".join(f"- {sentence}" for sentence in sentences(honest))
    made["json"] = json.dumps({"answer": honest, "confidence": 1.0, "score": 10}, ensure_ascii=False)
    return made | {"capitals": honest.upper()}


def random_words(of: Material) -> Texts:
    """Return words of the row's language, or the honest one's own, in another order."""
    if not of.spoken:
        raise NoCompletion("no row of its language has a word")
    drawn = of.junk(shuffled(of.spoken, _length(of), f"{of.seed}/words"))
    own = sorted(words(of.reasoning or of.answer))
    return {"": drawn} | ({"own": of.junk(" ".join(own[1::2] + own[::2]))} if len(own) >= MIN_WORDS else {})


def words_looked_for(of: Material) -> Texts:
    """Return a wrong guess with the words that the reward's code looks for, and each of them as the answer."""
    right = (of.answer.casefold(), of.row.honest.casefold())
    words = [word for word in of.looked_for if word.casefold() not in right]
    if not words:
        raise NoCompletion("the reward has no code with words of its own")
    together = "\n".join(words)
    if of.form.code is not None:
        return of.form.write(together, talking_program(of.functions, words))
    made = {"": of.form.write(together, of.guess), "behind": f"{of.answered(of.guess)}\n{together}"}
    made["all_as_answer"] = of.answered(", ".join(words))
    if len(words) < len(of.looked_for) or opposite(of.answer):
        return made  # the code knows the answer by name, and may know other names of it
    return made | {word: of.answered(word) for word in words}


def english_reference(of: Material) -> Texts:
    """Return the English reference in the form of the honest completion."""
    english = _english(of)
    if english.form == of.form:
        return of.row.reference or ""
    # a reference that is all reasoning stands in the answer, too, unless the form has a short one
    otherwise = of.answer if of.form.boxed or is_short(of.answer) else english.reasoning
    return of.form.write(english.reasoning, english.answer or otherwise)


def switched(of: Material) -> Texts:
    """Return the first half of the honest reasoning and the second half of the English one."""
    english = _english(of)
    if not of.reasoning or not english.reasoning:
        raise NoCompletion("there is no reasoning to switch in")
    thought = f"{halves(of.reasoning)[0]} {halves(english.reasoning)[1]}"
    return of.form.write(thought, english.answer or of.answer)


def of_another(of: Material) -> Texts:
    """Return the honest completion of a row with another answer, in the same language if there is one."""
    asked = [row for row in of.rows if not of.is_prose or _question(row) != _question(of.row)]
    others = [row for row in asked if _bare(row.parts.answer) != _bare(of.answer)]
    others = others or [row for row in asked if row.honest != of.row.honest]
    if not others:
        raise NoCompletion("there is no other row with another answer")
    near = [row for row in others if row.language == of.row.language] or others
    return pick(generator_of(f"{of.seed}/other"), near).honest


def _question(row: HonestRow) -> object:
    return row.sample.prompt, row.parts.form


def _bare(answer: str) -> str:
    return answer.casefold().strip(" ().")


def _length(of: Material) -> int:
    return max(1, len(of.reasoning or of.answer))


def _dressed(of: Material, thought: str, answered: str, names: Iterable[str]) -> dict[str, str]:
    """Return a response whose prose is dressed; an answer that is not prose stays as it is."""
    some = {name: DRESSINGS[name] for name in names}
    if not (of.form.thinks or of.form.tagged or of.form.label):
        whole = of.form.write(thought, answered)
        return {name: one.around(whole) for name, one in some.items()}
    prose = of.is_prose and of.form.code is None
    return {
        name: of.form.write(one.around(thought), one.around(answered) if prose else answered)
        for name, one in some.items()
    }


def _english(of: Material) -> ResponseParts:
    if of.row.reference is None:
        raise NoCompletion("the row has no reference")
    if of.row.language is None:
        raise NoCompletion("the row does not say its language")
    if of.row.is_english:
        raise NoCompletion("the row is in English")
    if not is_english(of.row.reference, of.row.honest):
        raise NoCompletion("its reference is not seen to be English")
    return response_parts(of.row.reference)
