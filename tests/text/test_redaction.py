"""No secret leaves by a log, an error or a file."""

import html
import json
import re
import shlex
import subprocess
from urllib.parse import quote, quote_plus

import pytest
from helpers.each_case import each_case
from helpers.long_texts import assert_linear
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.text import MASK, MIN_LENGTH, Redactor, redaction
from rewardlab.text.redaction import environment_values

KEY = "sk-Ab9/+x= \"é'<&日"
WORDS = {"true", "false", "null", "none"}

secrets = st.text(min_size=MIN_LENGTH, max_size=12).filter(
    lambda s: len(s.strip()) >= MIN_LENGTH and s.strip().lower() not in WORDS
)
lookalikes = st.text("ab*", min_size=MIN_LENGTH, max_size=7)


@given(st.data(), st.lists(secrets | lookalikes, min_size=1, max_size=4))
def test_no_secret_survives(data, values):
    pieces = st.sampled_from(values) | st.text("ab* /\n", max_size=5) | st.text(max_size=5)
    text = "".join(data.draw(st.lists(pieces, max_size=8)))
    hidden = Redactor(values).text(text)
    assert not [value for value in values if value in hidden]


@given(secrets)
def test_no_secret_survives_another_way_of_writing_it(value):
    hide = Redactor([value]).text
    assert value not in json.loads(hide(json.dumps({"key": f"a{value}b"})))["key"]
    assert value not in json.loads(hide(json.dumps({"key": value}, ensure_ascii=False)))["key"]
    assert hide(quote(value, safe="")) == MASK
    assert hide(html.escape(value)) == MASK


@each_case(
    "write",
    [
        str,
        json.dumps,
        lambda value: json.dumps(value, ensure_ascii=False),
        repr,
        shlex.quote,
        html.escape,
        quote,
        lambda value: quote(value, safe=""),
        quote_plus,
        lambda value: re.sub("%..", lambda match: match[0].lower(), quote(value, safe="")),
    ],
)
def test_a_key_is_hidden_however_it_is_written(write):
    hidden = Redactor([KEY]).text(f"Authorization: Bearer {write(KEY)}, retrying")
    assert "Ab9" not in hidden
    assert hidden.replace('"', "").replace("'", "") in (
        f"Authorization: Bearer {MASK}, retrying",
        f"Authorization: Bearer {MASK} , retrying",
    )


def test_the_rest_of_the_text_stays():
    assert Redactor(["secret-1"]).text("a secret-1 b secret-2 secret-1\n") == f"a {MASK} b secret-2 {MASK}\n"
    assert Redactor([]).text("a: $x @ *** (1+1)") == "a: $x @ *** (1+1)"


def test_values_are_text_not_patterns():
    assert Redactor(["a.c+(d"]).text("abc+(d a.c+(d") == f"abc+(d {MASK}"


def test_the_longest_of_several_values_is_hidden_whole():
    assert Redactor(["token", "token-123", "token-12"]).text("=token-123=token-12=") == f"={MASK}={MASK}="


def test_of_values_that_overlap_nothing_is_left():
    assert Redactor(["abcd", "cdefgh"]).text("<abcdefgh>") == f"<{MASK}>"


def test_a_mask_never_completes_a_secret():
    assert Redactor(["abcd", "x***"]).text("xabcd") == MASK
    assert Redactor(["****"]).text("*********") == MASK


@each_case("value", ["", "1", "abc", "true", "False", "None", "null", " 12 "])
def test_values_too_short_or_too_common_to_be_secrets_are_left(value):
    text = "1 abc true False None null 12 x"
    assert Redactor([value]).text(text) == text


def test_a_value_of_several_lines_is_hidden_line_by_line():
    key = "-----BEGIN KEY-----\nMIIabc\r\nxyz1234\n-----END KEY-----\n"
    redactor = Redactor([key])
    assert redactor.text(f"key={key}") == f"key={MASK}"
    assert redactor.text("log: MIIabc") == f"log: {MASK}"
    assert redactor.text(f"header: {key.strip()}.") == f"header: {MASK}."


# --- URLs


@each_case(
    "url, hidden",
    [
        ("https://user:pa55@host:80/p?q=1#f", "https://***@host:80/p?q=1#f"),
        ("https://token@host", "https://***@host"),
        ("https://user:p@ss:w'ord@host/x", "https://***@host/x"),
        ("postgresql+psycopg://u:p@db/x", "postgresql+psycopg://***@db/x"),
        ("see http://a:b@c and http://d:e@f.", "see http://***@c and http://***@f."),
        ('{"url": "http://a:b@c"}', '{"url": "http://***@c"}'),
        ("http://***@host", "http://***@host"),
        ("https://host/path@v1", "https://host/path@v1"),
        ("https://host?user=a@b", "https://host?user=a@b"),
        ("https://host", "https://host"),
        ("mail me@host or ssh me@host", "mail me@host or ssh me@host"),
        ("://a@b", "://a@b"),
    ],
)
def test_the_user_information_of_urls_is_always_hidden(url, hidden):
    assert Redactor([]).text(url) == hidden


