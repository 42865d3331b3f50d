"""An option at the wrong place of a recipe: the message names the place where it belongs."""

import pytest
from helpers.each_case import each_case
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load

RECIPE = """
version: 1
model: {use: tiny}
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
judges:
  main: {use: openai/chat, with: {model: m, base_url: "http://127.0.0.1:9/v1"}}
reward:
  components:
    right: {use: math/accuracy}
    short: {use: toy/brevity, with: {words: 9}}
  total: right + short
stages:
  - {use: rl, algorithm: grpo, steps: 1}
backend: {use: toy}
"""
TWO_STAGES = "stages=[{use: sft, steps: 1}, {use: rl, algorithm: grpo, steps: 1}]"


@pytest.fixture
def told(toy, write):
    """What is said of overrides: `told("steps=5")`, the text behind the option's place."""
    path = write("r.yaml", RECIPE)

    def problem(*overrides, text=None):
        with pytest.raises(UserError) as error:
            make_plan(load(path if text is None else write("r.yaml", text), overrides), purpose="run")
        (only,) = error.value.problems
        return only.what

    return problem


def meant(*places):
    return f"no such option; did you mean {' or '.join(map(repr, places))}?"


@each_case(
    "override, places",
    [
        # of a stage
        ("steps=5", ["stages.0.steps"]),
        ("lr=1e-5", ["stages.0.learning_rate"]),
        ("learning_rat=1", ["stages.0.learning_rate"]),
        ("algorithm=ppo", ["stages.0.algorithm"]),
        ("num_generations=8", ["stages.0.group_size"]),
        ("max_completion_length=8", ["stages.0.max_new_tokens"]),
        ("beta=0.1", ["stages.0.kl.coef"]),
        ("coef=0.1", ["stages.0.kl.coef"]),
        ("epoch=2", ["stages.0.epochs"]),
        ("samples=2", ["stages.0.eval.samples"]),
        ("rl.steps=5", ["stages.0"]),
        ("backend.group_size=4", ["stages.0.group_size"]),
        ("reward.batch_size=4", ["stages.0.batch_size"]),
        ("stages.0.samples=2", ["stages.0.eval.samples"]),
        ("stages.0.coef=2", ["stages.0.kl.coef"]),
        ("stages.0.eval.group_size=2", ["stages.0.group_size"]),
        ("temperature=1", ["stages.0.temperature", "judges.main.with.temperature"]),
        # of the whole recipe
        ("stages.0.seed=3", ["seed"]),
        ("stages.0.name=x", ["name"]),
        ("reward.judges={}", ["judges"]),
        # of the reward
        ("total=right", ["reward.total"]),
        ("components={}", ["reward.components"]),
        ("right.on_missing=0", ["reward.components.right"]),
        ("reward.right.on_missing=0", ["reward.components.right"]),
        ("max_missing=0.1", ["reward.components.right.max_missing", "reward.components.short.max_missing"]),
        ("reward.components.right.field=x", ["reward.components.right.with.field"]),
        # of a judge
        ("main.retries=1", ["judges.main"]),
        ("retries=1", ["judges.main.retries"]),
        ("base_url=x", ["judges.main.with.base_url"]),
        ("judges.main.base_url=x", ["judges.main.with.base_url"]),
        # of the dataset and the engine
        ("holdout=0.1", ["dataset.holdout"]),
        ("path=x", ["dataset.with.path"]),
        ("dataset.path=x", ["dataset.with.path"]),
        ("fields={answer: x}", ["dataset.fields"]),
        ("step_size=1", ["backend.step_size"]),
        ("stages.0.step_size=1", ["backend.step_size"]),
        # beside it is the right one, by another name or misspelt
        ("stages.0.lr=1", ["learning_rate"]),
        ("stages.0.lerning_rate=1", ["learning_rate"]),
        ("stage=1", ["stages"]),
        ("judges.main.retires=1", ["retries"]),
    ],
)
def test_the_place_is_named(told, override, places):
    assert told(override) == meant(*places)


@each_case(
    "override, place",
    [
        ("judges.main.with.timeout=60", "judges.main.timeout"),
        ("judges.main.with.retries=1", "judges.main.retries"),
        ("reward.components.short.with.on_missing=0", "reward.components.short.on_missing"),
        ("dataset.with.fields={}", "dataset.fields"),
    ],
)
def test_an_option_of_the_host_among_a_components_own(told, override, place):
    """The options that the component takes are listed as before."""
    assert told(override).startswith(f"{meant(place)} [")


