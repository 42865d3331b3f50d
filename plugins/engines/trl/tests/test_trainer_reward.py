"""A recipe's reward in people's own trainers: groups, columns, failures, and a real GRPOTrainer."""

import json
import math
import re
import statistics
import subprocess
import sys
import threading
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from helpers.advice import as_advised
from helpers.each_case import each_case
from helpers.equal_rewards import RECIPE as EQUAL
from helpers.equal_rewards import fails
from rewardlab import Context, load_reward
from rewardlab.errors import JobError, UserError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_training import read_dataset
from rewardlab_trl import reward_function

RECIPE = {
    "version": 1,
    "reward": {
        "components": {"brief": {"use": "toy/brevity", "with": {"words": 2}}, "longest": {"use": "toy/longest"}},
        "total": "brief + longest",
    },
}
FAULTY = RECIPE | {
    "reward": {
        "components": {
            "brief": {"use": "toy/brevity", "with": {"words": 2}},
            "faulty": {"use": "toy/faulty", "with": {"how": "fail"}, "on_missing": "zero_advantage", "max_missing": 1},
        },
        "total": "brief + faulty",
    }
}
TEXTS = ["a", "a b c d", "b", "b c d e f g h i"]


@pytest.fixture
def reward(toy):
    with reward_function(RECIPE) as reward:
        yield reward


def call_of(reward, said):
    """What the function returns for conversations of one prompt."""
    return reward(prompts=["one?"] * len(said), completions=said, completion_ids=[[1]] * len(said))


def ids(texts):
    return [list(range(len(text.split()))) for text in texts]


def call(reward, texts=TEXTS, prompts=("one?", "one?", "two?", "two?"), **columns):
    return reward(prompts=list(prompts), completions=texts, completion_ids=ids(texts), **columns)


def test_returns_a_reward_for_each_completion_by_group(reward):
    assert call(reward) == [1.0, 1.5, 1.0, 1.25]


@pytest.mark.parametrize("beside", [None, {lambda completions, **_: [0, 1] * 2: 1.0}])
def test_a_group_that_does_not_teach_has_one_reward_for_all(toy, beside):
    """Of the first prompt both are brief enough: what differs in the total, or beside it, is no outcome."""
    recipe = RECIPE | {"reward": RECIPE["reward"] | {"teach": {"flat": "drop", "by": "brief"}}}
    with reward_function(recipe, beside=beside) as reward:
        first, second, *taught = call(reward, ["a", "a b", "b", "b c d"])
    assert first == second == (1.5 if beside is None else 2.0), "what others give stays in the mean"
    assert taught[0] != taught[1]
    with pytest.raises(UserError, match="TRL generates no other prompts; write drop"):
        reward_function(recipe, "reward.teach.flat=replace")


@pytest.mark.parametrize(("training", "differ"), [(True, False), (False, True)])
def test_in_an_evaluation_a_group_that_does_not_teach_has_its_own_rewards(toy, training, differ):
    class Trainer:
        model = SimpleNamespace(training=training)

        def log(self, name, value):
            pass

    recipe = RECIPE | {"reward": RECIPE["reward"] | {"teach": {"flat": "drop", "by": "brief"}}}
    with reward_function(recipe) as reward:
        first, second, *_ = call(reward, ["a", "a b", "b", "b c d"], log_metric=Trainer().log)
    assert (first != second) == differ


def test_reads_conversations(reward):
    prompts = [[{"role": "user", "content": text}] for text in ("one?", "one?", "two?", "two?")]
    said = [[{"role": "assistant", "content": text}] for text in TEXTS]
    assert reward(prompts=prompts, completions=said, completion_ids=ids(TEXTS)) == [1.0, 1.5, 1.0, 1.25]


def test_reads_the_last_answer_of_a_completion_that_calls_tools(toy):
    call = {"type": "function", "function": {"name": "look", "arguments": {"at": "x"}}}
    begin = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": "look", "content": "b"},
    ]
    said = [[*begin, {"role": "assistant", "content": "a b c d"}], [{"role": "assistant", "content": "a"}]]
    with reward_function(RECIPE, "reward.components.all={use: toy/brevity, reads: all}", opened="<think> ") as reward:
        assert call_of(reward, said) == [1.4, 1.0]
        [group] = reward.reward.score([{"prompt": "?", "completions": [reward._completions(said, [[1], [1]])[0]]}])
    assert group.completions[0].text == "<think> a b c d"
    assert group.completions[0].messages[0] == begin[0] | {
        "tool_calls": [call | {"function": {"name": "look", "arguments": '{"at": "x"}'}}]
    }


