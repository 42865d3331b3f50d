"""The options of a recipe, and what they mean for the request, the budget and the cassette."""

import re
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab_openai.options import ChatOptions, PoolingOptions, RewardModelOptions

LOCAL = "http://localhost:8000/v1"


@each_case(
    "given, meant",
    [
        (LOCAL, LOCAL),
        (f"{LOCAL}/", LOCAL),
        (f" {LOCAL}\n", LOCAL),  # as a file or a shell gives it
        (f"{LOCAL}/chat/completions", LOCAL),
        (f"{LOCAL}/chat/completions/", LOCAL),
        ("http://localhost:8000", "http://localhost:8000"),
        ("https://gateway.example/openai/deployments/x", "https://gateway.example/openai/deployments/x"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://user:pass@localhost:8000/v1", "http://user:pass@localhost:8000/v1"),
    ],
)
def test_forms_of_an_address(given, meant):
    assert ChatOptions(model="m", base_url=given).base_url == meant


@each_case(
    "url, message",
    [
        ("", "'' is not an http address, such as http://localhost:8000/v1"),
        ("localhost:8000/v1", "is not an http address"),
        ("ftp://localhost/v1", "is not an http address"),
        ("http:///v1", "is not an http address"),
        ("http://local host/v1", "is not an http address"),
        ("http://localhost:99999/v1", "Port out of range 0-65535"),
        ("http://localhost:0/v1", "has port 0, on which nothing can listen"),
        ("http://[::1/v1", "Invalid IPv6 URL"),
        ("http://localhost/v1?key=1", "leave out what follows ? or #"),
        ("http://localhost/v1#x", "leave out what follows ? or #"),
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_asked(problems, url, message):
    [problem] = problems(base_url=url)
    assert problem.startswith("base_url: ")
    assert message in problem


@each_case(
    "options, message",
    [
        ({"model": ""}, "model: "),
        ({"modle": "m"}, "modle: no such option; did you mean 'model'?"),
        ({"temperature": 2.1}, "temperature: "),
        ({"max_tokens": 0}, "max_tokens: "),
        ({"max_tokens_name": "max_output_tokens"}, "max_tokens_name: "),
        ({"top_p": 0}, "top_p: "),
        ({"headers_env": {"X Key": "VARIABLE"}}, "headers_env: 'X Key' is not a header that can be added"),
        ({"headers_env": {"X-Key\r\nHost": "VARIABLE"}}, "is not a header that can be added"),
        ({"headers_env": {"host": "VARIABLE"}}, "headers_env: 'host' is not a header that can be added"),
        ({"headers_env": {"X-Key": ""}}, "'X-Key' needs the name of an environment variable"),
        ({"headers_env": {"X-Key": "A", "x-key": "B"}}, "the same header is given twice"),
    ],
)
def test_wrong_options_are_refused_at_their_place(problems, options, message):
    [problem] = problems(**options)
    assert message in problem


@each_case("key", ["model", "messages", "stream", "n"])
def test_extra_body_cannot_replace_who_and_what_is_asked(problems, key):
    [problem] = problems(extra_body={key: 1})
    assert problem.startswith(f"extra_body: {key!r} cannot be set in extra_body")


@each_case(
    "option, more",
    [
        ({"temperature": 1.0}, {"temperature": 0}),
        ({"max_tokens": 9}, {"max_completion_tokens": 9}),
        ({"top_p": 0.5}, {"top_p": 1}),
        ({"seed": 1}, {"seed": 2}),
    ],
)
def test_nothing_may_be_given_twice(problems, option, more):
    [problem] = problems(**option, extra_body=more)
    assert f"{next(iter(option))} is given twice, as an option and in extra_body" in problem


def test_a_limit_in_extra_body_bounds_an_answer_too(spec):
    assert spec.most_tokens(ChatOptions(model="m", extra_body={"max_completion_tokens": 7})) == 7


def test_a_key_that_was_pasted_in_place_of_a_name_is_not_repeated(problems):
    [problem] = problems(api_key_env="sk-abc-123")
    assert "this is not the name of an environment variable" in problem
    assert "sk-abc" not in problem


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "http://user:pass@localhost/v1", "api_key_env": "KEY"},
        {"api_key_env": "KEY", "headers_env": {"authorization": "OTHER"}},
        {"base_url": "http://user@localhost/v1", "headers_env": {"Authorization": "OTHER"}},
    ],
)
def test_there_is_one_authorization(problems, options):
    [problem] = problems(**options)
    assert "both fill the header Authorization; keep one" in problem


class TestWhatTheHostNeeds:
    def test_a_judge_has_a_network(self, spec):
        assert (spec.reads, spec.local) == ("messages", False)

    def test_most_tokens_of_an_answer_are_what_the_recipe_says(self, spec):
        assert spec.most_tokens(ChatOptions(model="m")) is None
        for name in ("max_tokens", "max_completion_tokens"):
            assert spec.most_tokens(ChatOptions(model="m", max_tokens=7, max_tokens_name=name)) == 7

    def test_the_identity_is_what_decides_an_answer_and_nothing_secret(self, spec):
        options = ChatOptions(
            model="m",
            base_url="http://user:pass@localhost/v1",
            temperature=0,
            max_tokens=7,
            seed=3,
            extra_body={"top_k": 1},
            headers_env={"X-Key": "KEY"},
        )
        params = {"temperature": 0, "max_tokens": 7, "seed": 3, "top_k": 1}
        assert spec.identity(options) == {"model": "m", "params": params}
        assert spec.identity(options.model_copy(update={"base_url": LOCAL})) == spec.identity(options)

    def test_what_a_server_can_do_is_no_part_of_it(self, spec):
        both = [spec.identity(ChatOptions(model="m", continues=continues)) for continues in (False, True)]
        assert both == [{"model": "m", "params": {}}] * 2  # a begun question has its own parameters

    def test_what_a_begun_question_says_is_not_given_twice(self, problems):
        [problem] = problems(continues=True, extra_body={"add_generation_prompt": False})
        assert "a question sets add_generation_prompt if it needs it; leave it out of extra_body" in problem


def test_the_readme_names_every_option():
    readme = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    chat, _, served = readme.partition("## openai/reward_model")
    assert options_in(chat) == sorted(ChatOptions.model_fields)
    assert options_in(served) == sorted([*PoolingOptions.model_fields, *RewardModelOptions.model_fields])


def options_in(page):
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    return sorted(re.findall(r"`(\w+)`", " ".join(rows)))
