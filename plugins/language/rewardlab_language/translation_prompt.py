"""The question to a translator: a template, and a fence that the text inside it cannot forge."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from rewardlab.types import Message

SEPARATOR = "---"
"""The line between the system message and the user message of a template."""
PLACEHOLDERS = ("language", "text", "key")


@dataclass(frozen=True, kw_only=True)
class TranslationTemplate:
    """A checked template. `system` is None where the file has no separator."""

    system: Template | None
    user: Template

    def messages(self, text: str, language: str) -> list[Message]:
        """The messages that ask to translate `text`, shown verbatim, into the language of that English name."""
        filled = {"language": language, "text": fence(text), "key": fence_key(text)}
        roles = [("system", self.system), ("user", self.user)]
        return [{"role": role, "content": t.substitute(filled)} for role, t in roles if t is not None]


def fence_key(text: str) -> str:
    """16 hexadecimal digits of sha256: no text can hold the key that it makes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def fence_lines(text: str) -> tuple[str, str]:
    """The lines before and after the text."""
    key = fence_key(text)
    return f"=== BEGIN TEXT {key} ===", f"=== END TEXT {key} ==="


def fence(text: str) -> str:
    """`text` as it is, between its two lines."""
    begin, end = fence_lines(text)
    return f"{begin}\n{text}\n{end}"


def load(path: str | None) -> TranslationTemplate:
    """The template in the file `path`, or the packaged one. A ValueError says what is wrong with the file.

    A file is the user message, or the system message, a line `---` and the user message. $language stands for
    the English name of the target language, $text for the fenced text (once, in the user message), $key for
    the key of its fence, $$ for a dollar sign.
    """
    source = Path(path).expanduser() if path is not None else files(__package__) / "templates" / "translate.txt"
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the template {path}: {error}") from error
    lines = text.strip().splitlines()
    cut = lines.index(SEPARATOR) if SEPARATOR in lines else None
    user = "\n".join(lines[cut + 1 :] if cut is not None else lines).strip()
    system = None if cut is None else "\n".join(lines[:cut]).strip()
    names = _placeholders(system or "", source), _placeholders(user, source)
    if names[0].count("text") or names[1].count("text") != 1:
        raise ValueError(f"{source}: $text must stand there once, in the user message")
    if "language" not in (*names[0], *names[1]):
        raise ValueError(f"{source}: $language is missing")
    return TranslationTemplate(system=None if system is None else Template(system), user=Template(user))


def _placeholders(text: str, source: object) -> list[str]:
    names = []
    for match in Template.pattern.finditer(text):
        if match["invalid"] is not None:
            raise ValueError(f"{source}: a lone $ before {text[match.end() :][:20]!r}; write $$ for a dollar sign")
        if match["escaped"] is None:
            names.append(match["named"] or match["braced"])
            if names[-1] not in PLACEHOLDERS:
                raise ValueError(f"{source}: no placeholder ${names[-1]}; there are ${', $'.join(PLACEHOLDERS)}")
    return names
