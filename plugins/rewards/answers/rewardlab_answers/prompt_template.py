"""Templates of prompts, in files: a user message, or a system message and a user message."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from string import Template
from typing import Any

from pydantic import AfterValidator
from rewardlab import Message

SEPARATOR = "---"
"""The line between the system message and the user message of a template file."""


def template_of(module: str) -> AfterValidator:
    """Return a validator for an option that holds a template's path or None: `load(path)` of `module` must accept it.

    The module is imported only when there is a path. An option has it as in
    `template: Annotated[str | None, template_of("my_plugin.prompt")] = None`.
    """

    def readable(path: str | None) -> str | None:
        if path is not None:
            import_module(module).load(path)
        return path

    return AfterValidator(readable)


@dataclass(frozen=True, kw_only=True)
class QuotingTemplate:
    """A template read from a file. `system` is None if the file has no separator.

    system_names, user_names: the placeholders of each message, in order, repetitions included.
    """

    system: Template | None
    user: Template
    system_names: tuple[str, ...] = ()
    user_names: tuple[str, ...] = ()

    def messages(self, filled: Mapping[str, str]) -> list[Message]:
        """Return the messages with every placeholder filled. Raises KeyError for one that is missing in `filled`."""
        roles = [("system", self.system), ("user", self.user)]
        return [{"role": role, "content": t.substitute(filled)} for role, t in roles if t is not None]


def read_template(source: Path | Any, placeholders: tuple[str, ...]) -> QuotingTemplate:
    """Read a template file: the user message, or the system message, a line `---` and the user message.

    $name stands for a placeholder, $$ for a dollar sign. Raises ValueError that says what is wrong with the file.
    """
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the template {source}: {error}") from error
    _placeholders(text, source, placeholders)  # before the file is split, so that errors have the file's line numbers
    lines = text.strip().splitlines()
    cut = lines.index(SEPARATOR) if SEPARATOR in lines else None
    user = "\n".join(lines[cut + 1 :] if cut is not None else lines).strip()
    system = None if cut is None else "\n".join(lines[:cut]).strip()
    return QuotingTemplate(
        system=None if system is None else Template(system),
        user=Template(user),
        system_names=_placeholders(system or "", source, placeholders),
        user_names=_placeholders(user, source, placeholders),
    )


def _placeholders(text: str, source: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    names = []
    for match in Template.pattern.finditer(text):
        if match["invalid"] is not None:
            line = text.count("\n", 0, match.start()) + 1
            raise ValueError(f"{source}:{line}: a lone $; write $$ for a dollar sign")
        if match["escaped"] is None:
            names.append(match["named"] or match["braced"])
            if names[-1] not in known:
                raise ValueError(f"{source}: no placeholder ${names[-1]}; there are ${', $'.join(known)}")
    return tuple(names)
