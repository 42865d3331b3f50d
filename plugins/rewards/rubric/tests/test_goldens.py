"""Goldens of rubrics: examples whose level is known, in files, as groups to score, and what is said of wrong ones."""

from importlib.resources import files

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import find
from rewardlab_rubric.rubrics import chosen, known_variants
from rewardlab_rubric.strategies.questions import Questions

KINDS = ("scale", "binary", "pair")
LEVELS = {"1": "bad", "2": "fair", "3": "good"}
GOLDEN = {"input": "How much is 3 + 4?", "response": "7"}
PAIR = {"input": "How much is 3 + 4?", "response_1": "7", "response_2": "8"}
PACKAGED = sorted(path.name for path in (files("rewardlab_rubric") / "rubrics").iterdir())


def goldens(name, **options):
    spec = find("reward", f"rubric/{name}")
    return spec.goldens(spec.config.model_validate({"judge": "j", **options}))


def rubric_of(goldens, scoring=LEVELS):
    return {"scoring": scoring, "goldens": goldens}


@pytest.mark.parametrize("name", PACKAGED)
def test_every_level_of_a_packaged_rubric_has_a_golden(name):
    for variant in known_variants(str(files("rewardlab_rubric") / "rubrics" / name), KINDS):
        assert {golden.level for golden in variant.goldens} == {*variant.levels.texts}


@pytest.mark.parametrize("name", ["binary", "pairwise"])
def test_the_packaged_goldens_are_asked_in_their_languages(name, scripted):
    """In the texts of their language, and not again for each English wording."""
    options = {"strategy": "tgt-eng", "layout": "mr3"}
    made = goldens(name, **options)
    languages = [golden.group.sample.fields["language"] for golden in made]
    assert {"ar", "de", "en", "es", "fr", "hi", "ja", "ko", "ru", "sw", "zh"} <= {*languages}
    asked = {(golden.group.sample.prompt[0]["content"], *map(str, golden.group.completions)) for golden in made}
    assert len(asked) == len(made)
    spec = find("reward", f"rubric/{name}")
    questions = Questions(spec.config.model_validate({"judge": "j", **options}))
    german = next(golden for golden in made if golden.group.sample.fields["language"] == "de")
    texts = [completion.text for completion in german.group.completions]
    assert "Bewertungsraster" in questions.about(german.group.sample, *texts).ask.messages[0]["content"]


def test_goldens_of_translations_are_asked_in_their_language(tmp_path):
    for code, suffix in {"en": "", "de": ".de"}.items():
        text = f"scoring: {{1: a, 2: b}}\ngoldens: {{1: [{{input: '{code}?', response: b}}]}}\n"
        (tmp_path / f"r{suffix}.yaml").write_text(text, encoding="utf-8")
    path = str(tmp_path / "r.yaml")
    made = goldens("pointwise", rubric=path, strategy="tgt-eng", layout="mr3")
    asked = [(golden.group.sample.prompt[0]["content"], golden.group.sample.fields["language"]) for golden in made]
    assert asked == [("en?", "en"), ("de?", "de")]
    assert [golden.place.partition(":")[0] for golden in made] == [path, f"{path[:-5]}.de.yaml"]
    assert [golden.group.sample.prompt[0]["content"] for golden in goldens("pointwise", rubric=path)] == ["en?"]


@each_case(
    "name, options, values",
    [
        ("pointwise", {"rubric": rubric_of({1: [GOLDEN]})}, [(0.0, 0.25)]),
        ("pointwise", {"rubric": rubric_of({2: [GOLDEN]})}, [(0.25, 0.75)]),
        ("pointwise", {"rubric": rubric_of({"score_3": [GOLDEN]})}, [(0.75, 1.0)]),
        ("binary", {"rubric": rubric_of({False: [GOLDEN]}, {"true": "a", "false": "b"})}, [(0.0, 0.5)]),
        ("pairwise", {"rubric": rubric_of({1: [PAIR]})}, [(0.75, 1.0), (0.0, 0.25)]),
        ("pairwise", {"rubric": rubric_of({"response_2": [PAIR]}, {"response_1": "a", "response_2": "b"})},
         [(0.0, 0.25), (0.75, 1.0)]),
    ],
)  # fmt: skip
def test_a_value_must_be_nearer_to_the_levels_worth_than_to_any_others(name, options, values):
    (golden,) = goldens(name, **options)
    assert golden.values == values
    assert [message["content"] for message in golden.group.sample.prompt] == ["How much is 3 + 4?"]


def test_both_bad_is_worth_what_the_reward_gives_it():
    scoring = {"response_1": "a", "response_2": "b", "tie": "c", "both_bad": "d"}
    of = {way: goldens("pairwise", rubric=rubric_of({"both_bad": [PAIR]}, scoring), both_bad=way) for way in
          ("zero", "half", "drop")}  # fmt: skip
    assert [[golden.values for golden in made] for made in of.values()] == [
        [[(0.0, 0.25), (0.0, 0.25)]],
        [[(0.25, 0.75), (0.25, 0.75)]],
        [],
    ]


def test_goldens_are_asked_by_their_own_wording():
    wordings = [rubric_of({3: [{**GOLDEN, "response": str(number)}]}) for number in range(3)]
    variants = known_variants(wordings, ("scale",))
    made = goldens("pointwise", rubric=wordings)
    assert [chosen(golden.group.sample, variants)[0] for golden in made] == [0, 1, 2]
    assert [golden.group.completions[0].text for golden in made] == ["0", "1", "2"]


def test_the_packaged_rubric_without_ties_has_no_goldens_of_ties():
    assert len(goldens("pairwise", layout="mr3")) < len(goldens("pairwise", layout="mr3", ties=True))


def test_no_golden_is_a_part_of_the_question(rubric, scripted):
    judge = scripted(lambda ask: 2)
    rubric("pointwise", judge, ["9"], rubric=rubric_of({3: [{"input": "Zebra?", "response": "Okapi."}]}))
    assert not any(word in message["content"] for message in judge.asked[0].messages for word in ("Zebra", "Okapi"))


@each_case(
    "text, why",
    [
        ("{4: [{input: a, response: b}]}", r"r.yaml:3: goldens of '4', and the rubric has the levels 1, 2"),
        ("{2: {input: a, response: b}}", r"r.yaml:3: the goldens of level 2 are no list of examples"),
        ("{2: []}", r"r.yaml:3: the goldens of level 2 are no list"),
        ("{2: [{input: a}]}", r"r.yaml:3: golden 1 of level 2: it should have the texts input, response and nothing"),
        ("{2: [{input: a, response: b, c: d}]}", r"and nothing else"),
        ("{2: [{input: a, response: b, language: ''}]}", r"r.yaml:3: golden 1 of level 2: its language is no code"),
        ("[{input: a, response: b}]", r"r.yaml:3: goldens map levels to lists of examples"),
        ("{2: [{input: a, response_1: b, response_2: c}]}", r"r.yaml:3: .* needs one response for rubric/pointwise"),
    ],
)
def test_a_wrong_golden_is_named_with_its_line(tmp_path, text, why):
    (tmp_path / "r.yaml").write_text(f"scoring: {{1: a, 2: b}}\n\ngoldens: {text}\n", encoding="utf-8")
    with pytest.raises(ValidationError, match=why):
        find("reward", "rubric/pointwise").config(judge="j", rubric=str(tmp_path / "r.yaml"))