def test_refuses_what_is_no_conversation(reward):
    with pytest.raises(UserError, match=r"completions\[0\].messages has no assistant message"):
        call_of(reward, [[{"role": "tool", "content": "b"}]])


@pytest.mark.slow
def test_hands_columns_to_the_rewards_and_logs_by_name(toy):
    logged = {}
    recipe = {
        "version": 1,
        "reward": {"components": {"accuracy": {"use": "math/accuracy", "workers": 1}}, "total": "accuracy"},
    }
    with reward_function(recipe, name="mine") as reward:
        assert reward.__name__ == "mine"
        found = call(
            reward,
            ["\\boxed{2}", "three", "\\boxed{3}", "\\boxed{5}"],
            answer=["2", "2", "3", "3"],
            trainer_state=object(),
            log_metric=logged.__setitem__,
        )
    assert found == [1.0, 0.0, 1.0, 0.0]
    assert logged["mine/reward/accuracy"] == logged["mine/reward/total"] == 0.5


def test_says_which_column_is_missing(toy):
    recipe = {"version": 1, "reward": {"components": {"accuracy": {"use": "math/accuracy"}}, "total": "accuracy"}}
    with reward_function(recipe) as reward, pytest.raises(UserError, match="field 'answer' is needed by"):
        call(reward)


@pytest.mark.slow  # five times a process that reads answers
def test_a_column_is_called_as_the_message_says_or_as_the_script_does(toy):
    accuracy = {"accuracy": {"use": "math/accuracy", "workers": 1}}
    recipe = {"version": 1, "reward": {"components": accuracy, "total": "accuracy"}}
    said = {"prompts": ["1+1?"] * 2, "completions": ["\\boxed{2}", "3"], "completion_ids": [[1]] * 2}
    with reward_function(recipe) as reward, pytest.raises(UserError, match="field 'answer' is needed by") as missing:
        reward(**said, solution=["2", "2"])
    named = as_advised(recipe, missing, "solution")
    for given, fields, column in (
        (named, {}, "solution"),
        (recipe, {"answer": "solution"}, "solution"),
        (named, {"answer": "gold: it is"}, "gold: it is"),
        (recipe | {"dataset": {"fields": {"id": "uid"}}}, {"answer": "null"}, "null"),
        (recipe | {"dataset": {"use": "toy/counting"}}, {"answer": "solution"}, "solution"),
    ):
        with reward_function(given, fields=fields) as reward:
            assert reward(**said, **{column: ["2", "2"]}) == [1.0, 0.0]
    with reward_function(recipe, fields={"answer": "no"}) as reward, pytest.raises(UserError, match="no column 'no'"):
        reward(**said, solution=["2", "2"])
    with pytest.raises(UserError, match=r"dataset.fields.answer: expected a text, found 3"):
        reward_function(recipe, fields={"answer": 3})


def picture(shade=0):
    """A picture as each reading of a dataset's row makes it anew."""
    Image = pytest.importorskip("PIL.Image")
    return Image.new("RGB", (8, 8), shade)


@each_case(
    "column",
    [
        lambda: [[picture()] for _ in TEXTS],
        lambda: [picture() for _ in TEXTS],
        lambda: [b"\x00\xff"] * 4,
        lambda: [datetime(2026, 1, 1)] * 4,
        lambda: [numpy.zeros((60, 60)) for _ in TEXTS],
        lambda: [Decimal("0.5")] * 4,
        lambda: [{1, 2}, {2, 1}, {1, 2}, {2, 1}],
        lambda: [{1: "a", ("x", 2): "b"}] * 4,
        lambda: [threading.Lock() for _ in TEXTS],
        lambda: [{"bytes": b"x", "path": None}] * 4,
        lambda: [math.nan] * 4,
        lambda: [math.inf] * 4,
        lambda: [None] * 4,
        lambda: numpy.arange(4) // 2,
        lambda: ("x",) * 4,
    ],
)
def test_a_column_that_no_reward_reads_may_hold_anything(reward, column):
    assert call(reward, odd=column()) == [1.0, 1.5, 1.0, 1.25]


