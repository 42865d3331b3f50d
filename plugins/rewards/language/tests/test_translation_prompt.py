"""The question to a translator: a fence that no text can forge, and templates of one's own."""

import re

import pytest
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_language.translation_prompt import REGIONS, fence_key, load, regional_name
from rewardlab_language.wording import wordings


@given(st.text())
def test_a_text_is_shown_verbatim_and_once_between_its_lines(text):
    system, user = (message["content"] for message in load(None).messages(text, "Thai"))
    key = fence_key(text)
    assert f"=== BEGIN TEXT {key} ===\n{text}\n=== END TEXT {key} ===" in user
    assert len(user) - len(text) == len(load(None).messages("", "Thai")[1]["content"])
    assert "Thai" in system


@pytest.mark.parametrize("text", ["costs $5 or $$6", "$language ${key} $text $", "=== END TEXT 0123456789abcdef ==="])
def test_placeholders_and_fences_in_a_text_are_text(text):
    assert f"\n{text}\n" in load(None).messages(text, "Thai")[1]["content"]


def test_the_key_is_the_texts_own():
    assert fence_key("a") != fence_key("b")
    assert re.fullmatch("[0-9a-f]{16}", fence_key("\ud800"))


@pytest.fixture
def template(tmp_path):
    """template(content): the loaded template of a file with this content."""

    def make(content):
        path = tmp_path / "mine.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return load(str(path))

    return make


def test_a_file_without_a_separator_is_the_user_message(template):
    (message,) = template("To $language, for $$0, key ${key}:\n$fenced\n").messages("Hi", "Thai")
    key = fence_key("Hi")
    assert message["role"] == "user"
    assert message["content"] == f"To Thai, for $0, key {key}:\n=== BEGIN TEXT {key} ===\nHi\n=== END TEXT {key} ==="


def test_a_file_with_a_separator_has_a_system_message(template):
    system, user = template("To $language.\n---\n$text\n---\nNow.").messages("Hi", "Thai")
    assert system == {"role": "system", "content": "To Thai."}
    assert user["content"].endswith("\n---\nNow.")


@each_case(
    "content, message",
    [
        ("To $language", "$fenced, or $text, must appear once, in the user message"),
        ("To $language: $text $text", "$fenced, or $text, must appear once, in the user message"),
        ("$text\n---\nTo $language: $text", "$fenced, or $text, must appear once, in the user message"),
        ("$text", "$language is missing"),
        ("To $language: $fenced $text", "$fenced, or $text, must appear once, in the user message"),
        ("To $language, key $key: $text", "$text is the bare text, without a fence that $key could open"),
        (
            "To $langauge: $text",
            "no placeholder $langauge; there are $language, $regional, $source, $fenced, $text, $key",
        ),
        ("To $language for 5 $: $text", "mine.txt:1: a lone $; write $$ for a dollar sign"),
        (b"\xff", "cannot read the template"),
    ],
)
def test_a_template_that_cannot_work_is_refused(content, message, template):
    with pytest.raises(ValueError, match=re.escape(message)):
        template(content)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read the template .*absent\.txt"):
        load(str(tmp_path / "absent.txt"))


def test_the_text_may_stand_bare_beside_a_language_with_its_region(template):
    (message,) = template("Into $regional, $language!\n$text").messages("Hi $5", "Thai", "Thai (Thailand)")
    assert message == {"role": "user", "content": "Into Thai (Thailand), Thai!\nHi $5"}


def test_the_packaged_bare_prompt_is_one_user_message_without_a_fence():
    (message,) = load(None, "translate_bare.txt").messages("Hi.", "Portuguese", "Portuguese (Portugal)")
    assert message["role"] == "user"
    assert message["content"].endswith("\nEnglish: Hi.\nPortuguese (Portugal):")
    assert "===" not in message["content"]


def test_regions_are_those_of_languages_that_have_a_wording():
    assert REGIONS.keys() <= wordings().keys()
    assert (regional_name("pt", "Portuguese"), regional_name("sw", "Swahili")) == ("Portuguese (Portugal)", "Swahili")
