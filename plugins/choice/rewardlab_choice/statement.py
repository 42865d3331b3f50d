"""Find the choice that a response states outside of boxes and tags: `The answer is (B).`, `**B**`, a line `B. Nairobi`.

A statement is a label or a choice's text behind a lead ("answer: ", "die Antwort ist"), a label in brackets or bold at
the end of a sentence, or a line of its own. Leads and lines count more than labels within sentences; of each the last
counts. If a later one contradicts it, or another label is joined to it ("B or C"), the response states nothing.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from rewardlab_choice import answer_words
from rewardlab_choice.choice_set import HEDGED, NOTHING, UNREADABLE, ChoiceSet, Named, has_lone_apostrophe
from rewardlab_choice.folding import folded, unfonted

MAX_STATEMENTS = 200
"""leads, labels and lines that are looked at, from the end of a response"""
MAX_SENTENCE = 300
"""characters behind a lead in which its choice stands"""
CLAUSE = 80
"""characters before a statement in which a "not" is looked for"""

_CLAUSE_END = re.compile(r"[.;:!?,\n。，；：！？،؛]")
_SENTENCE = re.compile(r"[^\n]*?(?:[.!](?=\s|$)|[。！।۔](?!\d)|\n|\Z)")
_SENTENCE_END = re.compile(r"[.!?\n。！？]")
_STOP = re.compile(r"\s{0,3}(?:\Z|\n|[.!:,;)\]}](?![A-Za-z0-9\u00c0-\u024f])|[。！，；、।۔：]|[-–—]\s|\()")
_EMPHASIS = re.compile(r"\*\*|__|[*`]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in a response: where it is, what it names, and how it is written.

    firm: behind a lead or on a line. lists: a label at the start of a line, which may be one of a list.
    """

    start: int
    named: Named
    written: str
    firm: bool = False
    lists: bool = False


def stated(response: str, choices: ChoiceSet) -> tuple[str | None, Named]:
    """Return (as it is written, what it names) of the choice that a response states. Linear in the response."""
    text = _text(response, choices)
    leads, labels = _last_lead(text, choices), _labels(text, choices)
    lines = [one for one in labels if one.firm]
    if (last := _last_line(text, choices)) is not None:
        lines += [] if lines and lines[-1].start >= last.start else [last]
    firm = [one for one in (leads, *lines) if one is not None]
    weak = [one for one in labels if not one.lists]
    statement = max(firm or weak, key=lambda one: one.start, default=None)
    if statement is None:
        return None, NOTHING
    rivals = [one for one in labels if one.start > statement.start]
    rivals += [leads] if leads is not None and leads is not statement else []
    if not firm:
        rivals += [one for one in labels if _is_joined(text, one, statement)]
    if any(one.named.label != statement.named.label for one in rivals) or _is_taken_back(text, statement, choices):
        return statement.written, HEDGED
    return statement.written, statement.named


def stated_behind_a_lead(text: str, choices: ChoiceSet) -> Named:
    """Return the choice that a text names after its last lead, as in `so the answer is (B)`.

    Of a whole `Option B` it is also that.
    """
    written = _text(text, choices).strip()
    option = answer_words.lead().match(written)
    if option is not None and option["option"] is not None and (named := choices.named(written[option.end() :])).label:
        return named
    found = _last_lead(written, choices)
    return NOTHING if found is None else found.named


def _text(response: str, choices: ChoiceSet) -> str:
    """Return a response without fonts and emphasis; a label in bold becomes one in brackets."""
    return _EMPHASIS.sub("", _patterns(choices).bold.sub(r"(\g<label>)\g<after>", unfonted(folded(response))))


