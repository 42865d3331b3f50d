"""`rewardlab eval`: the stages `eval` of a recipe alone, of any policy."""

import json
import re
from collections import Counter

import pytest
from rewardlab.judging import retries

RECIPE = """
    version: 1
    model: {{use: tiny}}
    judges:
      first: {{use: openai/chat, with: {{model: first, base_url: "{url}"}}}}
      second: {{use: openai/chat, with: {{model: second, base_url: "{url}"}}, price: {{prompt: 1, completion: 1}}}}
    dataset: {{use: toy/counting, with: {{rows: 8}}, holdout: 0.5}}
    reward:
      components: {{brevity: {{use: toy/brevity, with: {{words: 1}}}}}}
      total: brevity
    stages:
      - {{use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 2}}
      - {{use: eval, samples: 2, policy: {{judge: first}}}}
      - {{use: eval, samples: 1, benchmark: other, policy: {{judge: first}}}}
    backend: {{use: toy}}
"""


@pytest.fixture
def server(judge_server, write, toy):
    def answer(request):
        return "one" if request["model"] == "first" else "two words"

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as running:
        write("r.yaml", RECIPE.format(url=running.url))
        yield running


def folder_in(out, tmp_path):
    return tmp_path / re.search(r"run directory: (.*)", out)[1]


def total(folder, name):
    return json.loads((folder / "evaluation" / f"{name}.json").read_text())["slices"][0]["means"]["total"]


def test_it_runs_the_stages_eval_alone_and_prints_their_tables(server, main, tmp_path):
    code, out, err = main("eval", "r.yaml")
    assert (code, "nothing asks this judge" in err) == (0, True)
    folder = folder_in(out, tmp_path)
    assert out.count("held-out prompts, ") == 2
    assert [total(folder, name) for name in ("1-eval-results", "2-eval-other")] == [1.0, 1.0]
    assert not (folder / "models").exists()
    assert {request["model"] for request in server.requests} == {"first"}
    assert re.search(r"rewardlab score \S+ \S+eval-\w+\.rows\.jsonl", out)


def test_policy_names_what_all_of_them_evaluate(server, main, tmp_path):
    code, out, _ = main("eval", "r.yaml", "--policy", "second")
    assert code == 0
    folder = folder_in(out, tmp_path)
    assert [total(folder, name) for name in ("1-eval-results", "2-eval-other")] == [0.5, 0.5]
    assert re.search(r"judge second: \d+ calls, \d+ tokens, \$0\.\d+", out)


def test_what_it_wrote_can_be_scored_again(server, main, tmp_path):
    _, out, _ = main("eval", "r.yaml")
    rows = folder_in(out, tmp_path) / "evaluation" / "1-eval-results.rows.jsonl"
    code, _, _ = main("score", "r.yaml", rows, "-o", "scored.jsonl")
    assert (code, len((tmp_path / "scored.jsonl").read_text().splitlines())) == (0, len(rows.read_text().splitlines()))


def test_a_name_that_is_no_judge_is_a_model(server, main):
    code, _, err = main("eval", "r.yaml", "--policy", "secnd")
    assert code == 2
    assert "stages.1.policy: means nothing to the toy backend" in err  # which loads no model


