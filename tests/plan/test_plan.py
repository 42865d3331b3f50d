"""What `check` finds in a recipe, where it says so, and what it does not make up."""

import copy
import re

import pytest
import yaml
from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab.errors import JobError, UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.annotations import lookup
from rewardlab.recipe.loading import load
from rewardlab.recipe.yaml12 import dump
from rewardlab_training import evaluation_datasets, stage_dataset
from rewardlab_training.check import check_recipe

RECIPE = """\
version: 1
model: {use: tiny}
dataset: {use: toy/counting, with: {rows: 40}, holdout: 0.25}
curriculum: {use: toy/reversed}
judges:
  main: {use: toy/polite}
reward:
  components:
    short: {use: toy/brevity, with: {words: 9}}
    polite: {use: toy/prefer, with: {judge: main}}
  total: "short + 2 * polite"
  normalize: [toy/halved]
stages:
  - {use: sft, steps: 1}
  - {use: rl, algorithm: dr_grpo, steps: 1, eval: {samples: 2}}
"""

LACKING = """
from rewardlab import Config, RewardSpec, hookimpl

class Options(Config):
    field: str = "answer"

def reason(options, sample):
    return "German is not supported" if sample.fields.get("language") == "de" else None

@hookimpl
def rewardlab_rewards():
    def build(options, context):
        raise AssertionError("check builds no reward")

    return [
        RewardSpec(name="exact", summary="", config=Options, requires=lambda o: [o.field], build=build),
        RewardSpec(name="picky", summary="", abstains=reason, build=build),
        RewardSpec(name="penalty", summary="", range=(-1, 0), build=build),
        RewardSpec(name="slow", summary="", runs="worker", on_timeout=-2.0, build=build),
    ]
"""


@pytest.fixture
def check(toy, write):
    """The problems of a recipe's text, one a line, without the file's name: "9: reward.total: ..."."""

    def problems(text, purpose="check"):
        try:
            plan_for(purpose, load(write("r.yaml", text)))
        except UserError as error:
            return [re.sub("^.*?r.yaml:", "", str(problem)) for problem in error.problems]
        return []

    return problems


@pytest.fixture
def plan(toy, write):
    return lambda text, purpose="check": plan_for(purpose, load(write("r.yaml", text)))


def plan_for(purpose, document):
    return (make_plan if purpose == "score" else check_recipe)(document, purpose=purpose)


def changed(old, new, text=RECIPE):
    assert text.count(old) == 1, old
    return text.replace(old, new)


# --- a recipe that is right


BALANCED = "{use: curriculum/balanced, with: {reasoning: short, answer: short}}"


def test_a_group_sampler_stands_beside_the_order_or_in_its_place(plan):
    both = plan(changed("judges:", f"sampler: {BALANCED}\njudges:"))
    assert (both.curriculum.spec.name, both.sampler.spec.name) == ("reversed", "balanced")
    alone = plan(changed("{use: toy/reversed}", BALANCED))
    assert alone.sampler is alone.curriculum
    assert plan(RECIPE).sampler is None


def test_a_plan_holds_what_the_recipe_names(plan):
    made = plan(RECIPE)
    assert made.components["short"].options.words == 9
    assert made.components["polite"].spec.scope == "group"
    assert made.judges["main"].spec.name == "polite"
    assert made.curriculum.spec.name == "reversed"
    assert [n.spec.name for n in made.normalizers] == ["halved"]
    assert made.expression.names == ("short", "polite")
    assert made.total_range == (0.0, 3.0)
    assert set(made.plugins) == {"toy", "trl"}
    assert stage_dataset(made, 0) is stage_dataset(made, 1) is made.datasets["dataset",]
    assert evaluation_datasets(made, 1) == {"": (made.datasets["dataset",], True)}


