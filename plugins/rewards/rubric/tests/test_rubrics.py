"""Rubrics in all their forms, and what is said of those that are wrong."""

import json

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Sample, find
from rewardlab_rubric.levels import levels_of
from rewardlab_rubric.rubrics import chosen, known_variants

SCALE = {"1": "bad", "2": "fair", "3": "good"}
POINTWISE = find("reward", "rubric/pointwise").config


def rows(count):
    return [Sample(id=f"row-{number}", prompt=({"role": "user", "content": "?"},)) for number in range(count)]


# --- Levels


@each_case(
    "scoring, kind, labels",
    [
        ({"1": "a", "2": "b"}, "scale", ["1", "2"]),
        ({"score_2": "b", "score_1": "a", "score_3": "c"}, "scale", ["1", "2", "3"]),
        ({str(n): "x" for n in range(11)}, "scale", [str(n) for n in range(11)]),
        ({"-1": "a", "0": "b", "1": "c"}, "scale", ["-1", "0", "1"]),
        ({1: "a", 2: "b"}, "scale", ["1", "2"]),
        ({"false": "no", "true": "yes"}, "binary", ["true", "false"]),
        ({True: "yes", False: "no"}, "binary", ["true", "false"]),
        ({"response_2": "b", "response_1": "a"}, "pair", ["Response 1", "Response 2"]),
        ({"Assistant A": "a", "Assistant B": "b"}, "pair", ["Assistant A", "Assistant B"]),
        (
            {"both_bad": "d", "tie": "c", "assistant_b": "b", "assistant_a": "a"},
            "pair",
            ["Assistant A", "Assistant B", "Tie", "Both Bad"],
        ),
    ],
)
def test_levels(scoring, kind, labels):
    levels = levels_of(scoring, ("scale", "binary", "pair"))
    assert (levels.kind, list(levels.texts)) == (kind, labels)


@each_case(
    "scoring, why",
    [
        ({"1": "a", "3": "c"}, "the scale from 1 to 3 has no level 2"),
        ({"1": "a", "999999999": "b"}, "has no level 2"),
        ({"1": "a"}, "level 1 stands alone"),
        ({"1": "a", "score_1": "b"}, "level 1 appears twice"),
        ({"1": "a", "2": " "}, "level 2 needs a text"),
        ({"1": "a", "2": 5}, "level 2 needs a text"),
        ({"1": "a", "true": "b"}, "of several sorts"),
        ({"response_1": "a"}, "level Response 2 is missing"),
        ({"response_1": "a", "response_2": "b", "assistant_a": "c"}, "of several sorts"),
        ({"tie": "a", "both_bad": "b"}, "name neither response"),
        ({"good": "a", "bad": "b"}, "'good' is not a level"),
        ({"1.5": "a"}, "'1.5' is not a level"),
        ({}, "levels map"),
        ("1: bad", "levels map"),
    ],
)
def test_wrong_levels_are_named(scoring, why):
    with pytest.raises(ValueError, match=why):
        levels_of(scoring, ("scale", "binary", "pair"))


@each_case("raw, label", [
        (2, "2"), ("2", "2"), (2.0, "2"), ("2.0", "2"), (" 2 ", "2"), ("02", "2"),
        (2.5, None), ("2/3", None), (True, None), (None, None), ([2], None), ({"a": 1}, None),
        (4, None), (0, None), ("", None), (float("nan"), None), (10**400, None), ("2" * 100, None),
    ])  # fmt: skip
def test_the_level_that_a_score_names(raw, label):
    assert levels_of(SCALE, ("scale",)).label_of(raw) == label


def test_names_are_read_in_any_case():
    pair = levels_of({"assistant_a": "a", "assistant_b": "b", "tie": "c"}, ("pair",))
    assert [pair.label_of(raw) for raw in ("assistant a", "ASSISTANT  B", "tie", "Both Bad")] == [
        "Assistant A", "Assistant B", "Tie", None,
    ]  # fmt: skip
    binary = levels_of({"true": "a", "false": "b"}, ("binary",))
    assert [binary.label_of(raw) for raw in (True, "True", "false", 1)] == ["true", "true", "false", None]


# --- Sources


def test_variants_follow_from_the_id_alone():
    variants = [{"description": f"wording {number}", "scoring": SCALE} for number in range(3)]
    known = known_variants(variants, ("scale",))
    numbers = [chosen(row, known)[0] for row in rows(300)]
    assert numbers == [chosen(row, known)[0] for row in rows(300)]
    assert numbers[:6] == [0, 0, 2, 1, 2, 2], "another choice for the same id changes every reward"
    assert all(60 < numbers.count(number) < 140 for number in range(3))


