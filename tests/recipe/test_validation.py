"""From trees to options: what is refused, and in which words."""

from typing import Annotated, Any, Literal

import pytest
from helpers.each_case import each_case
from pydantic import Field, field_validator
from rewardlab import Config
from rewardlab.errors import nearest
from rewardlab.recipe.annotations import lookup
from rewardlab.recipe.models import Recipe
from rewardlab.recipe.other_names import OURS, our_name
from rewardlab.recipe.training_stages import DpoStage, RlStage, SftStage
from rewardlab.recipe.validation import option_help, type_text, validate


class Limits(Config):
    low: float = 0.0
    high: float = 1.0


class Options(Config):
    words: Annotated[int, Field(ge=1)] = 50
    """answers of up to this many
    words get 1"""
    share: Annotated[float, Field(le=1)] = 0.5
    strict: bool = True
    extract: Literal["boxed", "tag", "last_number"] = "boxed"
    tags: tuple[str, ...] = ("think", "answer")
    pair: Annotated[list[int], Field(min_length=2, max_length=2)] = Field(default_factory=lambda: [1, 2])
    limits: Limits = Limits()
    threshold: float | None = 0.7
    opponents: Literal["all"] | int = "all"
    into: str = Field("loss", alias="in")
    path: str = "x.txt"

    @field_validator("path")
    @classmethod
    def _text_file(cls, path):
        if not path.endswith(".txt"):
            raise ValueError(f"{path!r} is no .txt file")
        return path


def where(path):
    return ".".join(map(str, ("r.yaml:3", *path)))


def lines(tree, model=Options, prefix=()):
    instance, problems = validate(model, tree, where, prefix)
    assert (instance is None) == bool(problems)
    return [str(problem) for problem in problems]


def test_what_is_right_becomes_an_instance():
    instance, problems = validate(Options, {"words": 3, "tags": ["a"], "in": "x", "limits": {"low": 1}}, where)
    assert problems == []
    assert (instance.words, instance.tags, instance.into, instance.limits.low) == (3, ("a",), "x", 1.0)


@each_case(
    "tree, says",
    [
        ({"word": 3}, "r.yaml:3.word: no such option; did you mean 'words'?"),
        ({"limits": {"hihg": 3}}, "r.yaml:3.limits.hihg: no such option; did you mean 'high'?"),
        ({"into": "x"}, "r.yaml:3.into: no such option; did you mean 'in'?"),
        (
            {"words": "3"},
            'r.yaml:3.words: expected a whole number, found "3" (answers of up to this many words get 1)',
        ),
        (
            {"words": True},
            "r.yaml:3.words: expected a whole number, found true (answers of up to this many words",
        ),
        ({"words": 2.5}, "r.yaml:3.words: expected a whole number, found 2.5 (answers"),
        (
            {"words": 0},
            "r.yaml:3.words: expected a number greater than or equal to 1, found 0 (answers of up to",
        ),
        ({"share": "half"}, 'r.yaml:3.share: expected a number, found "half"'),
        ({"share": None}, "r.yaml:3.share: expected a number, found null"),
        ({"share": 2}, "r.yaml:3.share: expected a number less than or equal to 1, found 2"),
        ({"strict": 1}, "r.yaml:3.strict: expected true or false, found 1"),
        ({"strict": "yes"}, 'r.yaml:3.strict: expected true or false, found "yes"'),
        ({"in": 3}, "r.yaml:3.in: expected a text, found 3"),
        ({"extract": "boxd"}, "r.yaml:3.extract: 'boxd' is not allowed; did you mean 'boxed'?"),
        (
            {"extract": "zzz"},
            "r.yaml:3.extract: 'zzz' is not allowed; there are 'boxed', 'last_number', 'tag'",
        ),
        ({"tags": "think"}, 'r.yaml:3.tags: expected a list, found "think"'),
        ({"tags": ["think", 3]}, "r.yaml:3.tags.1: expected a text, found 3"),
        ({"pair": [1]}, "r.yaml:3.pair: expected at least 2 items, found [1]"),
        ({"pair": [1, 2, 3]}, "r.yaml:3.pair: expected at most 2 items, found [1, 2, 3]"),
        ({"limits": 3}, "r.yaml:3.limits: expected a mapping, found 3"),
        ({"threshold": "x"}, 'r.yaml:3.threshold: expected a number, found "x"'),
        ({"opponents": "al"}, "r.yaml:3.opponents: 'al' is not allowed; did you mean 'all'?"),
        ({"opponents": [2]}, "r.yaml:3.opponents: expected all | integer, found [2]"),
        ({"path": "x.csv"}, "r.yaml:3.path: 'x.csv' is no .txt file"),
    ],
)
def test_one_mistake_is_one_line(tree, says):
    (line,) = lines(tree)
    assert line.startswith(says)


