"""Check the required structure of an answer to a task, apart from its content: words, a label, parts."""

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rewardlab_format.tasks import task_label
from rewardlab_format.word_count import count_words

Alternatives = tuple[tuple[str, ...], ...]
"""Labels or parts, each with the texts that stand for it."""


def key_of(text: str) -> str:
    """Return a text as it is compared: in NFKC, without regard to case, with single spaces.

    A Turkish capital I with its dot is an i, too.
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("i\u0307", "i").split())


@dataclass(frozen=True)
class Structure:
    """The required structure of an answer.

    Args:
        least_words, most_words: as `count_words` counts.
        labels: one of them stands in it.
        labels_field: the field with a row's own labels, which replace these.
        parts: each of them occurs.
    """

    least_words: int = 0
    most_words: int | None = None
    labels: Alternatives = ()
    labels_field: str | None = None
    parts: Alternatives = ()

    def violations(self, answer: str, fields: Mapping[str, Any]) -> Iterator[str]:
        """Yield what an answer lacks, in words. Raises ValueError if the row's own labels are not valid."""
        if self.least_words or self.most_words is not None:
            words = count_words(answer)
            if words < self.least_words:
                yield f"{words} words, at least {self.least_words} are needed"
            if self.most_words is not None and words > self.most_words:
                yield f"{words} words, at most {self.most_words} are allowed"
        labels = self._labels(fields)
        if labels and not _label_pattern(labels).search(key_of(answer)):
            yield f"no label, one of {', '.join(label[0] for label in labels)} is needed"
        if self.parts:
            text = key_of(answer)
            yield from (
                f"no {part[0]!r}" for part in self.parts if not any(key_of(alternative) in text for alternative in part)
            )

    def _labels(self, fields: Mapping[str, Any]) -> Alternatives:
        own = fields.get(self.labels_field) if self.labels_field is not None else None
        if own is None:
            return self.labels
        if not isinstance(own, list) or not own or not all(isinstance(label, str) and label.strip() for label in own):
            raise ValueError(f"field {self.labels_field!r}: a list of labels is needed, not {str(own)[:60]!r}")
        return tuple((label,) for label in own)


@dataclass(frozen=True)
class Structures:
    """The structures of a file, by the key of the task; each with those of its subtasks.

    Args:
        source: the file, for messages.
    """

    source: str
    tasks: Mapping[str, tuple[Structure, Mapping[str, Structure]]]

    def of(self, task: Any, subtask: Any) -> Structure:
        """Return the structure of a task, or of its subtask if the file has it.

        Raises ValueError if the task is unknown.
        """
        key = self._key(task)
        if key is None:
            near = get_close_matches(key_of(str(task)[:100]), self.tasks, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(self.tasks)}"
            raise ValueError(f"no task {str(task)[:60]!r} in {self.source}{hint}")
        structure, subtasks = self.tasks[key]
        return subtasks.get(key_of(subtask), structure) if isinstance(subtask, str) else structure

    def _key(self, task: Any) -> str | None:
        """Return the name under which the file has a task, or another name of the same; None if the file lacks it."""
        if not isinstance(task, str):
            return None
        if (key := key_of(task)) in self.tasks:
            return key
        label = task_label(task)
        return None if label is None else next((task for task in self.tasks if task_label(task) == label), None)


@functools.lru_cache(maxsize=256)
def _label_pattern(labels: Alternatives) -> re.Pattern[str]:
    names = sorted({key_of(text) for texts in labels for text in texts}, key=len, reverse=True)
    return re.compile("|".join(map(_begun, names)))


def _begun(text: str) -> str:
    """Return the pattern of a label: where a word begins, if its letters have spaces around them, else anywhere.

    How the word ends is free: many languages put endings there.
    """
    spaced = re.match(r"[A-Za-z\u00c0-\u05ff\u0600-\u06ff]", text) is not None
    return rf"(?<!\w){re.escape(text)}" if spaced else re.escape(text)
