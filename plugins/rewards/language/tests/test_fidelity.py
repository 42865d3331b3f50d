"""language/fidelity as recipes use it."""

import subprocess
import sys

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample, find

SPEC = find("reward", "language/fidelity")
GOLD = (
    r"Pertama kita tahu bahwa ada 5 apel. Kemudian kita tambahkan 3 yang lainnya. Jadi 5 + 3 = 8. "
    r"Jawabannya adalah \boxed{8}."
)
ENGLISH = r"First we know that there are 5 apples. Then we add the other 3. So 5 + 3 = 8. It is \boxed{8}."
MIXED = r"Pertama kita tahu bahwa ada 5 apel. Then we add the other 3. Jadi 5 + 3 = 8. It is \boxed{8}."


def test_the_threshold_gates_the_share(fidelity):
    assert fidelity(GOLD, "id").value == 1.0
    assert fidelity(MIXED, "id").value == 0.0
    assert fidelity(ENGLISH, "id").value == 0.0
    assert fidelity(MIXED, "id", threshold=0.3).value == 1.0


def test_without_a_threshold_the_share_is_the_value(fidelity):
    score = fidelity(MIXED, "id", threshold=None)
    assert score.value == score.info["share"]
    assert 0.4 < score.value < 0.7


@pytest.mark.slow
def test_info_always_has_share_and_language(fidelity):
    for text, language in [(GOLD, "id"), (ENGLISH, "id"), ("", "id"), (GOLD, "jv")]:
        for profile in ("default", "sp3f_official"):
            assert {"share", "language"} <= fidelity(text, language, profile=profile).info.keys()


@each_case("text", ["", "   ", r"\boxed{8}", "5 + 3 = 8", "<think>Jadi lima apel</think>"])
def test_a_response_without_letters_earns_nothing(text, fidelity):
    score = fidelity(text, "id", threshold=None)
    assert (score.value, score.error, score.info["share"]) == (0.0, None, None)
    assert "no letters" in score.info["reason"]


@each_case("language", ["jv", "my", "ne", "km", "sr-Arab"])
def test_a_language_without_a_model_abstains(language, fidelity):
    score = fidelity(GOLD, language)
    assert (score.value, score.error) == (None, None)
    assert language in score.info["reason"]
    sample = Sample(fields={"language": language})
    assert SPEC.abstains(SPEC.config(), sample) == score.info["reason"]
    assert SPEC.abstains(SPEC.config(profile="sp3f_official"), sample) is None


def test_a_known_language_does_not_abstain():
    for language in ("id", "zh-cn", "pt_BR", "Indonesian", "no"):
        assert SPEC.abstains(SPEC.config(), Sample(fields={"language": language})) is None


@pytest.mark.parametrize("profile", ["default", "sp3f_official"])
def test_a_row_without_a_language_is_a_failure(profile):
    reward = SPEC.build(SPEC.config(profile=profile), Context())
    (score,) = reward.score([(Sample(fields={}), Completion(text=GOLD))])
    assert (score.value, score.error) == (None, "field 'language': missing")


@each_case(
    "part, values",
    [
        # English reasoning and gold response; gold reasoning and English response; gold without reasoning
        ("response", [1.0, 0.0, 1.0]),
        ("reasoning", [0.0, 1.0, 0.0]),
        ("both", [0.0, 0.0, 0.0]),
        ("answer", [1.0, 0.0, 1.0]),
    ],
)
def test_parts(part, values, fidelity):
    texts = [f"<think>{ENGLISH}</think>{GOLD}", f"<think>{GOLD}</think>{ENGLISH}", GOLD]
    assert [fidelity(text, "id", part=part).value for text in texts] == values


def test_both_is_the_lower_share(fidelity):
    score = fidelity(f"<think>{GOLD}</think>{MIXED}", "id", part="both", threshold=None)
    assert score.info["parts"] == {"response": score.value, "reasoning": 1.0}
    assert fidelity(f"<think>{GOLD}</think>{GOLD}", "id", part="both").value == 1.0


def test_thoughts_that_do_not_end_are_no_answer_beside_themselves(fidelity):
    for part, reason in (("both", "the response has no letters"), ("answer", "the answer has no letters")):
        score = fidelity(f"<think>{GOLD}", "id", part=part)
        assert (score.value, score.info["reason"]) == (0.0, reason)


def test_the_answer_is_what_its_tag_holds(fidelity):
    assert fidelity(f"{ENGLISH}<answer>Jadi jawabannya adalah delapan apel.</answer>", "id", part="answer").value == 1


def test_listed_languages_replace_the_rivals(fidelity):
    spanish = "Primero sumamos los dos números y luego dividimos el resultado entre tres."
    assert fidelity(spanish, "pt").value == 0.0
    assert fidelity(spanish, "pt", languages=["en", "pt"]).value == 1.0


@each_case(
    "options",
    [
        {"detector": "fasttext"},
        {"detector": "ensemble"},
        {"part": "all"},
        {"threshold": 0.0},
        {"threshold": 1.1},
        {"languages": []},
        {"languages": ["jv"]},
        {"profile": "sp3f_official", "part": "reasoning"},
        {"profile": "sp3f_official", "languages": ["id", "en"]},
        {"treshold": 0.7},
    ],
)
def test_options_that_do_not_work_are_refused(options):
    with pytest.raises(ValidationError):
        SPEC.config(**options)


def test_a_batch_is_scored_in_order_and_size_does_not_matter():
    reward = SPEC.build(SPEC.config(threshold=None), Context())
    items = [
        (Sample(fields={"language": language}), Completion(text=text))
        for language in ("id", "en", "jv", "sw")
        for text in (GOLD, ENGLISH, MIXED, "")
    ]
    together = reward.score(items)
    fresh = SPEC.build(SPEC.config(threshold=None), Context())
    assert [fresh.score([item])[0] for item in items] == together
    assert [score.value for score in reward.score(items[::-1])] == [score.value for score in together][::-1]


def test_the_spec_says_how_it_runs():
    assert (SPEC.scope, SPEC.range, SPEC.runs, list(SPEC.requires)) == (
        "completion",
        (0.0, 1.0),
        "worker",
        ["language"],
    )


@pytest.mark.slow
def test_importing_the_plugin_and_asking_whether_it_abstains_needs_no_lingua():
    code = (
        "import sys; from rewardlab import Sample, find;"
        "spec = find('reward', 'language/fidelity');"
        "assert spec.abstains(spec.config(languages=['id']), Sample(fields={'language': 'jv'}));"
        "assert 'lingua' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
