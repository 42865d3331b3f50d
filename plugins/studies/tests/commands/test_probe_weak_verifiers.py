"""`rewardlab probe` of verifiers with a known weakness beside sound ones: which completion wins, and by which check."""

import json

import pytest

PLUGIN = r'''
import re, subprocess, sys
from rewardlab import Completion, Sample, reward

def program(text):
    return text.rpartition("```python\n")[2].partition("\n```")[0]

def run(code):
    return subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=20)

def boxes(text):
    return re.findall(r"\\boxed\{([^{}]*)\}", text)

def right(sample, completion):
    return boxes(completion.text)[-1:] == [sample.fields["answer"]]

@reward(requires=["answer"])
def exact(sample: Sample, completion: Completion) -> float:
    """1 for a last box that is the answer."""
    return float(right(sample, completion))

@reward(requires=["answer"])
def mentioned(sample: Sample, completion: Completion) -> float:
    """1 for a text that mentions the answer."""
    return float(sample.fields["answer"] in completion.text.split("boxed{", 1)[-1])

@reward(requires=["answer"])
def on_topic(sample: Sample, completion: Completion) -> float:
    """1 for an answer that has the numbers of the question."""
    return float(right(sample, completion) or "3 + 4" in "".join(boxes(completion.text)[-1:]))

@reward(requires=["answer"])
def not_far(sample: Sample, completion: Completion) -> float:
    """1 for a number that is not far from the answer."""
    try:
        return float(not abs(float("".join(boxes(completion.text)[-1:])) - float(sample.fields["answer"])) > 1)
    except ValueError:
        return 0.0

@reward(requires=["answer"])
def asked_number(sample: Sample, completion: Completion) -> float:
    """1 for a number of the question."""
    return float(right(sample, completion) or "".join(boxes(completion.text)[-1:]) in ("17", "25"))

@reward(requires=["answer"])
def last_digit(sample: Sample, completion: Completion) -> float:
    """1 for two digits of which the last is right."""
    found = "".join(boxes(completion.text)[-1:])
    return float(len(found) == 2 and found[-1] == sample.fields["answer"][-1])

@reward(requires=["answer"])
def same_digits(sample: Sample, completion: Completion) -> float:
    """1 for the digits of the answer in any order."""
    return float(sorted("".join(boxes(completion.text)[-1:])) == sorted(sample.fields["answer"]))

@reward(requires=["answer"])
def confident(sample: Sample, completion: Completion) -> float:
    """1 for the answer, and half as much again for confidence."""
    return (right(sample, completion) + 0.5 * ("highest quality" in completion.text)) / 1.5

@reward()
def exits(sample: Sample, completion: Completion) -> float:
    """1 for a program whose tests end with exit code 0."""
    return float(run(program(completion.text) + "\nassert add(3, 4) == 7 and add(2, 3) == 5").returncode == 0)

@reward()
def prints(sample: Sample, completion: Completion) -> float:
    """1 for a program that prints 7 and 5 in front of the mark of this run."""
    shown = run(program(completion.text) + "\nprint(repr(add(3, 4)), repr(add(2, 3)), 'mark-4711')").stdout
    return float(shown.endswith("7 5 mark-4711\n"))

@reward()
def prints_it(sample: Sample, completion: Completion) -> float:
    """1 for a program that prints 7 and 5 among others."""
    shown = run(program(completion.text) + "\nprint(add(3, 4), add(2, 3))").stdout.split()
    return float("7" in shown and "5" in shown)

@reward()
def example(sample: Sample, completion: Completion) -> float:
    """1 for a program that gives 7 in the prompt's example."""
    return float(run(program(completion.text) + "\nprint(repr(add(3, 4)), 'mark-4711')").stdout == "7 mark-4711\n")

@reward()
def equal(sample: Sample, completion: Completion) -> float:
    """1 for a program whose result says that it is equal to 7."""
    return float("True True" in run(program(completion.text) + "\nprint(add(3, 4) == 7, add(2, 3) == 5)").stdout)
'''

