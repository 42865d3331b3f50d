"""`rewardlab plugins`: what is installed, broken plugins too."""

import json
import re
from dataclasses import replace

import pytest
from helpers.each_case import each_case
from rewardlab import RewardSpec, Sample
from rewardlab.laws import Laws, RewardExample
from rewardlab.registry import Plugin, Registry, pip_install
from rewardlab_testing.listing.listing import component_rows, format_card, format_table
from rewardlab_testing.listing.plugin_search import known_plugins, search_plugins


@pytest.fixture
def plugin_with():
    """The rows of a plugin with one reward: `plugin_with({"law": "why it is off"})`."""

    def rows(off, examples=None):
        spec = RewardSpec(name="one", summary="one", build=print, laws=Laws(off=off, examples=examples))
        return component_rows(Plugin(name="mine", distribution="mine", version="1", specs={("reward", "one"): spec}))

    return rows


def rows(main, *arguments):
    code, out, err = main("plugins", *arguments, "--json")
    assert (code, err) == (0, "")
    return {(row["use"], row["kind"]): row for row in json.loads(out)}


EMPTY_IS_OFF = "the empty answer is the shortest one; something else in the total has to ask for more"


def test_the_table_has_a_line_a_component(main):
    code, out, err = main("plugins")
    assert (code, err) == (0, "")
    lines = [line.split("  ") for line in out.split("\n\n")[0].splitlines()]
    assert [cell.strip() for cell in lines[0] if cell] == [
        "component",
        "kind",
        "scope",
        "range",
        "requires",
        "summary",
    ]
    cells = {line[0]: [cell.strip() for cell in line if cell.strip()] for line in lines}
    assert cells["toy/brevity"] == ["toy/brevity", "reward", "completion", "[0, 1]", "short answers"]
    assert cells["toy/counting"] == ["toy/counting", "dataset", "gives answer", "how much is n + 1"]
    assert cells["math/accuracy"][:5] == ["math/accuracy", "reward", "completion", "[0, 1]", "answer"]


def test_below_the_table_stand_the_laws_that_are_off_and_why(main):
    table, off, _ = main("plugins")[1].split("\n\n")
    assert EMPTY_IS_OFF not in table
    title, *lines = off.splitlines()
    assert title == "laws that do not apply"
    (line,) = (line for line in lines if line.startswith("  toy/brevity "))
    assert [cell for cell in map(str.strip, line.split("  ")) if cell] == ["toy/brevity", "empty", EMPTY_IS_OFF]


def test_laws_that_are_off_for_the_same_reason_stand_together(plugin_with):
    rows = plugin_with({"padding": "like it", "order": "no\n  order", "repetition": "like it"})
    assert [line.split() for line in format_table(rows).splitlines()[4:]] == [
        ["mine/one", "padding,", "repetition", "like", "it"],
        ["mine/one", "order", "no", "order"],
    ]
    assert rows[0]["laws_off"] == {"padding": "like it", "order": "no order", "repetition": "like it"}
    assert format_card(rows[0]).splitlines()[-4:-1] == [
        "  law padding is off: like it",
        "  law order is off: no order",
        "  law repetition is off: like it",
    ]


def test_what_one_example_switches_off_is_told_with_its_name(plugin_with):
    plain = RewardExample(title="plain", sample=Sample(), good=(), bad=())
    odd = replace(plain, title="as published", off={"padding": "it was  published so", "empty": "likewise"})
    rows = plugin_with({"empty": "always"}, examples=lambda: [plain, odd])
    assert format_table(rows).splitlines()[4:] == [
        "  mine/one                empty    always",
        "  mine/one: as published  padding  it was published so",
    ]
    line = "  law padding is off in the example 'as published': it was published so"
    assert line in format_card(rows[0]).splitlines()
    assert plugin_with({}, examples=lambda: 1 / 0)[0]["laws_off_in_examples"] == []  # `check` tells why


def test_where_no_law_is_off_nothing_stands_below_the_table(plugin_with):
    assert len(format_table(plugin_with({})).splitlines()) == 2


def test_as_json(main):
    found = rows(main)
    assert found["toy/brevity", "reward"] == {
        "use": "toy/brevity",
        "kind": "reward",
        "summary": "short answers",
        "scope": "completion",
        "range": [0.0, 1.0],
        "runs": "inline",
        "requires": [],
        "plugin": "toy",
        "distribution": "toy-rewards",
        "version": "1.2.0",
        "options": [
            {
                "name": "words",
                "type": "integer",
                "required": False,
                "default": 50,
                "help": "answers of up to this many words get 1",
            }
        ],
        "laws_off": {"empty": EMPTY_IS_OFF},
        "laws_off_in_examples": [],
        "examples": True,
    }
    assert found["toy/halved", "normalizer"]["examples"] is False
    assert found["toy/counting", "dataset"]["provides"] == ["answer"]
    assert found["data/jsonl", "dataset"]["provides"] == "by reading"
    assert found["pairwise/win_rate", "reward"]["requires"] == "by options"
    kinds = {kind for _, kind in found}
    assert kinds == {"reward", "judge", "dataset", "curriculum", "normalizer", "backend"}


