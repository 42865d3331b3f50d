"""A recipe's reward in people's own trainers: groups, columns, failures, and a real GRPOTrainer."""

import math

import pytest
from rewardlab.errors import JobError, UserError
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


def ids(texts):
    return [list(range(len(text.split()))) for text in texts]


def call(reward, texts=TEXTS, prompts=("one?", "one?", "two?", "two?"), **columns):
    return reward(prompts=list(prompts), completions=texts, completion_ids=ids(texts), **columns)


def test_returns_a_reward_for_each_completion_by_group(reward):
    assert call(reward) == [1.0, 1.5, 1.0, 1.25]


def test_reads_conversations(reward):
    prompts = [[{"role": "user", "content": text}] for text in ("one?", "one?", "two?", "two?")]
    said = [[{"role": "assistant", "content": text}] for text in TEXTS]
    assert reward(prompts=prompts, completions=said, completion_ids=ids(TEXTS)) == [1.0, 1.5, 1.0, 1.25]


def test_refuses_what_is_no_single_message(reward):
    said = [[{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}]]
    with pytest.raises(JobError, match=r"one message with a text; this one has 2 \(assistant: str, tool: str\)"):
        reward(prompts=["one?"], completions=said, completion_ids=[[1]])


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


def test_refuses_a_job_of_several_processes(toy, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match="scores in one process, and WORLD_SIZE is 2"):
        reward_function(RECIPE)


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
    with reward_function(FAULTY, name="recipe") as reward:
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
    assert all(math.isclose(log["rewards/recipe/mean"], log["recipe/reward/total"], rel_tol=1e-5) for log in logs)
    assert any(not value.equal(before[name]) for name, value in model.named_parameters())
