r"""Whether the last box of a reply is a vote for its letter, beside what its sentence and line say of the other one.

`\boxed{A}, not \boxed{B}` is a vote for A, and `\boxed{A} or \boxed{B}` is none: a box that stands last may hold the
loser.
"""

import re
from collections.abc import Callable, Iterable
from typing import Literal

from rewardlab_answers import THOUGHT_MARK

from rewardlab_pairwise.undecided import compares, is_label, is_without_preference, refuses, without_label
from rewardlab_pairwise.vote_words import NEITHER, OTHER, VOTE, Sign, is_said_to_win, plain, sign_at

Letter = Literal["A", "B"]
Said = Letter | Literal["tie"]
"""what the last box of a reply says"""
WINDOW, BEHIND = 600, 300
"""characters before and behind a box that can be of its lines"""

_NAMES = re.compile(r"\\boxed\s*+\{([^\n{}]{0,60}(?:\{[^\n{}]{0,60}\}[^\n{}]{0,20})?)\}|\[\[([^\n\[\]]{0,40})\]\]")
"""all that names a response in a box or in double brackets"""
_LETTER = re.compile(r"(?<![^\W_])[AB](?![^\W_])")
_TIE = re.compile(r"tie|neither|both|draw|equal", re.IGNORECASE)
_LINE_END = re.compile(r"\n|\\n(?<!\\\\n)(?=\W|[A-Z])")
"""also of a line inside of JSON"""
_SENTENCE_END = re.compile(
    r"[.!?](?<!\svs.)(?<!\be\.g.)(?<!\bi\.e.)(?<!\bcf.)(?<!\s\d.)(?=[\s*\"'”’)]*\s)|[。！？；;]|"
    r"[\"”]\s*[,}]\s*(?=[\"“])"
)
"""each branch begins with a character, so that a search jumps from one to the next: four times as fast"""
_ASKED = re.compile(r"[\s*_\"'”’$)]{0,8}[?？]|[^.!?\n]{0,60}\?\s{0,3}(?i:no)\b|[\s.…–—-]{1,8}(?i:nope|no|not)\W{0,4}\Z")
_NOT_A_WORD = re.compile(rf"[^\w{VOTE}{OTHER}{NEITHER}❌✗✘]+")
_NO_MARKS = dict.fromkeys(map(ord, (VOTE, OTHER, NEITHER)))
EARLIER = 4
"""lines in which the other response can be said to win if the last one only says which loses"""


def vote_of(text: str, box: re.Match[str], letter: Letter, is_quoted: Callable[[re.Match[str]], bool]) -> Letter | None:
    """Return which response wins by the words around a reply's last box, which holds `letter`; None if unclear.

    Args:
        is_quoted: whether the name of a response is of a text that the judge was shown.
    """
    words = _words(text, box, letter, is_quoted)
    behind = (
        sentence for line in _LINE_END.split(text[box.end() : box.end() + BEHIND]) for sentence in _sentences(line)
    )
    if words is None or _is_taken_back(words, letter) or _is_undecided(words) or any(map(refuses, behind)):
        return None
    winner = _winner(words)
    return letter if winner == VOTE else None if winner is None else "B" if letter == "A" else "A"


def is_tie(text: str, box: re.Match[str]) -> bool:
    """Return whether a reply's last box, which holds a tie, is its verdict: no word around it denies it."""
    words = _words(text, box, "tie", lambda name: False)
    if words is None or OTHER in words[words.rindex(VOTE) :] or _is_taken_back(words, "tie"):
        return False
    return _sign(_sentences(words[: words.rindex(VOTE) + 1])[-1], VOTE) != "loses"


def _is_taken_back(words: str, letter: Said) -> bool:
    """Return whether the box is asked about, or what follows it in its line says that a response wins beside it."""
    behind = words[words.rindex(VOTE) + 1 :]
    if _ASKED.match(behind):
        return True
    sentences = [plain(part) for part in _SENTENCE_END.split(behind)]
    return any(
        _NOT_A_WORD.sub("", sentence) == other.casefold() or is_said_to_win(sentence, other)
        for other in {"A", "B"} - {letter}
        for sentence in sentences
    )


def _is_undecided(words: str) -> bool:
    """Return whether the last words before a bare box, or a label of one, say that no response is preferred."""
    at = words.rindex(VOTE)
    if _NOT_A_WORD.sub("", _SENTENCE_END.split(words[at + 1 :])[0]):
        return False
    lines = reversed(_LINE_END.split(words[:at]))
    before = (plain(part) for line in lines for part in reversed(_parts(line)))  # from the end, as few as it takes
    last = next(before)
    if is_label(last):
        before = (sentence for sentence in before if not is_label(sentence))
        last = next(before, "")
    phrases = (last, without_label(last))
    return any(map(is_without_preference, phrases)) and not any(map(compares, before))


