"""Rewards by rubric with judges of a recipe: what `check` refuses, and a real server with and without probabilities."""

import asyncio
import importlib.util
import math
from pathlib import Path

import pytest
from aiohttp import web
from rewardlab import Completion, Context, Sample, installed
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_training import check_recipe, probe_judges

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
RECIPE = """\
version: 1
judges:
  main: {{use: {judge}}}
reward:
  components:
    quality: {{use: rubric/{name}, with: {{judge: main, {options}}}}}
  total: quality
stages:
  - {{use: data, to: made.jsonl, dataset: {{use: data/arithmetic, with: {{rows: 4}}}}}}
"""
SCALE = "rubric: {1: bad, 2: good}"


def recipe(tmp_path, options, judge="pairwise/overlap", name="pointwise"):
    path = tmp_path / "r.yaml"
    path.write_text(RECIPE.format(judge=judge, name=name, options=options), encoding="utf-8")
    return load(path)


@pytest.fixture
def serve(request):
    """`serve(logprobs)`: the address of a server whose replies score 2 of 2, with these log-probabilities."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def start(logprobs):
        text = '{"explanation": "fine", "score": 2}'
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", "logprobs": logprobs}

        async def reply(http):
            return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 3}})

        serving = module.Serving(module.JudgeServer(fault=lambda *_: reply), 0)
        server = serving.__enter__()
        request.addfinalizer(lambda: serving._thread.is_alive() and serving.__exit__())
        return server

    return start


def likely(**levels):
    top = [{"token": token[1:], "logprob": math.log(p)} for token, p in levels.items()]
    sure = [{"token": text, "logprob": 0.0, "top_logprobs": []} for text in ('{"explanation": "fine", "score": ', "}")]
    return {"content": [sure[0], {**top[0], "top_logprobs": top}, sure[1]]}


def scored(url, **options):
    registry = installed()
    chat, spec = registry.find("judge", "openai/chat"), registry.find("reward", "rubric/pointwise")
    config = spec.config(judge="main", rubric={"1": "bad", "2": "good"}, **options)

    async def run():
        judge = chat.build(chat.config(model="m", base_url=url), Context())
        judge.report_parsed = lambda reply, ok: None  # a host's
        reward = spec.build(config, Context(judges={"main": judge}))
        sample = Sample(id="s", prompt=({"role": "user", "content": "?"},))
        try:
            return (await reward.score([(sample, Completion(text="7"))]))[0]
        finally:
            await judge.aclose()

    return asyncio.run(run())


def test_probabilities_of_a_server_are_used(serve):
    server = serve(likely(_2=0.7, _1=0.3))
    assert scored(server.url, expected=True).value == pytest.approx(0.7)
    assert server.requests[-1]["logprobs"] is True
    assert server.requests[-1]["top_logprobs"] == 20
    assert scored(server.url).value == 1.0
    assert "logprobs" not in server.requests[-1]


def test_a_server_without_them_gives_no_score(serve):
    found = scored(serve(None).url, expected=True)
    assert found.value is None
    assert "no log-probabilities" in found.error


def test_check_refuses_expected_scores_of_a_judge_without_probabilities(tmp_path):
    with pytest.raises(UserError, match=r"r.yaml:\d+: reward.components.quality.with: asks judges.main for the prob"):
        check_recipe(recipe(tmp_path, f"{SCALE}, expected: true"), purpose="check")
    assert make_plan(recipe(tmp_path, SCALE), purpose="score")
    chat = "openai/chat, with: {model: m}"
    assert make_plan(recipe(tmp_path, f"{SCALE}, expected: true", judge=chat), purpose="score")


def test_a_run_does_not_begin_with_a_server_without_probabilities(tmp_path, serve):
    for logprobs, fine in ((likely(_2=1.0), True), (None, False)):
        chat = f'openai/chat, with: {{model: m, base_url: "{serve(logprobs).url}"}}'
        plan = make_plan(recipe(tmp_path, f"{SCALE}, expected: true", judge=chat), purpose="score")
        said = []
        if fine:
            probe_judges(plan, said.append)
            assert said == ["judges that answer: main"]
        else:
            with pytest.raises(UserError, match="without the log-probabilities of its tokens"):
                probe_judges(plan, said.append)


def test_check_names_a_gap_in_a_rubric_with_its_line(tmp_path):
    (tmp_path / "rubric.yaml").write_text("description: How good?\nscoring:\n  1: bad\n  3: good\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"rubric.yaml:2: the scale from 1 to 3 has no level 2"):
        check_recipe(recipe(tmp_path, f"rubric: {tmp_path}/rubric.yaml"), purpose="check")


def test_levels_stand_in_a_recipe_as_they_are_written(tmp_path):
    plan = make_plan(recipe(tmp_path, "rubric: {true: it is so, false: it is not}", name="binary"), purpose="score")
    assert plan.components["quality"].options.rubric == {"true": "it is so", "false": "it is not"}
