"""Translations of a rubric: files beside it, and rows that rubric/translated_texts made."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab_rubric.levels import Kind
from rewardlab_rubric.rubrics import Rubric, known_variants


def translation_path(rubric: Path, code: str) -> Path:
    """Return the file with a rubric's translation: quality.de.yaml beside quality.yaml."""
    return rubric.with_name(f"{rubric.stem}.{code}{rubric.suffix}")


def translations(
    path: Path, kinds: Sequence[Kind], codes: Sequence[str], made: Mapping[str, Any]
) -> dict[str, list[Rubric]]:
    """Return {code: variants} of a rubric and its translations; the file itself is English unless there is one.

    made: {code: row} of rubric/translated_texts. A file beside the rubric comes before a row. Raises ValueError that
    says what is wrong with a translation, or how it differs from the rubric.
    """
    original = known_variants(str(path), kinds)
    found = {"en": original}
    for code in codes:
        beside = translation_path(path, code)
        if beside.exists():
            found[code] = known_variants(str(beside), kinds)
            _check_alike(found[code], original, str(beside), path)
        elif (row := made.get(code)) is not None and row["rubric"] is not None:
            found[code] = _made(row, original, kinds, path)
            _check_alike(found[code], original, row["where"], path)
    return found


def _made(row: Mapping[str, Any], original: Sequence[Rubric], kinds: Sequence[Kind], path: Path) -> list[Rubric]:
    where = row["where"]
    if row["rubric_sha"] != sha_of(original):
        raise ValueError(f"{where}: its rubric is a translation of another one than {path}; make it again")
    try:
        return known_variants(row["rubric"], kinds)
    except ValueError as problem:
        why = str(problem)
    raise ValueError(f"{where}: rubric: {why}")


def as_data(variants: Sequence[Rubric]) -> list[dict[str, Any]]:
    """Return variants as a rubric's file could hold them."""
    return [
        {"description": one.description, "scoring": dict(one.levels.texts)}
        if one.description is not None
        else dict(one.levels.texts)
        for one in variants
    ]


def sha_of(variants: Sequence[Rubric]) -> str:
    """Return the SHA-256 of a rubric's content, independent of its file's form."""
    return hashlib.sha256(json.dumps(as_data(variants), sort_keys=True).encode()).hexdigest()


def _check_alike(translated: Sequence[Rubric], original: Sequence[Rubric], where: str, source: Path) -> None:
    if len(translated) != len(original):
        raise ValueError(f"{where}: it has {len(translated)} variants, and {source} has {len(original)}")
    for number, (one, other) in enumerate(zip(translated, original, strict=True), 1):
        which = f"variant {number} " if len(original) > 1 else "it "
        if list(one.levels.texts) != list(other.levels.texts):
            levels = [", ".join(rubric.levels.texts) for rubric in (one, other)]
            raise ValueError(f"{where}: {which}has the levels {levels[0]}, and {source} has {levels[1]}")
        if (one.description is None) != (other.description is None):
            raise ValueError(f"{where}: {which}has {_described(one)} description, and {source} has {_described(other)}")


def _described(rubric: Rubric) -> str:
    return "no" if rubric.description is None else "a"