def test_a_dataset_of_its_own_takes_the_place_of_the_recipes(plan):
    text = changed("steps: 1}", "steps: 1, dataset: {use: toy/counting}}")
    text = changed("samples: 2", "samples: 2, dataset: {use: toy/counting, with: {rows: 3}}", text)
    made = plan(text)
    assert stage_dataset(made, 0) is made.datasets["stages", 0, "dataset"]
    assert evaluation_datasets(made, 1) == {"": (made.datasets["stages", 1, "eval", "dataset"], False)}


def test_an_evaluation_has_several_sets_by_name_and_the_held_out_rows_may_be_one(plan):
    text = changed("samples: 2", "samples: 2, sets: {hard: {use: toy/counting, with: {rows: 3}}, ours: null}")
    made = plan(text)
    hard = made.datasets["stages", 1, "eval", "sets", "hard"]
    assert evaluation_datasets(made, 1) == {"hard": (hard, False), "ours": (made.datasets["dataset",], True)}
    evaluation = made.recipe.stages[1].evaluation
    assert evaluation.split_by == ["eval_set", *evaluation.by]


@pytest.mark.parametrize(
    ("sets", "wrong"),
    [
        ("{hard: null}, dataset: {use: toy/counting}", "`dataset` and `sets` exclude each other"),
        ("{from: null}", "a set cannot be called `from`"),
        ("{'a set': null}", "a set"),
    ],
)
def test_sets_that_cannot_be_are_refused(check, sets, wrong):
    assert wrong in "\n".join(check(changed("samples: 2", f"samples: 2, sets: {sets}")))


def test_scoring_needs_no_more_than_a_reward_and_its_judges(plan, check):
    text = "version: 1\nreward: {components: {a: {use: toy/brevity}}, total: a}"
    assert plan(text, purpose="score").total_range == (0.0, 1.0)
    assert check("version: 1", purpose="score") == [
        "1: reward: missing; say which components score a completion and what the total is"
    ]


def test_shaped_values_have_the_bounds_that_the_normalizers_know(plan):
    centered = changed("toy/halved", "normalize/center")
    assert plan(centered).shaped_range(8) == (-3.0, 3.0)
    assert plan(RECIPE).shaped_range(8) is None
    assert plan(changed("[toy/halved]", "[]")).shaped_range(8) == (0.0, 3.0)


# --- one mistake, one line


