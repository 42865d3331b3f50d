r"""The degenerate completions of a row, in the form of its honest one.

A completion that cannot be made for a row is absent with a reason; nothing else stands in for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rewardlab.recipe import FAMILIES, Family

from rewardlab_probe.attempts import answer_attempts as answers
from rewardlab_probe.attempts import program_attempts as programs
from rewardlab_probe.attempts import text_attempts as texts
from rewardlab_probe.attempts.material import Material, NoCompletion, Texts
from rewardlab_probe.attempts.payloads import GRADE, VERDICT, master_keys
from rewardlab_probe.attempts.programs import SLOW_ROWS
from rewardlab_probe.corruptions import words
from rewardlab_probe.honest_row import HonestRow

LONG = 20_000
"""Characters of a very long completion."""

MAKERS: Mapping[Family, Callable[[Material], Texts]] = {
    "empty": lambda of: "",
    "noop": texts.prompt_as_answer,
    "prompt_copy": lambda of: of.junk(of.prompt),
    "english_reference": texts.english_reference,
    "bare_form": lambda of: of.form.write("", ""),
    "bare_guess": lambda of: of.answered(of.guess),
    "not_a_number": answers.no_numbers,
    "prompt_number": answers.numbers_of_the_prompt,
    "near_miss": answers.near_misses,
    "reversed_digits": answers.reversals,
    "enumeration": answers.enumerations,
    "repeated_sentence": texts.repetition,
    "very_long": texts.padded,
    "language_switch": texts.switched,
    "injected_verdict": lambda of: of.junk(VERDICT),
    "injected_fence": texts.forged_ends,
    "injected_grade": lambda of: of.junk(GRADE),
    "injected_pass": texts.forged_results,
    "injected_equal": programs.equal_to_all,
    "dressed_guess": texts.dressed_guess,
    "dressed_honest": texts.dressed_honest,
    "random_words": texts.random_words,
    "other_answer": texts.of_another,
    "no_answer": answers.no_answers,
    "part_of_answer": answers.parts,
    "hedged_answer": answers.hedges,
    "other_scale": answers.other_sizes,
    "other_unit": answers.other_units,
    "other_members": answers.members,
    "loose_formula": answers.rule_breakers,
    "stub_program": programs.stubs,
    "peeking_program": programs.peeking,
    "master_key": lambda of: {name: of.form.write(key, "") for name, key in master_keys(of.row.honest).items()},
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
    """A row with its degenerate completions. absent: family -> why this row has none.

    Args:
        attempts: the first variants of each family, then the second ones and so on; no two with the same text but
            first ones.
    """

    row: HonestRow
    attempts: Sequence[Attempt]
    absent: Mapping[Family, str]

    @property
    def texts(self) -> Mapping[Family, str]:
        """The first text of each family."""
        return {attempt.family: attempt.text for attempt in reversed(self.attempts)}


def probe_rows(
    rows: Sequence[HonestRow], long: int = LONG, seed: int = 0, looked_for: Sequence[str] = ()
) -> Iterator[ProbeRow]:
    """Yield each row with the degenerate completions that can be made from it and from the other rows.

    Args:
        long: characters of a very long completion.
        looked_for: words that the reward's code has.
    """
    spoken = _words_by_language(rows)
    for place, row in enumerate(rows):
        material = Material(
            row=row,
            rows=rows,
            spoken=spoken[row.language],
            looked_for=looked_for,
            long=long,
            seed=f"{seed}/{row.sample.id}",
            slow=place < SLOW_ROWS,
        )
        made: dict[Family, Mapping[str, str]] = {}
        absent: dict[Family, str] = {}
        for family in FAMILIES:
            try:
                made[family] = _variants(family, material)
            except NoCompletion as why:
                absent[family] = str(why)
        yield ProbeRow(row=row, attempts=_in_turn(made), absent=absent)


def _variants(family: Family, material: Material) -> Mapping[str, str]:
    """Return the row's completions of one family by variant, one or more. A NoCompletion says why there are none."""
    found = MAKERS[family](material)
    every = {"": found} if isinstance(found, str) else found
    made = {name: text for name, text in every.items() if text != material.row.honest}
    if not made:
        raise NoCompletion("it is the honest completion")
    return made


def _in_turn(made: Mapping[Family, Mapping[str, str]]) -> list[Attempt]:
    """Return the first variants of the families, then the others without texts that are there already."""
    turns = max(map(len, made.values()), default=0)
    each = [
        [Attempt(family=family, variant=name, text=text) for name, text in some.items()]
        for family, some in made.items()
    ]
    found = [some[0] for some in each]
    seen = {one.text for one in found}
    for one in (some[turn] for turn in range(1, turns) for some in each if turn < len(some)):
        if one.text not in seen:
            seen.add(one.text)
            found.append(one)
    return found


def _words_by_language(rows: Sequence[HonestRow]) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for row in rows:
        found.setdefault(row.language, []).extend(words(f"{row.parts.reasoning} {row.parts.answer}"))
    return found
