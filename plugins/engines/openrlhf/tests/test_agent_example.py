"""The agent of docs/agents.md in OpenRLHF's own executor: turns, masks, and the recipe's reward."""

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of the OpenRLHF backend")

from rewardlab_openrlhf.compile import PROGRAMS
from rewardlab_openrlhf.engine_arguments import check_arguments

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

DOCS = Path(__file__).parents[4] / "docs"
EXAMPLE = DOCS / "examples" / "agent"
ROW = {"id": "a", "prompt": "How much is 12 * 7 + 1?", "answer": "85"}


@dataclass
class Params:
    max_tokens: int | None = 64
    logprobs: int | None = 1


@dataclass
class Engine:
    """Says one turn of `turns` after the other; a character is a token."""

    turns: list
    asked: list = field(default_factory=list)

    async def generate(self, ids, params, multi_modal_data=None):
        text = self.turns[len(self.asked)]
        self.asked.append((Characters().decode(ids), params.max_tokens))
        ids = [ord(character) for character in text]
        log_probs = [{token: SimpleNamespace(logprob=-1.0)} for token in ids]
        reason = "length" if len(ids) >= params.max_tokens else "stop"
        output = SimpleNamespace(
            token_ids=ids[: params.max_tokens], text=text, finish_reason=reason, logprobs=log_probs
        )
        return SimpleNamespace(outputs=[output])


class Characters:
    """A tokenizer whose tokens are characters."""

    def __call__(self, text, add_special_tokens, return_tensors):
        import torch

        return {"input_ids": torch.tensor([[ord(character) for character in text]])}

    def decode(self, ids, skip_special_tokens=False):
        return "".join(map(chr, ids))


@pytest.fixture
def execute(monkeypatch):
    """execute(engine, ...) is what OpenRLHF gets for one completion."""
    monkeypatch.setenv("REWARDLAB_RECIPE", str(EXAMPLE / "recipe.yaml"))
    spec = importlib.util.spec_from_file_location("agent", EXAMPLE / "agent.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)  # as OpenRLHF loads it
    executor = module.AgentExecutor()
    yield lambda engine, params=None, length=256: asyncio.run(
        executor.execute(ROW["prompt"], json.dumps(ROW), params or Params(), length, Characters(), engine)
    )
    executor.reward.close()


def test_a_tool_answers_and_only_the_policys_turns_are_trained_on(execute):
    engine = Engine(["It is <calc>12*7</calc><|im_end|>", r" plus 1: \boxed{85}"])
    params = Params()
    found = execute(engine, params)
    text = "It is <calc>12*7</calc><|im_end|><result>84</result> plus 1: \\boxed{85}"
    tokens = Characters().decode(found["observation_tokens"])
    assert tokens == ROW["prompt"] + text
    assert [tokens[slice(*span)] for span in found["action_ranges"]] == engine.turns
    assert engine.asked[1][0] == ROW["prompt"] + "It is <calc>12*7</calc><|im_end|><result>84</result>"
    assert (found["reward"], found["scores"]) == (pytest.approx(1.2), 1.0)
    assert found["extra_logs"] == {"accuracy": 1.0, "format": 1.0}
    assert len(found["rollout_log_probs"]) == len(tokens)
    assert params == Params(), "the other completions of the prompt share it"


def test_a_wrong_answer_scores_what_the_recipe_says(execute):
    assert execute(Engine([r"\boxed{84}"]))["reward"] == pytest.approx(0.2)


def test_a_conversation_without_room_is_scored_too(execute):
    call = "<calc>1+1</calc>"
    found = execute(Engine([call, call]), length=len(ROW["prompt"]) + 2 * len(call + "<result>2</result>"))
    assert len(found["action_ranges"]) == 2
    assert (found["reward"], found["extra_logs"]) == (0.0, {"accuracy": 0.0, "format": 0.0})


def test_calls_are_bounded(execute):
    engine = Engine(["<calc>1+1</calc>"] * 9)
    assert len(execute(engine, length=1000)["action_ranges"]) == 4


def test_rows_are_prepared_for_the_command_of_the_page(tmp_path):
    given, made = tmp_path / "rows.jsonl", tmp_path / "prompts.jsonl"
    given.write_text(json.dumps(ROW) + "\n")
    subprocess.run([sys.executable, str(EXAMPLE / "prepare.py"), str(given), str(made)], check=True)
    [line] = made.read_text().splitlines()
    prepared = json.loads(line)
    assert prepared["input"] == [{"role": "user", "content": ROW["prompt"]}]
    assert json.loads(prepared["label"]) == ROW


def test_openrlhf_takes_the_command_of_the_page():
    [block] = re.findall(r"<!-- agent -->\n```sh\n(.*?)```", (DOCS / "agents.md").read_text(), re.DOTALL)
    _, _, command = block.replace("\\\n", " ").partition("-m openrlhf.cli.train_ppo_ray")
    found = vars(check_arguments(PROGRAMS["rl"], command.split()))
    assert found["train.agent_func_path"] == "docs/examples/agent/agent.py"
