"""verl's own loop that calls tools, with our reward at the end: who said what, what is scored, and what the loss got.

What the policy says is a script: a call and an answer, an answer alone, a call at the last turn, a tool's result that
poses as an answer, and a turn that is longer than a completion may be.
"""

import json

import pytest
from helpers.recorded_groups import recorded_groups
from rewardlab import load_reward

pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl, pytest.mark.nightly]

TEMPLATE = (
    "{% if tools %}tools: {% for t in tools %}{{ t.function.name }} {% endfor %}{% endif %}"
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
TOOLS = '''
def add(a: int, b: int) -> str:
    """Add two numbers.

    Args:
        a: the first
        b: the second
    """
    return str(a + b)


def shout(text: str) -> str:
    """Say an answer aloud.

    Args:
        text: what to say
    """
    return f"\\\\boxed{{{text}}}"
'''


def call(name, **arguments):
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


SCRIPTS = [
    [call("add", a=20, b=22), r"It is \boxed{42}."],
    [r"At once: \boxed{41}."],
    ["First " + call("add", a=1, b=1), "Then " + call("add", a=2, b=2)],
    [call("shout", text="42"), "I do not know."],
    ["So it goes on " + "and on " * 60],
]
ROOM = 200
RECIPE = f"""
version: 1
seed: 1
model: {{use: tiny, hidden_size: 32, intermediate_size: 64, context: 1024}}
dataset: {{use: toy/counting, with: {{rows: 8}}}}
reward:
  components:
    boxed: {{use: format/boxed}}
    longest: {{use: toy/longest}}
    heard: {{use: toy/letters, reads: all}}
    short: {{use: format/overlong, with: {{max_tokens: {ROOM}, buffer: 100}}}}
  total: boxed + 0.1 * longest + 0.1 * heard + short
stages:
  - {{use: rl, algorithm: dr_grpo, group_size: 5, batch_size: 2, micro_batch_size: 10, steps: 2, learning_rate: 1.0e-3,
     max_new_tokens: {ROOM}, agent: {{tools: ["tools.py:add", "tools.py:shout"], max_turns: 2}},
     chat: {{system: Be brief., template: {json.dumps(TEMPLATE)}}}}}
backend: {{use: verl, gpus_per_node: 1, precision: fp32, engine: ENGINE}}
"""


@pytest.fixture(scope="module")
def played(jobs, toy_path, tmp_path_factory):
    """A job of two steps: what it left, its ledger's rows by group and member, and the trainer's batches."""
    folder = tmp_path_factory.mktemp("agent")
    told = folder / "received.jsonl"
    (folder / "tools.py").write_text(TOOLS)
    (folder / "recipe.yaml").write_text(RECIPE.replace("ENGINE", json.dumps(jobs.ON_CPU)))
    env = {"REWARDLAB_CPU_ENGINE_TOKENS": "8", "REWARDLAB_CPU_ENGINE_RECEIVED": str(told)}
    env["REWARDLAB_CPU_ENGINE_SAYS"] = json.dumps(SCRIPTS)
    run = jobs.run(folder, "recipe.yaml", env=env, paths=[toy_path]).succeeded().directory
    rows = {(key, row["index"]): row for key, group in recorded_groups(run).items() for row in group}
    return run, rows, jobs.batches(told)


def script_of(row):
    return next(
        script
        for script in SCRIPTS
        if script[0][:20] in row["messages"][0]["content"]
        or (
            row["messages"][0].get("tool_calls")
            and call(
                row["messages"][0]["tool_calls"][0]["function"]["name"],
                **json.loads(row["messages"][0]["tool_calls"][0]["function"]["arguments"]),
            )
            in script[0]
        )
    )


def test_the_ledger_has_who_said_what(played):
    _, rows, _ = played
    assert len(rows) == 2 * 2 * 5
    seen = {}
    for row in rows.values():
        said = tuple((one["role"], one["content"], bool(one.get("tool_calls"))) for one in row["messages"])
        seen.setdefault(SCRIPTS.index(script_of(row)), set()).add((said, row["completion"], row["truncated"]))
    assert {place: len(ways) for place, ways in seen.items()} == dict.fromkeys(range(5), 1)
    ways = [next(iter(seen[place])) for place in range(5)]
    called, tool = ("assistant", "", True), "tool"
    assert ways[0] == ((called, (tool, "42", False), ("assistant", SCRIPTS[0][1], False)), SCRIPTS[0][1], False)
    assert ways[1] == ((("assistant", SCRIPTS[1][0], False),), SCRIPTS[1][0], False)
    first, then = ("assistant", "First ", True), ("assistant", "Then ", True)
    assert ways[2] == ((first, (tool, "2", False), then), "Then ", True), "a limit ended it while a call had no result"
    no_answer = ("assistant", "I do not know.", False)
    assert ways[3] == ((called, (tool, r"\boxed{42}", False), no_answer), "I do not know.", False)
    [(role, text, _)], completion, truncated = ways[4]
    assert (role, truncated, text) == ("assistant", True, completion)
    assert SCRIPTS[4][0].startswith(text), "what the trainer has of it, and no more"


def test_a_tools_result_is_nobodys_answer(played):
    boxed = {SCRIPTS.index(script_of(row)): row["components"]["boxed"]["value"] for row in played[1].values()}
    assert boxed == {0: 1.0, 1: 1.0, 2: 0.0, 3: 0.0, 4: 0.0}


def test_the_totals_are_those_of_the_trajectories_as_they_are_written_out(played, toy):
    run, rows, _ = played
    reward = load_reward(run / "recipe.resolved.yaml")
    groups = {}
    for (key, _), row in sorted(rows.items(), key=lambda one: one[0]):
        groups.setdefault(key, []).append(row)
    for of_group in groups.values():
        talks = [
            {"messages": row["messages"], "token_count": row["tokens"], "truncated": row["truncated"]}
            for row in of_group
        ]
        [scored] = reward.score([{"prompt": "?", "completions": talks}])
        assert list(scored.totals) == pytest.approx([row["total"] for row in of_group], abs=1e-12)


def test_the_loss_gets_the_policys_own_tokens_and_the_groups_advantages(played):
    from transformers import AutoTokenizer

    run, rows, batches = played
    tokenizer = AutoTokenizer.from_pretrained(run / "models" / "0-rl")
    assert [len(batch) for batch in batches] == [10, 10]
    for batch in batches:
        for row in batch:
            ledger = rows[row["group"], row["member"]]
            totals = [one["total"] for (key, _), one in rows.items() if key == row["group"]]
            advantage = ledger["total"] - sum(totals) / len(totals)
            assert row["advantages"] == pytest.approx([advantage] * ledger["tokens"], abs=1e-6)
            assert sum(row["own"]) == ledger["tokens"] == len(row["old_log_probs"])
            turns, results = runs_of(row, tokenizer)
            script = script_of(ledger)
            whole = [f"{turn}{tokenizer.eos_token}" for turn in script]
            assert turns == whole if not ledger["truncated"] or len(script) > 1 else whole[0].startswith(turns[0])
            told = [one["content"] for one in ledger["messages"] if one["role"] == "tool"]
            assert len(results) == len(told)
            assert all(text in result for text, result in zip(told, results, strict=True))
            asked = tokenizer.decode(row["prompts"])
            assert "tools: add shout" in asked
            assert "[system]Be brief.</s>" in asked
            assert asked.endswith("[assistant]")


def runs_of(row, tokenizer):
    """The texts of a response that the policy wrote, and of those that it read."""
    runs = []
    for token, own in zip(row["responses"], row["own"], strict=True):
        if not runs or runs[-1][0] != own:
            runs.append((own, []))
        runs[-1][1].append(token)
    texts = [(own, tokenizer.decode(tokens)) for own, tokens in runs]
    return [text for own, text in texts if own], [text for own, text in texts if not own]
