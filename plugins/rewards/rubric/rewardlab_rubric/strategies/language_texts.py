"""The languages that a question to a judge can be in: the packaged ones, and those of a user's folder or file."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rewardlab_pairwise.pairwise_reward import NoQuestion

from rewardlab_rubric.rubric_file import Place
from rewardlab_rubric.strategies.language_file import LanguageTexts, names_of, packaged_texts, read_folder, texts_of

ALIASES = {"Hang": "Kore"}
"""other codes of a script, as FLORES has it for Korean"""
_PARENTHESES = re.compile(r"\s*\([^()]*\)")


class NoTexts(NoQuestion):
    """A row's question cannot be put in its language: there are no texts, or no translation of the rubric."""


class Languages:
    """The languages that there are texts of: the packaged ones, and a user's, which come first.

    made: {code: rows} of the file that rubric/translated_texts made; empty for a folder. awaited: whether that file is
    not there yet, as before the stage that writes it.
    """

    def __init__(self, path: str | None = None) -> None:
        """Raise ValueError that says with file and line what is wrong with a file of a folder, or with a made one."""
        self.made: Mapping[str, Sequence[Any]] = {}
        self.awaited = is_awaited(path)
        own: list[LanguageTexts] = []
        if is_made(path) and not self.awaited:
            self.made = read_made(str(path))
            own = [row["checked"] for rows in self.made.values() for row in rows if row["checked"] is not None]
        elif path is not None and not self.awaited:
            own = list(read_folder(path))
        self._texts = {**packaged_texts(), **{texts.code: texts for texts in own}}
        self._path = path
        self._codes = {name.casefold(): texts.code for texts in self._texts.values() for name in names_of(texts)}

    @property
    def codes(self) -> list[str]:
        """The codes of the languages, sorted."""
        return sorted(self._texts)

    def find(self, tag: object) -> LanguageTexts:
        """Return the texts of the language that a code, a tag with script or region, or a name means.

        Raises ValueError that says what to write if there are none.
        """
        if not isinstance(tag, str) or not tag.strip():
            raise ValueError(f"{tag!r} names no language")
        for name in _readings(tag):
            if (code := self._codes.get(name.casefold())) is not None:
                self._check_script(tag, self._texts[code])
                return self._texts[code]
        problem = "write them as a file in a folder that `texts` names, or have rubric/translated_texts make them"
        if is_made(self._path):
            problem = f"{self._path}, which rubric/translated_texts made, has none; it says why as it runs"
        elif self._path is not None:
            problem = f"write them as a file in {self._path}, or have rubric/translated_texts make them"
        raise NoTexts(f"there are no texts in the language {tag[:40]!r}; {problem}")

    def _check_script(self, tag: str, texts: LanguageTexts) -> None:
        exact = tag.strip().replace("_", "-").casefold()
        scripts = [part.title() for part in re.split(r"[-_]", tag)[1:] if len(part) == 4 and part.isalpha()]
        if (
            scripts
            and ALIASES.get(scripts[0], scripts[0]) != texts.script
            and exact not in {name.casefold() for name in names_of(texts)}
        ):
            raise NoTexts(f"the texts in {texts.language} are in the script {texts.script}, not as in {tag[:40]!r}")


def is_made(path: str | None) -> bool:
    """Return whether texts are in a file of rubric/translated_texts, and not in a folder of files."""
    return path is not None and path.endswith(".jsonl")


def is_awaited(path: str | None) -> bool:
    """Return whether texts are in a file of rubric/translated_texts that is not there yet."""
    return is_made(path) and not Path(os.path.expanduser(str(path))).exists()


def read_made(path: str) -> dict[str, list[dict[str, Any]]]:
    """Return {code: rows} of the file that rubric/translated_texts made.

    The texts are `checked`, file:line is `where`. Raises ValueError that says what is wrong with a row.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    try:
        lines = Path(os.path.expanduser(path)).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"cannot read the texts {path}: {problem}") from None
    for number, line in enumerate(lines, 1):
        row = _made_row(line, f"{path}:{number}")
        rows.setdefault(row["language"], []).append(row)
    return rows


def _made_row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
        made = {name: row[name] for name in ("language", "texts", "rubric", "rubric_sha")}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(f"{where}: this is not a row of rubric/translated_texts") from None
    checked = None
    if made["texts"] is not None:
        error = partial(_error_in_row, where)
        checked = texts_of(made["texts"], str(made["language"]), error)
    return {**made, "checked": checked, "where": where}


def _error_in_row(where: str, place: Place, problem: str) -> ValueError:
    return ValueError(f"{where}: texts.{'.'.join(map(str, place))}: {problem}")


def _readings(tag: str) -> Iterator[str]:
    """Yield what a tag can mean, the most exact first: "pt_BR" is pt-BR and then pt, "Persian (Farsi)" Persian."""
    plain = tag.strip()
    yield plain
    yield _PARENTHESES.sub("", plain)
    parts = re.split(r"[-_]", plain)
    for length in range(len(parts), 0, -1):
        yield "-".join(parts[:length])
