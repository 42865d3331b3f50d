"""Replies without a text that can be read: no score, an error that names the reason, and the other rows scored."""

import importlib.util
import json
from collections import Counter
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab import Reply
from rewardlab.cli import main

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
OWN = '{"explanation": "ok", "score": 4}'
CUT = "the reply was cut at its token limit (max_tokens)"
THINKING, EARLY = f"{CUT} in its reasoning", f"{CUT} before it had a text"
ALONE = "the reply is reasoning alone, without a text"
TOOL = "the reply calls a tool and has no text"
FILTERED = "a content filter stopped the reply"
CALL = [{"id": "1", "type": "function", "function": {"name": "grade", "arguments": OWN}}]
PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": OWN}]}]
"""of Magistral's server"""
REPLIES = {
    "cut in reasoning": ({"content": None, "reasoning": "I think", "finish_reason": "length"}, THINKING),
    "cut in older reasoning": ({"content": "", "reasoning_content": OWN, "finish_reason": "length"}, THINKING),
    "cut before all": ({"content": "", "finish_reason": "length"}, EARLY),
    "cut, null": ({"content": None, "finish_reason": "length"}, EARLY),
    "cut, as Anthropic says": ({"content": OWN, "finish_reason": "max_tokens"}, CUT),
    "cut, as Google says": ({"content": None, "finish_reason": "MAX_TOKENS"}, EARLY),
    "cut behind a score": ({"content": '{"score": 4, "explanation": "lo', "finish_reason": "length"}, CUT),
    "reasoning alone": ({"content": "", "reasoning_content": OWN}, ALONE),
    "newer reasoning alone": ({"content": None, "reasoning": "Score: 4"}, ALONE),
    "reasoning and blanks": ({"content": " \n", "reasoning": OWN}, ALONE),
    "filtered": ({"content": None, "finish_reason": "content_filter"}, FILTERED),
    "filtered behind a score": ({"content": OWN, "finish_reason": "content_filter"}, FILTERED),
    "filtered, as Google says": ({"content": "", "finish_reason": "SAFETY"}, FILTERED),
    "a tool": ({"content": None, "tool_calls": CALL, "finish_reason": "tool_calls"}, TOOL),
    "a tool, stopped": ({"content": "", "tool_calls": CALL, "finish_reason": "stop"}, TOOL),
    "an older tool": ({"content": None, "function_call": CALL[0]["function"]}, TOOL),
    "a tool, as Anthropic says": ({"content": None, "finish_reason": "tool_use"}, TOOL),
    "refused": ({"content": None, "refusal": "I can't,\nsorry."}, "the judge refused to answer: I can't, sorry."),
    "refused with an empty text": ({"content": "", "refusal": "No."}, "the judge refused to answer: No."),
    "refused, as Anthropic says": ({"content": None, "finish_reason": "refusal"}, "the judge refused to answer"),
    "refused behind a score": ({"content": OWN, "finish_reason": "refusal"}, f"the judge refused to answer: {OWN}"),
    "empty": ({"content": ""}, "the reply has no text"),
    "blank": ({"content": "  \n"}, "the reply has no text"),
    "thoughts in parts": ({"content": PARTS}, ALONE),
    "thoughts alone": ({"content": f"<think>{OWN}"}, "the reply does not end its thoughts"),
    "ended thoughts alone": ({"content": "<think>Score: 4</think>\n"}, "the reply is thoughts alone"),
    "of OpenRouter": ({"content": None, "reasoning_details": [{"type": "reasoning.text", "text": OWN}]}, ALONE),
    "refused in a part": ({"content": [{"type": "refusal", "refusal": "No."}]}, "the judge refused to answer: No."),
    "a refusal in the text": ({"content": "I can't help with that."}, "the reply has no readable score"),
}  # fmt: skip
RECIPE = """\
version: 1
judges:
  main: {{use: openai/chat, with: {{model: m, base_url: "{url}"}}, retries: 0}}
reward:
  components:
    quality:
      use: rubric/pointwise
      with: {{judge: main, rubric: {{1: bad, 2: poor, 3: fair, 4: good, 5: perfect}}}}
      on_missing: zero_advantage
      max_missing: 1
  total: quality
"""


@pytest.fixture
def serve(request):
    """`serve(answer)`: the address of a server that replies with `answer(request)`."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def start(answer):
        serving = module.Serving(module.JudgeServer(answer=answer))
        server = serving.__enter__()
        request.addfinalizer(serving.__exit__)
        return server.url

    return start


def test_each_names_its_reason_and_the_command_counts_them(serve, tmp_path, monkeypatch, capsys):
    def answer(asked):
        said = [name for name in REPLIES if f"CASE {name}." in asked["messages"][-1]["content"]]
        return {"role": "assistant", **REPLIES[said[0]][0]} if said else OWN

    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RECIPE.format(url=serve(answer)), encoding="utf-8")
    rows = [{"id": name, "prompt": "?", "completions": [f"CASE {name}.", f"fine beside {name}"]} for name in REPLIES]
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert main(["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl"]) == 0
    shown = capsys.readouterr().err
    counts = Counter(error for _, error in REPLIES.values()).most_common(5)
    # whether the judge is warned of as well depends on which replies come first
    reasons = [line.strip() for line in shown.splitlines() if line.strip().startswith("failed ")]
    assert reasons[:5] == [f"failed {count}: {error}" for error, count in counts]
    assert reasons[5].startswith(f"failed {len(REPLIES) - sum(count for _, count in counts)}: other causes")
    for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found, error = row["components"]["quality"], REPLIES[row["id"]][1]
        assert (found["value"], found["error"]) == ([None, 0.75], [error, None]), row["id"]
        named = "readable score" not in error and "thoughts" not in error
        assert found["info"][0].get("fault") == (error if named else None), row["id"]


@each_case(
    "reply, fault",
    [
        (Reply(text="yes"), None),
        (Reply(text="yes", finish_reason="stop"), None),
        (Reply(text="yes", finish_reason="tool_calls"), None),
        (Reply(text="yes", reasoning="why"), None),
        (Reply(text="yes", finish_reason="end_turn"), None),
    ],
)
def test_a_text_is_no_fault(reply, fault):
    assert (reply.fault, reply.cut_off) == (fault, False)
