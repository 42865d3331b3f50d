"""Labels of subjective tasks: one table for every component that needs a row's kind of task.

Source: SGCM (paper 004), section 4.1 and appendix D: seven tasks, and the safety of its table 3.
"""

import unicodedata
from collections.abc import Mapping, Sequence

TASKS: Mapping[str, Sequence[str]] = {
    "NLI": ("natural language inference",),
    "CC": ("comprehensive critique", "critique"),
    "ODQA": ("open-domain qa", "open-domain question answering", "open-ended question answering", "oeqa"),
    "Summ": ("summarization", "summarisation", "summary"),
    "Chat": ("dialogue", "chat-based dialogue", "conversation"),
    "TC": ("text completion", "completion"),
    "HTG": ("heuristic text generation", "creative writing"),
    "Safety": (),
}
"""Label -> other names that its task goes by."""


def task_label(name: str) -> str | None:
    """Return the label that a task's name means, whatever its case, hyphens and spaces; None if the name is unknown."""
    return _LABELS.get(_key(name))


def _key(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name[:200]).casefold().replace("-", " ").replace("_", " ")
    return " ".join(plain.strip(" .\"'*`\n\t").split())


_LABELS = {_key(name): label for label, names in TASKS.items() for name in (label, *names)}
