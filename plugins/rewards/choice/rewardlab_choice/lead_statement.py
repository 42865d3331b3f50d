"""Find the choice that a response states by words: behind a lead ("the answer is B"), before "is the right answer"."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rewardlab_choice import answer_words
from rewardlab_choice.choice_set import HEDGED, NOTHING, UNREADABLE, ChoiceSet, Named, has_lone_apostrophe
from rewardlab_choice.sentences import (
    CLAUSE,
    CLAUSE_END,
    MAX_SENTENCE,
    SENTENCE,
    SENTENCE_END,
    STOP,
    ends,
    is_negated,
    is_negative_question,
)

MAX_STATEMENTS = 200
"""leads, labels and lines that are looked at, from the end of a response"""

_MARK = re.compile(r"[.,;!?]")
_GLUED = ("zh", "ja", "ko")
_AT_END = re.compile(r"[\s.!。।።۔)]{0,8}\Z")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in a response: where it is, what it names, and how it is written.

    Args:
        firm: behind a lead or on a line.
        lists: a label at the start of a line, which may be one of a list.
    """

    start: int
    named: Named
    written: str
    firm: bool = False
    lists: bool = False


def named_alone(written: str, choices: ChoiceSet) -> Named:
    """Return what a line or a clause names that says nothing else: `B`, `Option B`, `So it is B`, `Not A but B`."""
    named = choices.named(written)
    if named is not NOTHING:
        return named
    head = choices.head.match(written)  # B选项
    if head is not None and answer_words.behind(_GLUED).fullmatch(written[head.end() :].rstrip(" .。")):
        return choices.named(head[0])
    before = answer_words.before_choice().match(written)
    return choices.named(choices.past_denial(written[before.end() :] if before else written))


def last_lead(text: str, choices: ChoiceSet) -> Statement | None:
    """Return the text after the last lead that names a choice."""
    unjoined: list[Statement] = []
    for match in reversed(deque(answer_words.lead().finditer(text), maxlen=MAX_STATEMENTS)):
        joined = match["verb"] is not None or bool(match["mid"].strip(" \t\r\n\"'“”‘’«»_"))
        if match["option"] is not None and not joined:
            continue
        languages = answer_words.languages_of(match["verb"] or match["lead"] or match["option"])
        if is_negated(text, match.start("mid"), languages) or answer_words.negation(languages).search(match["mid"]):
            continue  # also around a lead (不正解 has 正解), and in a link ("ni": "is" in Swahili, "nor" in Serbian)
        statement = _behind_lead(text, match, joined, languages, choices)
        if statement is None or (not joined and is_negative_question(text[: match.start()])):
            continue
        if joined:
            return statement
        unjoined.append(statement)
    if unjoined and any(statement.named.label != unjoined[0].named.label for statement in unjoined):
        return Statement(unjoined[0].start, HEDGED, unjoined[0].written, firm=True)
    return unjoined[0] if unjoined else None


def _behind_lead(
    text: str, match: re.Match[str], joined: bool, languages: tuple[str, ...], choices: ChoiceSet
) -> Statement | None:
    rest = choices.past_denial(text[match.end() : match.end() + MAX_SENTENCE])
    if not joined and _MARK.match(rest):  # "C is the answer; A, B, and D are not"
        return None
    line = rest.partition("\n")[0].strip()

    def statement(named: Named, written: str) -> Statement:
        return Statement(match.start(), named, written, firm=True)

    head = choices.head.match(rest)
    label = None if head is None or _is_in_word(head, rest, languages) else choices.label(head["label"])
    if head is not None and label is not None and answer_words.because().match(rest, head.end()):
        return statement(Named(label), head["label"])  # the reason may name others: "A, because B is wrong"
    behind = "" if head is None or label is None else rest[head.end() :]
    if label is not None and not answer_words.is_and(behind) and choices.denies_others(behind):
        return statement(Named(label), line)
    whole = choices.named(line)
    if whole is not NOTHING:
        hedged = whole.label is not None and choices.hedge(whole.label, rest[len(line) :])
        return statement(HEDGED if hedged else whole, line)
    if head is not None and label is not None and choices.hedge(label, rest[head.end() :]):
        return statement(HEDGED, line)
    if not joined:  # "Doğru cevap B'dir.", "सही उत्तर B है।": what joins them stands behind the label
        copula = None if head is None or label is None else answer_words.behind(languages).match(rest, head.end())
        if head is None or copula is None or not ends(rest, copula.end(), languages):
            return None
        return statement(Named(label), head["label"])
    sentence = SENTENCE.match(rest)
    first = sentence[0].strip() if sentence else ""
    if first and first != line and (named := choices.named(first)) is not NOTHING:
        behind = rest[len(first) :].strip()
        if named.label is not None and choices.other_text(named.label, (SENTENCE.match(behind) or [""])[0]):
            return statement(UNREADABLE, line)
        return statement(named, first)
    if head is None or label is None or (head["open"] and not head["close"]) or has_lone_apostrophe(head):
        return None
    return statement(Named(label), head["label"]) if _may_follow(rest, head, languages) else None


