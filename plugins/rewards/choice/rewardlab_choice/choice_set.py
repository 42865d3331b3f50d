r"""The choices of a row, and which of them an answer names: `B`, `(b)`, `B. Nairobi`, `Nairobi (B)`, `Nairobi`, `②`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from rewardlab_choice import answer_words
from rewardlab_choice.folding import STOPS, folded, plain, unfonted
from rewardlab_choice.label_forms import other_forms
from rewardlab_choice.sentences import CLAUSE_END, SENTENCE_END
from rewardlab_choice.values import Value, values

Fault = Literal["no_answer", "unreadable", "hedged"]
MARGIN = 300
"""characters that an answer may be longer than twice the longest choice"""
_MARKS = " \t\n\r\"'“”‘’«»「」『』【】<>{}$*`"
_SEPARATOR = re.compile(r"(?:[\s.:,;)\]。、}]|[-–—](?=\s))+")
_OPEN = r"[\s\"'“‘«「『【<{$*]{0,8}+"
_CLOSE = r"[\"'”’»」』】>}$*]{0,8}+"
_NOT, _NOT_THIS = "\ue100", "\ue101"
"""what the words of a denial become, before a choice and behind it: they may be a joiner in another language"""
_APOSTROPHES = "'’"
_EXCLAIMED = re.compile(r"[^\W\d_]\s?!+\Z")


@dataclass(frozen=True, slots=True)
class Named:
    """The label of a choice that an answer names, or why none; both None if it says nothing about the choices."""

    label: str | None = None
    fault: Fault | None = None


NOTHING = Named()
UNREADABLE, HEDGED = Named(fault="unreadable"), Named(fault="hedged")


class ChoiceSet:
    """The choices of a row, label -> text. `of` keeps those of the last rows."""

    def __init__(self, choices: Mapping[str, str]) -> None:
        self._labels = {plain(label): label for label in choices}
        self._plain_texts = {label: _bare(text) for label, text in choices.items()}
        self._written = {label: folded(text).strip() for label, text in choices.items()}
        self._by_text: dict[str, list[str]] = {}
        for label, text in self._plain_texts.items():
            self._by_text.setdefault(text, []).append(label)
        self._forms = {**other_forms(choices), **self._labels}
        self._values = {label: values(text) for label, text in choices.items()}
        self.has_tags = any("<" in text for text in choices.values())
        """Whether a choice may be a tag of HTML, as in a question about it."""
        self._longest = 2 * max(map(len, choices.values())) + MARGIN

    @staticmethod
    def of(choices: Mapping[str, str]) -> "ChoiceSet":
        """Return the set of these choices."""
        return _kept(tuple(choices.items()))

    @cached_property
    def forms(self) -> str:
        """The pattern, as a text, of what stands for a label; in any case."""
        return "|".join(re.escape(form) for form in sorted(self._forms, key=len, reverse=True))

    def label(self, form: str) -> str:
        """Return the label that a match of `forms` stands for."""
        return self._forms[plain(form)]

    def is_own(self, form: str) -> bool:
        """Return whether a match of `forms` is one of the row's labels as the row writes it."""
        return form in self._labels.values()

    def named(self, answer: str) -> Named:
        """Return the choice that a whole answer names. It is never guessed: a contradiction names nothing."""
        written = unfonted(folded(answer)).strip()
        if not written or len(written) > self._longest:
            return NOTHING
        text = _bare(answer)
        if text not in self._by_text and _EXCLAIMED.search(text):  # C!, and not 5!
            return self.named(written.rstrip("*_`").rstrip("!"))
        texts, by_value = self._by_text.get(text, []), self._by_value(answer)
        if len(texts) == 1 and len(by_value) > 1 and self._written[texts[0]] != written.strip():
            return UNREADABLE  # 5 if $5 and €5 are choices
        if (text in self._forms and texts) or len(texts) > 1 or (text in self._labels and by_value):
            labels = {*([self._forms[text]] if text in self._forms else []), *texts, *by_value}
            return Named(min(labels)) if len(labels) == 1 else UNREADABLE
        if text in self._forms:
            return Named(self._forms[text])
        if texts or len(by_value) == 1:
            return Named(texts[0] if texts else by_value[0])
        return self._labelled(written) or self._label_behind(written) or self._joined(written)

    def hedge(self, label: str, rest: str) -> bool:
        """Return whether the text after a label of a response names another: `or C`, `, or rather (C)`, `(C)`."""
        rest = unfonted(rest)
        beside = self._beside.match(rest)
        if beside is not None and self.label(beside["label"]) != label:
            return True
        match = self._other_behind.match(rest)
        if match is None or self.label(match["label"]) == label or self._is_prose(match):
            return False
        return answer_words.is_and(rest) or not self.denies_others(rest)

    def denies_others(self, rest: str) -> bool:
        """Return whether the text behind a choice denies others: `; A and B are wrong`, `, A is not`.

        Of `, B and C are wrong` behind A nobody knows whether it is said of A, too.
        """
        others = self._others.match(rest)
        if others is None:
            return False
        clause = CLAUSE_END.split(rest[others.end() :], maxsplit=1)[0]
        sentence = SENTENCE_END.split(rest, maxsplit=1)[0]
        return answer_words.negation().search(clause) is not None and self._or_other.search(sentence) is None

    def past_denial(self, text: str) -> str:
        """Return the text after a denied choice and the word of contrast behind it: `D` of `not C but D`."""
        match = self._denial_first.match(text)
        return text if match is None else text[match.end() :]

    def same_text(self, label: str, behind: str) -> bool:
        """Return whether the text after a label is the text of its choice, by writing or by value."""
        text = _bare(behind)
        if text == self._plain_texts[label]:
            return True
        others = (plain_text for other, plain_text in self._plain_texts.items() if other != label)
        return text not in others and any(_fit(values(behind), self._values[label]))

    def other_text(self, label: str, behind: str) -> bool:
        """Return whether the text after a label is the text of another choice."""
        text = _bare(behind)
        return any(
            text == plain_text for other, plain_text in self._plain_texts.items() if other != label
        ) and not self.same_text(label, behind)

    @cached_property
    def head(self) -> re.Pattern[str]:
        """The pattern of a label at the start of a text, with its brackets."""
        return re.compile(
            rf"{_OPEN}(?P<open>[(\[]?){_OPEN}(?P<label>{self.forms}){_CLOSE}(?P<close>[)\]]?){_CLOSE}", re.IGNORECASE
        )

    @cached_property
    def _tail(self) -> re.Pattern[str]:
        return re.compile(rf"[(\[]\s?(?P<label>{self.forms})\s?[)\]][\s.。}}$]{{0,4}}\Z", re.IGNORECASE)

    @cached_property
    def _beside(self) -> re.Pattern[str]:
        return re.compile(
            rf"[\s)\]}}$]{{0,4}}+(?:\\(?:boxed|fbox)\s?)?[(\[{{]\s?(?P<label>{self.forms})\s?[)\]}}]", re.IGNORECASE
        )

    @cached_property
    def _other_behind(self) -> re.Pattern[str]:
        words = answer_words.any_of("or")
        between = rf"(?:[,;/&+]\s{{0,3}}|{words}[\s,]{{0,3}}(?:[^\W\d_]{{2,10}}\s{{1,3}}){{0,3}}?){{1,3}}?"
        mark = r"[(\[{\"'$*\s]{0,4}"
        return re.compile(
            rf"[\s()\]}}\"'*$.,;!]{{0,6}}?{between}(?P<mark>{mark}(?:\\(?:boxed|fbox)\s?\{{)?{mark})(?P<label>{self.forms})"
            r"(?![A-Za-z0-9\u00c0-\u024f])(?P<after>.?.?)",
            re.IGNORECASE | re.DOTALL,
        )

    @cached_property
    def _denial_first(self) -> re.Pattern[str]:
        label = rf"{_OPEN}[(\[]?(?:{self.forms})[)\]]?{_CLOSE}"
        comma, contrast = r"[\s,;،、፣]{0,3}+", answer_words.any_of("contrast", "subjects")
        prefixed = rf"\s{{0,3}}{answer_words.any_of('not_before')}\s{{0,3}}{label}{comma}{contrast}"
        suffixed = rf"\s{{0,3}}{label}\s{{0,3}}{answer_words.any_of('not_behind')}{comma}(?:{contrast})?"
        return re.compile(rf"(?:{prefixed}|{suffixed})\s{{0,3}}", re.IGNORECASE)

    @cached_property
    def _others(self) -> re.Pattern[str]:
        mark = r"[\s(\[*\"')\]]{0,4}+"
        label = rf"{mark}(?:(?:{self.forms})(?![^\W_])|{answer_words.any_of('others')}){mark}"
        word = answer_words.any_of("and")
        several = rf";{mark}{label}(?:(?:,{mark}(?:{word})?+|{word}){label}){{0,25}}+"
        return re.compile(rf"\s{{0,3}}(?:{several}|(?:[,;]{mark}(?:{word})?+|{word}){label})", re.IGNORECASE)

    @cached_property
    def _or_other(self) -> re.Pattern[str]:
        return re.compile(rf"{answer_words.any_of('or')}\s{{0,3}}[(\[]?(?:{self.forms})\W{{0,3}}\Z", re.IGNORECASE)

    def _is_prose(self, match: re.Match[str]) -> bool:
        """Return whether what looks like a second label is a word of the sentence, such as "a" in "and a half"."""
        wrapped = any(mark in match["mark"] for mark in "([{$*\"'")
        lower = match["label"].isascii() and match["label"].islower()
        article = match["label"].isascii() and len(match["after"]) > 1 and match["after"][0] == " "
        return not wrapped and (lower or (article and match["after"][1].islower() and match["label"] in "AIO"))

    def _labelled(self, written: str) -> Named | None:
        """Return what `(B) Nairobi` or `B. Nairobi` names; None if it does not begin with a label."""
        match = self.head.match(written)
        if match is None:
            return None
        rest = written[match.end() :]
        if match["open"] and not match["close"]:
            return None
        if has_lone_apostrophe(match):
            return UNREADABLE
        label = self.label(match["label"])
        behind = _SEPARATOR.sub("", rest, count=1) if _SEPARATOR.match(rest) else rest
        if not behind.strip(_MARKS + STOPS):
            return Named(label)
        if rest[0] not in " \t\n-–—(" and rest[0] not in STOPS and not match["close"]:
            return None
        texts = [part for part in dict.fromkeys((behind, rest.strip(), _unwrapped(behind))) if part]
        if any(self.same_text(label, text) for text in texts):
            return Named(label)
        return UNREADABLE if any(self.other_text(label, text) for text in texts) else None

    def _label_behind(self, written: str) -> Named | None:
        """Return what `Nairobi (B)` names; None if it does not end with a label in brackets."""
        start = max(0, len(written) - 40)
        match = self._tail.search(written, start)
        if match is None:
            return None
        before, label = written[: match.start()], self.label(match["label"])
        if self.same_text(label, before):
            return Named(label)
        return UNREADABLE if self.other_text(label, before) else None

    def _joined(self, written: str) -> Named:
        """Return what an answer that joins choices names: HEDGED for `A or B` and `A, B`, D for `D, not B`."""
        marked = self._denial_behind.sub(rf"{_NOT_THIS}\g<label>,", self._denial.sub(f" {_NOT}", written))
        parts = [part for part in self._joints.split(marked, maxsplit=20) if part.strip(_MARKS + STOPS)]
        if len(parts) < 2:
            return NOTHING
        denials = [_NOT in part for part in parts]
        if denials.count(True) == 1:
            denials[denials.index(True) :] = [True] * (len(parts) - denials.index(True))  # "D, not A or B"
        denials = [denied or _NOT_THIS in part for denied, part in zip(denials, parts, strict=True)]
        parts = [part.replace(_NOT, "").replace(_NOT_THIS, "") for part in parts]
        labels = [self._single(part) for part in parts]
        stated = {label for label, denied in zip(labels, denials, strict=True) if label is not None and not denied}
        denied = {label for label, denied in zip(labels, denials, strict=True) if label is not None and denied}
        if len(stated) > 1 or denied & stated:
            return HEDGED
        alone = all(self.named(part).label is not None for part in parts)
        return Named(stated.pop()) if stated and denied and alone else NOTHING

    @cached_property
    def _denial(self) -> re.Pattern[str]:
        # some end with an article, "não a B", which is a label in "não A"
        return re.compile(rf"[(\[]?{answer_words.any_of('not_before')}(?=\W*[^\W_])", re.IGNORECASE)

    @cached_property
    def _denial_behind(self) -> re.Pattern[str]:
        return re.compile(rf"(?P<label>{self.forms})\s{{0,3}}{answer_words.any_of('not_behind')}", re.IGNORECASE)

    @cached_property
    def _joints(self) -> re.Pattern[str]:
        return re.compile(rf"\s{{0,3}}(?:{answer_words.joiner()}|(?={_NOT}))\s{{0,3}}", re.IGNORECASE)

    def _single(self, part: str) -> str | None:
        words = part.strip(_MARKS + STOPS + "([?")
        last = words.rpartition(" ")[2].strip("([")
        for text in (_bare(words), _bare(last)):
            if text in self._forms:
                return self._forms[text]
            if len(self._by_text.get(text, ())) == 1:
                return self._by_text[text][0]
        return None

    def _by_value(self, answer: str) -> list[str]:
        read = values(answer)
        return [label for label, known in self._values.items() if any(_fit(read, known))] if read else []


def has_lone_apostrophe(head: re.Match[str]) -> bool:
    """Return whether an apostrophe follows a label, no other stands before it, and no suffix follows: B' is not B."""
    before, behind = head[0][: head.start("label") - head.start()], head[0][head.end("label") - head.start() :]
    after = head.string[head.end() : head.end() + 1]
    lone = any(mark in behind for mark in _APOSTROPHES) and not any(mark in before for mark in "'‘’")
    return lone and not after.isalnum()


@lru_cache(maxsize=512)
def _kept(choices: tuple[tuple[str, str], ...]) -> ChoiceSet:
    return ChoiceSet(dict(choices))


def _fit(answer: frozenset[Value], choice: frozenset[Value]) -> list[bool]:
    return [True for value in answer for other in choice if value.fits(other)]


def _bare(text: str) -> str:
    return plain(text).rstrip(".。").strip()


def _unwrapped(text: str) -> str:
    text = text.strip().rstrip(".。")
    return text[1:-1] if text[:1] in ("(", "[") and text[-1:] in (")", "]") else ""
