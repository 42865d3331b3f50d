"""Before a run, each judge that something asks is asked once: what is wrong shows before anything is paid for."""

import importlib
import json
import re

import pytest
from rewardlab.errors import UserError
from rewardlab.judging import retries
from rewardlab.judging.hosted_judge import PROBE_QUESTION
from rewardlab.plan.planner import make_plan
from rewardlab.recipe.loading import load
from rewardlab_training.check import check_recipe
from rewardlab_training.first_call import probe_judges

PLUGIN = """
    import asyncio
    import os
    from rewardlab import Ask, Config, DatasetSpec, JudgeSpec, Reply, RewardSpec, Score, hookimpl
    from rewardlab.errors import TryAgain

    asked, closed = [], []

    class Judging(Config):
        answer: str = "ready"
        key_env: str | None = None

    class Judge:
        def __init__(self, options):
            self.options = options

        async def ask(self, ask):
            asked.append((self.options.answer, ask))
            if self.options.answer == "refuses":
                return Reply(error="HTTP 401: wrong key " + os.environ["PROBE_KEY"])
            if self.options.answer == "raises":
                raise ConnectionError("no route to host")
            if self.options.answer == "is busy" and len(asked) < 9:
                raise TryAgain("answered HTTP 429: slow down", after=0.01)
            if self.options.answer == "is always busy":
                raise TryAgain("answered HTTP 503: later")
            if self.options.answer == "hangs":
                await asyncio.sleep(3600)
            return Reply(text=self.options.answer)

        async def aclose(self):
            closed.append(self.options.answer)

    class Asking(Config):
        judge: str = "main"
        temperature: float | None = None
        roles: list[str] = ["user"]

    def question(options):
        messages = [{"role": role, "content": "Say ready"} for role in options.roles]
        params = {} if options.temperature is None else {"temperature": options.temperature}
        return Ask(messages=messages, params=params)

    @hookimpl
    def rewardlab_judges():
        build = lambda options, context: Judge(options)
        made = {"config": Judging, "summary": "made", "build": build}
        return [JudgeSpec(name="chat", **made), JudgeSpec(name="scripted", local=True, **made)]

    @hookimpl
    def rewardlab_rewards():
        made = {"summary": "made", "config": Asking, "judges": ("judge",), "build": lambda *_: None}
        return [RewardSpec(name="asking", **made), RewardSpec(name="shaped", question=question, **made)]

    @hookimpl
    def rewardlab_datasets():
        build = lambda options, context: context.source
        return [DatasetSpec(name="step", summary="made", config=Asking, judges=("judge",), step=True, build=build)]
"""
STAGE = {"use": "data", "to": "made.jsonl", "dataset": {"use": "data/arithmetic", "with": {"rows": 4}}}
RECIPE = {
    "version": 1,
    "name": "probing",
    "reward": {"components": {"a": {"use": "mine/asking"}}, "total": "a"},
    "stages": [STAGE],
}


@pytest.fixture
def probe(offer, write):
    """Probe the judges of a recipe: what was said, and the questions by the judge's answer."""
    offer("mine", PLUGIN)

    def run(judges, **more):
        made = {name: {"use": "mine/chat", **settings} for name, settings in judges.items()}
        path = write("r.yaml", json.dumps({**RECIPE, "judges": made, **more}))
        plugin = importlib.import_module("plugin_mine_mine_rewards")
        plugin.asked.clear(), plugin.closed.clear()
        said = []
        probe_judges(check_recipe(load(path), purpose="run"), said.append)
        assert {answer for answer, _ in plugin.asked} <= set(plugin.closed)
        return said, plugin.asked

    return run


def test_each_judge_that_a_reward_or_a_data_step_asks_is_asked_once(probe):
    step = {"use": "mine/step", "with": {"judge": "translator"}, "from": STAGE["dataset"]}
    judges = {"main": {}, "translator": {"with": {"answer": "bereit"}}, "idle": {"with": {"answer": "never asked"}}}
    said, asked = probe(judges, stages=[{**STAGE, "dataset": step}])
    assert said == ["judges that answer: main, translator"]
    assert asked == [("ready", PROBE_QUESTION), ("bereit", PROBE_QUESTION)]


