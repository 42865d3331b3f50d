r"""The degenerate completions of a row, in the form of its honest one.

A completion that cannot be made for a row is absent with a reason; nothing else stands in for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from rewardlab.recipe import Family

from rewardlab_probe.attempts import programs
from rewardlab_probe.attempts import text_attempts as texts
from rewardlab_probe.attempts.answer_attempts import ANSWERS
from rewardlab_probe.attempts.material import Material, NoCompletion, Texts
from rewardlab_probe.attempts.payloads import BREAKS, FENCE, GRADE, VERDICT, master_keys
from rewardlab_probe.corruptions import words
from rewardlab_probe.honest_row import HonestRow

LONG = 20_000
"""Characters of a very long completion."""

MAKERS: Mapping[Family, Callable[[Material], Texts]] = {
    "empty": lambda material: "",
    "noop": texts.prompt_as_answer,
    "prompt_copy": lambda material: material.junk(material.prompt),
    "english_reference": texts.english_reference,
    "bare_form": lambda material: material.form.write("", ""),
    "bare_guess": lambda material: material.answered(material.guess),
    **ANSWERS,
    "repeated_sentence": texts.repetition,
    "very_long": texts.padded,
    "language_switch": texts.switched,
    "injected_verdict": lambda material: material.junk(VERDICT),
    "injected_fence": lambda material: {name: material.junk(text) for name, text in {"": FENCE, **BREAKS}.items()},
    "injected_grade": lambda material: material.junk(GRADE),
    "injected_pass": texts.forged_results,
    "injected_equal": programs.equal_to_all,
    "dressed_guess": lambda material: texts.dressed(material, material.no_thought, material.guess, ("",)),
    "dressed_honest": texts.dressed_honest,
    "random_words": texts.random_words,
    "other_answer": texts.of_another,
    "stub_program": programs.stubs,
    "peeking_program": programs.peeking,
    "master_key": lambda material: {
        name: material.form.write(key, "") for name, key in master_keys(material.row.honest).items()
    },
    "shortened": texts.shortened,
    "own_words": texts.words_looked_for,
}


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A degenerate completion. variant: which of its family; "" is the family's first."""

    family: Family
    variant: str
    text: str


@dataclass(frozen=True, kw_only=True)
class ProbeRow:
    """A row with its degenerate completions.

    Args:
        material: what its completions are made of.
        absent: family -> why this row has none.
        attempts: the first variants of each family, then the second ones and so on; no two with the same text but
            first ones.
    """

    row: HonestRow
    material: Material
    attempts: Sequence[Attempt]
    absent: Mapping[Family, str]

    @property
    def texts(self) -> Mapping[Family, str]:
        """The first text of each family."""
        return {attempt.family: attempt.text for attempt in reversed(self.attempts)}


def probe_rows(
    rows: Sequence[HonestRow], long: int = LONG, seed: int = 0, looked_for: Sequence[str] = ()
) -> Iterator[ProbeRow]:
    """Yield each row with the degenerate completions that can be made from it and from the other rows."""
    spoken = _words_by_language(rows)
    for place, row in enumerate(rows):
        material = Material(
            row=row,
            rows=rows,
            spoken=spoken[row.language],
            looked_for=looked_for,
            long=long,
            seed=f"{seed}/{row.sample.id}",
            slow=place < programs.SLOW_ROWS,
        )
        made: dict[Family, Mapping[str, str]] = {}
        absent: dict[Family, str] = {}
        for family in MAKERS:
            try:
                made[family] = _variants(family, material)
            except NoCompletion as why:
                absent[family] = str(why)
        yield ProbeRow(row=row, material=material, attempts=_in_turn(made), absent=absent)


def _variants(family: Family, material: Material) -> Mapping[str, str]:
    """Return the row's completions of one family by variant, one or more. A NoCompletion says why there are none."""
    texts_made = MAKERS[family](material)
    every = {"": texts_made} if isinstance(texts_made, str) else texts_made
    made = {name: text for name, text in every.items() if text != material.row.honest}
    if not made:
        raise NoCompletion("it is the honest completion")
    return made


def _in_turn(made: Mapping[Family, Mapping[str, str]]) -> list[Attempt]:
    """Return the first variants of the families, then the others without texts that are there already."""
    each = [
        [Attempt(family=family, variant=name, text=text) for name, text in variants.items()]
        for family, variants in made.items()
    ]
    first, others = [variants[0] for variants in each], zip_longest(*(variants[1:] for variants in each))
    by_text = {attempt.text: attempt for attempt in first}
    for attempt in filter(None, chain.from_iterable(others)):
        by_text.setdefault(attempt.text, attempt)
    return [*first, *(attempt for attempt in by_text.values() if attempt not in first)]


def _words_by_language(rows: Sequence[HonestRow]) -> dict[str | None, list[str]]:
    by_language: dict[str | None, list[str]] = {}
    for row in rows:
        by_language.setdefault(row.language, []).extend(words(f"{row.parts.reasoning} {row.parts.answer}"))
    return by_language
