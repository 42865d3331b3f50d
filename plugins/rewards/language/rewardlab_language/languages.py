"""The 75 languages that lingua 2.1 knows, and the names that a row may give them. Does not import lingua."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewardlab_answers import named_language

if TYPE_CHECKING:
    from lingua import Language

# ISO 639-1, ISO 639-3, English name, scripts by ISO 15924 (Kana: hiragana and katakana).
_TABLE = """
af afr Afrikaans Latn|ar ara Arabic Arab|az aze Azerbaijani Latn|be bel Belarusian Cyrl|bg bul Bulgarian Cyrl
bn ben Bengali Beng|bs bos Bosnian Latn|ca cat Catalan Latn|cs ces Czech Latn|cy cym Welsh Latn
da dan Danish Latn|de deu German Latn|el ell Greek Grek|en eng English Latn|eo epo Esperanto Latn
es spa Spanish Latn|et est Estonian Latn|eu eus Basque Latn|fa fas Persian Arab|fi fin Finnish Latn
fr fra French Latn|ga gle Irish Latn|gu guj Gujarati Gujr|he heb Hebrew Hebr|hi hin Hindi Deva
hr hrv Croatian Latn|hu hun Hungarian Latn|hy hye Armenian Armn|id ind Indonesian Latn|is isl Icelandic Latn
it ita Italian Latn|ja jpn Japanese Hani+Kana|ka kat Georgian Geor|kk kaz Kazakh Cyrl|ko kor Korean Hang
la lat Latin Latn|lg lug Ganda Latn|lt lit Lithuanian Latn|lv lav Latvian Latn|mi mri Maori Latn
mk mkd Macedonian Cyrl|mn mon Mongolian Cyrl|mr mar Marathi Deva|ms msa Malay Latn|nb nob Bokmal Latn
nl nld Dutch Latn|nn nno Nynorsk Latn|pa pan Punjabi Guru|pl pol Polish Latn|pt por Portuguese Latn
ro ron Romanian Latn|ru rus Russian Cyrl|sk slk Slovak Latn|sl slv Slovene Latn|sn sna Shona Latn
so som Somali Latn|sq sqi Albanian Latn|sr srp Serbian Cyrl|st sot Sotho Latn|sv swe Swedish Latn
sw swa Swahili Latn|ta tam Tamil Taml|te tel Telugu Telu|th tha Thai Thai|tl tgl Tagalog Latn
tn tsn Tswana Latn|tr tur Turkish Latn|ts tso Tsonga Latn|uk ukr Ukrainian Cyrl|ur urd Urdu Arab
vi vie Vietnamese Latn|xh xho Xhosa Latn|yo yor Yoruba Latn|zh zho Chinese Hani|zu zul Zulu Latn
"""
_ENTRIES = [entry.split() for entry in _TABLE.replace("\n", "|").split("|") if entry]

SCRIPTS: Mapping[str, frozenset[str]] = {code: frozenset(scripts.split("+")) for code, _, _, scripts in _ENTRIES}
"""ISO 639-1 code of each of the 75 languages -> the scripts that its model reads."""

_CODES: Mapping[str, str] = (
    {code: code for code in SCRIPTS}
    | {iso3: code for code, iso3, _, _ in _ENTRIES}
    | {name.lower(): code for code, _, name, _ in _ENTRIES}
    # old codes, and those of individual languages inside a macrolanguage, which data sets such as FLORES use
    | {"iw": "he", "in": "id", "mo": "ro", "fil": "tl", "arb": "ar", "pes": "fa", "prs": "fa", "zsm": "ms"}
    | {"swh": "sw", "cmn": "zh", "azj": "az", "lvs": "lv", "als": "sq", "khk": "mn", "ekk": "et"}
    | {"bangla": "bn", "farsi": "fa", "filipino": "tl", "mandarin": "zh", "slovenian": "sl", "luganda": "lg"}
    | {"bokmål": "nb", "kiswahili": "sw", "bahasa indonesia": "id", "bahasa melayu": "ms", "castilian": "es"}
    | {"norwegian bokmål": "nb", "norwegian nynorsk": "nn"}
)

# The models that stand for a language without a single model of its own: Norwegian is Bokmål or Nynorsk, and Serbian
# in Latin letters is recognised by the models of its neighbours, with which it shares nearly every word.
_STANDS_FOR: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("no", "nor", "norwegian"), ("nb", "nn")),
    "sr": ("sr", "hr", "bs"),
    "sr-Cyrl": ("sr",),
    "sr-Latn": ("hr", "bs"),
}
_SCRIPT_NAMES = {"Hans": "Hani", "Hant": "Hani", "Jpan": "Hani", "Kore": "Hang"}
_PARENTHESES = re.compile(r"\s*\([^()]*\)")


class UnknownLanguage(ValueError):
    """A language that lingua has no model of, or no language at all; the message says which."""


@dataclass(frozen=True)
class Target:
    """A language that a text should be in, with the lingua languages that count as it, the nearest one first."""

    name: str
    codes: tuple[str, ...]

    @property
    def scripts(self) -> frozenset[str]:
        """The scripts of the language that lingua's models read."""
        return frozenset().union(*(SCRIPTS[code] for code in self.codes))


def resolve(tag: object) -> Target:
    """Return the language meant by an ISO 639-1 or 639-3 code, a tag with script or region, or a name.

    "id", "zh-cn", "pt_BR", "ind_Latn", "Indonesian", "Deutsch" and "Chinese (Simplified)" are all understood. Raises
    UnknownLanguage for a language, or a script of it, that lingua has no model of.
    """
    if not isinstance(tag, str):
        raise UnknownLanguage(f"{tag!r} names no language")
    return _resolve(tag)


@functools.lru_cache(maxsize=1024)
def _resolve(tag: str) -> Target:
    plain = _PARENTHESES.sub("", tag).strip()
    if plain.lower() not in _CODES:
        plain = named_language(plain) or plain
    primary, *subtags = re.split(r"[-_]", plain) if plain.lower() not in _CODES else [plain]
    name = primary.lower()
    code = _CODES.get(name, name)
    script = next((s.title() for s in subtags if len(s) == 4 and s.isalpha()), None)
    codes = _STANDS_FOR.get(f"{code}-{script}") or _STANDS_FOR.get(code) or ((code,) if code in SCRIPTS else ())
    if not codes:
        raise UnknownLanguage(f"the language detector lingua has no model of the language {tag!r}")
    target = Target(code if code in SCRIPTS else "no", codes)
    if script and _SCRIPT_NAMES.get(script, script) not in target.scripts:
        raise UnknownLanguage(
            f"the language detector lingua has no model of the language {tag!r} in the script {script}"
        )
    return target


def lingua_language(code: str) -> "Language":
    """Return lingua's own value for one of the 75 codes."""
    from lingua import IsoCode639_1, Language

    return Language.from_iso_code_639_1(IsoCode639_1.from_str(code))
