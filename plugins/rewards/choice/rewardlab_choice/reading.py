r"""Read which choice a completion picks: in its last box or tag, in an answer line, or where it states one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rewardlab_answers import last_box

from rewardlab_choice.answer_line import answer_line, labels_named
from rewardlab_choice.choice_set import HEDGED, NOTHING, ChoiceSet, Fault, Named
from rewardlab_choice.sentences import MAX_SENTENCE
from rewardlab_choice.statement import is_denied, may_be_another, stated, stated_behind_a_lead, without_reason

Extract = Literal["boxed", "tag", "last_label", "answer_line"]

MAX_BOXES = 50
"""boxes of a response whose labels are compared, from its end"""
MAX_STOP_TOKENS = 8
_STOP_TOKEN = re.compile(r"(?:</s>|<eos>|<end_of_turn>|<[|｜][a-z_▁]{2,24}[|｜]>)\Z")
_REASONING_END = "</think>"
_OPEN_TAG, _CLOSE_TAG = "<answer>", "</answer>"
_OPENED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_BOX = re.compile(r"\\(?:boxed|fbox)\s*+\{([^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+)\}")


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading.

    Args:
        extracted: the answer as written, None if there is none.
        labels: those that it names.
        fault: why it names no label: there is no answer, it cannot be read, or it is a hedge.
    """

    extracted: str | None
    labels: frozenset[str] = frozenset()
    fault: Fault | None = None


def read(text: str, kind: Extract, choices: Mapping[str, str], several: bool = False) -> Reading:
    """Return the choice that a completion picks, in time linear in the text.

    Args:
        several: whether an answer line may join labels.
    """
    text = _without_stop_tokens(text)
    if kind == "answer_line":
        return _read_line(text, choices, several)
    known = ChoiceSet.of(choices)
    response = text.rpartition(_REASONING_END)[2]
    if kind == "tag":
        return _reading(*_tagged(text, response, known))
    if kind == "last_label":
        return _reading(*_last_stated(response, known))
    return _reading(*_boxed(response if last_box(response) is not None else text, known, states=False))


def _reading(extracted: str | None, named: Named) -> Reading:
    if named.label is not None:
        return Reading(extracted, frozenset({named.label}))
    return Reading(extracted, fault="no_answer" if extracted is None else named.fault or "unreadable")


def _read_line(text: str, choices: Mapping[str, str], several: bool) -> Reading:
    answer = answer_line(text, choices)
    if answer is None:
        return Reading(None, fault="no_answer")
    labels = labels_named(answer, choices, several)
    if not labels:
        return Reading(answer, fault="hedged" if len(labels_named(answer, choices, True)) > 1 else "unreadable")
    return Reading(answer, labels)


def _boxed(text: str, choices: ChoiceSet, states: bool) -> tuple[str | None, Named]:
    """Return the content of the last box, and the choice that it names.

    states: whether what the response states counts, too.
    """
    answer = last_box(text)
    if answer is None:
        return None, NOTHING
    named = _named(answer, choices)
    if named.label is None:
        return answer, named
    boxes = list(_BOX.finditer(text))[-MAX_BOXES:]
    read = [choices.named(_OPENED.sub(r"\\text{", box[1])) for box in boxes]  # also of a box in a box
    others = {name.label for name in read} - {None, named.label} | {name.fault for name in read[-1:]} - {None}
    if states:
        others |= {stated_behind_a_lead(_BOX.sub(" ", text), choices).label} - {None, named.label}
    behind = text[boxes[-1].end() :] if boxes else ""
    hedged = choices.hedge(named.label, behind[:80]) or may_be_another(behind[:MAX_SENTENCE], named.label, choices)
    return answer, HEDGED if others or hedged else named


def _last_stated(response: str, choices: ChoiceSet) -> tuple[str | None, Named]:
    """Return what a response states last, and the choice that it names: in its last box, or without boxes.

    A box that names no choice, such as an equation, hides no statement behind it, and a denied one no other.
    """
    answer, named = _boxed(response, choices, states=True)
    if answer is None:
        return stated(response, choices)
    begin, end = _place(response, answer)
    if named is NOTHING:
        written, behind = stated(response[end:], choices)
        return (answer, named) if written is None else (written, behind)
    if is_denied(response[:begin], response[end:]):
        written, named = stated(_BOX.sub(" ", response), choices)
        return (answer, NOTHING) if written is None else (written, named)
    return answer, named


def _place(response: str, content: str) -> tuple[int, int]:
    """Return where the last box with a content begins and ends."""
    opened = next(
        match for match in reversed(list(_OPENED.finditer(response))) if response.startswith(content + "}", match.end())
    )
    return opened.start(), opened.end() + len(content) + 1


def _tagged(text: str, response: str, choices: ChoiceSet) -> tuple[str | None, Named]:
    bodies = list(_tags(response)) or list(_tags(text))
    if not bodies:
        return None, NOTHING
    read = [_boxed(body, choices, states=False) if last_box(body) else (body, _named(body, choices)) for body in bodies]
    answer, named = read[-1]
    others = {name.label for _, name in read} - {None, named.label}
    return answer, HEDGED if named.label is not None and others else named


def _tags(text: str) -> list[str]:
    """Return the bodies of the last tags, in order; each begins at the last opening before its end."""
    bodies: list[str] = []
    end = text.rfind(_CLOSE_TAG)
    while end >= 0 and len(bodies) < MAX_BOXES:
        start = text.rfind(_OPEN_TAG, 0, end)
        if start < 0:
            break
        bodies.append(text[start + len(_OPEN_TAG) : text.index(_CLOSE_TAG, start)].strip())
        end = text.rfind(_CLOSE_TAG, 0, start)
    return bodies[::-1]


def _named(answer: str, choices: ChoiceSet) -> Named:
    """Return the choice that an answer names: as a whole, before a reason, or behind a lead within it."""
    named = choices.named(without_reason(answer.strip(), choices))
    return stated_behind_a_lead(answer, choices) if named is NOTHING else named


def _without_stop_tokens(text: str) -> str:
    """Return a completion without the marks of a template at its end, `</s>` or `<|im_end|>`."""
    for _ in range(MAX_STOP_TOKENS):
        written = text.rstrip()
        stop = _STOP_TOKEN.search(written, max(0, len(written) - 40))
        if stop is None:
            break
        text = written[: stop.start()]
    return text