def _last_lead(text: str, choices: ChoiceSet) -> Statement | None:
    """Return the text after the last lead that names a choice."""
    unjoined: list[Statement] = []
    for found in reversed(deque(answer_words.lead().finditer(text), maxlen=MAX_STATEMENTS)):
        joined = bool(found["mid"].strip(" \t\r\n\"'“”‘’«»_"))
        if found["option"] is not None and not joined:
            continue
        languages = answer_words.languages_of(found["lead"] or found["option"])
        if _is_negated(text, found.start(), languages):
            continue
        statement = _behind_lead(text, found, joined, languages, choices)
        if statement is None:
            continue
        if joined:
            return statement
        unjoined.append(statement)
    if unjoined and any(one.named.label != unjoined[0].named.label for one in unjoined):
        return Statement(unjoined[0].start, HEDGED, unjoined[0].written, firm=True)
    return unjoined[0] if unjoined else None


def _behind_lead(
    text: str, found: re.Match[str], joined: bool, languages: tuple[str, ...], choices: ChoiceSet
) -> Statement | None:
    rest = text[found.end() : found.end() + MAX_SENTENCE]
    line = rest.partition("\n")[0].strip()

    def statement(named: Named, written: str) -> Statement:
        return Statement(found.start(), named, written, firm=True)

    whole = choices.named(line)
    if whole is not NOTHING:
        hedged = whole.label is not None and choices.hedge(whole.label, rest[len(line) :])
        return statement(HEDGED if hedged else whole, line)
    head = choices.head.match(rest)
    label = None if head is None or _is_in_word(head, rest, languages) else choices.label(head["label"])
    if head is not None and label is not None and choices.hedge(label, rest[head.end() :]):
        return statement(HEDGED, line)
    if not joined:  # "Doğru cevap B'dir.", "सही उत्तर B है।": what joins them stands behind the label
        copula = None if head is None or label is None else answer_words.behind(languages).match(rest, head.end())
        return statement(Named(label), head["label"]) if head and copula and _STOP.match(rest, copula.end()) else None
    sentence = _SENTENCE.match(rest)
    first = sentence[0].strip() if sentence else ""
    if first and first != line and (named := choices.named(first)) is not NOTHING:
        behind = rest[len(first) :].strip()
        if named.label is not None and choices.other_text(named.label, (_SENTENCE.match(behind) or [""])[0]):
            return statement(UNREADABLE, line)
        return statement(named, first)
    if head is None or label is None or (head["open"] and not head["close"]) or has_lone_apostrophe(head):
        return None
    return statement(Named(label), head["label"]) if _may_follow(rest, head, languages) else None


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
    if _STOP.match(behind):
        return True
    label = head["label"]
    bare = head.end("label") == head.end() and head.start("label") == head.start()
    if bare and label.isascii() and label.islower():
        return False
    if answer_words.behind(languages).match(behind):
        return not _is_negated(behind, min(len(behind), 40), languages, from_start=True)
    return False


def _is_negated(text: str, end: int, languages: tuple[str, ...] = (), from_start: bool = False) -> bool:
    """Return whether the clause that ends in a place has a "not", an "if" or a "wrong"."""
    clause = text[max(0, end - CLAUSE) : end]
    if from_start:
        clause = _CLAUSE_END.split(clause, maxsplit=1)[0]
        words = clause.split()[:2]
        clause = " ".join(words) if words and clause[:1].isspace() else clause[:6]
    else:
        clause = _CLAUSE_END.split(clause)[-1]
    return answer_words.negation(languages).search(clause) is not None


@dataclass(frozen=True, slots=True)
class _Patterns:
    bold: re.Pattern[str]
    label: re.Pattern[str]
    bare: re.Pattern[str]


@lru_cache(maxsize=512)
def _patterns(choices: ChoiceSet) -> _Patterns:
    forms = choices.forms
    own = rf"[ \t>#]{{0,8}}+(?P<lone>[(\[{{$]{{0,3}}(?:{forms})[)\]}}$]{{0,3}}[.。:]?)[ \t]{{0,8}}$"
    return _Patterns(
        bold=re.compile(
            rf"(?:\*\*|__)\s?[(\[]?(?P<label>{forms})[)\]]?[.:]?\s?(?:\*\*|__)(?P<after>(?=[^\W_])|)", re.IGNORECASE
        ),
        label=re.compile(
            rf"^{own}|(?<![\w)\]}}\\])[(\[]\s?(?P<label>{forms})\s?[)\]](?P<behind>[)\]}}$\"'”’»」]{{0,3}})",
            re.IGNORECASE | re.MULTILINE,
        ),
        bare=re.compile(rf"(?<![A-Za-z0-9'’])(?:{forms})(?![A-Za-z0-9'’]|\s[a-z])", re.IGNORECASE),
    )