def test_all_mistakes_are_told():
    tree = {"word": 3, "share": "x", "limits": {"low": "y", "hihg": 2}, "tags": [1, 2]}
    assert len(lines(tree)) == 6


def test_a_long_value_is_cut():
    (line,) = lines({"share": "x" * 500})
    assert len(line) < 120


def test_a_prefix_is_part_of_the_place_and_of_the_path():
    _, (problem,) = validate(Options, {"word": 1}, where, ("reward", "components", "a", "with"))
    assert problem.where == "r.yaml:3.reward.components.a.with.word"
    assert problem.path == ("reward", "components", "a", "with", "word")


# --- the recipe's own forms


def recipe(**parts):
    return lines({"version": 1, **parts}, Recipe)


def test_a_missing_key_says_what_is_expected():
    assert lines({}, Recipe) == ["r.yaml:3.version: missing; expected 1 (version of the recipe format)"]
    (line,) = recipe(reward={"components": {"a": {"use": "x/y"}}})
    assert line.startswith("r.yaml:3.reward.total: missing; expected text (names, numbers, + - * /")
    (line,) = recipe(stages=[{"use": "data", "to": "x.jsonl"}])
    keys = "{use, with, from, fields, holdout, timeout, memory, threads, device}"
    assert line.startswith(f"r.yaml:3.stages.0.dataset: missing; expected {keys} (the dataset to write")


def test_a_misspelt_key_is_not_missing_too():
    assert recipe(curriculum={"us": "x/y"}) == ["r.yaml:3.curriculum.us: no such option; did you mean 'use'?"]


def test_a_name_where_a_mapping_belongs():
    (line,) = recipe(dataset="data/jsonl")
    assert line == 'r.yaml:3.dataset: expected a mapping, found "data/jsonl"; write {use: data/jsonl}'


RL = {"use": "rl", "algorithm": "grpo"}


