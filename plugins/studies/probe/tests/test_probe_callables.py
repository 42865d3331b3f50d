"""`rewardlab probe --callable`: graders that are functions, in processes of their own, and what is wrong with them."""

import json
import socket
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from rewardlab import Sample
from rewardlab.errors import JobError, UserError
from rewardlab_probe import callable_as_dict, probe_callable
from rewardlab_probe.callables.reproduction import Reproducer, written
from rewardlab_probe.callables.signatures import CallPlan, Parameters

ROWS = [
    {"id": "sum", "prompt": "What is 17 + 25?", "honest": "17 and 25 make 42. \\boxed{42}", "answer": "42"},
    {"id": "half", "prompt": "What is 3 times 3.5?", "honest": "It is \\boxed{10.5}", "answer": "10.5"},
]

SOUND = r"""
import re
def sound(prompt, completion, answer):
    boxed = re.findall(r"\\boxed\{([^{}]*)\}", completion[-200:])
    return float(boxed == [answer] and completion.endswith("}"))
"""

GRADERS = (
    SOUND
    + r"""
import asyncio, os, socket, subprocess, sys, time
from random import random

def substring(response, gold):
    return gold in response

def listed(prompts, completions, answer, **columns):
    return [float(right in text) for text, right in zip(completions, answer)]

def messages(completions, answer, **columns):
    return [float(right in turns[0]["content"]) for turns, right in zip(completions, answer)]

def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    return {"score": sound(None, solution_str, ground_truth), "acc": True}

async def rubric(completion, answer, state):
    return sound(None, completion[0]["content"], state["answer"])

def score_answer(answer, entry):
    return sound(None, answer, entry["answer"])

class Server:
    def verify(self, body: dict):
        text = body["response"]["output"][0]["content"][0]["text"]
        return {**body, "reward": sound(None, text, body["answer"])}

def raises(completion, answer):
    return completion.index("}") and sound(None, completion, answer)

def leaves(completion, answer):
    if "guess" in completion or not completion: sys.exit(3)
    return sound(None, completion, answer)

async def cancels(completion, answer):
    if not completion: raise asyncio.CancelledError
    return sound(None, completion, answer)

def ends(completion, answer):
    if not completion: os._exit(7)
    return sound(None, completion, answer)

def dies(completion, answer):
    if not completion.startswith(("17 and", "It is")): os._exit(7)
    return sound(None, completion, answer)

def hangs(completion, answer):
    while not completion: time.sleep(60)
    return sound(None, completion, answer)

def grows(completion, answer):
    kept = bytearray(10**9) if not completion else b""
    for place in range(0, len(kept), 4096): kept[place] = 1
    while kept: time.sleep(60)
    return sound(None, completion, answer)

def prints(completion, answer):
    print("debug:", len(completion))
    return sound(None, completion, answer)

def forks(completion, answer):
    if os.fork() == 0: time.sleep(60)
    return sound(None, completion, answer)

def forks_and_returns(completion, answer):
    os.fork()
    return sound(None, completion, answer)

def runs(completion, answer):
    subprocess.run([sys.executable, "-S", "-c", ""])
    return sound(None, completion, answer)

def calls(completion, answer):
    try: socket.create_connection(("192.0.2.1", 80), timeout=0.1)
    except OSError: pass
    return sound(None, completion, answer)

def served(completion, answer, port):
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    return sound(None, completion, answer)

def nan(completion, answer):
    return sound(None, completion, answer) or float("nan")

def nothing(completion, answer):
    return sound(None, completion, answer) or None

def wavers(completion, answer):
    return sound(None, completion, answer) + random()

ASKED = []
def remembers(completion, answer):
    ASKED.append(completion)
    return sound(None, completion, answer) + 0.01 * len(ASKED[-2]) if len(ASKED) > 1 else 1.0

def salted(completion, answer):
    return sound(None, completion, answer) + hash(completion) % 1000 / 1e4

def by_batch(completions, answer, **columns):
    scores = listed(None, completions, answer)
    return [score / (1 + len(scores)) for score in scores]

def slow(completion, answer):
    return sound(None, completion, answer) if len(completion) < 90_000 else _spin()

def last_word(completion, answer): return float(re.findall(r"\w+", completion)[-1:] == [answer])

BEGUN = []
def slow_at_first(completion, answer):
    if len(completion) < 90_000 or BEGUN: return sound(None, completion, answer)
    BEGUN.append(True)
    return _spin()

def _spin():
    until = time.process_time() + 0.5
    while time.process_time() < until: pass
    return 0.0

PASSED = re.compile(r"all tests passed")
def marked(completion, answer):
    return float(bool(PASSED.search(completion)) or sound(None, completion, answer))

def constant(completion, answer): return 0.0
def broken(completion, answer): return no_such_name

def lacks(completion, rubric): return 0.0
def unseen(x, y): return float(y in x)
def anything(*parts): return 1.0
def by_place(completion, answer, /, lenient=False): return float(answer in completion)
"""
)