@pytest.mark.slow
def test_a_reward_in_a_process_is_not_disturbed_by_such_columns(toy):
    accuracy = {"accuracy": {"use": "math/accuracy", "workers": 1}}
    odd = {"image": [picture()] * 2, "when": [datetime(2026, 1, 1)] * 2}
    with reward_function({"version": 1, "reward": {"components": accuracy, "total": "accuracy"}}) as reward:
        said = {"prompts": ["1+1?"] * 2, "completions": ["\\boxed{2}", "3"], "completion_ids": [[1]] * 2}
        assert reward(**said, answer=["2", "2"], **odd) == [1.0, 0.0]
        with pytest.raises(UserError, match=r"answer.* Image is neither text nor a number"):
            reward(**said, answer=odd["image"])


PARTS = {
    "as TRL makes it": lambda: [{"type": "image", "image": picture()}, {"type": "text", "text": "one?"}],
    "without the picture": lambda: [{"type": "image"}, {"type": "text", "text": "one?"}],
    "of a server": lambda: [{"type": "text", "text": "one?"}, {"type": "image_url", "image_url": {"url": "x"}}],
    "filled by datasets": lambda: [{"type": "image", "text": None}, {"type": "text", "text": "one?", "image": None}],
    "a video": lambda: [{"type": "video", "video": [picture()]}, {"type": "text", "text": "one?"}],
    "a picture alone": lambda: [{"type": "image", "image": picture()}],
}


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_pictures_in_prompts_are_passed_over(reward, parts):
    prompts = [[{"role": "system", "content": "See."}, {"role": "user", "content": parts()}] for _ in TEXTS]
    said = [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in TEXTS]
    # of one picture four times it is a group of four, of which one is the longest
    assert reward(prompts=prompts, completions=said, completion_ids=ids(TEXTS)) == [1.0, 0.5, 1.0, 1.25]


@each_case(
    "changes, told",
    [
        ({"answer": ["2"] * 3}, "the column answer has 3 values for 4 completions"),
        ({"answer": ["2"] * 8}, "the column answer has 8 values for 4 completions"),
        ({"level": numpy.arange(3)}, "the column level has 3 values for 4 completions"),
        ({"answer": []}, "the column answer has 0 values for 4 completions"),
        ({"answer": "2222"}, "the column answer must be a list with a value for each of 4 completions, not a text"),
        ({"answer": 2}, "the column answer must be a list with a value for each of 4 completions, not the number 2"),
        ({"answer": None}, "the column answer must be a list with a value for each of 4 completions, not null"),
        (
            {"answer": {"a": 1}},
            "the column answer must be a list with a value for each of 4 completions, not an",
        ),
        ({"prompts": ["one?"]}, "prompts has 1 value for 4 completions"),
        ({"prompts": "one?"}, "prompts must be a list with a value for each of 4 completions, not a text"),
        ({"completion_ids": [[1]] * 5}, "completion_ids has 5 values for 4 completions"),
        ({"completion_ids": 3}, "completion_ids must be a list with a value for each of 4 completions"),
        ({"completion_ids": [[1], None, [1], [1]]}, "completion_ids[1] must be a list of the ids of tokens, not null"),
        ({"completion_ids": [1, 2, 3, 4]}, "completion_ids[0] must be a list of the ids of tokens, not the number 1"),
        ({"completions": [None] * 4}, "completions[0].text must be a text; it is null"),
        ({"completions": [{"role": "assistant", "content": "a"}] * 4}, "completions[0].text must be a text; it is an"),
        ({"completions": [["a"]] * 4}, "completions[0].text must be a text; it is a list"),
        ({"completions": [[]] * 4}, "completions[0].messages has no assistant message"),
    ],
)
def test_what_has_not_a_value_for_each_completion_is_named(reward, changes, told):
    given = {"prompts": ["one?"] * 4, "completions": TEXTS, "completion_ids": ids(TEXTS)}
    with pytest.raises(UserError, match=re.escape(told)):
        reward(**given | changes)


def test_token_ids_are_needed_only_for_what_is_told_by_them(reward, toy):
    prompts = ["one?", "one?", "two?", "two?"]
    assert reward(prompts, TEXTS) == [1.0, 1.5, 1.0, 1.25]
    assert reward([], []) == []
    with reward_function(RECIPE, ends=[9]) as told, pytest.raises(UserError, match="completion_ids say which"):
        told(prompts, TEXTS)


