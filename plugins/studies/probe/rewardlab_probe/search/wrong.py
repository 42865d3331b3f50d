"""Whether a completion is surely wrong: by the gold of its row, or by a component that knows the truth.

By the gold means: by the answer of the row's honest completion. What may be another notation of it, a part of it or
more than it is not surely wrong, nor is a program or prose that shares a line or a sentence with the honest one.
"""

import re
import unicodedata
from collections import Counter

from rewardlab_answers import last_box

from rewardlab_probe.attempts.formulas import formula_value
from rewardlab_probe.attempts.material import Material
from rewardlab_probe.attempts.near_answers import NEAR_SHARE, near, option_of
from rewardlab_probe.corruptions import opposite, sentences
from rewardlab_probe.edits.answers import NUMBER
from rewardlab_probe.response_form import response_parts

_EXPRESSION = re.compile(r"[\w)]\s*[-+*/^=<>;]+\s*[\w(]")
MIN_SHARED = 12
"""Characters of a line that two completions do not share by chance."""


def surely_wrong(material: Material, text: str) -> bool:
    """Return whether a completion is wrong by the row's gold, beyond doubt."""
    text = text.strip()
    if not material.row.answers_shortly or material.form.code is not None:
        return not _shares_a_line(material, text) and not _shares_words(material, text)
    written = _answers(material, text)
    if not written:
        return not _words(material.answer) & _words(text)
    return not any(_may_be_right(material, answer) for answer in (written[0], written[-1]))


def surely_right(material: Material, text: str) -> bool:
    """Return whether what stands in the answer's place is the gold and nothing else, whatever stands around it."""
    if not material.row.answers_shortly or material.form.code is not None:
        return False
    answers = _answers(material, text.strip())
    return bool(answers) and all(answer.split() == material.answer.split() for answer in answers)


def _shares_a_line(material: Material, text: str) -> bool:
    """Return whether a text has a line or a sentence of the honest completion."""
    own = {" ".join(part.split()) for part in [*material.row.honest.splitlines(), *sentences(material.row.honest)]}
    flat = " ".join(text.split())
    return any(part in flat for part in own if len(part) >= MIN_SHARED) or " ".join(material.row.honest.split()) in flat


def _shares_words(material: Material, text: str) -> bool:
    """Return whether a text has half of the words and numbers of an answer that is no program."""
    own = _words(material.answer or material.reasoning)
    return material.form.code is None and 2 * len(own & _words(text)) >= len(own)


def _answers(material: Material, text: str) -> list[str]:
    """Return the answers of a text in the form of the honest one, blank ones if all are; and the last in any form."""
    form = material.form
    if form.boxed:
        last = last_box(text)
        return [*re.findall(r"\\boxed\s*\{([^{}]*)\}", text), *([last] if last is not None else [])]
    if form.tagged:
        return re.findall(r"<answer>(.*?)(?:</answer>|\Z)", text, re.DOTALL)
    if form.label:
        label = re.escape(form.label.strip())
        behind = [answer.strip() for answer in re.findall(rf"{label}(?!\s*{label})\s*(.*)", text)]
        return [answer for answer in behind if answer] or behind
    return [response_parts(text).answer or text]


def _may_be_right(material: Material, answer: str) -> bool:
    """Return whether an answer may say what the gold says."""
    gold = material.answer
    option, folded, right = option_of(gold, material.prompt), _folded(answer), _folded(gold)
    if other := opposite(gold):
        return right in folded.split() and other.casefold() not in folded.split() if folded != _folded(other) else False
    bare, wanted = folded.replace(" ", ""), right.replace(" ", "")
    if bare == wanted:
        return True
    numbers, golden = _numbers(answer), _numbers(gold)
    if _EXPRESSION.search(gold):
        return bool(numbers)  # which numbers and signs may be others is a matter of the game
    if numbers and golden:
        part = not set(numbers) - set(golden)  # or the same in another order or notation
        return part or near(answer, gold) or _comes_to(answer, gold)
    if not bare:
        return False
    if wanted in bare or bare in wanted or sorted(bare) == sorted(wanted) or near(answer, gold):
        return True
    return bool(option) and (_folded(option) in folded or folded in _folded(option))


def _comes_to(answer: str, gold: str) -> bool:
    """Return whether an answer is a formula of numbers that comes to the gold."""
    value, right = formula_value(answer.strip(" $.")), formula_value(gold)
    return value is not None and right is not None and abs(value - right) <= abs(right) * NEAR_SHARE


def _numbers(answer: str) -> Counter[float]:
    return Counter(
        float(number)
        for number in NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", answer[:2_000]))
        if len(number) < 300
    )


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", re.sub(r"\\[a-z]+", " ", text[:2_000])).casefold()
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c))))


def _words(text: str) -> set[str]:
    return {*_folded(text).split()}
