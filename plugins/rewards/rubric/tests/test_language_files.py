"""The packaged texts: every file has every part, keeps what is the same in all languages, and is in its language."""

import re
from functools import cache
from importlib.resources import files

import pytest
from helpers.each_case import each_case
from lingua import IsoCode639_1, Language, LanguageDetectorBuilder
from rewardlab_rubric.strategies.language_file import FENCES, PARTS, packaged_texts, read_language
from rewardlab_rubric.strategies.language_texts import Languages

CODES = sorted(packaged_texts())
NEIGHBOURS = ("nn", "be", "mk", "af", "mr", "sl", "lv", "az", "zu")
"""languages without a file that one of the others can be taken for; Bosnian has nearly every word of Croatian"""
SCRIPTS = {
    "Latn": "a-zA-Z\u00c0-\u024f\u1e00-\u1eff",
    "Cyrl": "\u0400-\u04ff",
    "Grek": "\u0370-\u03ff\u1f00-\u1fff",
    "Arab": "\u0600-\u06ff\u200c",
    "Hebr": "\u0590-\u05ff",
    "Deva": "\u0900-\u097f",
    "Beng": "\u0980-\u09ff",
    "Taml": "\u0b80-\u0bff",
    "Telu": "\u0c00-\u0c7f\u200c",
    "Thai": "\u0e00-\u0e7f",
    "Jpan": "\u3040-\u30ff\u4e00-\u9fff",
    "Kore": "\uac00-\ud7af",
    "Hans": "\u4e00-\u9fff",
    "Hant": "\u4e00-\u9fff",
}
KEPT = re.compile(r"Assistant [AB]|BEGIN|END|\$key|JSON")


def iso(code):
    return code.partition("-")[0]


@cache
def detector():
    every = {*map(iso, CODES), *NEIGHBOURS}
    return LanguageDetectorBuilder.from_iso_codes_639_1(
        *(IsoCode639_1.from_str(code) for code in sorted(every))
    ).build()


def language_of(code):
    return Language.from_iso_code_639_1(IsoCode639_1.from_str(iso(code)))


def long_texts(texts):
    rubrics = [text for one in (texts.binary, texts.pairwise) for text in (one.description, *one.levels.texts.values())]
    return {
        "thinking": texts.thinking,
        "tasks": " ".join(texts.tasks.values()),
        "rules": " ".join(texts.rules.values()),
        "rubrics": " ".join(rubrics),
        "form": " ".join([texts.system, texts.format, texts.explanation]),
    }


def every_text(texts):
    values = [*long_texts(texts).values(), *texts.tags.values()]
    return [KEPT.sub("", value) for value in values]


def test_at_least_thirty_languages_are_shipped():
    assert len(CODES) >= 43
    named = [one.name.removesuffix(".yaml") for one in (files("rewardlab_rubric") / "languages").iterdir()]
    assert sorted(named) == CODES


@pytest.mark.slow
def test_every_text_is_in_the_language_that_its_file_says():
    for code in CODES:
        for name, text in long_texts(packaged_texts()[code]).items():
            confidence = detector().compute_language_confidence(KEPT.sub("", text), language_of(code))
            assert confidence >= 0.5, (name, confidence)


def test_every_letter_is_of_the_files_script():
    for code in CODES:
        texts = packaged_texts()[code]
        strange = [re.sub(rf"[{SCRIPTS[texts.script]}]|[^\w]|\d|_", "", text) for text in every_text(texts)]
        assert [one for one in strange if one] == [], code


def test_what_is_the_same_in_all_languages_is_kept():
    for code in CODES:
        texts = packaged_texts()[code]
        assert [texts.rules["fences"].count(needed) for needed in FENCES] == [1, 1, 1], code
        first, second = (texts.pairwise.levels.texts[label] for label in ("Assistant A", "Assistant B"))
        assert first.count("Assistant A") == second.count("Assistant A") == 1, code
        assert first.count("Assistant B") == second.count("Assistant B") == 1, code
        assert "JSON" in texts.format, code
        assert texts.format.rstrip()[-1] in ":：", code
        others = [texts.system, texts.thinking, texts.format, *texts.tags.values(), *texts.tasks.values()]
        assert not any(
            "$" in one or "BEGIN" in one for one in [*others, texts.rules["rubric"], texts.rules["order"]]
        ), code
        assert len({*texts.tags.values()}) == len(texts.tags), code


