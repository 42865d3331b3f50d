"""The official profile gives what the published code gave."""

import json
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab_language.sp3f import _in_pieces

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "sp3f_lang_cases.jsonl").open()]


@pytest.mark.slow
@each_case("case", CASES)
def test_parity(case, fidelity):
    text, language, expected = case["input"]["text"], case["input"]["lang"], case["expected"]
    share = fidelity(text, language, profile="sp3f_official", threshold=None)
    assert share.value == share.info["share"] == expected["lang_score"]
    assert fidelity(text, language, profile="sp3f_official").value == expected["threshold_reward_0.7"]


def test_all_cases_are_there():
    assert len(CASES) == 22


@pytest.mark.parametrize("text", ["", "12 + 3 = 15", "🙂"])
@pytest.mark.parametrize("language", ["id", "en", "zh"])
def test_nothing_to_detect_is_zero(text, language, fidelity):
    score = fidelity(text, language, profile="sp3f_official")
    assert (score.value, score.info) == (0.0, {"share": 0.0, "language": None})


@each_case("language", ["jv", "ID", "zh-cn", "no", "Indonesian", None, 3])
def test_what_is_no_key_of_the_published_code_is_zero(language, fidelity):
    score = fidelity("Pertama kita tahu bahwa ada 5 apel.", language, profile="sp3f_official")
    assert (score.value, score.error) == (0.0, None)
    assert "no model" in score.info["reason"]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("<think>Let us add the numbers first.</think>Pertama kita tahu bahwa ada lima apel.", 1.0),
        ("Let us add the numbers first.</think>Pertama kita tahu bahwa ada lima apel.", 5 / 12),
        ("<think>Let us add the numbers first. Pertama kita tahu bahwa ada lima apel.", 5 / 12),
    ],
)
def test_thinking_is_dropped_only_where_both_tags_are(text, share, fidelity):
    value = fidelity(text, "id", profile="sp3f_official", threshold=None).value
    assert (value == 1.0) == (share == 1.0)


@pytest.mark.nightly
def test_models_loaded_on_demand_answer_as_preloaded_ones(solutions, four_sentences, fidelity):
    from lingua import Language, LanguageDetectorBuilder
    from rewardlab_language.languages import lingua_language

    for language in solutions:
        pair = {lingua_language(language), Language.ENGLISH}
        detector = LanguageDetectorBuilder.from_languages(*pair).with_preloaded_language_models().build()
        for other in sorted(four_sentences):
            for text in (
                " ".join(four_sentences[other]),
                f"{four_sentences[language][0]} {four_sentences[other][1]} {four_sentences['en'][3]}",
                solutions[language][:150] + solutions.get(other, "")[-150:],
            ):
                counts = {"en": 0, language: 0}
                for segment in detector.detect_multiple_languages_of(text):
                    counts[segment.language.iso_code_639_1.name.lower()] += segment.word_count
                expected = counts[language] / sum(counts.values()) if any(counts.values()) else 0.0
                score = fidelity(text, language, profile="sp3f_official", threshold=None)
                assert score.value == expected, (language, text)


def test_words_that_no_language_has_are_read_in_pieces():
    """So that a word of 400,000 letters does not take its square; all else reaches lingua as it is."""
    text = f"Das ist {'a' * 4000} und\n\n{'b' * 9000}, ja"
    assert _in_pieces(text) == f"Das ist {'a' * 4000} und\n\n{'b' * 4000} {'b' * 4000} {'b' * 1000}, ja"
    short = "Pertama  kita\ttahu\n"
    assert _in_pieces(short) is short
