"""`rewardlab appeals`: how often a rule is wrong, from what `score` and runs wrote."""

import json

import pytest
from rewardlab import Completion, Group, Sample
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.scoring import Scorer
from rewardlab_training import Ledger

RECIPE = """\
version: 1
judges:
  main: {{use: openai/chat, with: {{model: x, base_url: "{url}"}}}}
reward:
  components:
    right: {{use: rubric/appeal, with: {{judge: main, of: {{use: rubric/verdict}}, audit: 1.0, then: report}}}}
  total: right
"""
UNASKED = {
    "id": 1,
    "total": [1.0],
    "shaped": [1.0],
    "components": {"a": {"value": [1.0], "error": [None], "info": [{}]}},
}
ACCEPTED, REJECTED, BLANK = '{"score": 4}', "four", ""


@pytest.fixture
def scored(tmp_path, monkeypatch, judge_server, main):
    """Score 40 rows of three responses by a judge that finds nine of ten "four" right, and each other."""
    monkeypatch.chdir(tmp_path)

    def answer(request):
        question = request["messages"][-1]["content"]
        tag = question.split("A line begins with ")[1].split()[0]
        row = int(question.split("Row ")[1].split()[0])
        return f"{tag} 1 | so it is | {'not met' if row % 10 == 0 and 'four' in question else 'met'}"

    rows = [
        {"id": n, "prompt": f"Row {n} ?", "completions": [ACCEPTED, REJECTED, BLANK], "score": 4, "answer": "4"}
        for n in range(40)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        (tmp_path / "r.yaml").write_text(RECIPE.format(url=server.url), encoding="utf-8")
        code, _, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
        with Scorer(make_plan(load("r.yaml"), purpose="score")) as scorer:
            groups = scorer.score_groups([_group(row) for row in rows])
    book = Ledger(tmp_path / "ledger.jsonl", attempt=0)
    book.write(0, 1, groups, trained="yes", phase="training")
    book.close()
    assert code == 0, err
    return err


def _group(row):
    fields = {"score": row["score"], "answer": row["answer"]}
    prompt = ({"role": "user", "content": row["prompt"]},)
    completions = [Completion(text=text) for text in row["completions"]]
    return Group(sample=Sample(id=str(row["id"]), prompt=prompt, fields=fields), completions=completions)


def test_rates_of_what_score_wrote(scored, main):
    assert "overturned" in scored, "score says how many verdicts differ from the rule's"
    code, out, err = main("appeals", "out.jsonl")
    assert (code, err) == (0, "")
    first, negatives, positives = out.splitlines()
    assert first == "right: the rule rejected 80 and accepted 40 responses; the judge looked at 40 and 40 of them"
    assert negatives.startswith("  false negatives 47.4% [3"), "36 of 76"
    assert positives.startswith("  false positives 0.0% [0.0%, "), "0 of 44"


def test_a_ledger_says_the_same(scored, main, tmp_path):
    of_ledger, of_scores = main("appeals", "ledger.jsonl", "--json"), main("appeals", "out.jsonl", "--json")
    assert of_ledger == of_scores
    text = (tmp_path / "ledger.jsonl").read_text(encoding="utf-8")
    (tmp_path / "ledger.jsonl").write_text(text + text.splitlines()[0][:50], encoding="utf-8")
    code, out, err = main("appeals", "ledger.jsonl", "--json")
    assert (code, out) == of_scores[:2]
    assert "is cut off" in err


def test_the_judges_own_errors(scored, main):
    code, out, _ = main("appeals", "out.jsonl", "--misses", "0.1", "--json")
    measured = json.loads(out)["components"]["right"]
    assert code == 0
    assert measured["false_negative"]["value"] == pytest.approx(0.5), "the judge misses a tenth: all were right"
    assert measured["rejected"] == {"all": 40, "asked": 40, "right": 36, "wrong": 40}
    code, _, err = main("appeals", "out.jsonl", "--misses", "0.5", "--accepts", "0.5")
    assert code == 2
    assert "nothing is learnt" in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (json.dumps(UNASKED) + "\n",
         "nothing here was scored by rubric/appeal"),
        ('{"id": 1}\n', "rows.jsonl:1"),
    ],
)  # fmt: skip
def test_files_without_appeals(tmp_path, monkeypatch, main, text, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    code, _, err = main("appeals", "rows.jsonl")
    assert code == 2
    assert says in err


def test_of_several_draws_what_most_say_counts(tmp_path, monkeypatch, judge_server, main):
    monkeypatch.chdir(tmp_path)

    def answer(request):
        """The first draw finds everything wrong, the others nothing."""
        tag = request["messages"][-1]["content"].split("A line begins with ")[1].split()[0]
        return f"{tag} 1 | so it is | {'not met' if request['seed'] == 5 else 'met'}"

    row = {"id": 1, "prompt": "?", "completions": [REJECTED, REJECTED + "!"], "score": 4, "answer": "4"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        recipe = RECIPE.format(url=server.url).replace("model: x", "model: x, seed: 5")
        (tmp_path / "r.yaml").write_text(recipe, encoding="utf-8")
        for repeats, right in ((1, 0), (2, 0), (3, 2)):
            code, _, err = main(
                "score", "r.yaml", "rows.jsonl", "-o", f"{repeats}.jsonl", f"reward.components.right.repeats={repeats}"
            )
            assert code == 0, err
            code, out, _ = main("appeals", f"{repeats}.jsonl", "--json")
            rejected = json.loads(out)["components"]["right"]["rejected"]
            asked = 0 if repeats == 2 else 2  # as many for as against
            assert rejected == {"all": 2, "asked": asked, "right": right, "wrong": 0}, repeats
