"""Agreement with people by dimension, of rewards that score several."""

import json

import pytest
from rewardlab import Score
from rewardlab_measure.judge_agreement.dimensions import dimension_measures


class Critic:
    """A reward that says of a completion what its text says, as JSON."""

    def score(self, items):
        made = []
        for _, completion in items:
            said = json.loads(completion.text)
            info = {
                "scores": said["scores"],
                "missing": said.get("missing", []),
                "quoted": 2,
                "unsupported": {"Deep": 1},
            }
            value = None if said.get("missing") else 0.5
            made.append(Score(value=value, error=None if value else "no score", info=info))
        return made


@pytest.fixture
def judged(main, write, monkeypatch):
    """What `judge --json` says of a critic on rows: {component: tables}, and the text without --json."""
    from rewardlab import RewardSpec, hookimpl

    class Plugin:
        @hookimpl
        def rewardlab_rewards(self):
            return [RewardSpec(name="critic", summary="says what it is told", build=lambda o, c: Critic())]

    from rewardlab.registry import Registry

    registered = Registry.find

    def find(self, kind, name):
        return Plugin().rewardlab_rewards()[0] if name == "toy/critic" else registered(self, kind, name)

    monkeypatch.setattr(Registry, "find", find)
    recipe = {"version": 1, "reward": {"components": {"critic": {"use": "toy/critic"}}, "total": "critic"}}
    write("r.yaml", json.dumps(recipe))

    def run(rows, *more):
        write("rows.jsonl", rows)
        return main("judge", "r.yaml", "rows.jsonl", "--component", "critic", *more)

    return run


def row(name, people, scores, language="de", **more):
    said = json.dumps({"scores": scores, **more})
    return {
        "id": name,
        "prompt": f"{name}?",
        "response": said,
        "dimensions": people,
        "language": language,
        "task": "NLI",
    }


ROWS = [
    row("a", {"deep": 1, "Clear": 0.5}, {"Deep": 1.0, "Clear": 0.5}),
    row("b", {"Deep": 0, "Clear": 1}, {"Deep": 0.0, "Clear": 0.5}),
    row("c", {"Deep": 1, "Clear": 0, "Style": 1}, {"Deep": 1.0}, "sw", missing=["Clear"]),
]


def test_agreement_is_told_by_dimension_language_and_task(judged):
    code, out, err = judged(ROWS, "--json")
    assert code == 0, err
    found = json.loads(out)["components"]["critic"]
    dimensions = found["dimensions"]
    assert dimensions["all"]["scores"] == 6
    assert dimensions["all"]["missing"] == 1
    assert dimensions["all"]["agreement"] == pytest.approx(4 / 5)
    assert dimensions["all"]["lead"] == pytest.approx(-0.1)
    assert {name: one["scores"] for name, one in dimensions["language"].items()} == {"de": 4, "sw": 2}
    assert list(dimensions["kind"]) == ["NLI"]
    assert dimensions["dimension"]["Deep"]["kappa"] == 1
    assert dimensions["others"] == ["Style"]
    assert found["quotations"] == {"quoted": 6, "unsupported": 3}


def test_the_table_says_it_in_words(judged):
    code, out, err = judged(ROWS)
    assert code == 0, err
    assert "3 of 6 quotations are not in the work" in out
    assert "critic against people, by dimension" in out
    assert "people's, not this judge's: Style" in out


@pytest.mark.parametrize(
    ("dimensions", "says"),
    [
        ({"Deep": "a lot"}, "dimensions.Deep must be a number"),
        ([], "dimensions must be an object of names with scores"),
        ({}, "dimensions must be an object of names with scores, not an empty one"),
        (3, "dimensions must be an object of names with scores, not the number 3"),
    ],
)
def test_what_are_no_scores_is_named_with_its_line(judged, dimensions, says):
    code, _, err = judged([row("a", dimensions, {"Deep": 1.0})])
    assert code == 2
    assert f"rows.jsonl:1: {says}" in err


def test_a_list_of_completions_has_a_list_of_dimensions(judged):
    texts = [json.dumps({"scores": {"Deep": score}}) for score in (1.0, 0.0)]
    listed = {"id": "l", "prompt": "?", "completions": texts, "scores": [1, 0]}
    code, out, _ = judged([{**listed, "dimensions": [{"Deep": 1}, {"Deep": 0}]}], "--json")
    assert code == 0
    assert json.loads(out)["components"]["critic"]["dimensions"]["all"]["agreement"] == 1
    code, _, err = judged([{**listed, "dimensions": [{"Deep": 1}]}])
    assert code == 2
    assert "dimensions must be a list of 2 objects" in err


def test_a_measure_of_nothing_is_none():
    found = dimension_measures([("Deep", 1.0, None, 0)])
    assert (found["agreement"], found["kappa"], found["kendall_tau"], found["lead"]) == (None, None, None, None)
