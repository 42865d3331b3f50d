"""What inspect_ai's multiple_choice() solver and choice() scorer give, choice/accuracy gives of the converted log."""

import json
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="needs the environment of requirements-inspect.txt")

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice
from rewardlab import convert, load_reward

pytestmark = [pytest.mark.slow, pytest.mark.inspect]

RECIPE = """
version: 1
reward:
  components: {choice: {use: choice/accuracy, with: {extract: answer_line}}}
  total: choice
"""
CITIES = ["Lagos", "Nairobi", "Accra", "Cairo"]
SAID = [
    *[
        "ANSWER: B",
        "ANSWER: b",
        "answer: B.",
        "ANSWER: (B)",
        "ANSWER: **B**",
        "ANSWER: $B$",
        "**ANSWER: B**",
        "ANSWER:B",
    ],
    *["ANSWER: C", "ANSWER: A\nANSWER: B", "ANSWER: B\nANSWER: A", "So.\n\nANSWER: B\n", "ANSWER: B,", "ANSWER:\nB"],
    *["ANSWER: B because of it", "my answer: B!", "the answer: B (Nairobi)", "ANSWER: Nairobi", "ANSWER: B. Nairobi"],
    *[
        "ANSWER: B, C",
        "ANSWER: BC",
        "ANSWER: B and C",
        "ANSWER: C,B",
        "ANSWER: B or C",
        "ANSWER: C AND B",
        "ANSWER: B C",
    ],
    *["ANSWER: ", "ANSWER: \nB", "ANSWER: \nANSWER: B", "ANSWER: B\nANSWER: ", "ANSWER: B\nANSWER: \n", "ANSWER:", "B"],
    *[
        "",
        "ANSWER: E",
        "ANSWER: Bé",
        "ANSWER: B_",
        "ANSWER: B C_",
        "ANSWER:  é",
        "ANSWER: ANSWER: B",
        "ANSWER: (B), (C)",
    ],
    *[
        "answer: ANSWER: B",
        "ANSWER: B\t.",
        "ANSWER : B",
        "ANSWER: B\n\n.",
        "ANSWERS: B",
        "ANSWER: \\boxed{B}",
        "ANSWER：B",
    ],
    *[
        "x ANSWER: B\nANSWER: C!",
        "ANSWER: 2",
        "ANSWER: B, B",
        "ANSWER: B;",
        "ANSWER: ( B )",
        "$ B $",
        "ANSWER: ** B **",
    ],
    *[
        "ANSWER: A ANSWER: B",
        "ANSWER: B\rANSWER: C",
        "ANSWER: ٢",
        "ANSWER: B\u2028ANSWER: C",
        "<think>ANSWER: C</think>",
    ],
]


def wrote(text):
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=5, output_tokens=6, total_tokens=11)
    return output


@pytest.mark.parametrize(("target", "several"), [("B", False), (["B", "C"], True), ("BC", True)])
def test_a_log_scores_as_inspect_scores_it(tmp_path, monkeypatch, target, several):
    monkeypatch.chdir(tmp_path)
    Path("recipe.yaml").write_text(RECIPE)
    samples = [Sample(id=n, input=f"Capital {n}?", choices=CITIES, target=target) for n in range(len(SAID))]
    task = Task(
        dataset=MemoryDataset(samples),
        solver=multiple_choice(cot=True, multiple_correct=several),
        scorer=choice(),
        name="capitals",
    )
    model = get_model("mockllm/model", custom_outputs=[wrote(text) for text in SAID])
    [log] = eval(task, model=model, log_dir="logs", log_format="json", display="none", max_samples=1)
    assert log.status == "success", log.error
    theirs = {str(sample.id): sample.scores["choice"].value == "C" for sample in log.samples}

    convert([log.location.removeprefix("file://")], "rows.jsonl")
    rows = [json.loads(line) for line in Path("rows.jsonl").read_text("utf-8").rstrip().split("\n")]
    with load_reward("recipe.yaml") as reward:
        ours = [group.totals[0] == 1.0 for group in reward.score(rows)]
    said = {row["id"].rpartition("/")[2]: row["completions"][0]["text"] for row in rows}
    differ = {repr(said[id]): theirs[id] for id, mine in zip(said, ours, strict=True) if mine != theirs[id]}
    assert differ == {}
    assert 0 < sum(ours) < len(ours)