def test_traditional_and_simplified_letters_are_not_mixed():
    simplified, traditional = ("".join(every_text(packaged_texts()[code])) for code in ("zh", "zh-Hant"))
    for one, other in ("评評", "标標", "准準", "输輸", "应應", "无無", "个個", "请請", "说說", "对對", "这這"):
        assert one not in traditional
        assert other not in simplified


def test_no_two_languages_share_a_name():
    named = [
        name.casefold() for texts in packaged_texts().values() for name in (texts.code, texts.language, *texts.names)
    ]
    assert len(named) == len(set(named))


@each_case("tag, code", [
        ("de", "de"), ("DE", "de"), ("deu", "de"), ("German", "de"), ("de-AT", "de"), ("deu_Latn", "de"),
        ("Persian (Farsi)", "fa"), ("zh-cn", "zh"), ("zh", "zh"), ("zho_Hans", "zh"), ("Chinese (Simplified)", "zh"),
        ("zh_TW", "zh-Hant"), ("zho_Hant", "zh-Hant"), ("Chinese (Traditional)", "zh-Hant"), ("pt_BR", "pt"),
        ("no", "nb"), ("arb_Arab", "ar"), ("Bahasa Indonesia", "id"), ("한국어", "ko"),
        ("kor_Hang", "ko"), (" English ", "en"),
    ])  # fmt: skip
def test_a_row_may_call_its_language_by_code_tag_or_name(tag, code):
    assert Languages().find(tag).code == code


@each_case("tag", ["xh", "Klingon", "", None, 7, "nn", "hi-Latn", "ja_Hira"])
def test_a_language_or_script_without_texts_is_an_error(tag):
    with pytest.raises(ValueError, match=r"no texts in the language|names no language|are in the script"):
        Languages().find(tag)


class TestAFolderOfOnesOwn:
    @pytest.fixture
    def folder(self, tmp_path):
        source = files("rewardlab_rubric") / "languages" / "en.yaml"
        text = source.read_text(encoding="utf-8").replace("language: English", "language: Xhosa")
        text = text.replace("- eng\n", "- xho\n")
        path = tmp_path / "xh.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def test_adds_a_language(self, folder):
        assert Languages(str(folder.parent)).find("xho").code == "xh"
        assert Languages(str(folder.parent)).find("de").code == "de"

    def test_comes_before_the_packaged_ones(self, folder):
        folder.rename(folder.with_name("de.yaml"))
        assert Languages(str(folder.parent)).find("de").language == "Xhosa"

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ("system:", "sistem:", r"xh.yaml:1: 'system' is missing"),
            ("  single:", "  both: x\n  single:", r"xh.yaml:\d+: 'both' has no place here"),
            ("$key", "$kye", r"xh.yaml:\d+: \$key must appear in it once"),
            ("BEGIN", "START", r"xh.yaml:\d+: BEGIN must appear in it once"),
            ("assistant_a", "response_1", r"xh.yaml:\d+: level Response 2 is missing"),
            ("    tie:", "    draw:", r"xh.yaml:\d+: 'draw' is not a level"),
            ("  response: Response", "  response: ''", r"xh.yaml:\d+: tags.response must be a text"),
            ("- xho\n", "  xho\n", r"xh.yaml:\d+: names are a list"),
        ],
    )
    def test_is_checked_with_file_and_line(self, folder, old, new, told):
        text = folder.read_text(encoding="utf-8")
        assert old in text
        folder.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(ValueError, match=told):
            Languages(str(folder.parent))

    def test_names_its_files_by_codes(self, folder):
        folder.rename(folder.with_name("Xhosa.yaml"))
        with pytest.raises(ValueError, match="called by its code"):
            Languages(str(folder.parent))

    def test_that_is_not_there(self, tmp_path):
        with pytest.raises(ValueError, match="is not a folder with files"):
            Languages(str(tmp_path / "none"))


def test_the_parts_are_those_of_the_file():
    assert {*PARTS} <= set(read_language(files("rewardlab_rubric") / "languages" / "en.yaml").__dict__)
