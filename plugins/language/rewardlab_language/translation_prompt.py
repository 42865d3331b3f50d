"""The prompt for a translator: one quoted text, and what a template must have."""

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rewardlab import Message
from rewardlab.text import quoting

LABEL = "TEXT"
PLACEHOLDERS = ("language", "text", "key")


@dataclass(frozen=True, kw_only=True)
class TranslationTemplate:
    """A checked template of the question to a translator."""

    template: quoting.QuotingTemplate

    def messages(self, text: str, language: str) -> list[Message]:
        """Return the messages that ask to translate `text`, shown verbatim, into the language of that English name."""
        return self.template.messages({"language": language, "text": fence(text), "key": fence_key(text)})


def fence_key(text: str) -> str:
    """Return the key of the text's fence."""
    return quoting.fence_key({"text": text})


def fence_lines(text: str) -> tuple[str, str]:
    """Return the fence's lines before and after the text."""
    return quoting.fence_lines(LABEL, fence_key(text))


def fence(text: str) -> str:
    """Return `text` unchanged between the two lines of its fence."""
    return quoting.fence(LABEL, text, fence_key(text))


def load(path: str | None, packaged: str = "translate.txt") -> TranslationTemplate:
    """Return the template in the file `path`, or the `packaged` one. A ValueError says what is wrong with the file.

    $language stands for the English name of the target language, $text for the fenced text (once, in the user
    message), $key for the key of its fence.
    """
    source = Path(os.path.expanduser(path)) if path is not None else files(__package__) / "templates" / packaged
    template = quoting.read_template(source, PLACEHOLDERS)
    if template.system_names.count("text") or template.user_names.count("text") != 1:
        raise ValueError(f"{source}: $text must stand there once, in the user message")
    if "language" not in (*template.system_names, *template.user_names):
        raise ValueError(f"{source}: $language is missing")
    return TranslationTemplate(template=template)
