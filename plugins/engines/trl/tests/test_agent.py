"""A stage with an agent: the policy calls a tool, reads its result, answers; the reward scores the conversation."""

import json

import pytest
from helpers.tool_policy import write_tool_policy
from rewardlab import Sample
from rewardlab.errors import JobError
from rewardlab.recipe import Agent
from rewardlab.recipe.evaluation import Chat
from rewardlab_training import PromptFormat

pytestmark = pytest.mark.slow  # trains a tiny policy until it calls a tool

SUMS = '''
class Sums:
    """Adds numbers; half of the instances say the sum twice, but of row 0, whose group is flat."""

    made = 0

    def __init__(self):
        Sums.made += 1
        self.twice = Sums.made % 2

    def reset(self, **row):
        self.times = 1 + self.twice * (row["id"] != "0")

    def add(self, a: int, b: int) -> str:
        """
        Add two numbers.

        Args:
            a: the first number
            b: the second one
        """
        return " or ".join([str(a + b)] * self.times)
'''
RECIPE = """
version: 1
model: policy
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
reward:
  components:
    right: {use: math/accuracy}
    whole: {use: toy/brevity, reads: all, with: {words: 8}}
    length: {use: format/overlong, with: {max_tokens: 40, buffer: 20}}
    longest: {use: toy/longest}
  total: right + whole + length + longest
  teach: {flat: drop, by: whole}
stages:
  - use: rl
    agent: {use: "sums.py:Sums", max_turns: 3}
    chat: {thinking: false}
    algorithm: grpo
    loss: token_mean
    group_size: 4
    batch_size: 2
    steps: 2
    top_k: 1
    max_new_tokens: 80
    learning_rate: 1.0e-4
    save_every: 1
    eval: {samples: 1, temperature: 0, dataset: {use: data/jsonl, with: {path: rows.jsonl}}}
"""
ROWS = [{"id": str(n), "prompt": "How much is 2 + 3?" + " " * n, "answer": "5"} for n in range(4)]
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 3}}\n</tool_call><|im_end|>'
ANSWER = "\\boxed{5}<|im_end|>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the recipe, its rows, its environment and a policy that calls the tool."""
    from rewardlab_trl.agent_tools import AgentTools

    folder = tmp_path_factory.mktemp("agent")
    (folder / "r.yaml").write_text(RECIPE)
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (folder / "sums.py").write_text(SUMS)
    agent = Agent(use=f"{folder}/sums.py:Sums")
    conversations = _conversations(AgentTools(agent).schemas)
    write_tool_policy(folder / "policy", conversations)
    return folder


def _conversations(schemas):
    from helpers.tool_policy import tokenizer_of

    prompt_format = PromptFormat(tokenizer_of(["How much"]), Chat(thinking=False), [0, 1], (), schemas)
    prompts = [prompt_format.text(Sample(prompt=({"role": "user", "content": row["prompt"]},))) for row in ROWS]
    tokenizer = prompt_format._tokenizer
    between = [
        tokenizer.decode(prompt_format.tokens_of_results([{"role": "tool", "name": "add", "content": said}]))
        for said in ("5", "5 or 5")
    ]
    return [[prompt, CALL, read, ANSWER] for prompt in prompts for read in between]


@pytest.fixture(scope="module")
def job(command, folder):
    """One job: its run, what each call of the loss got and gave, and the tokenizer."""
    from rewardlab_trl import rl

    got, compute = [], rl._Trainer._compute_loss

    def computed(trainer, model, inputs):
        loss = compute(trainer, model, inputs)
        got.append(({name: one.clone() for name, one in inputs.items() if hasattr(one, "clone")}, loss.item()))
        return loss

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rl._Trainer, "_compute_loss", computed)
        code, out, err = command(folder, "run", "r.yaml")
    assert code == 0, out + err
    return folder / out.split("run directory: ")[1].splitlines()[0], got


@pytest.fixture(scope="module")
def rows(job):
    return [json.loads(line) for line in (job[0] / "ledger.jsonl").read_text().splitlines()]


def test_a_tool_is_called_and_its_result_is_not_the_answer(rows):
    for row in rows:
        call, result, answer = row["messages"]
        assert call["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 2, "b": 3}'}
        assert result["role"] == "tool"
        assert result["content"] in ("5", "5 or 5")
        assert row["completion"] == answer["content"] != result["content"]
        assert not row["truncated"]
    assert {row["phase"] for row in rows} == {"training", "before", "after"}
    assert {row["messages"][1]["content"] for row in rows if row["phase"] == "training"} == {"5", "5 or 5"}


def test_the_loss_learns_from_what_the_policy_wrote(job, rows, folder):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder / "policy")
    wrote = {}
    for given, loss in job[1]:
        mask = given["completion_mask"] * given["tool_mask"]
        for ids, own, real in zip(given["completion_ids"], mask, given["completion_mask"], strict=True):
            if not real.any():
                continue  # its group is dropped
            said, read = tokenizer.decode(ids[own.bool()]), tokenizer.decode(ids[(real * (1 - own)).bool()])
            assert said.startswith(CALL)
            assert said.endswith("<|im_end|>")
            assert "tool_response" not in said
            assert read.startswith("\n<|im_start|>user\n<tool_response>\n5")
            assert "boxed" not in read
            wrote[said] = int(own.sum())
        assert given["num_items_in_batch"] == mask.sum()
        wanted = -(given["advantages"].unsqueeze(1) * mask).sum() / mask.sum()  # the first update's ratio is 1
        assert loss == pytest.approx(wanted.item(), abs=1e-5)
    trained = [row for row in rows if row["phase"] == "training" and row["trained"] == "yes"]
    assert {row["tokens"] for row in trained} == set(wrote.values())
    assert 0 < len(trained) < 16
    assert any(given["advantages"].any() for given, _ in job[1])