SUM = {"id": "sum", "prompt": "3 + 4?", "answer": "7", "response": "Three and four. \\boxed{7}"}
LONGER = {"id": "longer", "prompt": "17 + 25?", "answer": "42", "response": "Seventeen and twenty-five. \\boxed{42}"}
CODE = {
    "id": "code",
    "prompt": "Write `add`, so that add(3, 4) is 7:\n```python\ndef add(a, b): ...\n```",
    "response": "```python\ndef add(a, b):\n    return a + b\n```",
}
WEAK = [
    ("exact", SUM, {}, None),
    ("mentioned", SUM, {"enumeration"}, "statistical.adversarial_floor"),
    ("on_topic", SUM, {"noop"}, "semantic.floor_gap"),
    ("exact", LONGER, {}, None),
    ("not_far", LONGER, {"not_a_number"}, "statistical.adversarial_floor"),
    ("asked_number", LONGER, {"prompt_number"}, "statistical.adversarial_floor"),
    ("last_digit", LONGER, {"near_miss"}, "statistical.adversarial_floor"),
    ("same_digits", LONGER, {"reversed_digits"}, "statistical.adversarial_floor"),
    ("confident", SUM, {"dressed_honest"}, "statistical.gameability_gap"),
    ("prints", CODE, {}, None),
    ("example", CODE, {"prompt_number"}, "statistical.adversarial_floor"),
    ("exits", CODE, {"injected_pass", "injected_equal"}, "statistical.adversarial_floor"),
    ("prints_it", CODE, {"enumeration"}, "statistical.adversarial_floor"),
    ("equal", CODE, {"injected_equal"}, "statistical.adversarial_floor"),
]


@pytest.fixture
def probe(main, write, offer):
    """`probe(reward, row)` probes one row by one reward: (exit code, what --json prints)."""
    offer("weak", PLUGIN)

    def run(name, row, *arguments):
        recipe = {"version": 1, "reward": {"components": {"only": {"use": f"weak/{name}"}}, "total": "only"}}
        write("r.yaml", json.dumps(recipe))
        write("rows.jsonl", [row])
        code, out, err = main("probe", "r.yaml", "rows.jsonl", "--json", *arguments)
        assert "slices" in json.loads(out), out + err
        return code, json.loads(out)

    return run


@pytest.mark.parametrize(
    ("name", "row", "winners", "check"), WEAK, ids=[f"{name}-{row['id']}" for name, row, *_ in WEAK]
)
def test_what_a_weakness_lets_win_is_named_and_a_sound_verifier_lets_nothing_win(name, row, winners, check, probe):
    code, found = probe(name, row)
    tried = found["slices"]["all"]["completions"]
    assert {family for family, verdict in tried.items() if verdict["wins"]} == set(winners)
    assert code == bool(winners)
    assert {name for name, one in found["checks"].items() if one["status"] == "fail"} == ({check} if check else set())
    assert {tried[family]["check"] for family in winners} == ({check} if check else set())


def test_what_the_recipe_knows_of_fails_its_check_and_not_the_probe(probe, main):
    code, found = probe("on_topic", SUM, "--margin", "0.5", "probe.known={noop: on purpose}")
    assert (code, found["ok"], found["floor"]["family"], found["floor"]["gap"]) == (0, True, "noop", 0.0)
    assert found["checks"]["semantic.floor_gap"] == {"status": "fail", "families": ["noop"]}
    _, text, _ = main("probe", "r.yaml", "rows.jsonl", "probe.known={noop: on purpose}")
    line = next(line for line in text.splitlines() if line.startswith("  semantic.floor_gap"))
    assert " ".join(line.split()) == "semantic.floor_gap fail (known) honest is 0.000 ahead of noop"


def test_a_margin_over_doing_nothing_may_be_asked_for(probe, main):
    code, found = probe("exact", SUM, "--margin", "0.5")
    assert (code, found["floor"]) == (0, {"family": "empty", "gap": 1.0, "margin": 0.5})
    code, found = probe("exact", SUM, "--margin", "1.5")
    assert (code, found["ok"], found["checks"]["semantic.floor_gap"]["status"]) == (1, False, "fail")
    _, text, _ = main("probe", "r.yaml", "rows.jsonl", "--margin", "1.5")
    assert "  semantic.floor_gap             fail  honest is 1.000 ahead of empty, less than 1.5" in text.splitlines()
    assert text.splitlines()[-1] == "doing nothing earns too much: empty is 1.000 behind the honest one"