def _words(text: str, box: re.Match[str], letter: Said, is_quoted: Callable[[re.Match[str]], bool]) -> str | None:
    """Return the words before the box and to the end of its line, in which VOTE or OTHER stand for each response.

    None if a response, or a tie, is named behind the line that the box does not hold.
    """
    start = max(0, box.start() - WINDOW)
    start = max([start, *(mark.end() for mark in THOUGHT_MARK.finditer(text, start, box.start()))])
    line_end = _LINE_END.search(text, box.end())
    end = min(box.end() + BEHIND, len(text) if line_end is None else line_end.start())
    if any(_stands_for(name, letter) in (OTHER, NEITHER) for name in _NAMES.finditer(text, end)):
        return None
    own = (name for name in _NAMES.finditer(text, start, box.start()) if not is_quoted(name))
    before = _marked(text, start, box.start(), own, letter)
    return before + VOTE + _marked(text, box.end(), end, _NAMES.finditer(text, box.end(), end), letter)


def _marked(text: str, start: int, end: int, names: Iterable[re.Match[str]], letter: Said) -> str:
    """Return a part of a text with a character in the place of each response that it names."""
    named = [(name.start(), name.end(), stands) for name in names if (stands := _stands_for(name, letter)) is not None]
    pieces, place = [], start
    for first, last, stands in named:
        pieces += [text[place:first].translate(_NO_MARKS), stands]
        place = last
    return "".join([*pieces, text[place:end].translate(_NO_MARKS)])


def _stands_for(name: re.Match[str], letter: Said) -> str | None:
    inside = name[1] or name[2] or ""
    letters = set(_LETTER.findall(inside))
    if len(letters) == 1:
        return VOTE if letter in letters else OTHER
    return NEITHER if letters or _TIE.search(inside) else None


def _winner(words: str) -> str | None:
    """Return VOTE or OTHER, whichever wins by the sentence that names VOTE last; None if neither clearly does."""
    lines = _LINE_END.split(words)
    if _is_bare(lines[-1]) and OTHER not in words and not words[: -len(lines[-1])].rstrip(" \n*").endswith(":"):
        return VOTE  # as most judges end
    near = _sentences(lines[-1])
    last = max(place for place, other_sentence in enumerate(near) if VOTE in other_sentence)
    sentence, before = near[last], near[:last]
    if any(name in other_sentence for other_sentence in near[last + 1 :] for name in (OTHER, NEITHER)):
        return None
    line_before = plain(lines[-2]) if len(lines) > 1 else ""
    if not before and _is_bare(sentence) and line_before.endswith(":"):
        sentence = f"{line_before} {sentence}"
    else:
        before = [line_before, *before]
    if sentence.endswith(("?", "？")):
        return None
    if OTHER in sentence or NEITHER in sentence:
        return _of_two(sentence)
    if _is_bare(sentence):
        return None if before and _is_bare(before[-1], OTHER) else VOTE
    sign = _sign(sentence, VOTE)
    if sign == "loses":
        earlier = [sentence for line in lines[-EARLIER:-1] for sentence in _sentences(line)]
        return OTHER if any(_sign(other_sentence, OTHER) == "wins" for other_sentence in [*earlier, *before]) else None
    if sign is None:
        return None if any(OTHER in other_sentence for other_sentence in before) else VOTE
    return VOTE if sign == "wins" else None


def _sentences(line: str) -> list[str]:
    return [plain(part) for part in _parts(line)]


def _parts(line: str) -> list[str]:
    return _SENTENCE_END.split(f" {line}")  # so that every number of a list follows a space


def _of_two(sentence: str) -> str | None:
    vote, other = _sign(sentence, VOTE), _sign(sentence, OTHER)
    if NEITHER in sentence or "unclear" in (vote, other) or vote == other:
        return None
    if vote is None:
        return VOTE if other == "loses" else None
    return VOTE if vote == "wins" else OTHER


def _sign(sentence: str, name: str) -> Sign | None:
    """Return what a sentence says of a response, wherever it names it."""
    signs = {sign_at(sentence, place) for place, sign in enumerate(sentence) if sign == name} - {None}
    return signs.pop() if len(signs) == 1 else "unclear" if signs else None


def _is_bare(sentence: str, name: str = VOTE) -> bool:
    """Return whether a sentence is a response's name and nothing else."""
    return _NOT_A_WORD.sub("", sentence) == name
