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
from rewardlab_choice.choice_set import HEDGED, NOTHING, ChoiceSet, Named
from rewardlab_choice.folding import folded, unfonted
from rewardlab_choice.lead_statement import (
    MAX_STATEMENTS,
    Statement,
    last_affirmed,
    last_lead,
    named_alone,
    past_contrast,
)
from rewardlab_choice.sentences import (
    CLAUSE,
    MAX_SENTENCE,
    SENTENCE,
    SENTENCE_END,
    STOP,
    is_negated,
    is_negative_question,
)

_LAST_SENTENCES = re.compile(
    r"(?P<before>[^.!?。！？።]*+)[.!?。！？።]+\s*(?P<last>[^.!?。！？።\s][^.!?。！？።]*+[.!。！።]?)\Z"
)
_BOLD_TAG = re.compile(r"</?(?:b|strong)>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:i|em|u|span|code|mark)(?:\s[^<>\n]{0,80})?>", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:p|br|div|answer|h[1-6]|li|ul|ol|center)(?:\s[^<>\n]{0,80})?/?>", re.IGNORECASE)
_SIGNS = re.compile("[¡✅✓✔☑👉🎉🎯💡😀😃😄😊🙂👍∴⇒➡]\ufe0f?")
_INSIDE = re.compile(r"(?<=[a-z,;] )[A-HJ-Z](?= [a-z])")
"""a capital within a sentence is a label, even before a word ("wait, A has wheels"); "A" may begin one as an article"""
_EMPHASIS = re.compile(r"\*\*|__|[*`]")


def stated(response: str, choices: ChoiceSet) -> tuple[str | None, Named]:
    """Return (as it is written, what it names) of the choice that a response states. Linear in the response."""
    text = _text(response, choices)
    leads, labels = last_lead(text, choices), _labels(text, choices)
    if leads is None:
        leads = last_affirmed(text, choices)
    lines = [label for label in labels if label.firm]
    if (last := _last_line(text, choices)) is not None:
        lines += [] if lines and lines[-1].start >= last.start else [last]
    firm = [candidate for candidate in (leads, *lines) if candidate is not None]
    weak = [label for label in labels if not label.lists]
    statement = max(firm or weak, key=lambda candidate: candidate.start, default=None)
    if statement is None:
        return None, NOTHING
    rivals = [label for label in labels if label.start > statement.start]
    rivals += [leads] if leads is not None and leads is not statement else []
    if not firm:
        rivals += [label for label in labels if _is_joined(text, label, statement)]
    if any(rival.named.label != statement.named.label for rival in rivals) or _is_taken_back(text, statement, choices):
        return statement.written, HEDGED
    if _is_supposed(text, statement.start):
        return statement.written, NOTHING
    return statement.written, statement.named


def stated_behind_a_lead(text: str, choices: ChoiceSet) -> Named:
    """Return the choice that a text names after its last lead, as in `so the answer is (B)`, or as a whole."""
    written = _text(text, choices).strip()
    if (named := named_alone(written, choices)).label is not None:
        return named
    lead = last_lead(written, choices)
    return NOTHING if lead is None else lead.named


def _text(response: str, choices: ChoiceSet) -> str:
    """Return a response without fonts, emphasis and signs of joy; a label in bold becomes one in brackets."""
    text = _SIGNS.sub(" ", unfonted(folded(response)))
    if not choices.has_tags:
        text = _BLOCK.sub("\n", _TAG.sub("", _BOLD_TAG.sub("**", text)))
    return _EMPHASIS.sub("", _patterns(choices).bold.sub(r"(\g<label>)\g<after>", text))


def is_denied(before: str, behind: str) -> bool:
    r"""Return whether the words next to a box deny it: `not \boxed{A}`, `\boxed{A} is tempting`."""
    return _denial_before().search(before[-CLAUSE:]) is not None or _denial_behind().match(behind) is not None


@cache
def _denial_before() -> re.Pattern[str]:
    return re.compile(rf"{answer_words.any_of('not_before')}[\s$(*]{{0,4}}\Z", re.IGNORECASE)