def _labels(text: str, choices: ChoiceSet) -> list[Statement]:
    """Return the last labels that stand on a line of their own or in brackets at the end of what a sentence says."""
    return list(_each_label(text, choices))


def _each_label(text: str, choices: ChoiceSet) -> Iterator[Statement]:
    for found in deque(_patterns(choices).label.finditer(text), maxlen=MAX_STATEMENTS):
        if found["lone"] is not None:
            label = choices.named(found["lone"]).label
            if label is not None:
                named = HEDGED if _is_listed(text, found.start(), label, choices) else Named(label)
                yield Statement(found.start("lone"), named, found["lone"].strip("()[]{}$.。:"), firm=True)
            continue
        rest = text[found.end() : found.end() + MAX_SENTENCE]
        label = choices.label(found["label"])
        sentence = (_SENTENCE.match(rest) or [""])[0].strip()
        own_text = bool(sentence) and choices.same_text(label, sentence)
        begins_line = not text[max(0, found.start() - 8) : found.start()].rpartition("\n")[2].strip(" \t>#-")
        begins_line = begins_line and (found.start() < 8 or "\n" in text[found.start() - 8 : found.start()])
        if _is_negated(text, found.start()):
            continue
        if choices.hedge(label, rest):
            yield Statement(found.start(), HEDGED, found["label"])
        elif own_text or _STOP.match(rest) or _says_why(rest):
            yield Statement(found.start(), Named(label), found["label"], lists=begins_line)


def _says_why(rest: str) -> bool:
    return answer_words.behind(("en", "de", "fr", "es", "zh", "ja", "ko", "hi", "ru")).match(rest) is not None


def _last_line(text: str, choices: ChoiceSet) -> Statement | None:
    """Return the choice that the last line names as a whole; one of a list of choices names none."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    line = text[start:end].strip()
    named = choices.named(line)
    if named.label is None:
        return None
    return Statement(start, HEDGED if _is_listed(text, start, named.label, choices) else named, line, firm=True)


def _is_listed(text: str, start: int, label: str, choices: ChoiceSet) -> bool:
    """Return whether the line above the one that begins in a place names another choice, or ends with "or"."""
    above = text[max(0, start - MAX_SENTENCE) : start].rstrip().rpartition("\n")[2].strip()
    return choices.named(above).label not in (None, label) or _ends_with_or().search(above[-20:]) is not None


@cache
def _ends_with_or() -> re.Pattern[str]:
    return re.compile(answer_words.joiner() + r"\Z", re.IGNORECASE)


def _is_taken_back(text: str, statement: Statement, choices: ChoiceSet) -> bool:
    """Return whether a "wait" or "actually" with another label follows the statement."""
    behind = text[statement.start + 1 :][: 4 * MAX_SENTENCE]
    turn = answer_words.correction().search(behind)
    if turn is None:
        return False
    found = _patterns(choices).bare.finditer(behind, turn.end(), turn.end() + MAX_SENTENCE)
    return any(choices.is_own(one[0]) and choices.label(one[0]) != statement.named.label for one in found)


def _is_joined(text: str, one: Statement, last: Statement) -> bool:
    """Return whether a label stands in the sentence of the last one, or is joined to it by "or"."""
    between = text[one.start : last.start]
    if one is last or len(between) > MAX_SENTENCE:
        return False
    return (one.named is HEDGED and len(between) <= CLAUSE) or not _SENTENCE_END.search(between)