@each_case(
    "stage, says",
    [
        ({"use": "rll"}, "stages.0.use: \"rll\" is not allowed; did you mean 'rl'?"),
        ({"use": 5}, "stages.0.use: 5 is not allowed; there are 'data', 'dpo', 'eval', 'rl', 'sft'"),
        ({"steps": 5}, "stages.0.use: missing; expected data | sft | rl | dpo | eval"),
        ("rl", 'stages.0: expected a mapping, found "rl"; write {use: rl}'),
        (
            {"use": "rl", "algorithm": "grop"},
            "stages.0.algorithm: 'grop' is not allowed; did you mean 'grpo'?",
        ),
        ({"use": "sft", "kl": {}}, "stages.0.kl: no such option; there are "),
        ({"use": "grpo", "steps": 5}, 'stages.0.use: "grpo" is not allowed; write use: rl, and algorithm: grpo'),
        ({"use": "sft", "lr": 1.0e-5}, "stages.0.lr: no such option; did you mean 'learning_rate'?"),
        ({"use": "sft", "max_seq_length": 9}, "stages.0.max_seq_length: no such option; did you mean 'max_tokens'?"),
        ({"use": "sft", "num_generations": 9}, "stages.0.num_generations: no such option; there are "),
        (RL | {"num_generations": 9}, "stages.0.num_generations: no such option; did you mean 'group_size'?"),
        (
            RL | {"max_completion_length": 9},
            "stages.0.max_completion_length: no such option; did you mean 'max_new_tok",
        ),
        (RL | {"beta": 0.1}, "stages.0.beta: no such option; did you mean 'kl.coef'?"),
        (RL | {"epsilon_high": 0.1}, "stages.0.epsilon_high: no such option; did you mean 'clip'?"),
        (RL | {"clip_ratio_c": 3}, "stages.0.clip_ratio_c: no such option; did you mean 'dual_clip'?"),
        (RL | {"delta": 3}, "stages.0.delta: no such option; did you mean 'dual_clip'?"),
        (
            {"use": "rl", "algorithm": "grpo", "kl": {"in": "los"}},
            "stages.0.kl.in: 'los' is not allowed; did you mean",
        ),
        (
            {"use": "rl", "algorithm": "grpo", "eval": {"sampels": 3}},
            "stages.0.eval.sampels: no such option; did you",
        ),
    ],
)
def test_stages(stage, says):
    (line,) = recipe(stages=[stage])
    assert line.startswith(f"r.yaml:3.{says}")


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ({"use": "x/y", "wiht": {}}, "reward.normalize.0.wiht: no such option; did you mean 'with'?"),
        ({"with": {}}, "reward.normalize.0.use: missing; expected text"),
        (3, "reward.normalize.0: expected text | {use, with}, found 3"),
    ],
)
def test_a_union_tells_of_the_member_that_comes_nearest(item, says):
    (line,) = recipe(reward={"components": {"a": {"use": "x/y"}}, "total": "a", "normalize": [item]})
    assert line.startswith(f"r.yaml:3.{says}")


def test_model_is_a_name_or_a_tiny_model():
    assert recipe(model=3)[0].startswith("r.yaml:3.model: expected a text, found 3 (a folder or hub name")
    assert recipe(model={"use": "tny"}) == ["r.yaml:3.model.use: 'tny' is not allowed; did you mean 'tiny'?"]
    assert recipe(model={"use": "tiny", "hedas": 2}) == ["r.yaml:3.model.hedas: no such option; did you mean 'heads'?"]


# --- options as text


def test_options_on_one_line():
    class Few(Config):
        judge: str
        words: int = 50
        tags: tuple[str, ...] = ("a",)
        into: Literal["loss", "reward"] = Field("loss", alias="in")

    assert option_help(Few) == "judge: text, words: integer = 50, tags: [text] = ('a',), in: loss | reward = 'loss'"


@each_case(
    "annotation, text",
    [
        (float | None, "number | null"),
        (Annotated[bool, Field()], "true | false"),
        (list[Annotated[int, Field(ge=0)]], "[integer]"),
        (dict[str, Any], "mapping"),
        (Any, "anything"),
        (Limits, "{low, high}"),
        (list, "list"),
    ],
)
def test_types_as_text(annotation, text):
    assert type_text(annotation) == text


def test_lookup():
    tree = {"stages": [{"use": "rl"}], "name": "x"}
    assert lookup(tree, ("stages", 0, "use")) == "rl"
    assert lookup(tree, ("stages", 1, "use")) is None
    assert lookup(tree, ("name", "use")) is None


