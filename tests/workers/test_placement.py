"""Rewards and data steps whose model runs in a process of its own: where a recipe says it runs, and what they share."""

import re
import sys
import textwrap

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.registry import installed
from rewardlab.registry.loading import ENVIRONMENT
from rewardlab.scoring.component_executors import Machine
from rewardlab.scoring.scorer import Scorer
from rewardlab.workers.devices import resolve_device
from rewardlab_training.dry_run import describe_environment
from rewardlab_training.stages import get_ready

MODEL = """
import os, sys, time

class Model:
    def __init__(self, settings, context):
        self.settings, self.context = settings, context

    def answer(self, questions):
        if "die" in questions:
            os._exit(9)
        if "sleep" in questions:
            time.sleep(60)
        told = {"pid": os.getpid(), "device": self.context["device"], "seed": self.context["seed"],
                "threads": os.environ["OMP_NUM_THREADS"], "isolated": sys.flags.isolated}
        return [told | {"value": len(question) / 10} for question in questions]

def build(settings, context):
    if settings["model"] == "missing":
        raise FileNotFoundError("no model here")
    return Model(settings, context)
"""
PLUGIN = """
from pathlib import Path
from rewardlab import Config, RewardSpec, Score, hookimpl
from rewardlab.errors import UserError
from rewardlab.specs import EnvironmentChoice

class Options(Config):
    model: str = "tiny"
    environment: EnvironmentChoice = "managed"

class Length:
    def __init__(self, options, context):
        if options.model == "nowhere":
            raise UserError("no folder 'nowhere'")
        self.worker = context.workers.open(Path(__file__).with_name("model.py"), {"model": options.model})

    async def score(self, items):
        answers = await self.worker.ask([completion.text for _, completion in items])
        return [Score(value=answer.pop("value"), info=answer) for answer in answers]

@hookimpl
def rewardlab_rewards():
    one = dict(summary="the text's length, by a model", config=Options, scope="batch", runs="async", timeout=0.8)
    return [RewardSpec(name="length", build=Length, **one),
            RewardSpec(name="whole", summary="never built in the host", runs="worker", build=None.__init__),
            RewardSpec(name="elsewhere", build=Length, environment="requirements.txt", **one)]
"""


@pytest.fixture
def plan_of(offer, write, tmp_path):
    """The plan of a recipe with these components, whose plugin `mine` holds a model."""

    def make(components: str, stages: str = ""):
        package = offer("mine", textwrap.dedent(PLUGIN))
        (package / "model.py").write_text(MODEL)
        (package / "requirements.txt").write_text("# nothing\n")
        names = [line.partition(":")[0].strip() for line in components.strip().splitlines()]
        inside = textwrap.indent(textwrap.dedent(components), "    ")
        text = f"version: 1\nseed: 7\nreward:\n  components:\n{inside}\n  total: {' + '.join(names)}\n{stages}\n"
        return make_plan(load(write("r.yaml", text)), purpose="score")

    return make


def infos(scored):
    return {name: [score.info for score in scores] for name, scores in scored.components.items()}


@pytest.mark.slow
def test_components_with_the_same_model_share_a_process(plan_of, group_of):
    plan = plan_of("""
        a: {use: mine/length}
        b: {use: mine/length}
        c: {use: mine/length, with: {model: large}, device: "cuda:1", threads: 2}
    """)
    with Scorer(plan, Machine(device="cpu")) as scorer:
        scorer.warm()
        groups = scorer.score_groups([group_of("x", "xx"), group_of("xxx")])
    assert groups[0].totals == pytest.approx([0.3, 0.6])
    found = [info for scored in groups for info in infos(scored)["a"] + infos(scored)["b"]]
    assert len({info["pid"] for info in found}) == 1
    assert {(info["device"], info["threads"], info["seed"]) for info in found} == {("cpu", "1", 7)}
    [other] = {(info["device"], info["threads"], info["pid"]) for info in infos(groups[1])["c"]}
    assert other[:2] == ("cuda:1", "2")
    assert other[2] != found[0]["pid"]


@pytest.mark.slow
def test_a_completion_that_the_model_dies_or_hangs_of_fails_alone(plan_of, group_of):
    plan = plan_of("a: {use: mine/length, on_missing: 0.0, max_missing: 1.0}")
    with Scorer(plan) as scorer:
        first, second = scorer.score_groups([group_of("x", "die", "sleep"), group_of("xx")])
    assert (first.totals[0], second.totals) == (0.1, [0.2])
    dead, hung = first.components["a"][1:]
    assert "mine/length: the worker died (exit code 9)" in dead.error
    assert "within 0.8 s" in hung.error


