"""The requests that the server gets."""

import pytest
from rewardlab import Ask

TWO = ({"role": "system", "content": "Judge."}, {"role": "user", "content": "A or B?"})


def sent(server):
    [request] = server.requests
    return request


def test_the_least(serve, ask):
    server = serve()
    ask(server, Ask(messages=TWO))
    assert sent(server) == {"model": "m", "messages": list(TWO)}
    [headers] = server.headers
    assert headers["Content-Type"] == "application/json"
    assert {"Authorization", "Cookie"}.isdisjoint(headers)


def test_all_options(serve, ask):
    server = serve()
    json_schema = {"type": "json_schema", "json_schema": {"name": "v", "schema": {"type": "object"}}}
    ask(
        server,
        Ask(messages=TWO),
        temperature=0.0,
        max_tokens=64,
        top_p=0.9,
        seed=7,
        response_format=json_schema,
        extra_body={"chat_template_kwargs": {"enable_thinking": False}, "top_k": 20},
    )
    assert sent(server) == {
        "model": "m",
        "messages": list(TWO),
        "temperature": 0.0,
        "max_tokens": 64,
        "top_p": 0.9,
        "seed": 7,
        "response_format": json_schema,
        "chat_template_kwargs": {"enable_thinking": False},
        "top_k": 20,
    }


def test_the_limit_of_tokens_under_its_other_name(serve, ask):
    server = serve()
    ask(server, max_tokens=64, max_tokens_name="max_completion_tokens")
    assert "max_tokens" not in sent(server)
    assert sent(server)["max_completion_tokens"] == 64


@pytest.mark.parametrize(("seed", "draw", "expected"), [(7, 0, 7), (7, 3, 10), (0, 1, 1), (-1, 1, 0)])
def test_a_further_draw_has_another_seed(serve, ask, seed, draw, expected):
    server = serve()
    ask(server, Ask(messages=TWO, draw=draw), seed=seed)
    assert sent(server)["seed"] == expected


def test_without_a_seed_a_further_draw_is_the_servers_choice(serve, ask):
    server = serve()
    ask(server, Ask(messages=TWO, draw=3))
    assert "seed" not in sent(server)


def test_parameters_of_the_question_win(serve, ask):
    server = serve()
    params = {"temperature": 1.0, "max_tokens": 5, "seed": 1, "top_k": 2, "logprobs": True}
    ask(server, Ask(messages=TWO, params=params, draw=4), temperature=0, max_tokens=64, seed=7, extra_body={"top_k": 1})
    assert sent(server) == {"model": "m", "messages": list(TWO), **params}


def test_a_reply_that_is_begun_is_continued_where_the_server_does(serve, ask):
    params = {"continue_final_message": True, "add_generation_prompt": False}
    begun = Ask(messages=(*TWO, {"role": "assistant", "content": "<think>Also,"}), params=params)
    server = serve()
    ask(server, begun, continues=True)
    assert sent(server) == {"model": "m", "messages": list(begun.messages), **params}


def test_a_conversation_is_continued_by_none_that_is_not_asked_to(serve, ask):
    whole = (*TWO, {"role": "assistant", "content": "A"})
    server = serve()
    ask(server, Ask(messages=whole), continues=True)
    assert sent(server) == {"model": "m", "messages": list(whole)}


def test_headers_from_the_environment(serve, ask, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", " sk-key-of-the-judge\n")  # as `$(cat file)` and .env files leave it
    monkeypatch.setenv("TEAM", "research")
    server = serve()
    ask(server, api_key_env="JUDGE_KEY", headers_env={"X-Team": "TEAM"})
    [headers] = server.headers
    assert headers["Authorization"] == "Bearer sk-key-of-the-judge"
    assert headers["X-Team"] == "research"


def test_an_authorization_of_another_kind(serve, ask, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "Token abc")
    server = serve()
    ask(server, headers_env={"Authorization": "JUDGE_KEY"})
    assert server.headers[0]["Authorization"] == "Token abc"


def test_a_user_and_a_password_in_the_address(serve, ask):
    server = serve()
    ask(base_url=server.url.replace("://", "://us%40er:pass%3Aword@"))
    assert server.headers[0]["Authorization"] == "Basic dXNAZXI6cGFzczp3b3Jk"  # us@er:pass:word
    assert server.headers[0]["Host"] == f"127.0.0.1:{server.port}"


@pytest.mark.parametrize(
    "text",
    ["", "ஆம் நான் 你好 🙂", 'a "quoted" \\text\n\t\x00', "\u2028\ufeff", "half of an emoji \ud83d", "x" * 100_000],
)
def test_any_text_arrives_as_it_is(serve, ask, text):
    server = serve(answer=lambda request: request["messages"][0]["content"])
    assert ask(server, text).text == text
    assert sent(server)["messages"] == [{"role": "user", "content": text}]


def test_a_question_without_messages_is_refused(build, ask, serve):
    server = serve()
    assert ask(server, Ask(parts={"a": "x"})).error == "openai/chat needs messages; the question has none"
    assert server.requests == []