@each_case(
    "old, new, says",
    [
        ("version: 1", "version: 2", "1: version: expected 1, found 2"),
        ("version: 1", "", "2: version: missing; expected 1"),
        ("model: {use: tiny}", "", "1: model: missing; a folder or hub name"),
        ("model: {use: tiny}", "model:", "2: model: missing; a folder or hub name"),
        (
            "toy/brevity",
            "toi/brevity",
            "9: reward.components.short.use: no plugin 'toi'; did you mean 'toy/brevity'?",
        ),
        (
            "toy/brevity",
            "toy/brevty",
            "9: reward.components.short.use: plugin 'toy' has no reward 'brevty'; did you",
        ),
        (
            "toy/polite",
            "toy/polit",
            "6: judges.main.use: plugin 'toy' has no judge 'polit'; did you mean 'toy/polite'",
        ),
        (
            "toy/counting",
            "toy/couting",
            "3: dataset.use: plugin 'toy' has no dataset 'couting'; did you mean",
        ),
        (
            "toy/reversed",
            "toy/revers",
            "4: curriculum.use: plugin 'toy' has no curriculum 'revers'; did you mean",
        ),
        (
            "[toy/halved]",
            "[toy/halvd]",
            "12: reward.normalize.0: plugin 'toy' has no normalizer 'halvd'; did you mean",
        ),
        (
            "words: 9",
            "wrods: 9",
            "9: reward.components.short.with.wrods: no such option; did you mean 'words'? "
            "[toy/brevity takes words: integer = 50]",
        ),
        (
            "words: 9",
            "words: many",
            '9: reward.components.short.with.words: expected a whole number, found "many" '
            "(answers of up to this many words get 1) [toy/brevity takes words: integer = 50]",
        ),
        (
            "{judge: main}",
            "{}",
            "10: reward.components.polite.with.judge: missing; expected text [toy/prefer takes judge: text]",
        ),
        (
            "judge: main",
            "judge: mian",
            "10: reward.components.polite.with.judge: no judge 'mian'; did you mean 'main'?",
        ),
        (
            "judges:\n  main: {use: toy/polite}",
            "\n",
            "10: reward.components.polite.with.judge: no judge 'main'; there",
        ),
        ("short + 2", "shrt + 2", "11: reward.total: no component 'shrt'; did you mean 'short'?"),
        ("short + 2", "progres", "11: reward.total: no component 'progres'; did you mean 'progress'?"),
        (
            "2 * polite",
            "(polite",
            "11: reward.total: column 16: a ) for the ( of column 9 is expected, it ends here",
        ),
        (
            "2 * polite",
            "1 / polite",
            "11: reward.total: the denominator `polite` can be 0 (its range is [0, 1])",
        ),
        ("2 * polite", "1 / (polite - 0.5)", "11: reward.total: the denominator `polite - 0.5` can be 0"),
        (
            "polite: {",
            "min: {",
            "10: reward.components.min: min is a function of the total; choose another name",
        ),
        (
            "polite: {",
            "total: {",
            "10: reward.components.total: total is the name of another number in logs and tables; choose another name",
        ),
        (
            "normalize:",
            "correctness: shrot\n  normalize:",
            "12: reward.correctness: no component 'shrot'; did you mean",
        ),
        (
            "dr_grpo,",
            "dr_grpo, updates_per_batch: 7,",
            "15: stages.1.updates_per_batch: 32 prompts x 8 = 256 compl",
        ),
        (
            "sft,",
            "sft, micro_batch_size: 5,",
            "14: stages.0.micro_batch_size: 16 rows do not divide into micro-batch",
        ),
        ("sft", "stf", "14: stages.0.use: \"stf\" is not allowed; did you mean 'sft'?"),
    ],
)
def test_a_mistake_is_a_line_with_place_and_help(check, old, new, says):
    found = check(changed(old, new))
    if new.startswith(("min", "total")):
        found = [line for line in found if "reward.total: " not in line]  # which names it by its old name
    assert len(found) == 1, found
    assert found[0].startswith(says)


def test_a_duplicate_key_is_refused_with_both_lines(check):
    assert check(changed("    short:", "    polite: {use: toy/brevity}\n    short:")) == [
        "11: reward.components.polite: duplicate key, line 9 has it too; keep one"
    ]


def test_an_override_is_where_its_mistake_is(toy, write):
    with pytest.raises(UserError) as caught:
        check_recipe(load(write("r.yaml", RECIPE), ["reward.components.short.with.words=x"]))
    assert str(caught.value).startswith("override 'reward.components.short.with.words=x': reward.components.short")


def test_rewards_and_datasets_that_stages_need(check):
    assert check("version: 1\nmodel: {use: tiny}\nstages: [{use: rl, algorithm: grpo}]") == [
        "3: stages.0: rl needs a reward; add `reward:` to the recipe",
        "3: stages.0: rl needs a dataset; add `dataset:` to the recipe",
    ]
    assert check("version: 1\nmodel: {use: tiny}\nreward:\nstages: [{use: eval, dataset: {use: toy/counting}}]") == [
        "4: stages.0: eval needs a reward; add `reward:` to the recipe"
    ]
    (line,) = check("version: 1", purpose="run")
    assert line.startswith("1: stages: missing; ")


def test_the_policy_is_a_judge_and_no_reward(check):
    (line,) = check(changed("toy/prefer", "policy/self"))
    assert ".use: policy/self is put in by a backend" in line