@pytest.fixture
def graders(tmp_path, monkeypatch):
    """Write the graders where a user would have them, and go there."""
    (tmp_path / "graders.py").write_text(GRADERS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def probed(name, rows=ROWS, **options):
    return probe_callable(f"graders:{name}", rows, **{"thorough": 0, "deadline": 20.0} | options)


def findings(report):
    return {finding.check: finding for finding in report.findings if finding.level == "error"}


def notes(report):
    return {finding.check: finding for finding in report.findings if finding.level == "note"}


def printed_by(line):
    ran = subprocess.run(["bash", "-c", line.replace("python", sys.executable, 1)], capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.mark.usefixtures("graders")
def test_sound_grader_has_no_finding_and_notes_what_it_does_not_read():
    report = probed("sound", thorough=2)
    assert report.ok
    assert report.signature == "plain"
    assert {*notes(report)} == {"other_digits", "decimal_comma"}
    assert report.checks["determinism"] == "pass"
    assert report.checks["batch"] == report.checks["own_notation"] == "skip"


@pytest.mark.usefixtures("graders")
def test_weak_grader_is_named_with_the_row_and_a_line_that_shows_it():
    finding = findings(probed("substring"))["enumeration"]
    assert finding.rfc == "statistical.adversarial_floor"
    assert printed_by(finding.line) == "True True"


def each_signature():
    rows = [{**row, "entry": {"answer": row["answer"]}, "gold": row["answer"]} for row in ROWS]
    turns = [{**row, "prompt": [{"role": "system", "content": "Box it."}, *_asked(row)]} for row in rows]
    return {
        "substring": (rows, "plain"),
        "listed": (rows, "trl"),
        "messages": (turns, "trl_messages"),
        "compute_score": (rows, "verl"),
        "rubric": (rows, "verifiers"),
        "score_answer": (rows, "reasoning_gym"),
        "Server().verify": (rows, "nemo_gym"),
    }


def _asked(row):
    return [{"role": "user", "content": row["prompt"]}]


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_signatures_are_seen_and_called_and_their_lines_run():
    wrong = {}
    for name, (rows, signature) in each_signature().items():
        report = probed(name, rows, known={})
        honest = report.probed.slices[0].rows[0].honest.total
        line = next((finding.line for finding in report.findings if finding.line), "true")
        ran = subprocess.run(["bash", "-c", line.replace("python", sys.executable, 1)], capture_output=True).returncode
        if (report.signature, honest, ran) != (signature, 1.0, 0):
            wrong[name] = (report.signature, honest, ran, report.findings)
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_graders_that_give_no_score_are_named_in_one_line_each():
    expected = {
        "raises": ("exceptions", "it raises in the place of a score"),
        "leaves": ("ends_process", "it leaves by SystemExit"),
        "ends": ("ends_process", "exit code 7"),
        "cancels": ("exceptions", "it raises in the place of a score in 2 calls: CancelledError"),
        "nan": ("no_score", "it returns nan"),
        "nothing": ("no_score", "it returns None, not a number"),
        "calls": ("network", "it calls 192.0.2.1"),
    }
    wrong = {}
    for name, (check, words) in expected.items():
        report = probed(name)
        finding = findings(report).get(check)
        if finding is None or words not in finding.what or "\n" in finding.what or not report.probed.slices[0].rows:
            wrong[name] = report.findings
    assert wrong == {}


@pytest.mark.usefixtures("graders")
def test_network_is_refused_unless_it_is_let():
    with socket.create_server(("127.0.0.1", 0)) as server:
        rows = [{**row, "port": server.getsockname()[1]} for row in ROWS]
        with pytest.raises(JobError, match="a probe lets no grader call the network"):
            probed("served", rows)
        report = probed("served", rows, network=True)
    assert report.ok
    assert "it calls 127.0.0.1" in notes(report)["network"].what


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_grader_that_never_returns_is_ended_and_the_probe_goes_on():
    report = probed("hangs", deadline=0.5)
    assert "it does not return within" in findings(report)["never_returns"].what
    assert len(report.probed.slices[0].rows) == len(ROWS)
    assert findings(report)["never_returns"].rfc == "runtime.reward_well_formed"


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_grader_that_takes_memory_is_ended():
    assert "more than 0.2 GB" in findings(probed("grows", memory=0.2))["memory"].what


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_what_a_grader_does_beside_scoring_is_noted():
    assert "'debug: 29'" in notes(probed("prints"))["prints"].what
    assert "starts processes" in notes(probed("runs"))["processes"].what


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_grader_that_leaves_processes_behind_is_bounded():
    report = probed("forks")
    assert "leaves 33 processes running" in findings(report)["ends_process"].what
    assert report.behaviour.left == 33


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_what_a_grader_that_was_given_up_was_not_asked_for_passes_nothing():
    report = probed("dies")
    assert report.checks["given_up"] == "fail"
    assert {report.checks[check] for check in ("determinism", "order", "long_text")} == {"skip"}


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_grader_that_returns_in_a_fork_too_gives_one_score():
    report = probed("forks_and_returns")
    assert {*findings(report)} <= {"ends_process"}
    assert report.probed.slices[0].rows[0].honest.total == 1.0


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_scores_that_depend_on_more_than_the_text_are_named():
    assert "then" in findings(probed("wavers"))["determinism"].what
    assert "before it" in findings(probed("remembers"))["order"].what
    assert "in another process" in findings(probed("salted"))["other_process"].what
    assert "alone" in findings(probed("by_batch"))["batch"].what


@pytest.mark.slow
@pytest.mark.usefixtures("graders")
def test_long_texts_that_take_long_are_named():
    assert "processor time" in findings(probed("slow", slow=0.2))["long_text"].what


@pytest.mark.usefixtures("graders")
def test_a_first_long_text_that_loads_something_is_not_slow():
    assert "long_text" not in findings(probed("slow_at_first", slow=0.2))


@pytest.mark.usefixtures("graders")
def test_the_right_word_without_its_json_is_not_no_answer():
    rows = [{"id": "same", "prompt": "Is 7 a prime? Answer in JSON.", "honest": '{"answer": "yes"}', "answer": "yes"}]
    assert "no_answer" not in findings(probed("last_word", rows, thorough=1))


def test_long_texts_are_short_in_lines():
    texts = ["a " * 50_000 + "42", "\\boxed{" + "1" * 100_000 + "}", "x" * 399, "4 2\n" * 200]
    lines = [written(text) for text in texts]
    assert max(map(len, lines)) < 500
    assert [eval(line) for line in lines] == texts


@pytest.mark.usefixtures("graders")
def test_right_answers_that_fail_are_named():
    rows = [ROWS[0], {**ROWS[1], "honest": "It is 10.5"}, {**ROWS[0], "id": "also", "also_right": ["\\boxed{042}"]}]
    named = findings(probed("sound", rows))
    assert "earns 0 where others earn 1, in 1 of 3 rows" in named["right_answer"].what
    assert {*named} == {"right_answer", "own_notation"}, "what ties with the right answer that fails is no winner"
    assert "'\\\\boxed{042}' is right, too" in named["own_notation"].what


@pytest.mark.usefixtures("graders")
def test_words_of_a_graders_code_are_tried():
    assert "all tests passed" in findings(probed("marked", thorough=1))["own_words"].line


@pytest.mark.usefixtures("graders")
def test_what_is_known_fails_nothing():
    known = dict.fromkeys(findings(probed("substring")), "an ablation")
    report = probed("substring", known=known)
    assert report.ok
    assert {finding.known for finding in findings(report).values()} == {"an ablation"}


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("no_such_module:f", "cannot be imported: ModuleNotFoundError"),
        ("graders:no_such_name", "cannot be imported: AttributeError"),
        ("graders:ASKED", "is list, which cannot be called"),
        ("graders:Server", r"graders:Server is a class; write graders:Server\(\) for one of it"),
        ("graders", "graders: names no function; write package.module:function"),
        ("no_such_file.py:f", "no_such_file.py: no such file in"),
        ("json.py:f", "json.py has the name of another module"),
        ("leaving.py:f", "cannot be imported: graders: the worker died|exit code 5"),
        ("graders:lacks", "it needs rubric, and the row 'sum' has no such column"),
        ("graders:unseen", "no parameter of .* is seen to be the completion"),
    ],
)
def test_callables_that_cannot_be_asked_are_named(graders, target, problem):
    (graders / "leaving.py").write_text("import os\nos._exit(5)\n")
    (graders / "json.py").write_text("def f(completion, answer): return 1.0\n")
    with pytest.raises(UserError, match=problem) as error:
        probe_callable(target, ROWS)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("graders")
