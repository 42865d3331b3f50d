"""Other trainers' requests as they send them, and the answers that they read."""

import threading
from copy import deepcopy

import pytest
from rewardlab.errors import UserError
from rewardlab_serve.doors import NAMES, DoorOptions, door

from .test_groups import RIGHT, WRONG, error, faulty

OF_ONE_ANSWER = [name for name in NAMES if name != "openreward"]
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
        "openrlhf": {"query": [f"1+1?{text}</s>"], "prompts": ["1+1?"], "labels": [label]},
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


@pytest.mark.parametrize("name", OF_ONE_ANSWER)
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
        assert error(found) == (422, "bad_body")

    def test_refuses_a_row_that_lacks_what_rewards_need(self, serving, name):
        found = serving(RECIPE, doors=[name]).ask(door(name).path, request(name, RIGHT, label=None))
        assert error(found) == (422, "bad_row")


@pytest.mark.parametrize("name", [name for name in OF_ONE_ANSWER if name != "nemo_gym"])
class TestDoorsWithoutGroups:
    def test_refuse_a_recipe_that_compares_answers(self, serving, name):
        recipe = {**RECIPE, "reward": {**RECIPE["reward"], "normalize": [{"use": "normalize/std"}]}}
        with pytest.raises(
            UserError, match=r"normalize/std compares them; doors that carry groups: nemo_gym, openreward, and /v1"
        ):
            serving(recipe, doors=[name])

    def test_refuse_a_recipe_that_leaves_groups_out(self, serving, name):
        """A group of one is flat, whatever it is."""
        recipe = {**RECIPE, "reward": {**RECIPE["reward"], "teach": {"flat": "drop", "by": "box"}}}
        with pytest.raises(UserError, match=r"reward\.teach compares them; doors that carry groups: nemo_gym"):
            serving(recipe, doors=[name])

    def test_refuse_a_recipe_that_reads_more_than_the_last_answer(self, serving, name):
        tone = {"tone": {"use": "format/boxed", "reads": "all"}}
        with pytest.raises(UserError, match=r"tone \(format/boxed\) reads whole .* carry them: nemo_gym, openreward"):
            serving({"version": 1, "reward": {"components": tone, "total": "tone"}}, doors=[name])

    def test_have_no_number_for_a_masked_answer(self, serving, toy, name):
        recipe = faulty(on_missing="zero_advantage", max_missing=1, **{"with": {"how": "fail"}})
        recipe["reward"]["total"] = "0.5 * box + 0.5 * toy"
        found = serving(recipe, doors=[name]).ask(door(name).path, request(name, "BAD"))
        assert error(found) == (503, "missing_reward")


def test_an_answer_is_read_without_the_token_that_ended_it(serving):
    reward = {"components": {"tags": {"use": "format/tags"}}, "total": "tags"}
    server = serving({"version": 1, "reward": reward}, doors=["openrlhf", "slime"])
    text = "<think>x</think><answer>2</answer>"
    assert server.ask("/openrlhf", request("openrlhf", text)).body["rewards"] == [1.0]
    assert server.ask("/slime", request("slime", f"{text}</s>")).body["reward"] == 1.0


def test_openrlhf_is_not_served_before_the_token_is_known(serving):
    with pytest.raises(UserError, match="sends answers with the special token that ended them: say which, as in --end"):
        serving(RECIPE, doors=["openrlhf"], options=DoorOptions())


@pytest.mark.slow
def test_a_list_of_any_length_is_answered(serving):
    server = serving(RECIPE, doors=["aws"], groups=300)
    rows = [{**request("aws", f"{number} {RIGHT}")[0], "id": str(number)} for number in range(320)]
    found = server.ask("/aws", rows)
    assert [(one["id"], one["aggregate_reward_score"]) for one in found.body] == [(str(n), 1.0) for n in range(320)]
    groups = [{"prompt": "1+1?", "answer": "2", "completions": [f"b{number} {RIGHT}"]} for number in range(320)]
    assert all("error" not in one for one in server.ask("/v1/batch", {"groups": groups}).body["groups"])


def test_the_reference_of_aws_may_stand_in_the_metadata(serving):
    (row,) = request("aws", RIGHT, label=None)
    row["metadata"] = {"reference_answer": {"answer": "2"}, "my_key": "x"}
    assert serving(RECIPE, doors=["aws"]).ask("/aws", [row]).body[0]["aggregate_reward_score"] == pytest.approx(1.0)


def test_the_system_instruction_of_google_is_a_part_of_the_prompt(serving):
    server = serving(RECIPE, doors=["google"])
    sent = request("google", RIGHT)
    server.ask("/google", sent)
    sent["example"]["systemInstruction"] = {"parts": [{"text": "Be brief."}]}
    server.ask("/google", sent)
    # another prompt is another group
    assert 'rewardlab_groups_total{outcome="scored"} 2.0' in server.ask("/metrics").body


