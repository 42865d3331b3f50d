"""What is noted of a conversation that verl's loops play: who said what, which tokens, and whether a limit ended it."""

import asyncio
import json

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab.recipe import Agent

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl]

TEMPLATE = (
    "{% for t in tools or [] %}{{ t.function.name }} {% endfor %}"
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
TOOLS = '''
def repeat(text: str, times: int) -> str:
    """Say a text several times.

    Args:
        text: what to say
        times: how often
    """
    if times < 0:
        raise ValueError("less than never")
    return text * times
'''
ROOM = 200


def call(**arguments):
    return f"<tool_call>{json.dumps({'name': 'repeat', 'arguments': arguments})}</tool_call>"


def calls(**arguments):
    return [{"type": "function", "function": {"name": "repeat", "arguments": json.dumps(arguments)}}]


@pytest.fixture(scope="module")
def tokenizer(model_folder):
    from transformers import AutoTokenizer

    made = AutoTokenizer.from_pretrained(model_folder("llama"))
    made.chat_template = TEMPLATE
    return made


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    """verl's tools, from the file that we write for it, and their schemas."""
    from rewardlab_verl.agent_tools import schemas_of, write_tools
    from verl.tools.tool_registry import load_all_tools

    folder = tmp_path_factory.mktemp("tools")
    (folder / "tools.py").write_text(TOOLS)
    agent = Agent(tools=["tools.py:repeat"])
    write_tools(folder / "names.py", agent, folder)
    schemas = schemas_of(agent, folder / "names.py", folder)
    return load_all_tools(None, str(folder / "names.py")), schemas


@pytest.fixture
def play(tokenizer, tools):
    """Play a conversation in which the policy says these turns: its messages and the output."""
    from omegaconf import OmegaConf
    from rewardlab_verl.conversation_loop import ConversationLoop
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap, ToolListWrap

    def run(*turns, plays="tool_agent", opened="", max_turns=None):
        config = OmegaConf.create(
            {
                "algorithm": {"rewardlab": {"completion_timeout": 60, "ends": [tokenizer.eos_token_id]}},
                "actor_rollout_ref": {
                    "rollout": {
                        "name": "scripted",
                        "prompt_length": 400,
                        "response_length": ROOM,
                        "full_determinism": False,
                        "multi_turn": {
                            "max_user_turns": None,
                            "max_assistant_turns": max_turns,
                            "max_parallel_calls": 1,
                            "max_tool_response_length": 256,
                            "tool_response_truncate_side": "middle",
                            "format": "hermes",
                        },
                    }
                },
                "data": {"apply_chat_template_kwargs": {}},
            }
        )
        loop = ConversationLoop(
            plays,
            trainer_config=DictConfigWrap(config),
            server_manager=Scripted(tokenizer, turns),
            tokenizer=tokenizer,
            processor=None,
            hf_model_type="llama",
            dataset_cls=None,
            data_config=DictConfigWrap(config.data),
            tools=ToolListWrap(tools[0]),
        )
        prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Speak."}]
        text = tokenizer.apply_chat_template(prompt, tools=tools[1], tokenize=False, add_generation_prompt=True)
        columns = {"raw_prompt": prompt, "rewardlab": {"text": text, "opened": opened}}
        output = asyncio.run(loop.complete({}, columns))
        assert tokenizer.decode(output.prompt_ids) == text
        assert output.response_mask[-1] == 1, "the reward is at a token of the policy's"
        assert len(output.response_ids) == len(output.response_mask) <= ROOM
        assert output.extra_fields["rewardlab_tokens"] == sum(output.response_mask)
        return json.loads(output.extra_fields["rewardlab_messages"]), output

    return run


class Scripted:
    """A rollout engine that says what it is told to say."""

    def __init__(self, tokenizer, turns):
        self._tokenizer, self._turns = tokenizer, iter(turns)

    async def generate(self, **_):
        from verl.workers.rollout.replica import TokenOutput

        ids = self._tokenizer(next(self._turns), add_special_tokens=False)["input_ids"]
        ids = [*ids, self._tokenizer.eos_token_id]
        return TokenOutput(token_ids=ids, log_probs=[-1.0] * len(ids), stop_reason="completed", extra_fields={})


def own(output, tokenizer):
    """The policy's own text in a response."""
    pairs = zip(output.response_ids, output.response_mask, strict=True)
    return tokenizer.decode([token for token, mine in pairs if mine])


def test_a_result_is_a_message_of_its_own(play, tokenizer):
    asked = call(text="ha", times=2)
    messages, output = play(asked, "Done.")
    assert messages == [
        {"role": "assistant", "content": "", "tool_calls": calls(text="ha", times=2)},
        {"role": "tool", "content": "haha"},
        {"role": "assistant", "content": "Done."},
    ]
    assert own(output, tokenizer) == f"{asked}</s>Done.</s>"
    assert not output.extra_fields["rewardlab_cut"]
    assert len(output.response_logprobs) == len(output.response_ids)


@pytest.mark.parametrize(
    ("turns", "limit", "text"),
    [
        ((call(text="x" * 50, times=4),), None, ""),  # there is no room for the result
        (("At first " + call(text="a", times=1), "Then " + call(text="b", times=1)), 2, "Then "),  # nor a turn for one
        (("on " * ROOM,), None, None),
        ((call(text="a", times=1), "on " * ROOM), None, None),
    ],
)
def test_a_limit_that_ends_it_before_an_answer_is_said(play, tokenizer, turns, limit, text):
    messages, output = play(*turns, max_turns=limit)
    assert output.extra_fields["rewardlab_cut"]
    said = [message["content"] for message in messages if message["role"] == "assistant"]
    if text is not None:
        assert said[-1] == text
    else:
        assert turns[-1].startswith(said[-1])
        assert own(output, tokenizer).endswith(said[-1]), "a reward sees what the trainer has, and no more"


def test_what_a_tool_raises_is_a_result(play):
    messages, output = play(call(text="a", times=-1), "It fails.")
    assert messages[1]["role"] == "tool"
    assert "less than never" in messages[1]["content"]
    assert not output.extra_fields["rewardlab_cut"]


def test_a_policy_that_writes_a_result_itself_has_said_it(play):
    """Whatever it looks like."""
    messages, _ = play("[tool]haha [assistant] I am right.")
    assert messages == [{"role": "assistant", "content": "[tool]haha [assistant] I am right."}]


def test_a_thought_that_the_template_opened_begins_its_turn(play):
    messages, _ = play("hm</think>" + call(text="a", times=1), "aha</think>Yes.", opened="<think>\n")
    assert [one["content"] for one in messages if one["role"] == "assistant"] == [
        "<think>\nhm</think>",
        "<think>\naha</think>Yes.",
    ]
    assert play("Yes.", opened="<think>\n")[0] == [{"role": "assistant", "content": "Yes."}]


def test_verls_loop_of_one_turn_plays_too(play):
    messages, output = play("Yes.", plays="single_turn_agent")
    assert messages == [{"role": "assistant", "content": "Yes."}]
    assert set(output.response_mask) == {1}


def test_a_loop_that_hides_its_turns_is_no_conversation(play):
    with pytest.raises(JobError, match="2 turns of the agent loop are in no message"):
        play("One.", "Two.", plays="rewardlab_verl_own_loops:Silent")


def test_a_loop_that_makes_several_sequences_is_refused(play):
    with pytest.raises(JobError, match="a completion is one sequence, and it made 2 of one"):
        play("One.", "Two.", plays="rewardlab_verl_own_loops:Several")


@pytest.fixture(autouse=True)
def own_loops():
    """A module with loops of somebody's own, by AgentLoopBase."""
    import sys
    import types
    from uuid import uuid4

    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput

    class Silent(AgentLoopBase):
        async def run(self, sampling_params, **columns):
            prompt = await self.ct_build_initial_tokens(columns["raw_prompt"])
            made = [
                (await self.server_manager.generate(request_id=uuid4().hex, prompt_ids=prompt)).token_ids
                for _ in range(2)
            ]
            both = made[0] + made[1]
            return AgentLoopOutput(
                prompt_ids=prompt, response_ids=both, response_mask=[1] * len(both), num_turns=2, metrics={}
            )

    class Several(Silent):
        async def run(self, sampling_params, **columns):
            return [await super().run(sampling_params, **columns)] * 2

    sys.modules["rewardlab_verl_own_loops"] = module = types.ModuleType("rewardlab_verl_own_loops")
    module.Silent, module.Several = Silent, Several
    yield
    del sys.modules["rewardlab_verl_own_loops"]


def test_tools_that_verl_cannot_load_are_named(tmp_path):
    from rewardlab_verl.agent_tools import schemas_of, write_tools

    (tmp_path / "tools.py").write_text("def bare(x): return x\n")
    agent = Agent(tools=["tools.py:bare"])
    write_tools(tmp_path / "names.py", agent, tmp_path)
    with pytest.raises(UserError, match=r"agent\.tools: verl cannot load them"):
        schemas_of(agent, tmp_path / "names.py", tmp_path)
