"""Schemas say what the models say, are committed as generated, and fit what people write."""

import json

import jsonschema
import pytest
from helpers.each_case import each_case
from helpers.paths import ROOT
from rewardlab import installed
from rewardlab.data import to_group
from rewardlab.recipe import load
from rewardlab_testing.schemas.first_party import first_party_plugins
from rewardlab_testing.schemas.json_schemas import generate_schemas

RECIPES = sorted(ROOT.glob("recipes/**/*.yaml"))


@pytest.fixture(scope="module")
def ours():
    """Of this repository's plugins: file name -> text."""
    files, warnings = generate_schemas(first_party_plugins(installed(), ROOT))
    assert warnings == []
    return files


@pytest.fixture(scope="module")
def refuse(ours):
    """The first thing that the recipe schema has against a tree; None if it is fine."""
    return refuser(json.loads(ours["recipe.schema.json"]))


def refuser(schema):
    validator = jsonschema.Draft202012Validator(schema)

    def first(tree):
        error = jsonschema.exceptions.best_match(validator.iter_errors(tree))
        return None if error is None else f"{'.'.join(map(str, error.absolute_path))}: {error.message}"

    return first


# --- the files


def test_the_committed_schemas_are_as_generated(main, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main("schema", "--check") == (0, "2 schemas in schemas are up to date\n", "")
    assert {path.name for path in ROOT.glob("schemas/*")} == {"recipe.schema.json", "rows.schema.json"}


@pytest.mark.slow
def test_every_schema_is_one(ours):
    for name, text in ours.items():
        schema = json.loads(text)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        jsonschema.Draft202012Validator.check_schema(schema)
        assert text.endswith("}\n"), name


def test_every_component_of_ours_has_one(ours):
    plugins = first_party_plugins(installed(), ROOT)
    components = {f"{p.name}.{name}.schema.json" for p in plugins for kind, name in p.specs if kind != "backend"}
    backends = {f"{name}.backend.schema.json" for name in ("openrlhf", "trl", "verl")}
    assert set(ours) == components | backends | {"recipe.schema.json", "rows.schema.json"}
    assert {"math.accuracy.schema.json", "pairwise.win_rate.schema.json"} <= components


def test_what_third_parties_install_is_not_in_ours(ours, toy):
    assert generate_schemas(first_party_plugins(installed(), ROOT))[0] == ours


def test_the_help_comes_from_the_docstrings(ours):
    recipe = json.loads(ours["recipe.schema.json"])
    group_size = resolved(recipe["$defs"]["RlStage"]["properties"]["group_size"], recipe)
    assert group_size["description"] == "completions a prompt"
    assert group_size["default"] == 8


def resolved(schema, whole):
    """A schema, or the one that it refers to."""
    while "$ref" in schema:
        place, schema = schema["$ref"], whole
        for key in place.removeprefix("#/").split("/"):
            schema = schema[key]
    return schema


SHARING = """
from rewardlab import Config, RewardSpec, hookimpl

class Deep(Config):
    where: float = 0.0
    \"\"\"a place that both have, told at such a length that nobody would want to read it twice in a file\"\"\"

class Limit(Config):
    deep: Deep = Deep()
    \"\"\"how deep\"\"\"

class First(Config):
    limit: Limit = Limit()
    \"\"\"a limit\"\"\"
    words: int = 3
    \"\"\"how many words there are, told at such a length that nobody would want to read it twice in a file\"\"\"

class Second(First):
    more: Limit = Limit()
    \"\"\"another\"\"\"

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name=c.__name__.lower(), summary="", config=c, build=print) for c in (First, Second)]
"""


def test_what_two_components_share_stands_once_and_holds_for_both(offer):
    offer("odd", SHARING)
    files, _ = generate_schemas([installed().plugin("odd")])
    text = files["recipe.schema.json"]
    assert text.count("how many words") == text.count("a place that both have") == 1
    assert text.count('"Limit": {') == text.count('"Deep": {') == 1
    refuse = refuser(json.loads(text))
    for use, keys in (("odd/first", ["limit"]), ("odd/second", ["limit", "more"])):
        for key in keys:
            assert refuse(component(use=use, **{"with": {key: {"deep": {"where": 3}}}})) is None
            wrong = component(use=use, **{"with": {key: {"deep": {"where": "3"}}}})
            assert refuse(wrong).startswith(f"reward.components.a.with.{key}.deep.where: ")
        assert refuse(component(use=use, **{"with": {"words": "3"}})).startswith("reward.components.a.with.words: ")
        assert "'more' was unexpected" in (refuse(component(use="odd/first", **{"with": {"more": {}}})) or "")
    assert files["odd.first.schema.json"].count("how many words") == 1, "a file alone needs no other"
    assert files["odd.second.schema.json"].count("how many words") == 1


def test_a_property_is_a_line(ours):
    """So that the change of one option is one line of a diff."""
    whole = json.loads(ours["recipe.schema.json"])
    lines = [line.strip().rstrip(",") for line in ours["recipe.schema.json"].splitlines()]
    for name in ("RlStage", "math.accuracy"):
        for key, schema in whole["$defs"][name]["properties"].items():
            assert f"{json.dumps(key)}: {json.dumps(schema, ensure_ascii=False, sort_keys=True)}" in lines, key
    assert (
        sum(len(text.splitlines()) for name, text in ours.items() if name in ("recipe.schema.json", "rows.schema.json"))
        < 2000
    )


# --- recipes


def test_there_are_recipes():
    assert ROOT / "recipes" / "quickstart.yaml" in RECIPES


@pytest.mark.slow
def test_the_recipes_are_valid(refuse):
    for path in RECIPES:
        assert refuse(load(path).raw) is None, path


def changed(**parts):
    """A recipe that is fine, with some of its parts replaced."""
    recipe = {
        "version": 1,
        "model": {"use": "tiny"},
        "dataset": {"use": "data/jsonl", "with": {"path": "x.jsonl"}, "fields": {"reference": "solution"}},
        "judges": {"main": {"use": "pairwise/overlap"}},
        "reward": {
            "components": {
                "right": {"use": "math/accuracy", "with": {"extract": "tag"}, "on_missing": 0.5},
                "best": {"use": "pairwise/win_rate", "with": {"judge": "main"}, "on_missing": "group_mean"},
            },
            "total": "right + best",
            "normalize": ["normalize/center", {"use": "normalize/std", "with": {"subset": 8}}],
        },
        "stages": [
            {"use": "sft", "steps": 3},
            {"use": "rl", "algorithm": "dr_grpo", "kl": {"in": "loss"}, "eval": {"samples": 2}},
        ],
    }
    return {**recipe, **parts}


def component(**parts):
    return changed(reward={"components": {"a": parts}, "total": "a"})


FINE = [
    changed(stages=[{"use": "rl", "preset": "dapo"}]),
    changed(),
    {"version": 1},
    changed(model="Qwen/Qwen2.5-7B"),
    changed(seed="${oc.env:SEED}"),
    changed(seed="${oc.env:SEED,3}"),
    changed(model={"use": "tiny", "layers": "${oc.env:LAYERS}"}),
    changed(stages=[{"use": "rl", "algorithm": "${oc.env:A}", "steps": "${oc.env:S}", "clip": [0.2, "${oc.env:C}"]}]),
    changed(stages=[{"use": "${oc.env:KIND}", "steps": 1}]),
    changed(backend={"use": "trl", "gradient_checkpointing": "${oc.env:GC}"}),
    component(use="${oc.env:REWARD}", **{"with": {"anything": 1}}),
    component(use="math/accuracy", **{"with": {"extract": "${oc.env:EXTRACT}"}}),
    component(use="format/tags", **{"with": {"tags": ["think", "answer"]}}),
    component(use="mine/brevity", **{"with": {"words": 3, "deep": {"er": []}}}),
    component(use="math/new_one"),
    component(use="pairwise/win_rate", **{"with": {"judge": "main", "opponents": 3}}),
    component(use="math/accuracy", on_missing="${oc.env:M}", max_missing="${oc.env:S}"),
    changed(reward={"components": {"any name": {"use": "math/accuracy"}}, "total": "a", "normalize": ["my/own"]}),
    changed(curriculum={"use": "theirs/order"}),
]

MISTAKEN = [
    ({}, ": 'version' is a required property"),
    (changed(version=2), "version: 1 was expected"),
    (changed(sed=3), ": Additional properties are not allowed ('sed' was unexpected)"),
    (changed(seed="3"), "seed: "),
    (changed(seed=-1), "seed: "),
    (changed(model={"use": "tiny", "layer": 2}), "model: "),
    (changed(dataset={"with": {}}), "dataset: "),
    (changed(dataset="data/jsonl"), "dataset: "),
    (changed(dataset={"use": "data/jsonl"}), "dataset: 'with' is a required property"),
    (changed(dataset={"use": "data/jsonl", "with": {"path": "x.jsonl", "pth": 1}}), "dataset.with: "),
    (changed(judges=[]), "judges: [] is not of type 'object'"),
    (
        changed(judges={"main": {"use": "pairwise/overlap", "with": {"compare": "math"}}}),
        "judges.main.with.compare: ",
    ),
    (changed(curriculum={"use": "curriculum/shuffle", "with": {"x": 1}}), "curriculum.with: "),
    (component(use="accuracy"), "reward.components.a.use: "),
    (component(use="math/accuracy", wiht={}), "reward.components.a: Additional properties"),
    (component(use="math/accuracy", on_missing="group_maen"), "reward.components.a.on_missing: "),
    (component(use="math/accuracy", **{"with": {"extrct": "tag"}}), "reward.components.a.with: "),
    (component(use="math/accuracy", **{"with": {"extract": "tga"}}), "reward.components.a.with.extract: "),
    (component(use="pairwise/win_rate"), "reward.components.a: 'with' is a required property"),
    (
        component(use="pairwise/win_rate", **{"with": {}}),
        "reward.components.a.with: 'judge' is a required property",
    ),
    (changed(reward={"components": {}, "total": "1"}), "reward.components: "),
    (changed(reward={"components": {"a": {"use": "x/y"}}}), "reward: 'total' is a required property"),
    (changed(stages=[{"use": "rll"}]), "stages.0.use: "),
    (changed(stages=[{"steps": 1}]), "stages.0: 'use' is a required property"),
    (changed(stages=[{"use": "rl"}]), "stages.0: 'algorithm' is a required property"),
    (changed(stages=[{"use": "rl", "algorithm": "gpro"}]), "stages.0.algorithm: "),
    (changed(stages=[{"use": "rl", "algorithm": "grpo", "kl": {"into": "loss"}}]), "stages.0.kl: Additional"),
    (
        changed(stages=[{"use": "rl", "algorithm": "grpo", "eval": {"dataset": {"use": "jsonl"}}}]),
        "stages.0.eval",
    ),
    (changed(stages=[{"use": "sft", "kl": {}}]), "stages.0: Additional properties are not allowed ('kl' was"),
    (changed(stages=[{"use": "sft", "steps": 1.5}]), "stages.0.steps: "),
    (changed(backend={"use": "trll"}), "backend.use: "),
]


@each_case("tree", FINE)
def test_what_is_fine_passes(refuse, tree):
    assert refuse(tree) is None


@each_case("tree, says", MISTAKEN)
def test_typical_mistakes_are_underlined(ours, tree, says):
    validator = jsonschema.Draft202012Validator(json.loads(ours["recipe.schema.json"]))
    found = [line for error in validator.iter_errors(tree) for line in all_lines(error)]
    assert any(line.startswith(says) for line in found), found


def all_lines(error):
    """What a validator has against a tree, in each of the alternatives that it tried."""
    yield f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
    for inside in error.context:
        yield from all_lines(inside)


def test_an_editor_can_offer_the_names_and_their_summaries(ours):
    definitions = json.loads(ours["recipe.schema.json"])["$defs"]
    offered = {
        kind: {
            choice["const"]: choice["description"] for choice in definitions[kind]["properties"]["use"]["anyOf"][:-2]
        }
        for kind in ("ComponentUse", "JudgeUse", "DatasetUse", "CurriculumUse", "NormalizerUse")
    }
    assert {"math/accuracy", "format/boxed", "pairwise/win_rate"} <= offered["ComponentUse"].keys()
    assert offered["JudgeUse"].keys() == {
        "anthropic/messages",
        "openai/chat",
        "openai/pooling",
        "pairwise/overlap",
    }
    assert {"data/jsonl", "data/arithmetic"} <= offered["DatasetUse"].keys()
    assert "curriculum/shuffle" in offered["CurriculumUse"]
    assert {"normalize/center", "normalize/std"} <= offered["NormalizerUse"].keys()
    assert all(summary for summaries in offered.values() for summary in summaries.values())


# --- plugins of others

NESTED = """
from collections.abc import Callable
from typing import Any, Literal
from rewardlab import Config, JudgeSpec, RewardSpec, hookimpl

class Limit(Config):
    at: float
    \"\"\"where it ends\"\"\"

class Options(Config):
    title: Literal["a", "b"] = "a"
    limits: dict[str, Limit] = {}
    extra: Any = None

class Unwritable(Config):
    check: Callable | None = None

@hookimpl
def rewardlab_rewards():
    return [
        RewardSpec(name="deep", summary="nested options", config=Options, build=print),
        RewardSpec(name="twin", summary="also a judge", build=print),
        RewardSpec(name="unwritable", summary="", config=Unwritable, build=print),
    ]

@hookimpl
def rewardlab_judges():
    return [JudgeSpec(name="twin", summary="also a reward", build=print)]
"""


def test_nested_options_are_checked_inside_of_a_recipe(offer):
    offer("odd", NESTED)
    files, _ = generate_schemas([installed().plugin("odd")])
    refuse = refuser(json.loads(files["recipe.schema.json"]))
    fine = {"title": "b", "limits": {"x": {"at": 3}, "y": {"at": "${oc.env:Y}"}}, "extra": [None]}
    assert refuse(component(use="odd/deep", **{"with": fine})) is None
    wrong = component(use="odd/deep", **{"with": {"limits": {"x": {"at": "3"}}}})
    assert refuse(wrong).startswith("reward.components.a.with.limits.x.at: ")
    alone = refuser(json.loads(files["odd.deep.schema.json"]))
    assert alone(fine) is None
    assert alone({"limits": {"x": {}}}) == "limits.x: 'at' is a required property"


def test_a_name_of_two_kinds_has_two_schemas(offer):
    offer("odd", NESTED)
    files, _ = generate_schemas([installed().plugin("odd")])
    assert {"odd.twin.reward.schema.json", "odd.twin.judge.schema.json"} <= set(files)


def test_options_that_no_schema_can_hold_are_left_open(offer):
    offer("odd", NESTED)
    files, (warning,) = generate_schemas([installed().plugin("odd")])
    assert warning.startswith("the options of odd/unwritable have no schema: ")
    assert "odd.unwritable.schema.json" not in files
    refuse = refuser(json.loads(files["recipe.schema.json"]))
    assert refuse(component(use="odd/unwritable", **{"with": {"check": 1}})) is None


# --- rows

MESSAGE = {"role": "user", "content": "How many?"}
ROWS = [
    {"prompt": "How many?", "completions": ["4"]},
    {
        "id": 3,
        "prompt": [MESSAGE],
        "completions": [{"text": "4", "token_count": 2, "truncated": True}, ""],
        "answer": 4,
    },
    {"id": "a", "prompt": "x", "completions": [{"text": "", "token_count": None}]},
    {
        "prompt": "x",
        "completions": [[{"role": "assistant", "content": [{"type": "text", "text": "a"}], "odd": 1}], "x"],
    },
    {"prompt": "x", "completions": [{"messages": [{"role": "assistant", "content": "x"}], "token_count": 3}]},
    {"prompt": "x", "completions": [[{"role": "assistant", "tool_calls": [{"name": "x", "arguments": "{}"}]}]]},
    {"prompt": "x", "completions": [[]]},
    {"prompt": "x", "completions": [[{"role": "assistant"}]]},
    {"prompt": "x", "completions": [[{"role": "asistant", "content": "x"}]]},
    {"prompt": "x", "completions": [{"messages": "x"}]},
    {"prompt": "x"},
    {"completions": ["x"]},
    {"prompt": "x", "completions": []},
    {"prompt": "x", "completions": "x"},
    {"prompt": "x", "completions": [3]},
    {"prompt": "x", "completions": [{}]},
    {"prompt": "x", "completions": [{"text": "x", "tokens": 3}]},
    {"prompt": "x", "completions": [{"text": "x", "token_count": -1}]},
    {"prompt": "x", "completions": [{"text": "x", "token_count": True}]},
    {"prompt": "x", "completions": [{"text": "x", "truncated": 1}]},
    {"prompt": " ", "completions": ["x"]},
    {"prompt": [], "completions": ["x"]},
    {"prompt": ["x"], "completions": ["x"]},
    {"prompt": [{"role": "usr", "content": "x"}], "completions": ["x"]},
    {"prompt": [{**MESSAGE, "name": "x"}], "completions": ["x"]},
    {"id": "", "prompt": "x", "completions": ["x"]},
    {"id": None, "prompt": "x", "completions": ["x"]},
    {"id": 1.5, "prompt": "x", "completions": ["x"]},
]


@each_case("row", ROWS)
def test_the_schema_of_rows_agrees_with_their_reader(ours, row):
    try:
        to_group(row, {})
        reads = True
    except ValueError:
        reads = False
    assert reads == (refuser(json.loads(ours["rows.schema.json"]))(row) is None)


# --- the command


@pytest.mark.slow
def test_the_command_writes_what_is_installed(main, tmp_path):
    code, out, err = main("schema", "-o", "made")
    names = {path.name for path in (tmp_path / "made").iterdir()}
    assert (code, out, err) == (0, f"wrote {len(names)} schemas to made\n", "")
    assert {
        "recipe.schema.json",
        "rows.schema.json",
        "math.accuracy.schema.json",
        "toy.brevity.schema.json",
    } <= names
    assert '"toy.brevity"' in (tmp_path / "made" / "recipe.schema.json").read_text()
    assert main("schema", "-o", "made", "--check") == (
        0,
        f"{len(names)} schemas in made are up to date\n",
        "",
    )


@pytest.mark.slow
def test_what_is_stale_is_named(main, tmp_path):
    main("schema", "-o", "made")
    made = tmp_path / "made"
    (made / "toy.brevity.schema.json").write_text("{}")
    (made / "rows.schema.json").unlink()
    (made / "toy.gone.schema.json").write_text((made / "math.accuracy.schema.json").read_text())
    (made / "theirs.schema.json").write_text("{}")
    code, out, err = main("schema", "-o", "made", "--check")
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "error: made/rows.schema.json: is not there",
        "error: made/toy.brevity.schema.json: is out of date",
        "error: made/toy.gone.schema.json: this component does not exist",
        "error: write them with: rewardlab schema -o made",
    ]
    main("schema", "-o", "made")
    assert main("schema", "-o", "made", "--check")[0] == 0
    assert not (made / "toy.gone.schema.json").exists()
    assert (made / "theirs.schema.json").read_text() == "{}"


