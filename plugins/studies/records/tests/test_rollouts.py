"""Rollouts of other tools as the rows of `score`, `compare` and `probe`: found by looking, and grouped."""

import json
import math
import re
import zipfile

import pytest
import rewardlab
from helpers.paths import DOCS, TESTS
from rewardlab.data import read_lines
from rewardlab.specs.entry_points import entry_points_of
from rewardlab_records.rollouts import group_store

DATA = TESTS / "data"
VERL, TRL = DATA / "verl" / "3.jsonl", DATA / "trl" / "completions_00001.parquet"
VERIFIERS, GYM = DATA / "verifiers" / "traces.jsonl", DATA / "nemo_gym" / "rollouts.jsonl"
BOX = "version: 1\nreward: {components: {box: {use: format/boxed}}, total: box}"
RIGHT = BOX.replace("}}", "}, right: {use: math/accuracy, workers: 1}}").replace("total: box", "total: 0.5*box + right")


@pytest.fixture
def scores(main, write, tmp_path):
    """Score a file: (the lines of scores, what is told)."""

    def score(rows, *flags, reward=BOX):
        recipe = write("r.yaml", reward)
        (tmp_path / "out.jsonl").unlink(missing_ok=True)
        code, out, err = main("score", recipe, rows, "-o", "out.jsonl", *flags)
        if code:
            return code, out + err
        return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()], out + err

    return score


@pytest.fixture
def converted(main, tmp_path):
    def convert(*arguments):
        (tmp_path / "rows.jsonl").unlink(missing_ok=True)
        code, _, err = main("convert", *arguments, "-o", "rows.jsonl")
        assert code == 0, err
        return [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]

    return convert


def records(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("file", "totals", "answers"),
    [
        (VERL, {"3/5017478177a6bf4e": [1, 1], "3/a8234d47a3a7c2a0": [1, 1]}, ["5", "11"]),
        (DATA / "verl" / "12.jsonl", {f"12/{'0b7c1d52-7a54-4e3c-9a57-3f1f5d1c8a01'}": [1, 1]}, ["5", "11"]),
        (VERIFIERS, {"sums/sum-0": [1, 1], "step1-1": [1, 1]}, ["5", "11"]),
        (DATA / "inspect_ai" / "sums.json", {"sums/s1": [1, 1], "sums/s2": [1, 1]}, ["2", "4"]),
        (
            next((DATA / "lm_eval").glob("samples_sums*")),
            {"samples_sums_de/0": [0, 0], "samples_sums_de/1": [0, 0]},
            ["5", "11"],
        ),
    ],
    ids=["verl", "verl with uid", "verifiers", "inspect", "lm_eval"],
)
def test_a_file_is_scored_as_it_is(scores, converted, file, totals, answers):
    found, _ = scores(file)
    by_id = {row["id"]: row["total"] for row in found}
    assert {name: by_id[name] for name in totals} == totals
    assert [row["answer"] for row in converted(file)] == answers


def test_rewards_read_the_answers_of_a_file(scores):
    found, _ = scores(VERL, reward=RIGHT)
    assert [row["total"] for row in found] == [[1.5, 0.5], [1.5, 0.5]]


def test_trl_answers_stand_in_what_its_reward_logged(scores):
    pytest.importorskip("pyarrow")
    found, _ = scores(TRL, "dataset={use: data/jsonl, with: {path: x.jsonl}, fields: {answer: solution}}", reward=RIGHT)
    assert [(row["id"], row["total"]) for row in found] == [
        ("1/7c64110339402886", [0, 0]),
        ("1/b5d4f8e1834d8dae", [0, 0]),
    ]


def test_members_that_lie_apart_are_one_group_and_all_that_was_recorded_stays(converted):
    assert converted(VERL)[0] == {
        "id": "3/5017478177a6bf4e",
        "step": 3,
        "prompt": "user\nWhat is 2 + 3?\nassistant\n",
        "completions": ["The answer is \\boxed{5}.", "\\boxed{6}"],
        "answer": "5",
        "recorded": {"score": [1.0, 0.0], "acc": [1, 0], "pred": ["5", "6"], "request_id": ["a", "d"]},
    }