@pytest.mark.parametrize(
    ("algorithm", "because"),
    [("grpo", "standard deviation"), ("rloo", "G / (G - 1)"), ("reinforce_baseline", "over the batch")],
)
def test_normalize_goes_only_with_an_algorithm_that_does_nothing_but_centre(check, algorithm, because):
    (line,) = check(changed("dr_grpo", algorithm))
    assert line.startswith("12: reward.normalize: needs dr_grpo")
    assert f"{algorithm} (stages.1)" in line
    assert because in line
    assert check(changed("dr_grpo", algorithm, changed("[toy/halved]", "[]"))) == []


# --- the interval of the total


@pytest.mark.parametrize(
    ("settings", "bounds"),
    [
        ("use: mine/penalty", (-1.0, 0.0)),
        ("use: mine/penalty, on_missing: 0.5", (-1.0, 0.5)),
        ("use: mine/penalty, on_abstain: -3", (-3.0, 0.0)),
        ("use: mine/penalty, on_missing: -0.5", (-1.0, 0.0)),
        ("use: mine/penalty, on_missing: group_mean", (-1.0, 0.0)),
        ("use: mine/slow", (-2.0, 1.0)),
    ],
)
def test_numbers_that_stand_for_missing_values_widen_the_interval(plan, offer, settings, bounds):
    offer("mine", LACKING)
    text = f"version: 1\nreward: {{components: {{a: {{{settings}}}}}, total: a}}"
    assert plan(text).total_range == bounds


def test_a_stand_in_can_make_a_denominator_zero(check, offer):
    offer("mine", LACKING)
    text = "version: 1\nreward: {components: {a: {use: mine/penalty%s}}, total: 1 / (a - 0.5)}"
    assert check(text % "") == []
    assert check(text % ", on_missing: 0.5")[0].startswith("2: reward.total: the denominator `a - 0.5` can be 0")


# --- rows


def test_a_field_that_a_reward_requires_and_no_row_has(check, offer):
    offer("mine", LACKING)
    text = changed("toy/brevity, with: {words: 9}", "mine/exact, with: {field: gold}")
    assert check(text) == [
        "3: dataset: field 'gold' is needed by short (mine/exact), but no row has it; "
        "name its column, `fields: {gold: COLUMN}`; columns: answer, prompt, response"
    ]
    assert check(changed("holdout: 0.25", "holdout: 0.25, fields: {gold: answer}", text)) == []


def test_a_field_that_some_rows_lack(check, offer, write):
    offer("mine", LACKING)
    rows = [{"id": f"r{n}", "prompt": f"{n}?", "answer": n} for n in range(5)]
    del rows[3]["answer"]
    rows[4]["answer"] = None
    path = write("rows.jsonl", rows)
    text = f"""\
        version: 1
        dataset: {{use: data/jsonl, with: {{path: {path}}}}}
        reward: {{components: {{a: {{use: mine/exact}}}}, total: a}}
        """
    (line,) = check(text)
    assert "field 'answer' is needed by a (mine/exact), but 2 of 5 rows lack it, first " in line
    assert f"{path}:4" in line


def test_a_field_that_a_stage_needs(check):
    text = changed("holdout: 0.25", "holdout: 0.25, fields: {response: question}")
    assert check(text) == []  # our own name stands where theirs is absent
    text = changed("use: sft, steps: 1", "use: sft, steps: 1, dataset: {use: data/arithmetic}")
    (line,) = check(text)
    assert line.startswith("14: stages.0.dataset: field 'response' is needed by stage 0 (sft), but no row has it")


def test_held_out_rows_need_not_have_what_training_needs(check, write):
    rows = [{"prompt": f"{n}?", "response": "yes", "split": "train"} for n in range(3)]
    rows += [{"prompt": f"{n}?", "split": "test"} for n in range(3, 6)]
    path = write("rows.jsonl", rows)
    dataset = f"{{use: data/jsonl, with: {{path: {path}}}}}"
    assert check(f"version: 1\nmodel: {{use: tiny}}\ndataset: {dataset}\nstages: [{{use: sft}}]") == []