@each_case(
    "ids_of_rows",
    [
        [None] * 4,
        [1.5] * 4,
        [math.nan] * 4,
        [[1]] * 4,
        [""] * 4,
        [True] * 4,
        ["a", "a", "b", "b"],
        [3, 3, 4, 4],
        numpy.array([3, 3, 4, 4]),
        [numpy.int64(3), numpy.int64(3), numpy.int64(4), numpy.int64(4)],
    ],
)
def test_a_column_id_that_is_no_id_is_a_column_like_others(reward, ids_of_rows):
    assert call(reward, id=ids_of_rows) == [1.0, 1.5, 1.0, 1.25]


def test_one_end_is_enough_and_a_group_has_a_size(toy):
    with reward_function(RECIPE, ends=7) as reward:
        said = reward._completions(["a", "b", ""], [numpy.array([1, 7]), [1, 2], []])
    assert [one["truncated"] for one in said] == [False, True, True]
    for wrong, told in (
        ({"group_size": 0}, "group_size is the trainer's num_generations, and not 0"),
        ({"group_size": "4"}, "group_size is the trainer's num_generations, and not '4'"),
        ({"beside": [len]}, "beside is a mapping of reward functions to their weights, not a list"),
    ):
        with pytest.raises(UserError, match=re.escape(told)):
            reward_function(RECIPE, **wrong)
    with reward_function(RECIPE, ends=None) as reward:
        assert call(reward) == [1.0, 1.5, 1.0, 1.25]


def test_an_answer_that_is_null_is_an_empty_text(reward):
    for empty in (None, "", []):
        said = [[{"role": "assistant", "content": text}] for text in ("a", empty)]
        assert call_of(reward, said) == call_of(reward, ["a", ""])


def test_a_completion_without_a_token_is_no_answer(reward):
    """Not even its end was sampled, so that no model was called: the others have what they have without it."""
    asked = {"prompts": ["one?"] * 3, "completions": ["a", "", "a b c d"]}
    assert reward(**asked, completion_ids=[[1], [], [1]]) == [1.0, pytest.approx(1.25), 1.5]
    assert reward(**asked, completion_ids=[[1], [2], [1]])[1] == 1.0


class TestGroups:
    """Told by equal rows that follow each other, or by their size."""

    def test_of_one_row_twice_in_a_batch_need_their_size(self, toy):
        prompts = ["one?"] * 4
        with reward_function(RECIPE, group_size=2) as reward:
            assert call(reward, prompts=prompts, id=["x"] * 4) == [1.0, 1.5, 1.0, 1.25]
        with reward_function(RECIPE) as reward:
            assert call(reward, prompts=prompts, id=["x"] * 4) == [1.0, 0.5, 1.0, 1.25]  # one group of four

    def test_of_different_sizes_are_told(self, reward):
        with pytest.raises(UserError, match="in runs of 1, 3, so the groups are not known; give group_size"):
            call(reward, prompts=["one?", "one?", "one?", "two?"])

    def test_differ_by_any_column(self, reward):
        assert call(reward, prompts=["one?"] * 4, answer=["2", "2", "3", "3"]) == [1.0, 1.5, 1.0, 1.25]

    @pytest.mark.parametrize("size", [3, 4, 8])
    def test_of_another_size_than_was_given_are_told_by_their_rows(self, toy, size):
        """As in an evaluation with another number of completions."""
        with reward_function(RECIPE, group_size=size) as reward:
            assert call(reward) == [1.0, 1.5, 1.0, 1.25]

    def test_are_told_by_rows_with_nan_and_arrays(self, reward):
        import numpy as np

        odd = {"x": [float("nan") for _ in range(4)], "y": [np.array([1, 2]) for _ in range(4)]}
        assert call(reward, **odd) == [1.0, 1.5, 1.0, 1.25]

    def test_are_told_by_pictures(self, reward):
        """A group's pictures are read anew for each member, and another picture is another group."""
        shades = [picture(shade) for shade in (1, 1, 2, 2)]
        assert call(reward, prompts=["one?"] * 4, image=shades) == [1.0, 1.5, 1.0, 1.25]
        large = [numpy.full(3000, 0.5) for _ in TEXTS]
        large[2][1500] = large[3][1500] = 0.25  # where a printed array shows dots
        assert call(reward, prompts=["one?"] * 4, x=large) == [1.0, 1.5, 1.0, 1.25]

    def test_of_a_row_twice_under_another_name_of_the_id(self, toy):
        mapped = RECIPE | {"dataset": {"use": "toy/counting", "fields": {"id": "uid"}}}
        with reward_function(mapped, group_size=2) as reward:
            assert call(reward, prompts=["one?"] * 4, uid=["x"] * 4) == [1.0, 1.5, 1.0, 1.25]


