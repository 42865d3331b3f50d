"""`rewardlab judge` asks about the goldens of rubrics, and `rewardlab check` finds what was recorded of them."""

import json

import pytest

RUBRIC = """\
description: How well does the response solve it?
scoring: {1: wrong, 2: half, 3: right}
goldens:
  3:
    - {input: "How much is 3 + 4?", response: It is 7.}
  2:
    - {input: "How much is 3 + 4?", response: It is seven or eight.}
  1:
    - {input: "How much is 3 + 4?", response: It is 8.}
"""
RECIPE = """\
version: 1
judges:
  main: {{use: openai/chat, with: {{model: x, base_url: "{url}"}}, retries: 0, cassette: {{path: said.jsonl}}}}
reward:
  components:
    quality: {{use: rubric/pointwise, with: {{judge: main, rubric: q.yaml}}, on_missing: 0.0}}
  total: quality
"""
CRITERIA = """\
criteria:
  - {name: right, criterion: It is right., weight: 2}
  - {name: rude, criterion: It is rude., weight: -1}
goldens:
  - {input: "How much is 3 + 4?", response: It is 7., met: [right]}
  - {input: "How much is 3 + 4?", response: "It is 7, you fool.", met: [right, rude]}
"""


@pytest.fixture
def serve(judge_server):
    """`with serve(scores)`: a server that scores a response by the first of `scores` whose text it has."""

    def serving(scores):
        def answer(request):
            asked = request["messages"][-1]["content"].partition("RESPONSE")[2]
            score = next(score for text, score in scores.items() if text in asked)
            return json.dumps({"explanation": "so", "score": score})

        return judge_server.Serving(judge_server.JudgeServer(answer=answer))

    return serving


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """Write q.yaml and a recipe r.yaml that asks the judge at an address; it records."""
    monkeypatch.chdir(tmp_path)

    def written(url):
        (tmp_path / "q.yaml").write_text(RUBRIC, encoding="utf-8")
        (tmp_path / "r.yaml").write_text(RECIPE.format(url=url), encoding="utf-8")

    return written


def test_goldens_are_asked_about_and_a_wrong_verdict_fails(recipe, serve, main):
    with serve({"It is 7.": 3, "seven or eight": 3, "It is 8.": 1}) as server:
        recipe(server.url)
        code, out, err = main("judge", "r.yaml")
        assert code == 1
        assert out.splitlines() == [
            "quality (rubric/pointwise): 2 of 3 goldens as they should be",
            "q.yaml:7: golden 1 of level 2: it is worth 1 (the judge says 3), and not from 0.25 to 0.75",
        ]
        assert "judge main: 3 calls" in err
        code, out, _ = main("judge", "r.yaml", "--json")
        (wrong,) = [golden for golden in json.loads(out)["goldens"]["quality"] if not golden["right"]]
        assert (code, wrong["values"], server.answered) == (1, [1.0], 3)


def test_check_finds_what_was_recorded_and_asks_nothing(recipe, serve, main, tmp_path):
    with serve({"It is 7.": 3, "seven or eight": 2, "It is 8.": 1}) as server:
        recipe(server.url)
        assert "golden" not in main("check", "r.yaml")[1], "there is no cassette"
        assert not (tmp_path / "said.jsonl").exists()
        assert main("judge", "r.yaml")[0] == 0
        code, out, _ = main("check", "r.yaml")
        assert (code, out.splitlines()[-1]) == (0, "quality: 3 of 3 goldens recorded, all as they should be")
        asked = len(server.requests)
        changed = RUBRIC.replace("response: It is 8.", "response: It is 8 or 7.")
        (tmp_path / "q.yaml").write_text(changed, encoding="utf-8")
        assert "quality: 2 of 3 goldens recorded" in main("check", "r.yaml")[1], (
            "an answer that is not there is no score"
        )
        swapped = RUBRIC.replace("  3:\n", "  X:\n").replace("  1:\n", "  3:\n").replace("  X:\n", "  1:\n")
        (tmp_path / "q.yaml").write_text(swapped, encoding="utf-8")
        code, _, err = main("check", "r.yaml")
        assert code == 2
        assert "q.yaml:5: golden 1 of level 1: in the cassette it is worth 1 (the judge says 3)" in err
        assert "q.yaml:9: golden 1 of level 3: in the cassette it is worth 0 (the judge says 1)" in err
        assert len(server.requests) == asked


def test_a_judge_that_does_not_answer_gives_no_score(recipe, main, judge_server):
    with judge_server.Serving(judge_server.JudgeServer(fault=lambda *_: "empty")) as server:
        recipe(server.url)
        code, out, _ = main("judge", "r.yaml")
    assert code == 1
    assert "0 of 3 goldens" in out
    assert "it has no value" in out


def test_a_rubric_in_the_place_of_the_recipe(recipe, serve, main, tmp_path, judge_server):
    recipe("")
    with serve({"It is 7.": 3, "seven or eight": 2, "It is 8.": 1}) as server:
        judge = ("judges.main.use=openai/chat", "judges.main.with.model=x", f"judges.main.with.base_url={server.url}")
        code, out, _ = main("judge", "q.yaml", *judge)
        assert (code, out) == (0, "rubric (rubric/pointwise): 3 of 3 goldens as they should be\n")
    (tmp_path / "c.yaml").write_text(CRITERIA, encoding="utf-8")

    def answer(request):
        question = request["messages"][-1]["content"]
        tag = question.split("A line begins with ")[1].split()[0]
        rude = "met" if "fool" in question.partition("RESPONSE")[2] else "not met"
        return f"{tag} 1 | it is 7 | met\n{tag} 2 | how it talks | {rude}"

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        judge = (*judge[:2], f"judges.main.with.base_url={server.url}")
        code, out, _ = main("judge", "c.yaml", *judge)
        assert (code, out) == (0, "rubric (rubric/criteria): 2 of 2 goldens as they should be\n")


@pytest.mark.parametrize(
    ("text", "overrides", "says"),
    [
        (RUBRIC, [], "q.yaml: a rubric needs a judge: add judges.main.use=openai/chat judges.main.with.model=NAME"),
        ("scoring: {1: a, 3: b}\n", [], "q.yaml: it is no recipe, and no reward takes it as a rubric"),
        ("scoring: {1: a, 2: b}\n", ["judges.main.use=pairwise/overlap"], "q.yaml: no rubric has goldens; add some"),
    ],
)
def test_what_is_no_rubric_with_goldens(recipe, main, tmp_path, text, overrides, says):
    recipe("")
    (tmp_path / "q.yaml").write_text(text, encoding="utf-8")
    code, _, err = main("judge", "q.yaml", *overrides)
    assert code == 2
    assert says in err
