"""The prompt for a translator: one quoted text, and the required parts of a template."""

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rewardlab import Message
from rewardlab.text import quoting
from rewardlab_answers import QuotingTemplate, read_template

LABEL = "TEXT"
PLACEHOLDERS = ("language", "regional", "source", "fenced", "text", "key")
REGIONS = {
    "bn": "Bangladesh", "de": "Germany", "es": "Spain", "fa": "Iran", "fr": "France", "hi": "India", "id": "Indonesia",
    "it": "Italy", "ja": "Japan", "ko": "South Korea", "nl": "Netherlands", "pl": "Poland", "pt": "Portugal",
    "ru": "Russia", "sv": "Sweden", "th": "Thailand", "tr": "Turkey", "uk": "Ukraine", "vi": "Vietnam", "zh": "China",
}  # fmt: skip
"""ISO 639-1 code -> the region that translation models usually name with the language."""


@dataclass(frozen=True, kw_only=True)
class TranslationTemplate:
    """A checked template of the question to a translator."""

    template: QuotingTemplate

    def messages(self, text: str, language: str, regional: str | None = None, source: str = "English") -> list[Message]:
        """Return the messages that ask to translate `text`, shown verbatim, into the language of that English name.

        Args:
            regional: the name with its region ("Portuguese (Portugal)"); None without one.
            source: the English name of the text's own language.
        """
        filled = {"language": language, "regional": regional or language, "source": source, "text": text}
        return self.template.messages({**filled, "fenced": fence(text), "key": fence_key(text)})


def regional_name(code: str, language: str) -> str:
    """Return the language's English name with its usual region, if any: "Portuguese (Portugal)"."""
    return f"{language} ({REGIONS[code]})" if code in REGIONS else language


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
    """Return the template in the file `path`, or the `packaged` one.

    Raises ValueError that says what is wrong with the file.

    $language stands for the English name of the target language, $regional for the name with its region, $source for
    the name of the text's own language, $fenced for the text in its fence and $key for the fence's key; $text, in place
    of $fenced, for the bare text, as models that only translate want it. The text stands there once, in the user
    message.
    """
    source = Path(os.path.expanduser(path)) if path is not None else files(__package__) / "templates" / packaged
    template = read_template(source, PLACEHOLDERS)
    shown = [name for name in template.user_names if name in ("fenced", "text")]
    names = (*template.system_names, *template.user_names)
    if len(shown) != 1 or {"fenced", "text"}.intersection(template.system_names):
        raise ValueError(f"{source}: $fenced, or $text, must appear once, in the user message")
    if "key" in names and shown == ["text"]:
        raise ValueError(f"{source}: $text is the bare text, without a fence that $key could open; write $fenced")
    if not {"language", "regional"}.intersection(names):
        raise ValueError(f"{source}: $language is missing")
    return TranslationTemplate(template=template)