def test_each_trainers_group_has_its_prompt_texts_and_rewards(converted, write):
    pytest.importorskip("pyarrow")
    first, second = converted(TRL)
    assert first["prompt"] == [{"role": "user", "content": "What is 2 + 3?"}]
    assert (first["step"], first["solution"], second["solution"]) == (1, "5", "11")
    assert first["recorded"]["some"] == [0.5, None]
    assert first["recorded"].keys() == {"brief", "some", "ok", "advantage"}
    first, second = converted(VERIFIERS)
    assert [message["content"] for message in first["prompt"]] == ["Answer in a box.", "What is 2 + 3?"]
    assert first["completions"][1] == {"text": "\\boxed{7}", "truncated": True, "token_count": 7}
    assert first["recorded"] == {"correct": [1.0, 0.0], "brief": [0.5, 0.5], "length": [13.0, 9.0]}
    assert (first["answer"], first["task"], "network_allow" in first) == ("5", "sums", False)
    again = [record | {"_ng_rollout_index": 1} for record in records(GYM)]
    write("gym.jsonl", [*records(GYM), *again])
    first, second = converted("gym.jsonl")
    assert first["id"] == "wmt_translation_simple_agent/4"
    assert [one["text"] for one in first["completions"]] == ["\nおはようございます、調子はどうですか？"] * 2
    assert first["translation"] == "おはようございます、お元気ですか？"
    assert first["recorded"]["reward"] == [0.5987198339641038] * 2


def test_a_folder_has_a_file_for_each_step(scores, write):
    for step in (9, 10):
        write(f"dump/{step}.jsonl", [record | {"step": step} for record in records(VERL)])
    found, _ = scores("dump")
    assert [row["id"].partition("/")[0] for row in found] == ["9", "9", "10", "10"]


def test_the_other_commands_read_the_same_files(main, write):
    write("r.yaml", BOX)
    assert main("compare", "r.yaml", "r.yaml", VERL, "reward.total=box")[0] in (0, 1)
    code, _, err = main("probe", "r.yaml", VERL, "--format", "verl")
    assert code in (0, 1), err
    found = rewardlab.score("r.yaml", VERIFIERS, output="a.jsonl", format="verifiers")
    assert found.data["rows"] == 2


def test_a_bad_record_is_named_by_its_place(scores, write):
    good = records(VERL)
    write("dump.jsonl", [*good[:3], good[3] | {"output": 7}])
    code, told = scores("dump.jsonl")
    assert code == 2
    assert "dump.jsonl:4: `step` must be a whole number, and `input` and `output` texts" in told
    assert "1 bad row; fix them, or leave them out with --skip-bad" in told
    found, told = scores("dump.jsonl", "--skip-bad")
    assert [len(row["total"]) for row in found] == [1, 2]
    assert "warning: dump.jsonl:4" in told


def test_what_a_reward_lacks_is_named_by_the_place_of_the_group(scores, write):
    write("dump.jsonl", [record | {"gts": None} for record in records(VERL)])
    code, told = scores("dump.jsonl", reward=RIGHT)
    assert code == 2
    assert "dump.jsonl:1: field 'answer' is needed by right" in told


