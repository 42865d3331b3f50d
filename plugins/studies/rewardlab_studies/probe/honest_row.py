"""A row to probe with: a sample, and a completion that deserves its reward."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rewardlab import Completion, Sample

from rewardlab_studies.probe.response_form import ResponseParts, response_parts

ENGLISH = ("en", "eng", "english")


@dataclass(frozen=True, kw_only=True)
class HonestRow:
    """A row with an honest completion, one that deserves its reward.

    reference: the English one; None if there is none. token_count: of the honest completion; None if unknown.
    messages: those of a conversation whose last answer `honest` is; a degenerate completion has another last answer.
    """

    sample: Sample
    honest: str
    reference: str | None = None
    token_count: int | None = None
    messages: Sequence[Mapping[str, Any]] = ()

    @property
    def language(self) -> str | None:
        """The row's language as the row names it; None if it does not."""
        language = self.sample.fields.get("language")
        return language if isinstance(language, str) and language else None

    def completion(self, text: str) -> Completion:
        """Return a text as a completion, with as many tokens a byte as the honest completion has."""
        found = Completion(text=self.honest, messages=self.messages).with_text(text)
        if self.token_count is None:
            return found
        share = _bytes(text) / _bytes(self.honest)
        return replace(found, token_count=round(self.token_count * share))

    @cached_property
    def parts(self) -> ResponseParts:
        """The parts of the honest completion."""
        return response_parts(self.honest)

    @property
    def is_english(self) -> bool:
        """Whether the row's language is English."""
        return (self.language or "").partition("-")[0].casefold() in ENGLISH


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
