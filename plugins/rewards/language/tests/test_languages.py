"""The names that a row may give its language."""

import pytest
from helpers.each_case import each_case
from rewardlab_language.languages import SCRIPTS, UnknownLanguage, lingua_language, resolve


@each_case(
    "tag, codes",
    [
        ("id", ["id"]),
        ("ID", ["id"]),
        ("zh-cn", ["zh"]),
        ("zh_Hant_TW", ["zh"]),
        ("pt_BR", ["pt"]),
        ("ind_Latn", ["id"]),
        ("swh_Latn", ["sw"]),
        ("arb_Arab", ["ar"]),
        ("tha", ["th"]),
        ("Indonesian", ["id"]),
        ("bahasa indonesia", ["id"]),
        ("Chinese (Simplified)", ["zh"]),
        ("Deutsch", ["de"]),
        ("Japanisch", ["ja"]),
        ("ドイツ語", ["de"]),
        ("norsk", ["nb", "nn"]),
        ("Filipino", ["tl"]),
        ("fil", ["tl"]),
        ("iw", ["he"]),
        ("no", ["nb", "nn"]),
        ("nb", ["nb"]),
        ("nn_NO", ["nn"]),
        ("Norwegian", ["nb", "nn"]),
        ("sr", ["sr", "hr", "bs"]),
        ("sr-Latn-RS", ["hr", "bs"]),
        ("az-Latn", ["az"]),
        ("ja-Jpan", ["ja"]),
        ("ko-Kore", ["ko"]),
    ],
)
def test_understood(tag, codes):
    assert list(resolve(tag).codes) == codes


@each_case("tag", ["jv", "my", "ne", "km", "Klingon", "", "x-y", "az-Cyrl", "kk-Latn", None, 3, ["id"]])
def test_not_understood(tag):
    with pytest.raises(UnknownLanguage, match="language"):
        resolve(tag)


def test_the_table_is_linguas_own():
    from lingua import Language

    known = {language.iso_code_639_1.name.lower(): language for language in Language.all()}
    assert known.keys() == SCRIPTS.keys()
    for code, language in known.items():
        assert resolve(language.iso_code_639_3.name.lower()).codes[0] == code
        assert resolve(language.name.title()).codes[0] == code
        assert lingua_language(code) == language


def test_the_scripts_are_linguas_own():
    from lingua import Language

    for script, members in {
        "Latn": Language.all_with_latin_script(),
        "Cyrl": Language.all_with_cyrillic_script(),
        "Arab": Language.all_with_arabic_script(),
        "Deva": Language.all_with_devanagari_script(),
    }.items():
        codes = {member.iso_code_639_1.name.lower() for member in members}
        assert {code for code, scripts in SCRIPTS.items() if script in scripts} == codes
