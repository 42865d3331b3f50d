"""What the answer to a task must have, apart from what it says: words, a label, parts."""

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rewardlab_format.word_count import count_words

Alternatives = tuple[tuple[str, ...], ...]
"""Labels or parts, each with the texts that stand for it."""


def key_of(text: str) -> str:
    """Return a text as it is compared: in NFKC, without regard to case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(frozen=True)
class Structure:
    """What an answer must have.

    least_words, most_words: as `count_words` counts. labels: exactly one of them stands in its first or its last line.
    labels_field: the field with a row's own labels, which come in the place of these. parts: each of them occurs.
    """

    least_words: int = 0
    most_words: int | None = None
    labels: Alternatives = ()
    labels_field: str | None = None
    parts: Alternatives = ()

    def violations(self, answer: str, fields: Mapping[str, Any]) -> Iterator[str]:
        """Yield what an answer lacks, in words. ValueError where the row's own labels are no labels."""
        if self.least_words or self.most_words is not None:
            words = count_words(answer)
            if words < self.least_words:
                yield f"{words} words, at least {self.least_words} are needed"
            if self.most_words is not None and words > self.most_words:
                yield f"{words} words, at most {self.most_words} are allowed"
        if labels := self._labels(fields):
            yield from _label_violations(answer, labels)
        if self.parts:
            text = key_of(answer)
            yield from (f"no {part[0]!r}" for part in self.parts if not any(key_of(one) in text for one in part))

    def _labels(self, fields: Mapping[str, Any]) -> Alternatives:
        own = fields.get(self.labels_field) if self.labels_field is not None else None
        if own is None:
            return self.labels
        if not isinstance(own, list) or not own or not all(isinstance(one, str) and one.strip() for one in own):
            raise ValueError(f"field {self.labels_field!r}: a list of labels is needed, not {str(own)[:60]!r}")
        return tuple((label,) for label in own)


@dataclass(frozen=True)
class Structures:
    """The structures of a file, by the key of the task; each with those of its subtasks.

    source: the file, for messages.
    """

    source: str
    tasks: Mapping[str, tuple[Structure, Mapping[str, Structure]]]

    def of(self, task: Any, subtask: Any) -> Structure:
        """Return the structure of a task; of its subtask where the file has one. ValueError for an unknown task."""
        if not isinstance(task, str) or (key := key_of(task)) not in self.tasks:
            near = get_close_matches(key_of(str(task)[:100]), self.tasks, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(self.tasks)}"
            raise ValueError(f"no task {str(task)[:60]!r} in {self.source}{hint}")
        structure, subtasks = self.tasks[key]
        return subtasks.get(key_of(subtask), structure) if isinstance(subtask, str) else structure


def _label_violations(answer: str, labels: Alternatives) -> Iterator[str]:
    lines = [line for line in answer.splitlines() if line.strip()]
    found = [_labels_in(line, labels) for line in (lines[:1] + lines[-1:])]
    if any(len(names) == 1 for names in found):
        return
    listed = ", ".join(label[0] for label in labels)
    what = "more than one label" if any(found) else "no label"
    yield f"{what} in the first and the last line, one of {listed} is needed"


def _labels_in(line: str, labels: Alternatives) -> set[str]:
    """Return the labels that a line names. A longer label hides a shorter one that is a part of it."""
    pattern, names = _label_pattern(labels)
    return {names[match[0]] for match in pattern.finditer(key_of(line))}


@functools.lru_cache(maxsize=256)
def _label_pattern(labels: Alternatives) -> tuple[re.Pattern[str], Mapping[str, str]]:
    names = {key_of(text): texts[0] for texts in labels for text in texts}
    return re.compile("|".join(map(_bounded, sorted(names, key=len, reverse=True)))), names


def _bounded(text: str) -> str:
    """Return the pattern of a label: whole words where its letters have spaces around them, else wherever it stands."""
    spaced = re.match(r"[A-Za-z\u00c0-\u05ff\u0600-\u06ff]", text) is not None
    return rf"(?<!\w){re.escape(text)}(?!\w)" if spaced else re.escape(text)