def test_rows_of_two_kinds_are_one_error(scores, write):
    write("dump.jsonl", [*records(VERL), *records(VERIFIERS)])
    code, told = scores("dump.jsonl")
    assert code == 2
    assert "dump.jsonl:5: is not a record of verl's dump, which has 'input'" in told
    assert "a file has records of one kind (4 rows, this is the first)" in told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"ok": False, "errors": [{"type": "ModelError", "message": "503"}]}, "the episode failed: ModelError: 503"),
        ({"nodes": []}, "the trace has no message of the model"),
        ({"agent": {"trainable": False}}, "the episode has 0 traces of agents that are trained"),
        ({"nodes": [{"message": {"role": "user", "content": "a"}, "parent": 4}]}, "the trace branches"),
    ],
)
def test_an_episode_without_an_answer_is_no_completion(scores, write, changes, told):
    first, *others = records(VERIFIERS)
    first["traces"][0] |= changes
    write("traces.jsonl", [first, *others])
    code, said = scores("traces.jsonl")
    assert code == 2
    assert f"traces.jsonl:1: {told}" in said


CALL = {"name": "add", "arguments": '{"a": 2}'}
RESULT = {"role": "tool", "content": "\\boxed{7}", "tool_call_id": "c1"}


def gym(first):
    output = first["response"]["output"]
    called = {"type": "function_call", "call_id": "c1", **CALL}
    output[-1:-1] = [called, {"type": "function_call_output", "call_id": "c1", "output": RESULT["content"]}]
    return first


def verifiers(first):
    trace = first["traces"][0]
    asked, said = trace["nodes"][:-1], trace["nodes"][-1]
    asks = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", **CALL}]}
    middle = [{"message": asks, "parent": 1, "sampled": True}, {"message": RESULT, "parent": 2, "sampled": False}]
    trace["nodes"] = [*asked, *middle, said | {"parent": 3}]
    usage = {"prompt_tokens": 20, "completion_tokens": 6}
    trace["calls"] = [{"node": node, "usage": usage, "finish_reason": "stop"} for node in (2, 4)]
    return first


def inspect(log):
    call = {"id": "c1", "type": "function", "function": CALL["name"], "arguments": {"a": 2}}
    for sample in log["samples"]:
        asks = {"role": "assistant", "content": "", "source": "generate", "tool_calls": [call]}
        sample["messages"][-1:-1] = [asks, RESULT | {"function": "add"}]
    return log


@pytest.mark.parametrize(
    ("name", "called", "file", "tokens"),
    [
        ("a.jsonl", verifiers, VERIFIERS, 12),
        ("a.jsonl", gym, GYM, None),
        ("a.json", inspect, DATA / "inspect_ai" / "sums.json", None),
    ],
    ids=["verifiers", "nemo_gym", "inspect"],
)
def test_a_rollout_with_calls_is_a_conversation_from_the_models_first_message_on(
    main, scores, converted, write, tmp_path, name, called, file, tokens
):
    first, *others = records(file) if name == "a.jsonl" else [json.loads(file.read_text("utf-8"))]
    before = converted(file)[0]
    written = called(first)
    write(name, [written, *others] if name == "a.jsonl" else json.dumps(written))
    row = converted(name)[0]
    assert row["prompt"] == before["prompt"]
    asks, result, answer = row["completions"][0]["messages"]
    assert (asks["role"], result, answer["role"]) == ("assistant", RESULT, "assistant")
    assert answer["content"] == before["completions"][0]["text"]
    assert tokens is None or row["completions"][0]["token_count"] == tokens
    assert scores("rows.jsonl")[0][0]["total"] == scores(file)[0][0]["total"]
    lines, _ = scores("rows.jsonl")
    assert main("export", "rows.jsonl", "out.jsonl", "-o", "t.csv")[0] == 0
    table = [row for _, row in read_lines(tmp_path / "t.csv")]
    said = table[0]["messages"]
    [call] = said[0]["tool_calls"]
    assert (call["id"], call["function"]) == ("c1", CALL)
    assert said[1:] == [result, answer]
    assert [float(one["total"]) for one in table] == [total for line in lines for total in line["total"]]
    pytest.importorskip("pyarrow")
    assert main("export", "rows.jsonl", "out.jsonl", "-o", "t.parquet")[0] == 0
    again = converted("t.parquet")[0]["completions"][0]
    assert again["messages"] == said
    assert again.get("token_count") == row["completions"][0].get("token_count")


