"""Measure the share of a text that is in a language: of its letters, each weighed by how much it says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rewardlab_language.density import ENGLISH, density_of
from rewardlab_language.languages import SCRIPTS, resolve
from rewardlab_language.prose import prose
from rewardlab_language.rivals import Contest, contest
from rewardlab_language.segmentation import Segmenter
from rewardlab_language.words import BREAK, Word, insertions, words

_READERS = Counter(script for scripts in SCRIPTS.values() for script in scripts)
_ONLY_READER = {s: code for code, scripts in SCRIPTS.items() for s in scripts if _READERS[s] == 1} | {"Hani": "zh"}


@dataclass(frozen=True)
class LanguageShare:
    """The share of a text that is in the target language, by letters, each weighed by how much it says.

    Args:
        value: in [0, 1], None without letters.
        language: the one with most letters, if known.
    """

    value: float | None
    language: str | None


class ShareMeter:
    """A meter of the share in texts, for one contest."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self._own = frozenset(contest.target.codes)
        self._scripts = contest.target.scripts
        self._read = frozenset().union(*(SCRIPTS[code] for code in contest.candidates))
        self._segmenters: dict[str, Segmenter] = {}

    @property
    def is_english(self) -> bool:
        """Whether the language is English."""
        return self._own == {"en"}

    def measure(self, text: str) -> LanguageShare:
        """Return the letters of the words in the target language, divided by the letters of all words.

        A letter weighs what it says (density.py): a sentence counts the same in Chinese as in Spanish.
        A word in a script that no candidate is written in, or in two scripts at once, is in another language.
        If the target is not written in Latin letters, one or two Latin words in a row (names, terms,
        units) count for no language, as far as the target's letters outnumber them. Sentences inside formulas and
        code are not read; as far as they outnumber the visible letters they count against the text, but for those in
        the target's own script if that is not Latin.
        """
        read = prose(text)
        read_words = words(read.text)
        inserted = set() if "Latn" in self._scripts else insertions(read_words)
        letters = self._letters([word for index, word in enumerate(read_words) if index not in inserted])
        aside = ENGLISH * sum(read_words[index].letters for index in inserted)
        counted = letters.total()
        if not counted + aside:
            return LanguageShare(None, None)
        in_target = sum(letters[code] for code in self._own)
        unread = sum(
            information
            for script, information in read.hidden.items()
            if script == "Latn" or script not in self._scripts
        )
        beyond = max(0, aside - in_target) + max(0, unread - counted - aside)
        return LanguageShare(in_target / (counted + beyond), self._main(letters))

    def _letters(self, words: Sequence[Word]) -> Counter[str]:
        """Return the information of the letters by language, or by script if no candidate is written in it."""
        letters: Counter[str] = Counter()
        streams: dict[str, list[Word]] = {}
        for word in words:
            script = "Hani" if word.script == "Kana" else word.script
            if script == BREAK:
                for stream in streams.values():
                    stream.append(word)
            elif word.script in self._read:
                streams.setdefault(script, []).append(word)
            else:
                letters[word.script] += word.letters * density_of(word.script)
        for script, stream in streams.items():
            languages = self._segmenter(script).languages_of(stream)
            for word, language in zip((w for w in stream if w.script != BREAK), languages, strict=True):
                letters[language] += word.letters * density_of(language)
        return letters

    def _segmenter(self, script: str) -> Segmenter:
        if script not in self._segmenters:
            self._segmenters[script] = Segmenter(self._contest, script)
        return self._segmenters[script]

    def _main(self, letters: Counter[str]) -> str | None:
        if not letters:
            return None
        key = max(letters, key=lambda key: (letters[key], key in self._own, key))
        if key in self._own:
            return self._contest.target.name
        return key if key in SCRIPTS else _ONLY_READER.get(key)


def meter_of(tag: str) -> ShareMeter:
    """Return the meter of a language, by code, tag or English name. Raises UnknownLanguage if lingua has no model."""
    return ShareMeter(contest(resolve(tag)))
