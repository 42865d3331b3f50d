"""The languages that a text is weighed against, by fixed tables: nothing here depends on other rows.

A language's rivals are its relatives, for which it is easily taken, and strangers: the large languages of its script
and one or two of each family, so that a text in an unexpected language has somewhere to go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rewardlab_language.languages import SCRIPTS, Target, resolve

_RELATIVES = """
af: nl de|ar: fa ur|az: tr|be: ru uk|bg: mk ru sr|bn:|bs: hr sl|ca: es fr it pt|cs: sk pl|cy: ga
da: nb sv nn|de: nl da|el:|en:|eo: es it|es: pt ca it fr|et: fi|eu: es fr|fa: ar ur|fi: et|fr: es it ca
ga: cy|gu:|he:|hi: mr|hr: bs sl|hu: fi ro|hy:|id: ms tl|is: da nb|it: es pt fr ro|ja:|ka:|kk: ru mn|ko:
la: it es|lg: sw sn|lt: lv|lv: lt|mi: tl|mk: bg sr ru|mn: ru kk|mr: hi|ms: id tl|nb: da sv nn|nl: af de
nn: nb da sv|pa: hi|pl: cs sk|pt: es it ca fr|ro: it fr|ru: uk be bg|sk: cs pl|sl: hr bs|sn: zu sw|so: sw
sq: it ro|sr: mk bg ru bs|st: tn zu|sv: da nb nn|sw: zu sn|ta:|te:|th:|tl: id ms|tn: st ts|tr: az|ts: tn zu
uk: ru be bg|ur: ar fa|vi: fr|xh: zu|yo: fr|zh:|zu: xh sw
"""

RELATIVES: Mapping[str, tuple[str, ...]] = {
    code: tuple(relatives.split())
    for code, relatives in (entry.split(":") for entry in _RELATIVES.replace("\n", "|").split("|") if entry)
}
"""For each of the 75 languages, those for which it is easily taken."""

STRANGERS: Mapping[str, tuple[str, ...]] = {
    "Latn": (
        *("es", "pt", "it", "fr", "ro", "de", "nl", "sv", "pl", "hr", "lt", "fi", "hu", "tr", "id", "tl"),
        *("sw", "zu", "st", "so", "yo", "cy", "ga", "eu", "sq", "vi"),
    ),
    "Cyrl": ("ru", "uk", "be", "bg", "mk", "sr", "kk", "mn"),
    "Arab": ("ar", "fa", "ur"),
    "Deva": ("hi", "mr"),
    "Hani": ("ja", "zh"),
}
"""For each script that several languages share, the languages that stand for its families."""


TWINS: Sequence[frozenset[str]] = tuple(map(frozenset, [("id", "ms"), ("bs", "hr"), ("da", "nb", "nn")]))
"""Languages that share most of their words: only a long text distinguishes them."""


@dataclass(frozen=True)
class Contest:
    """A target language, and the languages that a text is weighed against.

    Args:
        candidates: all of them, those that count as the target first.
        twins: those among them that need much evidence.
    """

    target: Target
    candidates: tuple[str, ...]
    twins: frozenset[str]

    def of_script(self, script: str) -> tuple[str, ...]:
        """Return the candidates that are written in this script, in order."""
        return tuple(code for code in self.candidates if script in SCRIPTS[code])


def contest(target: Target, listed: Sequence[str] | None = None) -> Contest:
    """Return the contest for a target: against the listed languages, or against English and the tables' rivals."""
    own = frozenset(target.codes)
    if listed is None:
        relatives = [relative for code in target.codes for relative in RELATIVES[code]]
        strangers = [s for script in sorted(target.scripts) for s in STRANGERS.get(script, ())]
        rivals = ["en", *relatives, *strangers]
    else:
        rivals = [code for tag in listed for code in resolve(tag).codes]
    twins = frozenset().union(*(pair for pair in TWINS if pair & own)) - own
    return Contest(target, tuple(dict.fromkeys([*target.codes, *rivals])), twins)
