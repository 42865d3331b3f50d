"""Redaction: secrets are masked in everything that is printed and written.

Masked are given values (in full, however JSON, a URL, HTML, a shell or Python would write them) and the user
information of every URL. Values are masked wherever they occur, also inside words and numbers. A command or path that
somebody will type says the variable instead: ${NAME}.
"""

import html
import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

MASK = "***"
MIN_LENGTH = 4
"""Shorter values are left alone: masking "1" or "de" would ruin every log and hide nothing."""

_NO_SECRETS = {"true", "false", "null", "none"}
_USERINFO = re.compile(
    r"""(?<=[A-Za-z0-9+.-]://)
    (?!(?:[^\s/?\#"<>\\:@]*:)?\$\{[\w.:]+\}@)  # a variable stands where the password would
    (?:[^\s/?\#"<>\\]+ | [^\s/?\#"<>\\:@]+:(?!\d+/)[^\s"<>\\@]{0,200}  # a password that no URL can hold
    )@""",
    re.VERBOSE,
)


class Redactor:
    """A filter that replaces secret values by `***`, and `scheme://user:password@host` by `scheme://***@host`.

    Values of fewer than MIN_LENGTH characters and the words true, false, null and none are not secrets. Each
    line of a value of several lines is a secret by itself, since logs are written line by line.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self._forms = {form for value in values for part in _parts(value) for form in _forms(part)}
        longest_first = sorted(self._forms, key=lambda form: (-len(form), form))
        self._any = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
        # The lookahead finds overlapping occurrences, so that no half of a secret stays behind another one.
        self._each = re.compile(f"(?=({self._any.pattern}))")

    def text(self, text: str) -> str:
        """Return the text with its secrets masked. Use `tree` first for what will be JSON: a number may be a secret."""
        text = self._without_values(text)
        if "@" not in text:
            return text
        for _ in range(2):  # what stood before the first @ hid another one; more would take time for each @ of a text
            text = _USERINFO.sub(f"{MASK}@", text)
        return self._without_values(text)

    def tree(self, obj: Any) -> Any:
        """Return a copy of a tree of dicts, lists and scalars with its secrets masked, also in keys.

        Tuples become lists. A number is masked only if the whole of it is a secret.
        """
        if isinstance(obj, str):
            return self.text(obj)
        if isinstance(obj, dict):
            return {self.tree(key): self.tree(value) for key, value in obj.items()}
        if isinstance(obj, (list, tuple)):
            return [self.tree(item) for item in obj]
        if isinstance(obj, (int, float)) and str(obj) in self._forms:
            return MASK
        return obj

    def _without_values(self, text: str) -> str:
        while self._any.search(text):  # again, since a mask may complete a secret that contains stars
            before, text = text, _mask_spans(text, (match.span(1) for match in self._each.finditer(text)))
            if text == before:
                break
        return text


_noted: set[str] = set()
_variables: dict[str, str] = {}


def note_secrets(values: Iterable[str]) -> None:
    """Remember values that this process must not print or write. Making a plan notes those of its recipe."""
    _noted.update(values)
    redactor.cache_clear()


def note_variables(values: Mapping[str, str]) -> None:
    """Remember the values of environment variables, by name, as secrets that a command may name."""
    _variables.update(values)
    note_secrets(values.values())


@cache
def redactor() -> Redactor:
    """Return a redactor for the secrets noted so far."""
    return Redactor(_noted)


def redact(text: str) -> str:
    """Return the text with the noted secrets and the user information of URLs masked."""
    return redactor().text(text)


def shell_command(arguments: Iterable[str]) -> str:
    """Return a command for a shell, in which a variable stands for its value if that is a secret: "${DATA}"/a.jsonl."""
    return " ".join(map(_shell_word, arguments))


def name_variables(text: str) -> str:
    """Return the text with each noted variable's value as ${NAME}, and other secrets masked."""
    return "".join(redact(piece) if index % 2 == 0 else piece for index, piece in enumerate(_pieces(text)))


def environment_values(names: Iterable[str]) -> dict[str, str]:
    """Return the values, by name, of those environment variables that are set and not empty."""
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def _shell_word(text: str) -> str:
    literal, *others = _pieces(text)
    if not others:
        return shlex.quote(redact(literal))
    quoted = [shlex.quote(redact(piece)) if piece else "" for piece in (literal, *others[1::2])]
    variables = [f'"{variable}"' for variable in others[::2]]
    return "".join(piece for pair in zip(quoted, [*variables, ""], strict=True) for piece in pair)


def _pieces(text: str) -> list[str]:
    """Return the text in pieces: what is literal, then ${NAME} and what is literal by turns."""
    names = {value: name for name, value in reversed(_variables.items()) if value in _parts(value)}
    if not names:
        return [text]
    longest_first = sorted(names, key=len, reverse=True)
    pieces = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
    pieces[1::2] = [f"${{{names[value]}}}" for value in pieces[1::2]]
    return pieces


def _parts(value: str) -> Iterator[str]:
    """Yield the parts of a value that are secrets: the whole of it, and each of its lines."""
    for part in {value, value.strip(), *map(str.strip, value.splitlines())}:
        if len(part.strip()) >= MIN_LENGTH and part.strip().lower() not in _NO_SECRETS:
            yield part


def _forms(value: str) -> set[str]:
    """Return the value as it is and as JSON, URLs, HTML, a shell and Python write it."""
    urls = {quote(value, safe=safe, errors="surrogateescape") for safe in ("", "/", "!$&'()*+,;=:@/")}
    urls |= {url.replace("%20", "+") for url in urls}
    urls |= {re.sub("%..", lambda match: match[0].lower(), url) for url in urls}
    escapes = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]}
    shell = value if shlex.quote(value) == value else shlex.quote(value)[1:-1]
    return {value, html.escape(value), shell, *urls, *escapes}


def _mask_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with one mask for each run of overlapping spans; spans are in order of their start."""
    out: list[str] = []
    end = 0
    for first, last in spans:
        if first >= end:
            out += text[end:first], MASK
        end = max(end, last)
    return "".join([*out, text[end:]])
