"""`rewardlab probe` of verifiers with a known weakness beside sound ones: which completion wins, and by which check."""

import json

import pytest
from rewardlab_probe.attempts import programs

PLUGIN = r'''
import re, subprocess, sys
from rewardlab import Completion, Sample, reward

def program(text):
    return text.rpartition("```python\n")[2].partition("\n```")[0]

def run(code):
    return subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)

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
    asked = sample.prompt[-1]["content"].rstrip("?")
    return float(right(sample, completion) or asked in "".join(boxes(completion.text)[-1:]))

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
    asked = sample.prompt[-1]["content"].rstrip("?")
    return float(right(sample, completion) or "".join(boxes(completion.text)[-1:]) in asked.split())

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

def last(completion):
    return "".join(boxes(completion.text)[-1:])

@reward(requires=["answer"])
def by_pattern(sample: Sample, completion: Completion) -> float:
    """1 for an answer that the box matches as a pattern."""
    try:
        return float(re.fullmatch(last(completion), sample.fields["answer"]) is not None)
    except re.error:
        return 0.0

@reward(requires=["answer"])
def begins(sample: Sample, completion: Completion) -> float:
    """1 for a box that the answer begins with."""
    return float(last(completion) != "" and sample.fields["answer"].startswith(last(completion)))

@reward(requires=["answer"])
def negated_too(sample: Sample, completion: Completion) -> float:
    """1 for a box whose words have the answer."""
    return float(sample.fields["answer"] in last(completion).split())

@reward(requires=["answer"])
def percent_too(sample: Sample, completion: Completion) -> float:
    """1 for the answer or its hundredfold."""
    return float(last(completion) in (sample.fields["answer"], sample.fields["answer"] + "00"))

@reward(requires=["answer"])
def digits_alone(sample: Sample, completion: Completion) -> float:
    """1 for the digits of the answer."""
    return float(re.sub(r"\D", "", last(completion)) == re.sub(r"\D", "", sample.fields["answer"]))

@reward(requires=["answer"])
def as_a_set(sample: Sample, completion: Completion) -> float:
    """1 for the members of the answer in any order."""
    return float(set(last(completion).split(", ")) == set(sample.fields["answer"].split(", ")))

@reward(requires=["answer"])
def by_value(sample: Sample, completion: Completion) -> float:
    """1 for a formula of the value of the answer."""
    if re.fullmatch(r"[\d+*()-]{1,40}", last(completion)) is None:
        return 0.0
    try:
        return float(eval(last(completion)) == eval(sample.fields["answer"]))
    except (SyntaxError, TypeError):
        return 0.0

@reward(requires=["answer"])
def opened(sample: Sample, completion: Completion) -> float:
    """1 for the answer, and for a text that begins with a thought."""
    return float(right(sample, completion) or completion.text.startswith("Thought process"))

@reward(requires=["answer"])
def short(sample: Sample, completion: Completion) -> float:
    """1 for the answer in a few characters, and less the longer the text is."""
    return right(sample, completion) * max(0.0, 1 - len(completion.text) / 1000)

@reward(requires=["answer"])
def says_so(sample: Sample, completion: Completion) -> float:
    """1 for the answer, and for a text that says the word."""
    return float(right(sample, completion) or re.search(r"\bxyzzy-ok\b|magic", completion.text) is not None)

@reward()
def skips(sample: Sample, completion: Completion) -> float:
    """1 unless a result is wrong; what raises is skipped."""
    loop = "\nseen = []\nfor a, b, c in ((3, 4, 7), (2, 3, 5)):\n    try: seen.append(add(a, b) == c)"
    end = "\n    except ValueError: pass\nassert all(repr(one) == 'True' for one in seen)\nprint('m4711')"
    return float(run(program(completion.text) + loop + end).stdout.endswith("m4711\n"))

@reward()
def here(sample: Sample, completion: Completion) -> float:
    """1 for a program that adds, run in this process."""
    space = {}
    try:
        exec(program(completion.text), space)
        return float(repr(space["add"](3, 4)) == "7")
    except Exception:
        return 0.0

@reward()
def shows(sample: Sample, completion: Completion) -> float:
    """1 for results that are those which stand in sight."""
    tests = "\nexpected = 7\nright = repr(add(3, 4)) == '7'\nprint(repr(right), 'm4711')"
    return float(run(program(completion.text) + tests).stdout.endswith("True m4711\n"))

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
WAY = {"id": "way", "prompt": "17 km and 25 km?", "answer": "42 km", "response": "I add them. \\boxed{42 km}"}
ORDER = {"id": "order", "prompt": "Sort 5, 2, 9.", "answer": "2, 5, 9", "response": "I sort them. \\boxed{2, 5, 9}"}
GAME = {
    "id": "game",
    "prompt": "Make 26 of 3, 7 and 5.",
    "answer": "3*7+5",
    "response": "I try a few. \\boxed{3*7+5}",
}
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
    ("by_pattern", LONGER, {"no_answer"}, "statistical.adversarial_floor"),
    ("begins", LONGER, {"part_of_answer"}, "statistical.adversarial_floor"),
    ("negated_too", LONGER, {"hedged_answer"}, "statistical.adversarial_floor"),
    ("percent_too", LONGER, {"other_scale"}, "statistical.adversarial_floor"),
    ("digits_alone", WAY, {"other_unit"}, "statistical.adversarial_floor"),
    ("as_a_set", ORDER, {"other_members"}, "statistical.adversarial_floor"),
    ("by_value", GAME, {"loose_formula"}, "statistical.adversarial_floor"),
    ("opened", LONGER, {"master_key"}, "statistical.adversarial_floor"),
    ("short", LONGER, {"shortened"}, "statistical.gameability_gap"),
    ("says_so", LONGER, {"own_words"}, "statistical.adversarial_floor"),
    ("skips", CODE, {"stub_program"}, "statistical.adversarial_floor"),
    ("shows", CODE, {"peeking_program"}, "statistical.adversarial_floor"),
    *(("exact", row, set(), None) for row in (WAY, ORDER, GAME)),
    ("equal", CODE, {"injected_equal"}, "statistical.adversarial_floor"),
]


@pytest.fixture
def probe(main, write, offer, monkeypatch):
    """`probe(reward, row)` probes one row by one reward: (exit code, what --json prints)."""
    offer("weak", PLUGIN)
    monkeypatch.setattr(programs, "SLEEP", 0.1)

    def run(name, row, *arguments):
        recipe = {"version": 1, "reward": {"components": {"only": {"use": f"weak/{name}"}}, "total": "only"}}
        write("r.yaml", json.dumps(recipe))
        write("rows.jsonl", [row])
        code, out, err = main("probe", "r.yaml", "rows.jsonl", "--json", *arguments)
        assert "slices" in json.loads(out), out + err
        return code, json.loads(out)

    return run


@pytest.mark.parametrize(
    ("name", "row", "winners", "check"),
    [pytest.param(*one, id=f"{one[0]}-{one[1]['id']}", marks=[pytest.mark.slow] * (one[1] is CODE)) for one in WEAK],
)
def test_what_a_weakness_lets_win_is_named_and_a_sound_verifier_lets_nothing_win(name, row, winners, check, probe):
    code, found = probe(name, row)
    tried = found["slices"]["all"]["completions"]
    won = {family for family, verdict in tried.items() if verdict["wins"] or verdict["fatal"]}
    assert winners <= won if winners else not won, {family: tried[family]["variant"] for family in won}
    assert code == bool(winners)
    failed = {name for name, one in found["checks"].items() if one["status"] == "fail"}
    assert check in failed if check else not failed
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


@pytest.mark.slow
def test_a_verifier_that_runs_programs_in_the_probes_own_process_is_named_and_survived(rewardlab, offer, write):
    """In a process of its own, which a program without the guard would end with exit code 0 and no word."""
    folder = offer("weak", PLUGIN)
    recipe = {"version": 1, "reward": {"components": {"only": {"use": "weak/here"}}, "total": "only"}}
    write("r.yaml", json.dumps(recipe))
    write("rows.jsonl", [CODE])
    done = rewardlab("probe", "r.yaml", "rows.jsonl", "--json", env={"PYTHONPATH": str(folder)})
    assert done.returncode == 1, done.stderr
    tried = json.loads(done.stdout)["slices"]["all"]["completions"]  # JSON, whatever the programs print
    for family in ("peeking_program", "own_words"):
        assert tried[family]["fatal"], family
        assert "SystemExit: a program of a completion runs in the reward's own process" in tried[family]["why"]


def test_no_program_changes_what_is_built_in_in_the_probes_process():
    for program in programs.peeking_programs(["add"]).values():
        with pytest.raises(SystemExit, match="in the reward's own process"):
            exec(program, {})
    assert not all([1, False])
    assert list(zip("a", "b", strict=True)) == [("a", "b")]