def test_a_value_within_the_user_information_takes_all_of_it_along():
    assert Redactor(["us/er"]).text("http://us/er:password@host") == "http://***@host"


def test_a_long_line_takes_no_long_time():
    line = "a" * 300_000 + "://" + "b" * 300_000 + "@" + "://" * 100_000
    assert Redactor(["secret", "aaaab"]).text(line).startswith("aaa")


@given(st.lists(secrets, max_size=3), st.text() | st.text("ab:/@*. ", max_size=30))
def test_what_is_redacted_stays_as_it_is(values, text):
    redactor = Redactor(values)
    once = redactor.text(text)
    assert redactor.text(once) == once


# --- Trees and the environment


def test_trees():
    redactor = Redactor(["secret", "12345"])
    tree = {
        "a-secret": ["x secret", ("secret", 1), {"url": "http://a:b@c"}],
        "pin": 12345,
        "steps": 123456,
        "rest": [None, True, 1.5, "fine"],
    }
    assert redactor.tree(tree) == {
        "a-***": ["x ***", ["***", 1], {"url": "http://***@c"}],
        "pin": "***",
        "steps": 123456,
        "rest": [None, True, 1.5, "fine"],
    }
    assert tree["pin"] == 12345


def test_the_environment_gives_the_values_of_variables_that_are_set(monkeypatch):
    monkeypatch.setenv("ONE_KEY", "sk-1")
    monkeypatch.setenv("EMPTY_KEY", "")
    monkeypatch.delenv("NO_KEY", raising=False)
    assert environment_values(["ONE_KEY", "EMPTY_KEY", "NO_KEY"]) == {"ONE_KEY": "sk-1"}


def test_a_value_that_is_no_utf8_is_hidden_too():
    value = b"k\xff-secret".decode("utf-8", "surrogateescape")
    assert Redactor([value]).text(f"<{value}> <k%FF-secret>") == f"<{MASK}> <{MASK}>"


def test_noted_secrets_are_hidden_from_then_on():
    assert redaction.redact("sk-12345 http://a:b@c") == "sk-12345 http://***@c"
    redaction.note_secrets(["sk-12345"])
    redaction.note_secrets(["sk-67890"])
    assert redaction.redact("sk-12345 sk-67890") == f"{MASK} {MASK}"


@each_case(
    "url, shown",
    [
        ("https://bob:pa/ss?w#rd@host/v1", "https://***@host/v1"),
        ("http://host:8000/v1/@x", "http://host:8000/v1/@x"),
        ("http://bob:${oc.env:PASSWORD}@host", "http://bob:${oc.env:PASSWORD}@host"),
        ("http://${LOGIN}@host", "http://${LOGIN}@host"),
        ("http://bob:${oc.env:PASSWORD,hunter2}@host", "http://***@host"),
        ("http://bob:x${oc.env:PASSWORD}@host", "http://***@host"),
    ],
)
def test_of_a_login_only_a_variable_is_shown(url, shown):
    assert Redactor([]).text(f"<{url}>") == f"<{shown}>"


class TestACommandThatGoesOn:
    @pytest.fixture(autouse=True)
    def variables(self):
        redaction.note_variables({"DATA": "/data/mine", "DEEPER": "/data/mine/deeper", "SHORT": "abc"})
        redaction.note_secrets(["hunter2"])

    @each_case(
        "argument, shown",
        [
            ("r.yaml", "r.yaml"),
            ("my rows.jsonl", "'my rows.jsonl'"),
            ("/data/mine", '"${DATA}"'),
            ("/data/mine/rows.jsonl", '"${DATA}"/rows.jsonl'),
            ("x=/data/mine/my rows.jsonl", "x=\"${DATA}\"'/my rows.jsonl'"),
            ("/data/mine/deeper/a:/data/mine", '"${DEEPER}"/a:"${DATA}"'),
            ("key=hunter2", "'key=***'"),
            ("abc", "abc"),
        ],
    )
    def test_names_the_variable(self, argument, shown):
        assert redaction.shell_command(["rewardlab", argument]) == f"rewardlab {shown}"
        assert redaction.redact(shown) == shown

    def test_works_in_a_shell(self):
        given = ["/data/mine/my $rows!.jsonl", "a 'b' \"c\"/data/mine", "`/data/mine/deeper`"]
        command = redaction.shell_command(["printf", r"%s\n", *given])
        variables = {"DATA": "/data/mine", "DEEPER": "/data/mine/deeper"}
        done = subprocess.run(["bash", "-c", command], env=variables, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == given

    def test_shows_a_path_to_read(self):
        assert redaction.name_variables("/data/mine/run 1") == "${DATA}/run 1"
        assert redaction.name_variables("hunter2/run") == "***/run"


@pytest.mark.slow
def test_long_texts_take_linear_time():
    assert_linear("from rewardlab.text.redaction import redact; redact(text)")


def test_a_login_behind_another_is_masked_too():
    assert Redactor(()).text("see a://u:p/x@z@h now") == "see a://***@h now"