@cache
def _denial_behind() -> re.Pattern[str]:
    return re.compile(rf"[\s$)*]{{0,4}}{answer_words.any_of('not_behind')}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Patterns:
    bold: re.Pattern[str]
    label: re.Pattern[str]
    bare: re.Pattern[str]
    joined: re.Pattern[str]
    also: re.Pattern[str]
    may: re.Pattern[str]


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
        joined=re.compile(rf"{answer_words.joiner()}\s{{0,3}}[(\[]?(?:{forms})(?!\w)", re.IGNORECASE),
        also=re.compile(rf"(?<!\w)(?P<label>{forms})[\s)\]]{{1,3}}{answer_words.any_of('also')}", re.IGNORECASE),
        may=re.compile(
            rf"{answer_words.any_of('may')}\s{{0,3}}[(\[]?(?!a\s)(?P<label>{forms})(?=[\s)\].,;!]{{0,4}}(?:\Z|[.,;!)\n。，；！]))",
            re.IGNORECASE,
        ),
        bare=re.compile(rf"(?<![A-Za-z0-9'’])(?:{forms})(?![A-Za-z0-9'’]|\s[a-z])", re.IGNORECASE),
    )


def _labels(text: str, choices: ChoiceSet) -> list[Statement]:
    """Return the last labels that stand on a line of their own or in brackets at the end of what a sentence says."""
    return list(_each_label(text, choices))


def _each_label(text: str, choices: ChoiceSet) -> Iterator[Statement]:
    for match in deque(_patterns(choices).label.finditer(text), maxlen=MAX_STATEMENTS):
        if match["lone"] is not None:
            label = choices.named(match["lone"]).label
            if label is not None:
                named = HEDGED if _is_listed(text, match.start(), label, choices) else Named(label)
                yield Statement(match.start("lone"), named, match["lone"].strip("()[]{}$.。:"), firm=True)
            continue
        rest = text[match.end() : match.end() + MAX_SENTENCE]
        label = choices.label(match["label"])
        sentence = (SENTENCE.match(rest) or [""])[0].strip()
        own_text = bool(sentence) and choices.same_text(label, sentence)
        begins_line = not text[max(0, match.start() - 8) : match.start()].rpartition("\n")[2].strip(" \t>#-")
        begins_line = begins_line and (match.start() < 8 or "\n" in text[match.start() - 8 : match.start()])
        if is_negated(text, match.start()):
            continue
        if choices.hedge(label, rest):
            yield Statement(match.start(), HEDGED, match["label"])
        elif own_text or STOP.match(rest) or _says_why(rest):
            yield Statement(match.start(), Named(label), match["label"], lists=begins_line)


def _says_why(rest: str) -> bool:
    return answer_words.behind(("en", "de", "fr", "es", "zh", "ja", "ko", "hi", "ru")).match(rest) is not None