def last_affirmed(text: str, choices: ChoiceSet) -> Statement | None:
    """Return the choice that stands before the last "is the right answer"; two of which this is said are a hedge.

    "C is correct" states nothing but at the end: it may be said of each choice where the wrong one is asked for.
    """
    affirmed = list(_affirmed(text, choices))
    if not affirmed or not (answer_words.lead().search(affirmed[-1][1]) or affirmed[-1][2]):
        return None
    last = affirmed[-1][0]
    hedged = any(statement.named.label != last.named.label for statement, _, _ in affirmed)
    return Statement(last.start, HEDGED if hedged else last.named, last.written, firm=True)


def _affirmed(text: str, choices: ChoiceSet) -> Iterator[tuple[Statement, str, bool]]:
    """Yield what is affirmed of which choice, in order, and whether nothing follows but the reason."""
    for match in deque(answer_words.affirmation().finditer(text), maxlen=MAX_STATEMENTS):
        languages = answer_words.languages_of(match[0])
        alone = choices.denies_others(text[match.end() : match.end() + MAX_SENTENCE])
        if not (alone or ends(text, match.end(), languages)) or _in_contrast().match(text, match.end()):
            continue  # "C is the right answer to nothing", "C is right, but D is better"
        before = text[max(0, match.start() - MAX_SENTENCE) : match.start()]
        clause = CLAUSE_END.split(before)[-1]
        if not clause.strip():  # "C, not A, is right"
            clause = SENTENCE_END.split(before)[-1]
        named = named_alone(past_contrast(clause, before.removesuffix(clause)).strip(" ,"), choices)
        if named is not NOTHING:
            at_end = (
                (alone and _is_last(text, match.end()))
                or _AT_END.match(text, match.end()) is not None
                or _is_reason(text, match.end(), languages)
            )
            yield Statement(match.start() - len(clause), named, clause.strip(), firm=True), match[0], at_end


def _is_reason(text: str, start: int, languages: tuple[str, ...]) -> bool:
    """Return whether the rest of a text is one sentence that begins with "because"."""
    comma = start + (text[start : start + 1] in (",", "、", "،"))
    return answer_words.behind(languages).match(text, comma) is not None and _is_last(text, start)


def _is_last(text: str, start: int) -> bool:
    """Return whether the rest of a text is one sentence."""
    sentence = SENTENCE.match(text, start)
    end = len(text) if sentence is None else sentence.end()
    return not text[end : end + MAX_SENTENCE].strip()


def past_contrast(clause: str, before: str) -> str:
    """Return a clause without the "but" at its beginning if the text before it denies something."""
    contrast = _in_contrast().match(clause)
    return (
        clause
        if contrast is None or answer_words.negation().search(before[-CLAUSE:]) is None
        else clause[contrast.end() :]
    )


@cache
def _in_contrast() -> re.Pattern[str]:
    return re.compile(rf"[\s,;，；،、፣]{{0,3}}{answer_words.any_of('contrast')}", re.IGNORECASE)


def _is_conditional(behind: str, languages: tuple[str, ...]) -> bool:
    """Return whether the sentence of a choice goes on with a condition: `, if it floats`; a capital begins another."""
    match = answer_words.condition(languages).match(behind)
    return match is not None and "\n" not in match[0] and not match[0].lstrip(" ,")[:1].isupper()


@cache
def _denied_behind() -> re.Pattern[str]:
    return re.compile(rf"[\s,;，；،、፣]{{0,3}}{answer_words.any_of('not_behind')}", re.IGNORECASE)


def _is_in_word(head: re.Match[str], rest: str, languages: tuple[str, ...]) -> bool:
    """Return whether an apparent label begins a word: "B" in "Bonn", and not 나 in 나입니다."""
    after = rest[head.end("label") : head.end("label") + 1]
    glued = after.isalnum() and _same_script(head["label"][-1], after)
    return glued and not (ord(after) >= 0x3000 and answer_words.behind(languages).match(rest, head.end("label")))


def _same_script(letter: str, other: str) -> bool:
    """Return whether two letters may stand in one word: not those of Latin and of a script without spaces."""
    return (ord(letter) < 0x250) == (ord(other) < 0x250)


def _may_follow(rest: str, head: re.Match[str], languages: tuple[str, ...]) -> bool:
    """Return whether the text after a label leaves it a label: the end of a sentence, "because", a copula."""
    behind = rest[head.end() :]
    if _denied_behind().match(behind) or _is_conditional(behind, languages):
        return False
    if STOP.match(behind):
        return True
    label = head["label"]
    bare = head.end("label") == head.end() and head.start("label") == head.start()
    if bare and label.isascii() and label.islower():
        return False
    if answer_words.behind(languages).match(behind):
        return not is_negated(behind, min(len(behind), 40), languages, from_start=True)
    return False