def test_what_is_wrong_with_a_file_of_rows_is_told(check, write):
    path = write("rows.jsonl", '{"prompt": "a"}\nnonsense\n')
    line, count = check(f"version: 1\ndataset: {{use: data/jsonl, with: {{path: {path}}}}}")
    assert line.startswith(f"2: dataset: {path}:2: not JSON")
    assert f"dataset: {path}: 1 bad row" in count
    (line,) = check("version: 1\ndataset: {use: data/jsonl, with: {path: none.jsonl}}")
    assert "none.jsonl" in line


def test_a_file_that_a_data_stage_will_write_is_not_missed(check):
    text = """\
        version: 1
        model: {use: tiny}
        stages:
          - {use: data, dataset: {use: toy/counting}, to: made.jsonl}
          - {use: sft, dataset: {use: data/jsonl, with: {path: made.jsonl}}}
        """
    assert check(text) == []


PICKY = changed("toy/brevity, with: {words: 9}", "mine/picky")
PICKY = changed("toy/counting, with: {rows: 40}", "data/jsonl, with: {path: PATH}", PICKY)
PICKY = changed("  - {use: sft, steps: 1}\n", "", PICKY)


@pytest.fixture
def picky(offer, write):
    offer("mine", LACKING)
    rows = [{"id": str(n), "prompt": f"{n}?", "language": "de" if n % 4 else "en"} for n in range(40)]
    return PICKY.replace("PATH", str(write("rows.jsonl", rows)))


def test_rows_on_which_a_reward_abstains_are_a_problem_where_that_would_stop_the_job(check, picky):
    assert check(picky) == [
        "9: reward.components.short: will abstain: German is not supported (30 of 40 rows); "
        "set on_abstain to a number, or leave these rows out"
    ]


def test_they_are_a_warning_where_it_would_not(plan, picky):
    (warning,) = plan(changed("mine/picky", "mine/picky, on_abstain: 0", picky)).warnings
    assert warning.endswith("reward.components.short: will abstain: German is not supported (30 of 40 rows)")
    (warning,) = plan(changed("short + 2 * polite", "polite", picky)).warnings
    assert "will abstain" in warning


def test_the_outcome_by_which_groups_are_left_out_is_no_part_of_an_evaluation(check, plan, picky):
    by = changed('"short + 2 * polite"', "polite\n  teach: {flat: drop, by: short}", picky)
    assert "will abstain: German is not supported (30 of 40 rows); set on_abstain" in check(by)[0]
    stage = "{use: rl, algorithm: dr_grpo, steps: 1, eval: {samples: 2}}"
    (warning,) = plan(changed("  normalize: [toy/halved]\n", "", changed(stage, "{use: eval}", by))).warnings
    assert "will abstain" in warning


# --- held-out rows


def test_an_evaluation_needs_held_out_rows(check):
    assert check(changed(", holdout: 0.25", "")) == [
        "15: stages.1.eval: no row of toy/counting is held out; set dataset.holdout (such as 0.1), "
        "or give the evaluation a dataset of its own"
    ]
    text = changed("use: rl, algorithm: dr_grpo, steps: 1, eval: {samples: 2}", "use: eval")
    (line,) = check(changed(", holdout: 0.25", "", text))
    assert line.startswith("15: stages.1: no row of toy/counting is held out")


def test_training_needs_rows_that_are_not_held_out(check):
    found = check(changed("holdout: 0.25", "holdout: 1.0"))
    assert found == [
        f"{place}: every row of toy/counting is held out, none is left to train on; lower dataset.holdout"
        for place in ("14: stages.0", "15: stages.1")
    ]


def test_an_evaluation_with_a_dataset_of_its_own_reads_all_of_it(check):
    text = changed("samples: 2", "samples: 2, dataset: {use: toy/counting}")
    assert check(changed(", holdout: 0.25", "", text)) == []


def test_the_share_that_is_held_out_is_judged_only_where_all_rows_were_seen(check, plan, toy):
    many = changed(", holdout: 0.25", "", changed("rows: 40", "rows: 2500"))
    assert check(many) == []  # the first 2000 do not tell
    assert "no row of toy/counting is held out" in check(many, purpose="run")[0]


