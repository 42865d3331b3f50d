"""openai/pooling and openai/reward_model, against a real server in the forms of vLLM's three APIs for numbers."""

import asyncio
import json
import math

import pytest
from aiohttp import web
from helpers.each_case import each_case
from rewardlab import Ask, Completion, Context, Reply, Sample, find
from rewardlab.recipe import validate
from rewardlab.testing import check_reward
from rewardlab_openai.options import PoolingOptions, RewardModelOptions
from rewardlab_openai.pooling import PoolingJudge
from rewardlab_openai.reward_model import ServedRewardModel, number_in, question

PROMPT = ({"role": "system", "content": "Be kind."}, {"role": "user", "content": "How much is 2 + 3?"})
SAMPLE = Sample(id="s", prompt=PROMPT)


def worth(text):
    return 2.0 if "5" in text else -1.0


@pytest.fixture
def models(judge_server, request):
    """`models()`: a server with vLLM's endpoints of reward models; `answer(path, body)` takes their place."""

    class PoolingServer(judge_server.JudgeServer):
        answer_to = None

        async def start(self, port=0):
            app = web.Application()
            for path in ("/pooling", "/classify", "/score"):
                app.router.add_post(path, self._numbers)
            self._runner = web.AppRunner(app, access_log=None)
            await self._runner.setup()
            await web.TCPSite(self._runner, "127.0.0.1", port).start()
            self.port = self._runner.addresses[0][1]

        async def _numbers(self, http):
            if self.keys and http.headers.get("Authorization") not in {f"Bearer {key}" for key in self.keys}:
                return web.json_response({"error": {"message": "Unauthorized"}}, status=401)
            body = await http.json()
            self.requests.append((http.path, body))
            given = None if self.answer_to is None else self.answer_to(http.path, body)
            if isinstance(given, web.Response):
                return given
            number = worth(body.get("text_2") or body["messages"][-1]["content"])
            data = {
                "/pooling": {"index": 0, "object": "pooling", "data": [[0.0], [number]]},
                "/classify": {"index": 0, "label": "LABEL_0", "probs": [1 / (1 + math.exp(-number))], "num_classes": 1},
                "/score": {"index": 0, "object": "score", "score": 1 / (1 + math.exp(-number))},
            }[http.path]
            whole = {"id": "p", "object": "list", "model": body["model"], "data": [data], "usage": {"prompt_tokens": 7}}
            return web.json_response(whole if given is None else {**whole, "data": given})

    def start(answer_to=None, **settings):
        server = PoolingServer(**settings)
        server.answer_to = answer_to
        serving = judge_server.Serving(server)
        running = serving.__enter__()
        request.addfinalizer(serving.__exit__)
        return running

    return start


def scored(server, *texts, judge=None, **options):
    async def run():
        given = {"model": "m", "base_url": server.url, **(judge or {})}
        asked = PoolingJudge(PoolingOptions.model_validate(given))
        asked.report_parsed = lambda reply, ok: None  # a host's
        try:
            reward = ServedRewardModel(RewardModelOptions(judge="j", **options), Context(judges={"j": asked}))
            return await reward.score([(SAMPLE, Completion(text=text)) for text in texts])
        finally:
            await asked.aclose()

    return asyncio.run(asyncio.wait_for(run(), 20))


def test_a_number_of_each_conversation_becomes_a_probability(models):
    server = models()
    right, wrong, *blank = scored(
        server, "<think>2 + 3</think> It is 5.", "No.", "<think>5</think>  ", "\u200b\ufe0f", "<think>5, or"
    )
    assert (right.value, wrong.value) == pytest.approx((1 / (1 + math.exp(-2)), 1 / (1 + math.e)))
    assert (right.info, wrong.info) == ({"raw": 2.0, "tokens": 7}, {"raw": -1.0, "tokens": 7})
    assert [(score.value, score.info) for score in blank] == [(0.0, {"empty": True})] * 3
    assert [path for path, _ in server.requests] == ["/pooling"] * 2
    sent = [body["messages"] for _, body in server.requests]
    assert [*PROMPT, {"role": "assistant", "content": "It is 5."}] in sent


def test_center_scale_and_what_is_read_are_options(models):
    [one] = scored(models(), "<think>5</think>No.", read="all", center=1.0, scale=2.0)
    assert one.value == pytest.approx(1 / (1 + math.exp(-0.5)))


@pytest.mark.parametrize("endpoint", ["classify", "score"])
def test_probabilities_are_taken_as_they_are(models, endpoint):
    server = models()
    [one] = scored(server, "5", judge={"endpoint": endpoint}, convert="none")
    assert one.value == pytest.approx(1 / (1 + math.exp(-2)))
    [(path, body)] = server.requests
    assert path == f"/{endpoint}"
    if endpoint == "score":
        assert (body["text_1"], body["text_2"]) == ("Be kind.\nHow much is 2 + 3?", "5")


def test_more_of_the_request_is_the_users(models):
    server = models()
    scored(server, "5", judge={"extra_body": {"use_activation": False}})
    assert server.requests[0][1]["use_activation"] is False


