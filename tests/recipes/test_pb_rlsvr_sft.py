"""The road of PB-RLSVR's baseline "+ SFT" from the file of pb_rlsvr's stage 0, with a real server that has a limit."""

import json
import re

import pytest
from helpers.paths import RECIPES

TOKENS = 16_384
"""of the expert's longest answer (`max_tokens`), here words"""
CONTEXT = 8192
"""tokens of question and answer of Tower-Plus-9B"""
STEP = "In step {n} we add {n} to the sum of the steps before."
SCHRITT = "In Schritt {n} zählen wir {n} zur Summe der Schritte davor."


def translated(request):
    """German sentences for English ones, as far as the context reaches."""
    text = "\n".join(message["content"] for message in request["messages"])
    words = [word for n in re.findall(r"step (\d+) ", text) for word in SCHRITT.format(n=n).split()]
    room = min(request["max_tokens"], CONTEXT - len(text.split()))
    finish = "stop" if len(words) <= room else "length"
    return {"role": "assistant", "content": " ".join(words[: max(room, 0)]) or "bereit", "finish_reason": finish}


def rows_of_stage_0():
    """Rows as pb_rlsvr's stage 0 writes them: a long reasoning and a short one."""
    for id, steps in (("long", TOKENS // len(STEP.split())), ("short", 3)):
        reasoning = "\n\n".join(STEP.format(n=n) for n in range(steps))
        yield {
            "id": f"{id}-de",
            "prompt": [{"role": "user", "content": "Wie viel ist es?"}],
            **{"problem": "How much is it?", "language": "de", "split": "train", "share": 1.0, "altered": []},
            **{"reference": f"<think>{reasoning}</think><answer>7</answer>"},
            **{"reference_reasoning": reasoning, "reference_answer": "7"},
        }


@pytest.fixture
def made(main, write, judge_server, monkeypatch, tmp_path):
    """The rows that stage 1 makes of them."""
    write("pb-rlsvr.jsonl", list(rows_of_stage_0()))
    with judge_server.Serving(judge_server.JudgeServer(answer=translated)) as server:
        monkeypatch.setenv("TRANSLATOR_URL", server.url)
        code, out, err = main("run", RECIPES / "pb_rlsvr_baselines/sft.yaml", "--stage", "1")
    assert code == 0, out + err
    return [json.loads(line) for line in (tmp_path / "pb-rlsvr-sft.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_its_rows_are_made_of_the_references_however_long(made):
    assert [row["id"] for row in made] == ["long-de", "short-de"]
    for row in made:
        steps = re.findall(r"step (\d+) ", row["reference_reasoning"])
        thoughts = re.fullmatch(r"<think>(.*)</think><answer>7</answer>", row["response"], re.DOTALL)[1]
        assert re.findall(r"Schritt (\d+) ", thoughts) == steps
        assert (row["language"], row["split"]) == ("de", "train")