def gym(output, place=0, asked=None, **more):
    """A rollout of NeMo-Gym with the items of its response."""
    request = {"input": [{"role": "user", "content": "2 + 3?"}] if asked is None else asked}
    indices = {"_ng_task_index": 7, "_ng_rollout_index": place}
    return {"responses_create_params": request, "response": {"output": output}, "reward": 1.0, **indices, **more}


FIVE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "\\boxed{5}"}]}
UNSAID = [{"type": "reasoning", "summary": []}]
"""an answer that ended before its message"""
LOOKED_UP = [
    {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"},
    {"type": "function_call_output", "call_id": "c", "output": "5"},
]


class TestNemoGym:
    def test_a_masked_rollout_has_no_recorded_reward(self, converted, write):
        write("r.jsonl", [gym([FIVE]), gym([FIVE], 1, mask_sample=True, reward=0.0, failure_kind="judge_failed")])
        [row] = converted("r.jsonl")
        assert row["recorded"]["reward"] == [1.0, None]
        assert row["recorded"]["failure_kind"] == [None, "judge_failed"]

    def test_an_answer_without_a_message_is_empty(self, scores, write):
        write("r.jsonl", [gym([FIVE]), gym(UNSAID, 1), gym([], 2)])
        assert scores("r.jsonl")[0][0]["total"] == [1.0, 0.0, None], "in the last no model was called"

    def test_a_rollout_whose_agent_recorded_no_prompt_is_scored(self, scores, write):
        write("r.jsonl", [gym([FIVE], asked=[]), gym(UNSAID, 1, asked=[])])
        assert scores("r.jsonl")[0][0]["total"] == [1.0, 0.0]

    def test_calls_in_a_prompt_are_text(self, converted, write):
        write("r.jsonl", [gym([FIVE], asked=[{"role": "user", "content": "2 + 3?"}, *LOOKED_UP])])
        assert [m["content"] for m in converted("r.jsonl")[0]["prompt"]] == ["2 + 3?", "look {}", "5"]

    def test_what_a_user_says_ahead_of_the_model_is_the_prompt(self, converted, write):
        shown = [{"type": "message", "role": "user", "content": "2 + 3?"}, {"type": "reasoning", "summary": []}]
        states = [[*shown], [*shown, *LOOKED_UP], [*shown, *LOOKED_UP, FIVE]]
        write("r.jsonl", [gym(states, asked=[]), gym([*shown, FIVE], 1)])
        first, second = converted("r.jsonl")[0]["completions"]
        assert [message["role"] for message in first["messages"]] == ["assistant", "tool", "assistant"]
        assert second["text"] == "\\boxed{5}"

    def test_members_that_were_asked_different_things_are_groups_of_their_own(self, scores, write):
        other = [{"role": "user", "content": "1 + 4?"}]
        write("r.jsonl", [gym([FIVE]), gym([FIVE], 1, asked=other), gym(UNSAID, 2)])
        assert sorted(row["total"] for row in scores("r.jsonl")[0]) == [[1.0], [1.0, 0.0]]

    def test_blank_lines_are_no_rollouts(self, scores, write):
        write("r.jsonl", "\n".join(["", json.dumps(gym([FIVE])), "", json.dumps(gym(UNSAID, 1)), ""]) + "\n")
        assert scores("r.jsonl")[0][0]["total"] == [1.0, 0.0]

    def test_a_rollout_that_failed_is_a_bad_row_with_its_reason(self, scores, write):
        failed = gym([FIVE], 1, _ng_failure_class="agent_run_error", failure_reason="out of memory")
        del failed["response"], failed["reward"]
        write("r_failures.jsonl", [failed, gym([FIVE], _ng_failure_class="judge_invalid", mask_sample=True)])
        assert (
            "r_failures.jsonl:1: the rollout failed before there was a response (agent_run_error): out of memory"
            in (scores("r_failures.jsonl")[1])
        )
        assert scores("r_failures.jsonl", "--skip-bad")[0][0]["total"] == [1.0]


def test_a_rollout_in_which_no_model_was_called_is_no_answer(converted, write):
    write("r.jsonl", [gym([FIVE]), gym([], 1)])
    [row] = converted("r.jsonl")
    assert row["completions"][1] == {"error": "no model was called: the response has no output"}


def test_trls_completion_with_calls_is_a_conversation(converted, write, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    said = [[{"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": CALL}]}, RESULT]]
    said.append([{"role": "assistant", "content": "7"}])
    prompt = [{"role": "user", "content": "2 + 5?"}]
    steps = [{"step": 1, "prompt": prompt, "completion": one, "r": 1.0, "advantage": 0.0} for one in said]
    parquet.write_table(pyarrow.Table.from_pylist(steps), tmp_path / "completions_00001.parquet")
    [row] = converted("completions_00001.parquet")
    talk, plain = row["completions"]
    assert [turn["role"] for turn in talk] == ["assistant", "tool"]
    assert plain == "7"