def test_grader_that_scores_no_honest_completion_is_refused_after_these():
    with pytest.raises(JobError, match=r"none of 2 honest completions gets a score; last: NameError.*at graders.py"):
        probed("broken")


@pytest.mark.usefixtures("graders")
def test_grader_that_gives_all_the_same_has_one_finding():
    named = findings(probed("constant"))
    assert {*named} == {"right_answer"}
    assert named["right_answer"].what == "a right answer earns 0 like everything else"


@pytest.mark.usefixtures("graders")
def test_said_signature_calls_parameters_of_any_name():
    assert findings(probed("unseen", signature="plain"))["enumeration"]


@pytest.mark.usefixtures("graders")
def test_function_that_takes_nothing_by_name_is_refused():
    with pytest.raises(UserError, match="it takes nothing by name; wrap it in a function that does"):
        probed("anything", signature="plain")


@pytest.mark.usefixtures("graders")
def test_parameters_that_have_no_name_are_given_by_their_place():
    finding = findings(probed("by_place"))["enumeration"]
    assert printed_by(finding.line) == "1.0 1.0"


def test_file_whose_name_is_no_word_has_lines_that_run(graders):
    (graders / "my-graders.py").write_text(GRADERS)
    finding = findings(probe_callable("my-graders.py:substring", ROWS, thorough=0))["enumeration"]
    assert printed_by(finding.line) == "True True"