def test_a_column_split_says_which_rows_are_held_out(check, write):
    rows = [{"prompt": f"{n}?", "response": "yes", "split": "train"} for n in range(5)]
    text = changed("toy/counting, with: {rows: 40}", "data/jsonl, with: {path: PATH}")
    (line,) = check(text.replace("PATH", str(write("rows.jsonl", rows))))
    assert "no row of data/jsonl is held out" in line
    rows[2]["split"] = "test"
    assert check(text.replace("PATH", str(write("rows.jsonl", rows)))) == []


# --- what is broken takes no part in later checks


@each_case(
    "old, new, place",
    [
        ("words: 9", "wrods: 9", "9: reward.components.short.with.wrods"),
        ("{use: toy/brevity, with: {words: 9}}", "toy/brevity", "9: reward.components.short"),
        ("{use: toy/brevity, with: {words: 9}}", "{}", "9: reward.components.short.use"),
        ("with: {judge: main}", "wiht: {judge: main}", "10: reward.components.polite.wiht"),
        (
            "with: {judge: main}",
            "with: {judge: main}, on_abstain: x",
            "10: reward.components.polite.on_abstain",
        ),
        ("main: {use: toy/polite}", "main: toy/polite", "6: judges.main"),
        ("main: {use: toy/polite}", "main: {use: toy/polite, retries: -1}", "6: judges.main.retries"),
        ("holdout: 0.25", "holdout: 3", "3: dataset.holdout"),
        ("holdout: 0.25", "holdot: 0.25", "3: dataset.holdot"),
        ("use: toy/counting, ", "", "3: dataset.use"),
        ("toy/counting", "toy/couting", "3: dataset.use"),
        ('total: "short + 2 * polite"', "total: 3", "11: reward.total"),
        ('  total: "short + 2 * polite"\n', "", "7: reward.total"),
        ("[toy/halved]", "[{us: toy/halved}]", "12: reward.normalize.0.us"),
        ("sft, steps: 1", "sft, steps: 1, dataset: {use: data/arithmatic}", "14: stages.0.dataset.use"),
        ("sft, steps: 1", "sft, steps: 1, dataset: data/arithmetic", "14: stages.0.dataset"),
        ("use: sft, steps: 1", "steps: 1", "14: stages.0.use"),
        ("rl, algorithm", "rll, algorithm", "15: stages.1.use"),
        ("algorithm: dr_grpo, ", "", "15: stages.1.algorithm"),
        ("dr_grpo", "drgrpo", "15: stages.1.algorithm"),
        ("eval: {samples: 2}", "eval: {samples: 2, dataset: toy/counting}", "15: stages.1.eval.dataset"),
        ("eval: {samples: 2}", "eval_every: 1, eval: 2", "15: stages.1.eval"),
        ("steps: 1, eval", "batch_size: x, updates_per_batch: 24, eval", "15: stages.1.batch_size"),
        ("stages:", "backend: {use: trll, nodes: 8}\nstages:", "13: backend.use"),
        ("{use: tiny}", "{use: tiny, hidden_size: x, heads: 3}", "2: model.hidden_size"),
    ],
)
def test_one_mistake_does_not_make_up_others(check, old, new, place):
    found = check(changed(old, new))
    assert len(found) == 1, found
    assert found[0].startswith(f"{place}: ")


def test_stages_that_are_none_leave_their_mistake_alone(check):
    start = RECIPE.index("stages:")
    (line,) = check(RECIPE[:start] + "stages: rl")
    assert line.startswith('13: stages: expected a list, found "rl" (the stages, in order')