def test_an_answer_of_another_kind_is_no_completion(scores, write):
    first, second = records(GYM)
    first["response"]["output"].insert(0, {"type": "web_search_call"})
    write("gym.jsonl", [first, second])
    assert "gym.jsonl:1: the model's answer has web_search_call; messages, calls of functions" in scores("gym.jsonl")[1]


def test_members_that_were_asked_different_things_are_no_group(scores, write):
    records_of_two = records(DATA / "verl" / "12.jsonl")
    records_of_two[1]["input"] += "again"
    write("dump.jsonl", records_of_two)
    assert "dump.jsonl:1: its completions were asked different things" in scores("dump.jsonl")[1]


def test_a_group_that_no_memory_holds_is_named_and_not_read(scores, write, monkeypatch):
    monkeypatch.setattr(group_store, "MAX_BYTES", 500)
    first, second, *others = records(VERL)
    write("dump.jsonl", [first | {"output": "x" * 300}, second, *others])
    code, told = scores("dump.jsonl")
    assert code == 2
    assert "dump.jsonl:1: this group is longer than" in told
    found, _ = scores("dump.jsonl", "--skip-bad")
    assert [len(row["total"]) for row in found] == [2]


def test_a_job_goes_on_with_the_same_file(main, scores, tmp_path):
    whole, _ = scores(VERL)
    path = tmp_path / "out.jsonl"
    path.write_text(path.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    code, _, err = main("score", "r.yaml", VERL, "-o", "out.jsonl", "--resume")
    assert code == 0, err
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == whole


def test_the_page_lists_every_format():
    listed = re.findall(r"^\| `(\w+)` \|", (DOCS / "rollouts.md").read_text("utf-8"), re.M)
    assert sorted(listed) == sorted(point.name for point in entry_points_of("rewardlab.rollout_formats"))


def test_an_unknown_format_names_those_that_there_are(scores):
    code, told = scores(VERL, "--format", "verll")
    assert code == 2
    assert "no format 'verll'; did you mean 'verl'" in told
    assert "there are inspect, lm_eval, nemo_gym, openrlhf, rewardlab, trl, verifiers, verl" in told
    code, told = scores(VERL, "--format", "trl")
    assert "3.jsonl:1: is not a record of TRL's completions, which has 'prompt'" in told


def test_rows_of_our_own_form_are_read_as_before(scores, write):
    row = {"prompt": "2 + 3?", "completions": ["\\boxed{5}"], "answer": "5"}
    write("rows.jsonl", [row | dict.fromkeys(["input", "output", "gts", "score", "step"], "x")])
    assert scores("rows.jsonl")[0][0]["total"] == [1.0]


def test_batch_inference_of_openrlhf(scores, write):
    lines = [{"input": asked, "output": f"\\boxed{{{asked}}}"} for asked in ("5", "6")] * 2
    write("generated.jsonl", lines)
    assert [(row["id"], row["total"]) for row in scores("generated.jsonl")[0]] == [("5", [1, 1]), ("6", [1, 1])]
    rewarded = [line | {"reward": number} for number, line in enumerate(lines)]
    write("rewarded.jsonl", rewarded)
    write("r.yaml", BOX)
    assert [row["id"] for row in scores("rewarded.jsonl", "--format", "openrlhf")[0]] == ["5", "6"]
    write("bad.jsonl", [*rewarded, {"input": ["5"], "output": "5"}])
    assert "bad.jsonl:5: `input` and `output` must be texts" in scores("bad.jsonl")[1]
    write("pairs.jsonl", [{"instruction": "?", "input": "", "output": "5"}])  # of another kind: rows to learn from
    assert "pairs.jsonl:1: no prompt: there is no column 'prompt'" in scores("pairs.jsonl")[1]


def test_check_says_before_anything_is_scored_what_rollouts_lack(main, write):
    write("r.yaml", RIGHT)
    code, out, _ = main("check", "r.yaml", VERL)
    assert (code, out.splitlines()[-1]) == (0, f"{VERL}: 2 rows with 4 completions have what the reward needs")
    code, _, err = main("check", "r.yaml", TRL)
    assert code == 2
    assert "completions_00001.parquet:1: field 'answer' is needed by right (math/accuracy)" in err


EVAL = {"version": 2, "eval": {"task": "t", "created": "2026-01-01T00:00:00+00:00"}, "results": {"mean": math.nan}}


def sample(number, **changes):
    said = {"role": "assistant", "content": "\\boxed{5}"}
    asked = {"role": "user", "content": "2 + 3?"}
    output = {"choices": [{"message": said, "stop_reason": "stop"}]}
    one = {"id": number, "epoch": 1, "target": "5", "messages": [asked, said], "output": output}
    return one | {"scores": {"graded": {"value": math.nan}}, "metadata": {"level": math.inf}} | changes


def of_verl(**changes):
    return {"input": "2 + 3?", "output": "\\boxed{5}", "gts": "5", "score": 1.0, "step": 1} | changes


def of_gym(**changes):
    return records(GYM)[0] | {"reward": math.nan} | changes


def of_verifiers(**scores):
    first = records(VERIFIERS)[0]
    first["traces"][0]["rewards"] = {name: {"score": value} for name, value in scores.items()}
    return first


@pytest.mark.parametrize(
    ("lines", "recorded"),
    [
        ([of_verl(score=math.nan)], {"score": [None]}),
        ([of_verl(score=math.inf), of_verl(score=-math.inf)], {"score": [None, None]}),
        ([of_verl(acc=math.nan), of_verl(acc=0.5)], {"score": [1.0, 1.0], "acc": [None, 0.5]}),
        ([of_verl(), of_verl(score=math.nan)], {"score": [1.0, None]}),
        ([of_verl(extra={"a": [math.nan]}), of_verl(extra=None)], {"score": [1.0] * 2, "extra": [{"a": [None]}, None]}),
        ([of_verl(uid="7_0_0", score=math.nan)], {"score": [None]}),
        ([of_verifiers(right=math.nan)], {"right": [None], "length": [13.0]}),
        ([of_verifiers(right=-math.inf, brief=1.0)], {"right": [None], "brief": [1.0], "length": [13.0]}),
        ([of_gym()], {"reward": [None]}),
        ([of_gym(reward=math.inf)], {"reward": [None]}),
    ],
)
def test_a_recorded_number_that_is_none_is_null(converted, write, lines, recorded):
    write("log.jsonl", lines)
    [row] = converted("log.jsonl")
    assert {name: row["recorded"].get(name) for name in recorded} == recorded


@pytest.mark.slow
def test_the_texts_beside_scores_that_are_none_are_scored(scores, write, tmp_path):
    write("nan.jsonl", [of_verl(score=math.nan), of_verl(output="\\boxed{6}", score=math.inf)])
    assert scores("nan.jsonl", reward=RIGHT)[0][0]["total"] == [1.5, 0.5]
    write("log.json", json.dumps(EVAL | {"samples": [sample(1), sample(2)]}))
    assert [row["total"] for row in scores("log.json", reward=RIGHT)[0]] == [[1.5], [1.5]]
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as log:
        log.writestr("header.json", json.dumps(EVAL))
        for number in (1, 2):
            log.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample(number)))
    assert [row["total"] for row in scores("log.eval", reward=RIGHT)[0]] == [[1.5], [1.5]]
    line = records(next((DATA / "lm_eval").glob("samples_sums*")))[0] | {"exact_match": math.nan}
    write("samples_sums.jsonl", [line])
    assert [row["total"] for row in scores("samples_sums.jsonl")[0]] == [[0, 0]]