@pytest.mark.parametrize("also", ["42.0", [42]])
@pytest.mark.usefixtures("graders")
def test_further_right_completions_are_a_list_of_texts(also):
    with pytest.raises(UserError, match="also_right is no list of texts"):
        probed("sound", [ROWS[0] | {"also_right": also}, ROWS[1]])


@pytest.mark.usefixtures("graders")
def test_what_is_known_is_a_family_or_a_check():
    with pytest.raises(UserError, match="no family or check 'emty'; did you mean 'empty'"):
        probed("sound", known={"emty": "an ablation"})


def test_rows_without_the_answer_that_a_grader_needs_are_named():
    plan = CallPlan(signature="verifiers", parameters=Parameters(required=["completion", "answer", "state"]))
    assert plan.lacking(Sample(id="a", prompt=[{"role": "user", "content": "?"}], fields={})) == ["answer"]
    assert plan.lacking(Sample(id="a", prompt=[{"role": "user", "content": "?"}], fields={"answer": "1"})) == []


def test_command_exits_with_1_and_writes_what_ci_reads(main, graders):
    (graders / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    asked = ["probe", "--callable", "graders:substring", "--rows", "rows.jsonl", "--thorough", "0", "--json"]
    code, out, _ = main(*asked, "--report", "out.sarif")
    assert code == 1
    printed = json.loads(out)
    sarif = json.loads((graders / "out.sarif").read_text())
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} == {f["check"] for f in printed["findings"]}
    assert main(*asked, "--report", "out.xml")[0] == 1
    suite = ElementTree.parse(graders / "out.xml").getroot()
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {finding["check"] for finding in printed["findings"] if finding["level"] == "error"}
    assert main("probe", "--callable", "graders:sound", "--rows", "rows.jsonl", "--report", "sound.xml")[0] == 0
    assert [
        case for case in ElementTree.parse(graders / "sound.xml").getroot() if case.find("failure") is not None
    ] == []
    known = [word for name in failed for word in ("--known", f"{name}=an ablation")]
    assert main(*asked, *known)[0] == 0


def test_options_that_do_not_go_together_are_named(main):
    for words, problem in {
        (): "RECIPE is needed, or --callable",
        ("--callable", "a:b"): "--callable wants rows",
        ("--callable", "a:b", "quickstart", "--rows", "r"): "--callable is a grader alone",
        ("quickstart", "--deadline", "3"): "--deadline goes with --callable",
        ("--callable", "a:b", "--rows", "r", "--report", "x.txt"): "which says the form",
        ("--callable", "a:b", "--rows", "r", "--report", "no/x.xml"): "there is no folder no; make it first",
    }.items():
        code, _, err = main("probe", *words)
        assert (code, problem in err) == (2, True), err


@pytest.mark.usefixtures("graders")
def test_report_is_json():
    assert json.loads(json.dumps(callable_as_dict(probed("sound"))))["signature"] == "plain"


def line_for(signature, required, asked="Which one?", **fields):
    sample = Sample(id="a", prompt=({"role": "user", "content": asked},), fields={"answer": "42", **fields})
    plan = CallPlan(signature=signature, parameters=Parameters(required=required, awaits=True))
    return Reproducer(target="app:verify", plan=plan).line([(sample, ["It is 42"]), (sample, ["It is 1"])])


def test_lines_of_scorers_of_inspect_print_the_value_alone():
    assert line_for("inspect", ["state", "target"]).count(").value") == 1


def test_lines_say_once_what_a_row_has():
    lines = {
        "inspect": line_for("inspect", ["state", "target"]),
        "nemo_gym": line_for("nemo_gym", ["body"]),
        "plain": line_for("plain", ["prompt", "completion", "answer"]),
        "trl": line_for("trl", ["prompts", "completions"]),
    }
    assert {name: line.count("Which one?") for name, line in lines.items()} == dict.fromkeys(lines, 1)
    assert all('print(ask("It is 42"), ask("It is 1"))' in line for line in lines.values()), lines


def test_ids_of_a_text_are_written_for_each_completion():
    assert "completion_ids=[[0, 1]]" in line_for("trl", ["prompts", "completions", "completion_ids"])
