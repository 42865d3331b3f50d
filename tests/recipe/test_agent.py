"""`agent` names the tools that a policy calls, and what plays the turns; an engine without it says who has it."""

import pytest
from pydantic import ValidationError
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe import Agent, load
from rewardlab_training import check_recipe, describe_training

RECIPE = """
    version: 1
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
    stages: [{use: rl, algorithm: dr_grpo, agent: {tools: [tools/sums.py:add, my.tools:look_up], max_turns: 3}}]
    backend: {use: openrlhf, gpus_per_node: 4}
"""


def test_the_dry_run_says_what_plays(toy, write):
    plan = make_plan(load(write("r.yaml", RECIPE)))
    [line] = [line for line in describe_training(plan, 0, "4 rows") if line.startswith("agent")]
    assert line.startswith("agent: the policy calls tools/sums.py:add, my.tools:look_up, in at most 3 turns, played by")


def test_an_engine_without_it_refuses(toy, write):
    with pytest.raises(UserError, match=r"stages\.0\.agent: the backend openrlhf has no agent"):
        check_recipe(load(write("r.yaml", RECIPE)))


@pytest.mark.parametrize("tool", ["tools.py", "sums", "my.tools:", ":add", "a:b:c", "1a:b"])
def test_a_tool_is_a_function_of_a_file_or_a_module(tool):
    with pytest.raises(ValidationError, match=r"write FILE\.py:FUNCTION"):
        Agent(tools=[tool])


def test_an_agent_without_tools_names_what_plays():
    assert Agent(use="my.loops:Walk").tools == []
    with pytest.raises(ValidationError, match="give `tools`, or in `use` what plays the turns"):
        Agent(max_turns=3)