class TestFailures:
    def test_are_never_a_zero(self, toy):
        with reward_function(FAULTY) as reward:
            found = call(reward, ["a", "a b c d", "BAD", "b"], prompts=["one?"] * 4)
        assert found == [1.5, 1.0, pytest.approx(4 / 3), 1.5]

    def test_are_not_too_many_in_any_step(self, toy):
        few = reward_function(FAULTY, "reward.components.faulty.max_missing=0.5")
        with few as reward, pytest.raises(JobError, match="3 of the last 4 completions"):
            call(reward, ["BAD a", "BAD b", "BAD c", "b"], prompts=["one?"] * 4)

    def test_end_the_training_where_the_recipe_says_so(self, toy):
        with (
            reward_function(FAULTY, "reward.components.faulty.on_missing=fail") as reward,
            pytest.raises(JobError, match="the toy failed"),
        ):
            call(reward, ["a", "b", "BAD", "b"])


def test_token_ends_and_what_the_template_opened(toy):
    with reward_function(RECIPE, ends=[7], opened="<think>\n") as reward:
        made = reward._completions(["a", "b"], [[1, 7], [1, 2]])
    assert made == [
        {"text": "<think>\na", "token_count": 2, "truncated": False},
        {"text": "<think>\nb", "token_count": 2, "truncated": True},
    ]


class TrainerOf:
    """What a reward function sees of a trainer: how many functions there are, and where to log."""

    def __init__(self, *functions):
        self.reward_funcs, self.extra = functions, {}

    def log_metric(self, name, value):
        pass

    def log_extra(self, column, values):
        self.extra[column] = values

    def call(self, reward, texts):
        columns = {"log_metric": self.log_metric, "log_extra": self.log_extra}
        return call(reward, texts, prompts=["one?"] * len(texts), **columns)


class TestWithoutAValue:
    def test_a_lone_function_says_none_and_the_table_of_completions_has_each_component(self, toy):
        with reward_function(FAULTY) as reward:
            trainer = TrainerOf(reward)
            assert trainer.call(reward, ["a", "a b c d", "BAD", "b"]) == [1.5, 1.0, None, 1.5]
        assert trainer.extra == {
            "reward/brief": [1.0, 0.5, 1.0, 1.0],
            "reward/faulty": [0.5, 0.5, None, 0.5],
        }

    def test_beside_functions_of_the_trainer_it_is_the_mean_of_the_others(self, toy):
        with reward_function(FAULTY) as reward:
            found = TrainerOf(reward, len).call(reward, ["a", "a b c d", "BAD", "b"])
        assert found == [1.5, 1.0, pytest.approx(4 / 3), 1.5]

    def test_functions_that_count_in_it_are_left_out_with_it(self, toy):
        def long(completions, **_):
            return [None if text == "b" else float(len(text)) for text in completions]

        with reward_function(FAULTY, beside={long: 0.5}) as reward:
            found = TrainerOf(reward).call(reward, ["a", "a b c d", "BAD", "b"])
        assert found == [2.0, 4.5, None, None]

    def test_nan_of_one_of_them_is_no_value_either(self, toy):
        recipe = RECIPE | {"reward": RECIPE["reward"] | {"teach": {"flat": "drop", "by": "brief"}}}
        with reward_function(recipe, beside={lambda **_: [math.nan, 1.0, 1.0, 1.0]: 1.0}) as reward:
            lacking, *others = call(reward, ["a", "a b", "b", "b c d"])
        assert lacking is None
        assert None not in others

    def test_one_that_gives_too_few_is_named(self, toy):
        few = pytest.raises(JobError, match=r"<lambda> gave 1 rewards for 4 completions")
        with reward_function(FAULTY, beside={lambda **_: [1.0]: 1.0}) as reward, few:
            call(reward)


