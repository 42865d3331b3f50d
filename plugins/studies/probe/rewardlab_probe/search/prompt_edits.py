"""Edits that take the answer from the prompt, or from what the answers of the rows are made of."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product

from rewardlab_probe.attempts.material import Material
from rewardlab_probe.edits.answers import NUMBER, members_of

MAX_TAKEN = 12
"""Numbers and words of a prompt that are tried as the answer."""
MAX_PIECES = 4
MAX_LETTERS, MAX_DRAWN = 6, 42
"""Different characters of answers that are tried in every order; how many of these texts are."""
_LISTED = re.compile(r"(?:[\w'.-]+(?:, | and |; )){2,}[\w'.-]+|(?:\w+ ){3,}\w+")
_ALONE = re.compile(r"(?<![\w'’])[B-HJ-Z](?![\w'’])")
"""Letters that stand alone in a prompt, such as names of moves."""

Taken = Callable[[Material], str | None]


def taken_answers() -> dict[str, Mapping[str, Taken]]:
    """Return what is tried as the answer by kind and name; None where a row has no such thing."""
    words = {f"prompt_word_{place}": _found(r"\w[\w'-]*", place) for place in range(-MAX_TAKEN, 0)}
    numbers = {f"prompt_number_{place}": _found(NUMBER.pattern, place) for place in range(MAX_TAKEN)}
    return {
        "prompt": {
            "whole_prompt": lambda m: m.prompt,
            "behind_colon": lambda m: m.prompt.rpartition(": ")[2].partition("\n")[0].rstrip("."),
            "behind_first_colon": lambda m: m.prompt.partition(": ")[2].partition("\n")[0].rstrip("."),
            "shaped": _shaped,
            "other_members": lambda m: _other_members(m, as_many=True),
            "all_other_members": lambda m: _other_members(m, as_many=False),
            "every_member": lambda m: _glue(m).join(_listed(m)) or None,
            "quoted_or": lambda m: "|".join(map(re.escape, _quoted(m))) or None,
            "quoted_all": lambda m: ", ".join(_quoted(m)) or None,
            "answers_of_all": lambda m: ", ".join(dict.fromkeys(filter(None, m.other_answers))),
            "of_another": _of_another,
            "most_common": lambda m: Counter(m.other_answers).most_common(1)[0][0],
            **{f"piece_{place}": _piece(place) for place in (*range(MAX_PIECES), -1)},
            **{f"quoted_{place}": _at(_quoted, place) for place in range(MAX_PIECES)},
            **{f"line_{place}": _at(lambda m: m.prompt.splitlines(), place) for place in (0, 1, -2, -1)},
            **{
                f"name_{place}": _found(r"(?<!^)(?<![.?!] )\b[A-Z][\w'-]*(?: [A-Z][\w'-]*)*", place)
                for place in range(MAX_PIECES)
            },
        },
        "prompt_part": words | numbers,
        "drawn": {f"drawn_{place}": _drawn(place) for place in range(MAX_DRAWN)},
    }


def _found(pattern: str, place: int) -> Taken:
    return _at(lambda material: re.findall(pattern, material.prompt), place)


def _at(every: Callable[[Material], Sequence[str]], place: int) -> Taken:
    def taken(material: Material) -> str | None:
        some = every(material)
        return some[place] if -len(some) <= place < len(some) else None

    return taken


def _piece(place: int) -> Taken:
    return _at(lambda material: [one for one in re.split(r"(?<=[.?!])\s+|\n", material.prompt) if one.strip()], place)


def _quoted(material: Material) -> list[str]:
    return re.findall(r"(?<!\w)['\"`]([^'\"`\n]{1,60})['\"`](?!\w)", material.prompt)


def _shaped(material: Material) -> str | None:
    """Return what the prompt has in the shape of the answer: its letters and digits in other numbers."""
    parts = re.findall(r"\d+|[^\W\d_]+|.", material.answer[:200], re.DOTALL)
    kinds = (r"\d+" if part[0].isdigit() else r"[^\W\d_]+" if part[0].isalpha() else re.escape(part) for part in parts)
    shape = "".join(kinds)
    shapes = (found[0] for found in re.finditer(rf"(?<!\w){shape}(?!\w)", material.prompt))
    return next((found for found in shapes if found != material.answer), None)


def _listed(material: Material) -> list[str]:
    """Return the members of the list in a prompt that has most of the answer's, and is the longest of these."""
    lists = [re.split(r", | and |; | ", found[0]) for found in _LISTED.finditer(material.prompt)]
    members = members_of(material.answer[:1_000])[1]
    return max(lists, key=lambda one: (len({*one} & {*members}), len(one)), default=[])


def _glue(material: Material) -> str:
    glues = members_of(material.answer[:1_000])[2]
    return glues[0] if glues else ", "


def _other_members(material: Material, as_many: bool) -> str | None:
    """Return members of the prompt's list that the answer has not."""
    members = members_of(material.answer[:1_000])[1]
    others = [member for member in _listed(material) if member and member not in members]
    return _glue(material).join(others[: len(members)] if as_many else others) or None


def _of_another(material: Material) -> str | None:
    return next((answer for answer in material.other_answers if answer and answer != material.answer), None)


def _drawn(place: int) -> Taken:
    """Return a text of the few characters that answers and prompt are made of, the shorter texts first."""

    def taken(material: Material) -> str | None:
        counted = Counter("".join([*material.other_answers, *_ALONE.findall(material.prompt)]))
        letters = [letter for letter, _ in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]
        if not 1 < len(letters) <= MAX_LETTERS:
            return None
        return next(islice(_strings(letters), place, None))

    return taken


def _strings(letters: Sequence[str]) -> Iterator[str]:
    size = 1
    while True:
        yield from map("".join, product(letters, repeat=size))
        size += 1
