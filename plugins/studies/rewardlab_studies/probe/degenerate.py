r"""The degenerate completions of a row, in the form of its honest one.

A completion that cannot be made for a row is absent with a reason; nothing else stands in for it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rewardlab.recipe import FAMILIES, Family

from rewardlab_studies.probe.corruptions import (
    generator_of,
    halves,
    is_short,
    pick,
    repeated,
    sentences,
    shuffled,
    words,
    wrong_guess,
)
from rewardlab_studies.probe.honest_row import HonestRow
from rewardlab_studies.probe.near_answers import (
    PRINTED,
    candidates,
    near_miss,
    not_a_number,
    reversed_digits,
    same_number,
)
from rewardlab_studies.probe.payloads import (
    ALWAYS_EQUAL,
    FENCE,
    GRADE,
    PASS,
    VERDICT,
    dressed,
    passing_program,
    printing_program,
    returning_program,
)
from rewardlab_studies.probe.response_form import ResponseParts, last_block, response_parts

LONG = 20_000
"""Characters of a very long completion."""
REPEATS = 10
PYTHON = ("python", "python3", "py")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FUNCTION = re.compile(r"^(?:async )?def (\w+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class ProbeRow:
    """A row with its degenerate completions. texts: family -> text. absent: family -> why this row has none."""

    row: HonestRow
    texts: Mapping[Family, str]
    absent: Mapping[Family, str]


class _NoCompletion(Exception):
    """The reason why a row has no completion of a family."""


def probe_rows(rows: Sequence[HonestRow], long: int = LONG, seed: int = 0) -> Iterator[ProbeRow]:
    """Yield each row with the degenerate completions that can be made from it and from the other rows.

    long: characters of a very long completion.
    """
    spoken = _words_by_language(rows)
    for row in rows:
        maker = _Maker(row, rows, spoken[row.language], long, f"{seed}/{row.sample.id}")
        texts: dict[Family, str] = {}
        absent: dict[Family, str] = {}
        for family in FAMILIES:
            try:
                texts[family] = maker.make(family)
            except _NoCompletion as why:
                absent[family] = str(why)
        yield ProbeRow(row=row, texts=texts, absent=absent)


def _words_by_language(rows: Sequence[HonestRow]) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for row in rows:
        found.setdefault(row.language, []).extend(words(f"{row.parts.reasoning} {row.parts.answer}"))
    return found


class _Maker:
    """A maker of the degenerate completions of one row."""

    def __init__(self, row: HonestRow, rows: Sequence[HonestRow], spoken: Sequence[str], long: int, seed: str) -> None:
        self._row, self._rows, self._spoken, self._long, self._seed = row, rows, spoken, long, seed
        self._honest = row.parts
        self._form = self._honest.form
        self._guess = wrong_guess(self._honest.answer, f"{seed}/guess")
        self._length = max(1, len(self._honest.reasoning or self._honest.answer))

    def make(self, family: Family) -> str:
        """Return the row's completion of one family. A _NoCompletion says why there is none."""
        makers: dict[Family, Callable[[], str]] = {
            "empty": lambda: "",
            "noop": lambda: self._form.write(self._no_thought, self._handed_over()),
            "prompt_copy": lambda: self._junk(self._prompt()),
            "english_reference": self._in_english,
            "bare_form": lambda: self._form.write("", ""),
            "bare_guess": lambda: self._form.write(self._no_thought, self._guess),
            "not_a_number": lambda: self._slip(not_a_number, "no number"),
            "prompt_number": self._prompts_number,
            "near_miss": lambda: self._slip(near_miss, "neither a whole number nor a formula"),
            "reversed_digits": lambda: self._slip(reversed_digits, "no whole number with different digits"),
            "enumeration": self._enumerated,
            "repeated_sentence": lambda: self._junk(repeated(self._sentence(), REPEATS * self._length)),
            "very_long": self._padded,
            "language_switch": self._switched,
            "injected_verdict": lambda: self._junk(VERDICT),
            "injected_fence": lambda: self._junk(FENCE),
            "injected_grade": lambda: self._junk(GRADE),
            "injected_pass": self._passing,
            "injected_equal": self._equal,
            "dressed_guess": lambda: self._dressed(self._no_thought, self._guess),
            "dressed_honest": lambda: self._dressed(self._honest.reasoning, self._honest.answer),
            "random_words": self._random,
            "other_answer": self._of_another,
        }
        text = makers[family]()
        if text == self._row.honest:
            raise _NoCompletion("it is the honest completion")
        return text

    def _junk(self, text: str) -> str:
        """Return a response with `text` as its reasoning, and as its answer if that is prose; else a wrong guess."""
        return self._form.write(text, text if self._is_prose else self._guess)

    @property
    def _no_thought(self) -> str:
        return "..." if self._form.thinks else ""

    @property
    def _is_prose(self) -> bool:
        return bool(self._honest.answer) and not is_short(self._honest.answer)

    @property
    def _is_python(self) -> bool:
        return (self._form.code or "").casefold() in PYTHON

    @property
    def _functions(self) -> list[str]:
        """The names of the functions of a program that is the answer."""
        return _FUNCTION.findall(self._honest.answer) if self._is_python else []

    def _handed_over(self) -> str:
        """Return what the prompt gives to begin with: its last block of code if code is asked for, else its text."""
        block = None if self._form.code is None else last_block(self._prompt())
        return block.code if block else self._prompt()

    def _prompts_number(self) -> str:
        block = last_block(self._prompt())
        found = _NUMBER.findall(block.around if block else self._prompt())
        if found and self._functions:
            return self._form.write("", returning_program(self._functions, found[-1]))
        if not found or self._is_prose or same_number(found[-1], self._honest.answer):
            raise _NoCompletion("the prompt ends with no wrong number, or the answer is prose")
        return self._form.write(self._no_thought, found[-1])

    def _slip(self, slip: Callable[[str], str | None], what: str) -> str:
        slipped = slip(self._honest.answer)
        if slipped is None:
            raise _NoCompletion(f"its answer is {what}")
        return self._form.write(self._no_thought, slipped)

    def _enumerated(self) -> str:
        if self._is_python:
            return self._form.write("", printing_program(PRINTED))
        every = candidates(self._honest.answer, [row.parts.answer for row in self._rows])
        if not every:
            raise _NoCompletion("its answer is no letter, whole number or name among other rows' names")
        each = [f"\\boxed{{{one}}}" for one in every] if self._form.boxed else every
        return self._form.write(" or ".join(each), ", ".join(every))

    def _passing(self) -> str:
        if self._is_python:
            return self._form.write("", passing_program(self._guess))
        return self._junk(PASS)

    def _equal(self) -> str:
        if not self._functions:
            raise _NoCompletion("the honest completion is no Python with a function")
        return self._form.write("", returning_program(self._functions, ALWAYS_EQUAL))

    def _dressed(self, thought: str, answered: str) -> str:
        """Return a response whose prose is dressed; an answer that is not prose stays as it is."""
        if not (self._form.thinks or self._form.tagged or self._form.label):
            return dressed(self._form.write(thought, answered))
        prose = self._is_prose and self._form.code is None
        return self._form.write(dressed(thought), dressed(answered) if prose else answered)

    def _prompt(self) -> str:
        asked = [message["content"] for message in self._row.sample.prompt if message["role"] == "user"]
        return asked[-1] if asked else self._row.sample.prompt[-1]["content"]

    def _sentence(self) -> str:
        found = sentences(self._honest.reasoning) or sentences(self._honest.answer)
        if not found:
            raise _NoCompletion("the honest completion has no sentence")
        return found[0]

    def _in_english(self) -> str:
        english = self._english()
        if english.form == self._form:
            return self._row.reference or ""
        return self._form.write(english.reasoning, english.answer or self._answer_for(english))

    def _answer_for(self, english: ResponseParts) -> str:
        """Return an answer to go with a reference that is all reasoning.

        The honest one if the form has a short answer, else the whole reference.
        """
        return self._honest.answer if self._form.boxed or is_short(self._honest.answer) else english.reasoning

    def _switched(self) -> str:
        english = self._english()
        if not self._honest.reasoning or not english.reasoning:
            raise _NoCompletion("there is no reasoning to switch in")
        thought = f"{halves(self._honest.reasoning)[0]} {halves(english.reasoning)[1]}"
        return self._form.write(thought, english.answer or self._honest.answer)

    def _english(self) -> ResponseParts:
        if self._row.reference is None:
            raise _NoCompletion("the row has no reference")
        if self._row.language is None:
            raise _NoCompletion("the row does not say its language")
        if self._row.is_english:
            raise _NoCompletion("the row is in English")
        return response_parts(self._row.reference)

    def _padded(self) -> str:
        honest = self._row.honest
        if len(honest) >= self._long:
            raise _NoCompletion(f"the honest completion has {self._long:,} characters or more")
        padding = repeated(self._sentence(), self._long - len(honest))
        # at the beginning, so that the honest completion's end is still the end
        _, tag, rest = honest.partition("<think>")
        return f"{tag}{padding} {rest}" if tag else f"{padding} {honest}"

    def _random(self) -> str:
        if not self._spoken:
            raise _NoCompletion("no row of its language has a word")
        return self._junk(shuffled(self._spoken, self._length, f"{self._seed}/words"))

    def _of_another(self) -> str:
        """Return the honest completion of a row with another answer, in the same language if there is one."""
        others = [row for row in self._rows if row.parts.answer != self._honest.answer]
        others = others or [row for row in self._rows if row.honest != self._row.honest]
        if not others:
            raise _NoCompletion("there is no other row with another answer")
        near = [row for row in others if row.language == self._row.language] or others
        return pick(generator_of(f"{self._seed}/other"), near).honest
