r"""Compare congruences: `n \equiv 4 \pmod 3` is `n \equiv 1 \mod 3`, `1 (\text{mod } 3)` and `3k+1`."""

import re
from dataclasses import dataclass

from rewardlab_math.systems import split
from rewardlab_math.wording import with_commas, without_text_groups
from rewardlab_math.writing import compact

MAX_PARTS = 24

_MODULUS = r"(?P<modulus>\{[^{}]{1,40}\}|[A-Za-z0-9^+*-]{1,20})"
_PART = re.compile(
    r"(?:(?P<name>\\?[A-Za-z]+(?:_\w|\^\w|\^\{\w+\})?)\s*(?:\\equiv|\\cong|=)\s*)?(?P<residue>[^=()]*?[^=()\s])\s*"
    rf"(?:(?:\\p?mod|\\bmod|,?\s*\(?\s*mod(?:ulo)?(?![A-Za-z])|\(\s*\\b?mod)\s*{_MODULUS}\s*\)?)?\s*"
)
_MULTIPLES = re.compile(r"(?:[A-Za-z]\s*=\s*)?(?P<modulus>\d{1,9})\s*[klmnt]\s*(?P<residue>[+-]\s*\d{1,9})?\s*")
_WHOLE = re.compile(r"-?\d{1,40}")


@dataclass(frozen=True, slots=True)
class Congruence:
    """Residues, each with its modulus: whole ones reduced, others as written; and the name of the number, if said."""

    residues: frozenset[tuple[str, str]]
    name: str | None = None


def read(text: str) -> Congruence | None:
    """Return the congruence that a plain answer (see `notation.plain`) is; None for anything else."""
    flat = " ".join(without_text_groups(text).split())
    if "mod" not in flat:
        return None
    parts = [_PART.fullmatch(part.strip()) for part in split(with_commas(flat))]
    if len(parts) > MAX_PARTS or not parts[-1] or not parts[-1]["modulus"]:
        return None
    residues, names, modulus = set(), set(), ""
    for part in reversed(parts):
        if part is None:
            return None
        modulus = (part["modulus"] or modulus).strip("{} ")
        residues.add(_reduced(part["residue"], modulus))
        names |= {compact(part["name"])} if part["name"] else set()
    return Congruence(frozenset(residues), *names) if len(names) < 2 else None


def equal(gold: str, answer: str) -> bool:
    """Return whether two plain answers are the same congruence."""
    right = read(gold)
    other = (read(answer) or _multiples(answer)) if right else None
    if right is None or other is None:
        return False
    return right.residues == other.residues and (not right.name or not other.name or right.name == other.name)


def _multiples(text: str) -> Congruence | None:
    parts = [_MULTIPLES.fullmatch(part.strip()) for part in split(with_commas(text))]
    if not all(parts) or len(parts) > MAX_PARTS:
        return None
    return Congruence(
        frozenset(
            _reduced((part["residue"] or "0").replace(" ", "").lstrip("+"), part["modulus"]) for part in parts if part
        )
    )


def _reduced(residue: str, modulus: str) -> tuple[str, str]:
    residue = residue.strip()
    if _WHOLE.fullmatch(residue) and _WHOLE.fullmatch(modulus) and int(modulus):
        return str(int(residue) % abs(int(modulus))), str(abs(int(modulus)))
    return compact(residue), compact(modulus)