@pytest.mark.parametrize(("ranks", "size"), [(1, 4), pytest.param(2, 2, marks=pytest.mark.nightly)])
@pytest.mark.slow
def test_a_script_trains_on_the_rewards_that_score_gives(judge_server, model_folder, tmp_path, ranks, size):
    """A real trainer, whose groups of 4 lie on two processes: what a judge cannot judge does not vote in its group."""
    import pandas

    with judge_server.Serving(judge_server.JudgeServer(fault=fails)) as server:
        recipe, rows = write_equal_recipe(tmp_path, server.url)
        script = Path(__file__).with_name("train_with_reward.py")
        command = [sys.executable, "-m", "torch.distributed.run", f"--nproc_per_node={ranks}", "--standalone", script]
        arguments = [model_folder("llama"), recipe, tmp_path / "rows.jsonl", tmp_path / "out", size]
        done = subprocess.run([*map(str, [*command, *arguments])], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        parts = [json.loads((tmp_path / f"out-{rank}.json").read_text()) for rank in range(ranks)]
        groups = list(_groups_of(parts))
        with load_reward(recipe) as reward:
            scored = reward.score([_as_row(rows, number, group) for number, group in enumerate(groups)])
    totals = [total for one in scored for total in one.totals]
    assert None in totals
    assert len(set(totals)) > 3
    for group, one in zip(groups, scored, strict=True):
        there = [total for total in one.totals if total is not None]
        mean, deviation = statistics.mean(there or [0.0]), statistics.stdev(there) if len(there) > 1 else math.inf
        wanted = [0.0 if total is None else (total - mean) / (deviation + 1e-4) for total in one.totals]
        assert [member["advantage"] for member in group] == pytest.approx(wanted, abs=1e-4)
    assert [part["logs"] for part in parts] == [parts[0]["logs"]] * ranks  # of all, in each process
    tables = [pandas.read_parquet(path) for path in sorted((tmp_path / "out-model").glob("completions/*.parquet"))]
    for name in ("preference", "length"):
        shown = [value for table in tables for value in table[f"recipe/reward/{name}"]]
        wanted = [math.nan if one.value is None else one.value for group in scored for one in group.components[name]]
        assert shown == pytest.approx(wanted, nan_ok=True)


def write_equal_recipe(folder, url):
    """Write the recipe and the rows that engines are compared on; return the recipe's path, and the rows by id."""
    (recipe := folder / "recipe.yaml").write_text(EQUAL.replace("URL", url).replace("BACKEND", "{use: trl}"))
    plan = make_plan(load(recipe, (), strict=False), purpose="score")
    samples = read_dataset(plan.datasets["dataset",], Context())
    rows = {sample.id: {**sample.as_row(), "prompt": sample.prompt[0]["content"]} for sample in samples}
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows.values()))
    return recipe, rows


def _groups_of(parts):
    """The members of each group of 4, put together from all processes, step by step."""
    for steps in zip(*(part["steps"] for part in parts), strict=True):
        members = [member for step in steps for member in step]
        for start in range(0, len(members), 4):
            group = members[start : start + 4]
            assert len({member["row"] for member in group}) == 1
            yield group


def _as_row(rows, number, group):
    completions = [{"text": member["text"], "token_count": member["tokens"]} for member in group]
    return {**rows[group[0]["row"]], "id": f"{number}", "completions": completions}


@pytest.mark.slow
def test_trains_a_model_by_a_recipe(toy, model_folder, tmp_path):
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    folder = str(model_folder("gpt2"))
    rows = [{"prompt": f"Is {number} even?", "id": str(number)} for number in range(8)]
    arguments = GRPOConfig(
        output_dir=str(tmp_path),
        use_cpu=True,
        bf16=False,
        report_to=[],
        gradient_checkpointing=False,
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=6,
        max_steps=3,
        learning_rate=1e-3,
        logging_steps=1,
    )
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    before = {name: value.clone() for name, value in model.named_parameters()}
    with reward_function(FAULTY, "reward.total=brief + faulty + progress", name="recipe") as reward:
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=reward,
            args=arguments,
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
        )
        trainer.train()
    logs = [entry for entry in trainer.state.log_history if "recipe/reward/brief" in entry]
    assert len(logs) == 3
    parts = [log["recipe/reward/brief"] + log["recipe/reward/faulty"] for log in logs]
    progress = [log["recipe/reward/total"] - part for log, part in zip(logs, parts, strict=True)]
    assert progress == pytest.approx([0, 1 / 3, 2 / 3], abs=1e-5)
    assert all(math.isclose(log["rewards/recipe/mean"], log["recipe/reward/total"], rel_tol=1e-5) for log in logs)
    assert any(not value.equal(before[name]) for name, value in model.named_parameters())
