"""What `check` says of a stage's agent on trl, before a model is loaded."""

import pytest
from rewardlab.errors import UserError
from rewardlab.recipe import load
from rewardlab_training import check_recipe

RECIPE = """
    version: 1
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
    stages:
      - {use: rl, algorithm: dr_grpo, agent: AGENT}
    backend: {use: trlOPTIONS}
"""
CODE = '''
def add(a: int, b: int) -> int:
    """
    Add.

    Args:
        a: one number
        b: the other
    """
    return a + b

def sub(a, b: int) -> int:
    """
    Subtract.

    Args:
        a: one number
        b: the other
    """
    return a - b

class Room:
    def reset(self, **row): ...
    def add(self) -> str:
        """Add."""
        return ""

class Closed:
    def look(self) -> str:
        """Look."""
        return ""
'''


@pytest.fixture
def checked(toy, write, tmp_path, monkeypatch):
    """The problems of a recipe with this agent, and these options of the backend."""
    monkeypatch.chdir(tmp_path)
    write("mine.py", CODE)

    def problems(agent, options=""):
        try:
            check_recipe(load(write("r.yaml", RECIPE.replace("AGENT", agent).replace("OPTIONS", options))))
        except UserError as error:
            return [str(one).split(": stages.0.agent", 1)[-1] for one in error.problems]
        return []

    return problems


def test_tools_and_environments_pass(checked):
    assert checked("{use: 'mine.py:Room', max_turns: 3}") == []
    assert checked("{tools: ['mine.py:add']}") == []


CASES = [
    ("{tools: ['mine.py:sub']}", ".tools.0: 'mine.py:sub' says no type of a; write one, such as a: str"),
    ("{tools: ['mine.py:ad']}", ".tools.0: 'mine.py:ad': mine.py has no ad; did you mean 'add'?"),
    ("{tools: [t.yaml]}", ".tools.0: 't.yaml' is a file of verl's own tools; trl takes FILE.py:FUNCTION"),
    ("{use: tool_agent}", ".use: 'tool_agent': write FILE.py:NAME or package.module:NAME"),
    ("{use: 'mine.py:Closed'}", ".use: 'mine.py:Closed' has no method reset(self, **row), which begins an episode"),
    (
        "{use: 'mine.py:add'}",
        ".use: 'mine.py:add' must be a class, whose instances play one episode each; it is function",
    ),
    (
        "{use: 'mine.py:Room', tools: ['mine.py:add']}",
        ": 2 tools are called 'add'; a policy calls them by their names",
    ),
]


@pytest.mark.parametrize(("agent", "said"), CASES)
def test_each_mistake_has_its_place_and_remedy(checked, agent, said):
    assert checked(agent) == [said]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (", device: cpu, processes: 2", ": turns are played in one process, with the whole model"),
        (
            ", generation: {engine: vllm}",
            ": turns are sampled by the model that trains; leave backend.generation out",
        ),
    ],
)
def test_what_plays_one_turn_only_is_refused(checked, options, said):
    assert checked("{tools: ['mine.py:add']}", options) == [said]


def test_a_group_sampler_is_refused(checked):
    sampler = "curriculum/balanced, with: {reasoning: brevity, answer: brevity, round: 4, cap: 8}"
    said = ": a group sampler asks for completions of one turn; leave one of them out"
    assert checked("{tools: ['mine.py:add']}", f"}}\n    sampler: {{use: {sampler}") == [said]