def test_all_that_do_not_answer_are_told_at_once_with_their_own_words_and_no_key(probe, monkeypatch, tmp_path):
    monkeypatch.setenv("PROBE_KEY", "sk-secret")
    judges = {
        "refusing": {"with": {"answer": "refuses", "key_env": "PROBE_KEY"}},
        "raising": {"with": {"answer": "raises"}, "retries": 9},
        "hanging": {"with": {"answer": "hangs"}, "timeout": 0.05},
        "fine": {},
    }
    parts = {f"a{number}": {"use": "mine/asking", "with": {"judge": name}} for number, name in enumerate(judges)}
    with pytest.raises(UserError) as told:
        probe(judges, reward={"components": parts, "total": "a0"})
    assert [str(problem) for problem in told.value.problems] == [
        f"{tmp_path}/r.yaml:1: judges.refusing: HTTP 401: wrong key ***",
        f"{tmp_path}/r.yaml:1: judges.raising: judge 'raising' raised ConnectionError: no route to host",
        f"{tmp_path}/r.yaml:1: judges.hanging: judge 'hanging' gave no answer within 0.05 s",
    ]


def test_a_busy_judge_is_there_and_is_asked_again(probe, monkeypatch):
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)
    said, asked = probe({"main": {"with": {"answer": "is busy"}}})
    assert (said, len(asked)) == (["judges that answer: main"], 9)  # it says when to come back, and is waited for
    with pytest.raises(UserError, match="judge 'main' answered HTTP 503: later, 3 tries"):
        probe({"main": {"with": {"answer": "is always busy"}}})


CHAT = """
version: 1
reward: {components: {a: {use: pairwise/win_rate, with: {judge: main}}}, total: a}
judges: {main: {use: openai/chat, with: {model: m, base_url: URL}, timeout: 0.2, retries: RETRIES}}
"""


def test_a_judge_that_is_down_is_waited_for_by_a_job_that_goes_on_as_long_as_its_questions_would_wait(
    judge_server, write, monkeypatch
):
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.1)
    server = judge_server.JudgeServer(answer=lambda request: "ready")
    with judge_server.Serving(server):
        url, port = server.url, server.port

    def plan(retries):
        return make_plan(
            load(write("r.yaml", CHAT.replace("URL", url).replace("RETRIES", str(retries)))), purpose="score"
        )

    for patient in (False, True):  # the second, too, where no question of the job would wait for longer
        with pytest.raises(UserError, match="judge 'main' cannot be reached"):
            probe_judges(plan(0), print, patient=patient)

    said, serving = [], judge_server.Serving(server, port)

    def hear(line):
        said.append(line)
        if "its questions wait for it" in line:
            serving.__enter__()

    try:
        probe_judges(plan(1), hear, patient=True)  # a retry has 12 s
    finally:
        serving.__exit__()
    assert re.fullmatch(
        r"warning: judge 'main' cannot be reached at .*; its questions wait for it, for 12 s at most", said[0]
    )
    assert re.fullmatch(r"judge 'main' answers again after \d s; 1 question waited", said[1])
    assert said[2:] == ["judges that answer: main"]


def test_a_judge_that_refuses_is_not_waited_for(judge_server, write):
    server = judge_server.JudgeServer(keys=("another",))
    with judge_server.Serving(server):
        path = write("r.yaml", CHAT.replace("URL", server.url).replace("RETRIES", "5"))
        with pytest.raises(UserError, match="Incorrect API key"):
            probe_judges(make_plan(load(path), purpose="score"), print, patient=True)
    assert server.seen["requests"] == 1


def test_judges_without_a_network_and_replays_are_not_asked(probe, tmp_path):
    (tmp_path / "c.jsonl").write_text("")
    assert probe({"main": {"use": "mine/scripted"}}) == ([], [])
    for mode in ("replay", "strict"):
        cassette = {"path": str(tmp_path / "c.jsonl"), "mode": mode}
        assert probe({"main": {"cassette": cassette}})[1] == []


def test_a_recorded_job_is_probed_once_for_all(probe, tmp_path):
    judges = {"main": {"cassette": {"path": str(tmp_path / "c.jsonl")}}}
    assert len(probe(judges)[1]) == 1
    assert probe(judges) == (["judges that answer: main"], [])


def test_a_judge_is_asked_in_each_form_in_which_it_will_be(probe):
    shaped = [{"roles": ["system", "user"]}, {"roles": ["system", "user"]}, {"temperature": 0.5}]
    parts = {f"a{number}": {"use": "mine/shaped", "with": options} for number, options in enumerate(shaped)}
    _, asked = probe({"main": {}}, reward={"components": parts, "total": "a0 + a1 + a2"})
    forms = [([message["role"] for message in ask.messages], ask.params) for _, ask in asked]
    assert forms == [(["system", "user"], {}), (["user"], {"temperature": 0.5})]