def test_a_file_of_yaml_or_json_in_either_style(tmp_path):
    (tmp_path / "one.yaml").write_text("1: bad\n2: fair\n3: yes\n", encoding="utf-8")
    many = [{"description": "good? \U0001f600", "scoring": {"score_1": "no", "score_2": "yes"}}] * 2
    (tmp_path / "many.json").write_text(json.dumps(many, indent="\t"), encoding="utf-8")
    (one,) = known_variants(str(tmp_path / "one.yaml"), ("scale",))
    assert (dict(one.levels.texts), one.description) == ({"1": "bad", "2": "fair", "3": "yes"}, None)
    two = known_variants(str(tmp_path / "many.json"), ("scale",))
    assert [variant.description for variant in two] == ["good? \U0001f600"] * 2
    (tmp_path / "binary.yaml").write_text("true: fits\nfalse: does not\n", encoding="utf-8")
    (binary,) = known_variants(str(tmp_path / "binary.yaml"), ("binary",))
    assert list(binary.levels.texts) == ["true", "false"]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("r.yaml", "description: x\nscoring:\n  1: a\n  3: b\n", r"r.yaml:2: the scale from 1 to 3 has no level 2"),
        ("r.yaml", "- {1: a, 2: b}\n- {1: a, 4: b}\n", r"r.yaml:2: the scale from 1 to 4 has no level 2"),
        ("r.yaml", "1: a\n2: b\n1: c\n", r"r.yaml:3: '1' appears twice"),
        ("r.yaml", "1: a\n2: b: c\n", r"r.yaml:2: mapping values"),
        ("r.yaml", "", r"r.yaml:1: the file is empty"),
        ("r.yaml", "scoring: {1: a, 2: b}\n\nlevels: 3\n", r"r.yaml:3: 'levels' has no place"),
        ("r.yaml", "[]", r"r.yaml:1: an empty list"),
        ("r.yaml", "true: a\nfalse: b\n", r"r.yaml:1: levels true, false do not fit here"),
        ("r.json", '[\n {"1": "a",\n  "2": }]', r"r.json:3: Expecting value"),
        ("r.json", '[{"1": "a",\n\t"2": "b"},\n{"1": "a"}]', r"r.json:3: level 1 stands alone"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path, name, text, why):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValidationError, match=why):
        POINTWISE(judge="j", rubric=str(tmp_path / name))


def test_a_missing_file_is_named():
    with pytest.raises(ValidationError, match=r"cannot read the rubric nowhere\.yaml"):
        POINTWISE(judge="j", rubric="nowhere.yaml")


def test_pointwise_needs_a_rubric():
    with pytest.raises(ValidationError, match="rubric is missing"):
        POINTWISE(judge="j")


def test_levels_that_the_profile_cannot_read_are_refused():
    pair = find("reward", "rubric/pairwise").config
    assistants = {"assistant_a": "a", "assistant_b": "b"}
    with pytest.raises(ValidationError, match="profile r3_official cannot read the level 'Assistant A'"):
        pair(judge="j", profile="r3_official", rubric=assistants)
    with pytest.raises(ValidationError, match="cannot read the level '-1'"):
        POINTWISE(judge="j", profile="r3_official", rubric={"-1": "a", "0": "b"})
    assert pair(judge="j", profile="mr3_official", rubric=assistants)


def test_a_rubric_of_the_row(rubric, scripted):
    judge = scripted(lambda ask: 2)
    fields = {"mine": {"1": "bad", "2": "good"}}
    assert rubric("pointwise", judge, ["7"], fields=fields, rubric={"field": "mine"})[0].value == 1.0
    text = {"mine": json.dumps({"score_1": "bad", "score_2": "fair", "score_3": "good"})}
    assert rubric("pointwise", judge, ["7"], fields=text, rubric={"field": "mine"})[0].value == 0.5
    spec = find("reward", "rubric/pointwise")
    assert spec.required_fields(spec.config(judge="j", rubric={"field": "mine"})) == ("mine",)


@pytest.mark.parametrize("value", ["good", {"1": "a", "3": "b"}, None, 3, "[" * 5000])
@pytest.mark.parametrize("name", ["pointwise", "pairwise"])
def test_a_wrong_rubric_of_a_row_is_an_error_and_no_question(rubric, scripted, name, value):
    judge = scripted(lambda ask: 2)
    scores = rubric(name, judge, ["7", "8"], fields={"mine": value}, rubric={"field": "mine"})
    assert [score.value for score in scores] == [None, None]
    assert "field 'mine'" in scores[0].error
    assert judge.asked == []