@each_case(
    "stage, says",
    [
        ({"min_learning_rate": 1e-6}, "min_learning_rate is the final rate of a cosine"),
        ({"min_learning_rate": 1e-6, "schedule": "linear"}, "min_learning_rate is the final rate of a cosine"),
        ({"warmup_steps": 3, "warmup_ratio": 0.1}, "warmup_steps and warmup_ratio exclude each other"),
        ({"min_learning_rate": 1e-4, "schedule": "cosine"}, "min_learning_rate is above learning_rate, 1e-05"),
        ({"top_p": 0}, "top_p: expected a number greater than 0"),
        ({"top_k": 0}, "top_k: expected a number greater than 0"),
        ({"stop": [""]}, "stop.0: "),
        ({"epochs_per_batch": 0}, "epochs_per_batch: expected a number greater than 0"),
        ({"min_p": 1.5}, "min_p: expected a number less than or equal to 1"),
        ({"repetition_penalty": 0}, "repetition_penalty: expected a number greater than 0"),
        ({"kl": {"sync_every": 4}}, "sync_every moves the reference, which there is only with a coef"),
        ({"kl": {"coef": 0.1, "mixup_alpha": 0.5}}, "mixup_alpha goes with sync_every"),
        ({"loss": "cispo", "importance_sampling_level": "sequence"}, "loss cispo weighs single tokens"),
        ({"loss": "cispo", "dual_clip": 9}, "dual_clip does not go with loss cispo"),
        ({"dual_clip": 1}, "dual_clip: expected a number greater than 1"),
        ({"dual_clip": 1.2}, "dual_clip, 1.2, is a ratio beyond the clip's upper end, 1.2"),
        ({"dual_clip": 2, "clip": [0.2, 4]}, "dual_clip, 2, is a ratio beyond the clip's upper end, 5"),
        (
            {"chat": {"arguments": {"enable_thinking": True}}},
            "enable_thinking cannot be given here: write chat.thinking",
        ),
        ({"chat": {"arguments": {"tokenize": True}}}, "tokenize cannot be given here: prompts are rendered as texts"),
        ({"chat": {"arguments": {"tools": []}}}, "tools cannot be given here: that is what a prompt is made of"),
    ],
)
def test_what_a_stage_cannot_mean(stage, says):
    [line] = lines({"use": "rl", "algorithm": "grpo", **stage}, RlStage)
    assert says in line


class TestNames:
    """What people write by habit, from other trainers."""

    def test_each_is_answered_with_one_of_ours(self):
        models = {"rl": RlStage, "sft": SftStage, "dpo": DpoStage}
        known = {name: {info.alias or key for key, info in m.model_fields.items()} for name, m in models.items()}
        for ours, others in OURS.items():
            assert any(ours.partition(".")[0] in keys for keys in known.values())
            for other in others.split():
                assert other not in known["rl"] or other in ("beta", "max_tokens")
                assert our_name(other, known["rl"] | known["sft"])
        assert our_name("no_such_name", known["rl"]) is None

    def test_the_nearest_come_first_where_not_all_are_listed(self):
        hint = nearest("tokens_of_prompt", [f"other_{number}" for number in range(20)] + ["zz_prompt_limit"])
        assert hint.startswith("; there are 'zz_prompt_limit', ")
        assert hint.endswith(", ...")

    def test_an_option_beside_use_belongs_under_with(self):
        component = {"use": "pairwise/win_rate", "judge": "main"}
        (line,) = recipe(reward={"components": {"won": component}, "total": "won"})
        assert line.startswith("r.yaml:3.reward.components.won.judge: no such option; there are ")
        assert line.endswith("; an option of the component itself stands under 'with'")


def test_true_is_no_version():
    assert recipe(version=True) == ["r.yaml:3.version: expected 1, found true"]


@pytest.mark.parametrize("name", ["..", ".", "a\0b", "a\x1b[2J", "a\u202eb", "n" * 300, "字" * 90, "/etc", "a/b", " a"])
def test_a_name_that_is_no_folder_of_its_own_is_refused(name):
    (line,) = recipe(name=name)
    assert line.startswith("r.yaml:3.name: ")


@pytest.mark.parametrize("name", ["a", ".hidden", "a..b", "字" * 60, "Ein Lauf, der zweite", "n" * 200])
def test_other_names_are_taken(name):
    assert not recipe(name=name)