@pytest.mark.parametrize(
    ("data", "options", "told"),
    [
        ([{"data": [0.1, 0.9]}], {}, "the model gives 2 numbers; `label` says which one counts, from 0"),
        ([{"data": [0.1, 0.9]}], {"label": 2}, "gives 2 numbers, not one of them `label` 2"),
        ([{"data": [3.0]}], {"convert": "none"}, "the model's number is 3, and `convert: none` needs one in [0, 1]"),
    ],
)
def test_numbers_of_another_form_are_no_score(models, data, options, told):
    [one] = scored(models(lambda path, body: data), "5", **options)
    assert one.value is None
    assert told in one.error


def test_one_of_several_labels_counts(models):
    [one] = scored(models(lambda path, body: [{"data": [0.25, 0.75]}]), "5", label=1, convert="none")
    assert one.value == 0.75


def test_a_number_that_is_not_finite_is_no_score():
    for text in ("[NaN]", "[Infinity]", "[-Infinity]", f"[1{'0' * 400}]"):
        with pytest.raises(ValueError, match="not finite"):
            number_in(Reply(text=text), None)
    for text in ("4 of 5", '["4"]', "{}", "[true]x", "", "[" * 100_000):
        with pytest.raises(ValueError, match="is it `use: openai/pooling`"):
            number_in(Reply(text=text), None)


@pytest.mark.parametrize(
    "data", [[], [{}], [{"data": []}], [{"data": "AAAA"}], [{"data": [None]}], [{"data": [[]]}], 3]
)
def test_an_answer_without_numbers_is_asked_for_again(models, data):
    from rewardlab.errors import TryAgain

    server = models(lambda path, body: data)
    with pytest.raises(TryAgain, match="answered with no numbers"):
        asyncio.run(PoolingJudge(PoolingOptions(model="m", base_url=server.url)).ask(question(PROMPT, "5")))


def test_a_server_without_the_endpoint_says_what_to_do(models):
    def refuse(path, body):
        return web.json_response(
            {"error": {"message": "The model does not support Pooling API", "code": 400}}, status=400
        )

    [one] = scored(models(refuse), "5")
    assert one.value is None
    assert "The model does not support Pooling API" in one.error
    assert "vLLM serves /pooling for reward models and classifiers, with --runner pooling" in one.error


def test_a_key_is_sent_and_the_address_may_end_in_v1(models, monkeypatch):
    monkeypatch.setenv("RM_KEY", "secret-of-mine")
    server = models(keys=("secret-of-mine",))
    assert server.url.endswith("/v1")
    [one] = scored(server, "5", judge={"api_key_env": "RM_KEY"})
    assert one.error is None
    [refused] = scored(server, "5")
    assert "HTTP 401" in refused.error


RECIPE = """
version: 1
judges:
  served:
    use: openai/pooling
    with: {{model: m, base_url: "{url}"}}
    retries: 1
    price: {{prompt: 1, completion: 0}}
reward:
  components: {{liked: {{use: openai/reward_model, with: {{judge: served, scale: 2}}}}}}
  total: liked
"""


def test_a_recipe_scores_by_it_with_the_limits_and_kept_answers_of_judges(models, main, write, tmp_path):
    server = models()
    write("r.yaml", RECIPE.format(url=server.url))
    write("rows.jsonl", [{"id": f"{n}", "prompt": "2 + 3?", "completions": ["5", "no"]} for n in range(3)])
    code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert code == 0, err
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["total"] for row in rows] == [pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(0.5))])] * 3
    assert len(server.requests) == 2  # equal questions are asked once
    assert "judge served: 2 calls, 14 tokens" in err


def test_no_server_is_no_score(models, main, write, tmp_path):
    write("r.yaml", RECIPE.format(url="http://127.0.0.1:9/v1"))
    write("rows.jsonl", [{"id": "1", "prompt": "2 + 3?", "completions": ["5"]}])
    code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "judges.served.retries=0")
    assert code != 0
    assert "Connection refused" in err


@each_case(
    "options, told",
    [
        ({"judge": "j", "convert": "none", "center": 1.0}, "center and scale are of `convert: sigmoid`"),
        ({"judge": "j", "scale": 0}, "greater than 0"),
        ({"judge": "j", "label": -1}, "greater than or equal to 0"),
        ({}, "missing"),
    ],
)
def test_wrong_options_are_told(options, told):
    _, problems = validate(RewardModelOptions, options, lambda path: ".".join(map(str, path)), ())
    assert any(told in str(problem) for problem in problems), problems


@pytest.mark.slow
def test_every_law_holds():
    assert all(tried.of("held") for tried in check_reward("openai/reward_model", tries=5))


def test_what_its_spec_builds_and_asks():
    spec = find("reward", "openai/reward_model")
    assert spec.build(RewardModelOptions(judge="j"), Context(judges={"j": None})) is not None
    assert isinstance(spec.question(RewardModelOptions(judge="j")), Ask)
