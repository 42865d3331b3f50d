"""The detection of texts that are in English already, by the real lingua in this process."""

import json
from pathlib import Path

import pytest
from helpers.growth import refuse_growth

pytestmark = pytest.mark.slow  # loads models of 75 languages

LANGUAGE_TESTS = Path(__file__).parents[2] / "language" / "tests" / "data"
CODES = ("ar", "bn", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sw", "th", "zh")
GERMAN = "Zuerst standen 48 Bücher im Regal, also bleiben 24 übrig."
ENGLISH = "At first there were 48 books on the shelf, so 24 are left."


@pytest.fixture(scope="module")
def detect():
    from rewardlab_embed import english_worker

    languages = english_worker.build({}, {})
    return lambda text, language="de": languages.answer([{"text": text, "language": language}])[0]


@pytest.mark.parametrize("language", ["de", "en", "xx", None, "de_DE", "German", "deu", "zh-cn"])
def test_english_is_told_whatever_the_row_says(detect, language):
    assert detect(ENGLISH, language)["english"] is True
    assert detect(GERMAN, language if language != "zh-cn" else "de")["english"] is False


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("de", "German"),
        ("deu_Latn", "German"),
        ("German", "German"),
        ("de-AT", "German"),
        ("nb", "Norwegian"),
        ("jv", None),
    ],
)
def test_the_rows_language_is_named(detect, language, name):
    assert detect(GERMAN, language)["language"] == name


def test_without_a_language_a_long_text_is_named(detect):
    spanish = "Primero había cuarenta y ocho libros en el estante, y después quedaron veinticuatro. " * 2
    assert detect(spanish, None) == {"english": False, "language": "Spanish"}


@pytest.mark.parametrize("text", ["3 + 4 = 7", "$x + y$", "\\boxed{7}", "```python\nprint('hello')\n```", "", "x = 1"])
def test_formulas_code_and_digits_are_no_words(detect, text):
    assert detect(text) == {"english": None, "language": None}


def test_formulas_and_code_do_not_decide(detect):
    code = "```\nwhile the list has items: remove the first of them\n```"
    assert detect(f"Wir zählen die Bücher. {code} $\\text{{the sum}}$")["english"] is False


def test_other_languages_are_distinguished_from_english(detect):
    sentences = json.loads((LANGUAGE_TESTS / "four_sentences.json").read_text(encoding="utf-8"))
    wrong = [
        (code, row)
        for code, four in sentences.items()
        if code in CODES
        for row in (code, "en")
        if detect(" ".join(four), row)["english"] is not (code == "en")
    ]
    assert wrong == []


def test_a_transliteration_is_not_english_where_other_letters_are_wanted(detect):
    """Beside Hindi alone, any text in Latin letters is English."""
    for language, text in [
        ("hi", "Pehle hum equation solve karte hain, phir value formula mein rakhte hain."),
        ("zh", "Women xian ba liang ge shu jia qilai, ranhou chu yi san, suoyi da'an shi shi'er."),
        ("ja", "Mazu kazu wo kazoete, tsugi ni san de warimasu. Kotae wa juuni desu."),
        ("ko", "Meonjeo du sureul deohago, geu daeume seteuro nanumnida. Dabeun yeoldurimnida."),
        ("ru", "Snachala my skladyvaem dva chisla, a potom delim summu na tri. Otvet dvenadtsat."),
        ("ar", "Awalan nejma3 el ar2am, ba3dein ne2sem 3ala talata, fa el gawab etnashar."),
        ("th", "Rao khian function phuea an fai lae sadaeng phonlap bon na cho khrap."),
    ]:
        assert detect(text, language)["english"] is False, text
        assert detect(ENGLISH, language)["english"] is True
        assert detect("\u200b".join(ENGLISH), language)["english"] is True


@pytest.mark.parametrize("unit", ["hello friend ", "`", "$", "\\(", "<a", "\\boxed{", "```x", "$$ x", "\\a{}{}"])
def test_a_hostile_text_takes_little_time(detect, unit):
    detect(GERMAN)
    refuse_growth(unit, detect, lambda length: unit * (10 * length // len(unit)))