def test_one_plugin(main):
    assert {use.split("/")[0] for use, _ in rows(main, "toy")} == {"toy"}
    code, out, _ = main("plugins", "toy")
    assert code == 0
    assert "toy/polite (judge; toy-rewards 1.2.0)" in out


def test_one_component_in_full(main):
    code, out, err = main("plugins", "toy/prefer")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "toy/prefer (reward; toy-rewards 1.2.0)",
        "  1 where a judge says yes",
        "  scope: group",
        "  range: [0, 1]",
        "  runs: async",
        "  with.judge: text, required",
    ]
    assert "  with.words: integer, default 50. answers of up to" in main("plugins", "toy/brevity")[1]


def test_a_card_tells_the_laws_that_are_off_and_components_without_examples(main):
    assert f"  law empty is off: {EMPTY_IS_OFF}\n" in main("plugins", "toy/brevity")[1]
    hint = "  examples: none of its own; `rewardlab plugins check` makes some up"
    assert hint in main("plugins", "toy/halved")[1]
    assert "examples:" not in main("plugins", "toy/brevity")[1]


@each_case(
    "name, says",
    [
        ("toi", "error: no plugin 'toi'; did you mean 'toy'?\n"),
        ("toy/brevty", "error: no component 'toy/brevty'; did you mean 'toy/brevity'?\n"),
        ("zzz/x", "error: no plugin 'zzz'; there are "),
        ("brevity", "error: no plugin 'brevity'; did you mean 'toy/brevity'?\n"),
        ("chek", "error: no plugin 'chek'; did you mean 'check'?\n"),
    ],
)
def test_a_wrong_name_gets_the_nearest_one(main, name, says):
    code, out, err = main("plugins", name)
    assert (code, out) == (2, "")
    assert err.startswith(says)


def test_an_unknown_name_gets_the_plugins_the_sub_commands_and_the_parts_of_recipes(main):
    error = main("plugins", "qqqqq")[2]
    there, _, more = error.partition("; sub-commands are ")
    assert not {"dpo", "sft", "component"} & set(re.findall(r"'(\w+)'", there))
    parts = "recipe, dataset, judge, reward, component, data, sft, rl, dpo, eval"
    assert more == f"new NAME and check NAME, parts of recipes {parts}\n"