def test_eval_protocol_gets_no_metric_that_it_would_take_for_a_zero_or_refuse(serving, toy):
    recipe = faulty(on_missing=0.5, max_missing=1, **{"with": {"how": "fail"}})
    recipe["reward"]["components"]["penalty"] = {"use": "format/validity"}
    sent = {**request("eval_protocol", "BAD"), "task": "math"}
    found = serving(recipe, doors=["eval_protocol"]).ask("/reward", sent)
    assert found.body["score"] == 0.5
    assert found.body["metrics"].keys() == {"box"}


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
        assert masked["failure_kind"] == "verifier_error"
        assert masked["failure_reason"].startswith("toy: ")
        assert masked["reward_components"] == {"box": 0.0}
        others = [one["reward"] for one in members if "mask_sample" not in one]
        assert sum(others) == pytest.approx(0)
        assert masked["reward"] == pytest.approx(0)
        assert members[0]["answer"] == "2"  # what was sent comes back

    def test_have_members_of_several_attempts(self, serving, toy):
        server = serving(COMPARED, doors=["nemo_gym"], options=DoorOptions(group_size=2))
        body = request("nemo_gym", RIGHT, _ng_task_index=1, _ng_rollout_index=0)
        other = {**request("nemo_gym", "x", _ng_task_index=1, _ng_rollout_index=1), "_ng_attempt_index": 1}
        found = []
        first = threading.Thread(target=lambda: found.append(server.ask("/verify", body)))
        first.start()
        assert server.ask("/verify", other).status == 200
        first.join()
        assert found[0].status == 200

    def test_may_come_again_at_once_with_other_answers(self, serving, toy):
        server = serving(COMPARED, doors=["nemo_gym"], options=DoorOptions(group_size=2))
        first, second = self.ask_all(server, [RIGHT, "x"]), self.ask_all(server, ["y", RIGHT])
        assert [one["reward"] for one in first] == [one["reward"] for one in reversed(second)]

    @pytest.mark.parametrize(("on_partial", "first"), [("fail", "cohort_incomplete"), ("score", None)])
    def test_that_come_late_or_not_at_all_say_so(self, serving, toy, on_partial, first):
        options = DoorOptions(group_size=2)
        server = serving(COMPARED, doors=["nemo_gym"], options=options, cohort=0.3, on_partial=on_partial)
        bodies = [request("nemo_gym", RIGHT, _ng_task_index=1, _ng_rollout_index=slot) for slot in range(2)]
        members = [server.ask("/verify", body).body for body in bodies]
        assert [one.get("failure_kind") for one in members] == [first, "cohort_incomplete"]

    def test_without_their_size_are_refused_at_the_start(self, serving, toy):
        with pytest.raises(UserError, match="give --group-size"):
            serving(COMPARED, doors=["nemo_gym"])

    def test_of_a_later_epoch_are_groups_of_their_own(self, serving, toy, monkeypatch):
        monkeypatch.setattr("rewardlab_serve.doors.nemo_gym.REPEATED_WITHIN", 0.0)
        server = serving(COMPARED, doors=["nemo_gym"], options=DoorOptions(group_size=2))
        first, second = self.ask_all(server, [RIGHT, "x"]), self.ask_all(server, [RIGHT, RIGHT])
        assert [one["reward"] for one in first] != [one["reward"] for one in second]


class TestAgentsOfNemoGym:
    def test_may_ask_about_several_answers_to_a_row_with_an_id(self, serving):
        server = serving(RECIPE, doors=["nemo_gym"])
        found = [server.ask("/verify", request("nemo_gym", text, id="row")) for text in (RIGHT, WRONG)]
        assert [one.body["reward"] for one in found] == pytest.approx([1.0, 0.1])

    def test_get_a_number_for_an_answer_that_ended_before_its_message(self, serving):
        body = request("nemo_gym", "")
        body["response"] = {"output": [{"type": "reasoning"}], "incomplete_details": {"reason": "max_output_tokens"}}
        assert serving(RECIPE, doors=["nemo_gym"]).ask("/verify", body).body["reward"] == 0.0

    def test_get_an_answer_before_and_after_their_rollouts(self, serving):
        server = serving(RECIPE, doors=["nemo_gym"])
        for path in ("/seed_session", "/aggregate_metrics"):
            assert (server.ask(path, {"verify_responses": []}).status, server.ask(path, {}).body) == (200, {})


def test_nemo_gym_sends_what_tools_did(serving):
    read_all = {"box": {"use": "format/boxed", "reads": "all"}, "last": {"use": "format/boxed"}}
    recipe = {"version": 1, "reward": {"components": read_all, "total": "box - last"}}
    body = request("nemo_gym", "it is done")
    call = {"type": "function_call", "call_id": "c", "name": "calc", "arguments": "{}"}
    body["response"]["output"][:1] = [call, {"type": "function_call_output", "call_id": "c", "output": RIGHT}]
    assert serving(recipe, doors=["nemo_gym"]).ask("/verify", body).body["reward"] == 1.0
