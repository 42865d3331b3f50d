"""Other trainers' requests as they send them, and the answers that they read."""

import threading
from copy import deepcopy

import pytest
from rewardlab.errors import UserError
from rewardlab_serve.doors import NAMES, DoorOptions, door

from .test_groups import RIGHT, WRONG, error, faulty

USER = {"role": "user", "content": "1+1?"}
NUMBERS = {
    "openrlhf": lambda body: body["rewards"][0],
    "slime": lambda body: body["reward"],
    "nemo_gym": lambda body: body["reward"],
    "google": lambda body: body["reward"],
    "aws": lambda body: body[0]["aggregate_reward_score"],
    "eval_protocol": lambda body: body["score"],
}


def request(name, text, label="2", **fields):
    """What the trainer of a door sends about one answer."""
    answer = {"role": "assistant", "content": text}
    parts = [{"type": "output_text", "text": text}]
    return {
        "openrlhf": {"query": [f"1+1?{text}"], "prompts": ["1+1?"], "labels": [label]},
        "slime": {"prompt": "1+1?", "response": text, "label": label},
        "nemo_gym": {
            "responses_create_params": {"input": [USER]},
            "response": {"id": "r", "output": [{"type": "reasoning"}, {"type": "message", "content": parts}]},
            "answer": label,
            **fields,
        },
        "google": {
            "example": {"contents": [{"role": "user", "parts": [{"text": "1+1?"}]}], "references": {"answer": label}},
            "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]},
            "metadata": {"step": 3},
        },
        "aws": [{"id": "a", "messages": [USER, answer], "reference_answer": label}],
        "eval_protocol": {"messages": [USER, answer], "ground_truth": label, "id": "row"},
    }[name]


RECIPE = {
    "version": 1,
    "reward": {
        "components": {"accuracy": {"use": "math/accuracy"}, "box": {"use": "format/boxed"}},
        "total": "0.9 * accuracy + 0.1 * box",
    },
}


@pytest.mark.parametrize("name", NAMES)
class TestEachDoor:
    def test_gives_the_total_of_an_answer(self, serving, name):
        server = serving(RECIPE, doors=[name])
        for text, total in ((RIGHT, 1.0), (WRONG, 0.1), ("x", 0.0)):
            found = server.ask(door(name).path, request(name, text))
            assert found.status == 200
            assert NUMBERS[name](found.body) == pytest.approx(total)

    def test_has_no_number_for_a_failure(self, serving, toy, name):
        recipe = faulty(**{"with": {"how": "fail"}})
        recipe["reward"]["total"] = "0.5 * box + 0.5 * toy"
        found = serving(recipe, doors=[name]).ask(door(name).path, request(name, "BAD"))
        assert error(found) == (503, "scoring_failed")
        assert found.headers["Retry-After"] == "1"

    @pytest.mark.parametrize("body", [{}, [], [3], {"query": 3}, {"messages": [{"role": "user"}]}, {"response": {}}, 7])
    def test_says_what_is_wrong_with_garbage(self, serving, name, body):
        found = serving(RECIPE, doors=[name]).ask(door(name).path, body)
        assert error(found) == (400, "bad_request")

    def test_refuses_a_row_that_lacks_what_rewards_need(self, serving, name):
        found = serving(RECIPE, doors=[name]).ask(door(name).path, request(name, RIGHT, label=None))
        assert error(found) == (422, "bad_row")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "nemo_gym"])
class TestDoorsWithoutGroups:
    def test_refuse_a_recipe_that_compares_answers(self, serving, name):
        recipe = {**RECIPE, "reward": {**RECIPE["reward"], "normalize": [{"use": "normalize/std"}]}}
        with pytest.raises(UserError, match=r"normalize/std compares them; doors that carry groups: nemo_gym, and /v1"):
            serving(recipe, doors=[name])

    def test_have_no_number_for_a_masked_answer(self, serving, toy, name):
        recipe = faulty(on_missing="zero_advantage", max_missing=1, **{"with": {"how": "fail"}})
        recipe["reward"]["total"] = "0.5 * box + 0.5 * toy"
        found = serving(recipe, doors=[name]).ask(door(name).path, request(name, "BAD"))
        assert error(found) == (503, "missing_reward")


def test_google_takes_no_recipe_beyond_its_bounds(serving):
    recipe = {**RECIPE, "reward": {**RECIPE["reward"], "total": "2 * accuracy"}}
    with pytest.raises(UserError, match=r"takes rewards from -1 to 1, and the recipe's have 0 to 2; scale `total`"):
        serving(recipe, doors=["google"])


def test_another_name_is_told_the_nearest():
    with pytest.raises(UserError, match="no door 'openrlfh'; did you mean 'openrlhf'"):
        door("openrlfh")


COMPARED = {
    "version": 1,
    "reward": {
        "components": {"box": {"use": "format/boxed"}, "toy": {"use": "toy/faulty", "with": {"how": "fail"}}},
        "total": "box + toy",
        "normalize": [{"use": "normalize/std"}],
    },
}


class TestGroupsOfNemoGym:
    def ask_all(self, server, texts, task=7):
        found = {}

        def ask(slot):
            body = request("nemo_gym", texts[slot], _ng_task_index=task, _ng_rollout_index=slot)
            found[slot] = server.ask("/verify", body)

        threads = [threading.Thread(target=ask, args=(slot,)) for slot in range(len(texts))]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        return [found[slot].body for slot in range(len(texts))]

    def test_are_put_together_and_a_masked_member_says_so(self, serving, toy):
        recipe = deepcopy(COMPARED)
        recipe["reward"]["components"]["toy"] |= {"on_missing": "zero_advantage", "max_missing": 0.9}
        server = serving(recipe, doors=["nemo_gym"], options=DoorOptions(group_size=4))
        members = self.ask_all(server, [RIGHT, "BAD", "x", RIGHT])
        masked = members[1]
        assert masked["mask_sample"]
        assert masked["failure_kind"] == "reward_component_failed"
        assert masked["failure_reason"].startswith("toy: ")
        assert masked["reward_components"] == {"box": 0.0, "toy": None}
        others = [one["reward"] for one in members if "mask_sample" not in one]
        assert sum(others) == pytest.approx(0)
        assert masked["reward"] == pytest.approx(0)
        assert members[0]["answer"] == "2"  # what was sent comes back

    def test_without_their_size_are_refused_at_the_start(self, serving, toy):
        with pytest.raises(UserError, match="give --group-size"):
            serving(COMPARED, doors=["nemo_gym"])

    def test_of_a_later_epoch_are_groups_of_their_own(self, serving, toy, monkeypatch):
        monkeypatch.setattr("rewardlab_serve.doors.nemo_gym.REPEATED_WITHIN", 0.0)
        server = serving(COMPARED, doors=["nemo_gym"], options=DoorOptions(group_size=2))
        first, second = self.ask_all(server, [RIGHT, "x"]), self.ask_all(server, [RIGHT, RIGHT])
        assert [one["reward"] for one in first] != [one["reward"] for one in second]