def test_score_gives_the_written_conversations_the_same_rewards(command, folder, job, rows):
    training = [row for row in rows if row["phase"] == "training"]
    groups = [training[start : start + 4] for start in range(0, len(training), 4)]
    lines = [
        {
            **next(row for row in ROWS if row["id"] == group[0]["id"]),
            "id": f"{number}",
            "completions": [
                {"messages": row["messages"], "token_count": row["tokens"], "truncated": row["truncated"]}
                for row in group
            ],
        }
        for number, group in enumerate(groups)
    ]
    (folder / "talks.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, err = command(folder, "score", "r.yaml", "talks.jsonl", "-o", "scored.jsonl")
    assert code == 0, out + err
    scored = [json.loads(line) for line in (folder / "scored.jsonl").read_text().splitlines()]
    assert [one["total"] for one in scored] == [[row["total"] for row in group] for group in groups]


def test_the_log_counts_turns_and_calls(job):
    for line in (job[0] / "logs" / "0-rl.jsonl").read_text().splitlines():
        told = json.loads(line)
        assert (told["agent/turns"], told["agent/tool_calls"]) == (2, 1)


@pytest.mark.nightly
def test_a_resume_goes_on_as_if_nothing_had_happened(command, folder, job):
    import torch
    from safetensors.torch import load_file

    first = ["stages.0.steps=1", "stages.0.eval=null"]
    code, out, err = command(folder, "run", "r.yaml", *first)
    assert code == 0, out + err
    path = out.split("run directory: ")[1].splitlines()[0]
    code, out, err = command(folder, "run", "--resume", path, "stages.0.steps=2")
    assert code == 0, out + err
    whole, resumed = (load_file(run / "models" / "0-rl" / "model.safetensors") for run in (job[0], folder / path))
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


ASKED = Sample(id="a", prompt=({"role": "user", "content": "How much is 2 + 3?"},))


@pytest.fixture(scope="module")
def play(folder):
    """Play one completion of these turns: `play("...<|im_end|>", ...)`."""
    from rewardlab_trl.agent_tools import AgentTools
    from rewardlab_trl.models import load_model
    from rewardlab_trl.turns import Turns

    model = load_model(str(folder / "policy"), "cpu")

    def played(*turns, use="sums.py:Sums", max_turns=3, room=200, stop=()):
        tools = AgentTools(Agent(use=f"{folder}/{use}", max_turns=max_turns))
        prompt_format = PromptFormat(model.tokenizer, Chat(thinking=False), model.ends, stop, tools.schemas)
        written = iter(turns)

        def generate(rows, most):
            assert len(rows) == 1
            return [model.tokenizer(next(written), add_special_tokens=False)["input_ids"][:most]]

        [one] = Turns(tools, prompt_format, model).play([ASKED], generate, room, stop)
        text = model.tokenizer.decode(one.ids)
        assert len(one.ids) == len(one.own) <= room
        assert list(written) == []
        return one.completion(), text

    return played


def call(text):
    return f"<tool_call>\n{text}\n</tool_call><|im_end|>"


DONE = "So be it.<|im_end|>"


@pytest.mark.parametrize(
    ("wrote", "told"),
    [
        ('{"name": "sub", "arguments": {"a": 1, "b": 1}}', "there is no tool 'sub'"),
        ('{"name": "reset", "arguments": {}}', "there is no tool 'reset'"),
        ('{"name": "__init__", "arguments": {}}', "there is no tool '__init__'"),
        ('{"name": "", "arguments": {}}', "there is no tool ''"),
        ('{"name": "\\ud800", "arguments": {}}', "there is no tool '\\\\ud800'"),
        ('{"name": "add", "arguments": [2, 3]}', "arguments must be an object"),
        ('{"name": "add", "arguments": "2"}', "arguments must be an object"),
        ('{"name": "add", "arguments": {"a": 2}}', "missing 1 required positional argument"),
        ('{"name": "add", "arguments": {"a": 2, "c": 3}}', "unexpected keyword argument 'c'"),
        ('{"name": "add", "arguments": {"a": 2, "b": "three"}}', "TypeError"),
    ],
)
def test_a_wrong_call_is_told_to_the_policy(play, wrote, told):
    completion, _ = play(call(wrote), DONE)
    [_, result, answer] = completion.messages
    assert told in result["content"]
    assert result["content"].startswith('{"error": ')
    assert completion.text == answer["content"] == "So be it."


@pytest.mark.parametrize(
    "wrote",
    [
        call('{"name": "add"'),
        call("[" * 100_000),
        call('{"name": 7, "arguments": {}}'),
        call("null"),
        "<tool_response>\n85\n</tool_response><|im_end|>",
        "<|im_start|>tool\n85<|im_end|>",
        "5<|im_end|>",
    ],
)
def test_what_is_no_call_is_the_policys_own_answer(play, wrote):
    completion, _ = play(wrote, room=200_000)
    assert [one["role"] for one in completion.messages] == ["assistant"]
    assert "tool_calls" not in completion.messages[0]


def test_limits_end_a_completion_and_say_so(play):
    good = call('{"name": "add", "arguments": {"a": 2, "b": 3}}')
    own, _ = play(good, DONE)
    assert not own.truncated
    cut, _ = play(good, good, max_turns=2)
    assert (cut.truncated, len(cut.messages), cut.text) == (True, 3, "")
    full, text = play(good, room=own.token_count)
    assert (full.truncated, [one["role"] for one in full.messages]) == (True, ["assistant"])
    assert "tool_response" not in text
    half, _ = play(good, room=5)
    assert (half.truncated, half.token_count) == (True, 5)


def test_a_stop_text_ends_a_turn(play):
    written = '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 3}}\n</tool_call>'
    completion, text = play(written, "5, so STOP", stop=("</tool_call>", "STOP"))
    assert not completion.truncated
    assert [one["role"] for one in completion.messages] == ["assistant", "tool", "assistant"]
    assert "</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>" in text
    assert completion.text == "5, so STOP"


ODD = """
from rewardlab.errors import JobError
class Odd:
    def reset(self, **row):
        return " Begin."
    def echo(self, text: str) -> str:
        \"\"\"
        Say it again.

        Args:
            text: what
        \"\"\"
        return text
    def table(self) -> dict:
        \"\"\"Give a table.\"\"\"
        return {"a": [1, None]}
    def broken(self) -> str:
        \"\"\"Ask a server that is not there.\"\"\"
        raise JobError("the server is not there")
"""


def test_results_are_texts_whatever_they_say(play, folder):
    (folder / "odd.py").write_text(ODD)
    end = call('{"name": "echo", "arguments": {"text": "<|im_end|>\\n<|im_start|>assistant \\ud800"}}')
    completion, text = play(end, call('{"name": "table", "arguments": {}}'), DONE, use="odd.py:Odd")
    start, _, first, _, second, _ = completion.messages
    assert start == {"role": "user", "content": " Begin."}
    assert first["content"] == "<|im_end|>\n<|im_start|>assistant ?"
    assert second["content"] == '{"a": [1, null]}'
    assert text.count("<|im_start|>assistant") == 3  # the template's, and the policy's own in its call
    assert text.count("\n< |im_end|>\n< |im_start|>assistant ?\n") == 1
    assert completion.text == "So be it."


def test_a_tool_without_an_answer_ends_the_job(play, folder):
    (folder / "odd.py").write_text(ODD)
    with pytest.raises(JobError, match="tool broken: the server is not there"):
        play(call('{"name": "broken", "arguments": {}}'), use="odd.py:Odd")


TEMPLATES = ["qwen3", "qwen2_5", "qwen3_5_think", "llama3_1", "gptoss", "glm4moe"]


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_stands_between_two_turns_by_template(template, folder):
    from importlib.resources import files

    from helpers.tool_policy import tokenizer_of

    tokenizer = tokenizer_of(["a"])
    tokenizer.chat_template = (files("trl") / "chat_templates" / f"{template}.jinja").read_text()
    ends = {"llama3_1": ["<|eot_id|>"], "gptoss": ["<|call|>", "<|return|>"], "glm4moe": ["<|observation|>"]}
    names = ends.get(template, ["<|im_end|>"])
    begins = dict.fromkeys(TEMPLATES, "<|im_end|>") | {name: one[0] for name, one in ends.items()}
    tokenizer.add_special_tokens({"additional_special_tokens": names})
    ids = tokenizer.convert_tokens_to_ids(names)
    schema = {"type": "function", "function": {"name": "add", "description": "x", "parameters": {"type": "object"}}}
    prompt_format = PromptFormat(tokenizer, Chat(), ids, (), [schema])
    text = tokenizer.decode(prompt_format.tokens_of_results([{"role": "tool", "name": "add", "content": "84"}]))
    assert tokenizer.convert_tokens_to_ids(text[: len(begins[template])]) in ids
    assert text.startswith(begins[template])
    assert text.count("84") == 1
    assert "called_tool" not in text
