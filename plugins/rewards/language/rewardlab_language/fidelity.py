"""language/fidelity: whether a response is in the row's language."""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from rewardlab import Completion, Context, Sample, Score

from rewardlab_language import sp3f
from rewardlab_language.languages import Target, UnknownLanguage, resolve
from rewardlab_language.mixing import Mixing, at_most, mixing_of
from rewardlab_language.options import FidelityOptions
from rewardlab_language.parts import select
from rewardlab_language.prose import prose
from rewardlab_language.rivals import contest
from rewardlab_language.share import LanguageShare, ShareMeter

CACHED_SCORES = 1 << 13


class Fidelity:
    """The reward for the share of a response's letters that are in the row's language; see FidelityOptions."""

    def __init__(self, options: FidelityOptions, _context: Context | None = None) -> None:
        self._options = options
        self._score = self._score_officially if options.profile == "sp3f_official" else self._score_by_default
        self._meters: dict[Target, ShareMeter] = {}
        self._known: OrderedDict[tuple[bytes, str], Score] = OrderedDict()

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item, in order. Equal texts are measured once.

        A row without the field `language` is a failure.
        """
        return [self._score_item(sample, completion.text) for sample, completion in items]

    def _score_item(self, sample: Sample, text: str) -> Score:
        if "language" not in sample.fields:
            return Score(error="field 'language': missing")
        return self._score_text(text, sample.fields["language"])

    def _score_text(self, text: str, language: object) -> Score:
        key = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), repr(language))
        if key not in self._known:
            self._known[key] = self._score(text, language)
            if len(self._known) > CACHED_SCORES:
                self._known.popitem(last=False)
        return self._known[key]

    def _score_by_default(self, text: str, language: object) -> Score:
        try:
            meter = self._meter(resolve(language))
        except UnknownLanguage as error:
            return _without_share(None, str(error))
        shares: dict[str, LanguageShare] = {}
        values: dict[str, float] = {}
        mixed: dict[str, str] = {}
        for name, part in select(text, self._options.part).items():
            if part is None:
                return _without_share(0.0, f"the text has no {name}")
            shares[name] = share = meter.measure(part)
            if share.value is None:
                return _without_share(0.0, f"the {name} has no letters")
            values[name] = share.value
            if (mixing := self._mixing(part, meter)) is not None:
                values[name] = min(share.value, round(1 - mixing.share, 4))
                mixed[name] = mixing.language
        lowest = min(values, key=values.__getitem__)
        info: dict[str, Any] = {"share": values[lowest], "language": shares[lowest].language}
        if len(values) > 1:
            info["parts"] = values
        if mixed:
            info["mixed"] = mixed[lowest] if lowest in mixed else next(iter(mixed.values()))
        graded = self._options.threshold is None
        value = values[lowest] if graded else self._value(min(share.value or 0.0 for share in shares.values()))
        return Score(value=at_most(self._options.on_mixed, value) if mixed else value, info=info)

    def _mixing(self, part: str, meter: ShareMeter) -> Mixing | None:
        """Return what a part of a row in English is mixed with, if this is looked for."""
        if self._options.on_mixed is None or not meter.is_english:
            return None
        return mixing_of(prose(part).text)

    def _score_officially(self, text: str, language: Any) -> Score:
        try:
            share = sp3f.share(text, language)
        except Exception as error:  # the published code scores 0 whatever goes wrong
            return Score(value=0.0, info={"share": 0.0, "language": None, "reason": str(error)})
        assert share.value is not None  # 0 if nothing was detected
        return Score(value=self._value(share.value), info={"share": share.value, "language": share.language})

    def _value(self, share: float) -> float:
        threshold = self._options.threshold
        return share if threshold is None else float(share >= threshold)

    def _meter(self, target: Target) -> ShareMeter:
        if target not in self._meters:
            self._meters[target] = ShareMeter(contest(target, self._options.languages))
        return self._meters[target]


def _without_share(value: float | None, reason: str) -> Score:
    return Score(value=value, info={"share": None, "language": None, "reason": reason})