@pytest.mark.slow
def test_an_environment_of_the_users(plan_of, group_of):
    plan = plan_of(f"a: {{use: mine/elsewhere, with: {{environment: {{python: {sys.executable}}}}}}}")
    with Scorer(plan) as scorer:
        [scored] = scorer.score_groups([group_of("x")])
    assert infos(scored)["a"][0]["isolated"] == 1


def test_a_users_environment_that_is_not_there(plan_of):
    plan = plan_of("a: {use: mine/elsewhere, with: {environment: {python: /no/python}}}")
    with pytest.raises(UserError, match=r"component 'a' \(mine/elsewhere\): no interpreter '/no/python'"):
        Scorer(plan)


@pytest.mark.slow
def test_a_managed_environment_is_built_before_anything_else_after_saying_so(plan_of, group_of, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plan = plan_of("a: {use: mine/elsewhere}")
    said = []
    get_ready(plan, said.append)
    assert said == []  # nothing is trained, so nothing scores here
    with Scorer(plan) as scorer:
        [scored] = scorer.score_groups([group_of("x")])
    assert infos(scored)["a"][0]["isolated"] == 1
    [folder] = (tmp_path / "cache" / "rewardlab" / "environments").glob("mine-*/")
    assert folder.is_dir()


@pytest.mark.slow
def test_a_model_that_cannot_be_had_names_the_component(plan_of, group_of):
    plan = plan_of("a: {use: mine/length, with: {model: missing}}")
    with Scorer(plan) as scorer, pytest.raises(JobError) as told:
        scorer.score_groups([group_of("x")])
    assert str(told.value).startswith(
        "component 'a': mine/length cannot be built: FileNotFoundError: no model here (at "
    )
    assert "Traceback" not in str(told.value)


def test_rewards_are_tried_before_a_stage_has_cost_anything(plan_of):
    stages = "stages: [{use: sft}, {use: rl, algorithm: dr_grpo}]"
    plan = plan_of("a: {use: mine/length, with: {model: nowhere}}\nb: {use: mine/whole}", stages)
    with pytest.raises(UserError, match=r"component 'a' \(mine/length\): no folder 'nowhere'"):
        get_ready(plan, print)
    with pytest.raises(UserError, match="no folder"):
        get_ready(plan, print, only=1)
    get_ready(plan, print, only=0)  # nothing scores in it


def test_a_packaged_file_that_is_missing(plan_of, tmp_path):
    plan = plan_of("a: {use: mine/elsewhere}")
    (plan.plugins["mine"].home / "requirements.txt").unlink()
    with pytest.raises((UserError, JobError), match=r"requirements\.txt"):
        Scorer(plan)


def test_auto_is_a_cpu_where_no_gpu_may_be_used(monkeypatch):
    monkeypatch.setattr("rewardlab.workers.devices._gpus", lambda: 2)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert (resolve_device("auto"), resolve_device("cpu"), resolve_device("cuda:1")) == ("cuda", "cpu", "cuda:1")
    for hidden in ("", "-1"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
        assert resolve_device("auto") == "cpu"


def test_without_the_plugin_that_builds_environments_its_installation_is_told(plan_of, monkeypatch):
    plan = plan_of("a: {use: mine/elsewhere}")
    for name in installed().names():
        monkeypatch.setitem(installed().plugin(name).actions, ENVIRONMENT, [])
    with pytest.raises(
        UserError, match=r"component 'a' \(mine/elsewhere\): .*; pip install .*plugins/authoring/environments brings it"
    ):
        Scorer(plan)


def test_a_plan_says_where_a_component_runs(plan_of, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plan = plan_of("""
        here: {use: mine/length}
        managed: {use: mine/elsewhere}
        own: {use: mine/elsewhere, with: {environment: {python: /opt/env/bin/python}}}
    """)
    here, managed, own = (describe_environment(plan, plan.components[name]) for name in ("here", "managed", "own"))
    assert here == ""
    assert re.fullmatch(r", in the managed environment mine-\w{12}, which is built before it is needed", managed)
    assert own == ", with /opt/env/bin/python"