def test_a_dry_run_says_what_is_asked_and_writes_nothing(server, main, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    code, out, _ = main("eval", "r.yaml", "--dry-run")
    assert code == 0
    assert "stage 0" not in out
    assert re.search(r"asks first \(openai/chat\) up to \d+ questions \(at most about", out)
    assert (sorted(tmp_path.rglob("*")), server.requests) == (before, [])


def test_of_a_run_the_last_model_is_evaluated(server, main, tmp_path):
    for name in ("1-sft", "3-rl", "10-rl"):
        (tmp_path / "earlier" / "models" / name).mkdir(parents=True)
    (tmp_path / "earlier" / "recipe.resolved.yaml").write_text((tmp_path / "r.yaml").read_text())
    _, out, _ = main("eval", "earlier", "--dry-run")
    assert "evaluates the last model of this run, earlier/models/10-rl" in out


def test_as_json_it_names_its_results(server, main, tmp_path):
    code, out, _ = main("eval", "r.yaml", "--json")
    told = json.loads(out)
    assert (code, told["ok"], told["models"]) == (0, True, [])
    assert [path.rpartition("/")[2] for path in told["evaluations"]] == ["1-eval-results.json", "2-eval-other.json"]


def test_without_a_stage_eval_it_says_how_to_add_one(server, main):
    code, _, err = main("eval", "r.yaml", "stages=[{use: data, dataset: {use: toy/counting}, to: x.jsonl}]")
    assert code == 2
    assert "stages: no stage evaluates, nor has one rl an `eval`; add one, such as `- {use: eval, dataset:" in err


@pytest.mark.slow
def test_what_the_recipe_writer_wrote_is_evaluated(judge_server, main, write, tmp_path):
    """Its stage rl says what to evaluate: held-out rows, by its own chat and lengths."""
    write("rows.jsonl", [{"question": f"{n} + {n}?", "answer": 2 * n} for n in range(20)])
    assert main("new", "recipe", "rows.jsonl")[0] == 0
    with judge_server.Serving(judge_server.JudgeServer(answer=lambda request: "\\boxed{4}")) as running:
        judge = f'{{use: openai/chat, with: {{model: mine, base_url: "{running.url}"}}}}'
        code, out, err = main("eval", "rows.yaml", f"judges={{mine: {judge}}}", "--policy", "mine")
        asked = running.requests
    assert code == 0, err
    name = next((folder_in(out, tmp_path) / "evaluation").glob("*.rows.jsonl")).name
    assert name == "1-eval-results.rows.jsonl"
    assert {(r["model"], r["max_tokens"], r["messages"][0]["role"]) for r in asked if len(r["messages"]) > 1} == {
        ("mine", 512, "system")
    }
    assert len(asked) >= 4
    code, _, err = main("eval", "rows.yaml", "--policy", "./no/such/folder")
    assert (code, "'./no/such/folder' is not a model folder: there is no such folder" in err) == (2, True)


def test_it_goes_on_where_it_was_stopped(server, main, tmp_path):
    server.fault = lambda number, _: "500" if number == 3 else None
    code, out, err = main(
        "eval", "r.yaml", "judges.first.retries=0", "judges.first.concurrency=1", "stages.1.policy.max_missing=0"
    )
    assert code == 1
    folder = folder_in(out, tmp_path)
    assert re.search(r"continue with: rewardlab eval r\.yaml judges\.first\.retries=0 .* --resume", err)
    server.fault, before = None, server.answered
    code, out, _ = main("eval", "--resume", folder)
    assert code == 0
    assert "answers reused" in out
    # of 8, the 5 that were not answered, the call that tries the server, and a question that the end cut off
    assert server.answered - before <= 5 + 1 + 1


def test_an_answer_without_text_is_asked_again_and_then_missing(server, main, tmp_path, monkeypatch):
    """A gateway sends `content: null` with HTTP 200 where the model behind it failed: no empty answer, no score."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(retries, "PATIENCE_A_RETRY_S", 0)
    seen = Counter()

    def answer(request):
        text = request["messages"][-1]["content"]
        seen[text] += 1
        broken = len(seen) > 1 and text == list(seen)[1]  # the first question after the one before the run
        return {"role": "assistant", "content": None} if broken or seen[text] == 1 < len(seen) else "one"

    server.answer = answer
    server.fault, server.retry_after = (lambda number, request: "429" if number < 5 else None), "0.01"
    more = ("judges.first.retries=2", "stages.1.policy.max_missing=0.5", "stages.2.policy.max_missing=0.5")
    code, out, err = main("eval", "r.yaml", *more)
    assert code == 0, err  # five times 429 with Retry-After before the run, too
    folder = folder_in(out, tmp_path) / "evaluation"
    missing = [json.loads(line) for line in (folder / "1-eval-results.missing.jsonl").read_text().splitlines()]
    assert [one["draw"] for one in missing] == [0, 1]
    assert "answered with no completion" in missing[0]["error"]
    assert "3 tries" in missing[0]["error"]
    [whole] = [
        one for one in json.loads((folder / "1-eval-results.json").read_text())["slices"] if one["name"] == "all"
    ]
    assert (whole["missing"], whole["empty"], whole["means"]["total"]) == (2, 0, 1.0)


def test_unreadable_answers_are_counted_apart_from_wrong_ones(judge_server, write, main, tmp_path):
    said = {"1": "\\boxed{B}", "2": "\\boxed{A}", "3": "\\boxed{A or B}", "4": "\\boxed{perhaps}", "5": "B"}
    choices = {"A": "Lagos", "B": "Nairobi"}
    write("rows.jsonl", "".join(json.dumps({"prompt": n, "answer": "B", "choices": choices}) + "\n" for n in said))
    text = """
        version: 1
        judges: {{policy: {{use: openai/chat, with: {{model: m, base_url: "{url}"}}}}}}
        reward: {{components: {{choice: {{use: choice/accuracy}}}}, total: choice}}
        stages:
          - use: eval
            policy: {{judge: policy}}
            samples: 1
            sets: {{s: {{use: data/jsonl, with: {{path: rows.jsonl}}}}}}
    """
    answer = lambda request: said.get(request["messages"][-1]["content"], "ready")  # noqa: E731
    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as running:
        write("r.yaml", text.format(url=running.url))
        code, out, err = main("eval", "r.yaml")
    assert code == 0, err
    assert "choice, of 5 completions: no answer 1, unreadable 1, hedged 1" in out
    results = json.loads((folder_in(out, tmp_path) / "evaluation" / "0-eval-results.json").read_text())
    assert results["slices"][0]["counted_info"] == {"choice": {"no_answer": 1, "unreadable": 1, "hedged": 1}}
    assert results["slices"][0]["means"]["total"] == 0.2
    code, out, _ = main("tables", f"m={folder_in(out, tmp_path)}", "--measure", "accuracy=total")
    assert "no answer 1, unreadable 1, hedged 1" in out


@pytest.fixture
def judged(server, write):
    """The recipe with a component that asks `second`, whose answer to the first question is of no use until mended."""
    grade = "{use: rubric/pointwise, with: {judge: second, rubric: {1: bad, 2: good}}}"
    recipe = RECIPE.format(url=server.url).replace("total: brevity", "total: brevity + grade")
    write("r.yaml", recipe.replace("components: {", "components: {grade: " + grade + ", "))
    replies = {"second": "as good as it gets"}
    server.answer = lambda request: "one" if request["model"] == "first" else replies["second"]
    return replies


def test_a_reply_of_no_use_is_asked_for_again_once_the_server_is_mended(judged, server, main, tmp_path):
    code, out, err = main("eval", "r.yaml")
    assert (code, "component 'grade' (rubric/pointwise)" in err) == (1, True)
    judged["second"] = '{"explanation": "It is.", "score": 2}'
    server.requests.clear()
    code, out, err = main("eval", "--resume", folder_in(out, tmp_path))
    assert code == 0, err
    assert total(folder_in(out, tmp_path), "1-eval-results") == 2.0


def test_what_a_missing_score_does_may_change_when_it_goes_on(judged, main, tmp_path):
    _, out, _ = main("eval", "r.yaml")
    changed = ("reward.components.grade.on_missing=0", "reward.components.grade.max_missing=1")
    code, out, err = main("eval", "r.yaml", *changed, "--resume", folder_in(out, tmp_path))
    assert code == 0, err
    assert total(folder_in(out, tmp_path), "1-eval-results") == 1.0