def test_infinite_rewards_of_a_table_are_null(converted, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pandas.read_parquet(TRL)
    table.loc[0, "advantage"] = math.inf
    table.to_parquet(tmp_path / "completions_00001.parquet")
    assert converted("completions_00001.parquet")[0]["recorded"]["advantage"][0] is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (of_verl(gts=math.nan), "log.jsonl:1: field 'answer' is needed by right"),
        (of_verl(gts=math.inf), "log.jsonl:1: field 'answer' is needed by right"),
        (of_verl(step=math.nan), "log.jsonl:1: `step` must be a whole number"),
        (of_verl(output=math.nan), "log.jsonl:1: `step` must be a whole number, and `input` and `output` texts"),
        (
            {"prompt": "2 + 3?", "completions": ["\\boxed{5}"], "answer": math.nan},
            "log.jsonl:1: NaN is not a JSON number; write null if there is no value",
        ),
    ],
)
def test_a_right_answer_that_is_no_number_is_an_error(scores, write, line, told):
    write("log.jsonl", [line])
    code, said = scores("log.jsonl", reward=RIGHT)
    assert code == 2
    assert told in said


def empty_gym(**changes):
    first = records(GYM)[0]
    first["response"] |= {"output": [{"type": "reasoning", "summary": []}]} | changes
    return first


