"""A row to probe with: a sample, and a completion that deserves its reward."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rewardlab import Completion, Sample

from rewardlab_probe.corruptions import is_short, sentences
from rewardlab_probe.response_form import ResponseParts, response_parts

MAX_WORDS, MAX_GIVEN = 3, 80
"""Words of a response that is all answer; characters of an answer that a row has."""
ENGLISH = ("en", "eng", "english")


@dataclass(frozen=True, kw_only=True)
class HonestRow:
    """A row with an honest completion, one that deserves its reward.

    Args:
        reference: in English or in the row's language; None if there is none.
        token_count: of the honest completion; None if unknown.
        messages: those of a conversation whose last answer `honest` is; a degenerate completion has another last
            answer.
        columns: those that hold the honest completion and the reference.
    """

    sample: Sample
    honest: str
    reference: str | None = None
    token_count: int | None = None
    messages: Sequence[Mapping[str, Any]] = ()
    columns: Sequence[str] = ()

    @property
    def language(self) -> str | None:
        """The row's language as the row names it; None if it does not."""
        language = self.sample.fields.get("language")
        return language if isinstance(language, str) and language else None

    def completion(self, text: str) -> Completion:
        """Return a text as a completion, with as many tokens a byte as the honest completion has, at least its end."""
        made = Completion(text=self.honest, messages=self.messages).with_text(text)
        if self.token_count is None:
            return made
        share = _bytes(text) / _bytes(self.honest)
        return replace(made, token_count=max(1, round(self.token_count * share)))

    @cached_property
    def parts(self) -> ResponseParts:
        """The parts of the honest completion: all of it is its answer if that is short, JSON, or a field of the row."""
        parts, whole = response_parts(self.honest), self.honest.strip()
        if parts.answer or parts.form.thinks or parts.form.tagged or parts.form.boxed:
            return parts
        few = is_short(whole) and len(whole.split()) <= MAX_WORDS
        if few or whole in self.given or whole[:1] in ("{", "["):
            return replace(parts, reasoning="", answer=whole)
        return parts

    @property
    def answers_shortly(self) -> bool:
        """Whether the answer is a number, a letter, a name, or some such that a field of the row has word for word."""
        answer = self.parts.answer
        given = answer in self.given and len(answer) <= MAX_GIVEN and len(sentences(answer)) == 1
        return is_short(answer) or given

    @property
    def given(self) -> list[str]:
        """The texts of the row but for the honest completion and the reference: its right answer may be among them."""
        fields = self.sample.fields.items()
        return [value for name, value in fields if isinstance(value, str) and name not in self.columns]

    @property
    def is_english(self) -> bool:
        """Whether the row's language is English."""
        name, _, _ = re.sub(r"[\W_]", " ", self.language or "").strip().partition(" ")
        return name.casefold() in ENGLISH


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