@pytest.mark.slow
def test_a_broken_plugin_is_left_out_with_a_warning(main, offer, tmp_path):
    main("schema", "-o", "made")
    made = tmp_path / "made"
    (made / "faulty.old.schema.json").write_text((made / "math.accuracy.schema.json").read_text())
    offer("faulty", "import no_such_module")
    for flags in ["--check"], []:
        code, _, err = main("schema", "-o", "made", *flags)
        assert code == 0
        assert err.startswith("warning: plugin 'faulty' is left out: ModuleNotFoundError")
    assert (made / "faulty.old.schema.json").exists()


def test_without_a_folder_it_writes_those_of_the_plugins_here(main, monkeypatch, tmp_path):
    code, _, err = main("schema")
    assert code == 2
    assert "no distributions in ./plugins; `-o DIR` writes the schemas of all that is installed" in err
    project = tmp_path / "plugins" / "toy" / "pyproject.toml"
    project.parent.mkdir(parents=True)
    bridge = tmp_path / "plugins" / "bridge" / "pyproject.toml"
    bridge.parent.mkdir()
    bridge.write_text('[project]\nname = "a-bridge"\n')  # without components
    plugin = '[project.entry-points.rewardlab]\ntoy = "toy"\n'
    project.write_text(f'[project]\nname = "Toy_Rewards"\n{plugin}')
    assert main("schema")[0] == 0
    names = {path.name for path in (tmp_path / "schemas").iterdir()}
    assert names == {"recipe.schema.json", "rows.schema.json"}
    assert '"toy.brevity"' in (tmp_path / "schemas" / "recipe.schema.json").read_text()
    project.write_text(f'[project]\nname = "other-rewards"\n{plugin}')
    code, _, err = main("schema", "--check")
    assert (code, err) == (2, "error: other-rewards: it is not installed; pip install -e plugins/toy\n")


def undescribed(schema, whole, place=""):
    """The places of properties without a description; `if` and `then` say more about properties described elsewhere."""
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            for name, inside in value.items():
                if key == "properties" and not (
                    inside.get("description") or resolved(inside, whole).get("description")
                ):
                    yield f"{place}.{name}"
                yield from undescribed(inside, whole, f"{place}.{name}")
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for inside in value:
                yield from undescribed(inside, whole, place)
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            yield from undescribed(value, whole, place)


def test_every_property_has_a_description(ours):
    assert len(ours) > 20
    schemas = {name: json.loads(text) for name, text in ours.items()}
    assert [place for name, schema in schemas.items() for place in undescribed(schema, schema, name)] == []
