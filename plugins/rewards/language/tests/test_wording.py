r"""The wording of rows in each language: right language, right script, one literal \boxed{}."""

from typing import get_args

from lingua import LanguageDetectorBuilder
from rewardlab_answers import last_box
from rewardlab_language.languages import SCRIPTS, lingua_language, resolve
from rewardlab_language.options import TRAINING_LANGUAGES, Language, UnseenLanguage
from rewardlab_language.prose import prose
from rewardlab_language.rivals import contest
from rewardlab_language.wording import wordings
from rewardlab_language.words import BREAK, words

LANGUAGES = sorted(wordings())
OWN_NAMES = {
    **{"ar": "العربية", "bn": "বাংলা", "de": "deutsch", "en": "english", "es": "español", "fr": "français", "hi": "हिंदी"},
    **{
        "id": "indonesia",
        "it": "italiano",
        "ja": "日本語",
        "ko": "한국어",
        "pt": "português",
        "ru": "русск",
        "te": "తెలుగు",
    },
    **{"sw": "kiswahili", "th": "ไทย", "yo": "yorùbá", "zh": "中文", "af": "afrikaans", "gu": "ગુજરાતી", "he": "עברית"},
    **{"nl": "nederlands", "pa": "ਪੰਜਾਬੀ", "tl": "tagalog", "tr": "türkçe", "vi": "việt", "fa": "فارسی", "pl": "polsku"},
    **{"sv": "svenska", "uk": "україн"},
}
TEXTS = [(code, kind) for code in LANGUAGES for kind in ("system", "conclusion")]


def test_the_languages_are_those_of_sp3f_and_some_more():
    assert set(wordings()) == set(get_args(Language))
    assert len(TRAINING_LANGUAGES) == 18
    assert set(get_args(UnseenLanguage)) == {"af", "gu", "he", "nl", "pa", "tl", "tr", "vi"}
    assert len(LANGUAGES) == 30


def test_each_text_has_one_literal_box():
    for code, kind in TEXTS:
        text = getattr(wordings()[code], kind)
        assert text.count(r"\boxed{}") == 1, (code, kind)
        assert text.count("\\") == text.count("{") == text.count("}") == 1, (code, kind)
        assert text == text.strip(), (code, kind)
        assert not {"$", "\n"} & set(text), (code, kind)


def test_each_text_is_in_the_script_of_its_language():
    for code, kind in TEXTS:
        found = {word.script for word in words(prose(getattr(wordings()[code], kind)).text)} - {BREAK}
        assert found, (code, kind)
        assert found <= SCRIPTS[code], (code, kind)


def test_each_system_message_is_in_its_language_for_lingua():
    for code in LANGUAGES:
        candidates = [lingua_language(rival) for rival in contest(resolve(code)).candidates]
        text = wordings()[code].system.replace(r"\boxed{}", "")
        if len(candidates) > 1:
            detector = LanguageDetectorBuilder.from_languages(*candidates).with_low_accuracy_mode().build()
            assert detector.detect_language_of(text) == lingua_language(code), code


def test_each_text_would_earn_the_reward_for_its_language(share):
    for code, kind in TEXTS:
        assert share(getattr(wordings()[code], kind), code) == 1.0, (code, kind)


def test_no_system_message_names_the_language_of_the_answer():
    """SP3F's do not (its figure 7), and one that does lifts the fidelity that is measured under it."""
    for code, own_name in OWN_NAMES.items():
        assert own_name not in wordings()[code].system.lower(), (code, own_name)
        assert OWN_NAMES.keys() == wordings().keys(), (code, own_name)


def test_no_text_serves_two_languages():
    for kind in ("system", "conclusion", "name"):
        assert len({getattr(wording, kind) for wording in wordings().values()}) == len(LANGUAGES)


def test_a_conclusion_boxes_the_answer_verbatim():
    for code in LANGUAGES:
        for answer in ["7", r"\frac{1}{2}", r"\{1, 2\}", r"\boxed"]:
            assert last_box(wordings()[code].conclude(answer)) == answer, (code, answer)