def test_what_stands_beside_a_mistake_is_still_checked(check):
    text = changed("wrods: 9", "wrods: 9, words: x", changed("words: 9", "wrods: 9"))
    text = changed("judge: main", "judge: mian, jugde: main", text)
    text = changed("short + 2 * polite", "shrt / (1 - 1)", text)
    text = changed("sft, steps: 1", "sft, steps: x, micro_batch_size: 3", text)
    text = changed("dr_grpo, steps: 1", "ppo, steps: y", text)
    places = [line.split(": ")[1] for line in check(text)]
    assert places == [
        "reward.components.short.with.words",
        "reward.components.short.with.wrods",
        "reward.components.polite.with.jugde",
        "reward.components.polite.with.judge",
        "reward.total",
        "reward.total",
        "reward.normalize",
        "stages.0.steps",
        "stages.0.micro_batch_size",
        "stages.1.steps",
        "stages.1.algorithm",
    ]


def test_a_part_that_cannot_be_read_does_not_hide_the_others(check):
    text = changed('  total: "short + 2 * polite"\n', "", changed("words: 9", "wrods: 9"))
    text = changed("use: sft, steps: 1", "use: sfft", text)
    text = changed("dr_grpo,", "dr_grpo, updates_per_batch: 7,", text)
    text = changed("eval: {samples: 2}", "", changed(", holdout: 0.25", "", text))
    text += "  - {use: data, dataset: {use: toy/couting}}\n  - {use: eval, max_new_tokens: -1}\n"
    text += "  - {use: rl, updates_per_batch: 7}\n"
    assert [line.split(": ")[1] for line in check(text)] == [
        "reward.total",
        "reward.components.short.with.wrods",
        "stages.0.use",
        "stages.1.updates_per_batch",
        "stages.2.to",
        "stages.2.dataset.use",
        "stages.3.max_new_tokens",
        "stages.3",
        "stages.4.algorithm",
        "stages.4.updates_per_batch",
    ]


@each_case(
    "old, new, says",
    [
        (
            "    short:",
            "    polite: {use: toy/letters}\n    short:",
            "11: reward.components.polite: duplicate key, line",
        ),
        (
            "words: 9",
            "words: 9, words: 8",
            "9: reward.components.short.with.words: duplicate key, line 9 has it too",
        ),
        ("words: 9", "words: .inf", "9: reward.components.short.with.words: .inf is not a finite number"),
        ("words: 9", "words: !!int 9", "9: reward.components.short.with.words: the tag "),
        (
            "words: 9",
            "words: '${oc.env:NO_SUCH}'",
            "9: reward.components.short.with.words: no environment variable NO_",
        ),
        ("words: 9", "<<: {words: 9}", "9: reward.components.short.with: YAML 1.2 has no merge keys"),
        (
            "holdout: 0.25",
            "holdout: '${oc.env:NO_SUCH}'",
            "3: dataset.holdout: no environment variable NO_SUCH",
        ),
        ("toy/reversed", "toy/reversed, <<: {with: {}}", "4: curriculum: YAML 1.2 has no merge keys"),
        ("seed: 0", "seed: '${oc.env:NO_SUCH}'", "2: seed: no environment variable NO_SUCH"),
        (
            'total: "short + 2 * polite"',
            "total: '${oc.env:NO_SUCH}'",
            "11: reward.total: no environment variable",
        ),
        ("version: 1\n", "--- !!map\nversion: 1\n", "1: the tag tag:yaml.org,2002:map is not allowed"),
    ],
)
def test_a_mistake_in_the_yaml_hides_no_other_and_makes_up_none(toy, write, old, new, says):
    path = write("r.yaml", changed(old, new, changed("model:", "seed: 0\nmodel:") if "seed" in old else RECIPE))
    (problem,) = make_problems(load(path, strict=False))
    assert str(problem).startswith(f"{path}:{says}")
    with pytest.raises(UserError, match=re.escape(says)):
        load(path)
    path.write_text(path.read_text().replace("dr_grpo", "ppo"))
    places = [problem.path[:2] for problem in make_problems(load(path, strict=False))]
    assert sorted({*places} - {problem.path[:2]}) == [("reward", "normalize"), ("stages", 1)]


