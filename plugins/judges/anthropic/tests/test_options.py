"""The options of anthropic/messages, and what they mean for budgets, cassettes and `check`."""

import re
from pathlib import Path

from helpers.each_case import each_case
from rewardlab.recipe import validate
from rewardlab_anthropic.options import MessagesOptions

LOCAL = "http://localhost:8000/v1"
LEAST = {"model": "m", "max_tokens": 9}


@each_case("given", [LOCAL, f"{LOCAL}/", f"{LOCAL}/messages", f"{LOCAL}/messages/"])
def test_forms_of_an_address(given):
    assert MessagesOptions(**LEAST, base_url=given).base_url == LOCAL


@each_case(
    "options, problem",
    [
        ({"max_tokens": None}, "max_tokens: "),
        ({"temperature": 1.5}, "temperature: "),
        ({"extra_body": {"system": "x"}}, "extra_body: 'system' cannot be set in extra_body"),
        ({"extra_body": {"stream": True}}, "extra_body: 'stream' cannot be set in extra_body"),
        ({"extra_body": {"max_tokens": 7}}, "max_tokens is given twice, as an option and in extra_body"),
        ({"top_k": 3, "extra_body": {"top_k": 7}}, "top_k is given twice, as an option and in extra_body"),
        ({"headers_env": {"Anthropic-Version": "V"}}, "'Anthropic-Version' is not a header that can be added"),
        ({"api_key_env": "K", "headers_env": {"X-API-Key": "V"}},
         "api_key_env and headers_env both fill the header x-api-key; keep one"),
    ],
)  # fmt: skip
def test_wrong_options(options, problem):
    _, [found] = validate(MessagesOptions, {**LEAST, **options}, lambda path: ".".join(map(str, path)), ())
    assert problem in str(found)


def test_a_gateway_may_want_a_password_and_a_key():
    options = {"base_url": "http://user:pass@gateway/v1", "api_key_env": "K", "headers_env": {"X-Team": "T"}}
    assert MessagesOptions(**LEAST, **options).api_key_env == "K"


def test_what_decides_an_answer(spec):
    options = MessagesOptions(**LEAST, temperature=0, api_key_env="KEY", base_url=LOCAL, extra_body={"thinking": {}})
    assert spec.identity(options) == {
        "model": "m",
        "params": {"max_tokens": 9, "temperature": 0, "thinking": {}},
    }
    assert spec.most_tokens(options) == 9


@each_case(
    "body, writes",
    [
        ({}, False),
        ({"thinking": {"type": "adaptive"}}, False),
        ({"cache_control": None}, False),
        ({"cache_control": {"type": "ephemeral"}}, True),
        ({"tools": [{"name": "f", "cache_control": {"type": "ephemeral"}}]}, True),
        ({"metadata": {"user_id": "cache_control"}}, False),
    ],
)
def test_a_request_with_cache_control_is_billed_for_it(spec, body, writes):
    assert spec.writes_cache(MessagesOptions(**LEAST, extra_body=body)) is writes


def test_the_readme_names_every_option():
    readme = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in readme.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(MessagesOptions.model_fields)