@each_case(
    "override, place",
    [
        ("judges.timeout=60", "judges.main.timeout"),
        ("reward.components.workers=2", "reward.components.right.workers' or 'reward.components.short.workers"),
    ],
)
def test_an_option_in_the_place_of_a_name(told, override, place):
    assert told(override) == f"expected a mapping, found {override.partition('=')[2]}; did you mean {place!r}?".replace(
        '"', "'"
    )


def test_of_several_stages_all_are_named_that_have_it(told):
    assert told(TWO_STAGES, "steps=5") == meant("stages.0.steps", "stages.1.steps")
    assert told(TWO_STAGES, "group_size=5") == meant("stages.1.group_size")
    assert told(TWO_STAGES, "stages.0.group_size=5") == meant("stages.1.group_size")
    many = f"stages=[{', '.join(['{use: sft, steps: 1}'] * 4)}]"
    assert told(many, "steps=5").endswith("'stages.2.steps', ...?")


def test_an_option_that_there_is_nowhere_gets_the_names_that_there_are(told):
    assert told("reward.anything=1").startswith("no such option; there are 'components', ")
    assert told("stages.0.anything=1").startswith("no such option; there are ")


def test_an_option_of_a_component_that_is_not_installed_is_not_sought_elsewhere(toy, write):
    path = write("r.yaml", RECIPE.replace("openai/chat", "nowhere/chat"))
    with pytest.raises(UserError) as error:
        make_plan(load(path, ["judges.main.model=x"]), purpose="run")
    (found,) = [problem.what for problem in error.value.problems if problem.path[-1] == "model"]
    assert found.endswith("an option of the component itself stands under 'with'")


def test_the_weight_of_a_component_stands_in_the_total(told):
    for name in ("weight", "coef", "weights", "scale"):
        assert told(f"reward.components.short.{name}=2").endswith(
            "the weight of a component stands in `total`: 2 * NAME"
        )


@each_case(
    "override, says",
    [
        ("stages.0.algorithm=dapo", "write preset: dapo in its place, which is algorithm: grpo, clip: [0.2, 0.28], "),
        ("stages.0.algorithm=GSPO", "write preset: gspo in its place, which is algorithm: grpo, loss: seq_mean, "),
        ("stages.0.algorithm=cispo", "write preset: cispo in its place, which is "),
        ("stages.0.algorithm=gae", "did you mean 'ppo'?"),
        ("stages.0.algorithm=group_norm", "did you mean 'grpo'?"),
        ("stages.0.algorithm=drgrpo", "did you mean 'dr_grpo'?"),
        ("stages.0.loss=dapo", "did you mean 'token_mean'?"),
        ("stages.0.loss=dr_grpo", "did you mean 'constant'?"),
        ("stages.0.loss=seq-mean-token-mean", "did you mean 'seq_mean'?"),
        ("stages.0.use=dapo", "write use: rl; write preset: dapo in its place, which is "),
        ("stages.0.use=ppo_trainer", "write use: rl, and algorithm: ppo"),
    ],
)
def test_other_algorithms_are_said_in_the_words_of_a_recipe(told, override, says):
    value = override.partition("=")[2]
    what = told(override)
    assert what.startswith((f"'{value}' is not allowed; ", f'"{value}" is not allowed; '))
    assert says in what


def test_what_dapo_is_called_is_a_recipe(toy, write):
    """The message's own settings are valid, format/overlong among the rewards."""
    settings = ("clip=[0.2, 0.28]", "loss=token_mean")
    overlong = "reward.components.long={use: format/overlong, with: {max_tokens: 9, buffer: 3}}"
    teach = "reward.teach={flat: replace, by: long}"
    overrides = [*(f"stages.0.{one}" for one in settings), overlong, teach]
    make_plan(load(write("r.yaml", RECIPE), overrides), purpose="run")


@each_case(
    "override, says",
    [
        ("stages.0.zero_variance_groups=drop", "write reward.teach: {flat: drop} in its place"),
        ("stages.0.on_flat=drop", "write reward.teach: {flat: drop} in its place"),
        ("stages.0.dynamic_filtering=[0, 0.9]", "write reward.teach: {flat: replace} in its place, and"),
        ("stages.0.filter_groups={by: long}", "write reward.teach: {flat: replace} in its place"),
    ],
)
def test_where_earlier_recipes_say_which_groups_teach(told, override, says):
    assert told(override).startswith(f"no such option; {says}")


def test_what_verl_said_of_flat_groups_has_three_places(told):
    said = told("stages.0.filter_groups={by: long, max_batches: 10}")
    assert all(place in said for place in ("`by`", "`between`", "backend.engine.refill"))