def test_a_stage_that_cannot_be_read_needs_nothing(check):
    assert len(check("version: 1\nstages: [{use: sfft}]")) == 1


def test_a_backend_that_cannot_be_read_is_not_taken_for_another(check):
    text = changed("stages:", "backend: openrlhf\nstages:", changed("dr_grpo", "dr_grpo, kl: {coef: 1, estimator: k1}"))
    assert check(text) == ['13: backend: expected a mapping, found "openrlhf"; write {use: openrlhf}']


def _places(tree, path=()):
    yield path
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from _places(value, (*path, key))


TREE = yaml.safe_load(RECIPE)
JUNK = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "toy/brevity", "main", "rl", "1 / 0"])
JUNK = (
    JUNK
    | st.lists(JUNK, max_size=2)
    | st.dictionaries(st.sampled_from(["use", "with", "x", "total"]), JUNK, max_size=3)
)


@given(st.lists(st.tuples(st.sampled_from([*_places(TREE)][1:]), JUNK), min_size=1, max_size=3))
def test_whatever_stands_there_is_refused_or_fine(toy, write, junk):
    tree = copy.deepcopy(TREE)
    for path, value in junk:
        parent = lookup(tree, path[:-1])
        if isinstance(parent, dict | list) and lookup(tree, path) is not None:  # and not in junk of before
            parent[path[-1]] = value
    for problem in make_problems(load(write("junk.yaml", dump(tree)))):
        assert problem.what
        assert "junk.yaml:" in problem.where


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("sampler: {use: toy/reversed}", "toy/reversed orders rows and collects no groups; name it under `curriculum`"),
        (
            f"sampler: {BALANCED}\ncurriculum: {BALANCED}",
            "curriculum/balanced is a group sampler, too; there can be one",
        ),
    ],
)
def test_a_sampler_that_is_none_or_one_too_many_is_refused(check, written, told):
    assert told in "\n".join(check(changed("curriculum: {use: toy/reversed}", written)))


def make_problems(document):
    try:
        check_recipe(document)
    except UserError as error:
        return error.problems
    return []


# --- plugins that fail when asked

FAILING = """
from pydantic import model_validator
from rewardlab import Config, DatasetSpec, RewardSpec, Sample, hookimpl

class Options(Config):
    @model_validator(mode="after")
    def _look_up(self):
        raise RuntimeError("no licence")

def fail(*arguments):
    raise KeyError("language")

@hookimpl
def rewardlab_rewards():
    return [
        RewardSpec(name="options", summary="", config=Options, build=print),
        RewardSpec(name="requires", summary="", requires=fail, build=print),
        RewardSpec(name="abstains", summary="", abstains=fail, build=print),
    ]

@hookimpl
def rewardlab_datasets():
    return [DatasetSpec(name="rows", summary="", build=fail)]
"""


def test_a_validator_that_raises_is_a_line(check, offer):
    offer("bad", FAILING)
    (line,) = check(changed("toy/brevity, with: {words: 9}", "bad/options"))
    assert line == "9: reward.components.short.with: bad/options cannot check its options: RuntimeError: no licence"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "toy/brevity, with: {words: 9}",
            "bad/requires",
            "bad/requires cannot say what it requires: KeyError",
        ),
        (
            "toy/brevity, with: {words: 9}",
            "bad/abstains",
            "component 'short' (bad/abstains) on sample 'count-0': abstains: KeyError",
        ),
        ("toy/counting, with: {rows: 40}", "bad/rows", "dataset bad/rows: KeyError: 'language'"),
    ],
)
def test_a_plugin_that_raises_is_a_failure_that_names_it(plan, check, offer, old, new, says):
    offer("bad", FAILING)
    with pytest.raises(JobError, match=re.escape(says)):
        plan(changed(old, new))
    beside = check(changed("dr_grpo", "ppo", changed(old, new)))
    assert any(says in line for line in beside)
    assert any(line.startswith("12: reward.normalize: ") for line in beside)
