"""The file of a language: the texts of a question to a judge besides the rubric."""

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rewardlab_rubric.levels import Kind, levels_of
from rewardlab_rubric.rubric_file import Place, read_rubric_file
from rewardlab_rubric.rubrics import Rubric

TAGS = ("instruction", "rubric", "format", "input", "response", "answer")
PARTS: Mapping[str, tuple[str, ...]] = {
    "language": (),
    "script": (),
    "names": (),
    "system": (),
    "thinking": (),
    "tags": TAGS,
    "tasks": ("single", "pair"),
    "rules": ("rubric", "order", "fences"),
    "format": (),
    "explanation": (),
    "binary": (),
    "pairwise": (),
}
"""what a file holds, with the parts of what has parts"""
PAIR_LABELS = {"Assistant A", "Assistant B", "Tie", "Both Bad"}
FENCES = ("BEGIN", "END", "$key")
"""what the rule about quotations must name as it stands"""
SCRIPT_CODES = {
    "LATIN": "Latn", "CYRILLIC": "Cyrl", "GREEK": "Grek", "ARABIC": "Arab", "HEBREW": "Hebr", "DEVANAGARI": "Deva",
    "BENGALI": "Beng", "TAMIL": "Taml", "TELUGU": "Telu", "KANNADA": "Knda", "MALAYALAM": "Mlym", "GUJARATI": "Gujr",
    "GURMUKHI": "Guru", "ORIYA": "Orya", "SINHALA": "Sinh", "THAI": "Thai", "LAO": "Laoo", "KHMER": "Khmr",
    "MYANMAR": "Mymr", "GEORGIAN": "Geor", "ARMENIAN": "Armn", "ETHIOPIC": "Ethi", "TIBETAN": "Tibt",
    "HANGUL": "Kore", "HIRAGANA": "Jpan", "KATAKANA": "Jpan", "CJK": "Hani",
}  # fmt: skip
"""the first word of a letter's Unicode name -> ISO 15924"""
_CODE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?")


@dataclass(frozen=True, kw_only=True)
class LanguageTexts:
    """The texts of one language.

    Args:
        code: ISO 639, with a script if a language has several.
        names: all that a row may call it.
        system: a judge who thinks and answers in it.
        thinking: how its thoughts begin. tags, tasks, rules: as in the files. binary, pairwise: the general
            rubrics.
    """

    code: str
    language: str
    script: str
    names: tuple[str, ...]
    system: str
    thinking: str
    tags: Mapping[str, str]
    tasks: Mapping[str, str]
    rules: Mapping[str, str]
    format: str
    explanation: str
    binary: Rubric
    pairwise: Rubric


@cache
def packaged_texts() -> Mapping[str, LanguageTexts]:
    """Return {code: texts} of the packaged languages."""
    sources = [
        source for source in (files("rewardlab_rubric") / "languages").iterdir() if source.name.endswith(".yaml")
    ]
    every = [read_language(source) for source in sorted(sources, key=lambda source: source.name)]
    return {texts.code: texts for texts in every}


def read_folder(folder: str) -> Iterator[LanguageTexts]:
    """Yield the texts in a folder's YAML files. Raises ValueError that says what is wrong with it or one of them."""
    path = Path(os.path.expanduser(folder))
    sources = sorted(path.glob("*.yaml"))
    if not sources:
        raise ValueError(f"texts: {folder} is not a folder with files such as sw.yaml")
    for source in sources:
        yield read_language(source)


def own_text(language: str) -> dict[str, Any]:
    """Return the English texts for translating, with the language named where the English ones name English."""
    data, _ = read_rubric_file(files("rewardlab_rubric") / "languages" / "en.yaml")
    kept = {name: value for name, value in data.items() if name not in ("language", "script", "names")}
    return {**kept, **{name: kept[name].replace("English", language) for name in ("system", "thinking")}}


def code_of(tag: str) -> str | None:
    """Return the code of a file for a language's tag: eu for eu-ES, sr-Latn for sr-Latn-RS. None if it is not a tag."""
    primary, *others = re.split(r"[-_]", tag.strip())
    scripts = [part.title() for part in others if len(part) == 4 and part.isalpha()]
    code = "-".join([primary.lower(), *scripts[:1]])
    return code if _CODE.fullmatch(code) else None


def script_of(text: str) -> str:
    """Return the ISO 15924 code of the script that most letters of a text are in; Zyyy for one that is not known."""
    named = Counter(unicodedata.name(letter, "?").split(" ")[0] for letter in text if letter.isalpha())
    most = named.most_common(1)
    return SCRIPT_CODES.get(most[0][0], "Zyyy") if most else "Zyyy"


def read_language(source: Path | Any) -> LanguageTexts:
    """Return the texts in a file; its name is the language's code. A ValueError gives file and line."""
    data, where = read_rubric_file(source)
    code = source.name.removesuffix(".yaml")
    if not _CODE.fullmatch(code):
        raise ValueError(f"{source}: the file of a language is called by its code, such as sw.yaml or zh-Hant.yaml")
    return texts_of(data, code, lambda place, problem: ValueError(f"{where(place)}: {problem}"))


def texts_of(data: Any, code: str, error: Any) -> LanguageTexts:
    """Return the texts that a mapping holds; raise `error(place, what)` for mistakes in them."""
    _check_keys(data, PARTS, (), error)
    for part, names in PARTS.items():
        if names:
            _check_keys(data[part], names, (part,), error)
        for name in names:
            _check_text(data[part][name], (part, name), error)
        if not names and part not in ("binary", "pairwise"):
            _check_text(data[part], (part,), error)
    for needed in FENCES:
        if data["rules"]["fences"].count(needed) != 1:
            raise error(("rules", "fences"), f"{needed} must appear in it once, unchanged")
    rubrics = {name: _rubric(data[name], name, error) for name in ("binary", "pairwise")}
    if set(rubrics["pairwise"].levels.texts) != PAIR_LABELS:
        raise error(("pairwise", "scoring"), "the levels are assistant_a, assistant_b, tie and both_bad")
    return LanguageTexts(code=code, **{**data, "names": tuple(data["names"]), **rubrics})


def _check_keys(data: Any, names: Any, place: Place, error: Any) -> None:
    if not isinstance(data, Mapping):
        raise error(place, f"this must be a mapping with {', '.join(names)}")
    if missing := [name for name in names if name not in data]:
        raise error(place, f"{missing[0]!r} is missing")
    if unknown := [name for name in data if name not in names]:
        raise error((*place, unknown[0]), f"{unknown[0]!r} has no place here; there are {', '.join(names)}")


def _check_text(value: Any, place: Place, error: Any) -> None:
    if place == ("names",):
        if not isinstance(value, list) or not all(isinstance(name, str) and name.strip() for name in value):
            raise error(place, "names are a list of what rows may call the language")
    elif not isinstance(value, str) or not value.strip():
        raise error(place, f"{'.'.join(map(str, place))} must be a text")


def _rubric(data: Any, name: str, error: Any) -> Rubric:
    _check_keys(data, ("description", "scoring"), (name,), error)
    if not isinstance(data["description"], str) or not data["description"].strip():
        raise error((name, "description"), "the description must be a text")
    kinds: tuple[Kind, ...] = ("binary",) if name == "binary" else ("pair",)
    try:
        levels = levels_of(data["scoring"], kinds)
    except ValueError as problem:
        why = str(problem)
    else:
        return Rubric(levels, data["description"].strip())
    raise error((name, "scoring"), why)


def names_of(texts: LanguageTexts) -> tuple[str, ...]:
    """Return all that a row may call a language."""
    return (texts.code, texts.language, *texts.names)
