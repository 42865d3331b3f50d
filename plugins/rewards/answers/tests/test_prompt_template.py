"""Files of prompt templates: what they become, and what is wrong with them."""

import re

import pytest
from rewardlab_answers import read_template


@pytest.fixture
def template(tmp_path):
    def read(content, placeholders=("one", "two")):
        path = tmp_path / "t.txt"
        path.write_text(content, encoding="utf-8")
        return read_template(path, placeholders)

    return read


def test_a_file_is_the_user_message_or_both_messages(template):
    assert template("Say $one.").messages({"one": "1"}) == [{"role": "user", "content": "Say 1."}]
    both = template("\nYou $two.\n---\nSay $one, $$5.\n---\n")
    assert (both.system_names, both.user_names) == (("two",), ("one",))
    assert both.messages({"one": "$two", "two": "2"}) == [
        {"role": "system", "content": "You 2."},
        {"role": "user", "content": "Say $two, $5.\n---"},
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a\nb $ c", "t.txt:2: a lone $; write $$ for a dollar sign"),
        ("$tow", "t.txt: no placeholder $tow; there are $one, $two"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(content, told, template):
    with pytest.raises(ValueError, match=re.escape(told)):
        template(content)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read the template .*none\.txt"):
        read_template(tmp_path / "none.txt", ())
