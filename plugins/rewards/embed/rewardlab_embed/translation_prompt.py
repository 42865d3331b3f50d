"""The prompt for a translator into English: one quoted text, and the required parts of a template."""

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rewardlab import Message
from rewardlab.text import quoting
from rewardlab_answers import QuotingTemplate, read_template

LABEL = "TEXT"
PLACEHOLDERS = ("language", "regional", "fenced", "text", "key")
REGIONS = {
    "Chinese": "China", "French": "France", "German": "Germany", "Hindi": "India", "Italian": "Italy",
    "Japanese": "Japan", "Korean": "South Korea", "Polish": "Poland", "Portuguese": "Portugal", "Russian": "Russia",
    "Spanish": "Spain", "Thai": "Thailand",
}  # fmt: skip
"""English name of a language -> the region that translation models usually name with it."""
UNKNOWN = "non-English"
"""The name used for a language that is not known."""


@dataclass(frozen=True, kw_only=True)
class EnglishTemplate:
    """A checked template of the question to a translator into English."""

    template: QuotingTemplate

    def messages(self, text: str, language: str | None) -> list[Message]:
        """Return the messages that ask to translate `text`, shown verbatim, from the language of that English name."""
        key = fence_key(text)
        fenced = quoting.fence(LABEL, text, key)
        filled = {"language": language or UNKNOWN, "fenced": fenced, "text": text, "key": key}
        return self.template.messages({**filled, "regional": _regional(language or UNKNOWN)})


def _regional(language: str) -> str:
    return f"{language} ({REGIONS[language]})" if language in REGIONS else language


def fence_key(text: str) -> str:
    """Return the key of the fence around a text, which depends on all of it."""
    return quoting.fence_key({"text": text})


def without_fence(reply: str, text: str) -> str:
    """Return a translation without the lines of its text's fence, which a translator may repeat."""
    lines = quoting.fence_lines(LABEL, fence_key(text))
    return "\n".join(line for line in reply.split("\n") if line.strip() not in lines)


def load(path: str | None, packaged: str = "to_english.txt") -> EnglishTemplate:
    """Return the template in the file `path`, or the `packaged` one.

    Raises ValueError that says what is wrong with the file.

    $language stands for the English name of the text's language, $regional for the name with its region, $fenced for
    the text in its fence, $key for the fence's key; $text, in place of $fenced, for the text alone, as models that only
    translate want it.
    """
    source = Path(os.path.expanduser(path)) if path is not None else files(__package__) / "templates" / packaged
    template = read_template(source, PLACEHOLDERS)
    shown = [name for name in template.user_names if name in ("fenced", "text")]
    if len(shown) != 1 or {"fenced", "text"}.intersection(template.system_names):
        raise ValueError(f"{source}: $fenced, or $text, must appear once, in the user message")
    return EnglishTemplate(template=template)