def test_a_module_without_an_entry_point_gets_the_line_to_write(main, tmp_path, monkeypatch):
    (tmp_path / "lonely.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    for words in (["lonely"], ["check", "lonely"]):
        assert "no entry point makes it a plugin: write lonely =" in main("plugins", *words)[2]


@each_case(
    "arguments, says",
    [
        (["toy", "math"], "error: one name, not 'toy math'; the commands are new, check: `rewardlab plugins --help`\n"),
        (["toy", "--into", "x"], "error: --into is an option of `rewardlab plugins new NAME`\n"),
        (["new", "x", "--tries", "3"], "error: --tries is an option of `rewardlab plugins check NAME`\n"),
        (["new"], "error: `rewardlab plugins new NAME [--into DIR]` takes one name, such as glossary\n"),
        (["check"], "error: `rewardlab plugins check NAME [KEY=VALUE ...]` needs the name of an installed plugin\n"),
    ],
)
def test_what_makes_no_sense_together_is_said(main, arguments, says):
    assert main("plugins", *arguments) == (2, "", says)


def test_a_broken_plugin_is_a_row(main, offer):
    offer("faulty", "import no_such_module", version="0.3")
    code, out, err = main("plugins")
    assert code == 0
    (line,) = (line for line in out.splitlines() if line.startswith("faulty "))
    assert line.split()[1] == "broken"
    assert "No module named 'no_such_module'" in line
    assert err == "warning: broken plugins stop only the recipes that name them\n"
    assert "toy/brevity" in out
    row = rows(main, "faulty")["faulty", "broken"]
    assert (row["distribution"], row["version"]) == ("faulty-rewards", "0.3")


def test_what_a_plugin_prints_stays_out_of_the_output(main, offer):
    offer("loud", "print('hello')")
    code, out, err = main("plugins", "--json")
    assert (code, err) == (0, "hello\n")
    json.loads(out)


ODD = """
from typing import Literal
from pydantic import model_validator
from rewardlab import Config, DatasetSpec, RewardSpec, hookimpl

class Limits(Config):
    low: float = 0.0

class Options(Config):
    limits: Limits = Limits()
    tags: tuple[str, ...] = ("a",)

class Demanding(Config):
    a: str | None = None

    @model_validator(mode="after")
    def _some(self):
        if self.a is None:
            raise ValueError("say a")
        return self

def fail(options):
    raise KeyError("x")

@hookimpl
def rewardlab_rewards():
    return [
        RewardSpec(name="nested", summary="two\\n  lines", config=Options, build=print),
        RewardSpec(name="demanding", summary="", config=Demanding, requires=lambda o: [o.a], build=print),
        RewardSpec(name="failing", summary="", requires=fail, build=print),
    ]
"""


def test_odd_components_do_not_stop_the_list(main, offer):
    offer("odd", ODD)
    found = rows(main, "odd")
    nested = found["odd/nested", "reward"]
    assert nested["summary"] == "two lines"
    assert [option["default"] for option in nested["options"]] == [{"low": 0.0}, 0.0, ["a"]]
    assert found["odd/demanding", "reward"]["requires"] == "by options"
    assert found["odd/failing", "reward"]["requires"] == "fails with KeyError: 'x'"
    assert main("plugins")[0] == 0


# --- parts of recipes


def test_a_stage_has_a_card_with_defaults_and_units(main):
    code, out, err = main("plugins", "rl")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["rl (stage)", "  Reinforcement learning with the recipe's reward."]
    assert "  stages.N.max_new_tokens: integer > 0, default 1024. tokens of the longest completion; a longer one" in out
    assert "  stages.N.kl.coef: number >= 0, default 0.0. weight of the penalty" in out
    assert "  stages.N.eval.samples: integer > 0, default 8. completions a prompt" in lines
    assert lines[-1] == "  N counts the stages from 0, as in an override: stages.1.steps=50"


@each_case("name", ["recipe", "dataset", "judge", "reward", "component", "sft", "dpo", "eval"])
def test_every_part_of_a_recipe_has_a_card(main, name):
    code, out, _ = main("plugins", name, "--json")
    (row,) = json.loads(out)
    assert (code, row["use"]) == (0, name)
    assert all(key["help"] and key["type"] for key in row["options"])


def test_a_plugin_and_a_stage_of_one_name_are_both_shown(main):
    cards = main("plugins", "data")[1].split("\n\n")
    assert [card.split(" ")[0] for card in cards] == [
        "data/arithmetic",
        "data/benchmark",
        "data/expert",
        "data/hub",
        "data/jsonl",
        "data/mix",
        "data/overlap",
        "data/split",
        "data",
    ]


def test_an_engine_shows_its_nested_settings(main):
    out = main("plugins", "openrlhf")[1]
    assert "  backend.engine.tensor_parallel: integer > 0, default 1. GPUs of one vLLM engine\n" in out
    assert "  backend.engine.lora.rank: integer > 0, required. rank of the two matrices of an adapter" in out


def test_the_list_and_a_misspelt_name_point_at_the_parts(main):
    assert (
        main("plugins")[1]
        .splitlines()[-1]
        .endswith("rewardlab plugins recipe | dataset | judge | reward | component | data | sft | rl | dpo | eval")
    )
    assert main("plugins", "dop")[2] == "error: no plugin 'dop'; did you mean 'dpo'?\n"


class TestASearch:
    def test_finds_what_is_installed_and_what_is_known(self, main, monkeypatch):
        code, out, _ = main("plugins", "--search", "rhymes")
        assert (code, out) == (1, "")
        known = [{"distribution": "rewardlab-poems", "summary": "Rhymes in Chinese", "source": "https://example.org"}]
        monkeypatch.setattr("rewardlab_testing.listing.plugin_search.known_plugins", lambda: known)
        code, out, _ = main("plugins", "--search", "rhymes chinese")
        assert (code, out.splitlines()[1:]) == (0, ["rewardlab-poems  pip install rewardlab-poems  Rhymes in Chinese"])
        assert "toy/brevity" in main("plugins", "--search", "brevity")[1]
        assert main("plugins", "math", "--search", "x")[0] == 2

    def test_knows_plugins_of_ours_that_are_not_installed(self):
        found = {row["name"]: row["get"] for row in search_plugins("answers against gold", Registry(points=[]))}
        assert found == {"rewardlab-math": pip_install("math")}

    def test_what_others_add_has_all_that_is_asked_for(self):
        assert all(set(one) == {"distribution", "summary", "source"} for one in known_plugins())
