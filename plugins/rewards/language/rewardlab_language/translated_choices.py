"""Translate the choices of a question one by one, and find their list in a prompt."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewardlab import Sample
from rewardlab.errors import UserError

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FORMS = ("{}. {}", "{}) {}", "({}) {}", "{}: {}")
"""how the lines of a prompt list choices"""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The choices of a row, label -> text. is_list: whether the row has a list of texts, labelled A, B, C ..."""

    texts: Mapping[str, str]
    is_list: bool = False

    async def translated(self, translate: Callable[[str], Awaitable[str]]) -> "Choices":
        """Return the same choices in another language, with their labels. An empty text stays."""

        async def unless_empty(text: str) -> str:
            return await translate(text) if text.strip() else text

        texts = await asyncio.gather(*map(unless_empty, self.texts.values()))
        return replace(self, texts=dict(zip(self.texts, texts, strict=True)))

    def as_field(self) -> Any:
        """Return the choices in the form in which the row had them."""
        return list(self.texts.values()) if self.is_list else dict(self.texts)

    def part(self, prompt: str) -> tuple[str, str, str]:
        """Return (the text before the choices in a prompt, the form of their lines, the text after them).

        The form is "" if the prompt does not list them once, one a line.
        """
        for form in FORMS:
            lines = self.listed(form)
            if prompt.count(lines) == 1:
                before, _, behind = prompt.partition(lines)
                return before, form, behind
        return prompt, "", ""

    def listed(self, form: str) -> str:
        """Return the choices as lines of a prompt, or "" without a form."""
        return "\n".join(form.format(label, text) for label, text in self.texts.items() if form)


def choices_of(sample: Sample, field: str, most: int) -> Choices:
    """Return a row's choices. Raises UserError if its field holds none, or more than `most`."""
    value: Any = sample.fields.get(field)
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if is_list and len(value) <= len(LABELS):
        value = dict(zip(LABELS, value, strict=False))
    if not isinstance(value, Mapping) or not value or not all(isinstance(text, str) for text in value.values()):
        problem = f"field {field!r} holds no choices (label -> text, or a list of texts), but {str(value)[:80]}"
        raise UserError(problem, where=sample.source)
    if len(value) > most:
        raise UserError(f"field {field!r} has {len(value)} choices; max_choices is {most}", where=sample.source)
    return Choices(texts=dict(value), is_list=is_list)