def _last_line(text: str, choices: ChoiceSet) -> Statement | None:
    """Return the choice that the last line names as a whole, or its last sentence: `So it is B.`; none of a list."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    line = text[start:end].strip()
    named = named_alone(without_reason(line, choices), choices)
    if named.label is not None:
        return Statement(start, HEDGED if _is_listed(text, start, named.label, choices) else named, line, firm=True)
    front = max(start, end - MAX_SENTENCE)
    if (left := _left_over(text, front, end, choices)) is not None:
        return left
    sentences = _LAST_SENTENCES.search(text, front, end)
    if sentences is None or answer_words.before_choice().match(sentences["last"]) is None:
        return None
    if is_negative_question(text[: sentences.start("last")]):
        return None
    label, before = (named_alone(sentences[key].strip(), choices).label for key in ("last", "before"))
    if label is None:
        return None
    last = HEDGED if before not in (None, label) else Named(label)
    return Statement(sentences.start("last"), last, sentences["last"].strip(), firm=True)


def _left_over(text: str, front: int, end: int, choices: ChoiceSet) -> Statement | None:
    """Return the choice of a last clause behind one that denies others: `B and C are wrong, so A`."""
    sentence = SENTENCE_END.split(text[front:end].rstrip(".!。"))[-1]
    before, _, last = max((sentence.rpartition(mark) for mark in ",;"), key=lambda parts: len(parts[0]))
    denies = answer_words.negation().search
    rest = past_contrast(last, before).strip()
    if denies(before) is None or denies(last) is not None:
        return None
    if rest == last.strip() and answer_words.before_choice().match(last) is None:
        return None
    if rest != last.strip() and re.search(answer_words.any_of("contrast"), before, re.IGNORECASE):
        return None  # "B is wrong, but A is tempting, but C"
    if answer_words.condition(()).match(before) is not None:
        return None
    label = named_alone(rest, choices).label
    if label is None or any(choices.label(match[0]) == label for match in _patterns(choices).bare.finditer(before)):
        return None
    start = text.rfind(last, front, end)
    return Statement(start, Named(label), last.strip(), firm=True)


def without_reason(line: str, choices: ChoiceSet) -> str:
    """Return a line that begins with a choice without the reason behind it: `B` of `B, because cars are fast`."""
    before = answer_words.before_choice().match(line)
    head = choices.head.match(line, before.end() if before else 0)
    if head is None or not choices.is_own(head["label"]):
        return line
    reason = answer_words.because().match(line, head.end())
    if reason is None or _patterns(choices).joined.search(line, reason.end()):  # "B because it floats, or C"
        return line
    return line[: head.end()]


def _is_listed(text: str, start: int, label: str, choices: ChoiceSet) -> bool:
    """Return whether the line above the one that begins in a place names another choice, or ends with "or"."""
    above = text[max(0, start - MAX_SENTENCE) : start].rstrip().rpartition("\n")[2].strip()
    return named_alone(above, choices).label not in (None, label) or _ends_with_or().search(above[-20:]) is not None


@cache
def _ends_with_or() -> re.Pattern[str]:
    return re.compile(answer_words.joiner() + r"\Z", re.IGNORECASE)


def _is_taken_back(text: str, statement: Statement, choices: ChoiceSet) -> bool:
    """Return whether a "wait" or "actually" with another label follows the statement, or "but A could be right"."""
    behind = text[statement.start + 1 :][: 4 * MAX_SENTENCE]
    turn = answer_words.correction().search(behind)
    if turn is not None:
        matches = _patterns(choices).bare.finditer(behind, turn.end(), turn.end() + MAX_SENTENCE)
        if any(choices.is_own(match[0]) and choices.label(match[0]) != statement.named.label for match in matches):
            return True
        inside = [match[0] for match in _INSIDE.finditer(behind, turn.start(), turn.end() + MAX_SENTENCE)]
        inside = [label for label in inside if choices.is_own(label)]
        if inside and choices.label(inside[-1]) != statement.named.label:
            return True
    return may_be_another(behind, statement.named.label, choices)


def may_be_another(behind: str, label: str | None, choices: ChoiceSet) -> bool:
    """Return whether the text behind a choice says that another may be right: "but C is possible", "it may be C"."""
    patterns = _patterns(choices)
    matches = [*patterns.also.finditer(behind), *patterns.may.finditer(behind)]
    return any(choices.label(match["label"]) != label for match in matches)


def _is_supposed(text: str, start: int) -> bool:
    """Return whether the sentence of a statement begins with "if", and concludes nothing."""
    before = SENTENCE_END.split(text[max(0, start - MAX_SENTENCE) : start])[-1]
    if answer_words.condition(()).match(before) is None:
        return False
    return answer_words.conclusion(()).search(before) is None


def _is_joined(text: str, statement: Statement, last: Statement) -> bool:
    """Return whether a label stands in the sentence of the last one, or is joined to it by "or"."""
    between = text[statement.start : last.start]
    if statement is last or len(between) > MAX_SENTENCE:
        return False
    return (statement.named is HEDGED and len(between) <= CLAUSE) or not SENTENCE_END.search(between)