def empty_verifiers():
    first = records(VERIFIERS)[0]
    first["traces"][0]["nodes"][-1]["message"] = {"role": "assistant", "content": None, "reasoning_content": "hm"}
    return first


@pytest.mark.parametrize(
    ("name", "text", "total"),
    [
        ("a.jsonl", json.dumps(of_verl(output="")), [0]),
        ("a.jsonl", json.dumps(empty_gym()), [0]),
        ("a.jsonl", json.dumps(empty_gym(output=[], incomplete_details={"reason": "max_output_tokens"})), [0]),
        ("a.jsonl", json.dumps(empty_verifiers()), [0]),
        ("a.jsonl", json.dumps({"input": "5", "output": ""}), [0]),
        *(
            ("a.json", json.dumps(EVAL | {"samples": [sample(1, output={"choices": [{"message": message}]})]}), [0])
            for message in ({"content": None}, {"content": ""}, {"content": []})
        ),
    ],
)
def test_an_empty_answer_is_an_empty_text(scores, write, name, text, total):
    write(name, text)
    found, told = scores(name)
    assert [row["total"] for row in found] == [total], told


def test_pictures_in_a_logs_prompt_are_passed_over(converted, write):
    shown = {"role": "user", "content": [{"type": "image", "image": "a.png"}, {"type": "text", "text": "2 + 3?"}]}
    said = sample(1)["messages"][1]
    write("log.json", json.dumps(EVAL | {"samples": [sample(1, messages=[shown, said])]}))
    assert converted("log.json")[0]["prompt"] == [{"role": "user", "content": "2 + 3?"}]
