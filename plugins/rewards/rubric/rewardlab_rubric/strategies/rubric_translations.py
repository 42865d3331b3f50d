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
    path: Path, kinds: Sequence[Kind], codes: Sequence[str], made: Mapping[str, Sequence[Any]]
) -> dict[str, list[Rubric]]:
    """Return {code: variants} of a rubric and its translations; the file itself is English unless there is one.

    Args:
        made: {code: rows} of rubric/translated_texts. A file beside the rubric comes before a row.

    Raises ValueError that says what is wrong with a translation, or how it differs from the rubric.
    """
    original = known_variants(str(path), kinds)
    by_code = {"en": original}
    for code in codes:
        beside = translation_path(path, code)
        if beside.exists():
            by_code[code] = known_variants(str(beside), kinds)
            _check_alike(by_code[code], original, str(beside), str(path))
        elif rows := [row for row in made.get(code, ()) if row["rubric"] is not None]:
            row = _of_rubric(rows, sha_of(original))
            if row is None:
                where = rows[0]["where"]
                raise ValueError(f"{where}: its rubric is a translation of another one than {path}; make it again")
            by_code[code] = _made(row, original, kinds, str(path))
    return by_code


class RowTranslations:
    """The translations of rows' own rubrics, among the rows that rubric/translated_texts made."""

    def __init__(self, made: Mapping[str, Sequence[Any]], kinds: Sequence[Kind]) -> None:
        """Raise ValueError that says with file and line what is wrong with the translation of a rubric of `kinds`."""
        self._made, self._kinds = made, kinds
        self._known: dict[tuple[str, str], list[Rubric]] = {}

    def of(self, original: Sequence[Rubric], code: str) -> list[Rubric] | None:
        """Return the variants of a rubric in the language; None if nobody translated it."""
        key = code, sha_of(original)
        if key not in self._known:
            row = _of_rubric(self._made.get(code, ()), key[1])
            if row is None:
                return None
            self._known[key] = _made(row, original, self._kinds, "the row's own")
        return self._known[key]


def _of_rubric(rows: Sequence[Any], sha: str) -> Any:
    """Return the row with the translation of the rubric that has this SHA-256; None if there is none."""
    return next((row for row in rows if row["rubric"] is not None and row["rubric_sha"] == sha), None)


def _made(row: Mapping[str, Any], original: Sequence[Rubric], kinds: Sequence[Kind], source: str) -> list[Rubric]:
    """Return the variants in a row of rubric/translated_texts."""
    why = ""
    try:
        translated = known_variants(row["rubric"], kinds)
    except ValueError as problem:
        why = str(problem)
    if why:
        raise ValueError(f"{row['where']}: rubric: {why}")
    _check_alike(translated, original, row["where"], source)
    return translated


def as_data(variants: Sequence[Rubric]) -> list[dict[str, Any]]:
    """Return variants as a rubric's file could hold them."""
    return [
        {"description": variant.description, "scoring": dict(variant.levels.texts)}
        if variant.description is not None
        else dict(variant.levels.texts)
        for variant in variants
    ]


def sha_of(variants: Sequence[Rubric]) -> str:
    """Return the SHA-256 of a rubric's content, independent of its file's form."""
    return hashlib.sha256(json.dumps(as_data(variants), sort_keys=True).encode()).hexdigest()


def _check_alike(translated: Sequence[Rubric], original: Sequence[Rubric], where: str, source: str) -> None:
    if len(translated) != len(original):
        raise ValueError(f"{where}: it has {len(translated)} variants, and {source} has {len(original)}")
    for number, (rubric, other) in enumerate(zip(translated, original, strict=True), 1):
        which = f"variant {number} " if len(original) > 1 else "it "
        if list(rubric.levels.texts) != list(other.levels.texts):
            levels = [", ".join(rubric.levels.texts) for rubric in (rubric, other)]
            raise ValueError(f"{where}: {which}has the levels {levels[0]}, and {source} has {levels[1]}")
        if (rubric.description is None) != (other.description is None):
            raise ValueError(
                f"{where}: {which}has {_described(rubric)} description, and {source} has {_described(other)}"
            )


def _described(rubric: Rubric) -> str:
    return "no" if rubric.description is None else "a"
