"""The text that checks look at, with its words and sentences."""

from functools import cached_property

from rewardlab_constraints.language_rules import LanguageRules
from rewardlab_constraints.sentences import sentences
from rewardlab_constraints.words import bare, words


class JudgedText:
    """A text in a language, read once for all of a row's instructions."""

    def __init__(self, text: str, language: LanguageRules) -> None:
        self.text = text
        self.language = language

    @cached_property
    def folded(self) -> str:
        """The text in one width and in small letters."""
        return self.language.folded(self.text)

    @cached_property
    def words(self) -> list[str]:
        """Runs of letters and digits in small letters."""
        return words(self.folded)

    @cached_property
    def bare(self) -> list[str]:
        """What stands between spaces, in small letters and without punctuation."""
        return bare(self.folded)

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences in order."""
        return sentences(self.text, self.language.lists.get("abbreviations", frozenset()))
